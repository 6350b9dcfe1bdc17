"""Parts that were swapped: what was seen in a slot is accepted as installed there."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from health.machines.services.changes import lock
from health.monitoring.models.sweeps import Sweep
from health.monitoring.models.verdicts import CurrentVerdict
from health.monitoring.services.sweeps.sweep_runs import request_sweep
from inventory.models import Installation
from inventory.services import swap_component

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
