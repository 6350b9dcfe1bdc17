"""Every write of this room. Other rooms import from here."""

from health.lifecycle import InvalidTransition
from health.services.draining import hold_within_budget
from health.services.machines import (
    NotReady,
    change_state,
    lift_hold,
    place_hold,
    return_to_service,
    set_ticket_key,
    start_maintenance,
)
from health.services.membership import accept_swap, sync_machines
from health.services.remediating.incidents import close_by_person as close_incident
from health.services.remediating.mass import ask_to_verify as verify_incident
from health.services.remediating.telling import (
    automation_in_words,
    automation_is_first,
    shared_incident_of,
    tried_for,
    waits_for_a_cause,
)
from health.services.sweeping import request_sweep
from health.services.verifying import dismiss_fault, request_verification

__all__ = [
    "InvalidTransition",
    "NotReady",
    "accept_swap",
    "automation_in_words",
    "automation_is_first",
    "change_state",
    "close_incident",
    "dismiss_fault",
    "hold_within_budget",
    "lift_hold",
    "place_hold",
    "request_sweep",
    "request_verification",
    "return_to_service",
    "set_ticket_key",
    "shared_incident_of",
    "start_maintenance",
    "sync_machines",
    "tried_for",
    "verify_incident",
    "waits_for_a_cause",
]
