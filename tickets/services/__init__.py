"""Every write of this room."""

from tickets.services.automation import automation_gave_up, open_ticket_unless_automation_is_first
from tickets.services.cabling.connectors import swap_connector
from tickets.services.cabling.link_tickets import link_good, measurement_finished, open_link_ticket
from tickets.services.cabling.port_checks import discovery_finished, recheck
from tickets.services.cabling.work_orders import finding_changed, finding_closed, open_order
from tickets.services.changes import NotYours, TicketConflict, TicketRace
from tickets.services.incidents import follow_incident, incident_is_over, machines_still_fail
from tickets.services.leds import sync as sync_indicator_leds
from tickets.services.openings import (
    add_evidence_of_run_machine,
    note_return,
    open_ticket_for_fault,
    open_ticket_for_run_machine,
)
from tickets.services.reports import open_ticket_for_person, site_of_reported
from tickets.services.verifications import done_verify, fault_cleared, run_machine_done, verification_finished
from tickets.services.work import close, comment, record_swap, release, reopen, set_led, take, take_part, tick

__all__ = [
    "NotYours",
    "TicketConflict",
    "TicketRace",
    "add_evidence_of_run_machine",
    "automation_gave_up",
    "close",
    "comment",
    "discovery_finished",
    "done_verify",
    "fault_cleared",
    "finding_changed",
    "finding_closed",
    "follow_incident",
    "incident_is_over",
    "link_good",
    "machines_still_fail",
    "measurement_finished",
    "note_return",
    "open_link_ticket",
    "open_order",
    "open_ticket_for_fault",
    "open_ticket_for_person",
    "open_ticket_for_run_machine",
    "open_ticket_unless_automation_is_first",
    "recheck",
    "record_swap",
    "release",
    "reopen",
    "run_machine_done",
    "set_led",
    "site_of_reported",
    "swap_connector",
    "sync_indicator_leds",
    "take",
    "take_part",
    "tick",
    "verification_finished",
]
