"""The checklist of a ticket: small things to do beside its steps. They keep nothing from being verified."""

from __future__ import annotations

from typing import Any

from django.db.models import Max
from django.utils import timezone

from core.models import User
from inventory.services import Refused
from tickets.desk.models import SubTask
from tickets.desk.people import may_work_at, may_work_on
from tickets.desk.services.triage import need_active
from tickets.models import Ticket
from tickets.services.changes import Change, TicketConflict, changing

MOST = 50


def add_sub_task(
    number: int, *, by: User, text: str, assignee: int | None = None, version: int | None = None
) -> Ticket:
    """Raises TicketConflict when there are too many, Refused for somebody who does not work there."""
    with changing(number, by=by, version=version) as change:
        need_active(change)
        ticket = change.ticket
        if ticket.sub_tasks.count() >= MOST:
            raise TicketConflict(number, f"{ticket.key} has {MOST} sub-tasks, which is the most.")
        last = ticket.sub_tasks.aggregate(last=Max("number"))["last"] or 0
        person = _worker(assignee, ticket)
        SubTask.objects.create(ticket=ticket, number=last + 1, text=text, assignee=person)
        change.bump = True
        change.note(f"Sub-task {last + 1}: {text}", sub_task=last + 1)
        return ticket


def change_sub_task(number: int, task: int, *, by: User, version: int | None = None, **given: Any) -> Ticket:
    """`text`, `assignee` and `done`, as given. Raises SubTask.DoesNotExist."""
    with changing(number, by=by, version=version) as change:
        need_active(change)
        row = SubTask.objects.get(ticket=change.ticket, number=task)
        row.text = given.get("text", row.text)
        if "assignee" in given:
            row.assignee = _worker(given["assignee"], change.ticket)
        if "done" in given and given["done"] != (row.done_at is not None):
            _tick(change, row, by, done=given["done"])
        row.save()
        change.bump = True
        return change.ticket


def _tick(change: Change, row: SubTask, by: User, *, done: bool) -> None:
    row.done_at, row.done_by = (timezone.now(), by) if done else (None, None)
    change.note(f"Sub-task {row.number} {'done' if done else 'not done'}: {row.text}", sub_task=row.number, done=done)


def remove_sub_task(number: int, task: int, *, by: User, version: int | None = None) -> Ticket:
    """Raises SubTask.DoesNotExist."""
    with changing(number, by=by, version=version) as change:
        need_active(change)
        row = SubTask.objects.get(ticket=change.ticket, number=task)
        change.bump = True
        change.note(f"Sub-task {row.number} removed: {row.text}", sub_task=row.number)
        row.delete()
        return change.ticket


def _worker(pk: int | None, ticket: Ticket) -> User | None:
    if pk is None:
        return None
    person = User.objects.filter(pk=pk).first()
    if person is None or not may_work_at(person, ticket.site_id):
        raise Refused("assignee", "No technician of this site.")
    if not may_work_on(person, ticket):
        raise Refused("assignee", f"{person.display_name()} does not work on the queue {ticket.queue}.")
    return person
