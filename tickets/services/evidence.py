"""Evidence of tickets: taken over from faults, added, and kept to the first and the latest. Locks are the caller's."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils import timezone

from health.models import Fault, FaultEvidence
from tickets.models import Evidence, Ticket, TicketFault
from tickets.workflow import kept

FIRST_KEPT, LATEST_KEPT = 10, 20


def take_over_evidence(ticket: Ticket, source: str = Evidence.Source.SWEEP) -> int:
    """Copy evidence of the ticket's faults, and of those they lead, that is not here yet; returns how much there was.

    The caller holds the machine's lock, so faults and evidence stand still.
    """
    leaders = TicketFault.objects.filter(ticket=ticket).values("fault_id")
    attached = Fault.objects.filter(led_by__in=leaders).exclude(ticket_links__ticket=ticket)
    TicketFault.objects.bulk_create(TicketFault(ticket=ticket, fault=fault) for fault in attached)
    links = {link.fault_id: link for link in TicketFault.objects.filter(ticket=ticket)}
    found = [
        item
        for item in FaultEvidence.objects.filter(fault__in=links).order_by("id")
        if item.pk > links[item.fault_id].last_evidence_id
    ]
    for item in found:
        links[item.fault_id].last_evidence_id = item.pk
    TicketFault.objects.bulk_update(links.values(), ["last_evidence_id"])
    add_evidence(
        ticket,
        [
            Evidence(
                at=item.at,
                source=source,
                check_id=item.check_id,
                part=item.part,
                verdict=item.verdict,
                message=item.message,
                command=item.command,
                exit_status=item.exit_status,
                excerpt=item.excerpt,
            )
            for item in found
        ],
    )
    return len(found)


def add_evidence(ticket: Ticket, rows: Sequence[Evidence]) -> None:
    """Add evidence and keep the first and the latest of all; the counter goes on counting."""
    if not rows:
        return
    for row in rows:
        row.ticket = ticket
    _, beyond = kept(range(len(rows)), FIRST_KEPT, LATEST_KEPT)
    Evidence.objects.bulk_create(row for at, row in enumerate(rows) if at not in set(beyond))
    _, in_between = kept(ticket.evidence.values_list("pk", flat=True), FIRST_KEPT, LATEST_KEPT)
    ticket.evidence.filter(pk__in=in_between).delete()
    ticket.evidence_count += len(rows)
    ticket.updated_at = timezone.now()
    Ticket.objects.filter(pk=ticket.pk).update(evidence_count=ticket.evidence_count, updated_at=ticket.updated_at)
