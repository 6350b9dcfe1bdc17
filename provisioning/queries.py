"""Reads of runs that join, each in a fixed number of queries."""

from __future__ import annotations

from django.db.models import Prefetch, QuerySet

from provisioning.models import LogLine, Run, RunMachine

LOG_PAGE = 500


def runs() -> QuerySet[Run]:
    """Runs with what their totals need."""
    return Run.objects.prefetch_related(
        Prefetch("machines", queryset=RunMachine.objects.only("pk", "run_id", "status"), to_attr="statuses")
    ).order_by("-id")


def runs_with_machines() -> QuerySet[Run]:
    """Runs with machines and steps."""
    machines = RunMachine.objects.select_related("machine__device").prefetch_related("steps").order_by("pk")
    return runs().prefetch_related(Prefetch("machines", queryset=machines, to_attr="shown"))


def log_after(run_machine_id: int, after: int, limit: int = LOG_PAGE) -> list[LogLine]:
    """Log lines with a number above `after`, oldest first."""
    return list(LogLine.objects.filter(run_machine_id=run_machine_id, n__gt=after).order_by("n")[:limit])
