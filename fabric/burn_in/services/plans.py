"""Which machines a burn-in may use, and the plan that comes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from core.work.kinds import Session, Work
from core.work.queue import after_commit
from fabric.burn_in.models import BurnIn, BurnInPair, BurnInStage
from fabric.burn_in.plan import Adapter, BurnInPlan, Gap, plan
from fabric.discovery.models.seen import SeenLink, SeenNode
from fabric.discovery.models.sources import FabricSource
from fabric.facts import SeenPort
from fabric.quality.paths import Wire
from fabric.quality.speeds import link_gbps
from health.machines.lifecycle import State
from health.models import MachineHealth
from inventory.models import Machine

OUT_OF_SERVICE = (State.DRAINED.value, State.BURN_IN.value, State.MAINTENANCE.value)
MOST_GAPS = 1000
PLAN_WITHIN = timedelta(hours=1)
"""A plan that is not made by then is given up: no worker takes it, or it ends each one. Which machines are idle has
changed by then as well."""


def _unmade() -> list[int]:
    """Plans that are still to be made; one that is too old is given up."""
    old = BurnIn.objects.filter(WORK.open, created_at__lt=timezone.now() - PLAN_WITHIN)
    old.update(status=BurnIn.Status.FAILED, message="no worker made a plan within an hour", finished_at=timezone.now())
    return WORK.due_ids()


WORK = Work(
    name="burn-in plan",
    model=BurnIn,
    open=Q(status=BurnIn.Status.PLANNING),
    hold=Session(7_208),
    task="fabric.burn_in.tasks.plan_burn_in",
    every_s=60,
    follow=_unmade,
)


class BurnInRefused(Exception):
    """What was asked may not be done, in words for a person."""


DEFAULTS: dict[str, float | int | bool] = {
    "stage_s": 60, "lead_s": 5, "share": 0.5, "most_stages": 32, "gpu_direct": True,
    "least_gbps": 720.0, "least_gbps_without_gpu": 300.0, "most_p99_us": 4.2, "latency": True, "port": 18_515,
}  # fmt: skip
"""Limits: 90 % of 2 x 400 Gb/s with GPU-direct, and the latency, as imbue-ai/cluster-health (2024) tests pairs."""
RANGES: dict[str, tuple[float, float]] = {
    "stage_s": (5, 600), "lead_s": (1, 60), "share": (0.05, 1), "most_stages": (1, 128), "least_gbps": (0, 10_000),
    "least_gbps_without_gpu": (0, 10_000), "most_p99_us": (0.1, 10_000), "port": (1024, 60_000),
}  # fmt: skip


def settings_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """All settings of a run. Raises BurnInRefused for one that is not known or out of range."""
    for name, value in given.items():
        usual = DEFAULTS.get(name)
        if usual is None:
            raise BurnInRefused(f"There is no setting {name}.")
        if isinstance(usual, bool):
            if not isinstance(value, bool):
                raise BurnInRefused(f"{name} is true or false.")
            continue
        low, high = RANGES[name]
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise BurnInRefused(f"{name} is a number from {low:g} to {high:g}.")
        if isinstance(usual, int) and not float(value).is_integer():
            raise BurnInRefused(f"{name} is a whole number.")
    return DEFAULTS | {
        name: int(value) if isinstance(DEFAULTS[name], int) and not isinstance(value, bool) else value
        for name, value in given.items()
    }


class Candidates(NamedTuple):
    """Machine ids by name that may be used, and the others with the reason."""

    usable: dict[str, int]
    left_out: list[dict[str, Any]]


def candidates(site_id: int, wanted: Sequence[int] = ()) -> Candidates:
    """Machines of a site that run nothing: out of service, or in service and told to be idle. Unknown is not idle."""
    rows = Machine.objects.filter(device__site_id=site_id).select_related("device")
    if wanted:
        rows = rows.filter(pk__in=list(wanted))
    health = {
        row.machine_id: row
        for row in MachineHealth.objects.filter(machine__device__site_id=site_id).only("machine", "state", "allocation")
    }
    usable: dict[str, int] = {}
    left_out: list[dict[str, Any]] = []
    for machine in rows.order_by("device__name"):
        why = unusable(health.get(machine.pk))
        if why:
            left_out.append({"machine": machine.device.name, "reason": why})
        else:
            usable[machine.device.name] = machine.pk
    return Candidates(usable, left_out)


def unusable(health: MachineHealth | None) -> str:
    """Why a machine may not be used; empty when it may."""
    if health is None:
        return "nothing is known of it"
    if health.state in OUT_OF_SERVICE:
        return "" if health.allocation != MachineHealth.Allocation.ALLOCATED else "a job runs on it"
    if health.state == State.READY.value:
        return "" if health.allocation == MachineHealth.Allocation.IDLE else "it is in service and not known to be idle"
    return f"it is {health.state}"


@transaction.atomic
def create(
    source: FabricSource, *, by: str, machines: Sequence[int] = (), settings: Mapping[str, Any] | None = None
) -> BurnIn:
    """Ask for a plan; a worker makes it. Raises BurnInRefused."""
    run = BurnIn.objects.create(
        site_id=source.site_id, source=source, created_by=by, machine_ids=list(machines),
        settings=settings_of(settings or {}),
    )  # fmt: skip
    run.refresh_from_db()
    after_commit(WORK.task, run.pk)
    return run


def wires_of(source_id: int) -> list[Wire]:
    """Every link seen now whose rate is known."""
    rows = SeenLink.objects.filter(source_id=source_id, during__endswith=None).order_by("id")
    found = []
    for a_guid, a_port, b_guid, b_port, width, speed in rows.values_list(
        "a_guid", "a_port", "b_guid", "b_port", "width", "speed"
    ):
        gbps = link_gbps(width, speed)
        if gbps:
            found.append(Wire(SeenPort(a_guid, a_port), SeenPort(b_guid, b_port), gbps))
    return found


def adapters_of(source_id: int, usable: Mapping[str, int]) -> list[Adapter]:
    """Adapters of the machines that may be used: nodes named `MACHINE ADAPTER`. One that is named twice is left out."""
    rows = SeenNode.objects.filter(source_id=source_id, kind="adapter", during__endswith=None)
    found: dict[tuple[str, str], list[Adapter]] = {}
    for guid, name in rows.values_list("guid", "name"):
        machine, _, adapter = name.partition(" ")
        if adapter and machine in usable:
            found.setdefault((machine, adapter), []).append(Adapter(machine, adapter, SeenPort(guid, 1)))
    return [same[0] for same in found.values() if len(same) == 1]


def make_plan(run_id: int) -> BurnIn | None:
    """Plan a run that waits for it; None when it does not, or another worker plans it. Safe to run twice."""
    with WORK.held(run_id) as run:
        if run is None:
            return None
        allowed = candidates(run.site_id, run.machine_ids)
        wires = wires_of(run.source_id)
        made = plan(
            wires, adapters_of(run.source_id, allowed.usable),
            share=run.settings["share"], most_stages=run.settings["most_stages"],
        )  # fmt: skip
        with transaction.atomic():
            locked = BurnIn.objects.select_for_update().get(pk=run.pk)
            if locked.status == BurnIn.Status.PLANNING:
                _keep(locked, made, allowed)
    return locked


def _keep(run: BurnIn, made: BurnInPlan, allowed: Candidates) -> None:
    run.left_out, run.links, run.covered = allowed.left_out, len(made.wires), made.covered
    run.gaps = [told(gap) for gap in made.gaps[:MOST_GAPS]]
    if made.stages:
        run.status, run.message = BurnIn.Status.PLANNED, ""
    else:
        run.status = BurnIn.Status.FAILED
        run.message = "no links were seen" if not made.wires else "no two machines may be used"
    run.save()
    for number, stage in enumerate(made.stages, 1):
        row = BurnInStage.objects.create(
            burn_in=run, number=number, covers=[key_of(made.wires[wire]) for wire in stage.covers]
        )
        BurnInPair.objects.bulk_create(
            BurnInPair(
                stage=row, adapter=stream.a.name,
                server_id=allowed.usable[stream.a.machine], server_guid=stream.a.port.guid,
                client_id=allowed.usable[stream.b.machine], client_guid=stream.b.port.guid,
            )
            for stream in stage.streams
        )  # fmt: skip


def key_of(wire: Wire) -> str:
    a, b = sorted((wire.a, wire.b))
    return f"{a.guid}_{a.port}:{b.guid}_{b.port}"


def told(gap: Gap) -> dict[str, Any]:
    return {"key": key_of(gap.wire), "share": round(gap.share, 3), "reason": gap.reason}
