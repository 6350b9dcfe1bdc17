"""One machine in full, and its past."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db.models import F, QuerySet
from django.db.models.fields.json import KeyTextTransform

from health.machines.models.machines import Hold, LifecycleChange, MachineHealth, Pool
from health.monitoring.merge import WORDS
from health.monitoring.models.verdicts import Sample, Transition
from inventory.queries import place_dict, slot_texts_of

# What `place_dict` reads of a device, as in `inventory.queries.with_place`.
DEVICE_PATHS = (
    "site",
    "model",
    "placement__rack__row",
    "placement__rack__room",
    "parent__placement__rack__row",
    "parent__placement__rack__room",
)
MAX_TRANSITIONS = 500

# The room that owns tickets registers how to list those of a machine: [{id, key, title, status}].
tickets_of_machine: Callable[[int], list[dict[str, Any]]] = lambda machine_id: []  # noqa: E731


def register_tickets(provider: Callable[[int], list[dict[str, Any]]]) -> None:
    """Let a machine's page show its tickets; called once at start by the room above."""
    global tickets_of_machine  # noqa: PLW0603  (one provider, set at start)
    tickets_of_machine = provider


def machines() -> QuerySet[MachineHealth]:
    """Machines with everything their list shows, in one query; `name` is there to order by."""
    return MachineHealth.objects.annotate(name=F("machine__device__name")).select_related(
        "pool__model",
        *(f"machine__device__{path}" for path in DEVICE_PATHS),
    )


def in_full() -> QuerySet[MachineHealth]:
    """The same with what only the page of one machine shows: `bmc`, what its BMC is, as the last sweep saw it."""
    return machines().annotate(bmc=KeyTextTransform("bmc", "machine__facts__facts"))


def listed() -> QuerySet[MachineHealth]:
    """The same without what only single machines show: a model's file, decoded for each row, takes most of the time."""
    paths = ("machine__device", "machine__device__placement__rack", "machine__device__placement__rack__room")
    models = ("pool__model", "machine__device__model", "machine__device__parent__model")
    return machines().defer(*(f"{path}__custom" for path in paths), *(f"{path}__spec" for path in models))


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
        "place": place_dict(device),
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
        "reachability": health.reachability,
        "last_seen_at": health.last_seen_at,
        "boot_id": health.boot_id,
        "power": health.power,
        "allocation": health.allocation,
        "faults": health.open_faults,
        "maintenance_until": health.maintenance_until,
    }


def detail(health: Any) -> dict[str, Any]:
    """The answer of `/api/machines/ID/`, of a row of `in_full`."""
    machine = health.machine
    holds = Hold.objects.filter(machine_id=machine.pk, lifted_at=None).order_by("placed_at")
    return summary(health) | {
        "addresses": {
            "primary_ip": machine.primary_ip,
            "bmc_ip": machine.bmc_ip,
            "bmc_mac": machine.bmc_mac,
            "boot_mac": machine.boot_mac,
        },
        "bmc": health.bmc,
        "health": condition(health) | {"holds": list(holds.values("owner", "reason", "placed_by", "placed_at"))},
        "tickets": tickets_of_machine(machine.pk),
    }


def history(machine_id: int, since: datetime) -> dict[str, Any]:
    """Looks, changed verdicts and changed states since a time. Four queries."""
    named = slot_texts_of(machine_id)
    samples = Sample.objects.filter(machine_id=machine_id, at__gte=since).order_by("at")
    transitions = Transition.objects.filter(machine_id=machine_id, at__gte=since).order_by("-at")
    changes = LifecycleChange.objects.filter(machine_id=machine_id, at__gte=since).order_by("-id")
    return {
        "runs": [
            {"at": at, "worst": WORDS[worst], "fail": fail, "warn": warn, "unknown": unknown}
            for at, worst, fail, warn, unknown in samples.values_list("at", "worst", "fail", "warn", "unknown")
        ],
        "transitions": [
            {
                "at": at,
                "check": check,
                "part": part,
                "part_text": named.get(part, part),
                "from": before,
                "to": after,
                "message": message,
            }
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
