"""Which message goes where and when: news, rules and a clock to messages. Pure.

A channel gets each piece of news once, however many rules match: by the rule that tells it first.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from tickets.messages.events import News

DAILY_AT = time(8)
"""Local time of a daily summary."""


@dataclass(frozen=True)
class Person:
    """Whose channel it is. `sites` None: every site; `quiet` None: always awake."""

    id: int
    sites: frozenset[int] | None = None
    zone: str = "UTC"
    quiet: tuple[time, time] | None = None
    p1_breaks: bool = True

    def sees(self, site: int) -> bool:
        return self.sites is None or site in self.sites


@dataclass(frozen=True)
class Route:
    """A rule with its channel. Empty sets mean all; `zone` is that of the daily summary."""

    channel: int
    site: int | None = None
    queues: frozenset[str] = frozenset()
    events: frozenset[str] = frozenset()
    priorities: frozenset[str] = frozenset()
    digest: str = ""
    zone: str = "UTC"
    only_mine: bool = False
    person: Person | None = None


@dataclass(frozen=True)
class Planned:
    """A message to be made. `held`: it is summed up with others at its time instead of sent alone."""

    channel: int
    news: News
    at: datetime
    held: bool = False


def plan(news: Iterable[News], routes: Iterable[Route], now: datetime) -> list[Planned]:
    """The messages for these news, in the order of the news."""
    known = list(routes)
    planned: list[Planned] = []
    for item in news:
        best: dict[int, Planned] = {}
        for route in known:
            if not wants(route, item):
                continue
            one = at_its_time(route, item, now)
            first = best.get(one.channel)
            if first is None or (one.at, one.held) < (first.at, first.held):
                best[one.channel] = one
        planned += best.values()
    return planned


def wants(route: Route, news: News) -> bool:
    """Whether a rule asks for this, and its person may see it and did not do it."""
    person = route.person
    if person is not None and (not person.sees(news.site) or news.by == person.id):
        return False
    if route.only_mine and (person is None or news.assignee != person.id):
        return False
    return (
        route.site in (None, news.site)
        and (not route.queues or news.queue in route.queues)
        and (not route.events or news.event in route.events)
        and (not route.priorities or news.priority in route.priorities)
    )


def at_its_time(route: Route, news: News, now: datetime) -> Planned:
    """Now, with the next summary, or when the person's quiet hours are over, whichever of these holds last."""
    person = route.person
    at = now
    if route.digest:
        at = next_summary(route.digest, person.zone if person else route.zone, now)
    if person is not None and not (news.priority == "P1" and person.p1_breaks):
        at = after_quiet(person, at)
    return Planned(route.channel, news, at, held=bool(route.digest) or at > now)


def next_summary(digest: str, zone: str, now: datetime) -> datetime:
    """The next full hour, or the next 8 in the morning there."""
    if digest == "hourly":
        return now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    return next_time(DAILY_AT, zone, now)


def after_quiet(person: Person, at: datetime) -> datetime:
    """`at`, or the end of the quiet hours it falls into. Each end counts, the day the clocks change too."""
    if person.quiet is None:
        return at
    start, end = person.quiet
    clock = at.astimezone(ZoneInfo(person.zone)).time().replace(tzinfo=None)
    inside = start <= clock < end if start < end else clock >= start or clock < end
    return next_time(end, person.zone, at) if inside else at


def next_time(clock: time, zone: str, after: datetime) -> datetime:
    """The first moment after `after` at which clocks there show `clock`, or have passed it where it is left out."""
    local = after.astimezone(ZoneInfo(zone))
    for days in range(3):
        day = (local + timedelta(days=days)).date()
        there = datetime.combine(day, clock, tzinfo=ZoneInfo(zone)).astimezone(after.tzinfo)
        if there > after:
            return there
    raise ValueError(f"no {clock} in the days after {after}")
