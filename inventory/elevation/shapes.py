"""The shapes of racks: from the front and the rear, small, and where in one there is room."""

from __future__ import annotations

from typing import get_args

from rest_framework import serializers

from inventory.elevation.spans import Column, Face
from inventory.models import Cable, Device, Placement, Port, Rack
from inventory.models.devices import DeviceKind

FACES, COLUMNS = get_args(Face), get_args(Column)
ITEM_KINDS = [*DeviceKind.values, Placement.Kind.RESERVED.value, Placement.Kind.BLANKING.value]


# ---- what a rack is ----


class RackInfoSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()
    row = serializers.CharField(allow_blank=True)
    row_id = serializers.IntegerField(allow_null=True)
    room = serializers.CharField()
    room_id = serializers.IntegerField()
    site = serializers.CharField()
    x_mm = serializers.IntegerField()
    y_mm = serializers.IntegerField()
    facing = serializers.ChoiceField(Rack.Facing.choices)
    role = serializers.ChoiceField(Rack.RackRole.choices)
    height_u = serializers.IntegerField(min_value=1)
    numbering = serializers.ChoiceField(Rack.Numbering.choices)
    outer_height_mm = serializers.IntegerField(allow_null=True)
    weight_limit_kg = serializers.IntegerField(allow_null=True)
    power_limit_w = serializers.IntegerField(allow_null=True)
    serial = serializers.CharField(allow_blank=True)
    asset_tag = serializers.CharField(allow_blank=True)
    planned_w = serializers.IntegerField()


class RackSumsSerializer(RackInfoSerializer):
    """A rack with its sums, as a thumbnail shows them."""

    weight_kg = serializers.FloatField()
    weight_unknown = serializers.IntegerField(min_value=0, help_text="Devices whose weight nobody knows.")
    free_u = serializers.FloatField(help_text="Units that are free on both faces.")
    open_gap_u = serializers.FloatField(help_text="Units hot air returns through.")


class RackWeightSerializer(serializers.Serializer):
    limit_kg = serializers.IntegerField(allow_null=True)
    planned_kg = serializers.FloatField()
    unknown = serializers.ListField(child=serializers.CharField(), help_text="Devices whose weight nobody knows.")
    over = serializers.BooleanField(allow_null=True, help_text="Null without a limit.")


class RackDrawSerializer(serializers.Serializer):
    limit_w = serializers.IntegerField(allow_null=True)
    planned_w = serializers.IntegerField()
    unknown = serializers.ListField(child=serializers.CharField(), help_text="Devices whose draw nobody knows.")
    over = serializers.BooleanField(allow_null=True, help_text="Null without a limit.")


# ---- what is in it ----


class BoxSerializer(serializers.Serializer):
    """Units of one face and column, or of both."""

    face = serializers.ChoiceField(FACES)
    column = serializers.ChoiceField(COLUMNS)
    u = serializers.FloatField()
    height_u = serializers.FloatField()
    from_top_u = serializers.FloatField(help_text="Units between the top of the rack and its upper edge.")


class RackItemSerializer(serializers.Serializer):
    """A device, or units that are reserved or blanked: those have no `id`, and their reason for a name."""

    id = serializers.IntegerField(allow_null=True)
    name = serializers.CharField(allow_blank=True)
    kind = serializers.ChoiceField(ITEM_KINDS)
    machine = serializers.IntegerField(allow_null=True, help_text="The id again, of a machine.")
    model = serializers.CharField(allow_null=True)
    u = serializers.FloatField()
    height_u = serializers.FloatField()
    face = serializers.ChoiceField(FACES)
    column = serializers.ChoiceField(COLUMNS)
    from_top_u = serializers.FloatField()


class BayDeviceSerializer(serializers.Serializer):
    """What stands in a bay of a device."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(DeviceKind.choices)
    bay = serializers.CharField(allow_blank=True)


class PortCableSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    label = serializers.CharField()  # type: ignore[assignment]  # DRF's fields have a label of their own
    status = serializers.ChoiceField(Cable.Status.choices)


class DrawnPortSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(Port.Kind.choices)
    cage = serializers.IntegerField(allow_null=True)
    lane = serializers.IntegerField(allow_null=True)
    face = serializers.CharField(allow_blank=True)
    slot = serializers.CharField(allow_blank=True)
    cable = PortCableSerializer(allow_null=True)


class MountedItemSerializer(RackItemSerializer):
    """An item of one rack, on one of its faces."""

    status = serializers.ChoiceField(Device.Status.choices, allow_null=True)
    reason = serializers.CharField(allow_blank=True)
    owner = serializers.CharField(allow_blank=True, help_text="Who the reserved units are kept for.")
    children = BayDeviceSerializer(many=True)
    ports = DrawnPortSerializer(many=True, required=False, help_text="Those on this face; absent with `ports=false`.")


class SideItemSerializer(serializers.Serializer):
    """A zero-U device."""

    slot = serializers.CharField()
    id = serializers.IntegerField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(DeviceKind.choices)


class SideItemWithPortsSerializer(SideItemSerializer):
    ports = DrawnPortSerializer(many=True, required=False, help_text="Absent with `ports=false`.")


# ---- where there is room ----


class PlacedModelSerializer(serializers.Serializer):
    slug = serializers.CharField()
    name = serializers.CharField()
    height_u = serializers.FloatField()


class SpanSerializer(serializers.Serializer):
    u = serializers.FloatField()
    height_u = serializers.FloatField()
    face = serializers.ChoiceField(FACES)
    column = serializers.ChoiceField(COLUMNS)
    from_top_u = serializers.FloatField()


class SumAfterSerializer(serializers.Serializer):
    """What the rack would carry with one of the model more."""

    limit = serializers.FloatField(allow_null=True)
    planned = serializers.FloatField()
    model = serializers.FloatField(allow_null=True)
    after = serializers.FloatField()
    fits = serializers.BooleanField(allow_null=True, help_text="Null where a figure is not known.")


class RoomInRackSerializer(serializers.Serializer):
    model = PlacedModelSerializer()
    spans = SpanSerializer(many=True)
    suggestions = SpanSerializer(many=True)
    sides = serializers.ListField(child=serializers.CharField(), help_text="Free side slots, for a zero-U model.")
    weight = SumAfterSerializer()
    power = SumAfterSerializer()
