"""Energy: the best meter counts, missing time is stated, parts add up, tariffs follow the local clock."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facility.judgement.energy import (
    IDLE,
    Energy,
    Hour,
    Rate,
    Slot,
    Tariff,
    Use,
    added,
    co2_kg,
    energy_of,
    mean_rate,
    pue,
    shares,
)  # fmt: skip

T0 = datetime(2026, 3, 2, tzinfo=UTC)  # a Monday
BERLIN = ZoneInfo("Europe/Berlin")


def energy(slots: Iterable[Slot]) -> Energy:
    return added(energy_of(slot) for slot in slots)


def cost(slots: Iterable[Slot], tariff: Tariff) -> float | None:
    spent = [kwh * mean_rate(s.start, s.seconds, tariff) for s in slots if (kwh := energy_of(s).kwh) is not None]
    return sum(spent) if spent else None


def hours(*watts: float | None) -> list[Slot]:
    return [Slot(T0 + timedelta(hours=n), 3600, w) for n, w in enumerate(watts)]


def test_an_outlet_is_trusted_before_the_bmc_and_both_before_the_model() -> None:
    assert energy_of(Slot(T0, 3600, 10_000, 1, 9_000, 1, 8_000)).by_method == {"outlet": 10}
    assert energy_of(Slot(T0, 3600, None, 1, 9_000, 1, 8_000)).by_method == {"bmc": 9}
    assert energy_of(Slot(T0, 3600, None, 1, None, 1, 8_000)).by_method == {"model": 8}
    found = energy_of(Slot(T0, 3600))
    assert (found.kwh, found.unknown_share, found.method, found.error_percent) == (None, 1, None, None)


def test_a_gap_of_the_outlet_is_filled_by_the_bmc_and_the_rest_is_unknown_and_stated() -> None:
    found = energy_of(Slot(T0, 3600, 10_000, 0.5, 8_000, 0.75))
    assert found.by_method == {"outlet": 5, "bmc": 2}
    assert found.unknown_s == pytest.approx(900)
    assert found.error_percent == pytest.approx((5 * 2 + 2 * 5) / 7)
    assert found.stated() == "outlets and BMC, ± 3 %; 25 % of the time not known"


def test_time_without_a_value_is_not_time_without_power() -> None:
    found = energy(hours(10_000, None, 10_000))
    assert (found.kwh, found.unknown_s, found.total_s) == (20, 3600, 10_800)
    assert energy(hours(0)).kwh == 0
    assert energy(hours(None)).kwh is None
    assert energy([]).stated() == "not measured"


def test_a_cost_is_of_the_known_energy_and_none_where_none_is_known() -> None:
    assert cost(hours(10_000, None), Tariff(0.142)) == pytest.approx(1.42)
    assert cost(hours(None), Tariff(0.142)) is None
    assert (co2_kg(100, 0.38), co2_kg(None, 0.38), co2_kg(100, None)) == (38, None, None)


NIGHT = Rate(time(22), time(6), 0.10, frozenset({0, 1, 2, 3, 4}))
PEAK = Rate(time(8), time(20), 0.20, frozenset({0, 1, 2, 3, 4}))
TARIFF = Tariff(0.15, rates=(PEAK, NIGHT), zone=BERLIN)


@pytest.mark.parametrize(
    ("local", "rate"),
    [(datetime(2026, 3, 2, 7, 59), 0.15), (datetime(2026, 3, 2, 8), 0.20), (datetime(2026, 3, 2, 20), 0.15),
     (datetime(2026, 3, 2, 22), 0.10), (datetime(2026, 3, 3, 5, 59), 0.10), (datetime(2026, 3, 3, 6), 0.15),
     (datetime(2026, 3, 7, 3), 0.10),  # Friday's night ends on Saturday
     (datetime(2026, 3, 7, 23), 0.15), (datetime(2026, 3, 2, 3), 0.15)],
)  # fmt: skip
def test_a_rate_holds_by_the_local_clock_and_a_night_belongs_to_the_day_it_begins_on(
    local: datetime, rate: float
) -> None:
    assert TARIFF.at(local.replace(tzinfo=BERLIN)) == rate


def test_an_interval_across_a_change_of_rate_is_cut_there() -> None:
    start = datetime(2026, 3, 2, 7, 30, tzinfo=BERLIN)
    assert mean_rate(start, 3600, TARIFF) == pytest.approx((0.15 + 0.20) / 2)


def test_the_hour_that_a_clock_skips_is_not_paid_twice() -> None:
    """On 29 March 2026 the local day has 23 hours: 8 to 20 h are 12 of them."""
    every_day = Tariff(0.0, rates=(Rate(time(8), time(20), 1.0),), zone=BERLIN)
    start = datetime(2026, 3, 29, tzinfo=BERLIN)
    assert mean_rate(start, 23 * 3600, every_day) == pytest.approx(12 / 23)


# ---- whose it was ----


def test_a_run_pays_for_its_time_and_the_rest_is_idle() -> None:
    uses = [Use("run 1", T0 + timedelta(minutes=30), T0 + timedelta(hours=2))]
    found = shares(hours(10_000, 10_000, 4_000), uses, Tariff(0.1))
    assert found["run 1"].energy.kwh == pytest.approx(15)
    assert found["run 1"].cost == pytest.approx(1.5)
    assert found[IDLE].energy.kwh == pytest.approx(9)
    assert found[IDLE].cost == pytest.approx(0.9)


def test_runs_on_the_same_machine_share_it_by_weight() -> None:
    end = T0 + timedelta(hours=1)
    found = shares(hours(8_000), [Use("a", T0, end, 6), Use("b", T0, end, 2)])
    assert (found["a"].energy.kwh, found["b"].energy.kwh) == (pytest.approx(6), pytest.approx(2))
    assert IDLE not in found
    assert found["a"].cost is None  # without a tariff


def test_unknown_time_of_a_run_is_stated_with_the_run() -> None:
    found = shares(hours(10_000, None), [Use("a", T0, T0 + timedelta(hours=2))])
    assert (found["a"].energy.kwh, found["a"].energy.unknown_s) == (10, 3600)


WATTS = st.one_of(st.none(), st.floats(0, 20_000))
SLOTS = st.lists(st.tuples(WATTS, st.floats(0, 1), WATTS, st.floats(0, 1), WATTS), min_size=1, max_size=6)
USES = st.lists(
    st.tuples(st.sampled_from("abc"), st.integers(-60, 400), st.integers(1, 300), st.integers(1, 8)), max_size=6
)


@given(SLOTS, USES)
def test_parts_of_all_users_and_idle_time_add_up_to_the_whole(
    values: list[tuple[float | None, float, float | None, float, float | None]], raw: list[tuple[str, int, int, int]]
) -> None:
    slots = [Slot(T0 + timedelta(hours=n), 3600, *each) for n, each in enumerate(values)]
    uses = [
        Use(key, T0 + timedelta(minutes=start), T0 + timedelta(minutes=start + length), weight)
        for key, start, length, weight in raw
    ]
    whole, found = energy(slots), shares(slots, uses, TARIFF)
    parts = added(each.energy for each in found.values())
    assert (parts.kwh or 0) == pytest.approx(whole.kwh or 0)
    assert parts.total_s == pytest.approx(whole.total_s)
    assert parts.unknown_s == pytest.approx(whole.unknown_s)
    spent = sum(each.cost for each in found.values() if each.cost is not None)
    assert spent == pytest.approx(cost(slots, TARIFF) or 0)


@given(SLOTS)
def test_known_and_unknown_time_are_all_time_and_errors_lie_between_those_of_meters(
    values: list[tuple[float | None, float, float | None, float, float | None]],
) -> None:
    found = energy(Slot(T0, 3600, *each) for each in values)
    assert -1e-6 <= found.unknown_s <= found.total_s + 1e-6
    assert found.error_percent is None or 2 - 1e-9 <= found.error_percent <= 20 + 1e-9


# ---- PUE ----


def test_pue_is_site_by_it_and_unknown_where_either_is() -> None:
    assert pue(Hour(T0, 1_220, 1_000)) == pytest.approx(1.22)
    assert pue(Hour(T0, 1_220, 970, it_coverage=0.97)) == pytest.approx(1.22)
    for hour in (Hour(T0, None, 1_000), Hour(T0, 1_220, None), Hour(T0, 1_220, 0), Hour(T0, 900, 1_000),
                 Hour(T0, 1_220, 900, it_coverage=0.9)):  # fmt: skip
        assert pue(hour) is None


def test_adding_nothing_changes_nothing() -> None:
    one = energy(hours(5_000))
    assert one + Energy() == one
