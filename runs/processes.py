"""What sweeps saw of the processes on GPUs, of which machines it is known, and of which it is not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from health.models import GpuProcesses, MachineReport
from health.monitoring.services.sweeps.periods import counted_s
from runs.found.groups import Gpu, Process

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
