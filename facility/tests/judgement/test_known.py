"""A finding that is not seen any more is over only where the very value that it is about is measured."""

from __future__ import annotations

from typing import Any

import pytest

from facility.facts import Health
from facility.findings.known import KNOWN, Told, is_unclear
from facility.judgement.air import MachineAir
from facility.judgement.kinds import KINDS, Finding
from facility.judgement.limits import SiteLimits
from facility.judgement.liquid import CoolingUnit, Filter, Leak, Manifold, Pump
from facility.judgement.measured import MeasuredGraph
from facility.judgement.readings import (
    BreakerReading,
    GpuReading,
    MachineReading,
    PduReading,
    RackFacts,
    Readings,
    SupplyReading,
)  # fmt: skip
from facility.tests.judgement.halls import feed_id, machine_id, outlet, pdu_id, phases, plan, supplies
from inventory.power.graph import Feed, Panel, PduNode, PowerGraph

ONE = machine_id(1, 1)
PDU, FEED = pdu_id(1, "A"), feed_id(1, "A")
ELSEWHERE = {"value.unknown", "cord.wrong_feed", "port.hot"}
"""What is not known is found without a meter; the other two are looked for once an hour."""


def test_every_kind_says_what_it_needs() -> None:
    assert KNOWN.keys() | ELSEWHERE == KINDS.keys() and not KNOWN.keys() & ELSEWHERE


def told(
    machine: MachineReading | None = None, pdu: PduReading | None = None, air: MachineAir | None = None,
    unit: CoolingUnit | None = None, not_steady: frozenset[tuple[str, int, str]] = frozenset(), wanted: bool = True,
    leaks: tuple[Leak, ...] = (),
) -> Told:  # fmt: skip
    """One rack of one machine; PDU A as it is given, B well. `leaks` are of room 7."""
    pdus = [pdu, PduReading(pdu_id(1, "B"), (5_000.0,))] if pdu else []
    machines = {machine.device_id: machine} if machine else {}
    values = Readings({each.pdu_id: each for each in pdus}, machines, {1: RackFacts(1, "D1", 42_000, "D", 1)})
    return Told(
        MeasuredGraph(plan(racks=1, machines=1), values), SiteLimits(), {"H100": 700.0} if wanted else {},
        {air.device_id: air} if air else {}, {unit.id: unit} if unit else {}, not_steady,
        {("room", 7): leaks},
    )  # fmt: skip


def found(kind: str, subject: tuple[str, int], part: str = "", **values: Any) -> Finding:
    return Finding(kind, *subject, "", "", values, part=part)


def machine(**values: Any) -> Told:
    return told(machine=MachineReading(ONE, "H100", **values))


def pdu(*inlets_w: float | None, **values: Any) -> Told:
    return told(pdu=PduReading(PDU, inlets_w, **values))


def air(inlet_c: float | None, rpm: float | None = None, power_w: float | None = 2_000) -> Told:
    return told(air=MachineAir(ONE, "hgx", 5, 6, inlet_c=inlet_c, power_w=power_w, fans_rpm={"F1": rpm}))


def unit(**values: Any) -> Told:
    return told(unit=CoolingUnit(7, "cdu-1", **values))


def gpu(**values: Any) -> Told:
    return machine(gpus=(GpuReading("GPU 0", **values),))


MACHINE, OF_PDU, OF_FEED, OF_RACK = ("machine", ONE), ("pdu", PDU), ("feed", FEED), ("rack", 1)
UNIT = ("cooling_unit", 7)
IDLE = found("psu.idle", MACHINE, "PSU 1")
MANIFOLDS, STILL = (tuple(Manifold(f"m{n}", lpm) for n in range(2, 7)) for lpm in (100.0, 0.0))


@pytest.mark.parametrize(
    ("finding", "unknown", "known"),
    [
        (IDLE, machine(supplies=supplies(ONE, None, 900)), machine(supplies=supplies(ONE, 900, None))),
        (IDLE, machine(supplies=supplies(ONE, 0, None)), machine(supplies=supplies(ONE, 0, 0))),
        (IDLE, machine(), told()),
        (found("redundancy.lost", MACHINE, dead=["PSU 1"]), machine(supplies=(SupplyReading("PSU 2", 900.0),)),
         machine(supplies=(SupplyReading("PSU 1", dead=False), SupplyReading("PSU 2", 900.0)))),
        (found("redundancy.lost", MACHINE, dead=["PSU 1"]), machine(supplies=supplies(ONE, None, 900)),
         machine(supplies=supplies(ONE, 800, 900))),
        (found("machine.unlike", MACHINE), machine(power_w=9_000), machine(power_w=9_000, gpu_load=0.5)),
        (found("cap.wrong", MACHINE, limits_w={"GPU 0": 500}), gpu(limit_w=None), gpu(limit_w=700)),
        (found("gpu.near", MACHINE, gpus_c={"GPU 0": 86}), gpu(temperature_c=None), gpu(temperature_c=60)),
        (found("brake.on", MACHINE), machine(slowed_hot=0), machine(slowed_braked=0)),
        (found("throttling", MACHINE), machine(slowed_braked=0), machine(slowed_hot=0)),
        (found("inlet.hot", MACHINE), air(None), air(22)),
        (found("hot.spot", MACHINE), air(None), air(22)),
        (found("air.class", MACHINE), air(None), air(22)),
        (found("fan.high", MACHINE), air(22), air(22, 6_000)),
        (found("fan.high", MACHINE), air(22, 6_000, None), air(22, 6_000)),
        (found("fan.high", MACHINE), air(None, 6_000), air(22, 6_000)),
        (found("recirculation", OF_RACK, machines=[ONE]), air(None), air(22)),
        (found("rise.fast", OF_RACK, what="inlet"), told(not_steady=frozenset({("rack", 1, "inlet")})),
         told(not_steady=frozenset({("rack", 1, "door"), ("rack", 2, "inlet")}))),
        (found("rack.over", OF_RACK), pdu(None), pdu(5_000)),
        (found("feed.over", OF_FEED), pdu(None), pdu(5_000)),
        (found("feed.lost", OF_FEED), pdu(None), pdu(5_000)),
        (found("pair.over", OF_FEED), pdu(None), pdu(5_000)),
        (found("phase.over", OF_PDU, "L1"), pdu(1, phases=phases(None, 9)), pdu(1, phases=phases(9, None))),
        (found("phase.imbalance", OF_PDU), pdu(1, phases=phases(9, None, 9)), pdu(1, phases=phases(9, 9, 9))),
        (found("breaker.over", OF_PDU, "B1"), pdu(1, breakers=(BreakerReading("B1"),)),
         pdu(1, breakers=(BreakerReading("B1", 9), BreakerReading("B2")))),
        (found("outlet.unknown", OF_PDU, "7"), pdu(1, outlets=(outlet("7", None),)), pdu(1, outlets=(outlet("7", 0),))),
        (found("leak", UNIT, "L1"), unit(leaks=(Leak("L1", None),)), unit(leaks=(Leak("L1", False),))),
        (found("leak", ("room", 7), "L1"), told(leaks=(Leak("L1", None), Leak("L2", False))),
         told(leaks=(Leak("L1", False), Leak("L2", None)))),
        (found("loop.flow_low", UNIT, "m1"), unit(manifolds=(Manifold("m1"), *MANIFOLDS)),
         unit(manifolds=(Manifold("m1", 90.0), *MANIFOLDS))),
        (found("loop.flow_low", UNIT, "m1"), unit(manifolds=(Manifold("m1", 90.0),)), unit(manifolds=MANIFOLDS)),
        (found("loop.flow_low", UNIT, "m1"), unit(manifolds=(Manifold("m1", 0.0), *STILL)),
         unit(manifolds=(Manifold("m1", 90.0), *MANIFOLDS))),
        (found("loop.flow_low", UNIT, "m1", fastest_lpm=90.0), unit(manifolds=(Manifold("m1", 90.0),)),
         unit(manifolds=(Manifold("m1", 90.0), MANIFOLDS[0]))),
        (found("loop.flow_low", UNIT, "m1", fastest_lpm=90.0), unit(manifolds=(Manifold("m1", 0.0), STILL[0])),
         unit(manifolds=(Manifold("m1", 90.0), MANIFOLDS[0]))),
        (found("loop.flow_low", UNIT, "primary"), unit(secondary_lpm=90.0), unit(secondary_lpm=90.0, primary_lpm=80.0)),
        (found("loop.flow_low", UNIT, "primary"), unit(secondary_lpm=0.0, primary_lpm=0.0),
         unit(secondary_lpm=0.0, primary_lpm=80.0)),
        (found("loop.flow_low", UNIT, "secondary"), unit(primary_lpm=90.0), unit(secondary_lpm=90.0, primary_lpm=0.0)),
        (found("loop.dew_point", UNIT), unit(supply_c=20.0), unit(supply_c=20.0, dew_point_c=9.0)),
        (found("loop.class", UNIT), unit(liquid_class="W32"), unit(liquid_class="W32", supply_c=20.0)),
        (found("filter.dirty", UNIT, "F1", differential_kpa=60), unit(filters=(Filter("F1", None, Health.OK),)),
         unit(filters=(Filter("F1", 9.0),))),
        (found("filter.dirty", UNIT, "F1", health=Health.WARNING), unit(filters=(Filter("F1", 9.0),)),
         unit(filters=(Filter("F1", None, Health.OK),))),
        (found("filter.dirty", UNIT, "F1", service_h=9_000, rated_h=8_760), unit(filters=(Filter("F1", 9.0),)),
         unit(filters=(Filter("F1", None, None, 1, 8_760),))),
        (found("pump.failed", UNIT, "P1", speed_percent=0), unit(pumps=(Pump("P1", None, Health.OK),)),
         unit(pumps=(Pump("P1", 60.0),))),
        (found("pump.failed", UNIT, "P1", health=Health.CRITICAL), unit(pumps=(Pump("P1", 60.0),)),
         unit(pumps=(Pump("P1", None, Health.OK),))),
    ],
)  # fmt: skip
def test_it_is_unclear_while_that_value_is_not_known(finding: Finding, unknown: Told, known: Told) -> None:
    assert is_unclear(finding, unknown) and not is_unclear(finding, known)


def test_what_nothing_measures_or_the_device_does_not_have_any_more_is_over() -> None:
    for kind, subject in (("rack.over", OF_RACK), ("pair.over", OF_FEED), ("phase.over", OF_PDU), ("leak", UNIT)):
        assert not is_unclear(found(kind, subject, "L1"), told()), kind
    assert not is_unclear(found("leak", UNIT, "L1"), unit(leaks=(Leak("L2", None),)))
    assert not is_unclear(found("leak", ("room", 7), "L1"), told(leaks=(Leak("L2", None),)))
    assert not is_unclear(found("phase.over", OF_PDU, "L4"), pdu(1, phases=phases(None, None)))


@pytest.mark.parametrize("kind", ["panel.over", "pair.over"])
def test_a_panel_is_known_by_its_feeds_and_one_that_is_gone_is_over(kind: str) -> None:
    def board(watts: float | None, panel: int = 4) -> Told:
        feeds = [Feed(feed_id(1, "A"), "r1-a", "A", 4, 400, 63), Feed(feed_id(1, "B"), "r1-b", "B", panel, 400, 63)]
        pdus = [PduNode(pdu_id(1, side), f"pdu-{side}", 1, feed_id(1, side)) for side in "AB"]
        planned = PowerGraph(feeds, pdus, plan(racks=1, machines=1).devices.values(), [Panel(panel, "MDB", 400, 400)])
        readings = Readings({PDU: PduReading(PDU, (watts,)), pdu_id(1, "B"): PduReading(pdu_id(1, "B"), (5_000.0,))})
        return Told(MeasuredGraph(planned, readings), SiteLimits(), {}, {}, {})

    finding = found(kind, ("panel", 4))
    assert is_unclear(finding, board(None)) and not is_unclear(finding, board(5_000.0))
    assert not is_unclear(finding, board(None, panel=5))


def test_a_limit_that_nobody_wants_any_more_is_not_wrong() -> None:
    finding = found("cap.wrong", MACHINE, limits_w={"GPU 0": 500})
    reading = MachineReading(ONE, "H100", gpus=(GpuReading("GPU 0"),))
    assert is_unclear(finding, told(machine=reading))
    assert not is_unclear(finding, told(machine=reading, wanted=False))
