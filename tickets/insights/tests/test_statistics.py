"""Numbers from few values, and what is chance: without a database."""

from __future__ import annotations

from datetime import UTC, datetime, time
from math import isclose
from statistics import quantiles
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tickets.insights import rules
from tickets.insights.report import words
from tickets.insights.report.weeks import due_week, span_of
from tickets.insights.rules import Lives, Row, ShiftHours, SiteHours
from tickets.insights.statistics import LEAST, Share, chance_of_at_least, spread

BERLIN = ZoneInfo("Europe/Berlin")
HOUR, DAY = 3600.0, 86_400.0


def row(opened: float = 0.0, **more: object) -> Row:
    usual = {
        "site": 1, "closed": None, "priority": "P2", "fault_class": "gpu.gone", "vendor": "Dell", "rack": "A01",
        "acknowledged": None, "hands_on": None, "verified": None, "failed_verifications": 0, "reopened": None,
        "next_same": None,
    }  # fmt: skip
    return Row(opened=opened, **(usual | more))  # type: ignore[arg-type]


@pytest.mark.parametrize("n", range(LEAST))
def test_too_little_data_is_said_in_words_instead_of_a_number(n: int) -> None:
    each = spread([1.0] * n)
    assert (each.n, each.median, each.p90) == (n, None, None)
    assert words.spread(each) == f"too little data ({n} of at least 5)"
    assert Share(n, n).share is None and words.share(Share(0, n)) == f"too little data ({n} of at least 5)"


@given(st.lists(st.floats(0, 1e7), min_size=LEAST, max_size=60))
def test_median_and_90th_percentile_are_those_of_the_standard_library(values: list[float]) -> None:
    each = spread(values)
    cuts = quantiles(values, n=10, method="inclusive")
    assert each.n == len(values) and each.median is not None and each.p90 is not None
    assert isclose(each.median, cuts[4], rel_tol=1e-9, abs_tol=1e-6)
    assert isclose(each.p90, cuts[8], rel_tol=1e-9, abs_tol=1e-6)


def test_the_chance_of_a_count_is_that_of_the_poisson_distribution() -> None:
    assert chance_of_at_least(0, 3.0) == 1.0
    assert isclose(chance_of_at_least(1, 2.0), 0.864664716763, rel_tol=1e-9)
    assert isclose(chance_of_at_least(5, 2.0), 0.052653017344, rel_tol=1e-6)
    assert chance_of_at_least(3, 0.0) == 0.0


def test_a_time_counts_when_it_ends_and_in_no_other_span() -> None:
    rows = [row(opened=0, acknowledged=2 * HOUR, hands_on=3 * HOUR, verified=40 * DAY) for _ in range(5)]
    early, late = rules.times_of(rows, 0, DAY), rules.times_of(rows, 39 * DAY, 41 * DAY)
    assert (early["acknowledged"].median, early["hands_on"].median, early["verified"].n) == (2 * HOUR, 3 * HOUR, 0)
    assert (late["acknowledged"].n, late["verified"].median) == (0, 40 * DAY)


def test_a_shift_over_midnight_is_that_of_the_site_s_clock() -> None:
    site = SiteHours(BERLIN, (ShiftHours("early", time(6), time(14)), ShiftHours("night", time(22), time(6))))
    at = datetime(2026, 7, 1, 21, 30, tzinfo=UTC).timestamp()  # 23:30 in Berlin
    assert site.shift_of(at) == "night"
    assert site.shift_of(at + 7 * HOUR) == "early" and site.shift_of(at + 17 * HOUR) == rules.NO_SHIFT
    groups = rules.grouped([row(at, acknowledged=at + 60)], {1: site}, at, at + DAY)
    assert [(each.by, each.name) for each in groups] == [
        ("fault", "gpu.gone"), ("part", "gpu"), ("vendor", "Dell"), ("rack", "A01"), ("shift", "night"),
    ]  # fmt: skip
    without = rules.grouped([row(at, acknowledged=at + 60)], {1: SiteHours(BERLIN)}, at, at + DAY)
    assert "shift" not in {each.by for each in without}


def test_weeks_begin_on_monday_at_midnight_of_the_site_also_when_clocks_change() -> None:
    weeks = rules.weeks_between(datetime(2026, 3, 25, tzinfo=UTC), datetime(2026, 4, 6, 12, tzinfo=UTC), BERLIN)
    assert [first.astimezone(BERLIN).strftime("%a %H:%M") for first, _ in weeks] == ["Mon 00:00"] * 3
    assert [(last - first).total_seconds() / HOUR for first, last in weeks] == [167, 168, 168]


def test_a_repair_that_came_back_was_no_first_time_fix() -> None:
    day = DAY
    good = row(0, closed=day, verified=day)
    failed_first = row(0, closed=day, verified=day, failed_verifications=1)
    reopened = row(0, closed=2 * day, verified=day, reopened=1.5 * day)
    again = row(0, closed=day, verified=day, next_same=day + rules.COMES_BACK_S)
    another = row(0, closed=day, verified=day, next_same=day + rules.COMES_BACK_S + 1)
    open_again = row(0, closed=None, verified=day, reopened=1.5 * day)
    rows = [good, failed_first, reopened, again, another, open_again]
    assert rules.first_time_fix(rows, 0, 3 * day) == Share(2, 6)
    assert rules.reopen_rate(rows, 0, 3 * day) == Share(3, 6)


def test_open_tickets_are_counted_by_age_and_closed_ones_are_not() -> None:
    now = 20 * DAY
    rows = [row(now - HOUR), row(now - 2 * DAY, priority="P1"), row(0), row(0, closed=DAY)]
    bands = rules.ageing(rows, now)
    assert [sum(band.values()) for band in bands] == [1, 1, 0, 0, 1] and bands[1]["P1"] == 1


def test_a_bad_batch_is_poor_and_bad_luck_is_not() -> None:
    usual = {"gpu": (100_000.0, 20)}
    bad = Lives("batch", "gpu", "2431", 100, 9_000.0, 12)
    unlucky = Lives("batch", "gpu", "2419", 100, 9_000.0, 3)
    found = rules.part_lives([unlucky, bad], usual)
    assert [(each.lives.name, each.poor) for each in found] == [("2431", True), ("2419", False)]
    only = rules.part_lives([Lives("maker", "gpu", "NVIDIA", 900, 100_000.0, 20)], usual)
    assert only[0].chance is None and not only[0].poor  # nothing to compare it with


@pytest.mark.parametrize(
    ("now", "week", "due"),
    [
        ("2026-03-09T05:59", "2026-03-02", "2026-03-09T06:00"),  # 6:59 on Monday in Berlin: due in a minute
        ("2026-03-12T10:00", "2026-03-02", "2026-03-09T06:00"),
        ("2026-03-08T23:30", "2026-03-02", "2026-03-09T06:00"),  # already Monday there
        ("2026-03-08T22:30", "2026-02-23", "2026-03-02T06:00"),
    ],
)
def test_a_report_is_due_on_monday_at_seven_by_the_clock_of_the_site(now: str, week: str, due: str) -> None:
    found, at = due_week(datetime.fromisoformat(now).replace(tzinfo=UTC), BERLIN)
    assert (found.isoformat(), at) == (week, datetime.fromisoformat(due).replace(tzinfo=UTC))
    begin, end = span_of(found, BERLIN)
    assert begin.astimezone(BERLIN).date() == found and (end - begin).days == 7
