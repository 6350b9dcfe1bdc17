"""A sign of life of long work, written by a thread with its own connection: seen while the work is uncommitted."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Self

import structlog
from django.db import connection

log = structlog.get_logger(__name__)


class Heartbeat:
    """Calls `beat` at once and every `every_s` seconds, for as long as the block runs."""

    def __init__(self, name: str, beat: Callable[[], object], every_s: float) -> None:
        self._say, self._every_s = beat, every_s
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._beat, name=name, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(timeout=10)

    def _beat(self) -> None:
        try:
            while True:
                self._say()
                if self._stop.wait(self._every_s):
                    return
        except Exception:  # the work goes on without being heard
            log.exception("heartbeat_lost", work=self._thread.name)
        finally:
            connection.close()
