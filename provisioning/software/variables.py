"""What a role is told of each machine: where it is, what it is, and what its device model expects of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from health.machines.specs import usable
from inventory.models import Machine
from provisioning.software.models import SoftwareRun


def variables_of(machine_ids: Iterable[int], run: SoftwareRun) -> dict[int, dict[str, Any]]:
    """By machine; a role reads each with `rackside_` before its name. One statement."""
    columns = (
        "pk", "device__name", "device__serial", "device__site__slug", "device__placement__rack__name",
        "device__model__slug", "device__model__spec",
    )  # fmt: skip
    rows = Machine.objects.filter(pk__in=list(machine_ids)).values_list(*columns)
    return {
        pk: {
            "machine": name, "serial": serial, "site": site, "rack": rack or "", "model": model,
            "expected": told.expected if (told := usable(spec)) else {}, "run": run.pk,
        }
        for pk, name, serial, site, rack, model, spec in rows
    }  # fmt: skip
