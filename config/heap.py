"""Keeps what a process loads at its start out of every later garbage collection.

A full collection walks every object that is alive, and after the start these are mostly modules, models, routes and
serializers that live as long as the process: hundreds of thousands of objects, tenths of a second in the middle of some
request. `gc.freeze` sets them aside for good, so a collection walks only what requests made. `./rackside bench` shows
the difference; RACKSIDE_FREEZE_HEAP=0 is for measuring it.
"""

from __future__ import annotations

import gc
import os

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
