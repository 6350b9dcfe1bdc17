"""What the kernel does for a supervisor: end a child with its parent, and hand over the child of another process."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
_libc = ctypes.CDLL(None, use_errno=True)


def die_with(parent: int, stop_signal: int) -> None:
    """Called in a child: it gets this signal when its parent dies. A change of its user would clear that again."""
    _libc.prctl(PR_SET_PDEATHSIG, stop_signal, 0, 0, 0)
    if os.getppid() != parent:  # it died before the line above
        os._exit(1)


@contextmanager
def adopting() -> Iterator[None]:
    """Processes below us whose parent ends meanwhile become our children instead of those of process 1."""
    _libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        _libc.prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
