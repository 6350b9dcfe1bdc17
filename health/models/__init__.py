"""The health of machines: lifecycle, holds, faults, sweeps and verdicts."""

from health.models.faults import EventCursor, Fault, FaultEvidence, Verification
from health.models.machines import Hold, LifecycleChange, LifecycleTransition, MachineHealth, Pool
from health.models.sweeps import Sweep, SweepShard
from health.models.verdicts import CurrentVerdict, Layout, MachineReport, Sample, Transition

__all__ = [
    "CurrentVerdict",
    "EventCursor",
    "Fault",
    "FaultEvidence",
    "Hold",
    "Layout",
    "LifecycleChange",
    "LifecycleTransition",
    "MachineHealth",
    "MachineReport",
    "Pool",
    "Sample",
    "Sweep",
    "SweepShard",
    "Transition",
    "Verification",
]
