"""The shapes of where ports lead."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema_field
from rest_framework import serializers

from inventory.cabling.trace import WHY
from inventory.models import Cable, Port
from inventory.models.devices import DeviceKind


class TraceDeviceSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(DeviceKind.choices)


class TracePlaceSerializer(serializers.Serializer):
    """Where one stands to touch a port; a device that is not mounted has its site only."""

    site = serializers.CharField()
    room = serializers.CharField(allow_blank=True)
    row = serializers.CharField(allow_blank=True)
    rack = serializers.CharField(allow_blank=True)
    rack_id = serializers.IntegerField(allow_null=True)
    u = serializers.FloatField(allow_null=True)
    height_u = serializers.FloatField(allow_null=True)
    face = serializers.CharField(allow_blank=True, help_text="front or rear.")
    text = serializers.CharField()


class TracedPortSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(Port.Kind.choices)
    speed_gbps = serializers.IntegerField(allow_null=True)
    cage = serializers.IntegerField(allow_null=True)
    lane = serializers.IntegerField(allow_null=True)
    face = serializers.CharField(allow_blank=True, help_text="As the device model says; empty where it does not.")


class TracePortSerializer(serializers.Serializer):
    """A port, the device it is on, and where that stands."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    port = TracedPortSerializer()
    device = TraceDeviceSerializer()
    place = TracePlaceSerializer()


class TraceCableSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    label = serializers.CharField()  # type: ignore[assignment]  # DRF's fields have a label of their own
    type = serializers.CharField()
    status = serializers.ChoiceField(Cable.Status.choices)
    length_m = serializers.FloatField(allow_null=True)
    colour = serializers.CharField(allow_blank=True)
    strand = serializers.IntegerField(help_text="The lane of it one is on.")


class PortHopSerializer(TracePortSerializer):
    kind = serializers.ChoiceField(["port"])

    def get_fields(self) -> dict[str, serializers.Field]:
        fields = super().get_fields()
        return {"kind": fields.pop("kind"), **fields}


class CableHopSerializer(serializers.Serializer):
    kind = serializers.ChoiceField(["cable"])
    id = serializers.IntegerField()
    name = serializers.CharField()
    cable = TraceCableSerializer()


class PanelHopSerializer(serializers.Serializer):
    """Through a patch panel, from one of its ports to another."""

    kind = serializers.ChoiceField(["panel"])
    id = serializers.IntegerField()
    name = serializers.CharField()
    position = serializers.IntegerField()
    device = TraceDeviceSerializer()
    place = TracePlaceSerializer()


@extend_schema_field(
    PolymorphicProxySerializer(
        component_name="TraceHop",
        serializers={"port": PortHopSerializer, "cable": CableHopSerializer, "panel": PanelHopSerializer},
        resource_type_field_name="kind",
        many=True,
    )
)
class HopsField(serializers.ListField):
    """Ports, cables and panels in the order of the way."""


class TraceWhySerializer(serializers.Serializer):
    """Where a way is lost."""

    code = serializers.ChoiceField(list(WHY))
    text = serializers.CharField()
    port = serializers.IntegerField()


class TracePathSerializer(serializers.Serializer):
    """One way; where it forks `hops` stops, and `branches` go on."""

    complete = serializers.BooleanField()
    why = TraceWhySerializer(allow_null=True)
    planned = serializers.BooleanField(help_text="A cable on the way is not laid yet.")
    length_m = serializers.FloatField(allow_null=True, help_text="Null where a length is not known, or the way forks.")
    ends = TracePortSerializer(many=True)
    hops = HopsField()

    def get_fields(self) -> dict[str, Any]:
        return {**super().get_fields(), "branches": TracePathSerializer(many=True)}


class TraceSerializer(TracePathSerializer):
    """Where a port leads; `back` is the way through the panel whose port it is."""

    port = TracePortSerializer()

    def get_fields(self) -> dict[str, Any]:
        fields = super().get_fields()
        return {"port": fields.pop("port"), **fields, "back": TracePathSerializer(allow_null=True)}
