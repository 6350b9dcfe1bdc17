"""What follows from reported verdicts, machine by machine: the worst word, faults, holds and states; and silence.

`settle` decides on everything that is reported of a machine now, so it may run at any time and twice. A fault is
confirmed when its source says it again after the delay; alerts stand until they are resolved, so their source says it
all the time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from core.work.alone import alone
from health.checks.reported import PREFIX
from health.external import reports
from health.external.models import ReportedMachine, ReportSource
from health.external.services.intake import LEASE, Change, settled_soon, store
from health.external.services.silences import next_end, show_again
from health.machines.models.machines import MachineHealth
from health.machines.services.changes import changing
from health.machines.specs import slot_names
from health.monitoring.merge import WORDS, Row
from health.monitoring.models.faults import Fault
from health.monitoring.policy import MachinePolicy, Place, as_it_is
from health.monitoring.queries.policy import policies_at
from health.monitoring.services import fault_changes
from health.monitoring.services.sweeps.stored import Observation, load

DEGRADED = 3
ROUND, MOST_ROUNDS = 1000, 20
"""Rows looked at in one transaction, and transactions in one run."""


@dataclass(frozen=True)
class Reported:
    """A reported verdict in the shape of a finding, with the time it was said."""

    check: str
    part: str
    verdict: str
    at: datetime
    message: str = ""
    action: str = ""
    fault_class: str = ""
    precedence: int = DEGRADED
    kind: str = "level"
    event_key: str | None = None
    event_at_us: int | None = None
    value: float | None = None
    command: str = ""
    exit_status: int | None = None
    excerpt: str = ""
    observed: dict[str, Any] = field(default_factory=dict)
    start_rung: int = 0


def findings(said: Iterable[ReportedMachine], rows: Iterable[Row], now: datetime) -> list[Reported]:
    """What sources say of one machine now, as findings. `said` with their sources loaded."""
    words = {row.key: as_it_is(row) for row in rows}
    found = []
    for each in said:
        stands = each.source.kind == ReportSource.Kind.ALERTMANAGER
        for key, (code, at) in each.entries.items():
            check, _, part = key.partition("\t")
            place = (f"{each.source.name}/{check}", part)
            row = words.get(place)
            finding = Reported(*place, WORDS[code], now if stands else reports.moment_of(at))
            if row is not None:
                more = ("message", "action", "fault_class", "value", "excerpt")
                texts: dict[str, Any] = {name: getattr(row, name) for name in more}
                finding = replace(finding, **texts, observed=dict(row.observed or {}))
            found.append(finding)
    return found


def worst_word(health: MachineHealth, rows: Iterable[Row]) -> str:
    """The worst verdict of a machine from its counts: its own checks and what is reported."""
    words = {row.verdict for row in rows}
    if health.fail_count or "fail" in words:
        return "fail"
    if health.unknown_count or health.reachability != MachineHealth.Reachability.REACHABLE:
        return "unknown"
    if health.warn_count:
        return "warn"
    return "info" if "info" in words else "ok"


def settle(machine_id: int) -> None:
    """Carry what is reported of one machine into its row, faults, holds and state."""
    now = timezone.now()
    said = list(ReportedMachine.objects.filter(machine_id=machine_id).select_related("source"))
    versions = {each.pk: each.version for each in said}
    with changing(machine_id, actor="reports") as change:
        held = load([machine_id])[machine_id]
        device = change.health.machine.device
        policy = policies_at([Place(machine_id, device.site_id, device.model_id)], now)[machine_id]
        shown = show_again(change.health, held.reported, policy, now)
        change.health.worst = worst_word(change.health, [*held.before.rows.values(), *shown])
        observation = _observation(machine_id, findings(said, shown, now), change.health, now, policy)
        fault_changes.enter(change, observation, held)
        change.return_if_verified()
        change.return_if_uncordoned()
    suspected = Fault.objects.filter(machine_id=machine_id, status=Fault.Status.SUSPECTED)
    due = {fault.pk: fault.confirm_due_at for fault in suspected.filter(fault_class__startswith=PREFIX)}
    for each in said:
        next_at = _next(each, [at for at in due.values() if at is not None], next_end(each.source.name, shown, policy))
        # A request that came meanwhile has another version and stays due.
        ReportedMachine.objects.filter(pk=each.pk, version=versions[each.pk]).update(due_at=next_at, waits=bool(due))


def _next(said: ReportedMachine, confirmations: Sequence[datetime], decided: datetime | None) -> datetime | None:
    expiry = reports.next_expiry(said.entries, said.source.stale_after_s * 1_000_000)
    moments = [reports.moment_of(expiry)] if expiry is not None else []
    moments += [decided] if decided is not None else []
    if said.source.kind == ReportSource.Kind.ALERTMANAGER:
        moments += confirmations
    return min(moments, default=None)


def _observation(
    machine_id: int, found: Sequence[Any], health: MachineHealth, now: datetime, policy: MachinePolicy
) -> Observation:
    model = health.machine.device.model
    return Observation(
        machine_id=machine_id,
        at=now,
        heard=True,
        boot_id="",
        findings=tuple(found),
        layout=(),
        model=model.slug,
        checks_version="",
        slots=slot_names(model.spec),
        policy=policy,
    )


def settle_all(machine_ids: Iterable[int]) -> int:
    """Settle these machines; returns how many were. One that goes wrong stays due: `follow` has it tried again."""
    settled = 0
    for machine_id in sorted(machine_ids):
        with alone("reports_not_settled", machine=machine_id):
            settle(machine_id)
            settled += 1
    return settled


# ---- silence ----


def follow(now: datetime | None = None) -> int:
    """Look at what is due: checks that were not heard become unknown, and machines are settled. Safe to run twice.

    Returns how many machines are to be settled. A few statements for every thousand rows.
    """
    now = now or timezone.now()
    machines: set[int] = set()
    for _ in range(MOST_ROUNDS):
        with transaction.atomic():
            due = ReportedMachine.objects.select_for_update(skip_locked=True, of=("self",)).filter(due_at__lte=now)
            rows = list(due.select_related("source").order_by("machine_id", "pk")[:ROUND])
            machines |= _look_at(rows, now)
        if len(rows) < ROUND:
            break
    return len(machines)


def _look_at(rows: Sequence[ReportedMachine], now: datetime) -> set[int]:
    """Expire these locked rows and have their machines settled; returns those."""
    changes: dict[ReportSource, list[Change]] = defaultdict(list)
    later = now + LEASE
    for said in rows:
        oldest = reports.micros(now - timedelta(seconds=said.source.stale_after_s))
        alerts = said.source.kind == ReportSource.Kind.ALERTMANAGER
        expired = reports.expire(said.entries, oldest, forget_ok=alerts)
        was = {key: said.entries[key][0] for key in expired.silent}
        changes[said.source].append(Change(said.pk, said.machine_id, expired.entries, was, {}, later))
    for source, of_source in changes.items():
        store(source, of_source, now)
    machines = {said.machine_id for said in rows}
    settled_soon(sorted(machines))
    return machines
