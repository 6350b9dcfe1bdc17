"""Findings and links that are no news: their machine is dark because of what is being done to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fabric.reconcile.finding import Kind
from fabric.wiring.models.findings import Finding
from health.remediation.darkness import Excuse
from inventory.models import Device

# What a machine without power leaves behind in its fabric.
OFF_KINDS = frozenset({Kind.DEVICE_OFF.value, Kind.AREA_OFF.value})
DARK_KINDS = frozenset({Kind.MISSING.value, Kind.DARK.value}) | OFF_KINDS


def excuse_of(row: Finding, machines: Mapping[int, Excuse], kinds: Mapping[int, str]) -> Excuse | None:
    """Why a finding opens nothing now; None when it counts.

    Of a device that is off all devices have to be excused; of a dark cable all its machines, and it has to have one.
    """
    if row.kind not in DARK_KINDS:
        return None
    concerned = [pk for pk in row.device_ids if row.kind in OFF_KINDS or kinds.get(pk) == "machine"]
    if not concerned or any(pk not in machines for pk in concerned):
        return None
    return min((machines[pk] for pk in concerned), key=lambda each: each.until)


def kinds_of(device_ids: Iterable[int]) -> dict[int, str]:
    return dict(Device.objects.filter(pk__in=list(device_ids)).values_list("pk", "kind"))
