"""Whether what a finding was about is measured now: only then it is over when it is not seen any more. Pure.

A part that its PDU or cooling unit does not have any more is over too; so is what nothing measures any more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from facility.judgement.air import MachineAir
from facility.judgement.kinds import Finding
from facility.judgement.limits import SiteLimits
from facility.judgement.liquid import (
    PRIMARY,
    SECONDARY,
    CoolingUnit,
    Filter,
    Leak,
    Pump,
    dew_margin_c,
    expected_lpm,
    fastest_lpm,
    stands,
)
from facility.judgement.measured import MeasuredGraph
from facility.judgement.power import pairs, panel_pairs
from facility.judgement.readings import MachineReading, PduReading


@dataclass(frozen=True, slots=True)
class Told:
    """What meters told of a site, as its findings are made of it. `not_steady`: kind and id of a place, and what there
    is not known to warm so or so fast. `leaks`: detectors of no cooling unit, by kind and id of their place."""

    graph: MeasuredGraph
    limits: SiteLimits
    wanted_cap_w: Mapping[str, float]
    air: Mapping[int, MachineAir]
    units: Mapping[int, CoolingUnit]
    not_steady: frozenset[tuple[str, int, str]] = frozenset()
    leaks: Mapping[tuple[str, int], Sequence[Leak]] = field(default_factory=dict)


def is_unclear(finding: Finding, told: Told) -> bool:
    """Whether nobody knows if it is still so, though its meter answers. A meter that does not is known elsewhere."""
    known = KNOWN.get(finding.kind)
    return known is not None and not known(finding, told)


Known = Callable[[Finding, Told], bool]


# ---- machines ----


def _machine(known: Callable[[MachineReading, Finding, Told], bool]) -> Known:
    """What a machine does not know it leaves out, so that a missing part is not known either."""

    def ask(finding: Finding, told: Told) -> bool:
        reading = told.graph.readings.machines.get(finding.subject_id)
        return reading is None or known(reading, finding, told)

    return ask


def _supply(reading: MachineReading, finding: Finding, told: Told) -> bool:
    """One that carries little is idle only beside others that carry more; one that is gone is not idle."""
    watts = {each.name: each.power_w for each in reading.supplies if each.power_w is not None}
    own = watts.pop(finding.part, None)
    if own is None:
        return _is_gone(reading, finding.part)
    return own > told.limits.idle_supply_w or bool(watts)


def _is_gone(reading: MachineReading, name: str) -> bool:
    """Its BMC says that it is absent, or says of others whether they work and does not list it any more."""
    mine = [each for each in reading.supplies if each.name == name]
    return all(each.absent for each in mine) if mine else any(each.dead is not None for each in reading.supplies)


def _supplies(reading: MachineReading, finding: Finding, _: Told) -> bool:
    known = {each.name for each in reading.supplies if each.power_w is not None or each.dead is not None}
    return known.issuperset(finding.values.get("dead", ()))


def _draw(reading: MachineReading, finding: Finding, told: Told) -> bool:
    drawn = told.graph.drawn.get(finding.subject_id)
    return drawn is None or (drawn.measured_w is not None and reading.gpu_load is not None)


def _limits(reading: MachineReading, finding: Finding, told: Told) -> bool:
    known = {gpu.name for gpu in reading.gpus if gpu.limit_w is not None}
    return reading.model not in told.wanted_cap_w or known.issuperset(finding.values.get("limits_w", ()))


def _temperatures(reading: MachineReading, finding: Finding, _: Told) -> bool:
    known = {gpu.name for gpu in reading.gpus if gpu.temperature_c is not None}
    return known.issuperset(finding.values.get("gpus_c", ()))


def _inlet(finding: Finding, told: Told) -> bool:
    return _inlets([finding.subject_id], told)


def _inlets_of_rack(finding: Finding, told: Told) -> bool:
    return _inlets(finding.values.get("machines", ()), told)


def _inlets(machines: Iterable[int], told: Told) -> bool:
    return all(told.air[each].inlet_c is not None for each in machines if each in told.air)


def _fans(finding: Finding, told: Told) -> bool:
    """They are compared with those of machines that have as much to cool."""
    air = told.air.get(finding.subject_id)
    if air is None:
        return True
    turns = any(rpm is not None for rpm in air.fans_rpm.values())
    return turns and air.heat_w is not None and air.inlet_c is not None


# ---- power ----


def _pdu(known: Callable[[PduReading, Finding, Told], bool]) -> Known:
    def ask(finding: Finding, told: Told) -> bool:
        reading = told.graph.readings.pdus.get(finding.subject_id)
        return reading is None or finding.subject_id not in told.graph.pdus or known(reading, finding, told)

    return ask


def _part(values: Iterable[tuple[str, float | bool | None]], finding: Finding) -> bool:
    return all(value is not None for name, value in values if name == finding.part)


def _pdu_load(_: PduReading, finding: Finding, told: Told) -> bool:
    limit = told.graph.pdus[finding.subject_id].limit_w
    return limit is None or told.graph.pdu_now(finding.subject_id).value is not None


def _feed(known: Callable[[Finding, Told], bool]) -> Known:
    """Of a feed, or of a panel by its feeds."""

    def ask(finding: Finding, told: Told) -> bool:
        graph, subject = told.graph, finding.subject_id
        of_panel = finding.subject_kind == "panel"
        there = subject in (graph.panels if of_panel else graph.feeds)
        feeds = graph.feeds_of_panel(subject) if of_panel else [subject]
        return not (there and any(_is_measured(graph, feed) for feed in feeds)) or known(finding, told)

    return ask


def _is_measured(graph: MeasuredGraph, feed: int) -> bool:
    pdus = any(pdu in graph.readings.pdus for pdu in graph.pdus_of(feed))
    return pdus or any(device.id in graph.readings.machines for device in graph.devices_on.get(feed, ()))


def _panel_load(finding: Finding, told: Told) -> bool:
    now = told.graph.panel_now(finding.subject_id)
    return told.graph.panels[finding.subject_id].derated_w is None or now.value is not None


def _feed_load(finding: Finding, told: Told) -> bool:
    now = told.graph.feed_now(finding.subject_id)
    return told.graph.feeds[finding.subject_id].derated_w is None or now.value is not None


def _feed_carries(finding: Finding, told: Told) -> bool:
    now = told.graph.feed_now(finding.subject_id)
    return now.value is not None or now.at_least >= 1


def _pairs(finding: Finding, told: Told) -> bool:
    all_pairs = panel_pairs if finding.subject_kind == "panel" else pairs
    mine = [pair for pair in all_pairs(told.graph, told.limits) if pair.survivor.id == finding.subject_id]
    return all(pair.limit_w is None or pair.carries.value is not None for pair in mine)


def _rack(finding: Finding, told: Told) -> bool:
    graph, rack = told.graph, finding.subject_id
    facts = graph.readings.racks.get(rack)
    pdus = any(pdu in graph.readings.pdus for pdu in graph.pdus_in(rack))
    machines = any(device.id in graph.readings.machines for device in graph.devices_in(rack))
    measured = facts is not None and facts.limit_w is not None and (pdus or machines)
    return not measured or graph.rack_now(rack).value is not None


# ---- air and liquid ----


def _rise(finding: Finding, told: Told) -> bool:
    return (finding.subject_kind, finding.subject_id, finding.values.get("what", "")) not in told.not_steady


def _unit(known: Callable[[CoolingUnit, Finding], bool]) -> Known:
    def ask(finding: Finding, told: Told) -> bool:
        unit = told.units.get(finding.subject_id)
        return unit is None or known(unit, finding)

    return ask


def _flow(unit: CoolingUnit, finding: Finding) -> bool:
    """A flow is known beside what it was held against: the other side, the fastest manifold, or all of them."""
    if finding.part in (PRIMARY, SECONDARY):
        return stands(unit.primary_lpm, unit.secondary_lpm) is not None
    beside = fastest_lpm if "fastest_lpm" in finding.values else expected_lpm
    mine = [each for each in unit.manifolds if each.name == finding.part]
    return all(each.flow_lpm is not None and beside(each, unit.manifolds) is not None for each in mine)


def _as_before(parts: Iterable[Pump | Filter], finding: Finding) -> bool:
    """Whatever the part told when it was found wrong, it tells now."""
    mine = [each._asdict() for each in parts if each.name == finding.part]
    return all(now[name] is not None for now in mine for name in now if finding.values.get(name) is not None)


def _leak(finding: Finding, told: Told) -> bool:
    unit = told.units.get(finding.subject_id) if finding.subject_kind == "cooling_unit" else None
    leaks = unit.leaks if unit else told.leaks.get((finding.subject_kind, finding.subject_id), ())
    return _part(((each.detector, each.wet) for each in leaks), finding)


KNOWN: Mapping[str, Known] = {
    "rack.over": _rack,
    "pdu.over": _pdu(_pdu_load),
    "feed.over": _feed(_feed_load),
    "panel.over": _feed(_panel_load),
    "phase.over": _pdu(lambda pdu, found, _: _part(((each.name, each.current_a) for each in pdu.phases), found)),
    "breaker.over": _pdu(lambda pdu, found, _: _part(((each.name, each.current_a) for each in pdu.breakers), found)),
    "pair.over": _feed(_pairs),
    "feed.lost": _feed(_feed_carries),
    "phase.imbalance": _pdu(lambda pdu, _, __: all(each.current_a is not None for each in pdu.phases)),
    "psu.idle": _machine(_supply),
    "outlet.unknown": _pdu(lambda pdu, found, _: _part(((each.name, each.power_w) for each in pdu.outlets), found)),
    "machine.unlike": _machine(_draw),
    "cap.wrong": _machine(_limits),
    "brake.on": _machine(lambda reading, _, __: reading.slowed_braked is not None),
    "redundancy.lost": _machine(_supplies),
    "inlet.hot": _inlet,
    "hot.spot": _inlet,
    "recirculation": _inlets_of_rack,
    "fan.high": _fans,
    "air.class": _inlet,
    "rise.fast": _rise,
    "gpu.near": _machine(_temperatures),
    "throttling": _machine(lambda reading, _, __: reading.slowed_hot is not None),
    "loop.flow_low": _unit(_flow),
    "loop.dew_point": _unit(lambda unit, _: dew_margin_c(unit) is not None),
    "loop.class": _unit(lambda unit, _: not unit.liquid_class or unit.supply_c is not None),
    "leak": _leak,
    "filter.dirty": _unit(lambda unit, found: _as_before(unit.filters, found)),
    "pump.failed": _unit(lambda unit, found: _as_before(unit.pumps, found)),
}
"""Kinds that are looked for once a minute. The hourly ones (cords, ports) say themselves of what nobody knows."""
