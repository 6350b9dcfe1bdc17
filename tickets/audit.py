"""What the audit log keeps of tickets. Their timeline is written by the workflow in words and is not kept twice."""

from __future__ import annotations

from typing import Any

from core.audit.sentences import after, works_as
from core.audit.tables import Said, audited, left_out
from inventory.audit import column_in, slots_retold
from tickets.messages import audit as messages_audit  # noqa: F401  (declares its own)
from tickets.models import Ticket
from tickets.systems import audit as systems_audit  # noqa: F401  (declares its own)
from tickets.workflow import Status

TO_STATUS = {
    Status.OPEN: "put {} back among the open tickets",
    Status.IN_WORK: "began to work on {}",
    Status.VERIFYING: "asked for a verification of {}",
    Status.CLOSED: "closed {}",
}


def ticket_said(row: dict[str, Any]) -> Said | None:
    name = row["name"]
    if row["action"] == "created":
        return Said(9, f"opened {name}: {after(row, 'title')}")
    if row["action"] == "changed" and (status := after(row, "status")) in TO_STATUS:
        return Said(6, TO_STATUS[status].format(name))
    if row["action"] == "changed" and "assignee" in row["fields"]:
        taken = after(row, "assignee")
        return Said(4, f"gave {name} to {taken}" if taken else f"gave {name} back")
    return None


def step_said(row: dict[str, Any]) -> Said | None:
    if row["action"] == "changed" and "done_at" in row["fields"]:
        return Said(7, f"{'ticked' if after(row, 'done_at') else 'unticked'} {row['name']}")
    return None


def comment_said(row: dict[str, Any]) -> Said | None:
    return Said(6, f"commented on {after(row, 'ticket')}") if row["action"] == "created" else None


def swap_said(row: dict[str, Any]) -> Said | None:
    if row["action"] != "created":
        return None
    old, new = after(row, "old_serial"), after(row, "new_serial")
    return Said(
        8, f"put {new} into {after(row, 'slot')} for {after(row, 'ticket')}" + (f" in place of {old}" if old else "")
    )


def swaps_retold(pairs: list[tuple[dict[str, Any], dict[str, Any]]]) -> None:
    tickets = {row["id"]: column_in(row, "ticket_id") for row, _ in pairs}
    devices = dict(Ticket.objects.filter(pk__in=set(tickets.values())).values_list("pk", "device_id"))
    slots_retold(pairs, {pk: devices.get(ticket) for pk, ticket in tickets.items()})


works_as(
    "a check of a step", "tickets.tasks.check_step", "tickets.tasks.measure_step", "tickets.tasks.measure_link_ticket"
)
works_as(
    "the repair desk",
    "tickets.tasks.follow_desk",
    "tickets.tasks.settle_clearances",
    "tickets.tasks.run_steps",
    "tickets.tasks.settle_orders",
    "tickets.tasks.sync_indicator_leds",
    "tickets.vendors.tasks.make_bundle",
    "tickets.vendors.tasks.send_message",
    "tickets.vendors.tasks.prune_bundles",
)
works_as("the weekly report", "tickets.insights.tasks.send_report", "tickets.insights.tasks.plan_reports")
audited(
    "tickets.Ticket",
    kind="tickets",
    name=("number", "device"),
    prefix="REP-",
    between=" on ",
    says=ticket_said,
    belongs_to=("device", "cable"),
    noise=(
        "version",
        "updated_at",
        "evidence_count",
        "ranked_at",
        "priority_line",
        "severity",
        "due_at",
        "snoozed_faults",
        "worked_by",
    ),
)
audited("tickets.TicketFault", kind="ticket-faults", name=("ticket", "fault"), noise=("last_evidence_id",))
audited(
    "tickets.Step",
    kind="ticket-steps",
    name=("number", "ticket"),
    prefix="step ",
    between=" of ",
    says=step_said,
    noise=("check_asked_at", "checked_at", "measured", "outcome_text"),
)
audited("tickets.Comment", kind="ticket-comments", name=("ticket", "author"), says=comment_said)
audited(
    "tickets.PartSwap",
    kind="part-swaps",
    name=("ticket", "slot"),
    says=swap_said,
    retold=swaps_retold,
    belongs_to=("ticket", "ticket__device", "old_component", "new_component"),
)
audited("tickets.SubTask", kind="sub-tasks", name=("number", "ticket"), prefix="sub-task ", between=" of ")
audited("tickets.DeskPolicy", kind="desk-policies", name=("site",))
audited(
    "tickets.WorkOrder",
    kind="work-orders",
    name=("ticket",),
    belongs_to=("ticket", "ticket__device"),
    noise=("cabling",),
)
audited("tickets.Clearance", kind="clearances", name=("ticket", "key"), belongs_to=("ticket", "machine"))
audited("tickets.Attachment", kind="ticket-attachments")
audited("tickets.InsightSettings", kind="insight-settings", name=("site",))
audited("tickets.Shift", kind="shifts")
audited("tickets.ReportSubscription", kind="report-subscriptions", name=("user", "site"), between=" for ")

left_out("tickets.Watcher", "who wants to hear of a ticket: their own affair")
audited("tickets.RunbookVersion", kind="runbook-versions", name=("slug", "number"), noise=("digest",))
audited("tickets.RunbookDraft", kind="runbook-drafts", name=("slug",), noise=("version", "saved_at"))
audited("tickets.RunbookChoice", kind="runbook-choices", name=("fault_class", "slug"))
audited("tickets.StepSign", kind="step-signatures", name=("kind", "step"), between=" of ")

left_out("tickets.TicketRunbook", "the ticket's own timeline says which runbook it follows")
left_out("tickets.StepRun", "the ticket's own timeline says what the machine did at a step")
left_out("tickets.StepOutcome", "counted for insight; the steps themselves are audited")
left_out("tickets.ReportMail", "how far a mail of the weekly report has come; who gets it is in the log")
audited("tickets.VendorContact", kind="vendor-contacts", name=("vendor",))
audited(
    "tickets.VendorCase",
    kind="vendor-cases",
    name=("vendor", "ticket"),
    belongs_to=("ticket", "machine", "component", "new_component"),
    noise=("version", "updated_at"),
)

left_out("tickets.CaseChange", "the case's own timeline, in words")
left_out("tickets.CaseBundle", "who had it made and what is in it stand in the bundle; removed when its time is over")
left_out("tickets.BundleFile", "files of a bundle; removed with it")
left_out("tickets.CaseMessage", "what was sent and what came of it stand in the message and the case's timeline")
left_out("tickets.Evidence", "what checks showed; only the first and the latest are kept")
left_out("tickets.TicketChange", "the ticket's own timeline, in words")
left_out("tickets.IndicatorLed", "the last order to the BMC; follows from the tickets")
audited("tickets.ShiftNote", kind="shift-notes", name=("author", "at"), prefix="note of ")
left_out("tickets.Bookmark", "pages that people keep for themselves")
