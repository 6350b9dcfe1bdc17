"""The guard: a small process that outlives a killed supervisor and stops its children.

The parent-death signal of the kernel reaches only direct children, not the pool processes of a Celery worker. The guard
knows every process group; when the supervisor's end of the pipe closes without a goodbye it stops them all. It holds
the data folder's lock (inherited) until it is done, so a new start waits for it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time

PATIENCE_S = 12.0
ORPHAN_PATIENCE_S = 5.0  # nobody waits for their tasks any more; what they held is delivered again
GOODBYE = "goodbye"


def signal_group(group: int, number: int) -> bool:
    """Send a signal to a process group; False when it has no member left."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def stop_groups(groups: dict[int, int], patience_s: float) -> None:
    """Send each group (id -> signal) its stop signal, wait, then kill what is left."""
    for group, stop_signal in reversed(groups.items()):
        signal_group(group, stop_signal)
    deadline = time.monotonic() + patience_s
    while time.monotonic() < deadline and any(signal_group(group, 0) for group in groups):
        time.sleep(0.1)
    for group in groups:
        signal_group(group, signal.SIGKILL)


class Guard:
    """The supervisor's side: `start` it before any child, `watch` each group, `dismiss` it after an orderly stop."""

    def __init__(self) -> None:
        self._pid = 0
        self._pipe = -1

    def start(self) -> None:
        reader, writer = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            os.close(writer)
            try:
                _guard(reader)
            finally:
                os._exit(0)
        os.close(reader)
        self._pipe = writer

    def watch(self, group: int, stop_signal: int) -> None:
        self._tell(f"{group} {int(stop_signal)}")

    def forget(self, group: int) -> None:
        """The group has ended; its number may belong to somebody else soon."""
        self._tell(f"{group} 0")

    def dismiss(self) -> None:
        if self._pipe < 0:
            return
        self._tell(GOODBYE)
        os.close(self._pipe)
        self._pipe = -1
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self._pid, 0)

    def _tell(self, line: str) -> None:
        with contextlib.suppress(BrokenPipeError):
            os.write(self._pipe, f"{line}\n".encode())


def _guard(reader: int) -> None:
    """Read groups until the pipe closes; stop them unless the supervisor said goodbye."""
    os.setpgid(0, 0)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    groups: dict[int, int] = {}
    with os.fdopen(reader) as lines:
        for line in lines:
            if line.strip() == GOODBYE:
                return
            group, stop_signal = map(int, line.split())
            groups.pop(group, None)
            if stop_signal:
                groups[group] = stop_signal
    stop_groups(groups, ORPHAN_PATIENCE_S)
