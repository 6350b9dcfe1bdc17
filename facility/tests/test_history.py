"""The history of meters: rolled up without losing what was not known, and read in one piece."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection

from core.models import Site
from facility.facts import Measured, Part, Quantity
from facility.history import charts, rollup, tables
from facility.meters import services
from facility.meters.models import Layout, Meter

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 11, 25, 12, tzinfo=UTC)
POWER = (Part.INLET, "I1", Quantity.POWER_W)


@pytest.fixture
def meter() -> Meter:
    site = Site.objects.create(slug="ams", name="Amsterdam")
    return Meter.objects.create(site=site, name="pdu-a", kind="snmp_pdu", address="10.0.0.1", period_s=30)


def told(meter: Meter, at: datetime, watts: float | None, *more: Measured) -> services.Told:
    reason = "" if watts is not None else "the device tells no value"
    return services.Told(meter.pk, at, [Measured(*POWER, watts, reason), *more], meter.period_s)


def hours(meter: Meter, begin: datetime, count: float, watts: float) -> None:
    readings = round(count * 3600 / meter.period_s)
    step = timedelta(seconds=meter.period_s)
    services.store([told(meter, begin + n * step, watts) for n in range(readings)])


def rolled(name: str) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT at, covered, mean, low, high FROM facility_{name} ORDER BY at")
        return cursor.fetchall()


def roll_up(now: datetime) -> None:
    """As often as it takes: each step makes a bounded piece."""
    for _ in range(60):
        rollup.roll_up(now)


def test_a_minute_has_mean_lowest_and_highest_and_says_how_much_of_it_was_heard(meter: Meter) -> None:
    services.store([told(meter, NOON, 100.0), told(meter, NOON + timedelta(seconds=30), 300.0)])
    roll_up(NOON + timedelta(minutes=4))
    assert rolled("minute") == [(NOON, [60], [200.0], [100.0], [300.0])]


def test_a_value_that_was_not_known_is_null_in_every_table_and_never_zero(meter: Meter) -> None:
    current = Measured(Part.PHASE, "L1", Quantity.CURRENT_A, 12.5)
    services.store([told(meter, NOON + timedelta(minutes=n), None, current) for n in range(60)])
    roll_up(NOON + timedelta(days=1, hours=1))
    for name in ("minute", "quarter"):
        assert {(tuple(mean), tuple(low)) for _, _, mean, low, _ in rolled(name)} == {((None, 12.5), (None, 12.5))}
    ((_, covered, mean, low, high),) = rolled("day")
    assert mean[:24] == [None] * 24 and mean[24:] == [None] * 12 + [12.5] + [None] * 11
    assert (low, high) == ([None, 12.5], [None, 12.5])
    assert covered == [0] * 24 + [0] * 12 + [60 * 30] + [0] * 11


def test_a_meter_that_is_read_every_five_minutes_covers_the_whole_quarter(meter: Meter) -> None:
    meter.period_s = 300
    services.store([told(meter, NOON + timedelta(minutes=5 * n), 100.0) for n in range(3)])
    roll_up(NOON + timedelta(hours=1))
    assert [covered for _, covered, *_ in rolled("quarter")] == [[900]]


def test_a_value_is_covered_by_the_readings_that_told_it_and_not_by_those_of_others(meter: Meter) -> None:
    current = Measured(Part.PHASE, "L1", Quantity.CURRENT_A, 12.5)
    step = timedelta(seconds=30)
    services.store([told(meter, NOON + n * step, 100.0 if n < 60 else None, current) for n in range(120)])
    roll_up(NOON + timedelta(days=1, hours=1))
    assert [covered for _, covered, *_ in rolled("quarter")] == [[900, 900]] * 2 + [[0, 900]] * 2
    ((_, covered, *_),) = rolled("day")
    assert (covered[12], covered[24 + 12], sum(covered)) == (1800, 3600, 5400)
    hour = charts.hourly(charts.layouts_with(meter.pk, *POWER), NOON, NOON + timedelta(hours=1))
    assert hour == {NOON: charts.Hour(100.0, 0.5)}


def test_a_mean_of_means_counts_each_by_the_time_in_which_it_was_known(meter: Meter) -> None:
    """Ten readings of the first minute, one of the second: not the middle of both."""
    many = [services.Told(meter.pk, NOON + timedelta(seconds=6 * n), [Measured(*POWER, 100.0)], 6) for n in range(10)]
    one = services.Told(meter.pk, NOON + timedelta(seconds=60), [Measured(*POWER, 1200.0)], 6)
    services.store([*many, one])
    roll_up(NOON + timedelta(hours=1))
    assert [(covered, mean) for _, covered, mean, *_ in rolled("quarter")] == [([66], [200.0])]
    point = charts.layouts_with(meter.pk, *POWER)
    assert charts.hourly(point, NOON, NOON + timedelta(minutes=30))[NOON].mean == 200.0


def test_a_meter_that_is_read_once_a_day_is_rolled_up(meter: Meter) -> None:
    services.store([services.Told(meter.pk, NOON, [Measured(*POWER, 100.0)], 86_400)])
    roll_up(NOON + timedelta(days=1, hours=1))
    assert [covered for _, covered, *_ in rolled("quarter")] == [[32_767]]
    assert charts.year(charts.layouts_with(meter.pk, *POWER), NOON.date(), 1)[0][12] == 100.0  # type: ignore[index]


def test_after_a_pause_of_days_the_first_run_makes_what_is_new(meter: Meter) -> None:
    """Empty hours half an hour at a time would take longer than readings are kept."""
    hours(meter, NOON, 0.5, 100.0)
    roll_up(NOON + timedelta(hours=1))
    later = NOON + timedelta(days=5)
    hours(meter, later, 0.25, 200.0)
    done = rollup.roll_up(later + timedelta(minutes=20))
    assert done["minute"] == later + timedelta(minutes=18)
    assert [mean for at, _, mean, *_ in rolled("minute") if at >= later] == [[200.0]] * 15
    assert [mean for at, _, mean, *_ in rolled("quarter") if at >= later] == [[200.0]]


def test_a_time_in_which_nothing_was_told_is_passed_in_one_run(meter: Meter) -> None:
    hours(meter, NOON, 0.5, 100.0)
    roll_up(NOON + timedelta(hours=1))
    assert rollup.roll_up(NOON + timedelta(days=5, seconds=90))["minute"] == NOON + timedelta(days=5)


def test_rolling_up_again_changes_nothing(meter: Meter) -> None:
    hours(meter, NOON, 0.5, 100.0)
    roll_up(NOON + timedelta(hours=1))
    before = rolled("minute"), rolled("quarter")
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM facility_rolledup")
    roll_up(NOON + timedelta(hours=1))
    assert (rolled("minute"), rolled("quarter")) == before and len(before[0]) == 30


def test_a_period_that_is_not_over_is_not_made(meter: Meter) -> None:
    hours(meter, NOON, 0.25, 100.0)
    roll_up(NOON + timedelta(minutes=15))
    assert len(rolled("minute")) == 13 and rolled("quarter") == []


def test_a_chart_goes_up_to_now_though_the_coarse_tables_are_not_made_yet(meter: Meter) -> None:
    hours(meter, NOON, 2.0, 100.0)
    roll_up(NOON + timedelta(minutes=90))
    now = NOON + timedelta(hours=2)
    point = charts.layouts_with(meter.pk, *POWER)
    series = charts.series(point, NOON, now, now, meter.period_s)
    assert series.step == timedelta(seconds=30) and series.mean == [100.0] * 240
    day = charts.series(point, NOON - timedelta(days=3), now, now, meter.period_s)
    assert day.step == timedelta(minutes=15)
    assert [value for value in day.mean if value is not None] == [100.0] * 8 and len(day.mean) == 4 * 74


def test_a_time_without_readings_is_a_gap_in_the_chart(meter: Meter) -> None:
    hours(meter, NOON, 0.5, 100.0)
    hours(meter, NOON + timedelta(hours=1), 0.5, 200.0)
    roll_up(NOON + timedelta(hours=2))
    now = NOON + timedelta(hours=2)
    series = charts.series(charts.layouts_with(meter.pk, *POWER), NOON, now, now, 300)
    assert series.step == timedelta(minutes=5)
    assert series.mean == [100.0] * 6 + [None] * 6 + [200.0] * 6 + [None] * 6


def test_a_point_is_found_in_every_layout_that_its_meter_had(meter: Meter) -> None:
    """A PDU whose firmware tells one more value goes on with the same line."""
    services.store([told(meter, NOON, 100.0)])
    more = Measured(Part.OUTLET, "1", Quantity.POWER_W, 5.0)
    later = NOON + timedelta(seconds=30)
    services.store([services.Told(meter.pk, later, [more, Measured(*POWER, 200.0)], 30)])
    assert Layout.objects.count() == 2
    now = NOON + timedelta(minutes=1)
    assert charts.series(charts.layouts_with(meter.pk, *POWER), NOON, now, now, 30).mean == [100.0, 200.0]


def test_an_old_time_is_read_as_fine_as_it_is_still_kept(meter: Meter) -> None:
    now = NOON + timedelta(days=10)
    series = charts.series(charts.layouts_with(meter.pk, *POWER), NOON, NOON + timedelta(hours=1), now, 30)
    assert series.step == timedelta(minutes=15)
    assert charts.kept_at(timedelta(days=400)) == timedelta(hours=1)


def test_the_year_has_the_hours_of_each_day_and_nothing_for_the_others(meter: Meter) -> None:
    hours(meter, NOON, 1.0, 100.0)
    roll_up(NOON + timedelta(days=1, hours=1))
    days = charts.year(charts.layouts_with(meter.pk, *POWER), NOON.date() - timedelta(days=1), 3)
    assert days == [None, [None] * 12 + [100.0] + [None] * 11, None]


def test_a_day_on_which_the_layout_changed_keeps_the_hours_of_both(meter: Meter) -> None:
    """The change is within an hour: that hour is of both, by the time in which each was told."""
    more = Measured(Part.OUTLET, "1", Quantity.POWER_W, 5.0)
    changed, step = NOON + timedelta(hours=1, minutes=45), timedelta(seconds=30)
    services.store(
        [
            told(meter, at, *((100.0,) if at < changed else (200.0, more)))
            for at in (NOON + n * step for n in range(360))
        ]
    )
    roll_up(NOON + timedelta(days=1, hours=1))
    assert len(rolled("day")) == 2
    days = charts.year(charts.layouts_with(meter.pk, *POWER), NOON.date(), 1)
    assert days == [[None] * 12 + [100.0, 125.0, 200.0] + [None] * 9]


def test_an_older_reading_does_not_replace_the_last_one(meter: Meter) -> None:
    services.store([told(meter, NOON, 100.0)])
    services.store([told(meter, NOON - timedelta(minutes=1), 50.0)])
    meter.refresh_from_db()
    assert meter.told.values == [100.0]
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM facility_reading")
        assert cursor.fetchone() == (2,)


def test_partitions_are_made_ahead_and_expired_ones_go(meter: Meter) -> None:
    made = tables.maintain(NOON)["made"]
    assert {"facility_reading_2026112512", "facility_minute_2026112512", "facility_day_202611"} <= set(made)
    hours(meter, NOON, 0.1, 100.0)
    dropped = tables.maintain(NOON + timedelta(hours=8))["dropped"]
    assert "facility_reading_2026112512" in dropped and "facility_minute_2026112512" not in dropped


def test_a_point_is_found_in_every_layout_that_its_meter_had_and_in_none_of_another(meter: Meter) -> None:
    phase = Measured(Part.PHASE, "L1", Quantity.CURRENT_A, 12.5)
    services.store([services.Told(meter.pk, NOON, [phase, Measured(*POWER, 100.0)], 30)])
    roll_up(NOON + timedelta(days=1, hours=1))
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM facility_reading")  # as it is when the day alone is left
        cursor.execute("DELETE FROM facility_quarter")
    services.store([told(meter, NOON + timedelta(days=2), 200.0)])
    other = Meter.objects.create(site=meter.site, name="pdu-b", kind="snmp_pdu", address="10.0.0.2")
    services.store([told(other, NOON, 300.0, phase)])
    point = charts.layouts_with(meter.pk, *map(str, POWER))
    assert sorted(point.places.values()) == [0, 1] and Layout.objects.count() == 3
