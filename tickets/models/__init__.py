"""Repair tickets and work orders: what is wrong where, on what evidence, what was done, and what came of it."""

from tickets.models.orders import Clearance, WorkOrder
from tickets.models.tickets import (
    KEY_PREFIX,
    PRIORITIES,
    SOURCES,
    STEP_KINDS,
    SUBJECTS,
    WHOLE_MACHINE,
    Attachment,
    Comment,
    Evidence,
    IndicatorLed,
    PartSwap,
    Step,
    Ticket,
    TicketChange,
    TicketFault,
)
from tickets.vendors.models import BundleFile, CaseBundle, CaseChange, CaseMessage, VendorCase, VendorContact

__all__ = [
    "KEY_PREFIX",
    "PRIORITIES",
    "SOURCES",
    "STEP_KINDS",
    "SUBJECTS",
    "WHOLE_MACHINE",
    "Attachment",
    "BundleFile",
    "CaseBundle",
    "CaseChange",
    "CaseMessage",
    "Clearance",
    "Comment",
    "Evidence",
    "IndicatorLed",
    "PartSwap",
    "Step",
    "Ticket",
    "TicketChange",
    "TicketFault",
    "VendorCase",
    "VendorContact",
    "WorkOrder",
]
