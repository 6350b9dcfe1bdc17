"""What a webhook can hear: domain events by their name, and changes of records as KIND.created, .changed, .deleted."""

from __future__ import annotations

import re

from core.audit import tables
from core.models import Role

# Every kind of `live.events.emit`; a test compares them with the source.
EVENTS: dict[str, str] = {
    "active.finished": "a run of active checks ended",
    "active.progress": "a run of active checks began or went on",
    "remediation.needs_person": "automation leaves a fault to people",
    "machine.stuck": "a machine is longer in its state than that should take",
    "incident.opened": "an incident began: on one machine, with one cause for several, or with a check",
    "incident.closed": "an incident is over",
    "incident.changed": "an incident got another fault or machine",
    "breaker.changed": "the circuit breaker of a site opened, or a person closed it",
    "automation.changed": "what automation may do at a site was changed: kill switch, limits, remedies, hours",
    "action.changed": "a remedy was granted, sent, confirmed, failed or ended otherwise",
    "bmc_discovery.changed": "a discovery of BMCs began, went on or ended",
    "bmc_password.changed": "the password of a BMC was changed, or is not known any more",
    "bmc_reading.changed": "BMCs were read: settings and firmware beside their profiles",
    "bmc_run.changed": "a run over BMCs (passwords, settings, firmware) began, went on or ended",
    "burn_in.changed": "a burn-in of the fabric was planned, began, went on, was stopped or ended",
    "component.changed": "a part was installed, removed, swapped or moved",
    "fabric.incident": "a burst of events of one device of the fabric began, went on or is over",
    "fault.confirmed": "a second check confirmed a fault",
    "fault.seen_again": "an open fault was seen again, or another sign of it",
    "fault.cleared": "a newer passing check cleared a fault",
    "discovery.started": "a discovery run of a fabric source started",
    "discovery.progress": "a discovery run of a fabric source made progress",
    "discovery.finished": "a discovery run of a fabric source ended: done, rejected by the guard or failed",
    "finding.opened": "something wrong with the wiring was seen a second time",
    "finding.changed": "what is known of an open finding changed, or it was accepted",
    "finding.closed": "a discovery run showed that a wiring finding is resolved",
    "image_placement.changed": "placing or removing a container image began, went on or ended",
    "ironic.maintenance_set": "somebody set the node of a machine to maintenance in the site's Ironic",
    "ironic.maintenance_unset": "somebody lifted the maintenance of a machine's node in the site's Ironic",
    "ironic.node_gone": "somebody deleted the node of a machine in the site's Ironic",
    "inventory.reloaded": "records of the inventory were written: a change, a bulk write, an import",
    "link.bad": "a second window confirmed that a link is bad",
    "link.good": "two windows showed a link right that was bad",
    "link.measured": "a link was measured again on request",
    "machine.changed": "state, verdicts or ticket of a machine changed",
    "mirror.failed": "a mirror, registry or other source of a site stopped answering",
    "mirror.good": "a mirror, registry or other source of a site answers again",
    "names.changed": "names of switches were approved, rejected or written",
    "maas.machine_broken": "somebody marked a machine broken in the site's MAAS",
    "maas.machine_fixed": "somebody marked a machine fixed in the site's MAAS",
    "notice.changed": "the messages above the floor map changed",
    "policy.changed": "a threshold, a silence, a check in audit mode or a triaged kernel line of a site changed",
    "port.changed": "disabling a link was proposed, approved, refused or failed",
    "port.disabled": "a link was disabled at both ends",
    "port.enabled": "a link was re-enabled",
    "port.left_out": "links have been disabled for longer than the site allows; reported daily",
    "return.changed": "machines were sent back to their vendor, or the vendor answered",
    "run.changed": "a provisioning run began, went on or ended",
    "run.machine_done": "a machine went through its provisioning run",
    "run.machine_evidence": "the installer of a machine that failed sent its log",
    "run.machine_failed": "a machine failed in its provisioning run",
    "scheduler.changed": "what a site's scheduler says of its machines changed, or it stopped answering",
    "scheduler.resumed_by_other": "somebody else ended a drain of ours at the scheduler",
    "software_run.changed": "a run of base software began, went on or ended",
    "source.changed": "a source of the fabric became good, stale, empty, truncated, partial, rejected or failed",
    "step.changed": "a step of a provisioning run began or ended",
    "stock.changed": "stock of a spare part changed",
    "stock.low": "stock of a spare part fell below its minimum",
    "sweep.finished": "a sweep of the checks ended",
    "sweep.period_changed": "the period of sweeps became longer than it was set, or shorter again",
    "sweep.progress": "a share of the machines of a sweep was checked",
    "sweep.started": "a sweep of the checks began",
    "training_run.changed": "a training run began, ended, became slow, hangs, or its verdict changed",
    "ticket.changed": "a ticket was opened, worked on, verified or closed",
    "vendor_case.changed": "a case with a vendor was opened, sent, answered, or went on otherwise",
    "verification.finished": "a verification of a machine passed or failed",
    "watchdog.changed": "sweeps, beat, workers, the feed, a source, a scheduler or a device model failed or came back",
}
PING = "ping"
ACTIONS = ("created", "changed", "deleted")
PATTERN = re.compile(r"\*|[a-z0-9_-]+\.(\*|[a-z_]+)")


def is_told(table: tables.Table) -> bool:
    """Whether changes of a table's rows are told: not what only administrators may read, such as hooks and accounts."""
    return table.declared.read == Role.VIEWER


def record_kinds() -> set[str]:
    """Plural names of the records whose changes are told."""
    return {table.kind for table in tables.by_name().values() if is_told(table)}


def names() -> list[str]:
    """All names a hook can ask for."""
    return list(dict.fromkeys([*EVENTS, *(f"{kind}.{what}" for kind in sorted(record_kinds()) for what in ACTIONS)]))


def matches(pattern: str, name: str) -> bool:
    """`*` hears everything, `ticket.*` and `racks.*` all of one subject."""
    return pattern in ("*", name) or (pattern.endswith(".*") and name.startswith(pattern[:-1]))


def problem_of_pattern(pattern: str) -> str:
    """Why a pattern can never hear anything; empty when it can."""
    if not PATTERN.fullmatch(pattern):
        return f"{pattern} is no pattern: * or SUBJECT.WHAT or SUBJECT.*"
    if not any(matches(pattern, name) for name in names()):
        return f"Nothing is called {pattern}."
    return ""
