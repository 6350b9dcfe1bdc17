"""What the audit log keeps of health: faults, holds, states and the policy of pools; what was measured stays out."""

from __future__ import annotations

from core.audit.tables import audited, left_out

audited("health.Pool", kind="pools", name=("role", "model"))
audited("health.Hold", kind="holds", name=("machine", "owner"))
audited(
    "health.Fault",
    kind="faults",
    name=("machine", "slot", "fault_class"),
    belongs_to=("machine",),
    noise=("seen_at", "signatures", "confirm_due_at", "confirm_asked_at"),
)
audited(
    "health.Incident",
    kind="incidents",
    name=("title",),
    belongs_to=("machine",),
    noise=("refused_at", "refused_by"),
)
audited(
    "health.RemediationAction",
    kind="actions",
    name=("remedy", "key"),
    belongs_to=("machine",),
    noise=("lease_owner", "lease_until", "next_look_at", "refused_by", "refused_reason", "refused_at", "evidence"),
)
audited("health.RemedySwitch", kind="remedy-switches", name=("check_id", "remedy"))
audited("health.SiteAutomation", kind="automation", name=("site",))
audited("health.AllowedWindow", kind="allowed-windows", name=("site", "from_time"))
audited("health.LifecycleChange", kind="lifecycle-changes", name=("machine", "transition"))
audited(
    "health.Verification",
    kind="verifications",
    name=("machine", "owner"),
    noise=("attempts", "next_try_at", "boot_id", "at_us", "bmc_at_us"),
)
audited("health.ThresholdOverride", kind="threshold-overrides", name=("check_id", "scope"))
audited("health.Silence", kind="silences", name=("check_id", "part"))
audited("health.ObserveOnly", kind="observe-only", name=("check_id",))
audited("health.ResponseOverride", kind="response-overrides", name=("fault_class",))
audited(
    "health.KernelLine", kind="kernel-lines", name=("shape",), belongs_to=(), noise=("last_seen", "example"),
)  # fmt: skip

left_out("health.Layout", "how packed reports are read; written once by sweeps")
left_out("health.CurrentVerdict", "what the checks say now")
left_out("health.MachineReport", "what the checks say now, packed")
left_out("health.Sample", "what the checks said over time")
left_out("health.Transition", "what the checks said over time")
left_out("health.FaultEvidence", "findings that showed a fault, kept beside it as they were seen")
left_out("health.EventCursor", "how far a machine's events were read")
left_out(
    "health.MachineHealth", "what was heard of a machine; its changes of state are LifecycleChange, with who and why"
)
left_out("health.LifecycleTransition", "the table of permitted changes of state, written by migrations")
left_out("health.Sweep", "looks at machines")
left_out("health.SweepShard", "looks at machines")
left_out("health.LookCounters", "counters of the last look, for the next one to compare with")
left_out("health.MachineFacts", "versions and settings as the machine showed them")
left_out("health.FactChange", "versions and settings as the machine showed them over time")
left_out("health.BmcLogRead", "how far a BMC's log was read, and its entries")

audited(
    "health.ReportSource",
    kind="report-sources",
    name=("name",),
    hidden=("digest",),
    noise=("last_seen_at", "refused", "known"),
)
audited("health.GoldenMachine", kind="golden-machines", name=("machine",), belongs_to=("machine",))
left_out("health.ReportedMachine", "what other systems said last of a machine")
left_out("health.KernelImage", "what runs on machines of a model, as their kernel lines name it")
left_out("health.KernelSighting", "which machines said a kind of kernel line")

audited(
    "health.SchedulerSource",
    kind="schedulers",
    name=("site", "kind"),
    noise=("state", "message", "tried_at", "last_read_at", "since", "certificate", "changed_at"),
)
left_out("health.SchedulerJob", "what the scheduler said over time")
left_out("health.SchedulerMachine", "what the scheduler said last")
left_out("health.SchedulerWish", "what is to be sent to the scheduler for a change of state that is kept itself")
left_out("health.SchedulerChange", "what the scheduler said over time")

audited("health.ActiveWindow", kind="active-windows", name=("site", "weekday", "starts"), noise=("started_at",))
audited("health.ActiveRun", kind="active-runs", name=("kind",), noise=("rounds", "left_out", "conclusion"))
left_out("health.ActiveMachine", "which machines a run of active checks has; the run itself is kept")
left_out("health.ActiveStep", "tests of a run of active checks and what they printed")
left_out("health.IncidentMachine", "follows from the faults and the silence of its machines")
