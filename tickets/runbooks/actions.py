"""What people do with the runbook of a ticket: have the machine do a step, sign one, follow another runbook."""

from __future__ import annotations

from django.utils import timezone

from core.models import User
from core.work.queue import after_commit
from health.machines.lifecycle import State
from health.models import MachineHealth
from health.remediation import ladder, planner
from health.remediation.services import views
from inventory.queries import slot_texts_of
from tickets.models import Step, Ticket
from tickets.runbooks import queries, services
from tickets.runbooks.document import Runbook, read
from tickets.runbooks.language import Facts
from tickets.runbooks.models import OPEN_RUN_STATES, StepRun, StepSign
from tickets.runbooks.steps import VISIT_LABEL, VISIT_STATE, VISIT_VERIFY, StepText, written
from tickets.services.changes import Change, NotYours, TicketConflict, changing, need_work
from tickets.workflow import Status

TASK = "tickets.tasks.run_steps"
HANDS_ALLOWED = (State.DRAINED, State.REPAIR, State.TRIAGE, State.MAINTENANCE, State.RMA, State.NEW)
"""States in which nothing of Rackside's or of the users' is at work on a machine."""
VISIT = (VISIT_STATE, VISIT_LABEL, VISIT_VERIFY)


def runbook_of(ticket: Ticket) -> Runbook | None:
    version = queries.version_of(ticket)
    return read(version.document) if version else None


def runs_of(runbook: Runbook | None, step: Step) -> str:
    """What the machine does itself at a step; empty where it does nothing."""
    if step.key == VISIT_STATE:
        return "drain"
    known = runbook.step(step.key) if runbook else None
    return known.runs if known else ""


def refusal(machine_id: int) -> str:
    """Why the power of a machine may not be switched now, asked when it is pressed and again right before the order is
    sent: jobs, other work under way, and machines that hang on the same BMC. Empty when it may."""
    health = MachineHealth.objects.filter(pk=machine_id).first()
    if health is None:
        return "Nothing is known of its state."
    if health.state not in HANDS_ALLOWED:
        return f"The machine is {health.state.replace('_', ' ')}: have it drained first."
    if health.allocation == MachineHealth.Allocation.ALLOCATED:
        return "Jobs run on it."
    view = views.machine_views([machine_id], timezone.now())[machine_id]
    if busy := planner.unreadable_or_busy(view):
        return f"Not now: {busy.reason}."
    if view.empty is False:
        return "Jobs run on it."
    return ladder.no_power_cycle(view)


def run_step(number: int, step: int, *, by: User, operator: bool = False, version: int | None = None) -> Ticket:
    """Have the machine do a step; the worker follows it until it was seen. Asking again while it is on its way changes
    nothing, asking again for one that failed begins anew. Raises Step.DoesNotExist."""
    with changing(number, by=by, version=version) as change:
        need_work(change, operator=operator)
        row = Step.objects.get(ticket=change.ticket, number=step)
        runbook = runbook_of(change.ticket)
        runs = runs_of(runbook, row)
        _may_run(change, row, runs, operator=operator)
        if runs == "power_on" and (why := hands_in(row)):
            raise TicketConflict(number, why)
        now = timezone.now()
        known = StepRun.objects.select_for_update().filter(step=row).first()
        if known is not None and known.state in OPEN_RUN_STATES:
            change.nothing = True
            return change.ticket
        StepRun.objects.update_or_create(
            step=row,
            defaults={
                "runs": runs, "state": "queued", "text": "", "ordered": "", "ordered_at": None, "asked_by": by,
                "asked_at": now, "ended_at": None, "attempts": 0, "next_try_at": now, "lease_until": None,
            },
        )  # fmt: skip
        change.bump = True
        change.note(f"Step {step}: asked for {runs.replace('_', ' ')}", step=step, runs=runs)
        after_commit(TASK)
        return change.ticket


def _may_run(change: Change, row: Step, runs: str, *, operator: bool) -> None:
    number = change.ticket.number
    machine_id = change.ticket.machine_id
    if not runs or machine_id is None:
        raise TicketConflict(number, f"Step {row.number} is done by hand.")
    if row.done_at is not None:
        raise TicketConflict(number, f"Step {row.number} is done.")
    if runs == "drain" and not operator:
        raise NotYours("An operator drains a machine.")
    if runs in ("power_off", "power_on") and (why := refusal(machine_id)):
        raise TicketConflict(number, why)


def hands_in(row: Step) -> str:
    """Why the machine of a step is not switched on: a step of its ticket with hands in the machine is open, or somebody
    works on another ticket of the machine, has it switched off for that and is not through. Empty when nobody is."""
    runbook = runbook_of(row.ticket)
    needs_off = [step.key for step in runbook.steps if step.needs_off] if runbook else []
    before = row.ticket.steps.filter(key__in=needs_off, number__lt=row.number, done_at=None).order_by("number").first()
    if before is not None:
        return f"Step {before.number} first: hands may still be in the machine."
    others = Ticket.objects.filter(machine_id=row.ticket.machine_id, status=Status.IN_WORK).exclude(pk=row.ticket_id)
    for other in others.prefetch_related("steps").order_by("pk"):
        if (theirs := runbook_of(other)) and (open_ := _hands_of(other, theirs)):
            return f"{other.key} step {open_.number} first: hands may be in the machine."
    return ""


def _hands_of(ticket: Ticket, runbook: Runbook) -> Step | None:
    """The first open step with hands in the machine, once the ticket had it switched off."""
    steps = {step.key: step for step in ticket.steps.all()}
    was_off = any(
        known.runs == "power_off" and (step := steps.get(known.key)) is not None and step.done_at is not None
        for known in runbook.steps
    )
    needed = [steps[known.key] for known in runbook.steps if known.needs_off and known.key in steps]
    return next((step for step in needed if step.done_at is None), None) if was_off else None


def sign_step(
    number: int, step: int, *, by: User, tag: str = "", operator: bool = False, version: int | None = None
) -> Ticket:
    """Sign a step: as its second person, or for the lock that hangs at the cords, with its tag number. Who works on the
    ticket cannot be the second person. Raises Step.DoesNotExist."""
    with changing(number, by=by, version=version) as change:
        row = Step.objects.get(ticket=change.ticket, number=step)
        runbook = runbook_of(change.ticket)
        known = runbook.step(row.key) if runbook else None
        kind = known.sign if known else ""
        if not kind:
            raise TicketConflict(number, f"Step {step} needs no signature.")
        if kind == "lockout":
            need_work(change, operator=operator)
            if not tag.strip():
                raise TicketConflict(number, "Give the number on the lock's tag.")
        elif change.ticket.assignee_id == by.pk:
            raise NotYours("Somebody else than who works on the ticket confirms this step.")
        elif known is not None and known.role == "operator" and not operator:
            raise NotYours("An operator confirms this step.")
        if row.done_at is not None or StepSign.objects.filter(step=row, kind=kind).exists():
            raise TicketConflict(number, f"Step {step} is signed already.")
        StepSign.objects.create(step=row, kind=kind, by=by, at=timezone.now(), tag=tag.strip())
        change.bump = True
        words = f"lock {tag.strip()} hung" if kind == "lockout" else "confirmed as the second person"
        change.note(f"Step {step}: {words}", step=step, sign=kind)
        return change.ticket


def use_runbook(number: int, slug: str, *, by: User, operator: bool = False, version: int | None = None) -> Ticket:
    """Follow the newest version of a runbook from now on; refused once a step of the present one is done."""
    with changing(number, by=by, version=version) as change:
        need_work(change, operator=operator)
        ticket = change.ticket
        if queries.version_of(ticket) is None or ticket.machine_id is None:
            raise TicketConflict(number, f"{ticket.key} follows no runbook: its steps come from its plan.")
        rows = list(ticket.steps.order_by("number"))
        own = [row for row in rows if row.key not in VISIT]
        if any(row.done_at for row in own):
            raise TicketConflict(number, "A step of the runbook is done already: go on with the version you began.")
        newest = services.newest(ticket.site_id, slug)
        if newest is None:
            raise TicketConflict(number, f"There is no runbook {slug} at this site.")
        part = slot_texts_of(ticket.machine_id).get(ticket.part, ticket.part)
        words = queries.ticket_words(ticket, part=part, place="", component=None)
        _replace(rows, own, written(read(newest.document), Facts(words)), ticket)
        services.follow(ticket.pk, newest)
        change.bump = True
        change.note(f"Follows {newest.title}, version {newest.number}", runbook=newest.pk)
        return ticket


def _replace(rows: list[Step], own: list[Step], steps: list[StepText], ticket: Ticket) -> None:
    """The runbook's steps in the place of `own`; what every visit has stays before and after them."""
    before = [row for row in rows if row.key in (VISIT_STATE, VISIT_LABEL)]
    after = [row for row in rows if row.key == VISIT_VERIFY]
    Step.objects.filter(pk__in=[row.pk for row in own]).delete()
    last = len(before) + len(steps) + 1
    for row in after:  # first, because two steps never have one number
        Step.objects.filter(pk=row.pk).update(number=last)
    Step.objects.bulk_create(
        Step(ticket=ticket, number=number, kind=step.kind, title=step.title[:200], detail=step.detail, key=step.key)
        for number, step in enumerate(steps, start=len(before) + 1)
    )
