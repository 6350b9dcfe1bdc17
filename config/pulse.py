"""A sign of life on disk: every long-running process touches the file RACKSIDE_PULSE_FILE while its loop turns.

The supervisor takes the first touch as "ready"; a container's health check (`config.healthcheck`) takes a
recent one as "healthy". Neither needs the broker or the database, so a check costs next to nothing.
"""

from __future__ import annotations

import os
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


class PulsingScheduler(beat.PersistentScheduler):
    """Beat's usual scheduler; touches the pulse at each tick and ticks at least every few seconds."""

    def tick(self, *args: Any, **kwargs: Any) -> float:
        touch()
        return float(min(super().tick(*args, **kwargs), LONGEST_TICK_S))
