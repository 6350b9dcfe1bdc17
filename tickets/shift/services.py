"""Keeping pages, and writing and acknowledging notes to the next shift."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from core.models import User
from tickets.shift.models import Bookmark, ShiftNote


def keep_page(owner: User, *, kind: str, name: str, url: str, site: int | None) -> Bookmark:
    """Keep a page; one that is kept already gets the new name and site."""
    changes = {"name": name, "site_id": site}
    return Bookmark.objects.update_or_create(owner=owner, kind=kind, url=url, defaults=changes)[0]


def write_note(site: int, *, text: str, by: User) -> ShiftNote:
    return ShiftNote.objects.create(site_id=site, author=by, text=text)


@transaction.atomic
def acknowledge(note: int, *, by: User) -> ShiftNote:
    """Take a note over; of two who press at once the first stands in it. Raises ShiftNote.DoesNotExist."""
    found = ShiftNote.objects.select_for_update(of=("self",)).select_related("author", "acknowledged_by").get(pk=note)
    if found.acknowledged_at is None:
        found.acknowledged_at, found.acknowledged_by = timezone.now(), by
        found.save(update_fields=["acknowledged_at", "acknowledged_by"])
    return found
