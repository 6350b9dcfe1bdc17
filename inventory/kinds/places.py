"""Sites, rooms, rows, aisles and racks."""

from __future__ import annotations

from typing import Annotated, Literal
from zoneinfo import available_timezones

from django.db.models import Count, Q
from pydantic import AfterValidator, Field

from core.models import Role, Site
from inventory import models
from inventory.kinds.batch import Line
from inventory.kinds.kind import Computed, Kind
from inventory.kinds.records import (
    JsonObject,
    Millimetres,
    Record,
    Ref,
    SmallCount,
    Text,
    To,
    Watts,
    Where,
    Word,
    Words,
)
from inventory.kinds.writer import Writer


def timezone_name(value: str) -> str:
    if value not in available_timezones():
        raise ValueError("no time zone of that name, such as Europe/Amsterdam")
    return value


class SiteRecord(Record):
    slug: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$", max_length=50, description="Short name, in files and addresses.")
    name: Word = Field(max_length=100)
    timezone: Annotated[str, AfterValidator(timezone_name)] = Field("UTC", max_length=64)


class RoomRecord(Record):
    site: Annotated[Ref, To("sites")]
    name: Word = Field(max_length=50)
    width_mm: Millimetres
    depth_mm: Millimetres
    door: Text = Field("", max_length=50, description="The door a technician comes in by.")
    contact: Annotated[Ref, To("contacts")] | None = None
    custom: JsonObject = Field(default_factory=dict)


class InRoom(Record):
    site: Annotated[Ref, To("sites"), Where("room__site_id")] | None = None
    room: Annotated[Ref, To("rooms")]


class RowRecord(InRoom):
    name: Word = Field(max_length=20)
    position: Annotated[int, Field(ge=0, le=2**31 - 1)] = Field(
        description="Order of the rows across the room, from the top."
    )


class AisleRecord(InRoom):
    name: Word = Field(max_length=30)
    kind: Literal["cold", "hot"]
    x_mm: Millimetres
    y_mm: Millimetres
    width_mm: Millimetres
    depth_mm: Millimetres


class LandmarkRecord(InRoom):
    name: Word = Field(max_length=30, description="As people call it, such as Door 2 or fire panel.")
    kind: Literal["door", "landmark"] = Field(description="door: where one comes in. landmark: what one passes.")
    x_mm: Millimetres
    y_mm: Millimetres


class RackRecord(InRoom):
    row: Annotated[Ref, To("rows")] | None = None
    name: Word = Field(max_length=30)
    role: Literal["compute", "network", "storage"] = "compute"
    x_mm: Millimetres
    y_mm: Millimetres
    width_mm: Millimetres = 600
    depth_mm: Millimetres = 1200
    facing: Literal["up", "down"] = Field("up", description="Where its front faces on the floor plan.")
    height_u: int = Field(48, ge=1, le=60)
    numbering: Literal["up", "down"] = Field("up", description="up: U1 is the lowest unit.")
    outer_height_mm: Millimetres | None = None
    weight_limit_kg: SmallCount | None = Field(None, description="What the rack may carry.")
    power_limit_w: Watts | None = None
    serial: Text = Field("", max_length=64)
    asset_tag: Text = Field("", max_length=64)
    contact: Annotated[Ref, To("contacts")] | None = None
    tags: Words = Field(default_factory=list)
    custom: JsonObject = Field(default_factory=dict)


class RackWriter(Writer):
    """A rack is not made lower than what stands in it, and leaves its row with its room."""

    def merge(self, line: Line) -> None:
        if not line.new and line.given.get("room", line.before["room"]) != line.before["room"]:
            line.given.setdefault("row", None)
        super().merge(line)

    def check(self) -> None:
        super().check()
        lower = [line for line in self.batch.stored if "height_u" in line.changed]
        if not lower:
            return
        placed = models.Placement.objects.filter(rack_id__any=[line.id for line in lower], half_units__isnull=False)
        tops: dict[int, tuple[int, str]] = {}
        for rack, units, name in placed.values_list("rack_id", "half_units", "device__name"):
            top = units.upper - 1 if units else 0
            tops[rack] = max(tops.get(rack, (0, "")), (top, name or "a reservation"))
        for line in lower:
            top, name = tops.get(line.id or 0, (0, ""))
            if top > 2 * line.after["height_u"]:
                line.refuse("height_u", f"{name} reaches U{(top + 1) // 2}", "in_use")


Kind("sites", SiteRecord, Site, key=("slug",), site="id", role=Role.ADMIN, search=("slug", "name"), order=("name",))
Kind("rooms", RoomRecord, models.Room, key=("site", "name"), search=("name",), custom=True)
Kind(
    "rows", RowRecord, models.Row, key=("room", "name"), site="room__site_id", search=("name",),
    order=("room", "position", "id"),
)  # fmt: skip
Kind("aisles", AisleRecord, models.Aisle, key=("room", "name"), site="room__site_id", search=("name",))
Kind("landmarks", LandmarkRecord, models.Landmark, key=("room", "name"), site="room__site_id", search=("name",))
Kind(
    "racks",
    RackRecord,
    models.Rack,
    key=("room", "name"),
    site="room__site_id",
    search=("name", "room__name", "serial", "asset_tag"),
    computed={
        "devices": Computed(Count("placements__device"), help="Devices that stand in it."),
        "machines": Computed(Count("placements__device", filter=Q(placements__device__kind="machine"))),
    },
    writer=RackWriter,
    tags=True,
    custom=True,
)
