"""Who is hurt when machines are drained: the jobs and training runs there, with their size and what is left of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from core.models import Role
from health.schedulers import board, people
from health.schedulers.models import SchedulerJob
from runs.models import RunRank, TrainingRun


def hurt_by(machine_ids: Sequence[int], roles: Mapping[int | None, Role], now: datetime) -> dict[str, Any]:
    """Jobs and live training runs on any of these machines, the largest first; a run of a job is one of both.

    `known` is False where a scheduler does not answer, or names one of the machines not: more may run than is listed.
    Four queries whatever their number.
    """
    wanted = set(machine_ids)
    jobs = board.running_on(wanted)
    ranks = RunRank.objects.filter(machine_id__in=wanted, run__ended_at=None)
    on_machines: dict[int, set[int]] = {}
    for run_id, machine_id in ranks.values_list("run_id", "machine_id").distinct():
        on_machines.setdefault(run_id, set()).add(machine_id or 0)
    runs = list(TrainingRun.objects.filter(pk__in=on_machines).order_by("-world_size", "pk")) if on_machines else []
    known, as_of = board.heard(wanted)
    by_job = {(run.site_id, run.job): run for run in runs if run.job}
    told = [_of_job(job, _run_of(job, by_job), wanted, roles, now) for job in jobs]
    joined = {each["run"] for each in told}
    told += [_of_run(run, on_machines[run.pk], roles) for run in runs if run.pk not in joined]
    return {"known": known, "as_of": as_of, "hurt": told}


def _run_of(job: SchedulerJob, runs: Mapping[tuple[int, str], TrainingRun]) -> TrainingRun | None:
    names = (job.label, job.job_id, job.job_id.partition("_")[0])
    return next((runs[job.source.site_id, name] for name in names if (job.source.site_id, name) in runs), None)


def _of_job(
    job: SchedulerJob, run: TrainingRun | None, wanted: set[int], roles: Mapping[int | None, Role], now: datetime
) -> dict[str, Any]:
    ends_by = board.ends_by(job)
    return {
        "job": job.pk,
        "run": run.pk if run is not None else None,
        "label": job.label or job.job_id,
        "name": job.name or (run.name if run is not None else ""),
        "user": people.shown(job.user or (run.user if run is not None else ""), roles, job.source.site_id),
        "account": job.account,
        "gpus": job.gpus or (run.world_size or None if run is not None else None),
        "machines": job.machine_count,
        "machines_here": len(wanted.intersection(job.machine_ids)),
        "started_at": job.started_at,
        "ends_by": ends_by,
        "remaining_s": max(int((ends_by - now).total_seconds()), 0) if ends_by is not None else None,
    }


def _of_run(run: TrainingRun, here: set[int], roles: Mapping[int | None, Role]) -> dict[str, Any]:
    return {
        "job": None,
        "run": run.pk,
        "label": run.job or run.key,
        "name": run.name,
        "user": people.shown(run.user, roles, run.site_id),
        "account": "",
        "gpus": run.world_size or None,
        "machines": None,
        "machines_here": len(here),
        "started_at": run.started_at,
        "ends_by": None,
        "remaining_s": None,
    }
