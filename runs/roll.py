"""The roll call of a run: which of its ranks are there, and on which machines that is not known."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from health.models import GpuProcesses, MachineReport
from inventory.models import Machine
from runs.found.roll_call import Seen, Unknown, roll_call
from runs.models import RunRank, TrainingRun
from runs.processes import UNREACHABLE, fresh


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
