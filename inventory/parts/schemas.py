"""What goes in and out of the routes of parts and spares."""

from __future__ import annotations

from rest_framework import serializers

from inventory.models import Component

CONDITIONS = Component.Condition.choices


# ---- in ----


class PartReasonSerializer(serializers.Serializer):
    reason = serializers.CharField(max_length=500, required=False, allow_blank=True, default="")


class PartInstallSerializer(PartReasonSerializer):
    device = serializers.IntegerField(min_value=1, max_value=2**63 - 1)
    slot = serializers.CharField(max_length=40)


class PartRemoveSerializer(PartReasonSerializer):
    storage = serializers.IntegerField(min_value=1, max_value=2**63 - 1, allow_null=True)
    condition = serializers.ChoiceField(CONDITIONS, required=False)


class PartStoreSerializer(PartReasonSerializer):
    storage = serializers.IntegerField(min_value=1, max_value=2**63 - 1, allow_null=True)


class PartConditionSerializer(PartReasonSerializer):
    condition = serializers.ChoiceField(CONDITIONS)


class StockMoveSerializer(PartReasonSerializer):
    quantity = serializers.IntegerField(min_value=1, max_value=1_000_000, default=1)


# ---- out ----


class StaySerializer(serializers.Serializer):
    device = serializers.IntegerField()
    device_name = serializers.CharField()
    slot = serializers.CharField()
    slot_text = serializers.CharField(help_text="As people read it: what is printed on the chassis first.")
    place = serializers.CharField(help_text="Where the device stood then; where it stands now if the part is there.")
    to = serializers.DateTimeField(allow_null=True)
    by = serializers.CharField()
    ticket = serializers.CharField()

    def get_fields(self) -> dict[str, serializers.Field]:
        fields = super().get_fields()
        fields["from"] = serializers.DateTimeField(allow_null=True)  # a word of Python's own
        return fields


class PartStorageSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()
    room = serializers.CharField()


class PartFieldChangeSerializer(serializers.Serializer):
    before = serializers.CharField(allow_null=True)
    after = serializers.CharField(allow_null=True)


class PartFieldsSerializer(serializers.Serializer):
    condition = PartFieldChangeSerializer(required=False)
    storage = PartFieldChangeSerializer(required=False)


class PartChangeSerializer(serializers.Serializer):
    at = serializers.DateTimeField()
    by = serializers.CharField()
    reason = serializers.CharField()
    action = serializers.ChoiceField(["created", "changed", "deleted"])
    fields = PartFieldsSerializer()  # type: ignore[assignment]


class PartTicketSerializer(serializers.Serializer):
    key = serializers.CharField()
    title = serializers.CharField()
    status = serializers.ChoiceField(["open", "in_work", "verifying", "closed"])
    opened_at = serializers.DateTimeField()
    closed_at = serializers.DateTimeField(allow_null=True)


class PartSwapSerializer(serializers.Serializer):
    ticket = serializers.CharField()
    at = serializers.DateTimeField()
    by = serializers.CharField()
    device_name = serializers.CharField()
    slot = serializers.CharField()
    direction = serializers.ChoiceField(["in", "out"])
    other_serial = serializers.CharField()


class PartLifeSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    kind = serializers.CharField()
    vendor = serializers.CharField()
    part_number = serializers.CharField()
    serial = serializers.CharField()
    condition = serializers.ChoiceField(CONDITIONS)
    installed = StaySerializer(allow_null=True)
    storage = PartStorageSerializer(allow_null=True)
    text = serializers.CharField(help_text="Where it is now, in words.")
    stays = StaySerializer(many=True)
    changes = PartChangeSerializer(many=True)
    tickets = PartTicketSerializer(many=True)
    swaps = PartSwapSerializer(many=True)


class SpareSerializer(serializers.Serializer):
    storage = serializers.IntegerField()
    storage_name = serializers.CharField()
    room = serializers.CharField(allow_null=True)
    site = serializers.IntegerField()
    site_name = serializers.CharField()
    kind = serializers.CharField()
    vendor = serializers.CharField()
    part_number = serializers.CharField()
    stock = serializers.IntegerField(allow_null=True, help_text="Row of the counted ones; null where none are.")
    with_serial = serializers.IntegerField(help_text="Good parts with a serial that lie there.")
    counted = serializers.IntegerField(help_text="Parts without a serial.")
    suspect = serializers.IntegerField(help_text="Lie there too, and do not count as spares.")
    have = serializers.IntegerField()
    minimum = serializers.IntegerField()
    short = serializers.IntegerField(help_text="How many are missing to the minimum.")


class StockLeftSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    quantity = serializers.IntegerField()
    minimum = serializers.IntegerField()
