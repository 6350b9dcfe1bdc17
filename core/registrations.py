"""What this room registers at its own hooks, done once at start-up."""

from __future__ import annotations

from core.jobs import work as jobs
from core.webhooks import dispatch
from core.work import failed_handlers
from core.work.kinds import kinds


def register() -> None:
    """Register everything. Safe to call again."""
    kinds.register(failed_handlers.WORK, jobs.WORK, dispatch.WORK)
