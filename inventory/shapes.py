"""The shapes of what routes of the inventory answer: places, parts, cables, and what kinds there are."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from inventory.kinds.report import CHANGED, CREATED, DELETED, REFUSED, UNCHANGED
from inventory.models import Aisle, Cable, Component, Port
from inventory.models.devices import DeviceKind
from inventory.queries.place import COLUMNS, FACES

FACE_WORDS = list(FACES.values())
COLUMN_WORDS = list(COLUMNS.values())
FIELD_TYPES = [
    "text", "integer", "number", "boolean", "choice", "date", "datetime", "reference", "list", "object",
]  # fmt: skip


class NamedSerializer(serializers.Serializer):
    """Something else by its id and name."""

    id = serializers.IntegerField()
    name = serializers.CharField()


# ---- places ----


class PlaceSerializer(serializers.Serializer):
    """Where a device is mounted; of one in a bay, where its parent is."""

    site = serializers.CharField()
    room = serializers.CharField()
    row = serializers.CharField(allow_blank=True)
    rack = serializers.CharField()
    rack_id = serializers.IntegerField()
    u = serializers.FloatField(allow_null=True, help_text="The lowest unit, 5.5 the upper half of U5; null at a side.")
    height_u = serializers.FloatField(allow_null=True)
    face = serializers.ChoiceField(FACE_WORDS)
    column = serializers.ChoiceField(COLUMN_WORDS)
    side = serializers.CharField(allow_blank=True, help_text="The side slot of a zero-U device, such as rear-left.")
    text = serializers.CharField(help_text="The way there in words.")


class WalkSerializer(serializers.Serializer):
    """The row as one walks along it, and from which of its ends one comes."""

    row_racks = NamedSerializer(many=True)
    position = serializers.IntegerField(min_value=0, help_text="Of the rack among them, from 0.")
    side = serializers.ChoiceField(["left", "right"], help_text="The hand it stands on.")
    aisle = serializers.CharField(allow_blank=True)
    aisle_kind = serializers.ChoiceField(Aisle.Kind.values, allow_blank=True)
    door = serializers.CharField(allow_blank=True)
    from_end = serializers.ChoiceField(["low", "high"], help_text="The end of the row that the door is at.")
    passed = serializers.CharField(allow_blank=True, help_text="The last rack or landmark that one passes by name.")
    passed_position = serializers.IntegerField(allow_null=True, help_text="Of a passed rack among them.")
    nth = serializers.IntegerField(min_value=1, help_text="How many racks on from there, or from the end of the row.")
    text = serializers.CharField(help_text="The way in words, from the door.")


class NeighbourSerializer(serializers.Serializer):
    name = serializers.CharField(allow_blank=True)
    u = serializers.FloatField()
    height_u = serializers.FloatField()


class UnitSerializer(serializers.Serializer):
    """The rack, to draw it."""

    height_u = serializers.IntegerField(min_value=1)
    u = serializers.FloatField(allow_null=True)
    machine_height_u = serializers.FloatField(allow_null=True)
    neighbours = NeighbourSerializer(many=True)


class SlotOfDeviceSerializer(serializers.Serializer):
    name = serializers.CharField()
    label = serializers.CharField(allow_blank=True)  # type: ignore[assignment]  # DRF's fields have a label of their own
    kind = serializers.ChoiceField(Component.Kind.values)


class WayToSerializer(PlaceSerializer):
    """The way to a device or to one of its slots. What is not mounted has its site and the words."""

    room = serializers.CharField(allow_blank=True)
    rack = serializers.CharField(allow_blank=True)
    rack_id = serializers.IntegerField(allow_null=True)
    face = serializers.CharField(  # type: ignore[assignment]  # a slot's may be any that its model tells
        allow_blank=True, help_text="Where one stands to touch it: front, rear or both; empty where it is not mounted."
    )
    column = serializers.ChoiceField(COLUMN_WORDS, allow_blank=True)
    slot = serializers.CharField(allow_blank=True)
    slot_label = serializers.CharField(allow_blank=True, help_text="What is printed on the chassis.")
    slot_text = serializers.CharField(allow_blank=True, help_text="Both, as people read them.")
    walk = WalkSerializer(allow_null=True)
    unit = UnitSerializer(allow_null=True)
    slots = SlotOfDeviceSerializer(many=True, help_text="Those of the same kind; its GPUs, without a slot.")


# ---- parts ----


class InstalledPartSerializer(serializers.Serializer):
    slot = serializers.CharField()
    label = serializers.CharField(allow_blank=True)  # type: ignore[assignment]  # DRF's fields have a label of their own
    text = serializers.CharField(help_text="The slot as people read it.")
    component = serializers.IntegerField()
    kind = serializers.ChoiceField(Component.Kind.choices)
    vendor = serializers.CharField(allow_blank=True)
    part_number = serializers.CharField(allow_blank=True)
    serial = serializers.CharField(allow_blank=True)
    attributes = serializers.DictField(help_text="uuid, guid, firmware and the like, as the tools print them.")
    installed_at = serializers.DateTimeField()
    by = serializers.CharField(allow_blank=True)
    ticket = serializers.CharField(allow_blank=True)


class InstallationSerializer(serializers.Serializer):
    """A place that a part has been in."""

    device = serializers.IntegerField()
    device_name = serializers.CharField()
    slot = serializers.CharField()
    slot_text = serializers.CharField(help_text="As people read it: what is printed on the chassis first.")
    begin = serializers.DateTimeField()
    end = serializers.DateTimeField(allow_null=True)
    by = serializers.CharField(allow_blank=True)
    ticket = serializers.CharField(allow_blank=True)

    def get_fields(self) -> dict[str, serializers.Field]:
        words = {"begin": "from", "end": "to"}  # `from` is a word of Python's own
        return {words.get(name, name): field for name, field in super().get_fields().items()}


# ---- cables ----


class PluggedOpticSerializer(serializers.Serializer):
    component = serializers.IntegerField()
    vendor = serializers.CharField(allow_blank=True)
    part_number = serializers.CharField(allow_blank=True)
    serial = serializers.CharField(allow_blank=True)
    slot = serializers.CharField()


class NearEndSerializer(serializers.Serializer):
    port = serializers.CharField()
    kind = serializers.ChoiceField(Port.Kind.choices)
    speed_gbps = serializers.IntegerField(allow_null=True)
    cage = serializers.IntegerField(allow_null=True)
    lane = serializers.IntegerField(allow_null=True)
    port_id = serializers.IntegerField()
    serial = serializers.CharField(allow_blank=True, help_text="Printed on the connector.")
    optic = PluggedOpticSerializer(allow_null=True)


class FarEndSerializer(serializers.Serializer):
    device = serializers.CharField()
    device_id = serializers.IntegerField()
    kind = serializers.ChoiceField(DeviceKind.choices, help_text="Of the device.")
    port = serializers.CharField()
    cage = serializers.IntegerField(allow_null=True)
    lane = serializers.IntegerField(allow_null=True)
    place = serializers.CharField()
    port_id = serializers.IntegerField()
    serial = serializers.CharField(allow_blank=True, help_text="Printed on the connector.")
    optic = PluggedOpticSerializer(allow_null=True)


class DeviceCableSerializer(serializers.Serializer):
    """A cable in one port of a device."""

    id = serializers.IntegerField()
    label = serializers.CharField()  # type: ignore[assignment]  # DRF's fields have a label of their own
    type = serializers.CharField()
    length_m = serializers.FloatField(allow_null=True)
    colour = serializers.CharField(allow_blank=True)
    status = serializers.ChoiceField(Cable.Status.choices)
    vendor = serializers.CharField(allow_blank=True)
    part_number = serializers.CharField(allow_blank=True)
    bundle = serializers.CharField(allow_blank=True)
    near = NearEndSerializer()
    far = FarEndSerializer(allow_null=True, help_text="The first, where one end meets several.")
    branches = FarEndSerializer(many=True, help_text="All far ends, where there are several.")


class FaceBoxSerializer(serializers.Serializer):
    """In shares of the faceplate, 0 to 1, from its upper left corner."""

    x = serializers.FloatField()
    y = serializers.FloatField()
    w = serializers.FloatField()
    h = serializers.FloatField()


class FaceCageSerializer(FaceBoxSerializer):
    cage = serializers.IntegerField(allow_null=True, help_text="None of a socket that takes one port.")


class FacePortSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(Port.Kind.choices)
    speed_gbps = serializers.IntegerField(allow_null=True)
    cage = serializers.IntegerField(allow_null=True)
    lane = serializers.IntegerField(allow_null=True)
    face = serializers.CharField(allow_blank=True, help_text="Where it is, if that is not the device's own face.")
    box = FaceBoxSerializer(allow_null=True, help_text="Nothing where the model does not tell it.")
    inside = serializers.ListField(
        child=serializers.IntegerField(), help_text="Of a patch panel: the ports it is joined with inside."
    )


class DeviceFaceSerializer(serializers.Serializer):
    """The side of a device with its ports, as one stands before it."""

    kind = serializers.ChoiceField(DeviceKind.choices)
    model = serializers.CharField(help_text="Its vendor and name.")
    place = serializers.CharField(help_text="As one walks there.")
    u_height = serializers.FloatField()
    cages = FaceCageSerializer(many=True)
    ports = FacePortSerializer(many=True)


# ---- what became of rows ----

OUTCOMES = [CREATED, CHANGED, UNCHANGED, DELETED, REFUSED]


class RowFieldErrorSerializer(serializers.Serializer):
    """Why a field of a row is refused."""

    name = serializers.CharField(allow_blank=True)
    reason = serializers.CharField()
    code = serializers.CharField()

    def get_fields(self) -> dict[str, serializers.Field]:
        words = {"name": "field"}
        return {words.get(name, name): field for name, field in super().get_fields().items()}


def changes_field(**said: Any) -> serializers.DictField:
    return serializers.DictField(
        child=serializers.ListField(child=serializers.JSONField()),
        help_text="Field to what it was and what it is.",
        **said,
    )


class RowOutcomeSerializer(serializers.Serializer):
    """A row that was written, or would be."""

    row = serializers.IntegerField(min_value=1)
    key = serializers.CharField(allow_blank=True)
    id = serializers.IntegerField(allow_null=True)
    outcome = serializers.ChoiceField(OUTCOMES)
    changes = changes_field()
    row_errors = RowFieldErrorSerializer(many=True)

    def get_fields(self) -> dict[str, serializers.Field]:
        words = {"row_errors": "errors"}  # a property of every serializer
        return {words.get(name, name): field for name, field in super().get_fields().items()}


@extend_schema_field(RowOutcomeSerializer(many=True))
class StoredOutcomesField(serializers.ListField):
    """Outcomes that were stored, answered as they stand there."""


# ---- what kinds there are ----


class KindFieldSerializer(serializers.Serializer):
    """A field of a kind; one called `cf_...` is a custom one."""

    name = serializers.CharField()
    type = serializers.ChoiceField(FIELD_TYPES)
    title = serializers.CharField()
    help = serializers.CharField(allow_blank=True)
    is_required = serializers.BooleanField()
    is_read_only = serializers.BooleanField()
    nullable = serializers.BooleanField()
    choices = serializers.ListField(child=serializers.CharField(allow_blank=True), required=False)
    references = serializers.CharField(required=False, help_text="The kind whose ids it takes.")
    unit = serializers.CharField(required=False)
    lookups = serializers.ListField(
        child=serializers.CharField(allow_blank=True), help_text="Filters of it: empty for `name=`, else `name__WORD=`."
    )
    ordered = serializers.BooleanField(help_text="Lists can be ordered by it.")

    def get_fields(self) -> dict[str, serializers.Field]:
        words = {"is_required": "required", "is_read_only": "read_only"}  # attributes of every field of DRF
        return {words.get(name, name): field for name, field in super().get_fields().items()}


class KindDescriptionSerializer(serializers.Serializer):
    name = serializers.CharField()
    title = serializers.CharField()
    key = serializers.ListField(child=serializers.CharField(), help_text="The fields that make the natural key.")
    kind_fields = KindFieldSerializer(many=True)
    may_write = serializers.BooleanField(help_text="You may, at one of the sites at least.")

    def get_fields(self) -> dict[str, serializers.Field]:
        words = {"kind_fields": "fields"}  # an attribute of every serializer
        return {words.get(name, name): field for name, field in super().get_fields().items()}
