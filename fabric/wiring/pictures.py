"""The front of a switch as a picture: which cage to pull from and which to plug into. Pure, SVG.

Above the whole front, to find the cage by; below the cages around it, large enough for a phone. Colour is never the
only sign: what is pulled has an arrow up, the word PULL and a broken frame, what is plugged in an arrow down, PLUG and
a whole frame. Lines and text take the colour of the text around the picture, so it fits dark and light pages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from html import escape
from typing import TypeVar

from inventory.cabling.faceplate import Cage, Lane

K = TypeVar("K", str, int)  # how the caller tells devices apart
WIDTH = 360  # of the drawing; it scales with what it stands in
U_HEIGHT = 34  # 44.45 mm of 482.6 mm
DETAIL_HEIGHT = 128
GAP = 12
NUMBER = 18  # room for a cage's number at its left
COLUMNS = {1: 4, 2: 2}  # cages side by side in the detail, by how many details there are


class Mark(StrEnum):
    PULL = "pull"
    PLUG = "plug"


SIGNS = {Mark.PULL: "▲", Mark.PLUG: "▼"}
COLOURS = {Mark.PULL: "#d93036", Mark.PLUG: "#1f8a4c"}  # white text on either has a contrast over 4.3


@dataclass(frozen=True, slots=True)
class Front:
    """What is known of the front of a device."""

    device: str
    cages: Sequence[Cage]
    u_height: float = 1


def move_pictures(n: int, marks: Mapping[K, Mapping[str, Mark]], fronts: Mapping[K, Front]) -> list[tuple[Front, str]]:
    """The one or two fronts of move `n`, each with its picture; `marks` are ports of devices, as faceplates name them.

    Nothing of a device whose front is not known, or on whose faceplate the port is not.
    """
    known = [(device, fronts[device], named) for device, named in marks.items() if device in fronts]
    drawn = [(front, front_svg(front, named, key=f"move-{n}-{device}")) for device, front, named in known]
    return [(front, svg) for front, svg in drawn if svg]


def front_svg(front: Front, marks: Mapping[str, Mark], *, key: str = "front") -> str:
    """The picture, or an empty string when none of the marked ports is on the faceplate.

    `key` makes the ids of title and description unique on a page.
    """
    marked = [(cage, lane) for cage in front.cages for lane in cage["lanes"] if lane["port"] in marks]
    if not marked:
        return ""
    strip = max(24.0, U_HEIGHT * front.u_height)
    centres = _centres([cage for cage, _ in marked])
    height = strip + GAP + DETAIL_HEIGHT
    parts = [_whole(front.cages, marks, strip)]
    width = (WIDTH - GAP * (len(centres) - 1)) / len(centres)
    for at, centre in enumerate(centres):
        parts.append(_detail(front.cages, centre, marks, at * (width + GAP), strip + GAP, width, COLUMNS[len(centres)]))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" width="100%" role="img" '
        f'aria-labelledby="{escape(key)}-title {escape(key)}-desc" font-family="system-ui, sans-serif">'
        f'<title id="{escape(key)}-title">Front of {escape(front.device)}</title>'
        f'<desc id="{escape(key)}-desc">{escape(_said(marked, marks))}</desc>'
        f"{''.join(parts)}</svg>"
    )


def _said(marked: Sequence[tuple[Cage, Lane]], marks: Mapping[str, Mark]) -> str:
    parts = []
    for cage, lane in marked:
        act = "Pull from" if marks[lane["port"]] is Mark.PULL else "Plug into"
        half = ""
        if len(cage["lanes"]) == 2:
            half = " upper" if lane is min(cage["lanes"], key=lambda one: one["y"]) else " lower"
        elif len(cage["lanes"]) > 2:
            half = f" lane {lane['lane']}"
        where = f"cage {cage['cage']}{half}" if cage["cage"] is not None else "the port"
        parts.append(f"{act} {where} ({lane['port']}).")
    return " ".join(parts)


def _centres(cages: Sequence[Cage]) -> list[float]:
    """Where to look closely, along x: at one place when the cages stand side by side, else at two."""
    first = cages[0]
    sides: tuple[list[float], list[float]] = ([], [])
    for cage in cages:
        sides[abs(cage["x"] - first["x"]) > 2.5 * cage["w"]].append(cage["x"] + cage["w"] / 2)
    return sorted(sum(side) / len(side) for side in sides if side)


def _whole(cages: Sequence[Cage], marks: Mapping[str, Mark], height: float) -> str:
    parts = [
        f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1:g}" rx="3" fill="none" stroke="currentColor" '
        f'stroke-opacity="0.6"/>'
    ]
    for cage in cages:
        x, y, w, h = cage["x"] * WIDTH, cage["y"] * height, cage["w"] * WIDTH, cage["h"] * height
        parts.append(_rect(x, y, w, h, 'fill="currentColor" fill-opacity="0.12"'))
        for lane in cage["lanes"]:
            mark = marks.get(lane["port"])
            if mark is not None:
                box = lane["x"] * WIDTH, lane["y"] * height, lane["w"] * WIDTH, lane["h"] * height
                parts.append(_rect(*box, f'fill="{COLOURS[mark]}"'))
                middle = box[0] + box[2] / 2
                parts.append(_text(middle, box[1] + box[3] / 2, 7, SIGNS[mark], 'fill="#fff"'))
    return "".join(parts)


def _detail(
    cages: Sequence[Cage], centre: float, marks: Mapping[str, Mark], left: float, top: float, width: float, columns: int
) -> str:
    """The columns of cages nearest to `centre`, `width` wide in all."""
    middles = {cage["x"]: cage["x"] + cage["w"] / 2 for cage in cages}
    near = sorted(middles, key=lambda x: abs(middles[x] - centre))[:columns]
    shown = [cage for cage in cages if cage["x"] in near]
    start = min(near)
    span = max(cage["x"] + cage["w"] for cage in shown) - start
    parts = [
        f'<rect x="{left + 0.5:g}" y="{top + 0.5:g}" width="{width - 1:g}" height="{DETAIL_HEIGHT - 1}" rx="4" '
        'fill="none" stroke="currentColor" stroke-opacity="0.35"/>'
    ]
    inner, pad = width - 8, 4

    def place(x: float, y: float, w: float, h: float) -> tuple[float, float, float, float]:
        scale = inner / span
        return left + pad + (x - start) * scale, top + y * DETAIL_HEIGHT, w * scale, h * DETAIL_HEIGHT

    for cage in shown:
        x, y, w, h = place(cage["x"], cage["y"], cage["w"], cage["h"])
        parts.append(_rect(x, y, w, h, 'fill="currentColor" fill-opacity="0.08" stroke="currentColor"'))
        for lane in cage["lanes"]:
            lane_x, lane_y, lane_w, lane_h = place(lane["x"], lane["y"], lane["w"], lane["h"])
            share = (w - NUMBER) / w
            box = x + NUMBER + (lane_x - x) * share, lane_y, lane_w * share, lane_h
            parts.append(_large_lane(box, marks.get(lane["port"])))
        name = str(cage["cage"]) if cage["cage"] is not None else cage["lanes"][0]["port"]
        parts.append(_text(x + NUMBER / 2 + 1, y + h / 2, 11, name, 'fill="currentColor" font-weight="700"'))
    return "".join(parts)


def _large_lane(box: tuple[float, float, float, float], mark: Mark | None) -> str:
    x, y, w, h = box
    if mark is None:
        return _rect(x + 2, y + 2, w - 4, h - 4, 'fill="none" stroke="currentColor" stroke-opacity="0.35"')
    frame = ' stroke-dasharray="4 2"' if mark is Mark.PULL else ""
    word = f"{SIGNS[mark]} {mark.upper()}" if w >= 46 else SIGNS[mark]
    style = f'fill="{COLOURS[mark]}" stroke="currentColor" stroke-width="2"{frame}'
    return _rect(x + 2, y + 2, w - 4, h - 4, style) + _text(
        x + w / 2, y + h / 2, 11, word, 'fill="#fff" font-weight="700"'
    )


def _rect(x: float, y: float, w: float, h: float, style: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}" rx="1.5" {style}/>'


def _text(x: float, y: float, size: float, words: str, style: str) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" text-anchor="middle" dominant-baseline="central" {style}>'
        f"{escape(words)}</text>"
    )
