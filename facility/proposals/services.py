"""Writes of proposals: followed each minute, decided by people, carried out step by step (`facility.proposals.steps`).

Nothing is done by itself: a person approves, and while the site has not switched acting on, even that is a dry run.
What is done is written down before it is done, and doing it again changes nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from core.errors import Conflict
from core.work.alone import alone
from core.work.locks import only_here
from core.work.queue import after_commit
from facility.findings.models import Policy
from facility.findings.services import policy_of
from facility.judgement.incidents import Incident
from facility.judgement.incidents import Step as Planned
from facility.proposals.models import Proposal
from facility.proposals.steps import ACTS, Going
from health.machines.services.kill_switch import why_run_stopped, why_stopped

BY_HAND, OFFERED = "by hand", "offered"
BEGUN = ("doing", "done", "failed")
CARRY_OUT = "facility.proposals.tasks.carry_out"
LOCK = 7_216


@transaction.atomic
def follow(
    policy: Policy, incidents: Iterable[Incident], names: dict[int, str], now: datetime, *,
    not_judged: Collection[str] = (),
) -> None:  # fmt: skip
    """Write down what is proposed, once for an incident; what caused one and is gone closes it. Four statements.

    `names`: of machines by id. One that was dismissed is not proposed again while its cause lasts; one that was
    approved as a dry run is, once acting is switched on. What is `not_judged` (keys of incidents) stays as it is, and
    so does what is being carried out.
    """
    seen = {each.key: each for each in incidents if each.steps}
    rows = {
        row.incident: row
        for row in Proposal.objects.select_for_update()
        .filter(site_id=policy.site_id)
        .exclude(state=Proposal.State.OVER)
        .order_by("created_at")
    }
    new, changed = [], []
    for key, incident in seen.items():
        row = rows.get(key)
        if row is None:
            row = Proposal(site_id=policy.site_id, incident=key[:120], created_at=now)
            new.append(row)
        elif key in not_judged:
            continue
        else:
            changed.append(row)
        row.seen_at = now
        if row.state == Proposal.State.APPROVED and row.dry_run and policy.acting:
            row.state, row.decided_by, row.decided_at = Proposal.State.PROPOSED, "", None
        if row.state == Proposal.State.PROPOSED:
            row.text, row.dry_run = incident.title[:500], not policy.acting
            row.machines = [names[pk] for pk in incident.machines if pk in names]
            row.steps = [_step(step, names, policy.shut_down_at_once) for step in incident.steps]
    Proposal.objects.bulk_create(new)
    Proposal.objects.bulk_update(
        changed, ["seen_at", "state", "decided_by", "decided_at", "text", "dry_run", "machines", "steps"]
    )
    gone = [row.pk for key, row in rows.items() if key not in seen and not _is_doing(row)]
    Proposal.objects.filter(pk__in=gone).update(state=Proposal.State.OVER)


def _is_doing(row: Proposal) -> bool:
    return row.state == Proposal.State.APPROVED and any(step["state"] in ("doing", "undoing") for step in row.steps)


def _step(step: Planned, names: dict[int, str], at_once: int) -> dict[str, Any]:
    return {
        "order": step.order, "action": step.action, "target": step.subject, "text": step.text,
        "machine_ids": list(step.machines), "machines": [names[pk] for pk in step.machines if pk in names],
        "reversible": step.reversible, "undo": step.undo, "state": "proposed", "message": "",
        "limits_w": {str(pk): watts for pk, watts in step.watts.items()}, "at_once": at_once,
    }  # fmt: skip


@transaction.atomic
def approve(proposal: Proposal, *, by: str, dry_run: bool | None = None) -> Proposal:
    """A person wants its steps. Raises Conflict for one that is decided or over, and where it is not the dry run, or is
    none, that the person saw.

    What begins at once is done by a worker; a shut-down waits until a person begins it; what only hands can do is
    listed as that. In a dry run nothing is done.
    """
    row = _open(proposal)
    row.dry_run = not policy_of(row.site_id).acting
    if dry_run is not None and dry_run != row.dry_run:
        raise Conflict(
            "Acting was switched " + ("off" if row.dry_run else "on") + " meanwhile; look again.", "conflict"
        )
    for step in row.steps:
        act = ACTS.get(step["action"])
        step["state"] = "dry run" if row.dry_run else BY_HAND if act is None else act.first
    _decide(row, Proposal.State.APPROVED, by)
    if not row.dry_run:
        after_commit(CARRY_OUT, row.pk)
    return row


@transaction.atomic
def begin_step(proposal: Proposal, order: int, *, by: str) -> Proposal:
    """A person begins a step that waits for that: a shut-down. Raises Conflict for any other."""
    row = Proposal.objects.select_for_update().get(pk=proposal.pk)
    step = next((each for each in row.steps if each["order"] == order), None)
    if step is None or step["state"] != OFFERED or row.state != Proposal.State.APPROVED:
        raise Conflict("There is nothing to begin.", "invalid_transition")
    step["state"], step["begun_by"], step["begun_at"] = "doing", by, timezone.now().isoformat()
    row.save(update_fields=["steps"])
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


# ---- by a worker ----


def carry_out_left() -> None:
    """Go on with what was approved or is taken back and no worker has finished, each proposal on its own."""
    doing = Q(state=Proposal.State.APPROVED, dry_run=False, steps__contains=[{"state": "doing"}])
    rows = Proposal.objects.filter(doing | Q(steps__contains=[{"state": "undoing"}]))
    for pk in rows.order_by("pk").values_list("pk", flat=True):
        with alone("proposal_not_carried_out", proposal=pk):
            carry_out(pk)


def carry_out(proposal_id: int) -> None:
    """Go on with the steps of an approved proposal in their order, or take them back from the last to the first."""
    with only_here(LOCK, proposal_id) as here:
        row = Proposal.objects.filter(pk=proposal_id, dry_run=False).first()
        if not here or row is None:
            return
        for step in reversed(row.steps):
            if step["state"] == "undoing" and not why_stopped(row.site_id, by_person=True):
                ACTS[step["action"]].back(row, step, step["undone_by"])
                _save(row, step)
        for step in row.steps:
            if step["state"] == "doing" and row.state == Proposal.State.APPROVED:
                _go_on(row, step)
                _save(row, step)


def _go_on(row: Proposal, step: dict[str, Any]) -> None:
    stopped = _why_not(row, step)
    if stopped:
        step["state"], step["message"] = "failed", stopped
        return
    going = Going(save=partial(_save, row, step), stopped=partial(_why_not, row, step))
    ACTS[step["action"]].forward(row, step, going)


def _why_not(row: Proposal, step: Mapping[str, Any]) -> str:
    """What forbids to go on by now: the kill switch, a paused instance, or the site's own switch."""
    by, at = step.get("begun_by") or row.decided_by, step.get("begun_at")
    begun_at = datetime.fromisoformat(at) if at else row.decided_at
    if stopped := why_run_stopped(row.site_id, by=by, begun_at=begun_at):
        return stopped
    return "" if policy_of(row.site_id).acting else "acting was switched off meanwhile"


@transaction.atomic
def _save(row: Proposal, step: Mapping[str, Any]) -> None:
    """Only this step: a person may have begun another one meanwhile."""
    now = Proposal.objects.select_for_update().get(pk=row.pk)
    now.steps = [dict(step) if each["order"] == step["order"] else each for each in now.steps]
    now.save(update_fields=["steps"])


def undo(proposal: Proposal, *, by: str) -> Proposal:
    """Take back what was done of it, by a worker, from the last step to the first. One of which something is left has
    failed, and is taken back again. Raises Conflict where nothing was done, or while a worker is at it."""
    with only_here(LOCK, proposal.pk) as here, transaction.atomic():
        if not here:
            raise Conflict("It is being carried out now; try again in a moment.", "busy")
        row = Proposal.objects.select_for_update().get(pk=proposal.pk)
        begun = [step for step in row.steps if step["action"] in ACTS and step["state"] in BEGUN]
        if not begun:
            raise Conflict("Nothing of it was done.", "invalid_transition")
        for step in row.steps:
            if step["state"] == OFFERED:
                step["state"] = "undone"
        for step in begun:
            step |= {"state": "undoing", "undone_by": by, "undone_at": timezone.now().isoformat()}
        row.save(update_fields=["steps"])
        after_commit(CARRY_OUT, row.pk)
        return row
