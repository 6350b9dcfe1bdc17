"""A sign of life on disk: every long-running process touches the file RACKSIDE_PULSE_FILE while its loop turns.

The supervisor takes the first touch as "ready"; a container's health check (`config.healthcheck`) takes a
recent one as "healthy". Neither needs the broker or the database, so a check costs next to nothing.
"""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from typing import Any

from celery import beat
from celery.signals import heartbeat_sent, worker_ready

LONGEST_TICK_S = 10.0


def touch(**_: Any) -> None:
    """Say that the loop of this process turned."""
    path = os.environ.get("RACKSIDE_PULSE_FILE")
    if path:
        Path(path).touch()


worker_ready.connect(touch)
heartbeat_sent.connect(touch)  # every few seconds, from the worker's event loop


class PulsingScheduler(beat.Scheduler):
    """Beat without a file: every periodic task is sent once at the start, then at its interval.

    The usual scheduler remembers in a shelf when it ran last; a kill while that is written can leave one that no later
    start can read. Periodic tasks are safe to send twice, so nothing has to be remembered. Each tick touches the pulse.
    """

    def setup_schedule(self) -> None:
        super().setup_schedule()
        for entry in self.data.values():
            entry.last_run_at = entry.default_now() - timedelta(days=1)

    def tick(self, *args: Any, **kwargs: Any) -> float:
        touch()
        return float(min(super().tick(*args, **kwargs), LONGEST_TICK_S))
