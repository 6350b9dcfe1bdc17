"""Photos of a repair, each at the step that it shows."""

from __future__ import annotations

from typing import Any

from django.db.models import BigIntegerField
from django.db.models.fields.json import KT
from django.db.models.functions import Cast

from core.files import subjects
from core.models import User
from inventory.attachments import Upload, attach
from tickets.models import Attachment, Step, Ticket
from tickets.services.changes import changing

PHOTO = Cast(KT("data__photo"), BigIntegerField())
"""Of a line of the timeline: the photo that it is about."""


def add_photo(number: int, *, by: User, upload: Upload, step: int | None) -> Ticket:
    """Keep a photo, without where and with what it was taken. Whoever may work at the site may add one.

    The ticket is not locked while the picture is read, which takes seconds. Raises inventory.attachments.UploadsRefused
    and Step.DoesNotExist.
    """
    ticket = Ticket.objects.get(number=number)
    if step is not None:
        Step.objects.get(ticket=ticket, number=step)
    (photo,) = attach(subjects()["ticket"], ticket, [upload], by=by.get_username())
    Attachment.objects.filter(pk=photo.pk).update(step=step)
    with changing(number, by=by) as change:
        what = "Photo" if step is None else f"Photo at step {step}"
        change.note(f"{what}: {upload.caption}" if upload.caption else what, photo=photo.pk, step=step)
        return change.ticket


def photos(ticket: Ticket) -> list[dict[str, Any]]:
    """Pictures of a repair, the oldest first. One query."""
    rows = Attachment.objects.filter(ticket=ticket, has_thumbnail=True).order_by("id")
    return [
        {
            "id": row.pk,
            "step": row.step,
            "caption": row.caption,
            "at": row.created_at,
            "by": row.created_by,
            "width": row.width,
            "height": row.height,
            "thumbnail": f"/api/attachments/{row.pk}/thumbnail",
            "content": f"/api/attachments/{row.pk}/content",
        }
        for row in rows
    ]
