"""Racks from the front and the rear, every device with what its machine is like now."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from core.database import prepared
from health.machines.models.machines import MachineHealth
from health.machines.specs import usable
from health.monitoring.queries.verdicts import part_verdicts
from inventory.elevation import read
from inventory.models import DeviceModel

VERSIONS = """
SELECT slug, id, xmin::text || '.' || cmin::text FROM inventory_devicemodel WHERE slug = ANY(%s::text[])
"""
"""PostgreSQL's own mark of a row's version: the transaction that wrote it, and the statement within that."""
Verdicts = dict[int, dict[str, str]]


def elevation(rack: int, *, ports: bool = True) -> dict[str, Any]:
    """The answer of `/api/racks/ID/elevation/`. A fixed number of queries."""
    told = read.elevation(rack, ports=ports)
    items = [*told["front"], *told["rear"]]
    machines = sorted({item["machine"] for item in items if item["machine"] is not None})
    verdicts = part_verdicts(machines)
    _add_state(items, _health(machines))
    gpus = _gpu_slots({item["model"] for item in items if item["machine"] is not None})
    for item in told["front"]:
        item["parts"] = _gpu_parts(item, gpus, verdicts)
    bare = {} if ports else read.bare_ports(machines)
    for item in told["rear"]:
        there = item["ports"] if ports else read.on_face("rear", bare.get(item["machine"], ()), item)
        item["parts"] = _port_parts(item, there, verdicts)
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
    """Name and label of the GPU slots of each model. One query, and one more for each model that is new or changed."""
    return {slug: _slots_of(pk, version) for slug, pk, version in prepared.rows(VERSIONS, [sorted(models)])}


@lru_cache(maxsize=256)
def _slots_of(model: int, version: str) -> list[tuple[str, str]]:
    """Of one version of a model: its file takes longer to decode than all else of a rack to read."""
    spec = usable(DeviceModel.objects.values_list("spec", flat=True).get(pk=model))
    return [] if spec is None else [(slot.name, slot.label) for slot in spec.slots_of("gpu")]


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


def _port_parts(item: dict[str, Any], ports: Iterable[dict[str, Any]], verdicts: Verdicts) -> list[dict[str, str]]:
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
        for port in ports
        if port["kind"] != "power_outlet"
    ]
