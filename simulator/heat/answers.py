"""What the meters of a room measure now, from its state. Values as sensors would have them, a little uneven."""

from __future__ import annotations

import zlib
from typing import NamedTuple

from simulator.heat import cooling
from simulator.heat.bodies import POWER_FACTOR, Body, PduState, RackState, UnitState
from simulator.heat.machines import FAN_RPM, SLOWS_C, SLOWS_HARD_C
from simulator.heat.room import Room

WAVE_S = 20.0
CHILLER_SHARE, LOSSES_SHARE = 0.11, 0.04
"""Of the IT power: what chillers draw on average, and what is lost in transformers and UPS."""


class SupplyNow(NamedTuple):
    input_v: float
    watts: float


class GpuNow(NamedTuple):
    celsius: float
    watts: float
    limit_w: float
    busy_percent: int
    warm: bool
    """The driver slows it."""
    hot: bool
    """It slows itself."""
    braked: bool
    capped: bool


class MachineNow(NamedTuple):
    watts: float
    inlet_c: float
    exhaust_c: float
    fan_rpm: int
    fan_percent: float
    supplies: dict[str, SupplyNow]
    gpus: tuple[GpuNow, ...]


class OutletNow(NamedTuple):
    name: str
    volts: float
    amperes: float
    watts: float
    energy_kwh: float


class PduNow(NamedTuple):
    """`phases` and `banks` in their order."""

    name: str
    phases: tuple[OutletNow, ...]
    banks: tuple[OutletNow, ...]
    outlets: tuple[OutletNow, ...]
    watts: float
    energy_kwh: float
    probe: str
    probe_c: float
    humidity_percent: float
    bank_a: float
    """What each breaker is made for."""


class ManifoldNow(NamedTuple):
    rack: str
    lpm: float
    supply_c: float
    return_c: float
    open_percent: float
    watts: float


class CoolingNow(NamedTuple):
    primary: ManifoldNow
    secondary: ManifoldNow
    manifolds: tuple[ManifoldNow, ...]
    pressure_kpa: float
    filter_kpa: float
    dirt: float
    pump_percents: tuple[float, ...]
    wet: dict[str, bool]
    air_c: float
    watts: float
    humidity_percent: float


class SiteNow(NamedTuple):
    it_w: float
    cooling_w: float
    site_w: float
    site_kwh: float


def ripple(name: str, now: float, share: float = 0.01) -> float:
    """A factor close to 1 that changes now and then: the same for the same name and moment."""
    return 1 + share * (zlib.crc32(f"{name}/{int(now / WAVE_S)}".encode()) % 2001 - 1000) / 1000


def machine(room: Room, name: str, now: float) -> MachineNow | None:
    """None for a machine that stands in no rack of the room."""
    room.at(now)
    body = room.bodies.get(name)
    if body is None:
        return None
    wave = ripple(name, now, 0.005)
    percent = min(100.0, 100 * body.now.fan_share * wave)
    return MachineNow(
        body.now.total_w * wave, body.inlet_c + 30 * (wave - 1), body.exhaust_c, round(FAN_RPM * percent / 100),
        percent, _supplies(body, now, wave), tuple(_gpu(body, index, now) for index in range(body.plan.gpus)),
    )  # fmt: skip


def _supplies(body: Body, now: float, wave: float) -> dict[str, SupplyNow]:
    live = dict(body.live)
    share = body.now.total_w / max(1, len(body.carrying)) * wave
    found = {}
    for supply in body.plan.supplies:
        outlet = live.get(supply)
        volts = (outlet.pdu.outlet_v if outlet else 0.0) if body.cords else 230.0
        carried = share * ripple(f"{body.plan.name}{supply}", now) if supply in body.carrying else 0.0
        found[supply] = SupplyNow(round(volts * ripple(supply, now, 0.004), 1), carried)
    return found


def _gpu(body: Body, index: int, now: float) -> GpuNow:
    """Every other GPU stands behind another one, in air that is a little warmer."""
    drawn, plan = body.now, body.plan
    busy = drawn.gpu_w / plan.gpu_limit_w
    celsius = body.gpu_c + (1.5 if index % 2 else -1.5) * busy + 40 * (ripple(f"{plan.name}{index}", now) - 1)
    limit = body.cap_w if body.cap_w is not None else plan.gpu_limit_w
    watts = min(limit, drawn.gpu_w * ripple(f"{index}{plan.name}", now, 0.015))
    working = drawn.gpu_w > 0 and body.load > 0
    return GpuNow(
        celsius, watts, limit, round(100 * body.load), celsius >= SLOWS_C, celsius >= SLOWS_HARD_C,
        drawn.braked, working and drawn.capped,
    )  # fmt: skip


def pdu(room: Room, name: str, now: float) -> PduNow:
    """Raises KeyError for a PDU that is not in the plan."""
    room.at(now)
    state = room.pdus[name]
    plan, volts = state.plan, state.outlet_v if state.feed_on else 0.0
    begun = room.wrapped.get(name)
    times = 10.0 if room.of("values_in_tenths", name) else 1.0
    outlets = [_outlet(state, number, volts, now, begun, times) for number in range(len(plan.outlets))]
    banks = [_sum(f"{number + 1}", outlets[number :: plan.banks], volts) for number in range(plan.banks)]
    phases = state.feed.phases if state.feed else 1
    of_phase = [banks[number::phases] for number in range(phases)]
    rack = room.racks.get(plan.rack)
    air_c = rack.air_c if rack else cooling.AIR_C
    return PduNow(
        name, tuple(_sum(f"L{number}", rows, volts) for number, rows in enumerate(of_phase, start=1)), tuple(banks),
        tuple(outlets), sum(each.watts for each in outlets), sum(each.energy_kwh for each in outlets),
        f"{plan.rack} front", air_c + 0.7 + 20 * (ripple(name, now) - 1),
        rack.humidity_percent if rack else cooling.HUMIDITY_PERCENT, plan.bank_a,
    )  # fmt: skip


def _outlet(
    state: PduState, number: int, volts: float, now: float, begun: list[float] | None, times: float
) -> OutletNow:
    name = state.plan.outlets[number]
    watts = state.watts[number] * ripple(f"{state.plan.name}{number}", now, 0.004)
    energy = state.energy_kwh[number] - (begun[number] if begun else 0.0)
    live = volts if state.live(number) else 0.0
    return OutletNow(name, live, watts / (volts * POWER_FACTOR) if volts else 0.0, watts * times, energy)


def _sum(name: str, rows: list[OutletNow], volts: float) -> OutletNow:
    return OutletNow(
        name, volts, sum(each.amperes for each in rows), sum(each.watts for each in rows),
        sum(each.energy_kwh for each in rows),
    )  # fmt: skip


def unit(room: Room, name: str, now: float) -> CoolingNow:
    """Raises KeyError for a cooling unit that is not in the plan."""
    room.at(now)
    state = room.units[name]
    valves = {str(fault.params["manifold"]): fault.number("open_percent") for fault in room.of("valve_closed", name)}
    wet = {str(fault.params["detector"]) for fault in room.of("leak", name)}
    dirt = max((fault.number("dirt") for fault in room.of("filter_dirty", name)), default=0.0)
    heat, lpm = state.heat_w, state.lpm() * ripple(name, now)
    full = state.full_lpm() * len(state.racks) * state.flow.primary
    primary = ManifoldNow(
        "", full, cooling.PRIMARY_SUPPLY_C, cooling.PRIMARY_SUPPLY_C + cooling.rise_c(heat, full),
        100 * state.flow.primary, heat,
    )  # fmt: skip
    secondary = ManifoldNow("", lpm, state.water_c, state.returning_c, 100.0, heat)
    detectors = dict.fromkeys(["Tray", *(rack.plan.name for rack in state.racks), *wet], False)
    return CoolingNow(
        primary, secondary, tuple(_manifold(state, rack, valves, now) for rack in state.racks),
        (cooling.PRESSURE_KPA * state.flow.secondary**2) * (0.85 if wet else 1.0), state.flow.filter_kpa, dirt,
        state.flow.speeds, {detector: detector in wet for detector in detectors}, cooling.AIR_C + 3,
        unit_w(state), state.humidity_percent,
    )  # fmt: skip


def _manifold(state: UnitState, rack: RackState, valves: dict[str, float], now: float) -> ManifoldNow:
    lpm = state.full_lpm() * rack.flow_share * ripple(f"{state.plan.name}{rack.plan.name}", now)
    return ManifoldNow(
        rack.plan.name, lpm, state.water_c, state.water_c + cooling.rise_c(rack.watts, lpm),
        min(100.0, valves.get(rack.plan.name, 100.0)), rack.watts,
    )  # fmt: skip


def unit_w(state: UnitState) -> float:
    """What the unit itself draws: controls and pumps, these by the cube of their speed."""
    pumps = sum((percent / 100) ** 3 for percent in state.flow.speeds)
    return 400 + 0.02 * state.plan.capacity_w * pumps


def site(room: Room, now: float) -> SiteNow:
    """The whole site: IT, what cools it (more by day), what is lost on the way."""
    room.at(now)
    it = sum(body.now.total_w for body in room.bodies.values())
    by_day = 1 + 0.15 * (1 - abs((now / 3600 % 24) - 14) / 6)
    cooled = sum(unit_w(state) for state in room.units.values()) + CHILLER_SHARE * it * by_day
    energy = 1.2 * sum(sum(state.energy_kwh) for state in room.pdus.values())
    return SiteNow(it, cooled, it * (1 + LOSSES_SHARE) + cooled, energy)
