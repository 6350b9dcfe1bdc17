"""The shapes of the floor map and of racks with what is known of their machines."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from health.machines.cells import CELLS
from health.machines.lifecycle import State
from health.machines.models.machines import VERDICTS, MachineHealth
from health.overview.api.answers import SiteOfMachineSerializer
from health.overview.queries import floor as queries
from inventory.elevation.shapes import (
    BoxSerializer,
    MountedItemSerializer,
    RackDrawSerializer,
    RackInfoSerializer,
    RackItemSerializer,
    RackSumsSerializer,
    RackWeightSerializer,
    SideItemSerializer,
    SideItemWithPortsSerializer,
)
from inventory.models import Aisle, Rack
from inventory.shapes import NamedSerializer

# ---- the floor ----

WHOLE: dict[str, Any] = {"type": "integer"}
TEXT: dict[str, Any] = {"type": "string"}
NUMBER: dict[str, Any] = {"type": "number"}


def words(known: Any) -> dict[str, Any]:
    return {"type": "string", "enum": list(known)}


def maybe(kind: str) -> dict[str, Any]:
    return {"type": [kind, "null"]}


RACK_CELLS: dict[str, dict[str, Any]] = {
    "id": WHOLE, "name": TEXT, "row": maybe("integer"), "x_mm": WHOLE, "y_mm": WHOLE, "width_mm": WHOLE,
    "depth_mm": WHOLE, "facing": words(Rack.Facing.values), "height_u": WHOLE, "role": words(Rack.RackRole.values),
}  # fmt: skip
MACHINE_CELLS: dict[str, dict[str, Any]] = {
    "id": WHOLE, "name": TEXT, "rack": WHOLE, "u": NUMBER, "height_u": NUMBER, "cell": words(CELLS),
    "state": words(state.value for state in State), "worst": words(VERDICTS),
    "reachability": words(MachineHealth.Reachability.values), "since": TEXT | {"format": "date-time"},
    "ticket": maybe("string"), "faults": WHOLE,
}  # fmt: skip


def rows_of(columns: tuple[str, ...], cells: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """An OpenAPI schema of rows whose values stand in the order of these columns."""
    row = [cells[name] | {"title": name} for name in columns]
    size = len(row)
    return {"type": "array", "items": {"type": "array", "prefixItems": row, "minItems": size, "maxItems": size}}


def columns_of(columns: tuple[str, ...]) -> dict[str, Any]:
    """An OpenAPI schema of exactly these names in this order."""
    size = len(columns)
    named = [{"const": name} for name in columns]
    return {"type": "array", "prefixItems": named, "minItems": size, "maxItems": size}


@extend_schema_field(columns_of(queries.RACK_COLUMNS))
class RackColumnsField(serializers.ListField):
    """What the values of a row are, in their order."""


@extend_schema_field(columns_of(queries.MACHINE_COLUMNS))
class MachineColumnsField(serializers.ListField):
    """What the values of a row are, in their order."""


@extend_schema_field(rows_of(queries.RACK_COLUMNS, RACK_CELLS))
class RackRowsField(serializers.ListField):
    """One row for each rack."""


@extend_schema_field(rows_of(queries.MACHINE_COLUMNS, MACHINE_CELLS))
class MachineRowsField(serializers.ListField):
    """One row for each machine."""


class RackTableSerializer(serializers.Serializer):
    columns = RackColumnsField()
    rows = RackRowsField()


class MachineTableSerializer(serializers.Serializer):
    columns = MachineColumnsField()
    rows = MachineRowsField()


class FloorRoomSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()
    width_mm = serializers.IntegerField()
    depth_mm = serializers.IntegerField()


class RoomChoiceSerializer(NamedSerializer):
    site = serializers.IntegerField()


class FloorAisleSerializer(serializers.Serializer):
    kind = serializers.ChoiceField(Aisle.Kind.choices)
    name = serializers.CharField(allow_blank=True)
    x_mm = serializers.IntegerField()
    y_mm = serializers.IntegerField()
    width_mm = serializers.IntegerField()
    depth_mm = serializers.IntegerField()


class NoticeSerializer(serializers.Serializer):
    """What a site should know."""

    kind = serializers.CharField()
    level = serializers.ChoiceField(["info", "warn", "error"])
    text = serializers.CharField()
    since = serializers.DateTimeField(required=False, allow_null=True)
    what_to_do = serializers.CharField(required=False, allow_blank=True)
    link = serializers.CharField(required=False, help_text="A page of the dashboard.")


class CellTotalsSerializer(serializers.Serializer):
    """Machines by the word of the floor map."""

    def get_fields(self) -> dict[str, serializers.Field]:
        return {cell: serializers.IntegerField(min_value=0) for cell in CELLS}


class FloorSerializer(serializers.Serializer):
    cursor = serializers.CharField(allow_blank=True, help_text="Where to join the live stream.")
    generated_at = serializers.DateTimeField()
    site = SiteOfMachineSerializer()
    room = FloorRoomSerializer()
    rooms = RoomChoiceSerializer(many=True, help_text="All that you may see.")
    rows = NamedSerializer(many=True)
    aisles = FloorAisleSerializer(many=True)
    racks = RackTableSerializer()
    machines = MachineTableSerializer()
    cells = serializers.ListField(child=serializers.ChoiceField(CELLS), help_text="Every word there is.")
    totals = CellTotalsSerializer()
    notices = NoticeSerializer(many=True)


# ---- racks ----


class PartVerdictSerializer(serializers.Serializer):
    """A GPU at the front, a port at the rear."""

    slot = serializers.CharField()
    label = serializers.CharField(allow_blank=True)  # type: ignore[assignment]  # DRF's fields have a label of their own
    kind = serializers.ChoiceField(["gpu", "port"])
    verdict = serializers.ChoiceField(VERDICTS)


class ElevationItemSerializer(MountedItemSerializer):
    """An item with what its machine is like now; all null for anything else."""

    cell = serializers.ChoiceField(CELLS, allow_null=True)
    worst = serializers.ChoiceField(VERDICTS, allow_null=True)
    ticket = serializers.CharField(allow_null=True)
    parts = PartVerdictSerializer(many=True)


class SmallItemSerializer(RackItemSerializer):
    """An item with what its machine is like now; all null for anything else."""

    cell = serializers.ChoiceField(CELLS, allow_null=True)
    worst = serializers.ChoiceField(VERDICTS, allow_null=True)
    ticket = serializers.CharField(allow_null=True)


class ElevationSerializer(serializers.Serializer):
    rack = RackInfoSerializer()
    front = ElevationItemSerializer(many=True)
    rear = ElevationItemSerializer(many=True)
    sides = SideItemWithPortsSerializer(many=True)
    free = BoxSerializer(many=True)
    open_gaps = BoxSerializer(many=True)
    weight = RackWeightSerializer()
    power = RackDrawSerializer()


class SmallElevationSerializer(serializers.Serializer):
    rack = RackSumsSerializer()
    front = SmallItemSerializer(many=True)
    rear = SmallItemSerializer(many=True)
    sides = SideItemSerializer(many=True)


class ElevationsSerializer(serializers.Serializer):
    racks = SmallElevationSerializer(many=True)
