"""What sweeps saw of the processes on GPUs, where that is not known, and the roll call of a run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from health.models import GpuProcesses, MachineReport
from health.monitoring.services.sweeps.periods import counted_s
from inventory.models import Machine
from runs.found.groups import Gpu, Process
from runs.found.roll_call import Seen, Unknown, roll_call
from runs.models import RunRank, TrainingRun

FRESH_SWEEPS = 3
FRESH_LEAST_S = 900.0
UNREACHABLE = "unreachable since the last sweeps"


@dataclass
class Machines:
    """The machines of a site. `known` are those that said lately what runs there, `heard` when; `unknown` says why."""

    processes: list[Process] = field(default_factory=list)
    known: set[int] = field(default_factory=set)
    heard: dict[int, datetime] = field(default_factory=dict)
    unknown: dict[int, str] = field(default_factory=dict)


def machines_at(now: datetime) -> dict[int, Machines]:
    """By site; a machine that was never asked is in none. Two statements."""
    rows = GpuProcesses.objects.select_related("machine__device").order_by("pk")
    heard_at = dict(MachineReport.objects.filter(machine__in=rows.values("pk")).values_list("machine_id", "heard_at"))
    found: dict[int, Machines] = defaultdict(Machines)
    since = now - fresh()
    for row in rows:
        site, at = found[row.machine.device.site_id], heard_at.get(row.pk)
        if row.trouble or at is None or at < since:
            site.unknown[row.pk] = row.trouble or UNREACHABLE
            continue
        site.known.add(row.pk)
        site.heard[row.pk] = at
        site.processes += _processes(row)
    return dict(found)


def fresh() -> timedelta:
    """How long what a sweep saw counts."""
    return timedelta(seconds=max(FRESH_LEAST_S, FRESH_SWEEPS * counted_s()))


def _processes(row: GpuProcesses) -> Iterator[Process]:
    start = row.booted_at.timestamp()
    for told in row.processes:
        yield Process(
            row.pk,
            row.machine.device.name,
            told["pid"],
            told["parent"],
            start + told["started_s"],
            told["user"],
            told["container"],
            [Gpu(gpu["uuid"], gpu["slot"], gpu["serial"], gpu["gib"]) for gpu in told["gpus"]],
            told["variables"],
        )


# ---- the roll call of a run ----
def roll_of(run: TrainingRun) -> dict[str, Any]:
    """As `roll_call` says it. Of a run whose processes were never seen nothing is missing: nobody counted. At most six
    statements."""
    ranks = list(RunRank.objects.filter(run=run).order_by("rank"))
    counted = run.processes_seen_at is not None
    seen = [
        Seen(each.rank, each.machine_name, each.slot, each.slice, each.gone_at is not None, each.others)
        for each in ranks
    ]
    told = roll_call(
        run.world_size if counted else 0, seen if counted else [], _unknown(run, ranks) if run.ended_at is None else []
    )
    return told | {"world_size": run.world_size, "counted": counted}


def _unknown(run: TrainingRun, ranks: list[RunRank]) -> list[Unknown]:
    """Machines of the run, or of its job, of which is not known now what runs there."""
    ids = {each.machine_id for each in ranks if each.machine_id is not None}
    if run.scheduler_job is not None:
        ids |= set(run.scheduler_job.machine_ids)
    said = {row.pk: row for row in GpuProcesses.objects.filter(pk__in=ids).defer("processes")}
    heard = dict(MachineReport.objects.filter(machine_id__in=ids).values_list("machine_id", "heard_at"))
    names = Machine.objects.filter(pk__in=ids).order_by("pk").values_list("pk", "device__name")
    since = timezone.now() - fresh()
    found = []
    for pk, name in names:
        row, at = said.get(pk), heard.get(pk)
        if row is None:
            found.append(Unknown(pk, name, "its GPUs were never asked for processes"))
        elif row.trouble:
            found.append(Unknown(pk, name, row.trouble))
        elif at is None or at < since:
            found.append(Unknown(pk, name, UNREACHABLE))
    return found
