"""Machines of the inventory get their health row and their pool; parts that were swapped are accepted by name."""

from __future__ import annotations

from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from core.alone import alone
from health.machines.cells import Condition, cell
from health.machines.lifecycle import LifecycleEvent, State, allowed
from health.machines.models.machines import LifecycleChange, LifecycleTransition, MachineHealth, Pool
from health.machines.services.changes import changing, lock
from health.monitoring.models.sweeps import Sweep
from health.monitoring.models.verdicts import CurrentVerdict
from health.monitoring.services.sweep_runs import request_sweep
from inventory.models import Device, Installation, Machine
from inventory.services import swap_component

ASSIGN_POOLS = """
UPDATE health_machinehealth health SET pool_id = pool.id
FROM inventory_machine machine
JOIN inventory_device device ON device.id = machine.device_id
JOIN health_pool pool ON pool.site_id = device.site_id AND pool.role = machine.role AND pool.model_id = device.model_id
WHERE health.machine_id = machine.device_id AND health.pool_id IS DISTINCT FROM pool.id
"""


@transaction.atomic
def sync_machines(*, actor: str = "inventory") -> int:
    """Give every machine its health row and its pool; returns how many rows were made. A fixed number of queries.

    An active machine is taken into service as it is: `ready`, but never heard, so its cell says no signal until the
    first sweep. A planned one is `new` and waits for provisioning.
    """
    combinations = Machine.objects.values_list("device__site_id", "role", "device__model_id").distinct()
    Pool.objects.bulk_create(
        [Pool(site_id=site, role=role, model_id=model) for site, role, model in combinations], ignore_conflicts=True
    )
    missing = Machine.objects.filter(health=None).order_by("pk").values_list("pk", "device__status")
    now = timezone.now()
    states = {pk: State.READY if status == Device.Status.ACTIVE else State.NEW for pk, status in missing}
    MachineHealth.objects.bulk_create(
        MachineHealth(
            machine_id=pk,
            state=state.value,
            state_since=now,
            version=int(state == State.READY),
            cell=cell(Condition(state=state, heard="never", worst="unknown")),
        )
        for pk, state in states.items()
    )
    adopt = LifecycleTransition.objects.get(
        from_state=State.NEW.value, event=LifecycleEvent.ADOPT.value, to_state=State.READY.value
    )
    LifecycleChange.objects.bulk_create(
        LifecycleChange(
            machine_id=pk, transition=adopt, at=now, actor=actor, reason="active in the inventory when first loaded"
        )
        for pk, state in states.items()
        if state == State.READY
    )
    with connection.cursor() as cursor:
        cursor.execute(ASSIGN_POOLS)
    _retire(actor)
    return len(states)


def _retire(actor: str) -> None:
    """Follow machines the inventory retired, where the lifecycle allows it; one in use is drained by a person first."""
    retired = MachineHealth.objects.filter(machine__device__status=Device.Status.RETIRED)
    for health in retired.exclude(state=State.RETIRED.value).order_by("machine_id"):
        if allowed(health.state, LifecycleEvent.RETIRE):
            pk = health.machine_id
            with alone("machine_not_retired", machine=pk), changing(pk, actor=actor) as change:
                change.move(LifecycleEvent.RETIRE, reason="retired in the inventory")


# The checks that see the serial of the part in a slot. A network card tells only its GUID.
IDENTITY_CHECKS = ("gpu.identity", "nvme.count", "bmc.psu")


def observed_identity(machine_id: int, slot: str) -> dict[str, Any] | None:
    """What was seen in a slot when it differs from what is installed there; None when nothing differs.

    Only a warning is another part: what fails is of another type, or belongs to another machine.
    """
    seen = CurrentVerdict.objects.filter(
        machine_id=machine_id, part=slot, check_id__in=IDENTITY_CHECKS, verdict="warn", observed__serial__isnull=False
    ).first()
    if seen is None or not seen.observed["serial"]:
        return None
    sits = Installation.objects.filter(device_id=machine_id, slot=slot, during__endswith=None)
    if sits.filter(component__serial=seen.observed["serial"]).exists():
        return None
    return dict(seen.observed)


@transaction.atomic
def accept_swap(machine_id: int, slot: str, *, actor: str, ticket: str = "") -> Installation:
    """Take the part that was seen in a slot as installed there, and look again.

    The inventory keeps the old part's history. Raises LookupError when nothing else was seen, and
    inventory.services.Refused when that part is installed somewhere else.
    """
    lock(machine_id)
    seen = observed_identity(machine_id, slot)
    if seen is None:
        raise LookupError(f"no other part was seen in {slot}")
    attributes = {key: seen[key] for key in ("uuid", "guid") if seen.get(key)}
    installed = swap_component(
        machine_id,
        slot,
        new_serial=str(seen["serial"]),
        part_number=seen.get("part_number"),
        attributes=attributes,
        by=actor,
        ticket=ticket,
    )
    request_sweep([machine_id], Sweep.Kind.MANUAL, actor=actor)
    return installed
