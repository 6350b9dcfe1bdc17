"""What is to be sent to a vendor is written down, whole, before anything is sent. Sending it: `dispatch`."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from core.work.queue import after_commit
from tickets.vendors import queries
from tickets.vendors.models import CaseMessage, VendorCase, VendorContact

TASK = "tickets.vendors.tasks.send_message"


def order(case: VendorCase, kind: str, *, by: str) -> CaseMessage | None:
    """A message over the channel of the case's vendor; None where a person sends it by hand."""
    contact = queries.contact_of(case)
    if contact is None or not contact.enabled or contact.channel == VendorContact.Channel.HAND:
        return None
    row = CaseMessage.objects.create(
        case=case, kind=kind, channel=contact.channel, content=content_of(case, contact), created_by=by[:150],
        created_at=timezone.now(),
    )  # fmt: skip
    after_commit(TASK, row.pk, robust=True)
    return row


def watch(case: VendorCase) -> None:
    """Ask how far a dispatch is, from now until the case is over."""
    CaseMessage.objects.get_or_create(
        case=case, kind=CaseMessage.Kind.STATUS, status=CaseMessage.Status.WAITING,
        defaults={"channel": VendorContact.Channel.TECHDIRECT, "created_by": "vendor cases"},
    )  # fmt: skip


def content_of(case: VendorCase, contact: VendorContact) -> dict[str, Any]:
    """What the vendor is told, as it is now. No secrets: those are read when it is sent."""
    bundle = case.bundles.filter(status="done").order_by("-pk").first()
    return {
        "reference": case.ticket.key, "case": case.pk, "number": case.number, "dispatch": case.dispatch,
        "title": case.title, "text": case.text, "service_tag": case.service_tag, "part": case.part,
        "part_number": case.old_part_number, "serial": case.old_serial, "bundle": bundle.pk if bundle else None,
        "contact": {"name": contact.person, "phone": contact.phone, "mail": contact.mail},
    }  # fmt: skip


def withdraw(case: VendorCase) -> None:
    """What waits is not sent any more. One that a worker has just now is its own to end."""
    case.messages.filter(status=CaseMessage.Status.WAITING, lease_until=None).update(
        status=CaseMessage.Status.FAILED, error="the case was closed"
    )
