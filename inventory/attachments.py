"""Files on devices and racks, and on what rooms above registered; comments on devices and racks.

What a file is, how it is cleaned and where it is kept is `core.files`.
"""

from __future__ import annotations

from typing import Any, BinaryIO

from django.conf import settings
from django.db import transaction
from django.db.models import BigIntegerField, F, Model, QuerySet, Value
from django.utils import timezone

from core import files
from core.files import StoredFile, Subject
from core.models import User
from inventory.models import Attachment, Comment, Device, Rack
from inventory.services.refusals import refusing

LISTED = (
    "id", "filename", "content_type", "size", "sha256", "width", "height", "has_thumbnail", "caption", "created_at",
    "created_by",
)  # fmt: skip


def register() -> None:
    """Say what of this room takes files; done at start-up."""
    files.register_subject("device", Device, "site_id", Attachment)
    files.register_subject("rack", Rack, "room__site_id", Attachment)


# ---- files ----


def attach(
    subject: Subject, record: Model, stream: BinaryIO, *, filename: str, caption: str = "", by: str
) -> StoredFile:
    """Keep a file about a record. Raises core.files.FileRefused with what is wrong with it."""
    examined = files.examine(stream, max_bytes=settings.ATTACHMENT_MAX_BYTES)
    row = subject.attachments(
        filename=files.safe_name(filename, examined.mime),
        content_type=examined.mime,
        size=len(examined.content),
        sha256=examined.sha256,
        width=examined.width,
        height=examined.height,
        has_thumbnail=examined.thumbnail is not None,
        caption=caption,
        created_by=by,
        **{subject.field: record},
    )
    if isinstance(row, Attachment):
        row.site_id = site_of(subject, record)
    with transaction.atomic():
        files.keep(examined)
        row.save(force_insert=True)
    row.refresh_from_db()
    return row


def site_of(subject: Subject, record: Model) -> int:
    value: Any = record
    for name in subject.site_path.split("__"):
        value = getattr(value, name)
    return int(value)


def attachments(
    visible: list[int] | None, subject: str = "", record: int | None = None
) -> QuerySet[Any, dict[str, Any]]:
    """Rows of every table of attachments at these sites (None: all), the newest first, as one query."""
    wanted = [files.subjects()[subject].attachments] if subject else files.tables()
    parts = []
    for table in wanted:
        rows = table._default_manager.all()
        fields = {name for name, one in files.subjects().items() if one.attachments is table}
        columns: dict[str, Any] = {
            f"of_{name}": F(f"{name}_id") if name in fields else Value(None, BigIntegerField())
            for name in files.subjects()
        }
        path = site_path(table)
        if visible is not None:
            rows = rows.filter(**{f"{path}__in": visible})
        if subject:
            rows = rows.filter(**{f"{subject}_id": record})
        parts.append(rows.order_by().annotate(site_number=F(path), **columns).values(*LISTED, "site_number", *columns))
    return parts[0].union(*parts[1:], all=True).order_by("-id") if len(parts) > 1 else parts[0].order_by("-id")


def site_path(table: type[StoredFile]) -> str:
    """From an attachment to its site: its own column, or that of the one thing it can be about."""
    if hasattr(table, "site_id"):
        return "site_id"
    (one,) = [subject for subject in files.subjects().values() if subject.attachments is table]
    return f"{one.field}__{one.site_path}"


def find(pk: int) -> tuple[StoredFile, int] | None:
    """The attachment of that number in whatever table, with its site."""
    for table in files.tables():
        path = site_path(table)
        row = table._default_manager.annotate(site_number=F(path)).filter(pk=pk).first()
        if row is not None:
            return row, int(vars(row)["site_number"])
    return None


# ---- comments ----


def comment(subject: str, record: Device | Rack, *, text: str, by: User) -> Comment:
    site = site_of(files.subjects()[subject], record)
    with refusing():
        return Comment.objects.create(site_id=site, author=by, text=text, at=timezone.now(), **{subject: record})


def edit_comment(row: Comment, text: str) -> Comment:
    row.text, row.edited_at = text, timezone.now()
    with refusing():
        row.save(update_fields=["text", "edited_at"])
    return row
