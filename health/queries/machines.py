"""One machine in full, and its past."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db.models import F, QuerySet

from health.merging import WORDS
from health.models import Hold, LifecycleChange, MachineHealth, Pool, Sample, Transition
from health.specs import spec_of
from inventory.models import Installation, Port, StrandEnd

FACES = {(0, 2): "both", (0, 1): "front", (1, 2): "rear"}
MAX_TRANSITIONS = 500

# The room that owns tickets registers how to list those of a machine: [{id, key, title, status}].
tickets_of_machine: Callable[[int], list[dict[str, Any]]] = lambda machine_id: []  # noqa: E731


def register_tickets(provider: Callable[[int], list[dict[str, Any]]]) -> None:
    """Let a machine's page show its tickets; called once at start by the room above."""
    global tickets_of_machine  # noqa: PLW0603  (one provider, set at start)
    tickets_of_machine = provider


def machines() -> QuerySet[MachineHealth]:
    """Machines with everything their list shows, in one query."""
    return MachineHealth.objects.select_related(
        "pool__model",
        "machine__device__site",
        "machine__device__model",
        "machine__device__placement__rack__row",
        "machine__device__placement__rack__room",
    )


def place(health: MachineHealth) -> dict[str, Any] | None:
    """Where the machine is mounted; None when it is not."""
    placement = getattr(health.machine.device, "placement", None)
    if placement is None:
        return None
    rack, span, faces = placement.rack, placement.half_units, placement.faces
    row = rack.row.name if rack.row else ""
    u = (span.lower + 1) // 2 if span else None
    text = " · ".join(
        part
        for part in (
            health.machine.device.site.name,
            rack.room.name,
            row and f"row {row}",
            f"rack {rack.name}",
            u and f"U{u}",
        )
        if part
    )
    return {
        "site": health.machine.device.site.name,
        "room": rack.room.name,
        "row": row,
        "rack": rack.name,
        "rack_id": rack.pk,
        "u": u,
        "height_u": (span.upper - span.lower) / 2 if span else None,
        "face": FACES.get((faces.lower, faces.upper), "both") if faces else placement.side_slot,
        "text": text,
    }


def summary(health: MachineHealth) -> dict[str, Any]:
    """One row of `/api/machines/`."""
    device = health.machine.device
    return {
        "id": device.pk,
        "name": device.name,
        "site": {"id": device.site_id, "slug": device.site.slug, "name": device.site.name},
        "model": {"slug": device.model.slug, "name": device.model.name, "vendor": device.model.vendor},
        "serial": device.serial,
        "asset_tag": device.asset_tag,
        "system_uuid": health.machine.system_uuid,
        "pool": pool_name(health.pool),
        "place": place(health),
        "ticket": health.ticket_key or None,
        "health": condition(health),
    }


def pool_name(pool: Pool | None) -> str | None:
    return f"{pool.role} · {pool.model.slug}" if pool else None


def condition(health: MachineHealth) -> dict[str, Any]:
    return {
        "cell": health.cell,
        "state": health.state,
        "state_since": health.state_since,
        "worst": health.worst,
        "heard": health.heard,
        "heard_at": health.heard_at,
        "boot_id": health.boot_id,
        "power": health.power,
        "allocation": health.allocation,
        "faults": health.open_faults,
        "maintenance_until": health.maintenance_until,
    }


def detail(health: MachineHealth) -> dict[str, Any]:
    """The answer of `/api/machines/ID/`."""
    machine = health.machine
    holds = Hold.objects.filter(machine_id=machine.pk, lifted_at=None).order_by("placed_at")
    return summary(health) | {
        "addresses": {
            "primary_ip": machine.primary_ip,
            "bmc_ip": machine.bmc_ip,
            "bmc_mac": machine.bmc_mac,
            "boot_mac": machine.boot_mac,
        },
        "health": condition(health) | {"holds": list(holds.values("owner", "reason", "placed_by", "placed_at"))},
        "tickets": tickets_of_machine(machine.pk),
    }


def components(health: MachineHealth) -> list[dict[str, Any]]:
    """The parts installed now, in the order of the model's slots; a slot without a known part is left out."""
    slots = {slot.name: (order, slot) for order, slot in enumerate(spec_of(health.machine.device.model.spec).slots)}
    rows = Installation.objects.filter(device_id=health.machine_id, during__endswith=None).select_related("component")
    found = [
        {
            "slot": row.slot,
            "label": slots[row.slot][1].label if row.slot in slots else "",
            "kind": row.component.kind,
            "vendor": row.component.vendor,
            "part_number": row.component.part_number,
            "serial": row.component.serial,
            "attributes": row.component.attributes,
            "installed_at": row.during.lower,
        }
        for row in rows
    ]
    return sorted(found, key=lambda row: (slots[row["slot"]][0] if row["slot"] in slots else len(slots), row["slot"]))


def history(machine_id: int, since: datetime) -> dict[str, Any]:
    """Looks, changed verdicts and changed states since a time. Three queries."""
    samples = Sample.objects.filter(machine_id=machine_id, at__gte=since).order_by("at")
    transitions = Transition.objects.filter(machine_id=machine_id, at__gte=since).order_by("-at")
    changes = LifecycleChange.objects.filter(machine_id=machine_id, at__gte=since).order_by("-id")
    return {
        "runs": [
            {"at": at, "worst": WORDS[worst], "fail": fail, "warn": warn, "unknown": unknown}
            for at, worst, fail, warn, unknown in samples.values_list("at", "worst", "fail", "warn", "unknown")
        ],
        "transitions": [
            {"at": at, "check": check, "part": part, "from": before, "to": after, "message": message}
            for at, check, part, before, after, message in transitions.values_list(
                "at", "check_id", "part", "from_verdict", "to_verdict", "message"
            )[:MAX_TRANSITIONS]
        ],
        "lifecycle": [
            {"at": at, "from": before, "to": after, "actor": actor, "reason": reason}
            for at, before, after, actor, reason in changes.values_list(
                "at", "transition__from_state", "transition__to_state", "actor", "reason"
            )
        ],
    }


def cables(machine_id: int) -> list[dict[str, Any]]:
    """Every cable end of a machine with the port its strands end in on the other side. Three queries.

    A cable with several strands from this machine gives one row per port.
    """
    near = StrandEnd.objects.filter(port__device_id=machine_id, change_set=None).select_related(
        "port", "connector__cable"
    )
    ends = sorted(near, key=lambda end: end.port_id)
    cable_ids = {end.connector.cable_id for end in ends}
    others = (
        StrandEnd.objects.filter(connector__cable_id__in=cable_ids, change_set=None)
        .select_related("port__device__placement__rack__room", "connector")
        .annotate(cable=F("connector__cable_id"))
    )
    far = {(end.cable, end.lane, end.connector.side): end.port for end in others}
    opposite = {"A": "B", "B": "A"}
    return [
        {
            "id": end.connector.cable.pk,
            "label": end.connector.cable.label,
            "type": end.connector.cable.type,
            "length_m": float(end.connector.cable.length_m) if end.connector.cable.length_m is not None else None,
            "colour": end.connector.cable.colour,
            "status": end.connector.cable.status,
            "near": _near(end.port),
            "far": _far(far.get((end.connector.cable_id, end.lane, opposite[end.connector.side]))),
        }
        for end in ends
    ]


def _near(port: Port) -> dict[str, Any]:
    return {"port": port.name, "kind": port.kind, "speed_gbps": port.speed_gbps, "cage": port.cage, "lane": port.lane}


def _far(port: Port | None) -> dict[str, Any] | None:
    if port is None:
        return None
    placement = getattr(port.device, "placement", None)
    where = ""
    if placement is not None:
        u = f"U{(placement.half_units.lower + 1) // 2}" if placement.half_units else placement.side_slot
        where = f"{placement.rack.room.name} · rack {placement.rack.name} · {u}"
    return {
        "device": port.device.name,
        "device_id": port.device_id,
        "kind": port.device.kind,
        "port": port.name,
        "cage": port.cage,
        "lane": port.lane,
        "place": where,
    }
