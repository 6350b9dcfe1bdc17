"""What the audit log keeps: settings without their secrets. Messages and mails are telemetry."""

from __future__ import annotations

from core.audit.sentences import works_as
from core.audit.tables import audited, left_out
from core.models import Role

works_as("the on-call calendar", "tickets.messages.tasks.read_calendar")
works_as("messages about tickets", "tickets.messages.tasks.plan", "tickets.messages.tasks.send")
audited("tickets.Channel", kind="message-channels", hidden=("secret", "signing_key"), read=Role.ADMIN)
audited("tickets.MessageRule", kind="message-rules", name=("channel", "id"), read=Role.ADMIN)
audited("tickets.QuietHours", kind="quiet-hours", name=("user",), read=None)
audited(
    "tickets.Rota",
    kind="rotas",
    hidden=("secret",),
    noise=("status", "message", "tried_at", "read_at", "etag", "calendar", "lease_until"),
    read=Role.ADMIN,
)
audited("tickets.EscalationPolicy", kind="escalation-policies", read=Role.ADMIN)
audited("tickets.EscalationLevel", kind="escalation-levels", name=("number", "policy"), read=Role.ADMIN)
audited("tickets.TicketReference", kind="ticket-references", name=("source", "external_id"))
left_out("tickets.Message", "messages that are sent; kept for a while and listed with their channel")
left_out("tickets.NewsRow", "news that is no message yet")
left_out("tickets.InboundMail", "mails that came in; what became of one is a comment, which is in the log")
