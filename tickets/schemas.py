"""What goes in and out of the ticket routes, for validation and for the OpenAPI schema."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from tickets import queries
from tickets.models import PRIORITIES, STEP_KINDS, Ticket
from tickets.workflow import Status

STATUSES = [status.value for status in Status]
ACTIONS = ["take", "release", "comment", "step", "swap", "verify", "close", "reopen"]


# ---- in ----


class ActionSerializer(serializers.Serializer):
    version = serializers.IntegerField(required=False, help_text="The version the caller saw.")


class ReasonSerializer(ActionSerializer):
    reason = serializers.CharField(max_length=500)


class CommentSerializer(ActionSerializer):
    text = serializers.CharField(max_length=10_000)


class StepSerializer(ActionSerializer):
    done = serializers.BooleanField(default=True)


class SwapSerializer(ActionSerializer):
    new_serial = serializers.CharField(max_length=64)
    part_number = serializers.CharField(max_length=60, required=False, allow_blank=True)
    old_serial = serializers.CharField(max_length=64, required=False, allow_blank=True)


class VerifySerializer(ActionSerializer):
    note = serializers.CharField(max_length=10_000, required=False, allow_blank=True, default="")


class LedSerializer(ActionSerializer):
    on = serializers.BooleanField()


# ---- out ----


class PersonSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()


class PlaceTextSerializer(serializers.Serializer):
    text = serializers.CharField()


class TicketItemSerializer(serializers.Serializer):
    """One row of the list."""

    id = serializers.IntegerField()
    key = serializers.CharField()
    title = serializers.CharField()
    status = serializers.ChoiceField(STATUSES)
    priority = serializers.ChoiceField(PRIORITIES)
    machine = PersonSerializer()
    part = serializers.CharField()
    place = PlaceTextSerializer()
    assignee = PersonSerializer(allow_null=True)
    opened_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()
    closed_at = serializers.DateTimeField(allow_null=True)
    fault_class = serializers.CharField()

    def to_representation(self, instance: Ticket) -> dict[str, Any]:
        return queries.item(instance)


class RackSerializer(PersonSerializer):
    pass


class WalkSerializer(serializers.Serializer):
    row_racks = RackSerializer(many=True)
    position = serializers.IntegerField()
    side = serializers.CharField()
    aisle = serializers.CharField()
    aisle_kind = serializers.CharField()
    door = serializers.CharField()


class NeighbourSerializer(serializers.Serializer):
    name = serializers.CharField()
    u = serializers.FloatField()
    height_u = serializers.FloatField()


class UnitSerializer(serializers.Serializer):
    height_u = serializers.FloatField()
    u = serializers.FloatField()
    machine_height_u = serializers.FloatField()
    neighbours = NeighbourSerializer(many=True)


class SlotSerializer(serializers.Serializer):
    name = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    kind = serializers.CharField()


class PlaceSerializer(PlaceTextSerializer):
    site = serializers.CharField()
    room = serializers.CharField()
    row = serializers.CharField()
    rack = serializers.CharField()
    rack_id = serializers.IntegerField(allow_null=True)
    u = serializers.FloatField(allow_null=True)
    height_u = serializers.FloatField(allow_null=True)
    face = serializers.CharField()
    slot = serializers.CharField()
    slot_label = serializers.CharField()
    walk = WalkSerializer(allow_null=True)
    unit = UnitSerializer(allow_null=True)
    slots = SlotSerializer(many=True)


class ComponentSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    serial = serializers.CharField(allow_null=True)
    part_number = serializers.CharField()
    vendor = serializers.CharField()


class StepOutSerializer(serializers.Serializer):
    number = serializers.IntegerField()
    kind = serializers.ChoiceField(STEP_KINDS)
    title = serializers.CharField()
    detail = serializers.CharField()
    done_at = serializers.DateTimeField(allow_null=True)
    done_by = serializers.CharField()


class ResultSerializer(serializers.Serializer):
    check = serializers.CharField()  # type: ignore[assignment]
    part = serializers.CharField()
    verdict = serializers.CharField()
    message = serializers.CharField()


class EvidenceSerializer(ResultSerializer):
    id = serializers.IntegerField()
    at = serializers.DateTimeField()
    source = serializers.CharField()  # type: ignore[assignment]
    command = serializers.CharField()
    exit_status = serializers.IntegerField(allow_null=True)
    excerpt = serializers.CharField()


class CommentOutSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    at = serializers.DateTimeField()
    author = serializers.CharField()
    text = serializers.CharField()


class SwapOutSerializer(serializers.Serializer):
    slot = serializers.CharField()
    old_serial = serializers.CharField()
    new_serial = serializers.CharField()
    at = serializers.DateTimeField()
    by = serializers.CharField()


class LineSerializer(serializers.Serializer):
    at = serializers.DateTimeField()
    actor = serializers.CharField()
    text = serializers.CharField()


class VerificationSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    status = serializers.CharField()
    requested_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    reason = serializers.CharField()
    results = ResultSerializer(many=True)


class TicketSerializer(TicketItemSerializer):
    """One ticket in full."""

    summary = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]
    place = PlaceSerializer()
    component = ComponentSerializer(allow_null=True)
    led = serializers.ChoiceField(["on", "off", "unknown"])
    steps = StepOutSerializer(many=True)
    evidence = EvidenceSerializer(many=True)
    evidence_count = serializers.IntegerField()
    comments = CommentOutSerializer(many=True)
    swaps = SwapOutSerializer(many=True)
    timeline = LineSerializer(many=True)
    verification = VerificationSerializer(allow_null=True)
    version = serializers.IntegerField()
    may = serializers.ListField(child=serializers.ChoiceField(ACTIONS))
