"""Every write of the desk. Each is one transaction with the ticket locked, and returns the ticket.

All take `version`, the one the person saw: another present one raises TicketRace.
"""

from tickets.desk.services.merges import merge, split_fault, split_machine
from tickets.desk.services.sub_tasks import add_sub_task, change_sub_task, remove_sub_task
from tickets.desk.services.triage import acknowledge, assign, confirm, move, set_priority, snooze, unsnooze, watch

__all__ = [
    "acknowledge",
    "add_sub_task",
    "assign",
    "change_sub_task",
    "confirm",
    "merge",
    "move",
    "remove_sub_task",
    "set_priority",
    "snooze",
    "split_fault",
    "split_machine",
    "unsnooze",
    "watch",
]
