"""Steps of a run in few bytes: a year at one step a second stays within 200 MB. Pure.

Columns are stored one after another, each value as its difference to what was to be expected, the bytes of equal rank
together, and all of it through zlib. Kept are a step's number, its end in milliseconds, its duration in tenths of a
millisecond, its loss in three to four figures and its tokens.
"""

from __future__ import annotations

import math
import struct
import sys
import zlib
from array import array
from collections.abc import Sequence
from typing import NamedTuple

VERSION = 1
_HEAD = struct.Struct("<BIqqq")
"""Version, count, first step, first end (ms since 1970), tokens of the first step."""
_NO_LOSS = -1
_MANTISSA = 12
"""Bits of the loss's fraction that are kept: one part in 4,096."""


class Timed(NamedTuple):
    """One step: its number, when it ended (seconds since 1970), how long it took, its loss or None, its tokens."""

    step: int
    at: float
    seconds: float
    loss: float | None = None
    tokens: int = 0


def pack(steps: Sequence[Timed]) -> bytes:
    """The steps in the order given; at least one."""
    first = steps[0]
    at_ms = [round(step.at * 1000) for step in steps]
    numbers, ends, spans, losses, tokens = array("i"), array("i"), array("I"), array("i"), array("i")
    for index, step in enumerate(steps):
        before = steps[index - 1] if index else step
        span = min(max(round(step.seconds * 10_000), 0), 2**32 - 1)
        numbers.append(_small(step.step - before.step - 1 if index else 0))
        ends.append(_small(at_ms[index] - at_ms[index - 1] - round(span / 10) if index else 0))
        spans.append(span)
        losses.append(_coarse(step.loss))
        tokens.append(_small(step.tokens - before.tokens))
    body = b"".join(_shuffled(column) for column in (numbers, ends, spans, losses, tokens))
    return _HEAD.pack(VERSION, len(steps), first.step, at_ms[0], first.tokens) + zlib.compress(body, 6)


def unpack(data: bytes) -> list[Timed]:
    """What `pack` was given, as exact as it keeps it. Raises ValueError where the bytes are not whole."""
    try:
        version, count, step, at_ms, tokens = _HEAD.unpack_from(data)
        body = zlib.decompress(data[_HEAD.size :])
    except (struct.error, zlib.error) as error:
        raise ValueError(f"a piece of steps that is not whole: {error}") from error
    if version != VERSION or len(body) != count * 20:
        raise ValueError(f"a piece of steps of version {version} with {len(body)} bytes for {count} steps")
    size = count * 4
    columns = [_ordered(code, body[index * size : (index + 1) * size]) for index, code in enumerate("iiIii")]
    found = []
    for index, (number, end, span, loss, more) in enumerate(zip(*columns, strict=True)):
        if index:
            step, at_ms, tokens = step + number + 1, at_ms + end + round(span / 10), tokens + more
        found.append(Timed(step, at_ms / 1000, span / 10_000, _fine(loss), tokens))
    return found


def _small(value: int) -> int:
    return max(-(2**31), min(2**31 - 1, value))


def _coarse(loss: float | None) -> int:
    """The bits of a float32 without the last of its fraction; -1 (a NaN that no computation makes) for none."""
    if loss is None:
        return _NO_LOSS
    if not math.isfinite(loss):
        loss = math.nan
    bits: int = struct.unpack("<i", struct.pack("<f", max(min(loss, 3e38), -3e38) if loss == loss else loss))[0]
    return bits & ~((1 << (23 - _MANTISSA)) - 1)


def _fine(bits: int) -> float | None:
    if bits == _NO_LOSS:
        return None
    value: float = struct.unpack("<f", struct.pack("<i", bits))[0]
    return value


def _shuffled(column: array[int]) -> bytes:
    if sys.byteorder == "big":
        column.byteswap()
    data = column.tobytes()
    return b"".join(data[index::4] for index in range(4))


def _ordered(code: str, data: bytes) -> array[int]:
    size = len(data) // 4
    mixed = bytearray(len(data))
    for index in range(4):
        mixed[index::4] = data[index * size : (index + 1) * size]
    column = array(code)
    column.frombytes(bytes(mixed))
    if sys.byteorder == "big":
        column.byteswap()
    return column
