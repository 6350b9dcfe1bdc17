"""Files on devices and racks, and on what rooms above registered.

What a file is, how it is cleaned and where it is kept is `core.files`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, BinaryIO, Literal, NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import BigIntegerField, F, Model, Q, QuerySet, Value

from core import files
from core.accounts.scope import allows
from core.counts import counted
from core.files import Examined, FileRefused, StoredFile, Subject
from core.models import Role, User
from inventory.kinds.report import CHANGED, DELETED, REFUSED, UNCHANGED, FieldError, Report, RowOutcome
from inventory.models import Attachment, Device, Rack

LISTED = (
    "id", "filename", "content_type", "size", "sha256", "width", "height", "has_thumbnail", "caption", "created_at",
    "created_by",
)  # fmt: skip

EVERY = Q()
Roles = dict[int | None, Role]
Mode = Literal["update", "delete"]


class Line(NamedTuple):
    """An attachment by number, and the caption it gets."""

    id: int
    caption: str = ""


def register() -> None:
    """Say what of this room takes files; done at start-up."""
    files.register_subject("device", Device, "site_id", Attachment)
    files.register_subject("rack", Rack, "room__site_id", Attachment)


# ---- one or many files ----


class Upload(NamedTuple):
    stream: BinaryIO
    filename: str
    caption: str = ""


class UploadsRefused(ValueError):
    """Some of the files cannot be attached, so none is: number (from 1) to what is wrong with it."""

    def __init__(self, refused: dict[int, FileRefused]) -> None:
        super().__init__(counted(len(refused), "file was refused", "files were refused"))
        self.refused = refused


def attach(subject: Subject, record: Model, uploads: Sequence[Upload], *, by: str) -> list[StoredFile]:
    """Keep files about a record, all or none. Raises UploadsRefused before anything is kept."""
    examined: list[Examined] = []
    refused: dict[int, FileRefused] = {}
    for number, upload in enumerate(uploads, start=1):
        try:
            examined.append(files.examine(upload.stream, max_bytes=settings.ATTACHMENT_MAX_BYTES))
        except FileRefused as reason:
            refused[number] = reason
    if refused:
        raise UploadsRefused(refused)
    with transaction.atomic():
        for each in examined:
            files.keep(each)
        rows = [
            _row(subject, record, *each, by=by)
            for each in zip(files.numbers(len(uploads)), uploads, examined, strict=True)
        ]
        subject.attachments._default_manager.bulk_create(rows)
        fresh = subject.attachments._default_manager.in_bulk([row.pk for row in rows])
    return [fresh[row.pk] for row in rows]


def _row(subject: Subject, record: Model, number: int, upload: Upload, examined: Examined, *, by: str) -> StoredFile:
    row = subject.attachments(
        id=number,
        filename=files.safe_name(upload.filename, examined.mime),
        content_type=examined.mime,
        size=len(examined.content),
        sha256=examined.sha256,
        width=examined.width,
        height=examined.height,
        has_thumbnail=examined.thumbnail is not None,
        caption=upload.caption,
        created_by=by,
        **{subject.field: record},
    )
    if isinstance(row, Attachment):
        row.site_id = site_of(subject, record)
    return row


def site_of(subject: Subject, record: Model) -> int:
    value: Any = record
    for name in subject.site_path.split("__"):
        value = getattr(value, name)
    return int(value)


def attachments(
    visible: list[int] | None, subject: str = "", record: int | None = None, fits: Q = EVERY, site: int | None = None
) -> QuerySet[Any, dict[str, Any]]:
    """Rows of every table of attachments at these sites (None: all), the newest first, as one query.

    `fits` is a condition on what every attachment has, `site` the one site to look at.
    """
    wanted = [files.subjects()[subject].attachments] if subject else files.tables()
    parts = []
    for table in wanted:
        rows = table._default_manager.filter(fits)
        fields = {name for name, one in files.subjects().items() if one.attachments is table}
        columns: dict[str, Any] = {
            f"of_{name}": F(f"{name}_id") if name in fields else Value(None, BigIntegerField())
            for name in files.subjects()
        }
        path = site_path(table)
        if visible is not None:
            rows = rows.filter(**{f"{path}__in": visible})
        if site is not None:
            rows = rows.filter(**{path: site})
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


def find_all(ids: Collection[int], *, lock: bool = False) -> dict[int, tuple[StoredFile, int]]:
    """Number of each attachment that is there to the row and its site; one query a table. `lock` keeps them so."""
    found: dict[int, tuple[StoredFile, int]] = {}
    for table in files.tables():
        rows = table._default_manager.filter(pk__any=sorted(set(ids))).order_by("pk")
        rows = rows.annotate(site_number=F(site_path(table)))
        for row in rows.select_for_update(of=("self",)) if lock else rows:
            found[row.pk] = row, int(vars(row)["site_number"])
    return found


def change(
    lines: Sequence[Line], mode: Mode, *, roles: Roles, person: User, dry_run: bool = False
) -> Report:  # fmt: skip
    """Give attachments other captions (`update`) or remove them (`delete`), all or none.

    Who attached a file and may still do so, or an operator, may do that. Files go a day later, if nothing else has the
    same content.
    """
    with transaction.atomic():
        there = find_all([line.id for line in lines], lock=True)
        first: dict[int, int] = {}
        why_not = _refusals([stored for stored, _ in there.values()], roles, person)
        numbered = enumerate(lines, start=1)
        rows = [_outcome(number, line, mode, there, first, roles, person, why_not) for number, line in numbered]
        report = Report("attachments", dry_run, rows)
        if report.ok and not dry_run:
            _write({line.id: line for line in lines}, mode, [stored for stored, _ in there.values()])
    return report


def _refusals(rows: Sequence[StoredFile], roles: Roles, person: User) -> dict[int, str]:
    """By attachment why the room of its record lets this person change nothing there."""
    found: dict[int, str] = {}
    for subject in files.subjects().values():
        named = {row.pk: getattr(row, f"{subject.field}_id") for row in rows if isinstance(row, subject.attachments)}
        if subject.refuses is None or not named:
            continue
        records = subject.model._default_manager.in_bulk(set(named.values()))
        found |= {pk: why for pk, record in named.items() if (why := subject.refuses(person, records[record], roles))}
    return found


def _outcome(
    number: int, line: Line, mode: Mode, there: dict[int, tuple[StoredFile, int]], first: dict[int, int], roles: Roles,
    person: User, why_not: dict[int, str],
) -> RowOutcome:  # fmt: skip
    stored, site = there.get(line.id, (None, 0))
    if stored is None or not allows(roles, site, Role.VIEWER):
        error = FieldError("id", "there is no such record", "not_found")
    elif first.setdefault(line.id, number) != number:
        error = FieldError("id", f"the same record stands in row {first[line.id]}", "duplicate")
    elif not allows(roles, site, Role.TECHNICIAN if stored.created_by == person.get_username() else Role.OPERATOR):
        error = FieldError("row", "who attached it, or an operator, may do that", "permission_denied")
    elif why := why_not.get(stored.pk):
        error = FieldError("row", why, "permission_denied")
    elif mode == "delete":
        return RowOutcome(number, stored.filename, stored.pk, DELETED)
    elif stored.caption == line.caption:
        return RowOutcome(number, stored.filename, stored.pk, UNCHANGED)
    else:
        changes = {"caption": [stored.caption, line.caption]}
        return RowOutcome(number, stored.filename, stored.pk, CHANGED, changes)
    return RowOutcome(number, "", None, REFUSED, errors=[error])


def _write(lines: dict[int, Line], mode: Mode, stored: list[StoredFile]) -> None:
    for table in files.tables():
        mine = [row for row in stored if isinstance(row, table)]
        if mode == "delete":
            table._default_manager.filter(pk__any=[row.pk for row in mine]).delete()
            continue
        for row in mine:
            row.caption = lines[row.pk].caption
        table._default_manager.bulk_update(mine, ["caption"])


def find(pk: int) -> tuple[StoredFile, int] | None:
    """The attachment of that number in whatever table, with its site."""
    return find_all([pk]).get(pk)
