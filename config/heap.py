"""Keeps what a process loads at its start out of every later garbage collection, and its memory small.

A full collection walks every object that is alive, and after the start these are mostly modules, models, routes and
serializers that live as long as the process: hundreds of thousands of objects, tenths of a second in the middle of some
request. `gc.freeze` sets them aside for good, so a collection walks only what requests made. `./rackside bench` shows
the difference; RACKSIDE_FREEZE_HEAP=0 is for measuring it.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import time
from asyncio import sslproto

THRESHOLDS = (10_000, 20, 50)
"""Requests make thousands of objects that go by counting alone, so the young generation need not look every 700.

With 50,000 each look took 20 to 25 ms, in the middle of some request; with 10,000 at most 5, and the least in all.
"""


def freeze() -> None:
    """Collect once, set aside what is left, and look less often from now on."""
    if os.environ.get("RACKSIDE_FREEZE_HEAP", "1") == "0":
        return
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)


def freeze_before_fork(**_: object) -> None:
    """Receiver of Celery's `worker_before_create_process`: the child shares the parent's pages, which never change."""
    freeze()


# ---- what the C library keeps ----
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8  # mallopt(3)
ARENAS = 2
LARGE_BYTES = 512 * 1024
"""What is larger goes back to the system as soon as it is freed. Left to itself the C library raises that limit to
32 MB with the first large answer, and what is freed later stays with the process; reads from sockets are below it."""
TLS_BUFFER_BYTES = 16 * 1024
"""The longest record. The 256 kB of asyncio are written with zeros and kept for each open BMC on both sides."""
GIVE_BACK_EVERY_S = 20.0


def few_arenas(**_: object) -> None:
    """Let all threads allocate from few arenas: with one for each thread, what one frees no other one uses again.

    Nothing where the C library is not glibc. To be called before threads are started.
    """
    with contextlib.suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        library.mallopt(M_ARENA_MAX, ARENAS)
        library.mallopt(M_MMAP_THRESHOLD, LARGE_BYTES)
        library.mallopt(M_TRIM_THRESHOLD, LARGE_BYTES)


def small_tls_buffers(**_: object) -> None:
    """Let connections of asyncio over TLS that are opened from now on keep a small buffer each."""
    sslproto.SSLProtocol.max_size = TLS_BUFFER_BYTES


class GiveBack:
    """Receiver of Celery's `task_postrun`: free memory goes back to the system, now and then.

    A discovery run of a large fabric needs hundreds of megabytes for a second, which its worker would keep for ever.
    """

    def __init__(self) -> None:
        self.at = 0.0

    def __call__(self, **_: object) -> None:
        now = time.monotonic()
        if now - self.at >= GIVE_BACK_EVERY_S:
            self.at = now
            with contextlib.suppress(OSError, AttributeError):
                ctypes.CDLL(None).malloc_trim(0)


give_back = GiveBack()
