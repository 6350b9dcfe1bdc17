"""What the audit log keeps of this room: hooks without their secrets; deliveries and outbox are telemetry."""

from __future__ import annotations

from core.audit.tables import audited, left_out
from core.models import Role

audited("webhooks.Webhook", kind="webhooks", hidden=("secret", "previous_secret"), read=Role.ADMIN)
left_out("webhooks.Delivery", "messages being sent; kept for a week")
left_out("webhooks.OutboxRow", "news that is not yet a delivery")
