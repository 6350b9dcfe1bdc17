"""Repair tickets and work orders: what is wrong where, on what evidence, what was done, and what came of it."""

from tickets.insights.models import InsightSettings, ReportMail, ReportSubscription, Shift
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

__all__ = [
    "KEY_PREFIX",
    "PRIORITIES",
    "SOURCES",
    "STEP_KINDS",
    "SUBJECTS",
    "WHOLE_MACHINE",
    "Attachment",
    "Clearance",
    "Comment",
    "Evidence",
    "IndicatorLed",
    "InsightSettings",
    "PartSwap",
    "ReportMail",
    "ReportSubscription",
    "Shift",
    "Step",
    "Ticket",
    "TicketChange",
    "TicketFault",
    "WorkOrder",
]
