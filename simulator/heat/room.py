"""Racks, feeds and cooling together, worked out when somebody asks. No clock of its own.

Temperatures approach where they would end up, each with its time constant; powers follow at once. While something
changed within the last minutes longer waits are taken in small steps, so that it does not matter how often anybody
asks. `pace` makes temperatures move so many times faster than in a real hall; energies are counted in real time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import asdict
from math import exp
from typing import Any

from simulator.heat import air, cooling
from simulator.heat.bodies import POWER_FACTOR, Body, Doing, Outlet, PduState, RackState, UnitState
from simulator.heat.faults import CATALOGUE, HeatError, HeatFault, made, same
from simulator.heat.machines import Asked, Drawn, drawn, exhaust_target_c, gpu_target_c
from simulator.heat.plan import HeatPlan

STEP_S = 1.0
MOVING_STEP_S, MOST_STEPS, MOVING_S = 30.0, 60, 900.0
INLET_S, EXHAUST_S, GPU_S, AIR_S, WATER_S = 40.0, 60.0, 20.0, 240.0, 240.0
TRIPS = ((1.5, 10.0), (1.05, 60.0))
"""A circuit breaker opens after so long with so many times its size."""


class Room:
    """Everything of a plan. `doing` tells what a machine is about."""

    def __init__(
        self, plan: HeatPlan, *, doing: Callable[[str], Doing] = lambda name: Doing(), pace: float = 1.0,
        kept: dict[str, Any] | None = None,
    ) -> None:  # fmt: skip
        kept = kept or {}
        self.plan, self.pace = plan, pace
        self._doing = doing
        self.faults = [HeatFault(**row) for row in kept.get("faults", [])]
        self.wrapped: dict[str, list[float]] = dict(kept.get("wrapped", {}))
        self.revision = 0
        self.now = 0.0
        self._changed_at = -MOVING_S
        self._started = False
        self._wired_for = -1
        feeds = {feed.name: feed for feed in plan.feeds}
        energies = kept.get("energy_kwh", {})
        self.feeds = feeds
        self.pdus = {pdu.name: PduState(pdu, feeds.get(pdu.feed), energies.get(pdu.name)) for pdu in plan.pdus}
        racks = {rack.name: rack for rack in plan.racks}
        self.bodies = {each.name: Body(each, racks[each.rack]) for each in plan.devices}
        of: dict[str, list[Body]] = defaultdict(list)
        for body in self.bodies.values():
            of[body.plan.rack].append(body)
        self.racks = {name: RackState(rack, of[name]) for name, rack in racks.items()}
        self.units = {
            unit.name: UnitState(unit, [self.racks[name] for name in unit.racks if name in self.racks])
            for unit in plan.cooling
        }
        self._over_s: dict[str, float] = defaultdict(float)
        self._taken: list[tuple[Outlet, float]] = []
        self.meter_names: set[str] = {*self.pdus, *self.units}

    def to_json(self) -> dict[str, Any]:
        """What a later start goes on from."""
        return {
            "faults": [asdict(fault) for fault in self.faults],
            "wrapped": self.wrapped,
            "energy_kwh": {name: [round(kwh, 4) for kwh in pdu.energy_kwh] for name, pdu in self.pdus.items()},
        }

    # ---- faults ----

    def inject(self, name: str, target: str, given: dict[str, Any], now: float) -> HeatFault:
        """The fault, or the same one that is there already with these parameters. Raises HeatError."""
        self.at(now)
        fault = made(name, target, given, now)
        self._check(fault)
        self.faults = [each for each in self.faults if not same(each, fault)] + [fault]
        if name == "counter_wraps":
            self.wrapped[target] = list(self.pdus[target].energy_kwh)
        self._change(now)
        return fault

    def clear(self, now: float, *, name: str = "", target: str = "", given: dict[str, Any] | None = None) -> list[
        HeatFault
    ]:  # fmt: skip
        """End the faults of that name (or all), on that target (or any), with these parameters."""
        self.at(now)
        wanted = (given or {}).items()
        gone = [
            fault for fault in self.faults
            if name in ("", fault.name) and target in ("", fault.target) and wanted <= fault.params.items()
        ]  # fmt: skip
        self.faults = [fault for fault in self.faults if not any(fault is each for each in gone)]
        for fault in gone:
            if fault.name == "counter_wraps":
                self.wrapped.pop(fault.target, None)
        self._change(now)
        return gone

    def _change(self, now: float) -> None:
        self.revision += 1
        self._changed_at = now
        self._power(0.0)

    def _check(self, fault: HeatFault) -> None:
        about = CATALOGUE[fault.name].about
        there: dict[str, Iterable[str]] = {
            "rack": self.racks, "feed": self.feeds, "pdu": self.pdus, "cooling": self.units, "machine": self.bodies,
            "meter": self.meter_names,
        }  # fmt: skip
        if fault.target not in set(there[about]):
            raise HeatError(f"{fault.name} is about a {about}, and there is none named {fault.target!r}")
        if fault.name == "gap_open":
            self._check_gap(fault)
        if fault.name in ("supply_idle", "cord_moved"):
            supplies = self.bodies[fault.target].plan.supplies
            if fault.params["supply"] not in supplies:
                raise HeatError(f"{fault.target} has the supplies {', '.join(supplies) or 'nobody knows'}")
        if fault.name in ("cord_moved", "outlet_taken"):
            self._outlet(str(fault.params.get("pdu", fault.target)), str(fault.params["outlet"]))
        if fault.name == "valve_closed" and (manifold := fault.params["manifold"]):
            racks = self.units[fault.target].plan.racks
            if manifold not in racks:
                raise HeatError(f"{fault.target} has manifolds for {', '.join(racks)}, not for {manifold!r}")

    def _check_gap(self, fault: HeatFault) -> None:
        rack = self.racks[fault.target]
        gap = air.Span(*rack.plan.span(fault.number("from_u"), fault.number("to_u")))
        if gap.low < 0 or gap.high > rack.plan.height_u:
            raise HeatError(f"{fault.target} has units 1 to {rack.plan.height_u}")
        if taken := next((body.plan.name for body in rack.bodies if gap.overlaps(body.span)), None):
            raise HeatError(f"{taken} is in these units")

    def _outlet(self, pdu: str, outlet: str) -> Outlet:
        """By its name, or by its number as the device counts."""
        state = self.pdus.get(pdu)
        if state is None:
            raise HeatError(f"there is no PDU {pdu!r}")
        number = state.plan.numbers.get(outlet)
        if number is None and outlet.isdecimal() and 1 <= int(outlet) <= len(state.watts):
            number = int(outlet) - 1
        if number is None:
            raise HeatError(f"{pdu} has no outlet {outlet!r}")
        return Outlet(state, number)

    def of(self, name: str, target: str) -> list[HeatFault]:
        return [fault for fault in self.faults if fault.name == name and fault.target == target]

    # ---- what hangs on what ----

    def _wire(self) -> None:
        """Apply the faults; done again only after one came or went."""
        if self._wired_for == self.revision:
            return
        self._wired_for = self.revision
        by: dict[str, list[HeatFault]] = defaultdict(list)
        for fault in self.faults:
            by[fault.name].append(fault)
        off = {fault.target for fault in (*by["feed_off"], *by["feed_tripped"])}
        for pdu in self.pdus.values():
            pdu.feed_on = pdu.plan.feed not in off
            pdu.off_banks = {int(f.params["bank"]) - 1 for f in by["bank_tripped"] if f.target == pdu.plan.name}
        self._taken = [
            (outlet, fault.number("watts"))
            for fault in by["outlet_taken"]
            for outlet in [self._outlet(fault.target, str(fault.params["outlet"]))]
        ]
        of_machine: dict[str, list[HeatFault]] = defaultdict(list)
        for fault in self.faults:
            of_machine[fault.target].append(fault)
        for name, body in self.bodies.items():
            self._wire_body(body, of_machine.get(name, []))
        self._open_gaps(by["gap_open"])
        for unit in self.units.values():
            self._set_unit(unit, of_machine.get(unit.plan.name, []))

    def _wire_body(self, body: Body, faults: list[HeatFault]) -> None:
        told = {fault.name: fault for fault in faults}
        moved = {str(f.params["supply"]): f for f in faults if f.name == "cord_moved"}
        body.cords = {cord.supply: self._outlet(cord.pdu, cord.outlet) for cord in body.plan.cords}
        for supply, fault in moved.items():
            body.cords[supply] = self._outlet(str(fault.params["pdu"]), str(fault.params["outlet"]))
        body.live = tuple((supply, at) for supply, at in body.cords.items() if at.pdu.live(at.number))
        body.idle = frozenset(str(f.params["supply"]) for f in faults if f.name == "supply_idle")
        body.fault_load = min(1.0, told["load"].number("share")) if "load" in told else 0.0
        body.asked = Asked(
            cap_w=told["power_capped"].number("watts") if "power_capped" in told else None,
            more_w=told["draws_more"].number("watts") if "draws_more" in told else 0.0,
            faster_fans=told["fans_fast"].number("share") if "fans_fast" in told else 0.0,
            brake="power_brake" in told,
            hotter=told["sinks_loose"].number("times") if "sinks_loose" in told else 1.0,
        )

    def _open_gaps(self, faults: list[HeatFault]) -> None:
        gaps: dict[str, list[air.Span]] = defaultdict(list)
        for fault in faults:
            plan = self.racks[fault.target].plan
            gaps[fault.target].append(air.Span(*plan.span(fault.number("from_u"), fault.number("to_u"))))
        for name, rack in self.racks.items():
            spans = [body.span for body in rack.bodies]
            for body in rack.bodies:
                body.share = air.share(body.span, gaps[name]) if gaps.get(name) else 0.0
                weights = air.sources(body.span, gaps[name], spans) if body.share else []
                body.sources = list(zip(rack.bodies, weights, strict=True)) if weights else []

    def _set_unit(self, unit: UnitState, faults: list[HeatFault]) -> None:
        told = {fault.name: fault for fault in faults}
        valves = {str(f.params["manifold"]): min(100.0, f.number("open_percent")) for f in faults
                  if f.name == "valve_closed"}  # fmt: skip
        failed = frozenset(int(f.params["pump"]) for f in faults if f.name == "pump_failed")
        failed &= frozenset(range(1, unit.plan.pumps + 1))
        dirt = min(1.0, told["filter_dirty"].number("dirt")) if "filter_dirty" in told else 0.0
        unit.flow = cooling.flow(unit.plan.pumps, failed, valves.get("", 100.0), dirt)
        unit.warmer_c = told["supply_warm"].number("celsius") if "supply_warm" in told else 0.0
        humid = told["air_humid"].number("percent") if "air_humid" in told else cooling.HUMIDITY_PERCENT
        unit.humidity_percent = min(100.0, humid)
        for rack in unit.racks:
            rack.flow_share = unit.flow.secondary * valves.get(rack.plan.name, 100.0) / 100
            rack.humidity_percent = unit.humidity_percent

    # ---- time ----

    def moving(self, now: float) -> bool:
        """Something changed not long ago, and temperatures are on their way."""
        return (now - self._changed_at) * self.pace < MOVING_S

    def at(self, now: float) -> None:
        """Bring everything to this moment."""
        if not self._started:
            self._started, self.now = True, now
            self._settle()
            return
        passed = now - self.now
        if passed < STEP_S:
            return
        self.now = now
        steps = min(MOST_STEPS, int(passed * self.pace / MOVING_STEP_S) + 1) if self.moving(now) else 1
        for _ in range(steps):
            self._power(passed / steps)
            self._heat(passed * self.pace / steps)

    def go_on(self, seconds: float, now: float) -> None:
        """Temperatures at once where they would be after so much time; energies and breakers go by the clock."""
        self.at(now)
        steps = int(seconds / MOVING_STEP_S) + 1
        for _ in range(steps):
            self._power(0.0)
            self._heat(seconds / steps)

    def _settle(self) -> None:
        """Where everything ends up as it is now; of what would grow without end, some minutes of it."""
        for _ in range(20):
            self._power(0.0)
            self._heat(MOVING_STEP_S * 4)

    def _power(self, seconds: float) -> None:
        """Draws, what carries them, breakers that open, energies."""
        self._wire()
        for pdu in self.pdus.values():
            for number, watts in enumerate(pdu.watts):
                pdu.energy_kwh[number] += watts * seconds / 3.6e6
            pdu.watts = [0.0] * len(pdu.watts)
        for body in self.bodies.values():
            self._draw(body)
        for (pdu, number), watts in self._taken:
            pdu.watts[number] += watts if pdu.live(number) else 0.0
        self._trip(seconds)

    def _draw(self, body: Body) -> None:
        doing = self._doing(body.plan.name) if body.plan.kind == "machine" else Doing()
        body.limit_w = doing.limit_w
        body.load = max(doing.load, body.fault_load) if doing.on and not body.dark else 0.0
        if body.dark:
            body.carrying, body.now = (), Drawn(0.0, 0.0, 0.0, 0.0, False, False)
            return
        unable = doing.lost | body.idle
        carrying = [(supply, at) for supply, at in body.live if supply not in unable]
        able = [supply for supply in body.plan.supplies if supply not in unable]
        body.carrying = tuple(supply for supply, _ in carrying) if body.cords else tuple(able)
        rated = body.plan.supply_rated_w
        supplied = rated * len(carrying) if rated and body.cords else None
        body.now = drawn(
            body.sizes,
            body.asked._replace(on=doing.on, load=body.load, cap_w=body.cap_w),
            body.inlet_c,
            body.gpu_c,
            supplied,
        )
        for _, (pdu, number) in carrying:
            pdu.watts[number] += body.now.total_w / len(carrying)

    def _trip(self, seconds: float) -> None:
        loads: dict[str, float] = defaultdict(float)
        for pdu in self.pdus.values():
            loads[pdu.plan.feed] += sum(pdu.watts)
            for bank in range(pdu.plan.banks):
                ratio = pdu.bank_a(bank) / pdu.plan.bank_a
                if ratio > TRIPS[-1][0] and self._opens(f"{pdu.plan.name}/{bank}", ratio, seconds):
                    self._open("bank_tripped", pdu.plan.name, {"bank": bank + 1})
        for name, feed in self.feeds.items():
            if self._opens(name, loads[name] / POWER_FACTOR / feed.capacity_w, seconds):
                self._open("feed_tripped", name, {})

    def _opens(self, breaker: str, ratio: float, seconds: float) -> bool:
        wait = next((after for above, after in TRIPS if ratio > above), None)
        if wait is None:
            self._over_s.pop(breaker, None)
            return False
        self._over_s[breaker] += seconds
        return self._over_s[breaker] >= wait

    def _open(self, name: str, target: str, params: dict[str, Any]) -> None:
        fault = made(name, target, params, self.now)
        if not any(same(fault, each) for each in self.faults):
            self.faults.append(fault)
            self.revision += 1
            self._changed_at = self.now

    def _heat(self, seconds: float) -> None:
        inlet, exhaust, gpu, air_, water = (
            1 - exp(-seconds / each) for each in (INLET_S, EXHAUST_S, GPU_S, AIR_S, WATER_S)
        )
        for rack in self.racks.values():
            moved = hot = rack.watts = 0.0
            for body in rack.bodies:
                aisle = rack.air_c + body.warmer_c
                behind = sum(weight * other.exhaust_c for other, weight in body.sources)
                wanted = aisle + body.share * (behind - aisle) if body.sources else aisle
                body.inlet_c += inlet * (wanted - body.inlet_c)
                body.exhaust_c += exhaust * (exhaust_target_c(body.sizes, body.inlet_c, body.now) - body.exhaust_c)
                hot_c = gpu_target_c(body.sizes, body.inlet_c, body.now, body.asked.hotter)
                body.gpu_c += gpu * (hot_c - body.gpu_c)
                blown = body.sizes.airflow_m3_s * body.now.fan_share
                moved += blown
                hot += blown * body.exhaust_c
                rack.watts += body.now.total_w
            rack.returning_c = hot / moved if moved else rack.air_c
        for unit in self.units.values():
            lpm, full = unit.lpm(), unit.full_lpm() * len(unit.racks)
            # Without flow the water stands and slowly takes the warmth of the room; with some it carries all heat.
            unit.returning_c = unit.water_c + cooling.rise_c(unit.heat_w, lpm)
            if full:
                target = cooling.water_target_c(unit.returning_c, unit.flow.primary * full / max(lpm, 0.05 * full))
                unit.water_c += water * (target - unit.water_c)
            for rack in unit.racks:
                target = cooling.air_target_c(rack.returning_c, unit.water_c, rack.flow_share, unit.warmer_c)
                rack.air_c += air_ * (target - rack.air_c)
