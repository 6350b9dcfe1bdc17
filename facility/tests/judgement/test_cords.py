"""Where cords go: loads that change together prove it, and nothing else names a feed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facility.judgement.cords import OutletSeries, SupplySeries, by_outlets, by_pdus, findings, residuals, together
from facility.tests.judgement.halls import inlet_id, machine_id, pdu_id, plan

A, B = pdu_id(1, "A"), pdu_id(1, "B")


def load(seed: int, length: int = 90, step: float = 80) -> list[float]:
    rng = random.Random(seed)
    return [max(0.0, 1_500 + each) for each in accumulate(rng.gauss(0, step) for _ in range(length))]


def noisy(watts: Sequence[float], seed: int, by: float = 5) -> list[float]:
    rng = random.Random(seed + 1_000)
    return [each + rng.gauss(0, by) for each in watts]


def supply(machine: int, number: int, watts: Sequence[float | None], pdu: int = A, outlet: str = "") -> SupplySeries:
    pk = machine_id(1, machine)
    name = f"hgx-1-{machine}"
    return SupplySeries(inlet_id(pk, number), pk, name, f"PSU {number}", watts, pdu, outlet or f"{machine}{number}")


def test_a_supply_that_follows_its_outlet_agrees() -> None:
    watts = load(1)
    (found,) = by_outlets([supply(1, 1, watts)], [OutletSeries(A, "11", noisy(watts, 1))])
    assert (found.verdict, found.found_pdu_id) == ("agrees", None)


def test_a_cord_in_an_outlet_of_the_other_feed_is_found_with_pdu_and_outlet() -> None:
    one, two = load(1), load(2)
    supplies = [supply(1, 1, one), supply(2, 1, two)]
    outlets = [
        OutletSeries(A, "11", [0.0] * 90), OutletSeries(B, "7", noisy(one, 3)), OutletSeries(A, "21", noisy(two, 4)),
    ]  # fmt: skip
    found = by_outlets(supplies, outlets)
    assert [each.verdict for each in found] == ["wrong", "agrees"]
    assert (found[0].found_pdu_id, found[0].found_outlet) == (B, "7")
    (finding,) = findings(found, plan(racks=1))
    assert (finding.subject_id, finding.part, finding.rack_id) == (machine_id(1, 1), "PSU 1", 1)
    assert "recorded at pdu-1-a outlet 11, but its load is that of pdu-1-b outlet 7 on another feed" in finding.text


def test_two_swapped_cords_are_both_found() -> None:
    one, two = load(1), load(2)
    outlets = [OutletSeries(A, "11", noisy(two, 3)), OutletSeries(B, "21", noisy(one, 4))]
    found = by_outlets([supply(1, 1, one), supply(2, 1, two, B)], outlets)
    assert [(each.verdict, each.found_pdu_id, each.found_outlet) for each in found] == [
        ("wrong", B, "21"), ("wrong", A, "11"),
    ]  # fmt: skip


def test_outlets_of_two_pdus_that_follow_alike_leave_it_unknown_and_of_one_pdu_name_it_alone() -> None:
    watts = load(1)
    still = OutletSeries(A, "11", [0.0] * 90)
    alike = [OutletSeries(B, "7", noisy(watts, 3)), OutletSeries(B, "8", noisy(watts, 4))]
    (found,) = by_outlets([supply(1, 1, watts)], [still, *alike])
    assert (found.verdict, found.found_pdu_id, found.found_outlet) == ("wrong", B, "")
    (found,) = by_outlets([supply(1, 1, watts)], [still, *alike, OutletSeries(99, "1", noisy(watts, 5))])
    assert found.verdict == "unknown"


def test_an_outlet_that_follows_the_supply_recorded_in_it_is_nobody_elses() -> None:
    """A machine at the same work as another one is not found in that one's outlet."""
    watts = load(1)
    twin = supply(2, 1, noisy(watts, 8), B)
    found = by_outlets(
        [supply(1, 1, watts), twin], [OutletSeries(A, "11", load(5)), OutletSeries(B, "21", noisy(watts, 9))]
    )
    assert [each.verdict for each in found] == ["unknown", "agrees"]


@pytest.mark.parametrize("watts", [load(1)[:20], [1_500.0] * 90, [None] * 90, load(1, step=1)])
def test_too_few_changes_or_too_little_movement_is_unknown(watts: list[float]) -> None:
    series = list(watts)
    (found,) = by_outlets([supply(1, 1, series)], [OutletSeries(A, "11", [0.0] * 90), OutletSeries(B, "1", series)])
    assert found.verdict == "unknown"


def test_changes_across_a_missing_value_do_not_count() -> None:
    watts: list[float | None] = list(load(1, 33))
    assert together(watts, watts) is not None
    watts[10] = None
    assert (together(watts, watts) or (0, 0, 30))[2] == 30
    watts[20] = None
    assert together(watts, watts) is None


SERIES = st.lists(st.one_of(st.none(), st.floats(0, 3_000)), min_size=40, max_size=60)


@given(st.integers(0, 2**32), st.integers(2, 12))
def test_noise_never_names_a_wrong_feed(seed: int, machines: int) -> None:
    """Supplies and outlets whose loads have nothing to do with each other."""
    rng = random.Random(seed)

    def noise() -> list[float]:
        return [rng.uniform(0, 3_000) for _ in range(60)]

    supplies = [supply(n, 1, noise()) for n in range(1, machines)]
    outlets = [OutletSeries(rng.choice([A, B]), f"{n}1", noise()) for n in range(1, machines)]
    assert all(each.verdict == "unknown" for each in by_outlets(supplies, outlets))
    assert by_pdus(supplies, {A: noise(), B: noise()}) == []


@given(st.integers(0, 2**32), st.integers(1, 8), st.floats(0, 8))
def test_a_right_inventory_is_never_wrong(seed: int, machines: int, by_w: float) -> None:
    supplies = [supply(n, k, load(seed + n), A if k < 4 else B) for n in range(1, machines + 1) for k in (1, 2, 4, 5)]
    outlets = [OutletSeries(s.pdu_id, s.outlet, noisy(s.watts, n, by_w)) for n, s in enumerate(supplies)]  # type: ignore[arg-type]
    assert all(each.verdict != "wrong" for each in by_outlets(supplies, outlets))
    assert by_pdus(supplies, summed(supplies, {}, by_w)) == []


def summed(supplies: Sequence[SupplySeries], really: dict[int, int], by_w: float = 5) -> dict[int, list[float | None]]:
    """What PDUs measure when cords go where `really` says."""
    found: dict[int, list[float | None]] = {}
    for pdu in (A, B):
        mine = [each.watts for each in supplies if really.get(each.inlet_id, each.pdu_id) == pdu]
        total = [sum(w or 0 for w in column) for column in zip(*mine, strict=True)] if mine else [0.0] * 90
        found[pdu] = list(noisy(total, pdu, by_w))
    return found


def test_a_machine_with_its_cords_on_another_pdu_is_found_without_metered_outlets() -> None:
    supplies = [supply(n, k, load(n), A if k < 4 else B) for n in (1, 2, 3) for k in (1, 2, 3, 4, 5, 6)]
    moved = {each.inlet_id: A for each in supplies if each.device == "hgx-1-2" and each.pdu_id == B}
    (found,) = by_pdus(supplies, summed(supplies, moved))
    assert (found.device, found.recorded_pdu_id, found.found_pdu_id) == ("hgx-1-2", B, A)
    assert found.supplies == ("PSU 4", "PSU 5", "PSU 6")


def test_one_of_three_supplies_on_another_pdu_is_counted() -> None:
    supplies = [supply(n, k, load(n), A if k < 4 else B) for n in (1, 2, 3) for k in (1, 2, 3, 4, 5, 6)]
    (found,) = by_pdus(supplies, summed(supplies, {supplies[0].inlet_id: B}))
    assert (found.device, found.supplies) == ("hgx-1-1", ("1 of 3 supplies",))


def test_two_machines_at_the_same_work_cannot_be_told_apart_and_none_is_named() -> None:
    supplies = [supply(n, k, load(1), A if k < 4 else B) for n in (1, 2) for k in (1, 2, 3, 4, 5, 6)]
    assert by_pdus(supplies, summed(supplies, {supplies[0].inlet_id: B})) == []


def test_a_pdu_with_a_supply_that_is_not_measured_is_not_compared() -> None:
    supplies = [supply(1, 1, load(1)), supply(2, 1, [None] * 90)]
    assert residuals(supplies, {A: load(1)})[A] == [None] * 90
    assert by_pdus(supplies, summed([supplies[0]], {supplies[0].inlet_id: B})) == []
