"""The insight into a span of time, put together once: page, tables and the weekly report all read this."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

from django.utils import timezone

from runs.losses import queries as losses
from tickets.insights import queries, rules
from tickets.insights.queries import Scope
from tickets.insights.rules import Group, PoorLife
from tickets.insights.statistics import LEAST, Share, Spread

UTC_ZONE = ZoneInfo("UTC")


@dataclass(frozen=True)
class Week:
    """One week. `out_of_service` and `lost` are GPU-hours; `money` is None without a rate."""

    begin: datetime
    opened: int
    closed: int
    times: Mapping[str, Spread]
    out_of_service: float
    lost: float
    money: Decimal | None

    @property
    def gpu_hours(self) -> float:
        return self.out_of_service + self.lost


@dataclass(frozen=True)
class StepRow:
    """How often a kind of step on a kind of part was checked, and how often it had failed."""

    part: str
    kind: str
    checked: int
    failed: int

    @property
    def share(self) -> float | None:
        return Share(self.failed, self.checked).share


@dataclass(frozen=True)
class Insight:
    """All of it. `zone` is the clock by which weeks begin; `ageing` goes with `rules.AGES`."""

    scope: Scope
    zone: ZoneInfo
    now: datetime
    times: Mapping[str, Spread]
    groups: Sequence[Group]
    weeks: Sequence[Week]
    ageing: Sequence[Mapping[str, int]]
    reopened: Share
    first_time: Share
    parts: Sequence[PoorLife]
    steps: Sequence[StepRow]
    rate: Decimal | None
    currency: str
    has_shifts: bool


def insight(scope: Scope, now: datetime | None = None) -> Insight:
    """Nine statements, whatever the number of tickets."""
    now = now or timezone.now()
    hours = queries.hours(scope)
    zone = hours[scope.site].zone if scope.site in hours else UTC_ZONE
    weeks = rules.weeks_between(scope.begin, scope.end, zone)
    rows = queries.tickets(replace(scope, begin=weeks[0][0], end=weeks[-1][1]))  # weeks are whole
    begin, end = scope.begin.timestamp(), scope.end.timestamp()
    rate, currency = queries.rate(scope)
    groups, usual = queries.lives(scope)
    return Insight(
        scope=scope,
        zone=zone,
        now=now,
        times=rules.times_of(rows, begin, end),
        groups=rules.grouped(rows, hours, begin, end),
        weeks=_weeks(scope, rows, weeks, rate, now),
        ageing=rules.ageing(rows, now.timestamp()),
        reopened=rules.reopen_rate(rows, begin, end),
        first_time=rules.first_time_fix(rows, begin, end),
        parts=rules.part_lives(groups, usual),
        steps=[StepRow(*row) for row in queries.steps(scope)],
        rate=rate,
        currency=currency,
        has_shifts=any(site.shifts for site in hours.values()),
    )


def _weeks(
    scope: Scope,
    rows: Sequence[rules.Row],
    weeks: Sequence[tuple[datetime, datetime]],
    rate: Decimal | None,
    now: datetime,
) -> list[Week]:
    out = queries.out_of_service(scope, weeks, now)
    lost = _lost(scope, weeks)
    counts = rules.opened_and_closed(rows, weeks)
    times = rules.weekly_times(rows, weeks)
    found = []
    for n, (first, _) in enumerate(weeks):
        money = round(Decimal(out[n] + lost[n]) * rate, 2) if rate is not None else None
        found.append(Week(first, *counts[n], times[n], out[n], lost[n], money))
    return found


def _lost(scope: Scope, weeks: Sequence[tuple[datetime, datetime]]) -> list[float]:
    """GPU-hours that training runs lost, by week. They are summed by weeks in UTC: each goes to the week of the site in
    which its own begins, or the first."""
    found = [0.0] * len(weeks)
    for loss in losses.losses(weeks[0][0], weeks[-1][1], scope.sites, scope.site):
        n = next((n for n, (_, last) in enumerate(weeks) if loss.week < last), len(weeks) - 1)
        found[n] += loss.total
    return found


# ---- the same as tables ----

Cell = str | int | float | None
TABLES = ("times", "groups", "weeks", "ageing", "parts", "steps")


def table(name: str, told: Insight) -> Iterator[Sequence[Cell]]:
    """The head, then the rows, of one of `TABLES`. Times are hours; what is not known is None."""
    makers = {
        "times": _times, "groups": _groups, "weeks": _weeks_table, "ageing": _ageing, "parts": _parts, "steps": _steps,
    }  # fmt: skip
    return makers[name](told)


SPREAD_HEAD = ("n", "median_hours", "p90_hours")


def hours_of(each: Spread) -> tuple[int, float | None, float | None]:
    return each.n, _hours(each.median), _hours(each.p90)


def _hours(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds / 3600, 3)


def _times(told: Insight) -> Iterator[Sequence[Cell]]:
    yield ("measure", *SPREAD_HEAD)
    for measure, each in told.times.items():
        yield (measure, *hours_of(each))
    yield ("measure", "n", "count", "share")
    for name, share in (("reopened", told.reopened), ("first_time_fix", told.first_time)):
        yield (name, share.n, share.count, None if share.share is None else round(share.share, 4))


def _groups(told: Insight) -> Iterator[Sequence[Cell]]:
    yield ("by", "name", "measure", *SPREAD_HEAD)
    for group in told.groups:
        for measure, each in group.times.items():
            yield (group.by, group.name, measure, *hours_of(each))


def _weeks_table(told: Insight) -> Iterator[Sequence[Cell]]:
    spreads = [f"{measure}_{column}" for measure in rules.MEASURES for column in SPREAD_HEAD]
    yield ("week", "opened", "closed", "out_of_service_gpu_hours", "lost_gpu_hours", "money", "currency", *spreads)
    for week in told.weeks:
        money = None if week.money is None else float(week.money)
        cells = [cell for measure in rules.MEASURES for cell in hours_of(week.times[measure])]
        yield (
            f"{week.begin.astimezone(told.zone):%Y-%m-%d}", week.opened, week.closed, round(week.out_of_service, 2),
            round(week.lost, 2), money, told.currency, *cells,
        )  # fmt: skip


def _ageing(told: Insight) -> Iterator[Sequence[Cell]]:
    yield ("age", *rules.PRIORITIES)
    for (name, _), counts in zip(rules.AGES, told.ageing, strict=True):
        yield (name, *(counts[priority] for priority in rules.PRIORITIES))


def _parts(told: Insight) -> Iterator[Sequence[Cell]]:
    yield ("kind", "by", "name", "parts", "days", "failed", "per_1000_days", "usual", "chance", "poor")
    for each in told.parts:
        life = each.lives
        yield (
            life.kind, life.by, life.name, life.parts, round(life.days, 1), life.failed, each.rate, each.usual,
            each.chance, "yes" if each.poor else "no",
        )  # fmt: skip


def _steps(told: Insight) -> Iterator[Sequence[Cell]]:
    yield ("part", "step", "checked", "failed", "share")
    for each in told.steps:
        yield (each.part, each.kind, each.checked, each.failed, each.share)


__all__ = ["LEAST", "TABLES", "Insight", "StepRow", "Week", "insight", "table"]
