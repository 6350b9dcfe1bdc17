"""Large batches without the garbage collector."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """For a batch that makes some hundred thousand small objects and no cycles: the collector would walk them again and
    again while they grow, and so each costs more the more there are. What is not used any more goes all the same, by
    counting. Also as `@no_garbage_collection()`."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
