"""Writes of proposals: followed each minute, decided by people, carried out through the holds of health.

Nothing is done by itself: a person approves, and while the site has not switched acting on, even that is a dry run.
What is done is written down before it is done, and doing it again changes nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from core.errors import Conflict
from core.work.alone import alone
from core.work.locks import only_here
from core.work.queue import after_commit
from facility.findings.services import policy_of
from facility.judgement.incidents import Incident
from facility.proposals.models import Proposal
from health.machines.services.changes import lift_hold, place_hold
from health.machines.services.kill_switch import why_stopped

STOP_NEW_JOBS = "stop_new_jobs"
BY_HAND = "by hand"
CARRY_OUT = "facility.proposals.tasks.carry_out"
LOCK = 7_216


@transaction.atomic
def follow(
    site_id: int, incidents: Iterable[Incident], names: dict[int, str], now: datetime, *, acting: bool,
    not_judged: Collection[str] = (),
) -> None:  # fmt: skip
    """Write down what is proposed, once for an incident; what caused one and is gone closes it. Four statements.

    `names`: of machines by id; `acting`: the switch of the site. One that was dismissed is not proposed again while its
    cause lasts. What is `not_judged` (keys of incidents) stays as it is, and so does what is being carried out.
    """
    seen = {each.key: each for each in incidents if each.steps}
    rows = {
        row.incident: row
        for row in Proposal.objects.select_for_update()
        .filter(site_id=site_id)
        .exclude(state=Proposal.State.OVER)
        .order_by("created_at")
    }
    new, changed = [], []
    for key, incident in seen.items():
        row = rows.get(key)
        if row is None:
            row = Proposal(site_id=site_id, incident=key[:120], created_at=now)
            new.append(row)
        elif key in not_judged:
            continue
        else:
            changed.append(row)
        row.seen_at = now
        if row.state == Proposal.State.PROPOSED:
            row.text, row.dry_run = incident.title[:500], not acting
            row.machines = [names[pk] for pk in incident.machines if pk in names]
            row.steps = [_step(step, names) for step in incident.steps]
    Proposal.objects.bulk_create(new)
    Proposal.objects.bulk_update(changed, ["seen_at", "text", "dry_run", "machines", "steps"])
    gone = [row.pk for key, row in rows.items() if key not in seen and not _is_doing(row)]
    Proposal.objects.filter(pk__in=gone).update(state=Proposal.State.OVER)


def _is_doing(row: Proposal) -> bool:
    return row.state == Proposal.State.APPROVED and any(step["state"] == "doing" for step in row.steps)


def _step(step: Any, names: dict[int, str]) -> dict[str, Any]:
    return {
        "order": step.order, "action": step.action, "target": step.subject, "text": step.text,
        "machine_ids": list(step.machines), "machines": [names[pk] for pk in step.machines if pk in names],
        "reversible": step.reversible, "undo": step.undo, "state": "proposed", "message": "",
    }  # fmt: skip


@transaction.atomic
def approve(proposal: Proposal, *, by: str) -> Proposal:
    """A person wants its steps. Raises Conflict for one that is decided or over.

    The holds are placed by a worker; what only hands can do is listed as that. In a dry run nothing is done.
    """
    row = _open(proposal)
    row.dry_run = not policy_of(row.site_id).acting
    for step in row.steps:
        does = step["action"] == STOP_NEW_JOBS
        step["state"] = "dry run" if row.dry_run else "doing" if does else BY_HAND
    _decide(row, Proposal.State.APPROVED, by)
    if not row.dry_run:
        after_commit(CARRY_OUT, row.pk)
    return row


@transaction.atomic
def dismiss(proposal: Proposal, *, by: str) -> Proposal:
    """A person does not want it. Raises Conflict for one that is decided or over."""
    row = _open(proposal)
    _decide(row, Proposal.State.DISMISSED, by)
    return row


def _open(proposal: Proposal) -> Proposal:
    row = Proposal.objects.select_for_update().get(pk=proposal.pk)
    if row.state != Proposal.State.PROPOSED:
        raise Conflict(f"It is {row.state} already.", "invalid_transition")
    return row


def _decide(row: Proposal, state: str, by: str) -> None:
    row.state, row.decided_by, row.decided_at = state, by[:150], timezone.now()
    row.save()


def carry_out_left() -> None:
    """Do what was approved and no worker has finished, each proposal on its own."""
    rows = Proposal.objects.filter(
        state=Proposal.State.APPROVED, dry_run=False, steps__contains=[{"state": "doing"}]
    )  # fmt: skip
    for pk in rows.order_by("pk").values_list("pk", flat=True):
        with alone("proposal_not_carried_out", proposal=pk):
            carry_out(pk)


def carry_out(proposal_id: int) -> None:
    """Place the holds of an approved proposal; one that is placed already stays. Each machine on its own."""
    with only_here(LOCK, proposal_id) as here:
        row = Proposal.objects.filter(pk=proposal_id, state=Proposal.State.APPROVED, dry_run=False).first()
        if here and row is not None:
            _carry_out(row)


def _carry_out(row: Proposal) -> None:
    for step in row.steps:
        if step["action"] == STOP_NEW_JOBS and step["state"] == "doing":
            stopped = why_stopped(row.site_id, by_person=True)
            held = 0
            for machine in () if stopped else step["machine_ids"]:
                with alone("hold_not_placed", machine=machine):
                    place_hold(machine, owner=owner_of(row), reason=row.text, actor=row.decided_by, drain=True)
                    held += 1
            whole = held == len(step["machine_ids"])
            step["state"] = "done" if whole else "failed"
            step["message"] = stopped or f"{held} of {len(step['machine_ids'])} machines take no new jobs"
    Proposal.objects.filter(pk=row.pk).update(steps=row.steps)


def undo(proposal: Proposal, *, by: str) -> Proposal:
    """Take back what was done of it: the holds are lifted. A step with a hold that stays has failed, and is taken back
    again. Raises Conflict where nothing was done, or while a worker does it."""
    with only_here(LOCK, proposal.pk) as here:
        if not here:
            raise Conflict("It is being carried out now; try again in a moment.", "busy")
        row = Proposal.objects.get(pk=proposal.pk)
        begun = ("doing", "done", "failed")
        steps = [step for step in row.steps if step["action"] == STOP_NEW_JOBS and step["state"] in begun]
        if not steps:
            raise Conflict("Nothing of it was done.", "invalid_transition")
        for step in steps:
            lifted = 0
            for machine in step["machine_ids"]:
                with alone("hold_not_lifted", machine=machine):
                    lift_hold(machine, owner=owner_of(row), reason=f"{by} took it back", actor=by)
                    lifted += 1
            held = len(step["machine_ids"]) - lifted
            step["state"] = "failed" if held else "undone"
            step["message"] = f"{held} of {held + lifted} machines are still held" if held else f"taken back by {by}"
        Proposal.objects.filter(pk=row.pk).update(steps=row.steps)
        row.refresh_from_db()
        return row


def owner_of(row: Proposal) -> str:
    """Whose hold it is, as `health` names owners."""
    return f"power:{row.pk}"
