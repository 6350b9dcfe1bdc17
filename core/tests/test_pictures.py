"""What a picture may cost: bombs of each kind are refused in words, and several at once stay bounded."""

from __future__ import annotations

import io
import json
import os
import struct
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.transaction import atomic
from PIL import Image

from core.errors import Busy
from core.files import FileRefused, examine
from core.pictures import images
from core.pictures.images import PictureRefused, read

MIB = 2**20
SIDE = 7_000  # within the limit of pixels: this one is unfolded


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings: Any) -> None:
    settings.MEDIA_ROOT = tmp_path


def made(format_: str, mode: str, size: tuple[int, int], **options: Any) -> bytes:
    target = io.BytesIO()
    Image.new(mode, size).save(target, format_, **options)
    return target.getvalue()


def header_only(width: int, height: int) -> bytes:
    """A PNG that promises a size and has nothing."""
    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    chunk = b"IHDR" + head
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", len(head)) + chunk + struct.pack(">I", zlib.crc32(chunk))


def webp_canvas(side: int) -> bytes:
    """An animated WebP whose canvas is large and whose frames are not."""
    body = made("WEBP", "RGB", (16, 16), save_all=True, append_images=[Image.new("RGB", (16, 16), "red")])
    at = body.index(b"VP8X") + 8 + 4
    return body[:at] + (side - 1).to_bytes(3, "little") * 2 + body[at + 6 :]


def text_bomb() -> bytes:
    """A PNG with a compressed comment of hundreds of megabytes."""
    body = made("PNG", "RGB", (8, 8))
    chunk = b"zTXt" + b"k\0\0" + zlib.compress(b"\0" * (300 * MIB), 9)
    framed = struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
    return body[:33] + framed + body[33:]


REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "7,700 x 7,700 in seven kilobytes": (lambda: made("PNG", "1", (7_700, 7_700)), "50 million pixels"),
    "a header of two thousand million": (lambda: header_only(2**31 - 1, 2**31 - 1), "million pixels|Only pictures"),
    "a line of endless width": (lambda: header_only(2**31 - 1, 1), "million pixels|Only pictures"),
    "a JPEG": (lambda: made("JPEG", "L", (12_000, 12_000)), "million pixels"),
    "an animation of a large canvas": (lambda: webp_canvas(16_000), "million pixels|memory|broken"),
    "a comment that unfolds": (text_bomb, "broken|memory"),
}


@pytest.fixture
def peak(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], int]]:
    """The largest memory in use of any worker so far, in bytes, as each told when it ended."""
    peaks: list[int] = []
    real = subprocess.run

    def run(words: list[str], **options: Any) -> Any:
        told = "import runpy,sys; path=sys.argv.pop(1); sys.argv[0]=path\n"
        told += "try: runpy.run_path(path, run_name='__main__')\n"
        told += "finally: sys.stderr.write('PEAK '+open('/proc/self/status').read().split('VmHWM:')[1].split()[0])\n"
        done = real([words[0], "-I", "-c", told, *words[2:]], **options)
        peaks.extend(int(part.split()[0]) * 1024 for part in done.stderr.decode("utf-8", "replace").split("PEAK ")[1:])
        return done

    monkeypatch.setattr(images.subprocess, "run", run)
    yield lambda: max(peaks)


@pytest.mark.slow
@pytest.mark.parametrize(("make", "reason"), REFUSED.values(), ids=REFUSED)
def test_a_bomb_is_refused_in_words_and_costs_less_than_a_hundred_megabytes(
    make: Callable[[], bytes], reason: str, peak: Callable[[], int]
) -> None:
    with pytest.raises(FileRefused, match=reason):
        examine(io.BytesIO(make()), max_bytes=20 * MIB)
    assert peak() < 100 * MIB


@pytest.mark.slow
@pytest.mark.parametrize(
    ("format_", "mode", "options"),
    [
        ("PNG", "RGBA", {"compress_level": 1}),
        pytest.param("JPEG", "CMYK", {}, marks=pytest.mark.slow),
        pytest.param("WEBP", "RGB", {"method": 0}, marks=pytest.mark.slow),
        # Fewer bytes for each pixel.
        *(pytest.param(*each, {}, marks=pytest.mark.slow)
          for each in (("PNG", "1"), ("PNG", "P"), ("PNG", "I;16"), ("JPEG", "RGB"))),
    ],
)  # fmt: skip
def test_the_largest_picture_that_is_taken_stays_within_its_limit(
    format_: str, mode: str, options: dict[str, Any], peak: Callable[[], int]
) -> None:
    side = 5_000 if format_ == "WEBP" else SIDE
    found = read(made(format_, mode, (side, side), **options))
    assert found is not None and found.width == side
    assert peak() < images.MEMORY_BYTES < 700 * MIB


@pytest.mark.slow
def test_a_worker_that_needs_more_than_it_may_have_ends_in_words_and_harms_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(images, "MEMORY_BYTES", 160 * MIB)
    with pytest.raises(PictureRefused, match="memory") as refusal:
        read(made("PNG", "RGB", (SIDE, SIDE)))
    assert refusal.value.too_large
    monkeypatch.setattr(images, "MEMORY_BYTES", 1 * MIB)
    with pytest.raises(PictureRefused):
        read(made("PNG", "RGB", (8, 8)))


@pytest.mark.django_db(transaction=True)
def test_a_picture_that_is_read_holds_no_connection_to_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[bool] = []

    def refusing(*_: object) -> bytes:
        held.append(connection.connection is not None)
        raise PictureRefused("enough")

    monkeypatch.setattr(images, "_work", refusing)
    for transaction_is_open in (False, True):
        connection.ensure_connection()
        with atomic() if transaction_is_open else nullcontext(), pytest.raises(PictureRefused):
            read(made("PNG", "RGB", (8, 8)))
    assert held == [False, True], "a transaction keeps its connection"


def test_a_worker_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "WALL_S", 0.05)
    begun = time.monotonic()
    with pytest.raises(PictureRefused, match="too long"):
        read(made("PNG", "RGB", (SIDE, SIDE)))
    assert time.monotonic() - begun < 10


@pytest.mark.slow
def test_four_at_once_are_two_at_once_and_this_process_does_not_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    running, most, guard = 0, 0, threading.Lock()
    real = images._work

    def work(content: bytes, max_pixels: int) -> bytes:
        nonlocal running, most
        with guard:
            running += 1
            most = max(most, running)
        try:
            return real(content, max_pixels)
        finally:
            with guard:
                running -= 1

    monkeypatch.setattr(images, "_work", work)
    bomb = made("PNG", "1", (SIDE, SIDE))
    assert len(bomb) < 10_000
    before = resident()
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(read(bomb))) for _ in range(4)]
    for thread in threads:
        thread.start()
    largest = 0
    while any(thread.is_alive() for thread in threads):
        largest = max(largest, resident())
        time.sleep(0.02)
    assert [each.width for each in found] == [SIDE] * 4
    assert most == images.AT_ONCE
    assert largest - before < 50 * MIB


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_other_processes_count_and_who_waits_too_long_is_told_to_come_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    holding = (
        "import fcntl,sys,time; files=[open(sys.argv[1]+'/.reading-%d' % n,'w') for n in range(2)]\n"
        "[fcntl.flock(f, fcntl.LOCK_EX) for f in files]; print('held', flush=True); time.sleep(60)"
    )
    other = subprocess.Popen([sys.executable, "-c", holding, str(tmp_path)], stdout=subprocess.PIPE)
    try:
        assert other.stdout and other.stdout.readline() == b"held\n"
        monkeypatch.setattr(images, "PATIENCE_S", 0.2)
        with pytest.raises(Busy):
            read(made("PNG", "RGB", (8, 8)))
    finally:
        other.kill()
        other.wait()
    assert read(made("PNG", "RGB", (8, 8))) is not None  # a lock of a process that died is free again


def test_a_log_starts_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "_work", lambda *args: pytest.fail("a worker was started"))
    assert read(b"Xid 79") is None and read(b"") is None


def test_what_the_worker_says_is_believed_only_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    head = {"known": True, "format": "PNG", "width": 1, "height": 1, "thumbnail": 1, "content": 9}
    monkeypatch.setattr(images, "_work", lambda *args: json.dumps(head).encode() + b"\nab")
    with pytest.raises(PictureRefused):
        read(made("PNG", "RGB", (1, 1)))
