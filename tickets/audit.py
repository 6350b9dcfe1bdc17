"""What the audit log keeps of tickets. Their timeline is written by the workflow in words and is not kept twice."""

from __future__ import annotations

from core.audit.tables import audited, left_out

audited(
    "tickets.Ticket",
    kind="tickets",
    name=("number",),
    prefix="REP-",
    belongs_to=("device", "cable"),
    noise=("version", "updated_at", "evidence_count"),
)
audited("tickets.TicketFault", kind="ticket-faults", name=("ticket", "fault"), noise=("last_evidence_id",))
audited(
    "tickets.Step",
    kind="ticket-steps",
    name=("ticket", "title"),
    noise=("check_asked_at", "checked_at", "measured", "outcome_text"),
)
audited("tickets.Comment", kind="ticket-comments", name=("ticket", "author"))
audited(
    "tickets.PartSwap",
    kind="part-swaps",
    name=("ticket", "slot"),
    belongs_to=("ticket", "ticket__device", "old_component", "new_component"),
)
audited(
    "tickets.WorkOrder",
    kind="work-orders",
    name=("ticket",),
    belongs_to=("ticket", "ticket__device"),
    noise=("cabling",),
)
audited("tickets.Clearance", kind="clearances", name=("ticket", "key"), belongs_to=("ticket", "machine"))
audited("tickets.Attachment", kind="ticket-attachments")

left_out("tickets.Evidence", "what looks showed; only the first and the latest are kept")
left_out("tickets.TicketChange", "the ticket's own timeline, in words")
left_out("tickets.IndicatorLed", "what the BMC was last told; follows from the tickets")
