"""What the desk shows of tickets: on a card, in full, and a board of columns. Each a fixed number of statements."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db.models import Count, F, Q, QuerySet, Window
from django.db.models.functions import RowNumber

from core.models import User
from health.models import Fault
from tickets.desk.reopenings import may_confirm, needs_second_eyes
from tickets.desk.rules.queues import Queue
from tickets.models import Step, SubTask, Ticket
from tickets.workflow import ACTIVE, Status

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "queue": tuple(queue.value for queue in Queue),
    "status": tuple(status.value for status in ACTIVE),
}
"""What a board may be cut by, and its columns in their order."""
CARDS = 50
MOST_AFFECTED = 500


def named(user: User | None) -> dict[str, Any] | None:
    return {"id": user.pk, "name": user.display_name()} if user else None


def desk_item(ticket: Ticket, now: datetime) -> dict[str, Any]:
    """Of a card."""
    return {
        "queue": ticket.queue,
        "priority_line": ticket.priority_line,
        "due_at": ticket.due_at,
        "overdue": ticket.is_active and ticket.due_at is not None and ticket.due_at < now,
        "acknowledged_at": ticket.acknowledged_at,
        "acknowledged_by": named(ticket.acknowledged_by),
        "snoozed_until": ticket.snoozed_until,
        "reopened": ticket.reopened,
    }


def desk_detail(ticket: Ticket, user: User, slots: Mapping[str, str]) -> dict[str, Any]:
    """Of a ticket in full; six statements, seven of an incident."""
    watchers = [row.user for row in ticket.watchers.select_related("user").order_by("user__username")]
    return {
        "priority_by_hand": ticket.priority_by_id is not None,
        "snooze_reason": ticket.snooze_reason if ticket.snoozed_until else "",
        "watchers": [named(person) for person in watchers],
        "watching": any(person.pk == user.pk for person in watchers),
        "sub_tasks": [_sub_task(row) for row in ticket.sub_tasks.select_related("assignee", "done_by")],
        "faults": _faults(ticket, slots),
        "affected": _affected(ticket),
        "merged_into": _key(ticket.merged_into_id),
        "merged": _keys(ticket.merged.all()),
        "split_from": _key(ticket.split_from_id),
        "splits": _keys(ticket.splits.all()),
        "second_eyes": {"needed": needs_second_eyes(ticket), "by": named(ticket.second_by)},
    }


def _key(pk: int | None) -> str | None:
    row = Ticket.objects.only("number").filter(pk=pk).first() if pk is not None else None
    return row.key if row is not None else None


def _keys(rows: QuerySet[Ticket]) -> list[str]:
    return [row.key for row in rows.only("number").order_by("number")]


def _sub_task(row: SubTask) -> dict[str, Any]:
    return {
        "number": row.number,
        "text": row.text,
        "assignee": named(row.assignee),
        "done_at": row.done_at,
        "done_by": named(row.done_by),
    }


def _faults(ticket: Ticket, slots: Mapping[str, str]) -> list[dict[str, Any]]:
    """The open ones that lead: what may be split off."""
    rows = Fault.objects.filter(ticket_links__ticket=ticket, led_by=None).exclude(status=Fault.Status.CLEARED)
    return [
        {
            "id": row.pk,
            "machine": row.machine.device.name,
            "part_text": slots.get(row.slot, row.slot),
            "fault_class": row.fault_class,
            "message": row.message,
        }
        for row in rows.select_related("machine__device").order_by("pk")[:MOST_AFFECTED]
    ]


def _affected(ticket: Ticket) -> list[dict[str, Any]]:
    """The machines of an incident."""
    if ticket.incident_id is None:
        return []
    assert ticket.incident is not None
    rows = ticket.incident.members.select_related("machine__device").order_by("machine__device__name")
    return [
        {"id": row.machine_id, "name": row.machine.device.name, "recovered_at": row.recovered_at}
        for row in rows[:MOST_AFFECTED]
    ]


def desk_may(ticket: Ticket, user: User, *, technician: bool, operator: bool, limited: bool) -> list[str]:
    """What a person may do at the desk, in the words of the API. `limited`: the ticket is in a queue of others."""
    if not technician:
        return []
    if limited or not ticket.is_active:
        return ["watch"]
    found = ["watch", "unsnooze" if ticket.snoozed_until else "snooze", "queue", "sub_tasks"]
    if ticket.acknowledged_at is None:
        found.append("acknowledge")
    if may_confirm(ticket, user):
        found.append("confirm")
    if operator:
        found += ["assign", "priority", "split"]
        if ticket.source in ("fault", "person") and ticket.status == Status.OPEN:
            found.append("merge")
    return found


def board(tickets: QuerySet[Ticket], column: str, now: datetime) -> list[dict[str, Any]]:
    """The most urgent of each column, and how many there are. Three statements."""
    overdue = Count("pk", filter=Q(due_at__lt=now))
    counts = {
        key: (count, late)
        for key, count, late in tickets.order_by()
        .values(column)
        .annotate(n=Count("pk"), late=overdue)
        .values_list(column, "n", "late")
    }
    order = [F("priority").asc(), F("due_at").asc(nulls_last=True), F("number").asc()]
    place = Window(RowNumber(), partition_by=[F(column)], order_by=order)
    rows = list(tickets.annotate(place_in_column=place).filter(place_in_column__lte=CARDS).order_by(*order))
    progress = {
        pk: {"done": done, "of": of}
        for pk, done, of in Step.objects.filter(ticket__in=[row.pk for row in rows])
        .order_by()
        .values("ticket_id")
        .annotate(done=Count("done_at"), of=Count("pk"))
        .values_list("ticket_id", "done", "of")
    }
    for row in rows:
        vars(row)["progress"] = progress.get(row.pk, {"done": 0, "of": 0})
    return [
        {
            "key": key,
            "count": counts.get(key, (0, 0))[0],
            "overdue": counts.get(key, (0, 0))[1],
            "tickets": [row for row in rows if getattr(row, column) == key],
        }
        for key in COLUMNS[column]
    ]
