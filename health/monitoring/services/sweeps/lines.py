"""The event loop of a process that sweeps, and the connections that stay open in it between two looks.

Nothing runs between two looks: the kernel keeps an eye on the connections, and what was closed meanwhile is noticed
when the next look begins. A look that finds the loop in use, as the second of two threads does, has one of its own and
keeps nothing.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import resource
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any, TypeVar

import structlog

from access.bmc import KeptBmc, kept_bmc
from drivers.ssh import KeptSsh, kept_ssh

log = structlog.get_logger(__name__)
T = TypeVar("T")

MOST_FILES = 32_768
SPARE_FILES = 400
"""What else a worker has open: databases, logs, and the sessions of a look that are not kept."""
ENDS_WITHIN_S = 2.0


@dataclass(frozen=True, slots=True)
class Lines:
    """An event loop, and room in it for what stays open; None where nothing does."""

    runner: asyncio.Runner
    ssh: KeptSsh | None = None
    bmcs: KeptBmc | None = None

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """In the context of the caller, not in that of the first look of this process."""
        return self.runner.run(work, context=copy_context())

    async def drop_old(self) -> None:
        await asyncio.sleep(0)  # the loop takes in what was closed while it stood still
        await asyncio.sleep(0)
        if self.ssh is not None and self.bmcs is not None:
            await self.ssh.close_old()
            await self.bmcs.close_old()

    async def close(self) -> None:
        if self.ssh is not None and self.bmcs is not None:
            await self.ssh.close_all()
            await self.bmcs.close_all()


class _Process:
    """What this process keeps. What a forked process inherits is its parent's: it is neither used nor closed."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.pid = 0
        self.kept: Lines | None = None
        self.inherited: list[Lines | None] = []

    def open(self) -> Lines:
        if self.kept is None or self.pid != os.getpid():
            if not self.pid:
                atexit.register(close_all)
            self.inherited.append(self.kept)
            most = _room()
            self.pid, self.kept = os.getpid(), Lines(asyncio.Runner(), kept_ssh(most), kept_bmc(most))
        return self.kept

    def close(self) -> None:
        if self.kept is not None and self.pid == os.getpid():
            kept, self.kept = self.kept, None
            with suppress(Exception):
                kept.run(kept.close())
            kept.runner.close()


_process = _Process()


@contextmanager
def lines(*, keeps: bool) -> Iterator[Lines]:
    """For one look. With `keeps` its connections are there for the next look of this process."""
    if not keeps or not _process.lock.acquire(blocking=False):
        with asyncio.Runner() as runner:
            yield Lines(runner)
        return
    try:
        kept = _process.open()
        kept.run(kept.drop_old())
        try:
            yield kept
        finally:
            if not kept.run(_ended()):
                log.warning("look_does_not_end", ssh=len(kept.ssh or ()), bmcs=len(kept.bmcs or ()))
                _process.close()
    finally:
        _process.lock.release()


def close_all() -> None:
    """Close every connection of this process, as at its end; the next look opens its own."""
    with _process.lock:
        _process.close()


def _room() -> int:
    """How many machines' connections a process may keep, two each, within its limit of open files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft < wanted and soft != resource.RLIM_INFINITY:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    allowed = wanted if soft == resource.RLIM_INFINITY else soft
    return max(0, (allowed - SPARE_FILES) // 2)


async def _ended() -> bool:
    """End the questions of a look that nobody waits for. Connections that are kept ask nothing by themselves."""
    own = asyncio.current_task()
    left = [task for task in asyncio.all_tasks() if task is not own]
    for task in left:
        task.cancel()
    if left:
        _, still = await asyncio.wait(left, timeout=ENDS_WITHIN_S)
        return not still
    return True
