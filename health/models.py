"""The health of machines: lifecycle, holds, faults, sweeps and verdicts."""

from health.diagnostics.models import ActiveMachine, ActiveRun, ActiveStep, ActiveWindow, LaunchWay
from health.external.models import ReportedMachine, ReportSource
from health.insights.models import GoldenMachine
from health.machines.models.automation import SiteAutomation
from health.machines.models.machines import Hold, LifecycleChange, LifecycleTransition, MachineHealth, Pool
from health.monitoring.images.models import MachineImage, MachineImages
from health.monitoring.models.facts import BmcLogRead, FactChange, GpuProcesses, LookCounters, MachineFacts
from health.monitoring.models.faults import EventCursor, Fault, FaultEvidence, Verification
from health.monitoring.models.policy import (
    KernelImage,
    KernelLine,
    KernelSighting,
    ObserveOnly,
    ResponseOverride,
    Silence,
    ThresholdOverride,
)
from health.monitoring.models.sweeps import SlowMachine, Sweep, SweepPeriod, SweepShard
from health.monitoring.models.verdicts import CurrentVerdict, Layout, MachineReport, Sample, Transition
from health.remediation.models import AllowedWindow, Incident, IncidentMachine, RemediationAction, RemedySwitch
from health.schedulers.models import (
    SchedulerChange,
    SchedulerJob,
    SchedulerMachine,
    SchedulerPartition,
    SchedulerReservation,
    SchedulerSource,
    SchedulerWish,
    WaitingJob,
)

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
    "GpuProcesses",
    "Hold",
    "Incident",
    "IncidentMachine",
    "KernelImage",
    "KernelLine",
    "KernelSighting",
    "LaunchWay",
    "Layout",
    "LifecycleChange",
    "LifecycleTransition",
    "LookCounters",
    "MachineFacts",
    "MachineHealth",
    "MachineImage",
    "MachineImages",
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
    "SchedulerPartition",
    "SchedulerReservation",
    "SchedulerSource",
    "SchedulerWish",
    "Silence",
    "SiteAutomation",
    "SlowMachine",
    "Sweep",
    "SweepPeriod",
    "SweepShard",
    "ThresholdOverride",
    "Transition",
    "Verification",
    "WaitingJob",
]
