"""Locks and news that every writer of tickets shares."""

from __future__ import annotations

from typing import Any

from health.models import MachineHealth
from live.events import emit
from tickets.desk import ranks
from tickets.models import Ticket, VendorCase


def lock_machine(machine_id: int | None) -> None:
    """Lock the machine's health row, which every change of a ticket about a machine does before it locks the ticket."""
    if machine_id is None:
        return
    MachineHealth.objects.select_for_update(of=("self",)).filter(pk=machine_id).first()


def event_data(ticket: Ticket) -> dict[str, Any]:
    """What `ticket.changed` carries."""
    assignee = ticket.assignee
    subject_id, name = ticket.about
    return {
        "id": ticket.pk,
        "key": ticket.key,
        "status": ticket.status,
        "title": ticket.title,
        "subject": {"kind": ticket.subject, "id": subject_id, "name": name},
        "machine": ticket.machine_id,
        "machine_name": name if ticket.machine_id is not None else None,
        "assignee": {"id": assignee.pk, "name": assignee.display_name()} if assignee else None,
        "priority": ticket.priority,
        "version": ticket.version,
    }


def announce(ticket: Ticket, actor: str) -> None:
    """Tell the dashboard. The caller holds the ticket's lock."""
    ranks.noticed(ticket)
    emit(
        "ticket.changed",
        site_id=ticket.site_id,
        subject=f"ticket:{ticket.pk}",
        data=event_data(ticket),
        actor=actor,
    )


def announce_case(case: VendorCase, actor: str) -> None:
    """The same of a case with a vendor. The caller holds the lock of its ticket."""
    emit(
        "vendor_case.changed",
        site_id=case.site_id,
        subject=f"vendor_case:{case.pk}",
        data={
            "id": case.pk,
            "ticket": case.ticket_id,
            "state": case.state,
            "vendor": case.vendor,
            "number": case.number,
        },
        actor=actor,
    )
