"""The physics of the hall: power over cords, air through gaps, fans, GPUs, water. No clock, no network."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.heat import air, answers, cooling
from simulator.heat.bodies import Doing
from simulator.heat.faults import HeatError
from simulator.heat.machines import Asked, Sizes, drawn
from simulator.heat.plan import RackPlan
from simulator.heat.room import Room
from simulator.heat.sample import sample_heat
from simulator.plan import sample_plan

MACHINES = 6
PLANNED_W = 10_200


class Timed:
    """A room with its clock."""

    def __init__(self, room: Room) -> None:
        self.room, self.now = room, 0.0
        room.at(0.0)

    def after(self, seconds: float, step: float = 10.0) -> Timed:
        end = self.now + seconds
        while self.now < end:
            self.now = min(end, self.now + step)
            self.room.at(self.now)
        return self

    def inject(self, name: str, target: str, **params: Any) -> None:
        self.room.inject(name, target, params, self.now)

    def clear(self, name: str) -> None:
        self.room.clear(self.now, name=name)

    def machine(self, name: str = "gpu0001") -> answers.MachineNow:
        found = answers.machine(self.room, name, self.now)
        assert found is not None
        return found

    def pdu(self, name: str) -> answers.PduNow:
        return answers.pdu(self.room, name, self.now)

    def unit(self) -> answers.CoolingNow:
        return answers.unit(self.room, "cdu-1", self.now)

    def load_all(self) -> Timed:
        for name in self.room.bodies:
            self.inject("load", name)
        return self.after(900)


@pytest.fixture
def timed() -> Timed:
    return Timed(Room(sample_heat(sample_plan(MACHINES))))


# ---- a healthy hall ----


@pytest.mark.parametrize("load", [0.0, 0.5, 1.0])
def test_a_healthy_machine_is_within_every_limit_of_the_checks(timed: Timed, load: float) -> None:
    for name in timed.room.bodies:
        timed.inject("load", name, share=load)
    timed.after(1800)
    for name in timed.room.bodies:
        now = timed.machine(name)
        assert 18 <= now.inlet_c < 27
        assert now.watts < PLANNED_W
        assert all(gpu.celsius < 76 and not (gpu.warm or gpu.hot or gpu.braked or gpu.capped) for gpu in now.gpus)


def test_an_idle_machine_draws_a_sixth_of_what_a_busy_one_does(timed: Timed) -> None:
    idle = timed.machine().watts
    busy = timed.load_all().machine().watts
    assert 5 < busy / idle < 7


def test_what_the_outlets_carry_is_what_the_machines_draw(timed: Timed) -> None:
    timed.load_all()
    carried = sum(sum(pdu.watts) for pdu in timed.room.pdus.values())
    assert carried == pytest.approx(sum(body.now.total_w for body in timed.room.bodies.values()))


def test_fans_follow_load_and_warm_air() -> None:
    sizes = Sizes(PLANNED_W, 8, 700)
    idle, busy = (drawn(sizes, Asked(load=load), 22, 40) for load in (0, 1))
    warm = drawn(sizes, Asked(load=0), 38, 40)
    assert idle.fan_share < warm.fan_share < busy.fan_share
    assert warm.total_w > idle.total_w


@given(st.floats(0, 1), st.floats(10, 60), st.floats(10, 100), st.booleans())
def test_a_machine_never_draws_less_than_nothing_nor_more_than_its_plan(
    load: float, inlet_c: float, gpu_c: float, brake: bool
) -> None:
    now = drawn(Sizes(PLANNED_W, 8, 700), Asked(load=load, brake=brake), inlet_c, gpu_c)
    assert 0 < now.total_w <= PLANNED_W
    assert 0 <= now.gpu_w <= 700


# ---- heat ----


def test_an_open_gap_warms_the_machine_beside_it_most_and_closing_it_ends_that(timed: Timed) -> None:
    before = timed.load_all().machine("gpu0001").inlet_c
    timed.inject("gap_open", "R01", from_u=1, to_u=4)
    timed.after(1800)
    beside, next_up, top = (timed.machine(f"gpu000{n}").inlet_c for n in (1, 2, 4))
    assert beside > before + 8 > next_up > top
    timed.clear("gap_open")
    assert timed.after(1800).machine("gpu0001").inlet_c == pytest.approx(before, abs=0.5)


def test_a_wider_gap_lets_more_back() -> None:
    machine = air.Span(4, 10)
    shares = [air.share(machine, [air.Span(4 - units, 4)]) for units in (1, 2, 4)]
    assert shares == sorted(shares) and shares[0] < shares[-1] <= air.MOST


def test_a_gap_where_a_machine_stands_or_beyond_the_rack_is_refused(timed: Timed) -> None:
    with pytest.raises(HeatError, match="gpu0001 is in these units"):
        timed.inject("gap_open", "R01", from_u=4, to_u=6)
    with pytest.raises(HeatError, match="units 1 to 48"):
        timed.inject("gap_open", "R01", from_u=48, to_u=49)


def test_units_counted_from_the_top_are_the_same_heights() -> None:
    assert RackPlan("A", height_u=48).span(1, 4) == RackPlan("A", height_u=48, top_down=True).span(45, 48) == (0, 4)


def test_a_large_gap_and_a_warm_supply_throttle_busy_gpus(timed: Timed) -> None:
    timed.load_all()
    timed.inject("gap_open", "R01", from_u=29, to_u=40)
    timed.inject("supply_warm", "cdu-1", celsius=8)
    now = timed.after(3600).machine("gpu0004")
    assert all(gpu.warm for gpu in now.gpus) and any(gpu.hot for gpu in now.gpus)
    assert now.gpus[0].watts < 689
    assert max(gpu.celsius for gpu in now.gpus) < 92


def test_a_warmer_supply_warms_every_inlet_by_as_much(timed: Timed) -> None:
    before = timed.machine("gpu0003").inlet_c
    timed.inject("supply_warm", "cdu-1", celsius=6)
    assert timed.after(3600).machine("gpu0003").inlet_c == pytest.approx(before + 6, abs=0.5)


def test_sinks_that_sit_badly_slow_the_gpus_of_one_machine_at_work(timed: Timed) -> None:
    timed.load_all().inject("sinks_loose", "gpu0002")
    hot, beside = timed.after(300).machine("gpu0002"), timed.machine("gpu0003")
    assert all(gpu.warm for gpu in hot.gpus) and hot.gpus[0].watts < beside.gpus[0].watts
    assert not any(gpu.warm for gpu in beside.gpus) and hot.inlet_c < 27
    timed.clear("sinks_loose")
    assert not any(gpu.warm for gpu in timed.after(300).machine("gpu0002").gpus)


def test_going_on_moves_temperatures_as_time_does_and_neither_counters_nor_breakers(timed: Timed) -> None:
    waited = Timed(Room(sample_heat(sample_plan(MACHINES))))
    for each in (timed, waited):
        each.inject("load", "gpu0001")
        each.inject("gap_open", "R01", from_u=1, to_u=4)
    timed.inject("outlet_taken", "pdu-r02-a", outlet="24", watts=16_000)
    energy = timed.pdu("pdu-r01-a").energy_kwh
    timed.room.go_on(1200, timed.now)
    assert timed.machine().inlet_c == pytest.approx(waited.after(1200).machine().inlet_c, abs=0.5)
    assert timed.machine().gpus[0].celsius == pytest.approx(waited.machine().gpus[0].celsius, abs=2)
    assert timed.pdu("pdu-r01-a").energy_kwh == energy
    assert not timed.room.of("bank_tripped", "pdu-r02-a"), "its breaker has its own time"


# ---- water ----


def test_a_closed_valve_stops_the_primary_flow_and_warms_water_then_air_at_a_rate(timed: Timed) -> None:
    timed.load_all()
    timed.inject("valve_closed", "cdu-1")
    assert timed.unit().primary.lpm == 0 and timed.unit().primary.open_percent == 0
    supplies, inlets = [], []
    for _ in range(5):
        timed.after(240)
        supplies.append(timed.unit().secondary.supply_c)
        inlets.append(timed.machine().inlet_c)
    assert supplies == sorted(supplies) and supplies[-1] > 25
    assert inlets[-1] > inlets[1] + 5
    timed.clear("valve_closed")
    assert timed.after(5400).unit().secondary.supply_c == pytest.approx(cooling.WATER_C, abs=0.5)


def test_the_manifold_of_one_rack_closes_for_that_rack_alone(timed: Timed) -> None:
    timed.load_all()
    timed.inject("valve_closed", "cdu-1", manifold="R02")
    flows = {each.rack: each.lpm for each in timed.after(600).unit().manifolds}
    assert flows["R02"] == 0 and flows["R01"] > 50
    assert timed.machine("gpu0005").inlet_c > timed.machine("gpu0001").inlet_c + 5


def test_one_pump_of_two_carries_all_and_none_carries_nothing(timed: Timed) -> None:
    full = timed.unit().secondary.lpm
    timed.inject("pump_failed", "cdu-1", pump=1)
    assert timed.unit().pump_percents == (0, 100)
    assert timed.unit().secondary.lpm == pytest.approx(full, rel=0.03)
    timed.inject("pump_failed", "cdu-1", pump=2)
    assert timed.unit().secondary.lpm == 0


def test_a_dirty_filter_shows_more_pressure_and_less_flow(timed: Timed) -> None:
    before = timed.unit()
    timed.inject("filter_dirty", "cdu-1", dirt=0.6)
    after = timed.unit()
    assert after.filter_kpa > before.filter_kpa and after.secondary.lpm < 0.7 * before.secondary.lpm


def test_humid_air_has_a_dew_point_near_the_coolant(timed: Timed) -> None:
    def margin_c() -> float:
        now = timed.unit()
        return now.secondary.supply_c - cooling.dew_point_c(now.air_c, now.humidity_percent)

    assert margin_c() > 2
    timed.inject("air_humid", "cdu-1", percent=75)
    assert margin_c() < 0 and timed.pdu("pdu-r01-a").humidity_percent == 75
    timed.clear("air_humid")
    assert margin_c() > 2


def test_a_leak_is_wet_where_it_is(timed: Timed) -> None:
    timed.inject("leak", "cdu-1", detector="R02")
    assert timed.unit().wet == {"Tray": False, "R01": False, "R02": True}


# ---- power ----


def test_a_dead_feed_leaves_its_supplies_with_nothing_and_their_siblings_with_all(timed: Timed) -> None:
    before = timed.machine().supplies
    timed.inject("feed_off", "r01-a")
    after = timed.machine().supplies
    assert [after[f"PSU {n}"].watts for n in (1, 2, 3)] == [0, 0, 0]
    assert [after[f"PSU {n}"].input_v for n in (1, 2, 3)] == [0, 0, 0]
    assert after["PSU 4"].watts == pytest.approx(2 * before["PSU 4"].watts, rel=0.05)
    timed.clear("feed_off")
    assert timed.machine().supplies["PSU 1"].watts > 0


def test_half_of_the_supplies_under_full_load_pulls_the_power_brake(timed: Timed) -> None:
    timed.load_all().inject("feed_off", "r01-a")
    now = timed.after(60).machine()
    assert all(gpu.braked for gpu in now.gpus) and now.watts < 8400
    assert not any(gpu.braked for gpu in timed.machine("gpu0005").gpus)


def test_without_both_feeds_a_machine_is_dark(timed: Timed) -> None:
    timed.inject("feed_off", "r01-a")
    timed.inject("feed_off", "r01-b")
    assert timed.room.bodies["gpu0001"].dark and timed.machine().watts == 0
    assert not timed.room.bodies["gpu0005"].dark


def test_a_feed_over_its_size_trips_after_a_while_and_stays_off(timed: Timed) -> None:
    for number in range(19, 25):  # one on each bank, none of which is over its own size
        timed.inject("outlet_taken", "pdu-r01-a", outlet=str(number), watts=13_000)
    timed.after(30)
    assert not timed.room.of("feed_tripped", "r01-a")
    timed.after(120)
    assert [fault.target for fault in timed.room.faults if fault.name == "feed_tripped"] == ["r01-a"]
    assert timed.pdu("pdu-r01-a").watts == 0
    timed.clear("outlet_taken")
    assert timed.after(60).room.of("feed_tripped", "r01-a")
    timed.clear("feed_tripped")
    assert timed.pdu("pdu-r01-a").watts > 0


def test_a_bank_over_its_size_trips_alone(timed: Timed) -> None:
    timed.inject("outlet_taken", "pdu-r01-a", outlet="24", watts=16_000)
    timed.after(300)
    assert [fault.params["bank"] for fault in timed.room.of("bank_tripped", "pdu-r01-a")] == [6]
    now = timed.pdu("pdu-r01-a")
    assert now.outlets[23].watts == 0 and now.outlets[0].watts > 0


def test_a_supply_that_carries_nothing_has_its_input(timed: Timed) -> None:
    timed.inject("supply_idle", "gpu0001", supply="PSU 2")
    idle = timed.machine().supplies["PSU 2"]
    assert idle.watts == 0 and idle.input_v > 200
    assert timed.pdu("pdu-r01-a").outlets[1].watts == 0


def test_a_moved_cord_shows_at_the_other_outlet(timed: Timed) -> None:
    timed.inject("cord_moved", "gpu0001", supply="PSU 1", pdu="pdu-r01-b", outlet="C19 20")
    assert timed.pdu("pdu-r01-a").outlets[0].watts == 0
    assert timed.pdu("pdu-r01-b").outlets[19].watts > 200
    timed.inject("feed_off", "r01-b")
    assert timed.machine().supplies["PSU 1"].watts == 0


def test_a_broken_supply_carries_nothing() -> None:
    room = Room(sample_heat(sample_plan(1)), doing=lambda name: Doing(lost=frozenset({"PSU 3"})))
    timed = Timed(room)
    assert timed.machine().supplies["PSU 3"].watts == 0 and timed.machine().supplies["PSU 4"].watts > 0


def test_a_cap_and_a_brake_are_told_apart(timed: Timed) -> None:
    timed.load_all()
    timed.inject("power_capped", "gpu0001", watts=400)
    timed.inject("power_brake", "gpu0002")
    capped, braked = timed.machine("gpu0001").gpus[0], timed.machine("gpu0002").gpus[0]
    assert capped.capped and not capped.braked and capped.limit_w == 400 and capped.watts <= 400
    assert braked.braked and not braked.capped and braked.limit_w == 700


def test_energy_counts_what_was_drawn_and_begins_again_after_a_wrap(timed: Timed) -> None:
    before = timed.pdu("pdu-r01-a").energy_kwh
    timed.after(3600)
    drawn_kwh = timed.pdu("pdu-r01-a").energy_kwh - before
    assert drawn_kwh == pytest.approx(sum(timed.room.pdus["pdu-r01-a"].watts) / 1000, rel=0.02)
    timed.inject("counter_wraps", "pdu-r01-a")
    assert timed.pdu("pdu-r01-a").energy_kwh < 1
    timed.clear("counter_wraps")
    assert timed.pdu("pdu-r01-a").energy_kwh > before


def test_powers_in_tenths_are_ten_times_too_high(timed: Timed) -> None:
    right = timed.pdu("pdu-r01-a").watts
    timed.inject("values_in_tenths", "pdu-r01-a")
    assert timed.pdu("pdu-r01-a").watts == pytest.approx(10 * right, rel=0.05)


@pytest.mark.parametrize("load", [0.0, 1.0])
def test_the_site_takes_a_fifth_more_than_its_machines(timed: Timed, load: float) -> None:
    for name in timed.room.bodies:
        timed.inject("load", name, share=load)
    now = answers.site(timed.after(900).room, timed.now)
    assert 1.1 < now.site_w / now.it_w < 1.35


# ---- asking ----


def test_it_does_not_matter_how_often_somebody_asks(timed: Timed) -> None:
    rare, often = timed, Timed(Room(sample_heat(sample_plan(MACHINES))))
    for each in (rare, often):
        each.inject("load", "gpu0001")
        each.inject("valve_closed", "cdu-1", manifold="R01")
    rare.after(600, step=300)
    often.after(600, step=5)
    assert rare.machine().inlet_c == pytest.approx(often.machine().inlet_c, abs=1.5)


def test_faults_and_energies_survive_a_restart(timed: Timed) -> None:
    timed.inject("gap_open", "R01", from_u=1, to_u=4)
    timed.inject("counter_wraps", "pdu-r01-a")
    timed.after(3600)
    again = Timed(Room(sample_heat(sample_plan(MACHINES)), kept=timed.room.to_json()))
    assert [fault.name for fault in again.room.faults] == ["gap_open", "counter_wraps"]
    assert again.pdu("pdu-r01-a").energy_kwh == pytest.approx(timed.pdu("pdu-r01-a").energy_kwh, abs=0.1)


def test_the_same_fault_again_takes_the_place_of_the_first(timed: Timed) -> None:
    timed.inject("draws_more", "gpu0001", watts=500)
    timed.inject("draws_more", "gpu0001", watts=900)
    assert [fault.params["watts"] for fault in timed.room.faults] == [900]


@pytest.mark.parametrize(
    ("name", "target", "params", "said"),
    [
        ("gap", "R01", {}, "no fault of power or cooling"),
        ("gap_open", "R99", {"from_u": 1, "to_u": 2}, "there is none named 'R99'"),
        ("gap_open", "R01", {"units": 3}, "takes from_u, to_u"),
        ("gap_open", "R01", {"from_u": "low", "to_u": 2}, "number of 0 or more"),
        ("supply_idle", "gpu0001", {"supply": "PSU 9"}, "has the supplies PSU 1"),
        ("cord_moved", "gpu0001", {"pdu": "pdu-r01-a", "outlet": "C99 1"}, "has no outlet"),
        ("valve_closed", "cdu-1", {"manifold": "R99"}, "has manifolds for R01, R02"),
        ("feed_off", "r01-a", {"agents_stay": 1}, "true or false"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(
    timed: Timed, name: str, target: str, params: dict[str, Any], said: str
) -> None:
    with pytest.raises(HeatError, match=said):
        timed.inject(name, target, **params)
    assert timed.room.faults == []
