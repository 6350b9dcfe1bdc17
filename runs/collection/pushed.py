"""A log that a job pushed, as a piece of evidence: its text up to a bound, compressed. Pure."""

from __future__ import annotations

import gzip
import re
import zlib
from typing import BinaryIO

from runs.collection.answer import CUT, OK, WHOLE, Piece

LARGEST = 32 << 20
"""Bytes of its text that are kept, those at the end."""
MOST_UNPACKED = 256 << 20
"""Bytes that are read of a compressed log: nobody knows before how much comes out of it."""
LEAST = 16 << 10
"""Compressed bytes below which keeping the end of a log says too little."""
BLOCK = 1 << 20
_GZIP = b"\x1f\x8b"
_UNSAFE = re.compile(r"[\x00-\x1f\x7f\u0085\u2028\u2029]")


class NotKept(Exception):
    """Why a log is refused: a sentence for who pushed it."""


def piece_of(name: str, rank: int | None, stream: BinaryIO, room: int) -> Piece:
    """The piece of a log, plain or gzip. `room`: compressed bytes that it may take. Raises NotKept.

    What is too much is left out at the beginning: how a run ended stands at the end, and lines are counted from there.
    """
    if room < LEAST:
        raise NotKept("The logs of this machine fill what is kept of it.")
    data, cut = _text_of(stream)
    packed = gzip.compress(data, 6, mtime=0)
    while len(packed) > room:
        share = min(0.9, room / len(packed))
        data, cut = _end(data, int(len(data) * share)), True
        packed = gzip.compress(data, 6, mtime=0)
    return Piece(WHOLE, rank, CUT if cut else OK, told_name(name, rank), packed)


def _text_of(stream: BinaryIO) -> tuple[bytes, bool]:
    """The text of a log, unpacked where it is compressed; whether its beginning is left out or its compressed end was
    lost on the way. Raises NotKept."""
    packed = stream.read(len(_GZIP)) == _GZIP
    stream.seek(0)
    take = gzip.GzipFile(fileobj=stream).read1 if packed else stream.read  # `read` would give nothing before damage
    kept, read, broken = bytearray(), 0, False
    try:
        while block := take(BLOCK):
            read += len(block)
            if packed and read > MOST_UNPACKED:
                raise NotKept(f"Unpacked it is more than {MOST_UNPACKED >> 20} MB: push its end alone.")
            kept += block
            if len(kept) > 2 * LARGEST:
                del kept[:-LARGEST]
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        if not kept:
            raise NotKept("It begins like gzip and cannot be unpacked.") from error
        broken = True
    return _end(bytes(kept), LARGEST), broken or read > LARGEST


def told_name(name: str, rank: int | None) -> str:
    """How the log is called: every rank may call its own `stdout.log`."""
    safe = _UNSAFE.sub(" ", name).strip()[-200:] or "log"
    return safe if rank is None else f"rank_{rank}/{safe}"


def _end(data: bytes, size: int) -> bytes:
    """The last bytes, from the beginning of a line on."""
    if len(data) <= size:
        return data
    begin = len(data) - size
    line = data.find(b"\n", begin)
    return data[line + 1 :] if 0 <= line < len(data) - 1 else data[begin:]
