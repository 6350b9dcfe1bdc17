"""Where on the ladder a fault starts."""

from __future__ import annotations

from health.checks.faults import FAULT_CLASSES
from health.checks.levels import Rung
from health.monitoring.models.faults import Fault


def start_rung(fault: Fault) -> Rung:
    """The rung of its class, or the higher one a finding named; a person's where the class is not known."""
    known = FAULT_CLASSES.get(fault.fault_class)
    return Rung(max(fault.start_rung, known.start_rung if known else Rung.TICKET))
