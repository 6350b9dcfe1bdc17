"""A server too slow for the period that was set sweeps less often, says so, and calls nobody late for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from unittest.mock import MagicMock, patch

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone
from pytest_django.fixtures import Settings

from health.machines import hooks
from health.models import MachineHealth, Sweep, SweepPeriod, SweepShard
from health.monitoring import sweep_period
from health.monitoring.services import unreachable, watchdog
from health.monitoring.services.sweeps import periods, sweep_runs
from health.monitoring.sweep_period import Period, as_set, is_due
from health.tests import factories as make
from live.models import Event

SET_S = 30.0
GRACE_S = 15.0
START = datetime(2026, 3, 2, tzinfo=UTC)
db = pytest.mark.django_db


def after(*took: float, before: Period | None = None, under_way: float = 0.0) -> Period:
    return sweep_period.follow(before or as_set(SET_S), SET_S, [took], under_way)


# ---- the decision ----


@pytest.mark.parametrize(
    ("took", "period_s"),
    [
        ((), 30),  # nothing measured
        ((200,), 30),  # one says nothing yet
        ((15, 16, 17), 30),
        ((15, 16, 200), 30),  # one slow sweep: a backup ran
        ((24, 24, 24), 30),  # just what a sweep may take
        ((15, 25, 26), 35),  # two slow ones: in whole steps of 5 s
        ((100, 100, 100), 125),
    ],
)
def test_the_period_is_what_was_set_or_long_enough_for_two_of_the_last_three_sweeps(
    took: tuple[float, ...], period_s: float
) -> None:
    assert after(*took).period_s == period_s


def test_a_stretched_period_holds_while_it_fits_and_comes_back_to_what_was_set() -> None:
    stretched = after(40, 40, 40)
    assert stretched.period_s == 50 and stretched.is_stretched
    assert after(31, 31, 31, before=stretched).period_s == 50, "it does not swing with every second"
    assert after(24, 24, 24, before=stretched).period_s == 40
    assert after(18, 18, 18, before=stretched) == Period(30, 30, 18, 18)
    assert after(before=stretched) == Period(30, 50, 40, 0), "after a night without sweeps nothing else is known"


def test_the_slowest_site_sets_the_period_of_all_and_another_setting_begins_anew() -> None:
    assert sweep_period.follow(as_set(30), 30, [(5, 5, 5), (40, 40, 40)]).period_s == 50
    assert sweep_period.follow(Period(30, 50, 40, 40), 300, [(40, 40, 40)]).period_s == 300


def test_a_sweep_is_due_a_period_after_the_start_of_the_last_also_when_the_clock_was_set_back() -> None:
    period = after(40, 40, 40)
    ages = {-3600: True, -1: False, 0: False, 30: False, 47: False, 49: True, 500: True}
    assert {age: is_due(START, START + timedelta(seconds=age), period) for age in ages} == ages
    assert is_due(None, START, period)


def test_the_words_say_how_long_a_sweep_takes_and_what_follows() -> None:
    said = "A sweep takes 40 s on this server: machines are checked every 50 s, not every 30 s."
    assert sweep_period.words(after(40, 40, 40)) == said
    assert sweep_period.words(as_set(30)) == "Machines are checked every 30 s again."


# ---- a server in time ----


@dataclass
class Server:
    """Sweeps one machine among others; `place` is when in a sweep it is looked at (0 the first, 1 the last)."""

    place: float
    period: Period = field(default_factory=lambda: as_set(SET_S))
    took: list[float] = field(default_factory=list)
    begun: float | None = None
    last_begun: float | None = None
    seen_at: float = 0.0
    starts: list[float] = field(default_factory=list)

    def second(self, now: float, takes_s: float, *, answers: bool = True) -> str:
        """One second passes; the word for the machine, as `mark_unreachable` would say it now."""
        if self.begun is not None:
            if answers and now - self.begun >= self.place * takes_s and self.seen_at < self.begun + 1e-6:
                self.seen_at = now
            if now - self.begun >= takes_s:
                self.took.append(now - self.begun)
                self.begun = None
        if now % (SET_S / sweep_period.STEPS) == 0:
            running = now - self.begun if self.begun is not None else 0.0
            self.period = sweep_period.follow(self.period, SET_S, [self.took[-3:]], running)
            last = None if self.last_begun is None else START + timedelta(seconds=self.last_begun)
            if self.begun is None and is_due(last, START + timedelta(seconds=now), self.period):
                self.begun = self.last_begun = now
                self.starts.append(now)
        at = START + timedelta(seconds=self.seen_at)
        return unreachable.reachability_word(at, START + timedelta(seconds=now), self.period.counted_s, GRACE_S)


CHANGES = {0: 15.0, 300: 28.0, 900: 100.0, 2500: 400.0, 9000: 55.0, 11_000: 14.0}


def takes(now: float) -> float:
    return next(length for since, length in reversed(CHANGES.items()) if now >= since)


@pytest.mark.parametrize("place", [0.0, 0.5, 1.0])
def test_nobody_is_late_because_the_server_is_and_the_sweeps_follow_each_other_without_a_gap(place: float) -> None:
    server = Server(place)
    words = {server.second(float(now), takes(now)) for now in range(14_000)}
    assert words == {"reachable"}
    gaps = [b - a for a, b in zip(server.starts, server.starts[1:], strict=False)]
    assert all(gap <= max(SET_S, 1.7 * max(server.took)) for gap in gaps)
    assert server.period == Period(SET_S, SET_S, 14.0, 14.0), "it is what was set when the server is fast again"


@pytest.mark.parametrize("takes_s", [15.0, 28.0, 100.0])
def test_a_machine_that_does_not_answer_is_late_and_unreachable_on_a_slow_server_too(takes_s: float) -> None:
    server, died = Server(0.5), 1_000.0
    said: dict[str, float] = {}
    for now in range(3_000):
        said.setdefault(server.second(float(now), takes_s, answers=now < died), float(now))
    longest = max(SET_S, takes_s / sweep_period.SHARE + SET_S / sweep_period.STEPS)
    assert 0 < said["late"] - died <= 2 * longest + GRACE_S + 1
    assert 0 < said["unreachable"] - died <= 3 * longest + GRACE_S + 1


# ---- the service ----


@pytest.fixture
def queued() -> Iterator[MagicMock]:
    with patch("celery.app.task.Task.apply_async") as sent:
        yield sent


def swept(*took: float, site: int | None = None, attempts: int = 1, ago_s: float = 60.0) -> None:
    """Scheduled sweeps that took so long, and whose slow lane took much longer."""
    site = site or MachineHealth.objects.values_list("machine__device__site_id", flat=True)[0]
    for number, seconds in enumerate(took):
        began = timezone.now() - timedelta(seconds=ago_s + 30 * (len(took) - number))
        sweep = Sweep.objects.create(
            site_id=site, kind="scheduled", status="finished", started_at=began, finished_at=began
        )
        for lane, lasted in (("fast", seconds / 2), ("fast", seconds), ("slow", 900.0)):
            SweepShard.objects.create(
                sweep=sweep, number=sweep.shards.count(), machine_ids=[], status="done", lane=lane,
                attempts=attempts, started_at=began, finished_at=began + timedelta(seconds=lasted),
            )  # fmt: skip


@pytest.fixture
def every_30s(settings: Settings) -> None:
    settings.SWEEP_PERIOD_S, settings.CONFIRM_DELAY_S = SET_S, GRACE_S


@db
@pytest.mark.usefixtures("every_30s")
def test_the_period_follows_the_fast_lane_of_the_last_sweeps_and_every_site_is_told_once(queued: MagicMock) -> None:
    make.make_machines(1)
    swept(40, 40, 40)
    assert periods.in_force() == as_set(SET_S)
    for _ in range(2):
        assert periods.follow(timezone.now()).period_s == 50
    now = periods.in_force()
    assert (now.set_s, now.period_s, round(now.takes_s or 0), round(now.longest_s)) == (30, 50, 40, 40)
    (told,) = Event.objects.filter(kind="sweep.period_changed")
    assert told.data["period_s"] == 50 and told.data["set_period_s"] == 30
    assert told.data["text"] == "A sweep takes 40 s on this server: machines are checked every 50 s, not every 30 s."
    (notice,) = [each for each in hooks.notices_of(told.site_id or 0) if each["kind"] == "sweep_period"]
    assert notice["text"] == told.data["text"] and notice["link"] == "/checks/sweeps"

    swept(12, 12, 12, ago_s=0)
    assert periods.follow(timezone.now()).period_s == 30
    assert [each.data["period_s"] for each in Event.objects.filter(kind="sweep.period_changed").order_by("id")] == [
        50,
        30,
    ]
    assert [each for each in hooks.notices_of(told.site_id or 0) if each["kind"] == "sweep_period"] == []


@db
@pytest.mark.usefixtures("every_30s")
def test_a_sweep_whose_worker_died_tells_nothing_of_the_speed(queued: MagicMock) -> None:
    make.make_machines(1)
    swept(700, 700, 700, attempts=2)
    assert periods.follow(timezone.now()) == as_set(SET_S)


@db
@pytest.mark.usefixtures("every_30s")
def test_a_long_sweep_is_not_overtaken_and_the_next_one_follows_at_once(queued: MagicMock) -> None:
    make.make_machines(2)
    assert len(sweep_runs.start_scheduled()) == 1
    now = timezone.now()
    Sweep.objects.update(started_at=now - timedelta(seconds=400), slot_at=None)
    SweepShard.objects.update(status="running", started_at=now - timedelta(seconds=20))
    assert sweep_runs.close_late() == 0, "it still moves"
    assert sweep_runs.start_scheduled() == [] and sweep_runs.start_scheduled(at_once=True) == []
    assert periods.in_force().counted_s >= 400 / sweep_period.SHARE
    SweepShard.objects.update(status="done", finished_at=now)
    Sweep.objects.update(status="finished", finished_at=now)
    assert len(sweep_runs.start_scheduled()) == 1
    assert all(call.kwargs["expires"] >= 900 for call in queued.call_args_list), "a slow worker still takes it"


@db
@pytest.mark.usefixtures("every_30s")
def test_a_sweep_starts_at_once_after_a_start_and_otherwise_when_it_is_due(queued: MagicMock) -> None:
    make.make_machines(2)
    swept(10, ago_s=-25)
    assert sweep_runs.start_scheduled() == [], "the last one began 5 s ago"
    assert len(sweep_runs.start_scheduled(at_once=True)) == 1


@db
@pytest.mark.usefixtures("every_30s")
def test_ages_of_answers_and_sweeps_are_counted_in_the_stretched_period(queued: MagicMock) -> None:
    (machine,) = make.make_machines(1)
    swept(100, 100, 100)
    now = timezone.now()
    MachineHealth.objects.filter(machine=machine).update(
        reachability="reachable", last_seen_at=now - timedelta(seconds=200), worst="ok"
    )
    assert unreachable.mark_unreachable(now) == 0
    assert [sign.limit_s for sign in watchdog.signs() if sign.kind == "sweeps"] == [3 * 125 + GRACE_S]
    assert unreachable.mark_unreachable(now + timedelta(seconds=70)) == 1
    assert make.health(machine).reachability == "late"


@db
def test_there_is_one_period_and_it_is_never_shorter_than_what_was_set() -> None:
    SweepPeriod.objects.create(set_s=30, period_s=30)
    for wrong in ({"id": 2, "set_s": 30, "period_s": 30}, {"id": 1, "set_s": 30, "period_s": 29}):
        with pytest.raises(IntegrityError), transaction.atomic():
            SweepPeriod.objects.create(**wrong)
