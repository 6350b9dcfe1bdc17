"""The health of machines: lifecycle, holds, faults, sweeps and verdicts."""

from health.models.active import ActiveMachine, ActiveRun, ActiveStep, ActiveWindow
from health.models.facts import BmcLogRead, FactChange, LookCounters, MachineFacts
from health.models.faults import EventCursor, Fault, FaultEvidence, Verification
from health.models.golden import GoldenMachine
from health.models.machines import Hold, LifecycleChange, LifecycleTransition, MachineHealth, Pool
from health.models.policy import (
    KernelImage,
    KernelLine,
    KernelSighting,
    ObserveOnly,
    ResponseOverride,
    Silence,
    ThresholdOverride,
)
from health.models.remediation import (
    AllowedWindow,
    Incident,
    IncidentMachine,
    RemediationAction,
    RemedySwitch,
    SiteAutomation,
)
from health.models.reports import ReportedMachine, ReportSource
from health.models.scheduler import SchedulerChange, SchedulerJob, SchedulerMachine, SchedulerSource, SchedulerWish
from health.models.sweeps import SlowMachine, Sweep, SweepShard
from health.models.verdicts import CurrentVerdict, Layout, MachineReport, Sample, Transition

__all__ = [
    "ActiveMachine",
    "ActiveRun",
    "ActiveStep",
    "ActiveWindow",
    "AllowedWindow",
    "BmcLogRead",
    "CurrentVerdict",
    "EventCursor",
    "FactChange",
    "Fault",
    "FaultEvidence",
    "GoldenMachine",
    "Hold",
    "Incident",
    "IncidentMachine",
    "KernelImage",
    "KernelLine",
    "KernelSighting",
    "Layout",
    "LifecycleChange",
    "LifecycleTransition",
    "LookCounters",
    "MachineFacts",
    "MachineHealth",
    "MachineReport",
    "ObserveOnly",
    "Pool",
    "RemediationAction",
    "RemedySwitch",
    "ReportSource",
    "ReportedMachine",
    "ResponseOverride",
    "Sample",
    "SchedulerChange",
    "SchedulerJob",
    "SchedulerMachine",
    "SchedulerSource",
    "SchedulerWish",
    "Silence",
    "SiteAutomation",
    "SlowMachine",
    "Sweep",
    "SweepShard",
    "ThresholdOverride",
    "Transition",
    "Verification",
]
