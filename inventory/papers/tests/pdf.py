"""Reads back a PDF as our labels are drawn: pages, texts, and the dark modules of the codes. For tests only."""

from __future__ import annotations

import base64
import re
import zlib
from dataclasses import dataclass

import segno

STREAM = re.compile(rb"<<([^>]*?)>>\s*stream\r?\n(.*?)\r?\n?endstream", re.DOTALL)
TEXT = re.compile(rb"\(((?:[^()\\]|\\.)*)\) Tj")
ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
MATRIX = rb"([-\d.]+) 0 0 [-\d.]+ ([-\d.]+) ([-\d.]+) cm"
CODE = re.compile(MATRIX + rb"\s+((?:\d+ \d+ \d+ 1 re )+f)")


@dataclass
class Code:
    """A QR code as drawn: the lower left corner of its first module, the size of one, and which are dark."""

    left: float
    bottom: float
    module: float
    modules: tuple[tuple[bool, ...], ...]

    def says(self, url: str) -> bool:
        """Whether a standard encoder, given the address, makes these very modules with one of the eight masks."""
        for mask in range(8):
            made = segno.make(url, error="m", micro=False, boost_error=False, mask=mask).matrix
            if tuple(tuple(map(bool, row)) for row in made) == self.modules:
                return True
        return False


@dataclass
class Page:
    width: float
    height: float
    texts: list[str]
    codes: list[Code]


def pages(content: bytes) -> list[Page]:
    """The pages of a PDF in order."""
    assert content.startswith(b"%PDF-") and b"%%EOF" in content[-32:]
    boxes = [tuple(map(float, box.split())) for box in re.findall(rb"/MediaBox \[ ([\d. ]+) \]", content)]
    streams = [_decode(head, body) for head, body in STREAM.findall(content)]
    drawn = [stream for stream in streams if b" cm" in stream or b" Tj" in stream]
    assert len(boxes) == len(drawn) == len(re.findall(rb"/Type /Page\b", content))
    return [Page(box[2], box[3], *_drawn(stream)) for box, stream in zip(boxes, drawn, strict=True)]


def _drawn(stream: bytes) -> tuple[list[str], list[Code]]:
    return [_text(raw) for raw in TEXT.findall(stream)], [_code(*found) for found in CODE.findall(stream)]


def _decode(head: bytes, body: bytes) -> bytes:
    if b"/ASCII85Decode" in head:
        body = base64.a85decode(body.strip().removesuffix(b"~>"))
    return zlib.decompress(body) if b"/FlateDecode" in head else body


def _text(raw: bytes) -> str:
    plain = ESCAPE.sub(lambda found: bytes([int(found[1], 8)]) if len(found[1]) == 3 else found[1], raw)
    return plain.decode("cp1252")


def _code(module: bytes, left: bytes, bottom: bytes, drawing: bytes) -> Code:
    runs = [tuple(map(int, run)) for run in re.findall(rb"(\d+) (\d+) (\d+) 1 re", drawing)]
    size = max(row for _, row, _ in runs) + 1
    modules = [[False] * size for _ in range(size)]
    for column, row, length in runs:
        for at in range(column, column + length):
            modules[size - 1 - row][at] = True
    return Code(float(left), float(bottom), float(module), tuple(map(tuple, modules)))
