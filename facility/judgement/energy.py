"""Energy out of mean watts: by the best meter there is, with its error, what it cost and emitted, and whose it was.

Nothing is filled in: time that nobody measured and no model covers is `unknown_s`, and energy is of the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta, tzinfo
from itertools import pairwise
from typing import Literal, NamedTuple

Method = Literal["outlet", "bmc", "model"]
ERRORS_PERCENT: Mapping[Method, float] = {"outlet": 2, "bmc": 5, "model": 20}
"""Outlet meters are made to 1 % of energy with their transformers; BMCs read supplies that promise 5 %; a model is
what others of its kind drew. Systematic errors: they do not shrink with time."""
QUARTER_S = 900  # tariffs change at quarters of an hour at the finest
ENOUGH_COVERED = 0.95  # of an hour, for its PUE


@dataclass(frozen=True, slots=True)
class Slot:
    """One interval of a roll-up; its start knows its time zone.

    Coverage from 0 to 1 says how much of it has values; `model_w` fills the rest.
    """

    start: datetime
    seconds: float
    outlet_w: float | None = None
    outlet_coverage: float = 1.0
    bmc_w: float | None = None
    bmc_coverage: float = 1.0
    model_w: float | None = None


@dataclass(frozen=True, slots=True)
class Energy:
    """`by_method` are kWh; `unknown_s` is time without any value, out of `total_s`."""

    by_method: Mapping[Method, float] = field(default_factory=dict)
    total_s: float = 0.0
    unknown_s: float = 0.0

    @property
    def kwh(self) -> float | None:
        """Of the known time: at least so much while `unknown_s` is not 0. None where nothing is known."""
        return sum(self.by_method.values()) if self.by_method else None

    @property
    def unknown_share(self) -> float:
        return self.unknown_s / self.total_s if self.total_s else 0.0

    @property
    def error_percent(self) -> float | None:
        """Of the known energy: the errors of the methods by their shares."""
        kwh = self.kwh
        if kwh is None:
            return None
        if kwh == 0:
            return max(ERRORS_PERCENT[method] for method in self.by_method)
        return sum(part * ERRORS_PERCENT[method] for method, part in self.by_method.items()) / kwh

    @property
    def method(self) -> Method | None:
        """The one that most of it comes from."""
        return max(self.by_method, key=lambda each: self.by_method[each], default=None)

    def __add__(self, other: Energy) -> Energy:
        methods = dict(self.by_method)
        for method, kwh in other.by_method.items():
            methods[method] = methods.get(method, 0.0) + kwh
        return Energy(methods, self.total_s + other.total_s, self.unknown_s + other.unknown_s)

    def times(self, share: float) -> Energy:
        """A part of it, in energy and in time."""
        parts = {method: kwh * share for method, kwh in self.by_method.items()}
        return Energy(parts, self.total_s * share, self.unknown_s * share)

    def stated(self) -> str:
        """How it was worked out, for the line under a table."""
        if self.kwh is None:
            return "not measured"
        words = {"outlet": "outlets", "bmc": "BMC", "model": "model"}
        methods = sorted(self.by_method, key=lambda each: -self.by_method[each])
        text = " and ".join(words[each] for each in methods) + f", ± {self.error_percent or 0:.0f} %"
        return text + (f"; {self.unknown_share * 100:.0f} % of the time not known" if self.unknown_s > 0 else "")


def added(energies: Iterable[Energy]) -> Energy:
    return sum(energies, Energy())


# ---- one machine ----


def energy_of(slot: Slot) -> Energy:
    """The outlet's mean as far as it covers the slot, then the BMC's, then the model's; the rest is unknown.

    Two meters are taken to miss the same time, so that none of it counts twice.
    """
    parts: dict[Method, float] = {}
    covered = 0.0
    for method, watts, coverage in _sources(slot):
        more = max(0.0, min(1.0, coverage) - covered)
        if watts is not None and more > 0:
            parts[method] = watts * more * slot.seconds / 3_600_000
            covered += more
    return Energy(parts, slot.seconds, slot.seconds * max(0.0, 1.0 - covered))


def _sources(slot: Slot) -> tuple[tuple[Method, float | None, float], ...]:
    return (
        ("outlet", slot.outlet_w, slot.outlet_coverage),
        ("bmc", slot.bmc_w, slot.bmc_coverage),
        ("model", slot.model_w, 1.0),
    )


# ---- cost and emissions ----


@dataclass(frozen=True, slots=True)
class Rate:
    """What a kWh costs from `start` to `end` of local time on these weekdays (0 is Monday). End 00:00 is midnight."""

    start: time
    end: time
    per_kwh: float
    weekdays: frozenset[int] = frozenset(range(7))

    def holds(self, at: datetime) -> bool:
        """A rate that runs over midnight belongs to the day it begins on."""
        clock = at.time()
        if self.start < self.end or self.end == time(0):
            inside = self.start <= clock and (self.end == time(0) or clock < self.end)
            return inside and at.weekday() in self.weekdays
        day = at if clock >= self.start else at - timedelta(days=1)
        return (clock >= self.start or clock < self.end) and day.weekday() in self.weekdays


@dataclass(frozen=True, slots=True)
class Tariff:
    """The first rate that holds counts, else `per_kwh`."""

    per_kwh: float
    currency: str = "EUR"
    rates: tuple[Rate, ...] = ()
    zone: tzinfo | None = None

    def at(self, moment: datetime) -> float:
        local = moment.astimezone(self.zone) if self.zone else moment
        return next((rate.per_kwh for rate in self.rates if rate.holds(local)), self.per_kwh)


def mean_rate(start: datetime, seconds: float, tariff: Tariff) -> float:
    """Over an interval, its energy taken to flow evenly."""
    if not tariff.rates or seconds <= 0:
        return tariff.at(start)
    parts = list(_quarters(start, seconds))
    return sum(tariff.at(at) * length for at, length in parts) / sum(length for _, length in parts)


def _quarters(start: datetime, seconds: float) -> Iterator[tuple[datetime, float]]:
    """An interval cut at full quarters of an hour, so that it is right across a change of rate and of the clock."""
    at, left = start.astimezone(UTC), seconds  # sums in local time are wrong on two nights of the year
    while left > 1e-6:
        length = min(left, QUARTER_S - at.timestamp() % QUARTER_S)
        yield at, length
        at, left = at + timedelta(seconds=length), left - length


def co2_kg(kwh: float | None, kg_per_kwh: float | None) -> float | None:
    return None if kwh is None or kg_per_kwh is None else kwh * kg_per_kwh


# ---- whose it was ----


class Use(NamedTuple):
    """Who used a machine when: a run, a group, a pool. `weight` is its number of GPUs there."""

    key: str
    start: datetime
    end: datetime
    weight: float = 1.0


IDLE = ""
"""The key of time in which nobody used a machine."""


class Share(NamedTuple):
    energy: Energy
    cost: float | None


def shares(slots: Iterable[Slot], uses: Sequence[Use], tariff: Tariff | None = None) -> dict[str, Share]:
    """A machine's energy by its users; time without any is `IDLE`.

    Those who use it at the same time share it by weight: a whole machine is paid, also GPUs that stand idle in it.
    Parts of all keys add up to the whole.
    """
    parts: dict[str, Energy] = {}
    costs: dict[str, float] = {}
    for slot in slots:
        whole = energy_of(slot)
        for key, start, seconds, part in _uses_in(slot, uses):
            share = whole.times(seconds / slot.seconds * part)
            parts[key] = parts.get(key, Energy()) + share
            if tariff is not None and share.kwh is not None:
                costs[key] = costs.get(key, 0.0) + share.kwh * mean_rate(start, seconds, tariff)
    return {key: Share(part, costs.get(key)) for key, part in parts.items()}


def _uses_in(slot: Slot, uses: Sequence[Use]) -> Iterator[tuple[str, datetime, float, float]]:
    """Key, start, seconds and part of each use in each stretch of the slot in which the users stay the same."""
    begin = slot.start.astimezone(UTC)
    end = begin + timedelta(seconds=slot.seconds)
    inside = [use for use in uses if use.start < end and use.end > begin]
    edges = {edge.astimezone(UTC) for use in inside for edge in (use.start, use.end) if begin < edge < end}
    cuts = [begin, *sorted(edges), end]
    for start, stop in pairwise(cuts):
        seconds = (stop - start).total_seconds()
        now = [use for use in inside if use.start <= start and use.end >= stop and use.weight > 0]
        weights = sum(use.weight for use in now)
        if not now and seconds > 0:
            yield IDLE, start, seconds, 1.0
        for use in now:
            yield use.key, start, seconds, use.weight / weights


# ---- PUE ----


class Hour(NamedTuple):
    """What a site and its IT drew in an hour, with how much of it is covered."""

    start: datetime
    site_kwh: float | None
    it_kwh: float | None
    site_coverage: float = 1.0
    it_coverage: float = 1.0


def pue(hour: Hour) -> float | None:
    """Site by IT. None where an hour is covered by less than 95 %, and where IT would draw more than its site."""
    if hour.site_kwh is None or not hour.it_kwh or min(hour.site_coverage, hour.it_coverage) < ENOUGH_COVERED:
        return None
    ratio = (hour.site_kwh / hour.site_coverage) / (hour.it_kwh / hour.it_coverage)
    return ratio if ratio >= 1 else None
