"""Every write of this room."""

from tickets.services.changes import TicketConflict
from tickets.services.leds import sync as sync_indicator_leds
from tickets.services.opening import open_ticket_for_fault, open_ticket_for_person, open_ticket_for_run_machine
from tickets.services.verifying import done_verify, fault_cleared, run_machine_done, verification_finished
from tickets.services.working import (
    NotYours,
    close,
    comment,
    record_swap,
    release,
    reopen,
    set_led,
    take,
    take_part,
    tick,
)

__all__ = [
    "NotYours",
    "TicketConflict",
    "close",
    "comment",
    "done_verify",
    "fault_cleared",
    "open_ticket_for_fault",
    "open_ticket_for_person",
    "open_ticket_for_run_machine",
    "record_swap",
    "release",
    "reopen",
    "run_machine_done",
    "set_led",
    "sync_indicator_leds",
    "take",
    "take_part",
    "tick",
    "verification_finished",
]
