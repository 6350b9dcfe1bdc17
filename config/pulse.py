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


def worker_lives(sender: Any = None, **_: Any) -> None:
    """The same for the watchdog, by the queue that the worker serves: it is called QUEUE@HOST."""
    from live import pulse  # not before a process lives: the launcher loads this module, too

    touch()
    name = getattr(getattr(sender, "eventer", None), "hostname", None) or str(getattr(sender, "hostname", "") or "")
    if name:
        pulse.say(f"worker:{name.partition('@')[0]}")


worker_ready.connect(touch)
heartbeat_sent.connect(worker_lives)  # every few seconds, from the worker's event loop


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
        from live import pulse  # as above

        touch()
        pulse.say("beat")
        return float(min(super().tick(*args, **kwargs), LONGEST_TICK_S))
