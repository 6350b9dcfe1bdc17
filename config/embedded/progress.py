"""What the person at the terminal sees: one line per step with how long it took.

Standard library only and no import of ours, because `./rackside` loads this file before the virtual environment exists.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from types import TracebackType
from typing import TextIO

SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
STILL_WORKING_S = 15.0
REDRAW_S = 0.1


class LaunchError(Exception):
    """Something the person can act on: what failed, and what to do about it."""

    def __init__(self, what: str, todo: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.todo = todo

    def __str__(self) -> str:
        return f"{self.what}\n  {self.todo}" if self.todo else self.what


class Step:
    """One line of progress; `tick` is called while it runs, `note` sets the words behind the duration."""

    def __init__(self, progress: Progress, title: str) -> None:
        self.progress = progress
        self.title = title
        self.detail = ""
        self.began = time.monotonic()
        self._drawn = 0.0
        self._told = self.began

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    def note(self, detail: str) -> None:
        self.detail = detail

    def tick(self) -> None:
        """Redraw the spinner on a terminal; elsewhere say every now and then that work goes on."""
        now = time.monotonic()
        if self.progress.live:
            if now - self._drawn >= REDRAW_S:
                self._drawn = now
                frame = SPINNER[int(now / REDRAW_S) % len(SPINNER)]
                self.progress.draw(f"  {frame} {self.title} {self.seconds:5.1f} s  {self.detail}")
        elif now - self._told >= STILL_WORKING_S:
            self._told = now
            self.progress.line(f"  .. {self.title}: still working, {self.seconds:.0f} s  {self.detail}".rstrip())

    def __enter__(self) -> Step:
        self.progress.current = self
        self.tick()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.progress.current = None
        mark = "ok" if error is None else "--" if isinstance(error, KeyboardInterrupt) else "!!"
        self.progress.line(f"  {mark} {self.title:<34} {self.seconds:6.1f} s  {self.detail}".rstrip())


class Progress:
    """Writes steps to a terminal (with a spinner) or to a plain stream (one line per step)."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream or sys.stdout
        encoding = (getattr(self.stream, "encoding", "") or "").lower()
        self.live = self.stream.isatty() and "utf" in encoding
        self.current: Step | None = None
        self._on_screen = False

    def step(self, title: str) -> Step:
        return Step(self, title)

    def tick(self) -> None:
        if self.current is not None:
            self.current.tick()

    def line(self, text: str = "") -> None:
        """Write a whole line; a closed terminal is no reason to stop the services in disorder."""
        with contextlib.suppress(OSError, ValueError):
            self.stream.write(("\r\033[K" if self._on_screen else "") + text + "\n")
            self.stream.flush()
        self._on_screen = False

    def draw(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):
            self.stream.write(f"\r\033[K{text[:100]}")
            self.stream.flush()
            self._on_screen = True


@contextlib.contextmanager
def errors_as_exit_status(progress: Progress) -> Iterator[None]:
    """Turn a LaunchError into words and exit status 1, Ctrl-C into 130."""
    try:
        yield
    except LaunchError as error:
        progress.line(f"\nrackside: {error}")
        raise SystemExit(1) from error
    except KeyboardInterrupt as error:
        progress.line("\nrackside: stopped.")
        raise SystemExit(130) from error
