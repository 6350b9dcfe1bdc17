"""Units of a rack that are taken without a device: reserved for somebody, or closed by a blanking panel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from inventory import models
from inventory.kinds.batch import Line
from inventory.kinds.kind import Kind
from inventory.kinds.placement import COLUMNS, FACES, Spans, column_of, face_of, height_of, range_text, u_of, units_text
from inventory.kinds.racks import occupied, rack_heights, units_at
from inventory.kinds.records import Column, HalfUnits, Record, Ref, Text, To, Where
from inventory.kinds.writer import Writer

HalfHeights = Annotated[float, Field(ge=0.5, le=60, multiple_of=0.5)]


class ReservationRecord(Record):
    site: Annotated[Ref, To("sites"), Where("rack__room__site_id")] | None = None
    room: Annotated[Ref, To("rooms"), Where("rack__room_id")] | None = None
    rack: Annotated[Ref, To("racks")]
    u: Annotated[HalfUnits, Column("half_units", u_of)] = Field(description="The lowest unit.")
    height_u: Annotated[HalfHeights, Column("half_units", height_of)] = 1
    face: Annotated[Literal["front", "rear", "both"], Column("faces", face_of)] = "both"
    column: Annotated[Literal["full", "left", "right"], Column("columns", column_of)] = "full"
    kind: Literal["reserved", "blanking"] = "reserved"
    reason: Text = Field("", max_length=200)
    owner: Text = Field("", max_length=100, description="Who the units are kept for.")


class ReservationWriter(Writer):
    """A placement without a device. Racks are locked; a device in the way is named."""

    def find(self, lines: Sequence[Line]) -> dict[int, int]:
        racks = {line.given["rack"] for line in lines}
        rows = self.kind.limited(self.batch.scope.visible).filter(rack_id__any=sorted(racks)) if racks else ()
        stored = {
            (row.rack_id, u_of(row.half_units), face_of(row.faces), column_of(row.columns)): row.pk for row in rows
        }
        keys = {line.number: self.identity(line.given) for line in lines}
        return {number: stored[key] for number, key in keys.items() if key in stored}

    def check(self) -> None:
        super().check()
        moving = [line for line in self.batch.good if line.new or set(line.changed) - {"kind", "reason", "owner"}]
        heights = rack_heights({line.after["rack"] for line in self.batch.good})
        if not moving:
            return
        occupancy = occupied(heights, without=[line.id for line in moving if line.id])
        for line in moving:
            spans = spans_of(line.after)
            if spans.half_units[1] > 2 * heights[line.after["rack"]] + 1:
                line.refuse("u", f"{units_text(spans.half_units)} is above the rack", "overlap")
            elif there := occupancy.take(line.after["rack"], spans, f"row {line.number}"):
                line.refuse("u", f"{units_text(spans.half_units)} is taken by {there}", "overlap")
            line.extra["height"] = heights[line.after["rack"]]

    def row(self, line: Line) -> dict[str, Any]:
        spans = spans_of(line.after)
        place = {name: range_text(span) for name, span in spans._asdict().items()}
        return super().row(line) | place | {"rack_height_u": line.extra.get("height"), "side_slot": ""}

    def defaults(self) -> dict[str, Any]:
        return {}

    def update_columns(self, changed: set[str]) -> list[str]:
        columns = super().update_columns(changed)
        moved = changed - {"kind", "reason", "owner"}
        return [*columns, "half_units", "faces", "columns", "rack_height_u"] if moved else columns


def spans_of(values: dict[str, Any]) -> Spans:
    low = int(2 * values["u"] - 1)
    units = (low, low + int(2 * values["height_u"]))
    return Spans(units, FACES[values["face"]], COLUMNS[values["column"]])


Kind(
    "reservations",
    ReservationRecord,
    models.Placement,
    key=("rack", "u", "face", "column"),
    site="rack__room__site_id",
    label="u",
    search=("reason", "owner", "rack__name"),
    order=("rack__name", "half_units", "id"),
    narrow=lambda rows: rows.filter(device=None),
    filters=units_at("half_units"),
    writer=ReservationWriter,
)
