"""How sweeps went: their shards, who did not answer, and whom nobody came to look at."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db.models import Count, QuerySet
from django.utils import timezone

from core.models import Site
from health.machines.lifecycle import NOT_SWEPT
from health.machines.models.machines import MachineHealth
from health.monitoring.models.sweeps import Sweep, SweepShard
from health.monitoring.models.verdicts import Sample
from health.monitoring.services.sweeps import periods

MAX_NAMED = 500
"""Machines named in each list of a sweep; the counts beside them are complete."""


def shards(sweep: Sweep) -> list[dict[str, Any]]:
    """The shards of a sweep by number; `machines` counts them."""
    return [
        {
            "number": shard.number,
            "status": shard.status,
            "attempts": shard.attempts,
            "machines": len(shard.machine_ids),
            "reachable": shard.reachable,
            "started_at": shard.started_at,
            "finished_at": shard.finished_at,
            "error": shard.error,
        }
        for shard in sweep.shards.all()
    ]


def unreachable(sweep: Sweep) -> list[dict[str, Any]]:
    """Machines that were looked at and gave no answer. Empty for a sweep whose history has expired."""
    ids = _machines(sweep, done=True)
    until = sweep.finished_at or timezone.now()
    # One partition or two: without the times every day of the history would be read.
    missed = Sample.objects.filter(
        machine_id__in=ids,
        at__gte=sweep.started_at - timedelta(minutes=1),
        at__lte=until + timedelta(minutes=1),
        sweep_id=sweep.pk,
        heard=False,
    )
    return _named(list(missed.values_list("machine_id", flat=True)))


def unfinished(sweep: Sweep) -> list[dict[str, Any]]:
    """Machines of shards that failed, or that had not been looked at when the sweep ended or until now."""
    return _named(_machines(sweep, done=False))


def _machines(sweep: Sweep, *, done: bool) -> list[int]:
    return [
        machine
        for shard in sweep.shards.all()
        if (shard.status == SweepShard.Status.DONE) == done
        for machine in shard.machine_ids
    ]


def _named(ids: list[int]) -> list[dict[str, Any]]:
    rows = MachineHealth.objects.filter(pk__in=ids).order_by("machine__device__name")
    names = ("machine_id", "machine__device__name", "state", "reachability", "last_seen_at")
    return [
        {"id": pk, "name": name, "state": state, "reachability": reachability, "last_seen_at": last_seen_at}
        for pk, name, state, reachability, last_seen_at in rows.values_list(*names)[:MAX_NAMED]
    ]


def state(sites: QuerySet[Site]) -> dict[str, Any]:
    """Counts of the machines of these sites that sweeps look at, by reachability; seconds between sweeps."""
    machines = MachineHealth.objects.filter(machine__device__site__in=sites)
    left_out = [each.value for each in NOT_SWEPT]
    period = periods.in_force()
    counted = (
        machines.exclude(state__in=left_out).values("reachability").annotate(count=Count("pk")).order_by("reachability")
    )
    counts = dict.fromkeys(MachineHealth.Reachability.values, 0) | {
        row["reachability"]: row["count"] for row in counted
    }
    return {
        "period_s": period.period_s,
        "set_period_s": period.set_s,
        "takes_s": period.takes_s,
        "reachability": counts,
        "swept": sum(counts.values()),
        "not_swept": machines.filter(state__in=left_out).count(),
    }
