"""What this room registers at its own hooks, done once at start-up."""

from __future__ import annotations

from core.jobs import work as jobs
from core.models import Role
from core.openapi.references import named_at_sites, words
from core.webhooks import dispatch
from core.webhooks.models import Webhook
from core.work import failed_handlers
from core.work.kinds import kinds


def register() -> None:
    """Register everything. Safe to call again."""
    kinds.register(failed_handlers.WORK, jobs.WORK, dispatch.WORK)
    words["webhook"] = named_at_sites(Webhook.objects.all(), "webhook", Role.ADMIN)
