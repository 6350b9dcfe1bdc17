"""Racks made up for the machines of a hall that has none: four to a rack, two PDUs each, a cooling unit for all."""

from __future__ import annotations

from inventory.specs.device_model import DeviceModelSpec
from simulator.heat.plan import VENDORS, CoolingPlan, Cord, DevicePlan, FeedPlan, HeatPlan, PduPlan, RackPlan
from simulator.plan import HallPlan, MachinePlan

MACHINES_PER_RACK = 4
FIRST_U = 5
OUTLETS = 24
CAPACITY_PER_RACK_W = 60_000.0


def sample_heat(hall: HallPlan) -> HeatPlan:
    """Racks R01, R02, ..; feeds `r01-a` and `r01-b`; PDUs `pdu-r01-a` and `pdu-r01-b`; the cooling unit `cdu-1`."""
    racks, devices, feeds, pdus = [], [], [], []
    for number, first in enumerate(range(0, len(hall.machines), MACHINES_PER_RACK), start=1):
        rack = RackPlan(f"R{number:02}", room="Hall 1", row="R")
        low = rack.name.lower()
        racks.append(rack)
        outlets = tuple(f"C19 {outlet}" for outlet in range(1, OUTLETS + 1))
        for at, side in enumerate("ab"):
            feeds.append(FeedPlan(f"{low}-{side}", side=side.upper()))
            vendor = VENDORS[(2 * (number - 1) + at) % len(VENDORS)]
            pdus.append(PduPlan(f"pdu-{low}-{side}", rack.name, f"{low}-{side}", vendor, outlets))
        for at, machine in enumerate(hall.machines[first : first + MACHINES_PER_RACK]):
            devices.append(_device(machine, rack, at))
    names = tuple(rack.name for rack in racks)
    cooling = CoolingPlan("cdu-1", "Hall 1", names, CAPACITY_PER_RACK_W * len(names))
    return HeatPlan(hall.site, tuple(racks), tuple(devices), tuple(feeds), tuple(pdus), (cooling,))


def _device(machine: MachinePlan, rack: RackPlan, at: int) -> DevicePlan:
    """Half of its supplies on each PDU."""
    spec = DeviceModelSpec.load(machine.model)
    height = spec.u_height or 6
    low = FIRST_U - 1 + at * height
    supplies = machine.slots("psu")
    half = (len(supplies) + 1) // 2
    cords = []
    for number, supply in enumerate(supplies):
        side, place = ("a", number) if number < half else ("b", number - half)
        cords.append(Cord(supply, f"pdu-{rack.name.lower()}-{side}", f"C19 {at * half + place + 1}"))
    return DevicePlan(
        machine.name, "machine", rack.name, low, low + height, spec.power_w or 3000.0, len(machine.gpus),
        gpu_limit_of(machine), supplies, rated_w(spec), tuple(cords),
    )  # fmt: skip


def gpu_limit_of(machine: MachinePlan) -> float:
    return float(machine.expected.get("gpu_power_limit_w") or 700.0)


def rated_w(spec: DeviceModelSpec) -> float | None:
    """What one of its supplies gives; None where the model does not tell."""
    return float(spec.psus.rated_w) if spec.psus is not None and spec.psus.rated_w else None
