"""A sign of life on disk: every long-running process touches the file RACKSIDE_PULSE_FILE while its loop turns.

The supervisor takes the first touch as "ready"; a container's health check (`config.healthcheck`) takes a
recent one as "healthy". Neither needs the broker or the database, so a check costs next to nothing.
"""

from __future__ import annotations

from typing import Any

import structlog
from celery import beat
from celery.signals import heartbeat_sent, worker_ready

from config import periodic
from live.pulse_file import touch

LONGEST_TICK_S = 10.0
log = structlog.get_logger(__name__)


def worker_lives(sender: Any = None, **_: Any) -> None:
    """The same for the watchdog, by the queues that the worker serves: it is called QUEUE@HOST or QUEUE+QUEUE@HOST."""
    from live import pulse  # not before a process lives: the launcher loads this module, too

    touch()
    name = getattr(getattr(sender, "eventer", None), "hostname", None) or str(getattr(sender, "hostname", "") or "")
    for queue in filter(None, name.partition("@")[0].split("+")):
        pulse.say(f"worker:{queue}")


worker_ready.connect(touch)
heartbeat_sent.connect(worker_lives)  # every few seconds, from the worker's event loop


class PulsingScheduler(beat.Scheduler):
    """Beat without a file: every periodic task is sent once at the start, then at its interval.

    The usual scheduler remembers in a shelf when it ran last; a kill while that is written can leave one that no later
    start can read. Periodic tasks are safe to send twice, so nothing has to be remembered. Each tick touches the pulse.

    An entry of `config.periodic` stands for all tasks of its period: each is sent as if it had an entry to itself.

    What the broker did not take is sent as soon as it is back, and not an interval later: a sweep is not left out
    because the broker was away at its second.
    """

    UNSENT_AGAIN_S = 0.5

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.unsent: dict[str, Any] = {}
        super().__init__(*args, **kwargs)

    def setup_schedule(self) -> None:
        super().setup_schedule()
        for entry in self.data.values():
            entry.last_run_at = entry.default_now() - entry.schedule.run_every

    def apply_entry(self, entry: Any, producer: Any = None) -> None:
        waiting = self.members(entry)
        while waiting and self.send(waiting[0], producer):
            waiting.pop(0)
        self.unsent |= {each.name: each for each in waiting}  # the others would only fail, too, and take their time

    def members(self, entry: Any) -> list[Any]:
        """The tasks of an entry, each as an entry of its own."""
        if entry.task != periodic.GROUP:
            return [entry]
        return [
            self.Entry(
                f"{entry.name} {task}", task, schedule=entry.schedule, args=args, options={"expires": expires_s},
                app=self.app,
            )
            for task, args, expires_s in entry.kwargs["members"]
        ]  # fmt: skip

    def send(self, entry: Any, producer: Any) -> bool:
        try:
            self.apply_async(entry, producer=producer, advance=False)
        except Exception as error:
            log.warning("beat_could_not_send", task=entry.task, error=f"{type(error).__name__}: {error}"[:300])
            return False
        return True

    def tick(self, *args: Any, **kwargs: Any) -> float:
        from live import pulse  # as above

        touch()
        pulse.say("beat")
        for name, entry in list(self.unsent.items()):
            if not self.send(entry, self.producer):
                return self.UNSENT_AGAIN_S  # still away: what else is due would only fail, too
            del self.unsent[name]
        return float(min(super().tick(*args, **kwargs), LONGEST_TICK_S))
