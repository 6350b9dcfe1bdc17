"""What people add to records: contacts, tags and custom fields."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from core.models import Role
from inventory import models
from inventory.custom_fields import FieldDefinition, check_definition
from inventory.kinds.kind import KINDS, Kind
from inventory.kinds.records import LongText, Number, Record, Ref, Text, To, Word, Words
from inventory.kinds.writer import Writer


class CustomFieldWriter(Writer):
    """A definition has to make sense: choices for a choice, bounds for a number, a pattern that no text makes slow."""

    def check(self) -> None:
        super().check()
        known = [kind.name for kind in KINDS.values() if kind.custom]
        for line in self.batch.good:
            for name in line.given.get("kinds") or ():
                if name not in known:
                    line.refuse("kinds", f"{name} have no custom fields, only {', '.join(known)}", "unknown_reference")
            after = line.after
            definition = FieldDefinition(
                after["name"], after["type"], after["required"], tuple(after["choices"]), after["pattern"],
                after["minimum"], after["maximum"],
            )  # fmt: skip
            for name, reason in check_definition(definition).items():
                line.refuse(name, reason)


class ContactRecord(Record):
    site: Annotated[Ref, To("sites")] | None = Field(None, description="Empty: for all sites.")
    name: Word = Field(max_length=100)
    role: Text = Field("", max_length=60, description="Such as facility, vendor support, owner.")
    email: str = Field("", max_length=254, pattern=r"^$|^[^@\s\u0000]+@[^@\s\u0000]+\.[^@\s\u0000]+$")
    phone: Text = Field("", max_length=40)
    note: Text = Field("", max_length=200)


class TagRecord(Record):
    name: str = Field(min_length=1, max_length=50, pattern=r"^[^,\u0000-\u001f]+$", description="Without commas.")
    colour: str = Field("", pattern=r"^$|^#[0-9a-fA-F]{6}$", description="Such as #2f81f7.")
    description: Text = Field("", max_length=200)


class CustomFieldRecord(Record):
    name: str = Field(pattern=r"^[a-z][a-z0-9_-]*$", max_length=50, description="As in files: cf_NAME.")
    title: Word = Field(max_length=60)
    help: Text = Field("", max_length=200)
    type: Literal["text", "integer", "number", "boolean", "date", "url", "choice", "choices"]
    kinds: Words = Field(description="Kinds of records that have it, such as racks.")
    required: bool = False
    choices: list[Annotated[Word, Field(max_length=100)]] = Field(default_factory=list, max_length=200)
    pattern: LongText = Field("", max_length=200, description="A regular expression a text must match.")
    minimum: Number | None = None
    maximum: Number | None = None


Kind("contacts", ContactRecord, models.Contact, key=("site", "name"), search=("name", "role", "email"))
Kind("tags", TagRecord, models.Tag, key=("name",), site="", search=("name", "description"))
Kind(
    "custom-fields", CustomFieldRecord, models.CustomField, key=("name",), site="", role=Role.ADMIN,
    search=("name", "title"), writer=CustomFieldWriter,
)  # fmt: skip
