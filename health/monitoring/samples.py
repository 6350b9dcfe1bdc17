"""How a look at a machine is kept in the history: every verdict and measured value in about 130 bytes. Pure.

A machine of 432 places has a hundred values, most of them zeros and whole numbers; as an array of floats beside a byte
for each verdict they took a kilobyte, too little for PostgreSQL to compress by itself. Here they are one deflated text:
a byte for each place of the layout (the verdict's code, HAS_VALUE added where a value follows), then the values as a
JSON list in the order of their places.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import orjson

MARK = b"\xff"
"""How a packed look begins. Older rows are the codes alone, none of which is so large, and have no values here."""
HAS_VALUE = 0x80
LARGEST_WHOLE = 2.0**53
LEVEL, WINDOW_BITS, MEMORY = 9, -12, 5
"""Of deflate: a smaller window than usual, as a look is small and the state of each is made anew."""


def pack(codes: bytes, values: Sequence[float | None]) -> bytes:
    """Verdict codes and values (None: none), one of each for every place. Values keep seven digits."""
    flags = bytes(HAS_VALUE if value is not None else 0 for value in values)
    places = (int.from_bytes(codes) | int.from_bytes(flags)).to_bytes(len(codes))
    numbers = [_short(value) for value in values if value is not None]
    deflate = zlib.compressobj(LEVEL, zlib.DEFLATED, WINDOW_BITS, MEMORY)
    return MARK + deflate.compress(places + orjson.dumps(numbers)) + deflate.flush()


def _short(value: float) -> float | int:
    return int(value) if abs(value) < LARGEST_WHOLE and value == int(value) else float(f"{value:.7g}")


def codes(packed: bytes, count: int) -> bytes:
    """The verdict codes of a look at `count` places."""
    if not packed.startswith(MARK):
        return packed
    return bytes(place & ~HAS_VALUE for place in _inflated(packed)[:count])


def values(packed: bytes, count: int) -> list[float | None]:
    """The measured values of a look at `count` places; all None for a row that was written before they stood here."""
    if not packed.startswith(MARK):
        return [None] * count
    text = _inflated(packed)
    numbers = iter(orjson.loads(text[count:]))
    return [next(numbers) if place & HAS_VALUE else None for place in text[:count]]


def _inflated(packed: bytes) -> bytes:
    return zlib.decompress(packed[len(MARK) :], WINDOW_BITS)
