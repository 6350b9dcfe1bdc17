"""What charts mark: a moment or a while at a site or at one device, in the words of whoever saw it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from core.models import Role
from inventory import models
from inventory.kinds.batch import Found, Line
from inventory.kinds.comments import in_utc
from inventory.kinds.kind import Computed, Kind
from inventory.kinds.records import Record, Ref, To, Word
from inventory.kinds.writer import Writer

Time = Annotated[datetime, AfterValidator(in_utc)]


class AnnotationRecord(Record):
    site: Annotated[Ref, To("sites")] | None = Field(None, description="That of the device, where one is named.")
    device: Annotated[Ref, To("devices")] | None = Field(None, description="Empty: it concerns the whole site.")
    at: Time
    until: Time | None = Field(None, description="Empty: a moment.")
    text: Word = Field(max_length=200)


class AnnotationWriter(Writer):
    """Who made it is kept; whoever works at the site may put it right."""

    def find(self, lines: Sequence[Line]) -> dict[int, int]:
        for line in lines:
            device = line.refs.get("device")
            if device is not None and device.site is not None and line.given.get("site") is None:
                line.given["site"] = device.site
                line.refs["site"] = Found(device.site, device.site, "", {})
        return super().find(lines)

    def check(self) -> None:
        super().check()
        for line in self.batch.good:
            device = line.refs.get("device")
            if device is not None and device.site != line.after["site"]:
                line.refuse("device", "it belongs to another site", "other_site")
            elif line.after["site"] is None:
                line.refuse("site", "name a site or a device", "required")
            elif line.after["until"] is not None and line.after["until"] <= line.after["at"]:
                line.refuse("until", "it ends before it begins", "invalid")

    def defaults(self) -> dict[str, Any]:
        return {"author": self.batch.actor}


Kind(
    "annotations",
    AnnotationRecord,
    models.Annotation,
    key=("site", "device", "at", "text"),
    role=Role.TECHNICIAN,
    search=("text", "device__name"),
    order=("id",),
    computed={"author": Computed("author", "text", "The user name of whoever made it.")},
    writer=AnnotationWriter,
)
