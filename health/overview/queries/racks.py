"""Racks from the front and the rear, every device with what its machine is like now."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from health.machines.models.machines import MachineHealth
from health.machines.specs import usable
from health.monitoring.queries.verdicts import part_verdicts
from inventory.elevation import read
from inventory.models import DeviceModel

Verdicts = dict[int, dict[str, str]]


def elevation(rack: int) -> dict[str, Any]:
    """The answer of `/api/racks/ID/elevation/`. A fixed number of queries."""
    told = read.elevation(rack)
    items = [*told["front"], *told["rear"]]
    machines = sorted({item["machine"] for item in items if item["machine"] is not None})
    verdicts = part_verdicts(machines)
    _add_state(items, _health(machines))
    gpus = _gpu_slots({item["model"] for item in items if item["machine"] is not None})
    for item in told["front"]:
        item["parts"] = _gpu_parts(item, gpus, verdicts)
    for item in told["rear"]:
        item["parts"] = _port_parts(item, verdicts)
    return told


def elevations(racks: list[int]) -> dict[str, Any]:
    """The answer of `/api/racks/elevations/`: many racks, small, each device with its machine's cell."""
    told = read.elevations(racks)
    items = [item for each in told for item in (*each["front"], *each["rear"])]
    _add_state(items, _health(sorted({item["machine"] for item in items if item["machine"] is not None})))
    return {"racks": told}


def _health(machines: list[int]) -> dict[int, dict[str, Any]]:
    rows = MachineHealth.objects.filter(machine_id__in=machines).values_list(
        "machine_id", "cell", "worst", "ticket_key"
    )
    return {pk: {"cell": cell, "worst": worst, "ticket": ticket or None} for pk, cell, worst, ticket in rows}


def _add_state(items: Iterable[dict[str, Any]], health: dict[int, dict[str, Any]]) -> None:
    for item in items:
        item.update(health.get(item["machine"], {"cell": None, "worst": None, "ticket": None}))


def _gpu_slots(models: set[str]) -> dict[str, list[tuple[str, str]]]:
    """Name and label of the GPU slots of each model."""
    rows = DeviceModel.objects.filter(slug__in=models).values_list("slug", "spec")
    specs = {slug: usable(stored) for slug, stored in rows}
    return {
        slug: [(slot.name, slot.label) for slot in spec.slots_of("gpu")] if spec is not None else []
        for slug, spec in specs.items()
    }


def _gpu_parts(
    item: dict[str, Any], gpus: dict[str, list[tuple[str, str]]], verdicts: Verdicts
) -> list[dict[str, str]]:
    if item["machine"] is None:
        return []
    known = verdicts.get(item["machine"], {})
    return [
        {"slot": slot, "label": label, "kind": "gpu", "verdict": known.get(slot, "unknown")}
        for slot, label in gpus[item["model"]]
    ]


def _port_parts(item: dict[str, Any], verdicts: Verdicts) -> list[dict[str, str]]:
    """A port is as good as the part it is on; ports of other devices are not checked here."""
    if item["machine"] is None:
        return []
    known = verdicts.get(item["machine"], {})
    return [
        {
            "slot": port["name"],
            "label": port["name"],
            "kind": "port",
            "verdict": known.get(port["slot"] or port["name"], "unknown"),
        }
        for port in item["ports"]
        if port["kind"] != "power_outlet"
    ]
