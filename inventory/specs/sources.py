"""The figures of a device model by name, each of which a shipped model has a source for. Pure."""

from __future__ import annotations

from inventory.specs.device_model import DeviceModelSpec

_OF_SLOTS = ("pci", "device", "label", "rail", "link_layer", "speed_gbps", "pcie", "max_w")


def figures(spec: DeviceModelSpec) -> set[str]:
    """Such as `u_height`, `gpu.memory_mib`, `slots.psu` (how many), `slots.hca.pci`, `expected.dimms`.

    All that a check can judge by is among them, with what racks and power are planned by.
    """
    found = {
        name
        for name in ("u_height", "weight_kg", "power_w", "psu_count", "air_class", "breaker_a", "breakers")
        if getattr(spec, name)
    }
    if spec.gpu:
        found |= {f"gpu.{name}" for name, value in spec.gpu.model_dump(exclude_none=True).items() if value}
    if spec.psus:
        told = spec.psus.model_dump(exclude_none=True)
        found |= {f"psus.{name}" for name in ("rated_w", "may_fail", "other_w", "sockets") if told.get(name)}
    for slot in spec.slots:
        found.add(f"slots.{slot.kind}")
        found |= {f"slots.{slot.kind}.{name}" for name in _OF_SLOTS if getattr(slot, name) not in (None, "")}
    found |= {f"ports.{port.kind}" for port in spec.ports}
    return found | {f"expected.{name}" for name in spec.expected}
