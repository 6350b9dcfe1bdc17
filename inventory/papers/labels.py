"""Label sheets: each label a QR code of a page's address and a few lines of text. Pure: labels in, PDF out."""

from __future__ import annotations

import io
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import segno
from reportlab.lib.units import mm
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from inventory.papers.cables import CableRow, Plug
from inventory.papers.devices import DeviceRow

QUIET_MODULES = 4  # of white around the code, which readers need
# Of the eight patterns a code may be overlaid with, the one that suits our addresses best: on average 2 % worse than
# the best for each address, which takes four times as long to find.
MASK = 3
PADDING_MM = 0.8
LOW_MM = 15.0  # a label below this height has room for three lines
PLAIN, BOLD = "Helvetica", "Helvetica-Bold"
SMALLEST_PT = 3.6
LARGEST_PT = 16.0
LEADING = 1.16
FIRST_LINE = 1.45  # times the size of the others


@dataclass(frozen=True)
class Layout:
    """A stock sheet, all in mm from the upper left corner; a roll is a sheet of one label. `LabelSheet` names it."""

    name: str
    page: tuple[float, float]
    label: tuple[float, float]
    columns: int = 1
    rows: int = 1
    left: float = 0.0
    top: float = 0.0
    step: tuple[float, float] = (0.0, 0.0)

    @property
    def per_page(self) -> int:
        return self.columns * self.rows


A4, LETTER = (210.0, 297.0), (215.9, 279.4)
LAYOUTS = {
    layout.name: layout
    for layout in (
        Layout("avery-l4731", A4, (25.4, 10.0), 7, 27, 9.0, 13.5, (27.9, 10.0)),
        Layout("avery-l7160", A4, (63.5, 38.1), 3, 7, 7.2, 15.1, (66.0, 38.1)),
        Layout("avery-5160", LETTER, (66.675, 25.4), 3, 10, 4.7625, 12.7, (69.85, 25.4)),
        Layout("roll-62", (62.0, 29.0), (62.0, 29.0)),
    )
}  # fmt: skip


@dataclass(frozen=True)
class Label:
    """The first line is printed bold. `short` is what a low label has room for."""

    url: str
    lines: tuple[str, ...]
    short: tuple[str, ...] = ()


# ---- what stands on them ----


def cable_labels(cables: Iterable[CableRow]) -> list[Label]:
    """One label for each plug: what it is, where this end belongs, and where the other end is."""
    labels = []
    for cable in cables:
        for here, there in ((cable.a, cable.b), (cable.b, cable.a)):
            for plug in here:
                far = there if len(here) == 1 or len(there) == 1 else there[plug.number - 1 : plug.number]
                labels.append(_cable_label(cable, plug, far))
    return labels


def _cable_label(cable: CableRow, plug: Plug, far: Sequence[Plug]) -> Label:
    several = f" {plug.side}{plug.number}" if len(cable.a) > 1 or len(cable.b) > 1 else ""
    near_place = plug.device.place if plug.device else ""
    far_places = ", ".join(dict.fromkeys(end.device.place for end in far if end.device))
    near, to = _end_text(plug), ", ".join(_end_text(end) for end in far) or "no far end planned"
    first = f"{cable.label}{several}"
    low = (first, _end_text(plug, cages=False), f"to {', '.join(_end_text(end, cages=False) for end in far)}")
    return Label(cable.url, (first, near, near_place, f"to {to}", far_places), low if far else (first, low[1]))


def _end_text(plug: Plug, *, cages: bool = True) -> str:
    """hgx-a17-03 mlx5_0, with the cage where there is room for it."""
    return f"{plug.device.name} {plug.text if cages else plug.port}" if plug.device else "not planned"


def device_label(row: DeviceRow) -> Label:
    serial = f"S/N {row.serial}" if row.serial else "no serial known"
    tag = f"asset {row.asset_tag}" if row.asset_tag else ""
    place = row.place or "not mounted"
    return Label(row.url, (row.name, serial, tag, place, row.model_name), (row.name, serial, place))


def rack_label(name: str, room: str, row: str, site: str, url: str) -> Label:
    where = f"row {row}" if row else ""
    return Label(url, (name, where, room, site), (name, where, room))


# ---- drawing ----


def pdf(labels: Sequence[Label], layout: Layout, *, start: int = 1, title: str) -> bytes:
    """The sheets; on the first one the labels before `start` (from 1) are used up already."""
    target = io.BytesIO()
    page_width, page_height = layout.page[0] * mm, layout.page[1] * mm
    canvas = Canvas(target, pagesize=(page_width, page_height), invariant=True)
    canvas.setTitle(title)
    canvas.setCreator("Rackside")
    for position, label in enumerate(labels, start=start - 1):
        at = position % layout.per_page
        if at == 0 and position > start - 1:
            canvas.showPage()
        column, row = at % layout.columns, at // layout.columns
        left = (layout.left + column * layout.step[0]) * mm
        bottom = page_height - (layout.top + row * layout.step[1] + layout.label[1]) * mm
        _draw(canvas, label, left, bottom, layout.label[0] * mm, layout.label[1] * mm)
    if not labels:
        canvas.setFont(PLAIN, 8)
        canvas.drawString(3 * mm, page_height - 6 * mm, "Nothing to label.")
    canvas.showPage()
    canvas.save()
    return target.getvalue()


def _draw(canvas: Canvas, label: Label, left: float, bottom: float, width: float, height: float) -> None:
    side = min(height, width * 0.45)
    _draw_code(canvas, label.url, left, bottom + (height - side) / 2, side)
    low = height < LOW_MM * mm
    lines = [line for line in (label.short if low and label.short else label.lines) if line]
    padding = PADDING_MM * mm
    _draw_text(canvas, lines, left + side, bottom + padding, width - side - padding, height - 2 * padding)


def _draw_code(canvas: Canvas, url: str, left: float, bottom: float, side: float) -> None:
    """The code with its quiet zone, as vectors: runs of dark modules are one rectangle."""
    size, rectangles = _code(url)
    module = side / (size + 2 * QUIET_MODULES)
    canvas.saveState()
    canvas.transform(module, 0, 0, module, left + QUIET_MODULES * module, bottom + QUIET_MODULES * module)
    canvas.addLiteral(rectangles)  # a path object would format 200 numbers a code, at half a second a sheet
    canvas.restoreState()


@lru_cache(maxsize=1024)
def _code(url: str) -> tuple[int, str]:
    """Modules a side, and the drawing of the dark ones in modules from the lower left corner."""
    matrix = segno.make(url, error="m", micro=False, boost_error=False, mask=MASK).matrix
    size, rectangles = len(matrix), []
    for row, modules in enumerate(matrix):
        start = None
        for column, dark in enumerate((*modules, 0)):
            if dark and start is None:
                start = column
            elif not dark and start is not None:
                rectangles.append(f"{start} {size - 1 - row} {column - start} 1 re")
                start = None
    return size, " ".join([*rectangles, "f"])


def _draw_text(canvas: Canvas, lines: list[str], left: float, bottom: float, width: float, height: float) -> None:
    """The lines from the top, as large as they fit together; one that is too long is set smaller, then cut."""
    weights = [FIRST_LINE, *[1.0] * (len(lines) - 1)]
    size = min(height / (LEADING * sum(weights)), LARGEST_PT / FIRST_LINE)
    y = bottom + (height + size * LEADING * sum(weights)) / 2
    for number, line in enumerate(lines):
        font = PLAIN if number else BOLD
        y -= size * LEADING * weights[number]
        text, fitted = fit(printable(line), font, size * weights[number], width)
        canvas.setFont(font, fitted)
        canvas.drawString(left, y + size * weights[number] * 0.22, text)


def fit(text: str, font: str, size: float, width: float) -> tuple[str, float]:
    """The text and the size it fits the width at; what does not fit at the smallest is cut in its middle."""
    wide = stringWidth(text, font, size)
    if wide <= width:
        return text, size
    size = max(SMALLEST_PT, size * width / wide)
    keep = len(text)
    while stringWidth(text, font, size) > width * 1.001 and keep > 2:
        keep -= 1
        text = f"{text[: keep // 2]}…{text[len(text) - (keep - keep // 2) + 1 :]}"
    return text, size


def printable(text: str) -> str:
    """With what the standard fonts have; letters beyond them lose their accents, or become a question mark."""
    found = []
    for letter in text:
        for candidate in (letter, unicodedata.normalize("NFKD", letter)[0], "?"):
            try:
                candidate.encode("cp1252")
            except UnicodeEncodeError:
                continue
            found.append(candidate)
            break
    return "".join(found)
