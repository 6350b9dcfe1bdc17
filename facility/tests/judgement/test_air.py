"""Air: where warm air comes from and which gap to close; what is not known is not cool."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facility.judgement.air import MachineAir, RackAir, profile, rise_c_per_min
from facility.judgement.cooling import Port, fans_high, findings, hot_ports, place_of, rise_finding
from facility.judgement.gaps import Gap, benefit_c, gaps_of, gaps_to_close, profile_after
from facility.judgement.gpus import MachineGpus, band, near_findings
from facility.judgement.limits import SiteLimits

LIMITS = SiteLimits()


def machine(number: int, bottom_u: int, inlet_c: float | None, **changes: object) -> MachineAir:
    return replace(MachineAir(number, f"hgx-{number}", bottom_u, 6, "H100", "A2", inlet_c), **changes)  # type: ignore[arg-type]


def rack(*inlets: float | None, open_u: tuple[int, ...] = (), position: int = 1) -> RackAir:
    """Machines from U5 up, as in the picture of a rack of four: two below, two above, a gap between."""
    bottoms = (5, 11, 35, 41)
    machines = tuple(
        machine(position * 10 + n, u, c) for n, (u, c) in enumerate(zip(bottoms, inlets, strict=False), start=1)
    )
    return RackAir(position, f"D{position}", 1, "D", position, machines, frozenset(open_u))


WARM = rack(22.6, 23.1, 27.4, 28.3, open_u=(33, 34))
COOL = [rack(22.5, 23.0, 23.4, 23.8, position=n) for n in (2, 3)]


def kinds(found: list) -> list[str]:
    return sorted({each.kind for each in found})


# ---- inlets ----


def test_a_profile_goes_from_the_bottom_up_and_leaves_out_what_is_not_known() -> None:
    points = profile(rack(22, None, 25))
    assert [(p.at_u, p.temperature_c, p.name) for p in points] == [(7.5, 22, "hgx-11"), (37.5, 25, "hgx-13")]


@pytest.mark.parametrize(
    ("inlet", "name", "kind"),
    [(26.9, "A2", []), (27.5, "A2", ["inlet.hot"]), (35.5, "A2", ["air.class"]), (9.0, "A2", ["air.class"]),
     (26.0, "H1", ["air.class"]), (23.0, "H1", ["inlet.hot"]), (38.0, "A3", ["inlet.hot"]), (None, "A2", []),
     (36.0, "X9", ["air.class"])],
)  # fmt: skip
def test_an_inlet_is_compared_with_the_class_of_its_model(inlet: float | None, name: str, kind: list[str]) -> None:
    alone = replace(rack(), machines=(machine(1, 5, inlet, air_class=name),))
    assert kinds(findings([alone], LIMITS)) == kind


def test_a_hot_spot_is_hotter_than_the_same_height_beside_it() -> None:
    found = [each for each in findings([WARM, *COOL], LIMITS) if each.kind == "hot.spot"]
    assert [each.subject_name for each in found] == ["hgx-13", "hgx-14"]
    assert "4.0 °C warmer than the same height" in found[0].text
    assert "hot.spot" not in kinds(findings([WARM, COOL[0], replace(COOL[1], row="E")], LIMITS))


def test_recirculation_is_named_with_the_gap_it_comes_through() -> None:
    (found,) = [each for each in findings([WARM, *COOL], LIMITS) if each.kind == "recirculation"]
    assert (found.subject_kind, found.subject_id) == ("rack", 1)
    assert found.values["gaps"] == [[33, 34]]
    assert found.values["machines"] == [13, 14]
    assert "through U33-34" in found.text


def test_recirculation_without_a_gap_names_no_gap() -> None:
    (found,) = [e for e in findings([replace(WARM, open_u=frozenset()), *COOL], LIMITS) if e.kind == "recirculation"]
    assert "no gap is open" in found.text


def test_a_row_that_is_warm_at_the_top_as_a_whole_has_no_recirculation_of_one_rack() -> None:
    row = [replace(rack(22.6, 23.1, 27.4, 28.3, position=n)) for n in (1, 2, 3)]
    assert "recirculation" not in kinds(findings(row, LIMITS))


# ---- gaps ----


def test_open_units_beside_each_other_are_one_gap() -> None:
    assert gaps_of([34, 33, 7, 40]) == [Gap(7, 7), Gap(33, 34), Gap(40, 40)]


def test_the_gap_under_hot_machines_is_closed_first() -> None:
    advice = gaps_to_close(replace(WARM, open_u=frozenset((1, 2, 33, 34))))
    assert (advice[0].from_u, advice[0].to_u, advice[0].panel_u) == (33, 34, 2)
    assert set(advice[0].machines) == {13, 14}
    assert 2 < advice[0].benefit_c < 6
    assert advice[0].text().startswith("Close U33-34 with 2U of panels: −")


def test_a_rack_without_gaps_or_without_heat_gets_no_advice() -> None:
    assert gaps_to_close(replace(WARM, open_u=frozenset())) == []
    assert gaps_to_close(rack(22.5, 22.5, 22.5, 22.5, open_u=(33, 34))) == []
    assert gaps_to_close(rack(None, None, None, None, open_u=(33, 34))) == []


def test_a_forecast_says_what_fans_save_when_their_watts_are_known() -> None:
    tell = [replace(each, fans_w=400.0, hottest_gpu_c=70.0) for each in WARM.machines]
    (advice,) = gaps_to_close(replace(WARM, machines=tuple(tell)))
    assert advice.fans_w is not None and 100 < advice.fans_w < 300
    assert gaps_to_close(WARM)[0].fans_w is None


INLETS = st.lists(st.one_of(st.none(), st.floats(15, 45)), min_size=4, max_size=4)
OPEN = st.frozensets(st.one_of(st.integers(1, 4), st.integers(17, 34), st.integers(47, 48)))


@given(INLETS, OPEN)
def test_closing_gaps_never_forecasts_colder_than_the_coolest_nor_warmer_than_now(
    inlets: list[float | None], open_u: frozenset[int]
) -> None:
    given_rack = replace(rack(*inlets), open_u=open_u)
    before, after = profile(given_rack), profile_after(given_rack)
    coolest = min((point.temperature_c for point in before), default=0)
    for one, two in zip(before, after, strict=True):
        assert coolest - 1e-9 <= two.temperature_c <= one.temperature_c + 1e-9


@given(INLETS, OPEN)
def test_advice_is_in_order_of_benefit_and_covers_only_open_units(
    inlets: list[float | None], open_u: frozenset[int]
) -> None:
    given_rack = replace(rack(*inlets), open_u=open_u)
    advice = gaps_to_close(given_rack)
    sums = [each.benefit_c * len(each.machines) for each in advice]
    assert sums == sorted(sums, reverse=True)
    assert all(set(range(each.from_u, each.to_u + 1)) <= open_u for each in advice)
    for each in given_rack.machines:
        parts = [benefit_c(given_rack, each, [gap]) or 0 for gap in gaps_of(open_u)]
        assert sum(parts) == pytest.approx(benefit_c(given_rack, each, gaps_of(open_u)) or 0)


# ---- rise, fans, ports ----


def test_a_rise_is_measured_in_degrees_a_minute_and_one_wrong_value_does_not_make_it() -> None:
    rising = [(10.0 * n, 24 + 0.4 * n) for n in range(31)]
    assert rise_c_per_min(rising, LIMITS) == pytest.approx(2.4)
    steady: list[tuple[float, float | None]] = [(10.0 * n, 24.0) for n in range(31)]
    steady[-1] = (300.0, 60.0)
    assert rise_c_per_min(steady, LIMITS) == 0
    assert rise_c_per_min([(0, None), (10, None)], LIMITS) is None
    assert rise_c_per_min(rising[:5], LIMITS) is None  # 40 s prove nothing


def test_a_fast_rise_is_a_finding_of_its_rack_with_its_row() -> None:
    found = rise_finding(place_of(WARM), "inlet of hgx-14", 2.4, LIMITS)
    assert found is not None and (found.kind, found.values["row"], found.severity) == ("rise.fast", "D", "bad")
    assert rise_finding(place_of(WARM), "inlet of hgx-14", 0.9, LIMITS) is None
    assert rise_finding(place_of(WARM), "inlet of hgx-14", None, LIMITS) is None


def fan(number: int, rpm: float, gpus_w: float | None, inlet_c: float | None = 22.0, **changes: object) -> MachineAir:
    changes = {"gpus_w": (gpus_w, gpus_w), "planned_w": 3_000.0, "power_w": 2_000.0, **changes}
    return machine(number, 5, inlet_c, fans_rpm={"F1": rpm, "F2": None}, **changes)


def high(*machines: MachineAir) -> list[int]:
    return [each.subject_id for each in fans_high([replace(rack(), machines=machines)], LIMITS)]


IDLE = [fan(n, 6_000.0 + 10 * n, 100.0) for n in range(9)]
BUSY = [fan(n, 14_000.0 + 10 * n, 1_000.0) for n in range(20, 29)]


def test_fans_above_those_of_their_model_that_have_as_much_to_cool_are_found_and_slower_ones_are_not() -> None:
    assert high(*IDLE, fan(90, 9_500.0, 100.0), fan(91, 3_000.0, 100.0)) == [90]
    found = fans_high([replace(rack(), machines=(*BUSY, fan(90, 17_500.0, 1_000.0)))], LIMITS)
    assert [each.text for each in found] == [
        "The fans of hgx-90 turn at 17500 rpm, those of 9 others of its model at a similar draw and inlet at 14240 rpm."
    ]


def test_loaded_machines_beside_idle_ones_have_fast_fans_for_a_reason() -> None:
    assert high(*IDLE, *BUSY) == []
    assert high(*IDLE, fan(90, 14_000.0, 1_000.0)) == [], "nothing that works as hard is there to compare it with"
    assert high(*IDLE, fan(90, 9_500.0, 190.0)) == [], "nor where it works a little harder"


def test_what_fans_draw_themselves_does_not_make_them_look_busy() -> None:
    assert high(*IDLE, fan(90, 15_000.0, 100.0, power_w=2_900.0)) == [90]


def test_machines_without_gpus_are_compared_by_all_that_they_draw_and_with_each_other_alone() -> None:
    plain = [replace(each, gpus_w=(), power_w=200.0) for each in IDLE]
    odd = replace(fan(90, 9_500.0, None), gpus_w=(), power_w=210.0)
    assert high(*plain, odd) == [90]
    assert high(*IDLE, odd) == []


def test_in_warm_air_fans_are_compared_with_those_in_air_as_warm() -> None:
    warm = [fan(n, 9_500.0 + 10 * n, 100.0, 29.0) for n in range(30, 39)]
    assert high(*IDLE, *warm) == []
    assert high(*IDLE, *warm, fan(90, 12_000.0, 100.0, 29.0)) == [90]


@pytest.mark.parametrize("changes", [{"gpus_w": (100.0, None)}, {"gpus_w": (), "power_w": None}, {"inlet_c": None}])
def test_a_machine_of_unknown_draw_or_inlet_is_compared_with_nobody_and_nobody_with_it(changes: dict) -> None:
    assert high(*IDLE, replace(fan(90, 9_500.0, 100.0), **changes)) == []
    assert high(*(replace(each, **changes) for each in IDLE), fan(90, 9_500.0, 100.0)) == []


def test_ports_over_70_degrees_are_listed_by_rack_and_height() -> None:
    ports = [
        Port(1, "leaf-1", "swp3", 74.0, 28, 2, "D2"), Port(1, "leaf-1", "swp1", 71.0, 27, 1, "D1"),
        Port(1, "leaf-1", "swp2", 70.0, 27, 1, "D1"), Port(1, "leaf-1", "swp4", None, 27, 1, "D1"),
    ]  # fmt: skip
    found = hot_ports(ports, LIMITS)
    assert [each.part for each in found] == ["swp1", "swp3"]
    assert found[0].text == "Port swp1 of leaf-1 in D1 U27 has 71 °C."


# ---- GPUs ----


@pytest.mark.parametrize(
    ("temperature", "slowdown", "expected"),
    [(75, 87, "great"), (75.1, 87, "good"), (79.9, 87, "good"), (80, 87, "warm"), (84, 87, "near"), (87, 87, "slows"),
     (90, None, "near"), (None, 87, "unknown"), (80, 82, "near"), (83, 92, "warm"), (84, 92, "near")],
)  # fmt: skip
def test_bands_are_the_sites_and_the_models_own(
    temperature: float | None, slowdown: float | None, expected: str
) -> None:
    assert band(temperature, LIMITS, slowdown) == expected


def test_gpus_near_their_limit_are_one_finding_for_a_machine() -> None:
    given_gpus = MachineGpus(1, "hgx-1", (("GPU 0", 85.0), ("GPU 1", 70.0), ("GPU 2", None), ("GPU 3", 86.0)), 87)
    (found,) = near_findings([given_gpus], LIMITS)
    assert found.text == "GPU 3 and 1 more of hgx-1 at 86 °C; 87 °C is where clocks fall."
