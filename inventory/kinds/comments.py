"""What people say about devices and racks. Comments of tickets are the tickets' own."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from django.db.models import F, Value
from django.db.models.functions import Coalesce, Concat, NullIf, Trim
from django.utils import timezone
from pydantic import AfterValidator, Field

from core.models import Role, User
from inventory import models
from inventory.kinds.batch import WHOLE_ROW, Found, Line
from inventory.kinds.kind import Computed, Kind
from inventory.kinds.records import Column, LongText, Record, Ref, Text, To, Where
from inventory.kinds.writer import Writer

ABOUT = ("device", "rack")
LASTING = (*ABOUT, "author", "at")  # what a comment keeps for good
FULL_NAME = Trim(Concat("author__first_name", Value(" "), "author__last_name"))
SHOWN_NAME = Coalesce(NullIf(FULL_NAME, Value("")), F("author__username"))


def in_utc(value: datetime) -> datetime:
    """A time without a zone is one of UTC."""
    return value if value.tzinfo else value.replace(tzinfo=UTC)


class CommentRecord(Record):
    site: Annotated[Ref, To("sites"), Where("site_id")] | None = Field(None, description="That of the device or rack.")
    room: Annotated[Ref, To("rooms"), Where("rack__room_id")] | None = Field(None, description="That of the rack.")
    device: Annotated[Ref, To("devices")] | None = None
    rack: Annotated[Ref, To("racks")] | None = None
    author: Annotated[Text, Column("author__username")] | None = Field(
        None, max_length=150, description="Whose words these are, by user name. Empty in a new one: who writes it."
    )
    at: Annotated[datetime, AfterValidator(in_utc)] | None = Field(
        None, description="When it was said. Empty in a new one: now."
    )
    text: LongText = Field(min_length=1)


class CommentWriter(Writer):
    """One writes and edits one's own comments; an administrator of every site also brings in those of others."""

    def prepare(self) -> None:
        self.now = timezone.now()
        self.users: dict[str, int] = {}

    def known_by(self) -> tuple[str, ...]:
        return ("room", *super().known_by())

    def identity(self, values: Any) -> tuple[Any, ...] | None:
        """None for one that is said now, which cannot be there yet."""
        key = super().identity(values)
        return None if key is None or key[-1] is None else key

    def find(self, lines: Sequence[Line]) -> dict[int, int]:
        for line in lines:
            about = [line.refs[name] for name in ABOUT if name in line.refs]
            if len(about) != 1:
                line.refuse("device", "name one device or one rack", "required")
            elif about[0].site is not None and line.given.get("site") is None:
                line.given["site"] = about[0].site
                line.refs["site"] = Found(about[0].site, about[0].site, "", {})
            if line.given.get("at") is not None and line.given.get("author") is None:
                line.given["author"] = self.batch.actor
        keys = {line.number: key for line in lines if (key := self.identity(line.given)) is not None}
        if not keys:
            return {}
        rows = self.kind.limited(self.batch.scope.visible).filter(at__any=sorted({key[-1] for key in keys.values()}))
        paths = [self.kind.fields[name].path for name in self.kind.key]
        stored = {tuple(values): pk for pk, *values in rows.order_by().values_list("pk", *paths)}
        return {number: stored[key] for number, key in keys.items() if key in stored}

    def merge(self, line: Line) -> None:
        if not line.new:
            for name in ("author", "at"):
                if line.given.get(name) is None:
                    line.given.pop(name, None)
        super().merge(line)
        if line.new:
            line.extra["brought"] = line.after["at"] is not None or line.after["author"] not in (None, self.batch.actor)
            line.after["author"] = line.after["author"] or self.batch.actor
            line.after["at"] = line.after["at"] or self.now + timedelta(microseconds=line.number)

    def check(self) -> None:
        super().check()
        everywhere = self.batch.scope.may(Role.ADMIN, None)
        wanted = {line.after["author"] for line in self.batch.new}
        if wanted:
            self.users = dict(User.objects.filter(username__any=sorted(wanted)).values_list("username", "pk"))
        for line in self.batch.good:
            if line.new:
                self._check_new(line, everywhere)
            elif lasting := [name for name in LASTING if name in line.changed]:
                line.refuse(lasting[0], "a comment stays with whom and what it was about")
            elif line.changed and not everywhere and line.before["author"] != self.batch.actor:
                line.refuse(WHOLE_ROW, "only its author changes a comment", "permission_denied")

    def _check_new(self, line: Line, everywhere: bool) -> None:
        if line.extra["brought"] and not everywhere:
            reason = "only an administrator of every site writes in another name or for another time"
            line.refuse("author", reason, "permission_denied")
        elif line.after["author"] not in self.users:
            line.refuse("author", f"there is no user {line.after['author']!r}", "unknown_reference")

    # ---- the statements ----

    def row(self, line: Line) -> dict[str, Any]:
        if not line.new:
            return super().row(line) | {"edited_at": self.now}
        return super().row(line) | {"site_id": line.site, "author_id": self.users[line.after["author"]]}

    def defaults(self) -> dict[str, Any]:
        return {"edited_at": None}

    def update_columns(self, changed: set[str]) -> list[str]:
        return [*super().update_columns(changed), "edited_at"]

    def delete(self, lines: Sequence[Line]) -> None:
        for line in lines:
            if line.before["author"] != self.batch.actor and not self.batch.scope.may(Role.OPERATOR, line.site):
                line.refuse(WHOLE_ROW, "its author, or an operator, removes a comment", "permission_denied")
        super().delete([line for line in lines if not line.errors])


Kind(
    "comments",
    CommentRecord,
    models.Comment,
    key=("device", "rack", "author", "at"),
    role=Role.TECHNICIAN,
    search=("text", "author__username", "device__name", "rack__name"),
    order=("id",),
    computed={
        "author_name": Computed(SHOWN_NAME, "text", "As people know them."),
        "edited_at": Computed("edited_at", "datetime", "When the text was changed last.", nullable=True),
    },
    writer=CommentWriter,
    personal=True,
)  # fmt: skip
