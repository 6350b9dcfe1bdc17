"""What a machine looks like on the floor map: one word from its several conditions. Pure.

The rows are read from the top and the first that fits decides; docs/lifecycle.md shows the same table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from health.machines.lifecycle import State

CELLS = ("allocated", "available", "suspect", "failed", "drained", "repair", "provisioning", "off", "no_signal")


@dataclass(frozen=True)
class Condition:
    """What the cell depends on. `worst` is a verdict word. `suspected`: a fault is open; `confirmed`: one is that takes
    the machine out."""

    state: str
    reachability: str = "reachable"
    worst: str = "ok"
    power: str = "unknown"
    allocation: str = "unknown"
    suspected: bool = False
    confirmed: bool = False


_HANDS = frozenset({State.REPAIR, State.RMA, State.MAINTENANCE, State.REMEDIATING, State.VERIFYING})
_OUT = frozenset({State.DRAINING, State.DRAINED})

ROWS: tuple[tuple[str, str, Callable[[Condition], bool]], ...] = (
    ("off", "retired", lambda c: c.state == State.RETIRED),
    ("off", "new: in the inventory, not yet provisioned", lambda c: c.state == State.NEW),
    (
        "provisioning",
        "provisioning or burn_in",
        lambda c: c.state in (State.PROVISIONING, State.BURN_IN),
    ),
    ("repair", "repair, rma, maintenance, remediating or verifying", lambda c: c.state in _HANDS),
    ("failed", "triage", lambda c: c.state == State.TRIAGE),
    (
        "failed",
        "draining or drained, with a confirmed fault that takes it out",
        lambda c: c.state in _OUT and c.confirmed,
    ),
    ("drained", "draining or drained for another reason: planned work, tests, a person", lambda c: c.state in _OUT),
    (
        "failed",
        "ready with a fault that should take it out (beyond the disruption budget, or a dry run)",
        lambda c: c.confirmed,
    ),
    ("off", "ready, powered off according to its BMC", lambda c: c.power == "off"),
    ("no_signal", "ready, never reached or unreachable", lambda c: c.reachability in ("never", "unreachable")),
    (
        "suspect",
        "ready, late, failing, unknown, or with a fault that is suspected or leaves it in service",
        lambda c: c.suspected or c.reachability == "late" or c.worst in ("fail", "unknown"),
    ),
    ("allocated", "ready, and the scheduler runs work on it", lambda c: c.allocation == "allocated"),
    ("available", "ready", lambda c: True),
)


def cell(condition: Condition) -> str:
    """The cell word of a machine in this condition; one of `CELLS`."""
    return next(word for word, _, fits in ROWS if fits(condition))
