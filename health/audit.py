"""What the audit log keeps of health: faults, holds, states and the policy of pools; what was measured stays out."""

from __future__ import annotations

from typing import Any

from core.audit.sentences import after, works_as
from core.audit.tables import Said, audited, left_out


def _because(row: dict[str, Any]) -> str:
    reason = after(row, "reason")
    return f": {reason}" if reason else ""


def fault_said(row: dict[str, Any]) -> Said | None:
    if row["action"] == "created":
        return Said(3, f"saw a fault: {row['name']}")
    status = after(row, "status")
    if row["action"] == "changed" and status in ("confirmed", "cleared"):
        return Said(3, f"{status} the fault {row['name']}")
    return None


def state_said(row: dict[str, Any]) -> Said | None:
    """A change of state is its own record: made once, never changed."""
    if row["action"] != "created":
        return None
    return Said(5, f"took {after(row, 'machine')} {after(row, 'transition')}{_because(row)}")


def hold_said(row: dict[str, Any]) -> Said | None:
    if row["action"] == "created":
        return Said(2, f"holds {after(row, 'machine')} out of service{_because(row)}")
    if row["action"] == "changed" and after(row, "lifted_at"):
        return Said(2, f"lifted the hold {row['name']}")
    return None


def action_said(row: dict[str, Any]) -> Said | None:
    if row["action"] == "created":
        return Said(7, f"planned {after(row, 'remedy').replace('_', ' ')} for {after(row, 'machine')}{_because(row)}")
    if row["action"] == "changed" and after(row, "state"):
        return Said(7, f"moved the action {row['name']} to {after(row, 'state')}")
    return None


def verification_said(row: dict[str, Any]) -> Said | None:
    if row["action"] == "created":
        return Said(4, f"asked for a verification of {after(row, 'machine')}")
    status = after(row, "status")
    if row["action"] == "changed" and status in ("passed", "failed"):
        return Said(8, f"found that the verification of {row['name']} {status}")
    return None


def incident_said(row: dict[str, Any]) -> Said | None:
    if row["action"] == "created":
        return Said(4, f"opened the incident {row['name']}")
    if row["action"] == "changed" and after(row, "closed_at"):
        return Said(4, f"closed the incident {row['name']}")
    return None


works_as(
    "a sweep",
    "health.monitoring.tasks.start_sweep",
    "health.monitoring.tasks.run_shard",
    "health.monitoring.tasks.mark_unreachable",
    "health.monitoring.tasks.close_late_sweeps",
    "health.monitoring.tasks.requeue_lost_shards",
)
works_as("a second check", "health.monitoring.tasks.confirm_due")
works_as(
    "a verification",
    "health.monitoring.tasks.verify_machine",
    "health.monitoring.tasks.verify_patiently",
    "health.remediation.tasks.verify_incident",
)
works_as(
    "automation",
    "health.remediation.tasks.remediate",
    "health.remediation.tasks.carry_out",
    "health.remediation.tasks.mark_stuck",
    "health.remediation.tasks.drain_waiting",
    "health.monitoring.tasks.follow_response",
    "health.monitoring.tasks.end_expired_responses",
)
works_as(
    "the scheduler's follower",
    "health.schedulers.tasks.send_to_scheduler",
    "health.schedulers.tasks.read_scheduler",
)
works_as("reports from other systems", "health.external.tasks.settle_reports", "health.external.tasks.follow_reports")
works_as(
    "active checks",
    "health.diagnostics.tasks.advance_active_run",
    "health.diagnostics.tasks.begin_windows",
    "health.diagnostics.tasks.prune_active_runs",
)
works_as("the golden set's keeper", "health.insights.tasks.keep_golden_set")
audited("health.Pool", kind="pools", name=("role", "model"), comes_with="inventory.Machine")
audited("health.Hold", kind="holds", name=("machine", "owner"), says=hold_said)
audited(
    "health.Fault",
    kind="faults",
    name=("machine", "slot", "fault_class"),
    says=fault_said,
    belongs_to=("machine",),
    noise=("seen_at", "signatures", "confirm_due_at", "confirm_asked_at"),
)
audited(
    "health.Incident",
    kind="incidents",
    name=("title",),
    says=incident_said,
    belongs_to=("machine",),
    noise=("refused_at", "refused_by"),
)
audited(
    "health.RemediationAction",
    kind="actions",
    name=("machine", "remedy", "key"),
    says=action_said,
    belongs_to=("machine",),
    noise=("lease_owner", "lease_until", "next_look_at", "refused_by", "refused_reason", "refused_at", "evidence"),
)
audited("health.RemedySwitch", kind="remedy-switches", name=("check_id", "remedy"))
audited("health.SiteAutomation", kind="automation", name=("site",))
audited("health.AllowedWindow", kind="allowed-windows", name=("site", "from_time"))
audited(
    "health.LifecycleChange", kind="lifecycle-changes", name=("machine", "transition"), says=state_said,
    comes_with="inventory.Machine",
)  # fmt: skip
audited(
    "health.Verification",
    kind="verifications",
    name=("machine", "owner"),
    says=verification_said,
    noise=("attempts", "next_try_at", "boot_id", "at_us", "bmc_at_us"),
)
audited("health.ThresholdOverride", kind="threshold-overrides", name=("check_id", "scope"))
audited("health.Silence", kind="silences", name=("check_id", "part"))
audited("health.ObserveOnly", kind="audit-mode", name=("check_id",))
audited("health.ResponseOverride", kind="response-overrides", name=("fault_class",))
audited(
    "health.KernelLine", kind="kernel-lines", name=("shape",), belongs_to=(), noise=("last_seen", "example"),
)  # fmt: skip

left_out("health.Layout", "how packed reports are read; written once by sweeps")
left_out("health.CurrentVerdict", "what the checks say now")
left_out("health.GpuProcesses", "what holds the GPUs now, as sweeps see it")
left_out("health.MachineImages", "which engines told their images, as sweeps see it")
left_out("health.MachineImage", "images that lie on machines now, as sweeps see it")
left_out("health.MachineReport", "what the checks say now, packed")
left_out("health.Sample", "what the checks said over time")
left_out("health.Transition", "what the checks said over time")
left_out("health.FaultEvidence", "findings that showed a fault, kept beside it as they were seen")
left_out("health.EventCursor", "how far a machine's events were read")
left_out(
    "health.MachineHealth", "what a machine last reported; its changes of state are LifecycleChange, with who and why"
)
audited(
    "health.LifecycleTransition", name=("from_state", "to_state"), prefix="from ", between=" to "
)  # named in changes
left_out("health.LifecycleTransition", "the table of permitted changes of state, written by migrations")
left_out("health.Sweep", "checks of machines")
left_out("health.SweepShard", "checks of machines")
left_out("health.LookCounters", "counters of the last check, for the next one to compare with")
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
left_out("health.SchedulerPartition", "what the scheduler said last")
left_out("health.SchedulerReservation", "what the scheduler said last")
left_out("health.WaitingJob", "what the scheduler said last")
left_out("health.SchedulerWish", "what is to be sent to the scheduler for a change of state that is kept itself")
left_out("health.SchedulerChange", "what the scheduler said over time")

audited("health.ActiveWindow", kind="active-windows", name=("site", "weekday", "starts"), noise=("started_at",))
audited("health.LaunchWay", kind="launch-ways", name=("name",))
audited("health.ActiveRun", kind="active-runs", name=("kind",), noise=("rounds", "left_out", "conclusion"))
left_out("health.ActiveMachine", "which machines a run of active checks has; the run itself is kept")
left_out("health.ActiveStep", "tests of a run of active checks and what they printed")
left_out("health.IncidentMachine", "follows from faults and unreachable machines")
