"""Making, previewing, cancelling and ending runs of active checks."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from core.work.kinds import Session, Work
from core.work.queue import after_commit
from health.diagnostics import ways
from health.diagnostics.bisect import most_rounds
from health.diagnostics.catalogue import BURN_IN, OptionsRefused, kinds_of, limit_s, minutes_of, options_of
from health.diagnostics.models import ActiveMachine, ActiveRun, ActiveStep, ActiveWindow
from health.diagnostics.services import launch_ways
from health.diagnostics.services.candidates import Candidate, LeftOut, candidates
from health.diagnostics.services.rounds import GROUPS, WHOLE
from health.diagnostics.ways import Way
from health.machines.calls import AUTOMATION, TEST
from health.machines.services.changes import changing, lift_hold
from health.monitoring.services.verifications import request_verification
from live.events import emit

LEAST_MACHINES = {"pairs": 2, GROUPS: 2}

WORK = Work(
    name="run of active checks",
    model=ActiveRun,
    open=Q(status__in=ActiveRun.OPEN),
    hold=Session(7_207),
    task="health.diagnostics.tasks.advance_active_run",
    every_s=30,
)


class ActiveRefused(Exception):
    """What was asked may not be done, in words for a person."""


@dataclass(frozen=True)
class Preview:
    """What a run would do: machines it would use, those it would not, rounds at most and minutes at least."""

    usable: list[Candidate]
    left_out: list[LeftOut]
    options: dict[str, Any]
    rounds: int
    minutes: float
    pairs: list[list[int]] = field(default_factory=list)


def preview(
    kind: str,
    machine_ids: Sequence[int],
    *,
    options: Mapping[str, Any] | None = None,
    pairs: Sequence[Sequence[int]] = (),
    way: Way | None = None,
) -> Preview:
    """What a run of these machines would do now; nothing is written. `way`: how groups are launched, None for other
    kinds. Raises ActiveRefused."""
    try:
        settled = options_of(kind, options or {})
    except OptionsRefused as error:
        raise ActiveRefused(str(error)) from error
    if pairs and kind != "pairs":
        raise ActiveRefused("Only a run of pairs begins with pairs.")
    named = [pk for pair in pairs for pk in pair]
    if any(len(pair) != 2 for pair in pairs) or len(set(named)) != len(named):
        raise ActiveRefused("A pair is two machines, and each machine is in one pair.")
    usable, left_out = candidates(sorted({*machine_ids, *named}), way=way)
    there = {each.machine_id for each in usable}
    whole = [list(pair) for pair in pairs if set(pair) <= there]
    if pairs:
        together = {pk for pair in whole for pk in pair} | set(machine_ids)
        left_out += [LeftOut(c.machine_id, c.name, "its partner may not be used") for c in usable
                     if c.machine_id not in together]  # fmt: skip
        usable = [each for each in usable if each.machine_id in together]
    steps = kinds_of(kind, settled)
    grouped = kind in LEAST_MACHINES
    rounds = most_rounds(len(usable)) + bool(settled.get(WHOLE)) if grouped else 2 * len(steps)
    once = sum(minutes_of(each, own) for each, own in steps)
    return Preview(usable, left_out, settled, rounds, round(once * (2 if grouped else 1), 1), whole)


def create(
    site_id: int,
    kind: str,
    machine_ids: Sequence[int],
    *,
    by: str,
    reason: str = "",
    options: Mapping[str, Any] | None = None,
    pairs: Sequence[Sequence[int]] = (),
    window: ActiveWindow | None = None,
    must_end_at: datetime | None = None,
    way: Way | None = None,
) -> ActiveRun:
    """Ask for a run; a worker begins it. `way`: how groups are launched, the site's first unless told. Raises
    ActiveRefused when not enough machines may be used."""
    if kind == GROUPS and way is None:
        way = launch_ways.of_site(site_id)
    seen = preview(kind, machine_ids, options=options, pairs=pairs, way=way)
    needed = LEAST_MACHINES.get(kind, 1)
    if len(seen.usable) < needed:
        why = f": {seen.left_out[0].name}, {seen.left_out[0].reason}" if seen.left_out else ""
        few = "No machine may be used" if needed == 1 else "Two machines at least are needed"
        raise ActiveRefused(f"{few}{why}.")
    try:
        with transaction.atomic():
            run = ActiveRun.objects.create(
                site_id=site_id,
                kind=kind,
                options=seen.options,
                launch=ways.kept(way) | {"key": secrets.token_hex(4)} if way is not None else {},
                pairs=seen.pairs,
                left_out=[asdict(each) for each in seen.left_out],
                requested_by=by,
                reason=reason,
                window=window,
                must_end_at=must_end_at,
            )
            rows = [ActiveMachine(run=run, machine_id=each.machine_id) for each in seen.usable]
            ActiveMachine.objects.bulk_create(rows)
            tell(run)
            enqueue(run.pk)
    except IntegrityError as error:
        raise ActiveRefused("Another run took one of the machines meanwhile; try again.") from error
    run.refresh_from_db()
    return run


@transaction.atomic
def cancel(run_id: int, *, by: str) -> ActiveRun:
    """Nothing more is begun, and what runs is stopped as soon as a worker comes to it. Raises ActiveRefused."""
    run = ActiveRun.objects.select_for_update().get(pk=run_id)
    if run.status not in ActiveRun.OPEN:
        raise ActiveRefused(f"It is {run.get_status_display()}.")
    run.cancelled_by = by
    run.save(update_fields=["cancelled_by"])
    enqueue(run.pk)
    return run


def enqueue(run_id: int, *, in_s: float = 0.0) -> None:
    """Have a worker come to a run after the commit; a worker that is at it already keeps others away."""
    after_commit("health.diagnostics.tasks.advance_active_run", run_id, countdown=in_s or None)


def finish(run: ActiveRun, status: str, *, message: str = "") -> None:
    """End a run and give its machines back: holds are lifted, and what was in service is verified and returns."""
    with transaction.atomic():
        locked = ActiveRun.objects.select_for_update().get(pk=run.pk)
        if locked.status not in ActiveRun.OPEN:
            return
        run.status, run.finished_at, run.message = status, timezone.now(), message[:300]
        run.save(update_fields=["status", "finished_at", "message", "conclusion", "left_out"])
        for row in run.machines.filter(released_at=None).order_by("machine_id"):
            release(run, row)
        tell(run)
        data = {"run": run.pk, "kind": run.kind, "status": status}
        emit("active.finished", site_id=run.site_id, subject=f"active-run:{run.pk}", data=data, actor=run.requested_by)


def release(run: ActiveRun, row: ActiveMachine) -> None:
    """Give a machine back. One that the run took out of service returns through a verification."""
    row.released_at = timezone.now()
    row.save(update_fields=["released_at"])
    if not row.held:
        return
    lift_hold(row.machine_id, owner=hold_owner(run), reason="the active checks are over", actor="active checks")
    with changing(row.machine_id, actor="active checks") as change:
        drained = change.health.state == "drained"
    if drained:
        request_verification(row.machine_id, fault_ids=[], owner=AUTOMATION, actor="active checks")


def hold_owner(run: ActiveRun) -> str:
    return f"{TEST}{run.pk}"


@transaction.atomic
def tell(run: ActiveRun) -> None:
    """`active.progress`: how far a run is."""
    statuses = list(run.steps.values_list("status", flat=True))
    data = {"run": run.pk, "kind": run.kind, "status": run.status, "round": run.rounds}
    data |= {"done": sum(status in ("done", "cancelled") for status in statuses), "total": len(statuses)}
    emit("active.progress", site_id=run.site_id, subject=f"active-run:{run.pk}", data=data, actor=run.requested_by)


def limit_of(run: ActiveRun, kind: str) -> timedelta:
    """After what time one test of this run is stopped."""
    key = "pairs" if kind in ("bandwidth", "latency") else kind
    options = run.options[key] if run.kind == BURN_IN else run.options
    return timedelta(seconds=limit_s(key, options))


def prune(*, now: datetime | None = None) -> int:
    """Remove runs that ended long ago, with their results; returns how many."""
    before = (now or timezone.now()) - settings.KEPT["active_runs"]
    old = ActiveRun.objects.filter(finished_at__lt=before).exclude(status__in=ActiveRun.OPEN)
    ids = list(old.values_list("pk", flat=True)[:1000])
    ActiveStep.objects.filter(run_id__in=ids).delete()
    ActiveRun.objects.filter(pk__in=ids).delete()
    return len(ids)
