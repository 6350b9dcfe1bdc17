"""What the board of stages is made of: a fixed number of statements whatever the number of machines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from access.models import PinnedCertificate
from health.machines.lifecycle import State
from health.machines.models.machines import MachineHealth
from provisioning.engines.adopt import AdoptEngine
from provisioning.models import Delivery, DeliveryItem, RunMachine, Step
from provisioning.stages.batches import Key
from provisioning.stages.board import OUT_OF_IT, REACHED_BY, Facts, FirstBoot
from provisioning.steps import OPEN, Status

LOOKS_BACK = timedelta(days=3)
MOST_DELIVERIES = 100
COLUMNS = (
    "machine_id", "pk", "run_id", "status", "step", "failure_class", "failure_text", "ticket", "finished_at",
)  # fmt: skip


def machines(site_ids: Sequence[int], only: Sequence[int] | None = None) -> list[Facts]:
    """Every machine of these sites, or those of `only`, by name. Four statements."""
    rows = MachineHealth.objects.filter(machine__device__site_id__in=site_ids)
    rows = rows if only is None else rows.filter(machine_id__in=only)
    health = rows.order_by("machine__device__name").values_list(
        "machine_id", "machine__device__name", "state", "state_since", "machine__device__placement__id"
    )
    every = RunMachine.objects.filter(machine__device__site_id__in=site_ids).order_by("machine_id", "-pk")
    every = every if only is None else every.filter(machine_id__in=only)
    runs = {row[0]: row[1:] for row in every.distinct("machine_id").values_list(*COLUMNS)}
    bmcs = dict(
        PinnedCertificate.objects.filter(machine__device__site_id__in=site_ids, replaced_at=None)
        .exclude(machine__health__state__in=OUT_OF_IT)
        .values_list("machine_id", "recorded_at")
    )
    done: dict[int, dict[str, datetime]] = defaultdict(dict)
    reached = Step.objects.filter(
        run_machine__in=[run[0] for run in runs.values() if run[2] in (*OPEN, Status.FAILED)],
        status=Status.DONE.value,
        name__in=[step.value for step in REACHED_BY],
    )
    for run_machine, step, at in reached.values_list("run_machine_id", "name", "finished_at"):
        if at is not None:
            done[run_machine][step] = at
    return [
        Facts(pk, name, state, since, placement is not None, bmcs.get(pk), *_of_run(runs.get(pk), done))
        for pk, name, state, since, placement in health
    ]


def _of_run(run: Sequence[Any] | None, done: Mapping[int, Mapping[str, datetime]]) -> tuple[Any, ...]:
    """What is known of the newest run, in the order of the fields of Facts."""
    return (*run[1:], done.get(run[0], {})) if run is not None else ()


def arrivals(site_ids: Sequence[int], now: datetime, only: Sequence[int] | None = None) -> list[tuple[int, datetime]]:
    """Which machine a run of the last days brought to service, and when, in order."""
    rows = RunMachine.objects.filter(
        run__site_id__in=site_ids, status=Status.DONE.value, finished_at__gt=now - LOOKS_BACK
    )
    rows = rows if only is None else rows.filter(machine_id__in=only)
    found = rows.order_by("finished_at").values_list("machine_id", "finished_at")
    return [(machine, at) for machine, at in found if at is not None]


def first_boots(site_ids: Sequence[int], only: Sequence[int] | None = None) -> dict[int, FirstBoot]:
    """Of every machine whose first installation has an end, or failed once on the way; who is adopted ran already."""
    rows = RunMachine.objects.filter(run__site_id__in=site_ids).exclude(run__engine=AdoptEngine.slug)
    rows = rows.order_by("machine_id", "pk")
    rows = rows if only is None else rows.filter(machine_id__in=only)
    firsts = rows.distinct("machine_id").values_list("machine_id", "first_failure", "status", "machine__health__state")
    return {
        machine: FirstBoot(failure, mended=status == Status.DONE or state == State.READY)
        for machine, failure, status, state in firsts
        if failure or status == Status.DONE
    }


def came_with(site_ids: Sequence[int], delivery: int | None = None) -> dict[int, Key]:
    """The delivery of every machine that was taken over of one, of one of them or of the newest ones. One statement."""
    rows = DeliveryItem.objects.filter(delivery__site_id__in=site_ids).exclude(machine=None)
    if delivery is not None:
        rows = rows.filter(delivery_id=delivery)
    else:
        newest = Delivery.objects.filter(site_id__in=site_ids).order_by("-pk")[:MOST_DELIVERIES]
        rows = rows.filter(delivery__in=newest.values("pk"))
    names = ("machine_id", "delivery_id", "delivery__order", "delivery__vendor", "machine__device__model__name")
    return {machine: Key(*key) for machine, *key in rows.values_list(*names)}
