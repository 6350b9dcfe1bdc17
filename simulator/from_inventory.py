"""The plan of the fleet that is loaded: identities from the inventory's tables, addresses from this hall's slice.

The one module here that needs Django's database; used by `manage.py hall --site` only.
"""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import replace
from typing import Any

from django.db.models.fields.json import KeyTextTransform

from inventory.models import Device, DeviceModel, Installation, Machine
from inventory.specs.device_model import DeviceModelSpec
from simulator.plan import (
    REDFISH_PORT,
    SSH_PORT,
    HallPlan,
    MachinePlan,
    ModelFacts,
    PlanError,
    address_of,
    facts_of,
    machine_parts,
)

PLANNED_KINDS = ("gpu", "hca", "nvme", "psu")
ATTRIBUTES = ("uuid", "guid", "model")
# Slot name -> what the inventory knows of the part in it: serial, part_number and the attributes beside them.
Parts = dict[str, dict[str, str]]


def plan_from_inventory(
    site: str, slice_number: int, *, ssh_port: int = SSH_PORT, redfish_port: int = REDFISH_PORT
) -> HallPlan:
    """Every machine of a site that is not retired; a planned one is bare. Raises PlanError when there is none.

    A slot of which the inventory knows no part gets a made-up one, the same at every start.
    """
    rows = (
        Machine.objects.filter(device__site__slug=site)
        .exclude(device__status=Device.Status.RETIRED)
        .select_related("device")
        .order_by("device_id")
    )
    machines = list(rows)
    if not machines:
        there = Machine.objects.values_list("device__site__slug", flat=True).distinct().order_by("device__site__slug")
        raise PlanError(f"no machines are loaded for site {site!r}; sites with machines: {', '.join(there) or 'none'}")
    installed = _installed(site)
    models: dict[int, tuple[DeviceModelSpec, ModelFacts]] = {}  # each read once: its spec is a long document
    for model in DeviceModel.objects.filter(pk__in={machine.device.model_id for machine in machines}):
        spec = DeviceModelSpec.from_dict(model.spec, source=model.slug)
        models[model.pk] = spec, facts_of(spec)
    plans = []
    for index, machine in enumerate(machines):
        plan = _machine(machine, *models[machine.device.model_id], index, installed[machine.pk])
        plans.append(
            replace(plan, address=address_of(slice_number, index), ssh_port=ssh_port, redfish_port=redfish_port)
        )
    return HallPlan(site, tuple(plans))


def _installed(site: str) -> dict[int, Parts]:
    """What sits in which slot of which device now, by the device's id."""
    told = [KeyTextTransform(name, "component__attributes") for name in ATTRIBUTES]
    rows = Installation.objects.filter(
        device__site__slug=site, during__endswith=None, component__kind__in=PLANNED_KINDS
    ).values_list("device_id", "slot", "component__serial", "component__part_number", *told)
    found: dict[int, Parts] = defaultdict(dict)
    for device, slot, *values in rows.iterator(chunk_size=5000):
        found[device][slot] = {
            name: value for name, value in zip(("serial", "part_number", *ATTRIBUTES), values, strict=True) if value
        }
    return found


def _machine(machine: Machine, spec: DeviceModelSpec, facts: ModelFacts, index: int, parts: Parts) -> MachinePlan:
    device, rng = machine.device, random.Random(machine.device.name)
    made_up = machine_parts(spec, facts, rng, index)
    for group in ("gpus", "hcas", "nvmes", "psus"):
        made_up[group] = tuple(_known(part, parts.get(part.slot, {})) for part in made_up[group])
    return MachinePlan(
        name=device.name,
        facts=facts,
        serial=device.serial or f"NOTAG{index:02d}",
        system_uuid=str(machine.system_uuid or ""),
        bmc_mac=machine.bmc_mac,
        boot_mac=machine.boot_mac,
        address="",
        ssh_port=0,
        redfish_port=0,
        bare=device.status == Device.Status.PLANNED,
        **made_up,
    )


def _known(part: Any, known: dict[str, str]) -> Any:
    """The part with all that the inventory knows of it."""
    return replace(part, **{key: value for key, value in known.items() if hasattr(part, key)})
