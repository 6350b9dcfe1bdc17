"""Reads of placements, each in a fixed number of statements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Count, Max, Prefetch, Q, QuerySet

from health.machines.lifecycle import State
from health.machines.specs import usable
from health.models import MachineHealth, MachineImage
from health.monitoring import hooks
from health.monitoring.images.queries import of_name
from inventory.models import DeviceModel, Machine
from provisioning.images.arithmetic import laggards
from provisioning.images.commands import Image
from provisioning.images.models import ImagePlacement, PlacedImage
from provisioning.images.progress import Pace, pace
from provisioning.waves.fitness import GONE
from provisioning.waves.policy import MachineState

RACK, REGISTRY = "rack:", "registry:"


def placements() -> QuerySet[ImagePlacement]:
    """With the status of each machine as `statuses`."""
    rows = PlacedImage.objects.only("placement_id", "status")
    return ImagePlacement.objects.prefetch_related(Prefetch("machines", queryset=rows, to_attr="statuses"))


def placements_with_machines() -> QuerySet[ImagePlacement]:
    """With each machine and its name as `statuses`."""
    rows = PlacedImage.objects.select_related("machine__device").order_by("pk")
    return ImagePlacement.objects.prefetch_related(Prefetch("machines", queryset=rows, to_attr="statuses"))


def machines_of_pool(pool_id: int) -> list[int]:
    """Those of a pool that are in use or in repair, by name."""
    rows = MachineHealth.objects.filter(pool_id=pool_id).exclude(state__in=[State.NEW.value, *(s.value for s in GONE)])
    return list(rows.order_by("machine__device__name").values_list("machine_id", flat=True))


def groups_of(placement: ImagePlacement, rack: str) -> tuple[str, ...]:
    """What a machine shares with others: its rack, and the registry where something is pulled."""
    rack_group = (f"{RACK}{placement.site_id}/{rack}",) if rack else ()
    pulls = placement.action == ImagePlacement.Action.PLACE and not placement.dry_run
    return (*rack_group, f"{REGISTRY}{Image(placement.reference).registry}") if pulls else rack_group


def busy() -> Counter[str]:
    """How many machines of all placements are under way, by what they share. One statement."""
    found: Counter[str] = Counter()
    rows = PlacedImage.objects.filter(status=MachineState.RUNNING.value).select_related("placement")
    for row in rows:
        found.update(groups_of(row.placement, row.rack))
    return found


def expected_of(machine_ids: Iterable[int]) -> dict[int, dict[str, Any]]:
    """What the device model of each machine expects; nothing where the model cannot be used. Two statements."""
    rows = dict(Machine.objects.filter(pk__in=list(machine_ids)).values_list("pk", "device__model_id"))
    specs = dict(DeviceModel.objects.filter(pk__in=set(rows.values())).values_list("pk", "spec"))
    told = {pk: found.expected if (found := usable(spec)) else {} for pk, spec in specs.items()}
    return {pk: told.get(model, {}) for pk, model in rows.items()}


class Known(NamedTuple):
    """A digest that lies under the name on so many machines of a site."""

    digest: str
    machines: int
    size_bytes: int | None
    made_at: datetime | None


def known_digests(site_ids: Iterable[int], name: str) -> list[Known]:
    """As registries have them, the most frequent first. One statement."""
    rows = (
        MachineImage.objects.filter(of_name(name), ~Q(digest=""), machine__device__site_id__in=list(site_ids))
        .values("digest")
        .annotate(count=Count("machine_id", distinct=True), size=Max("size_bytes"), made=Max("made_at"))
        .order_by("-count", "digest")
    )
    return [Known(row["digest"], row["count"], row["size"], row["made"]) for row in rows]


def late(rows: Sequence[PlacedImage], now: datetime) -> set[int]:
    """Rows of a placement that take far longer than the others did."""
    running = {
        row.pk: (now - row.started_at).total_seconds() for row in rows
        if row.status == MachineState.RUNNING and row.started_at
    }  # fmt: skip
    done = [
        (row.finished_at - row.started_at).total_seconds() for row in rows
        if row.status == MachineState.OK and row.started_at and row.finished_at
    ]  # fmt: skip
    return set(laggards(running, done))


def pace_of(row: PlacedImage) -> Pace:
    """How fast a machine pulls, and what is left; nothing of one that does not pull or whose engine does not tell."""
    if row.status != MachineState.RUNNING or row.begun_at is None or row.pulled_at is None:
        return Pace()
    return pace(row.pulled_bytes, row.pulled_of_bytes, (row.pulled_at - row.begun_at).total_seconds())


def image_users(machine_ids: Collection[int], reference: str) -> dict[int, list[str]]:
    """What of the rooms above uses an image on these machines now, such as training runs."""
    found: dict[int, list[str]] = {}
    for users_of in hooks.image_users:
        for machine, users in users_of(machine_ids, reference).items():
            found.setdefault(machine, []).extend(users)
    return found
