"""A small hall for tests: racks with two PDUs on feeds A and B, machines with three supplies on each."""

from __future__ import annotations

from collections.abc import Mapping

from facility.judgement.measured import MeasuredGraph
from facility.judgement.readings import (
    GpuReading,
    MachineReading,
    OutletReading,
    PduReading,
    PhaseReading,
    RackFacts,
    Readings,
    SupplyReading,
)  # fmt: skip
from inventory.power.graph import Feed, Inlet, PduNode, PoweredDevice, PowerGraph

SUPPLIES = 6
VOLTS, AMPERES = 415, 100  # 71.9 kW, 57.5 kW of it for long


def feed_id(rack: int, side: str) -> int:
    return rack * 10 + (1 if side == "A" else 2)


def pdu_id(rack: int, side: str) -> int:
    return feed_id(rack, side) + 1000


def machine_id(rack: int, number: int) -> int:
    return rack * 100 + number


def inlet_id(machine: int, supply: int) -> int:
    return machine * 10 + supply


def machine(rack: int, number: int, planned_w: float | None = 10_000, may_fail: int | None = 3) -> PoweredDevice:
    pk = machine_id(rack, number)
    inlets = tuple(
        Inlet(inlet_id(pk, n), f"PSU {n}", pdu_id(rack, "A" if n <= SUPPLIES // 2 else "B"), str(number * 10 + n))
        for n in range(1, SUPPLIES + 1)
    )
    return PoweredDevice(pk, f"hgx-{rack}-{number}", "machine", rack, None, planned_w, None, may_fail, inlets)


def plan(racks: int = 2, machines: int = 4, amperes: int | None = AMPERES, sides: str = "AB") -> PowerGraph:
    numbers = range(1, racks + 1)
    feeds = [Feed(feed_id(r, s), f"r{r}-{s.lower()}", s, None, VOLTS, amperes) for r in numbers for s in sides]
    pdus = [PduNode(pdu_id(r, s), f"pdu-{r}-{s.lower()}", r, feed_id(r, s)) for r in numbers for s in sides]
    return PowerGraph(feeds, pdus, [machine(r, n) for r in numbers for n in range(1, machines + 1)])


def readings(
    pdus_w: Mapping[tuple[int, str], float | None] | None = None,
    machines_w: Mapping[tuple[int, int], float | None] | None = None,
    racks: int = 2,
    limit_w: float | None = 42_000,
) -> Readings:
    return Readings(
        pdus={pdu_id(r, s): PduReading(pdu_id(r, s), (watts,)) for (r, s), watts in (pdus_w or {}).items()},
        machines={
            machine_id(r, n): MachineReading(machine_id(r, n), "H100", watts)
            for (r, n), watts in (machines_w or {}).items()
        },
        racks={r: RackFacts(r, f"D{r}", limit_w, "D", 1) for r in range(1, racks + 1)},
        rooms={1: "Hall 1"},
    )


def metered(a_w: float = 20_000, b_w: float = 18_000, racks: int = 2) -> MeasuredGraph:
    """Every PDU measured, no machine."""
    watts = {(rack, side): w for rack in range(1, racks + 1) for side, w in (("A", a_w), ("B", b_w))}
    return MeasuredGraph(plan(racks), readings(watts, racks=racks))


def supplies(machine: int, *watts: float | None) -> tuple[SupplyReading, ...]:
    return tuple(SupplyReading(f"PSU {n}", w, inlet_id(machine, n)) for n, w in enumerate(watts, start=1))


def gpus(power_w: float | None, limit_w: float | None = 700, count: int = 8) -> tuple[GpuReading, ...]:
    return tuple(GpuReading(f"GPU {n}", power_w, limit_w) for n in range(count))


def phases(*currents: float | None) -> tuple[PhaseReading, ...]:
    return tuple(PhaseReading(f"L{n}", current) for n, current in enumerate(currents, start=1))


def outlet(name: str, watts: float | None, inlet: int | None = None) -> OutletReading:
    return OutletReading(name, watts, inlet is not None, inlet)
