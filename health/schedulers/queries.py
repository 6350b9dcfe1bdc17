"""Machines beside what their scheduler says of them. Each a fixed number of queries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import Count, Q, QuerySet

from health.machines.models.machines import MachineHealth
from health.monitoring.models.faults import Fault
from health.monitoring.queries.part_lines import line_of
from health.schedulers.disagreements import Disagreement, Ours, Theirs, disagreements
from health.schedulers.models import IS_READ, SchedulerMachine, SchedulerSource, SchedulerWish
from health.schedulers.services.desired_state import name_at, runs_role

STATES = ("draining", "drained", "remediating", "verifying", "triage", "repair", "rma", "maintenance")
Pair = tuple[Ours | None, Theirs | None]


def listed() -> QuerySet[SchedulerMachine]:
    """What schedulers say, with our machine, its state and what is wished of it."""
    return SchedulerMachine.objects.select_related(
        "source", "machine__device", "machine__health", "machine__scheduler_wish"
    ).order_by("source", "name")


def differences(sources: QuerySet[SchedulerSource]) -> list[tuple[SchedulerSource, Disagreement]]:
    """All of these sites. A scheduler that is not heard says so itself, and nothing old is compared."""
    found: list[tuple[SchedulerSource, Disagreement]] = []
    for source in sources.filter(IS_READ).order_by("site"):
        if not source.enabled or source.state in (SchedulerSource.State.NEVER, SchedulerSource.State.FAILED):
            why = source.message or ("it is switched off" if not source.enabled else "it was never read")
            text = f"The scheduler is unreachable: {why}."
            found.append((source, Disagreement("not_read", None, "", text, source.last_read_at)))
            continue
        found += [(source, each) for each in disagreements(pairs(source))]
    return found


def pairs(source: SchedulerSource) -> Iterator[Pair]:
    """Machines of one scheduler side by side, by the name the scheduler uses."""
    rows = list(SchedulerMachine.objects.filter(source=source))
    theirs = {row.name: _theirs(row) for row in rows}
    ours = {name_at(source, each.name): each for each in _ours(source, {row.machine_id for row in rows})}
    for name in sorted(ours.keys() | theirs.keys()):
        yield ours.get(name), theirs.get(name)


def _ours(source: SchedulerSource, named: set[int | None]) -> Iterator[Ours]:
    """Machines of the roles that it runs, and those that it names whatever their role."""
    confirmed = Count("machine__faults", filter=Q(machine__faults__status=Fault.Status.CONFIRMED))
    rows = (
        MachineHealth.objects.filter(machine__device__site_id=source.site_id)
        .annotate(confirmed=confirmed)
        .select_related("machine__device__model", "machine__scheduler_wish")
        .defer("machine__device__custom")
    )
    for row in rows:
        if not runs_role(source, row.machine.role) and row.machine_id not in named:
            continue
        spec: dict[str, Any] = row.machine.device.model.spec or {}
        expected = spec.get("expected") or {}
        wish = getattr(row.machine, "scheduler_wish", None)
        yield Ours(
            id=row.machine_id,
            name=row.machine.device.name,
            state=row.state,
            ticket=row.ticket_key,
            confirmed=row.confirmed,
            waiting=wish is not None and wish.status == SchedulerWish.Status.WAITING,
            cpus=_number(expected.get("cpus")),
            memory_mb=_number(memory * 1024) if (memory := _number(expected.get("memory_gib"))) else None,
            gpus=_number((spec.get("gpu") or {}).get("count")),
        )


def _theirs(row: SchedulerMachine) -> Theirs:
    return Theirs(
        row.name, row.state, row.closed, row.jobs, row.reason, row.reason_by, row.reason_at or row.since, row.cpus,
        row.memory_mb, row.gpus,
    )  # fmt: skip


def _number(value: Any) -> int | None:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def verdict(health: MachineHealth | None, *, strict: bool) -> tuple[str, str]:
    """`ok`, `bad` or `unknown` with the reason: what a health-check program at the machine is told. One query at most.

    In service is ok, also with a fault that the cap keeps there; `strict` makes every confirmed fault bad.
    """
    if health is None:
        return "unknown", "Rackside does not know this machine"
    if health.state in STATES:
        return "bad", ": ".join(part for part in (health.state, health.ticket_key) if part)
    if health.state != "ready":
        return "unknown", health.state
    if strict:
        fault = Fault.objects.filter(machine_id=health.machine_id, status=Fault.Status.CONFIRMED, led_by=None)
        if (worst := fault.order_by("precedence", "id").first()) is not None:
            return "bad", line_of(worst)
    if health.reachability in ("never", "unreachable"):
        return "unknown", f"unreachable ({health.reachability})"
    return "ok", ""
