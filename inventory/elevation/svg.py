"""A rack as one printable page: front and rear side by side on A4, from what `read.elevation` tells. Pure.

Built as a tree of elements, so that whatever a device is called, the page is well-formed. No script, no outside
resources, light colours with dark text.
"""

from __future__ import annotations

import re
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

WIDTH, HEIGHT, MARGIN = 210.0, 297.0, 10.0  # millimetres, A4
TOP, BOTTOM = 34.0, 272.0  # of the racks on the page
NUMBERS, SIDES, INNER = 7.0, 5.0, 66.0  # widths beside and inside a rack's frame
FACES = {"front": MARGIN, "rear": WIDTH - MARGIN - NUMBERS - 2 * SIDES - INNER}
LARGEST, SMALLEST, PER_LETTER = 3.0, 1.9, 0.56  # height of text in mm; width of a letter in heights

FILLS = {
    "machine": "#dbeafe", "switch": "#dcfce7", "pdu": "#fef3c7", "panel": "#ede9fe", "shelf": "#e5e7eb",
}  # fmt: skip
INK, FAINT, LINE, GAP = "#0f172a", "#64748b", "#e2e8f0", "#f97316"
DOTTED = {"stroke_dasharray": "0.3 0.9", "stroke_linecap": "round"}
DASHED = {"stroke_dasharray": "2 1"}
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def rack_svg(elevation: dict[str, Any]) -> str:
    """The page as SVG text."""
    rack = elevation["rack"]
    page = Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "font-family": "Helvetica, Arial, sans-serif"})
    for name, value in {"width": f"{WIDTH:g}mm", "height": f"{HEIGHT:g}mm", "role": "img"}.items():
        page.set(name, value)
    page.set("viewBox", f"0 0 {WIDTH:g} {HEIGHT:g}")
    _add(page, "title").text = _clean(f"Rack {rack['name']}")
    _patterns(page, rack["id"])
    _add(page, "rect", width="100%", height="100%", fill="#ffffff")
    _text(page, MARGIN, 17, f"Rack {rack['name']}", 7, font_weight="bold")
    where = [f"Row {rack['row']}" if rack["row"] else "", rack["room"], rack["site"]]
    _text(page, MARGIN, 23, " · ".join(part for part in where if part), 3.4, fill=FAINT)
    unit = min(6.0, (BOTTOM - TOP) / rack["height_u"])
    for face, left in FACES.items():
        _face(page, elevation, face, left, unit)
    _legend(page, elevation)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(page, encoding="unicode")


def _patterns(page: Element, rack: int) -> None:
    """The hatching of blanking panels; named by the rack, so that several pictures fit one page of HTML."""
    hatch = _add(_add(page, "defs"), "pattern", id=f"hatch-{rack}", width="2", height="2")
    hatch.set("patternUnits", "userSpaceOnUse")
    hatch.set("patternTransform", "rotate(45)")
    _add(hatch, "rect", width="2", height="2", fill="#ffffff")
    _add(hatch, "line", x1="0", y1="0", x2="0", y2="2", stroke="#94a3b8", stroke_width="0.7")


# ---- one face ----


def _face(page: Element, elevation: dict[str, Any], face: str, left: float, unit: float) -> None:
    rack = elevation["rack"]
    group = _add(page, "g", id=f"{face}-{rack['id']}")
    inner = left + NUMBERS + SIDES
    height = unit * rack["height_u"]
    _text(group, inner, TOP - 3, face.capitalize(), 3.8, font_weight="bold")
    _rect(group, inner - SIDES, TOP - 1, INNER + 2 * SIDES, height + 2, "#f8fafc", INK, 0.5)
    _rect(group, inner, TOP, INNER, height, "#ffffff", FAINT, 0.3)
    _numbers(group, rack, left, inner, unit)
    for item in elevation[face]:
        _item(group, rack, item, face, inner, unit)
    if face == "front":
        for gap in elevation["open_gaps"]:
            y, tall = TOP + gap["from_top_u"] * unit, gap["height_u"] * unit
            x = inner + INNER - 0.8 if gap["column"] == "right" else inner
            _add(group, "rect", x=_mm(x), y=_mm(y), width="0.8", height=_mm(tall), fill=GAP)
    _sides(group, elevation["sides"], face, inner, height)


def _numbers(group: Element, rack: dict[str, Any], left: float, inner: float, unit: float) -> None:
    size = min(2.6, unit * 0.62)
    for at in range(rack["height_u"]):
        number = at + 1 if rack["numbering"] == "down" else rack["height_u"] - at
        y = TOP + at * unit
        _text(group, left + NUMBERS - 1.5, y + unit / 2 + size * 0.35, str(number), size, fill=FAINT, text_anchor="end")
        if at:
            ends = {"x1": _mm(inner), "x2": _mm(inner + INNER), "y1": _mm(y), "y2": _mm(y)}
            _add(group, "line", stroke=LINE, stroke_width="0.15", **ends)


def _item(group: Element, rack: dict[str, Any], item: dict[str, Any], face: str, inner: float, unit: float) -> None:
    y, tall = TOP + item["from_top_u"] * unit, item["height_u"] * unit
    x, wide = inner, INNER
    if item["column"] != "full":
        wide = INNER / 2
        # Left and right are as seen from the front, so the rear is mirrored.
        x += wide if (item["column"] == "right") == (face == "front") else 0
    fill, stroke = FILLS.get(item["kind"], "#ffffff"), {}
    if item["kind"] == "blanking":
        fill = f"url(#hatch-{rack['id']})"
    elif item["kind"] == "reserved":
        stroke = DOTTED
    elif item["status"] == "planned":
        stroke = DASHED
    box = _rect(group, x + 0.2, y + 0.2, wide - 0.4, tall - 0.4, fill, INK, 0.3, **stroke)
    _add(box, "title").text = _clean(_about(item))
    if item["kind"] == "blanking" and not item["name"]:
        return
    label = _label(item)
    if item["kind"] == "blanking":  # readable over the hatching
        wanted = min(wide - 3, len(label) * LARGEST * PER_LETTER + 2)
        _rect(group, x + wide / 2 - wanted / 2, y + tall / 2 - unit * 0.4, wanted, unit * 0.8, "#ffffff", "none", 0)
    _fitted(group, x + wide / 2, y + tall / 2, label, wide - 3, min(LARGEST, unit * 0.66, tall * 0.7))


def _label(item: dict[str, Any]) -> str:
    if item["kind"] != "reserved":
        return item["name"]
    return " · ".join(part for part in (item["reason"] or "reserved", item["owner"]) if part)


def _about(item: dict[str, Any]) -> str:
    last = item["u"] + item["height_u"] - 1
    where = f"U{item['u']:g}–{last:g}" if last > item["u"] else f"U{item['u']:g}"
    parts = (item["name"], item["owner"], item["model"] or item["kind"], where)
    return " · ".join(part for part in parts if part)


def _sides(group: Element, sides: list[dict[str, Any]], face: str, inner: float, height: float) -> None:
    """What hangs beside the units: on the face and the hand its slot is named after, otherwise on the rear."""
    here = [side for side in sides if ("front" if "front" in side["slot"] else "rear") == face]
    for hand, x in (("left", inner - SIDES), ("right", inner + INNER)):
        there = [side for side in here if ("right" if "right" in side["slot"] else "left") == hand]
        for at, side in enumerate(there):
            tall = height / len(there)
            y = TOP + at * tall
            box = _rect(group, x + 0.5, y + 0.3, SIDES - 1, tall - 0.6, FILLS.get(side["kind"], "#ffffff"), INK, 0.3)
            _add(box, "title").text = _clean(f"{side['name']} · {side['slot']}")
            middle = f"translate({_mm(x + SIDES / 2)} {_mm(y + tall / 2)})"
            turned = _add(group, "g", transform=f"{middle} rotate(-90)")
            _fitted(turned, 0, 0, side["name"], tall - 3, 2.4)


# ---- below the racks ----


def _legend(page: Element, elevation: dict[str, Any]) -> None:
    rack, weight, power = elevation["rack"], elevation["weight"], elevation["power"]
    y = BOTTOM + 8
    samples: list[tuple[str, str, dict[str, str]]] = [
        ("blanking panel", f"url(#hatch-{rack['id']})", {}),
        ("reserved", "#ffffff", DOTTED),
        ("planned", "#ffffff", DASHED),
        ("open to hot air", GAP, {}),
    ]
    for at, (name, fill, stroke) in enumerate(samples):
        x = MARGIN + at * 40
        _rect(page, x, y - 2.6, 6, 3.2, fill, INK, 0.3, **stroke)
        _text(page, x + 8, y, name, 2.8)
    _text(page, MARGIN, y + 6, _sum("Power", "W", power, "planned_w", "limit_w"), 3)
    _text(page, MARGIN, y + 10.5, _sum("Weight", "kg", weight, "planned_kg", "limit_kg"), 3)


def _sum(what: str, unit: str, known: dict[str, Any], planned: str, limit: str) -> str:
    text = f"{what}: {known[planned]:g} {unit}"
    if known["unknown"]:
        text += f" and {len(known['unknown'])} of unknown {what.lower()}"
    if known[limit] is None:
        return f"{text}, no limit given"
    return f"{text} of {known[limit]:g} {unit}" + (", over the limit" if known["over"] else "")


# ---- elements ----


def _add(parent: Element, tag: str, **attributes: str) -> Element:
    """A child element; `stroke_width` is the attribute stroke-width."""
    return SubElement(parent, tag, {name.replace("_", "-"): value for name, value in attributes.items()})


def _rect(
    parent: Element, x: float, y: float, w: float, h: float, fill: str, stroke: str, width: float, **more: str
) -> Element:
    place = {"x": _mm(x), "y": _mm(y), "width": _mm(max(w, 0)), "height": _mm(max(h, 0))}
    return _add(parent, "rect", fill=fill, stroke=stroke, stroke_width=_mm(width), **place, **more)


def _text(parent: Element, x: float, y: float, text: str, size: float, **more: str) -> None:
    about = {"fill": INK, "text_anchor": "start"} | more
    _add(parent, "text", x=_mm(x), y=_mm(y), font_size=_mm(size), **about).text = _clean(text)


def _fitted(parent: Element, x: float, y: float, text: str, wide: float, size: float) -> None:
    """Text in the middle of a box, smaller where it must be, cut only where that does not do."""
    letters = max(len(text), 1)
    size = max(min(size, wide / (letters * PER_LETTER)), min(SMALLEST, size))
    room = int(wide / (size * PER_LETTER))
    if letters > room:
        text = text[: max(room - 1, 1)] + "…"
    _text(parent, x, y + size * 0.35, text, size, text_anchor="middle")


def _mm(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _clean(text: str) -> str:
    """Without the letters that XML cannot say at all."""
    return _NOT_XML.sub("", text)
