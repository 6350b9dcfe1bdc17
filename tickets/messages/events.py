"""What of a ticket's timeline is news, and in whose queue the ticket is. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

OF_CHANGE = {
    "open": "opened",
    "take": "taken",
    "release": "released",
    "verify": "verifying",
    "fail": "failed",
    "pass": "closed",
    "resolved": "closed",
    "close": "closed",
    "reopen": "reopened",
}
"""Event of a line in the timeline to that of a rule. Lines without one (a step, a note of the service) are no news."""
WORDS = {
    "opened": "opened",
    "commented": "commented",
    "taken": "taken",
    "released": "released",
    "verifying": "being verified",
    "failed": "verification failed",
    "closed": "closed",
    "reopened": "reopened",
    "escalated": "nobody has taken it",
}
WAITS_AGAIN = ("open", "release", "reopen")
"""After these a ticket waits for somebody to take it: an escalation counts from the last of them."""


@dataclass(frozen=True)
class News:
    """Something that happened to a ticket. `by`: id of the person who did it, None for the service itself."""

    ref: str
    event: str
    at: datetime
    site: int
    queue: str
    priority: str
    by: int | None = None
    assignee: int | None = None
