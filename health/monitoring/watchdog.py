"""Who watches the watchers: signs of life with their limits, and what to say when one is missing. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

OK, LATE, NEVER, UNKNOWN, BROKEN = "ok", "late", "never", "unknown", "broken"
TODO: dict[str, str] = {
    "sweeps": "Machines are not checked. See that beat and the workers of the checks queue run, and read their logs.",
    "beat": "No periodic work is started: no sweeps, confirmations or retries. Start beat, exactly one.",
    "workers": "Work of this queue waits. Start its worker, and read its log.",
    "feed": "Dashboards show old news. See that the relay and the event store run.",
    "source": "What it reported is going stale. See that it runs, reaches this address and uses its token.",
    "device_model": "Its machines are not evaluated. An administrator corrects the model's file and loads it again.",
    "disk": "Sweeps pause and writes are refused. Make space; everything goes on by itself then.",
    "crashing": "It is tried again every 30 s. `./rackside status` shows the end of its log.",
    "scheduler": "What runs on machines is unknown, so nothing is drained or resumed. See its message.",
}


@dataclass(frozen=True)
class Sign:
    """A sign of life: heard last at `last_at`, expected within `limit_s`. `since` is from when on one was expected.

    `site` is None for what serves all sites. `blind`: nobody can tell now, because what would tell is away itself.
    `broken` says what is wrong with something that has no times: it is wrong, or it is not.
    """

    kind: str
    name: str
    limit_s: float
    last_at: datetime | None
    since: datetime | None = None
    site: int | None = None
    blind: bool = False
    broken: str = ""

    def state(self, now: datetime) -> str:
        if self.broken:
            return BROKEN
        if self.blind:
            return UNKNOWN
        limit = now - timedelta(seconds=self.limit_s)
        if self.last_at is None:
            return OK if self.since is not None and self.since > limit else NEVER
        return OK if self.last_at >= limit else LATE


@dataclass(frozen=True)
class Problem:
    """What is wrong, since when, and what to do."""

    kind: str
    name: str
    text: str
    since: datetime | None
    what_to_do: str


def judge(signs: Iterable[Sign], now: datetime) -> list[Problem]:
    """What is late or was never heard. Workers cannot be told from a dead feed, so what is blind says nothing."""
    found = []
    for sign in signs:
        state = sign.state(now)
        if state == BROKEN:
            found.append(Problem(sign.kind, sign.name, sign.broken, sign.since, TODO[sign.kind]))
        elif state == LATE and sign.last_at is not None:
            found.append(Problem(sign.kind, sign.name, _late(sign, now), sign.last_at, TODO[sign.kind]))
        elif state == NEVER:
            found.append(Problem(sign.kind, sign.name, _never(sign), sign.since, TODO[sign.kind]))
    return found


WORDS: dict[str, tuple[str, str]] = {
    "sweeps": ("No sweep of {name} has ended for {age}.", "No sweep of {name} has ever ended."),
    "beat": ("Beat was last seen {age} ago.", "Beat was not seen since the event store began."),
    "workers": (
        "No worker of the queue {name} was seen for {age}.",
        "No worker of the queue {name} was seen since the event store began.",
    ),
    "feed": ("An event has waited {age} to be published.", "The event store does not answer."),
    "source": ("{name} has reported nothing for {age}.", "{name} has never reported anything."),
    "device_model": ("{name} was last usable {age} ago.", "{name} cannot be used."),
    "scheduler": ("The scheduler of {name} was last read {age} ago.", "The scheduler of {name} was never read."),
}


def _late(sign: Sign, now: datetime) -> str:
    assert sign.last_at is not None
    return WORDS[sign.kind][0].format(name=sign.name, age=age((now - sign.last_at).total_seconds()))


def _never(sign: Sign) -> str:
    return WORDS[sign.kind][1].format(name=sign.name)


def age(seconds: float) -> str:
    """Such as 4 minutes; whole units, the largest that fits twice."""
    for unit, size in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        if seconds >= 2 * size:
            return f"{int(seconds // size)} {unit}s"
    return f"{max(1, round(seconds))} seconds"
