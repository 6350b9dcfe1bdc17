"""The shapes of what the routes of power answer. Watts are whole numbers, null where nobody knows."""

from __future__ import annotations

from typing import get_args

from rest_framework import serializers

from inventory.models.devices import DeviceKind
from inventory.power.failures import RackState, Redundancy
from inventory.power.graph import Together
from inventory.power.workstation import Connector, Severity
from inventory.shapes import NamedSerializer

# ---- a rack ----


class FeedLoadSerializer(serializers.Serializer):
    """What a feed carries of what it may."""

    capacity_w = serializers.IntegerField(allow_null=True, help_text="What its breaker is made for.")
    derated_w = serializers.IntegerField(allow_null=True, help_text="What it may carry for long.")
    planned_w = serializers.IntegerField(allow_null=True)
    measured_w = serializers.IntegerField(allow_null=True, help_text="Null where nothing is measured.")
    share = serializers.FloatField(allow_null=True, help_text="Of the derated size.")


class RackPduSerializer(NamedSerializer):
    limit_w = serializers.IntegerField(allow_null=True)
    planned_w = serializers.IntegerField()


class RackFeedSerializer(FeedLoadSerializer):
    """A PDU with its feed; all of a feed is null where nobody has written down what the PDU hangs on."""

    feed = NamedSerializer(allow_null=True)
    side = serializers.CharField(allow_blank=True)
    pdu = RackPduSerializer()
    rack_w = serializers.IntegerField(help_text="What this rack takes from the PDU.")


class RackFailureSerializer(serializers.Serializer):
    """What one feed carries when others die."""

    fails = NamedSerializer(many=True)
    feed = NamedSerializer()
    side = serializers.CharField(allow_blank=True)
    carries_w = serializers.IntegerField()
    derated_w = serializers.IntegerField(allow_null=True)
    trips = serializers.BooleanField(allow_null=True)


class DeviceInputSerializer(serializers.Serializer):
    port = serializers.CharField()
    pdu = NamedSerializer(allow_null=True)
    outlet = serializers.CharField(allow_null=True)
    feed = NamedSerializer(allow_null=True)


class RackDeviceSerializer(NamedSerializer):
    kind = serializers.ChoiceField(DeviceKind.choices)
    planned_w = serializers.IntegerField(allow_null=True)
    measured_w = serializers.IntegerField(allow_null=True)
    inputs = DeviceInputSerializer(many=True)
    redundancy = serializers.ChoiceField(get_args(Redundancy))
    loses_power_if = NamedSerializer(many=True, help_text="Feeds whose death alone takes it down.")


class RackPowerSerializer(serializers.Serializer):
    rack = NamedSerializer()
    limit_w = serializers.IntegerField(allow_null=True)
    planned_w = serializers.IntegerField()
    measured_w = serializers.IntegerField(allow_null=True, help_text="With the planned draw of what is not measured.")
    measured_devices = serializers.IntegerField(min_value=0)
    over_limit = serializers.BooleanField()
    feeds = RackFeedSerializer(many=True)
    failure = RackFailureSerializer(many=True)
    devices = RackDeviceSerializer(many=True)


# ---- a floor when a feed dies ----


class UnpoweredDeviceSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(DeviceKind.choices)
    rack = serializers.IntegerField(allow_null=True, help_text="Null for what is mounted nowhere.")
    rack_name = serializers.CharField(allow_null=True)


class TripSerializer(serializers.Serializer):
    """A feed, or a PDU on it, that would carry more than it may."""

    rack = serializers.IntegerField()
    rack_name = serializers.CharField()
    feed = NamedSerializer(allow_null=True)
    pdu = NamedSerializer(allow_null=True)
    carries_w = serializers.IntegerField()
    derated_w = serializers.IntegerField(help_text="Its derated size, or the limit of the PDU that is named.")


class RackStateSerializer(NamedSerializer):
    state = serializers.ChoiceField(get_args(RackState))


class FeedFailureSerializer(serializers.Serializer):
    feed = NamedSerializer()
    together = serializers.ChoiceField(get_args(Together))
    dead = NamedSerializer(many=True, help_text="Feeds.")
    lost = UnpoweredDeviceSerializer(many=True)
    degraded = UnpoweredDeviceSerializer(many=True)
    unknown = UnpoweredDeviceSerializer(many=True)
    trips = TripSerializer(many=True)
    racks = RackStateSerializer(many=True)


# ---- a site ----


class FeedDeathSerializer(serializers.Serializer):
    """What happens to the devices on a feed and the feeds beside it when it dies."""

    lost = serializers.IntegerField(min_value=0)
    degraded = serializers.IntegerField(min_value=0)
    unknown = serializers.IntegerField(min_value=0)
    trips = serializers.IntegerField(min_value=0)


class SiteFeedSerializer(FeedLoadSerializer):
    id = serializers.IntegerField()
    name = serializers.CharField()
    side = serializers.CharField(allow_blank=True)
    panel = NamedSerializer(allow_null=True)
    planned_w = serializers.IntegerField()
    overloaded = serializers.BooleanField(allow_null=True)
    devices = serializers.IntegerField(min_value=0)
    fails = FeedDeathSerializer()


class SideLoadSerializer(serializers.Serializer):
    side = serializers.CharField(allow_blank=True)
    planned_w = serializers.IntegerField()


class OverLimitSerializer(NamedSerializer):
    planned_w = serializers.IntegerField()
    limit_w = serializers.IntegerField()


class RedundancyCountsSerializer(serializers.Serializer):
    """Devices by how safe their power is."""

    def get_fields(self) -> dict[str, serializers.Field]:
        return {word: serializers.IntegerField(min_value=0) for word in get_args(Redundancy)}


class PowerUnknownSerializer(serializers.Serializer):
    devices_without_cords = serializers.IntegerField(min_value=0)
    devices_without_draw = serializers.IntegerField(min_value=0)
    feeds_without_size = serializers.IntegerField(min_value=0)
    pdus_without_feed = serializers.IntegerField(min_value=0)
    adrift_w = serializers.IntegerField(help_text="Drawn from an unknown feed.")


class PowerSummarySerializer(serializers.Serializer):
    together = serializers.ChoiceField(get_args(Together))
    feeds = SiteFeedSerializer(many=True)
    sides = SideLoadSerializer(many=True)
    pdus_over_limit = OverLimitSerializer(many=True)
    racks_over_limit = OverLimitSerializer(many=True)
    redundancy = RedundancyCountsSerializer()
    unknown = PowerUnknownSerializer()


# ---- inside a machine ----


class SupplySerializer(serializers.Serializer):
    """What the supplies must give at most, and may."""

    draw_w = serializers.FloatField(allow_null=True)
    rated_w = serializers.IntegerField(allow_null=True)
    usable_w = serializers.FloatField(allow_null=True, help_text="Keeps the head-room.")
    headroom_percent = serializers.IntegerField()


class SlotConnectorSerializer(serializers.Serializer):
    number = serializers.IntegerField(min_value=1)
    connector = serializers.ChoiceField(get_args(Connector))
    max_w = serializers.IntegerField()
    sockets = serializers.ListField(child=serializers.CharField(), help_text="Of the supply, whose leads end here.")


class PoweredSlotSerializer(serializers.Serializer):
    slot = serializers.CharField()
    label = serializers.CharField(allow_blank=True)  # type: ignore[assignment]  # DRF's fields have a label of their own
    max_w = serializers.FloatField(allow_null=True, help_text="What the part in it draws at most.")
    slot_w = serializers.IntegerField(help_text="What the slot itself gives.")
    connectors = SlotConnectorSerializer(many=True)


class PowerFindingSerializer(serializers.Serializer):
    severity = serializers.ChoiceField(get_args(Severity))
    code = serializers.CharField()
    slot = serializers.CharField(
        allow_blank=True, help_text="A slot or a socket of the supply; empty for the machine as a whole."
    )
    reason = serializers.CharField()


class ModelPowerSerializer(serializers.Serializer):
    model = serializers.CharField()
    planned = serializers.BooleanField(help_text="The model tells of power inside it.")
    supply = SupplySerializer()
    slots = PoweredSlotSerializer(many=True)
    findings = PowerFindingSerializer(many=True, help_text="The worst first.")


class DevicePowerSerializer(ModelPowerSerializer):
    device = NamedSerializer()
