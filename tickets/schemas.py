"""What goes in and out of the ticket routes, for validation and for the OpenAPI schema."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from tickets import queries
from tickets.models import PRIORITIES, STEP_KINDS, SUBJECTS, Ticket
from tickets.workflow import Status

STATUSES = [status.value for status in Status]
ACTIONS = ["take", "release", "comment", "step", "swap", "take_part", "verify", "close", "reopen"]


# ---- in ----


class TicketActionSerializer(serializers.Serializer):
    version = serializers.IntegerField(required=False, help_text="The version the caller saw.")


class TicketReasonSerializer(TicketActionSerializer):
    reason = serializers.CharField(max_length=500)


class TicketReportSerializer(serializers.Serializer):
    machine = serializers.IntegerField(min_value=1)
    part = serializers.CharField(max_length=60, required=False, allow_blank=True, default="")
    title = serializers.CharField(max_length=200, required=False, allow_blank=True, default="")
    text = serializers.CharField(max_length=10_000)


class TicketCommentSerializer(TicketActionSerializer):
    text = serializers.CharField(max_length=10_000)


class TicketStepSerializer(TicketActionSerializer):
    done = serializers.BooleanField(default=True)


class TicketSwapSerializer(TicketActionSerializer):
    new_serial = serializers.CharField(max_length=64)
    part_number = serializers.CharField(max_length=60, required=False, allow_blank=True)
    old_serial = serializers.CharField(max_length=64, required=False, allow_blank=True)
    old_storage = serializers.IntegerField(
        min_value=1, max_value=2**63 - 1, required=False, help_text="Where the old part goes; else as the site has it."
    )


class TicketTakePartSerializer(TicketActionSerializer):
    stock = serializers.IntegerField(min_value=1, max_value=2**63 - 1, help_text="As in /api/spares/.")
    quantity = serializers.IntegerField(min_value=1, max_value=1000, default=1)


class TicketVerifySerializer(TicketActionSerializer):
    note = serializers.CharField(max_length=10_000, required=False, allow_blank=True, default="")


class TicketLedSerializer(TicketActionSerializer):
    on = serializers.BooleanField()


# ---- out ----


class TicketNamedSerializer(serializers.Serializer):
    """Something else by its id and name."""

    id = serializers.IntegerField()
    name = serializers.CharField()


class TicketSubjectSerializer(serializers.Serializer):
    """What a ticket is about: exactly one thing. A `place` is only in the plan: it has a name and no record."""

    kind = serializers.ChoiceField(SUBJECTS)
    id = serializers.IntegerField(allow_null=True)
    name = serializers.CharField()


class TicketPlaceTextSerializer(serializers.Serializer):
    text = serializers.CharField()


class TicketItemSerializer(serializers.Serializer):
    """One row of the list."""

    id = serializers.IntegerField()
    key = serializers.CharField()
    title = serializers.CharField()
    status = serializers.ChoiceField(STATUSES)
    priority = serializers.ChoiceField(PRIORITIES)
    subject = TicketSubjectSerializer()
    machine = TicketNamedSerializer(allow_null=True, help_text="Of a ticket about a machine.")
    part = serializers.CharField()
    place = TicketPlaceTextSerializer()
    assignee = TicketNamedSerializer(allow_null=True)
    opened_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()
    closed_at = serializers.DateTimeField(allow_null=True)
    fault_class = serializers.CharField()

    def to_representation(self, instance: Ticket) -> dict[str, Any]:
        return queries.item(instance)


class TicketWalkSerializer(serializers.Serializer):
    row_racks = TicketNamedSerializer(many=True)
    position = serializers.IntegerField()
    side = serializers.CharField()
    aisle = serializers.CharField()
    aisle_kind = serializers.CharField()
    door = serializers.CharField()


class TicketNeighbourSerializer(serializers.Serializer):
    name = serializers.CharField()
    u = serializers.FloatField()
    height_u = serializers.FloatField()


class TicketUnitSerializer(serializers.Serializer):
    height_u = serializers.FloatField()
    u = serializers.FloatField()
    machine_height_u = serializers.FloatField()
    neighbours = TicketNeighbourSerializer(many=True)


class TicketSlotSerializer(serializers.Serializer):
    name = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    kind = serializers.CharField()


class TicketPlaceSerializer(TicketPlaceTextSerializer):
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
    walk = TicketWalkSerializer(allow_null=True)
    unit = TicketUnitSerializer(allow_null=True)
    slots = TicketSlotSerializer(many=True)


class TicketComponentSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    serial = serializers.CharField(allow_null=True)
    part_number = serializers.CharField()
    vendor = serializers.CharField()


class TicketStepOutSerializer(serializers.Serializer):
    number = serializers.IntegerField()
    kind = serializers.ChoiceField(STEP_KINDS)
    title = serializers.CharField()
    detail = serializers.CharField()
    done_at = serializers.DateTimeField(allow_null=True)
    done_by = serializers.CharField()


class TicketResultSerializer(serializers.Serializer):
    check = serializers.CharField()  # type: ignore[assignment]
    part = serializers.CharField()
    verdict = serializers.CharField()
    message = serializers.CharField()


class TicketEvidenceSerializer(TicketResultSerializer):
    id = serializers.IntegerField()
    at = serializers.DateTimeField()
    source = serializers.CharField()  # type: ignore[assignment]
    command = serializers.CharField()
    exit_status = serializers.IntegerField(allow_null=True)
    excerpt = serializers.CharField()


class TicketCommentOutSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    at = serializers.DateTimeField()
    author = serializers.CharField()
    text = serializers.CharField()


class TicketSwapOutSerializer(serializers.Serializer):
    slot = serializers.CharField()
    old_serial = serializers.CharField()
    new_serial = serializers.CharField()
    at = serializers.DateTimeField()
    by = serializers.CharField()


class TicketLineSerializer(serializers.Serializer):
    at = serializers.DateTimeField()
    actor = serializers.CharField()
    text = serializers.CharField()


class TicketVerificationSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    status = serializers.CharField()
    requested_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    reason = serializers.CharField()
    results = TicketResultSerializer(many=True)


class TicketSerializer(TicketItemSerializer):
    """One ticket in full."""

    summary = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]
    place = TicketPlaceSerializer()
    component = TicketComponentSerializer(allow_null=True)
    led = serializers.ChoiceField(["on", "off", "unknown"])
    steps = TicketStepOutSerializer(many=True)
    evidence = TicketEvidenceSerializer(many=True)
    evidence_count = serializers.IntegerField()
    comments = TicketCommentOutSerializer(many=True)
    swaps = TicketSwapOutSerializer(many=True)
    timeline = TicketLineSerializer(many=True)
    verification = TicketVerificationSerializer(allow_null=True)
    version = serializers.IntegerField()
    may = serializers.ListField(child=serializers.ChoiceField(ACTIONS))
