"""Machines of the inventory get their health row and their pool; parts that were swapped are accepted by name."""

from __future__ import annotations

from django.db import connection, transaction
from django.utils import timezone

from core.database import prepared
from core.work.alone import alone
from health.machines.cells import Condition, cell
from health.machines.lifecycle import LifecycleEvent, State, allowed
from health.machines.models.machines import LifecycleChange, LifecycleTransition, MachineHealth, Pool
from health.machines.services.changes import changing
from inventory.models import Device, Machine

ASSIGN_POOLS = """
UPDATE health_machinehealth health SET pool_id = pool.id
FROM inventory_machine machine
JOIN inventory_device device ON device.id = machine.device_id
JOIN health_pool pool ON pool.site_id = device.site_id AND pool.role = machine.role AND pool.model_id = device.model_id
WHERE health.machine_id = machine.device_id AND health.pool_id IS DISTINCT FROM pool.id
"""


ADOPTED = "active in the inventory when first loaded"


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
            cell=cell(Condition(state=state, reachability="never", worst="unknown")),
        )
        for pk, state in states.items()
    )
    adopt = LifecycleTransition.objects.get(
        from_state=State.NEW.value, event=LifecycleEvent.ADOPT.value, to_state=State.READY.value
    )
    LifecycleChange.objects.bulk_create(
        LifecycleChange(machine_id=pk, transition=adopt, at=now, actor=actor, reason=ADOPTED)
        for pk, state in states.items()
        if state == State.READY
    )
    with connection.cursor() as cursor:
        cursor.execute(ASSIGN_POOLS)
    follow_retired(actor)
    return len(states)


def forget(ids: list[int]) -> None:
    """Let go what began with machines whose creation is undone: their health rows, and that they were adopted.

    All else that is kept of a machine stands in the way of that; the pool stays, with its policy.
    """
    list(MachineHealth.objects.select_for_update().filter(pk__in=ids).order_by("pk").values_list("pk"))
    MachineHealth.objects.filter(pk__in=ids).delete()
    LifecycleChange.objects.filter(
        machine__in=ids, reason=ADOPTED, transition__event=LifecycleEvent.ADOPT.value
    ).delete()  # fmt: skip


RETIRED = """
SELECT health.machine_id, health.state FROM health_machinehealth health
JOIN inventory_device device ON device.id = health.machine_id
WHERE device.status = 'retired' AND health.state <> 'retired' ORDER BY health.machine_id
"""


def follow_retired(actor: str) -> None:
    """Follow machines the inventory retired, where the lifecycle allows it; one in use is drained by a person first."""
    for pk, state in prepared.rows(RETIRED):
        if allowed(state, LifecycleEvent.RETIRE):
            with alone("machine_not_retired", machine=pk), changing(pk, actor=actor) as change:
                change.move(LifecycleEvent.RETIRE, reason="retired in the inventory")
