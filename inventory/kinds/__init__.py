"""Kinds of records, each declared once, and the one way to write them. docs/decisions/0007-kinds.md says why."""

from inventory.kinds import annotations, cabling, comments, devices, notes, parts, places, power, reservations  # noqa: F401  (they declare the kinds)
from inventory.kinds.engine import write
from inventory.kinds.kind import KINDS, Field, Kind
from inventory.kinds.report import Report, RowOutcome
from inventory.kinds.scope import Scope

__all__ = ["KINDS", "Field", "Kind", "Report", "RowOutcome", "Scope", "write"]
