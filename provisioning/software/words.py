"""What one role or task of a software run did. Pure."""

from __future__ import annotations

from enum import StrEnum


class Outcome(StrEnum):
    """What a task did on a machine, and the sum of a role's tasks there."""

    OK = "ok"
    CHANGED = "changed"
    FAILED = "failed"
    UNREACHABLE = "unreachable"
    SKIPPED = "skipped"
