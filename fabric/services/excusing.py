"""Findings and links that are no news: their machine is dark because of what is being done to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from django.db.models import Q

from fabric.models import FabricSource, Finding, LinkQuality
from fabric.reconcile.finding import Kind
from health.remediation.darkness import Excuse
from health.remediation.queries.darkness import expected_dark
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


def forgive_links(source: FabricSource, now: datetime) -> int:
    """What was counted at the links of machines that are, or were just, expected to be dark is not held against them:
    a reboot is a link that goes down. Returns how many links; four queries."""
    ends = LinkQuality.objects.filter(source=source).exclude(link=None)
    ids = {pk for pair in ends.values_list("link__a_port__device_id", "link__b_port__device_id") for pk in pair if pk}
    dark = list(expected_dark(ids, now, or_just_back=True))
    if not dark:
        return 0
    mine = Q(link__a_port__device_id__in=dark) | Q(link__b_port__device_id__in=dark)
    pks = list(ends.filter(mine).values_list("pk", flat=True))
    return LinkQuality.objects.filter(pk__in=pks).update(judged_from=now)
