"""A rack drawn from the floor up with the units to close: what a technician holds beside the rack. Pure."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont

UNIT_PX, WIDTH_PX, LEFT_PX, MARGIN_PX = 24, 520, 64, 24
INK, PAPER, DEVICE, PANEL, CLOSE = "#1b2430", "#ffffff", "#dbe4f0", "#eef1f5", "#f6c344"


class Item(NamedTuple):
    """What stands in these units; `kind` is machine, switch, other, panel or open."""

    from_u: int
    to_u: int
    kind: str
    name: str = ""


def draw(title: str, height_u: int, items: Iterable[Item], from_u: int, to_u: int) -> bytes:
    """PNG. The units to close are marked, hatched and named, so that a black and white print tells them too."""
    top = MARGIN_PX + 2 * UNIT_PX
    image = Image.new("RGB", (LEFT_PX + WIDTH_PX + MARGIN_PX, top + height_u * UNIT_PX + MARGIN_PX), PAPER)
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(16)
    pen.text((MARGIN_PX, MARGIN_PX), title, fill=INK, font=ImageFont.load_default(20))
    pen.rectangle((LEFT_PX, top, LEFT_PX + WIDTH_PX, top + height_u * UNIT_PX), outline=INK, width=2)

    def box(low: int, high: int) -> tuple[int, int, int, int]:
        return (LEFT_PX, top + (height_u - high) * UNIT_PX, LEFT_PX + WIDTH_PX, top + (height_u - low + 1) * UNIT_PX)

    for item in items:
        if item.kind == "open":
            continue
        fill = PANEL if item.kind == "panel" else DEVICE
        pen.rectangle(box(item.from_u, item.to_u), fill=fill, outline=INK)
        pen.text((LEFT_PX + 12, box(item.from_u, item.to_u)[1] + 3), item.name or "panel", fill=INK, font=font)
    left, high, right, low = box(from_u, to_u)
    pen.rectangle((left, high, right, low), fill=CLOSE, outline=INK, width=3)
    for x in range(left - (low - high), right, 18):
        start, end = max(x, left), min(x + low - high, right)
        pen.line((start, low - (start - x), end, low - (end - x)), fill=INK)
    words = f"  Close U{from_u} to U{to_u}  " if to_u > from_u else f"  Close U{from_u}  "
    length = pen.textlength(words, font=font)
    pen.rectangle((left + 8, high + 2, left + 8 + length, high + 22), fill=PAPER)
    pen.text((left + 8, high + 3), words, fill=INK, font=font)
    for unit in range(1, height_u + 1):
        if unit in (1, from_u, to_u) or unit % 4 == 0:
            pen.text((MARGIN_PX, box(unit, unit)[1] + 3), str(unit), fill=INK, font=font)
    written = io.BytesIO()
    image.save(written, "PNG", optimize=True)
    return written.getvalue()
