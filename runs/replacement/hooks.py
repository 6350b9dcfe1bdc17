"""What rooms above tell of runs. Tickets register themselves at start-up."""

from __future__ import annotations

from collections.abc import Callable

from core.registry import Offered

ticket_of_fault = Offered[Callable[[int], str | None]]("tickets of faults")
"""The key of the newest ticket of a fault, such as REP-2041."""
