"""Pictures that people send, read where they can do no harm: in a small process, a few at a time on the whole server.

A picture of seven kilobytes may unfold to hundreds of megabytes. Its header is judged first; what passes is unfolded by
`worker` under limits of memory and time that the kernel keeps, never in the process that answers requests.
"""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import structlog
from django.conf import settings
from django.db import connection

from core.errors import Busy
from core.pictures.worker import IMAGE_FORMATS

log = structlog.get_logger(__name__)
WORKER = Path(__file__).with_name("worker.py")
MAX_PIXELS = 50_000_000  # a picture of a telephone has up to 50 million
MEMORY_BYTES = 640 * 2**20
"""Address space of one worker: two pictures of `MAX_PIXELS` in colour, one as it is turned, and Pillow itself."""
CPU_S, WALL_S = 20, 40
AT_ONCE = 2
"""Workers at the same time, in all processes that share the folder of attachments."""
PATIENCE_S = 30.0
POLL_S = 0.05


class PictureRefused(ValueError):
    """The picture is not kept; the text says why."""

    def __init__(self, reason: str, *, too_large: bool = False) -> None:
        super().__init__(reason)
        self.too_large = too_large


@dataclass(frozen=True)
class Picture:
    """A picture upright and without what its camera wrote into it, and a small JPEG of it."""

    content: bytes
    mime: str
    width: int
    height: int
    thumbnail: bytes


def read(content: bytes, max_pixels: int = MAX_PIXELS) -> Picture | None:
    """The picture written anew; None when it is of no format that is kept. Raises PictureRefused, and Busy when too
    many others are being read."""
    if not _looks_like_one(content):
        return None
    _let_go_of_the_database()
    with _slot():
        answer = _work(content, max_pixels)
    head, _, rest = answer.partition(b"\n")
    told = json.loads(head)
    if "refused" in told:
        raise PictureRefused(told["refused"], too_large=told["too_large"])
    if not told["known"]:
        return None
    thumbnail, picture = rest[: told["thumbnail"]], rest[told["thumbnail"] :]
    if len(picture) != told["content"]:
        raise PictureRefused("The picture could not be read.")
    return Picture(picture, IMAGE_FORMATS[told["format"]], told["width"], told["height"], thumbnail)


def _let_go_of_the_database() -> None:
    """A picture may take a minute, in which nothing is asked: others get the connection. A transaction keeps it."""
    if not connection.in_atomic_block:
        connection.close()


def _looks_like_one(content: bytes) -> bool:
    """By its first bytes, so that no process is started for a log."""
    return content.startswith((b"\xff\xd8", b"\x89PNG\r\n\x1a\n")) or (
        content[:4] == b"RIFF" and content[8:12] == b"WEBP"
    )


def _work(content: bytes, max_pixels: int) -> bytes:
    """The worker's answer. Raises PictureRefused for one that was stopped by its limits."""
    words = [sys.executable, "-I", str(WORKER), str(MEMORY_BYTES), str(CPU_S), str(max_pixels)]
    try:
        done = subprocess.run(
            words, input=content, capture_output=True, timeout=WALL_S, check=False, env={"LC_ALL": "C.UTF-8"}
        )
    except subprocess.TimeoutExpired as error:
        raise PictureRefused("The picture takes too long to be read.", too_large=True) from error
    if done.returncode or b"\n" not in done.stdout:
        log.warning("picture_worker_died", status=done.returncode, said=done.stderr[-500:].decode("utf-8", "replace"))
        raise PictureRefused("The picture takes too much memory or time to be read.", too_large=True)
    return done.stdout


@contextmanager
def _slot() -> Iterator[None]:
    """One of the places for workers, held by a lock on a file, which the kernel gives back whatever happens.

    Raises Busy when none is free within PATIENCE_S.
    """
    folder = Path(settings.MEDIA_ROOT)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    until = time.monotonic() + PATIENCE_S
    while True:
        for number in range(AT_ONCE):
            handle = os.open(folder / f".reading-{number}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(handle)
                continue
            try:
                yield
                return
            finally:
                os.close(handle)
        if time.monotonic() >= until:
            raise Busy("Other pictures are being read. Send it again.")
        time.sleep(POLL_S)
