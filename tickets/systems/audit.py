"""What the audit log keeps: the settings without their secrets, and which ticket is which record there."""

from __future__ import annotations

from core.audit.sentences import works_as
from core.audit.tables import audited, left_out
from core.models import Role

works_as("the ticket system", "tickets.systems.tasks.poll", "tickets.systems.tasks.check", "tickets.systems.tasks.tell")
audited(
    "tickets.TicketSystem",
    kind="ticket-systems",
    hidden=("secret",),
    noise=("polled_at", "checked_at", "problems", "account"),
    read=Role.ADMIN,
)
audited("tickets.ExternalLink", kind="external-links", name=("system", "ticket"), noise=("status",))
left_out("tickets.ExternalItem", "what another system hears; the ticket's own history has it")
left_out("tickets.ExternalRemark", "which comment there is which here, so that none goes round")
