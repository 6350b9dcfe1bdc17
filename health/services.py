"""Every write of this room. Other rooms import from here."""

from health.machines.lifecycle import InvalidTransition
from health.machines.services.changes import (
    NotReady,
    change_state,
    end_maintenance_by,
    lift_hold,
    nothing_runs_on,
    place_hold,
    return_to_service,
    set_ticket_key,
    start_maintenance,
)
from health.machines.services.membership import sync_machines
from health.monitoring.services.accepted_parts import accept_swap
from health.monitoring.services.seen_elsewhere import enter as enter_seen_elsewhere
from health.monitoring.services.sweeps.sweep_runs import request_sweep
from health.monitoring.services.verifications import dismiss_fault, request_verification
from health.remediation.services.automation_answers import (
    automation_in_words,
    automation_is_first,
    shared_incident_of,
    tried_for,
    waits_for_a_cause,
)
from health.remediation.services.causes.mass import ask_to_verify as verify_incident
from health.remediation.services.causes.measured import Measured as MeasuredCause
from health.remediation.services.causes.measured import follow as follow_measured_causes
from health.remediation.services.causes.places import sharing_power
from health.remediation.services.drains import hold_within_budget
from health.remediation.services.incidents import close_by_person as close_incident
from health.remediation.services.plans import stands_against_taking_out
from health.remediation.types import Cause

__all__ = [
    "Cause",
    "InvalidTransition",
    "MeasuredCause",
    "NotReady",
    "accept_swap",
    "automation_in_words",
    "automation_is_first",
    "change_state",
    "close_incident",
    "dismiss_fault",
    "end_maintenance_by",
    "enter_seen_elsewhere",
    "follow_measured_causes",
    "hold_within_budget",
    "lift_hold",
    "nothing_runs_on",
    "place_hold",
    "request_sweep",
    "request_verification",
    "return_to_service",
    "set_ticket_key",
    "shared_incident_of",
    "sharing_power",
    "stands_against_taking_out",
    "start_maintenance",
    "sync_machines",
    "tried_for",
    "verify_incident",
    "waits_for_a_cause",
]
