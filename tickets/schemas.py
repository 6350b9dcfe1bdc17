"""What goes in and out of the ticket routes, for validation and for the OpenAPI schema."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers

from fabric.quality.models.quality import LinkQuality
from fabric.quality.shapes import LinkReadingSerializer
from fabric.shapes import MoveSerializer
from health.machines.models.machines import VERDICTS
from tickets import queries
from tickets.desk.shapes import DESK_ACTIONS, DeskItemSerializer, DeskSerializer
from tickets.models import PRIORITIES, STEP_KINDS, SUBJECTS, Clearance, Ticket, WorkOrder
from tickets.runbooks.schemas import TicketRunbookSerializer, TicketStepRunSerializer, TicketStepSignSerializer
from tickets.workflow import Status

STATUSES = [status.value for status in Status]
ACTIONS = [
    "take", "release", "comment", "step", "swap", "take_part", "recheck", "swap_connector", "verify", "close", "reopen",
    *DESK_ACTIONS,
]  # fmt: skip

REPORTED = ("machine", "switch", "cable")
KEY = OpenApiParameter("key", str, OpenApiParameter.PATH, description="Such as REP-2041.")


def acting(summary: str, body: type[serializers.Serializer]) -> Callable:
    """The schema of an action: it takes `body` and answers with the ticket, or 409 with the fresh one."""
    return extend_schema(summary=summary, parameters=[KEY], request=body, responses={200: TicketSerializer})


# ---- in ----


class TicketActionSerializer(serializers.Serializer):
    version = serializers.IntegerField(
        required=False, min_value=1, max_value=2**31 - 1, help_text="The version the caller saw."
    )


class TicketReasonSerializer(TicketActionSerializer):
    reason = serializers.CharField(max_length=500)


class TicketReportSerializer(serializers.Serializer):
    """What a person saw at a machine, a switch or a cable: exactly one of them."""

    machine = serializers.IntegerField(min_value=1, max_value=2**63 - 1, required=False)
    switch = serializers.IntegerField(min_value=1, max_value=2**63 - 1, required=False)
    cable = serializers.IntegerField(min_value=1, max_value=2**63 - 1, required=False)
    part = serializers.CharField(max_length=60, required=False, allow_blank=True, default="")
    title = serializers.CharField(max_length=200, required=False, allow_blank=True, default="")
    text = serializers.CharField(max_length=10_000)
    source = serializers.CharField(  # type: ignore[assignment]  # a field of that name, as in the answer
        max_length=60, required=False, help_text="Of an outside system: which one it is."
    )
    external_id = serializers.CharField(
        max_length=120, required=False, help_text="Its own id of the ticket: sent again, it finds the same ticket."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("source" in attrs) != ("external_id" in attrs):
            missing = "source" if "external_id" in attrs else "external_id"
            raise serializers.ValidationError({missing: ["Give both, source and external_id."]})
        given = [name for name in REPORTED if name in attrs]
        if len(given) != 1:
            raise serializers.ValidationError({(given or ["machine"])[-1]: ["Name one machine, switch or cable."]})
        return attrs


class TicketCloseSerializer(TicketReasonSerializer):
    ports = serializers.ChoiceField(
        ["enable", "keep"], required=False, help_text="What happens to the links disabled for this ticket."
    )


class TicketCommentSerializer(TicketActionSerializer):
    text = serializers.CharField(max_length=10_000)


class TicketStepSerializer(TicketActionSerializer):
    done = serializers.BooleanField(default=True)
    scanned = serializers.CharField(
        max_length=64, required=False, allow_blank=True, default="", help_text="What was read on the label, for a scan."
    )
    skip = serializers.CharField(
        max_length=500, required=False, allow_blank=True, default="",
        help_text="Why a step that must be proven (scan, swap) is passed over; kept in the history.",
    )  # fmt: skip


class TicketSwapSerializer(TicketActionSerializer):
    new_serial = serializers.CharField(max_length=64)
    part_number = serializers.CharField(max_length=60, required=False, allow_blank=True)
    old_serial = serializers.CharField(max_length=64, required=False, allow_blank=True)
    old_storage = serializers.IntegerField(
        min_value=1, max_value=2**63 - 1, required=False, help_text="Where the old part goes; else as the site has it."
    )


class TicketSwapConnectorSerializer(TicketActionSerializer):
    """A swapped optic at one end of the ticket's link, or its cable with the serials of both connectors."""

    what = serializers.ChoiceField(["optic", "cable"])
    new_serial = serializers.CharField(max_length=64, help_text="Of the optic, or of the cable's connector at side A.")
    end = serializers.ChoiceField(["a", "b"], default="a", help_text="Of the link, for an optic.")
    new_serial_b = serializers.CharField(
        max_length=64, required=False, allow_blank=True, help_text="Of the cable's connector at side B; else the same."
    )
    part_number = serializers.CharField(max_length=60, required=False, allow_blank=True)


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


class TicketItemSerializer(DeskItemSerializer):
    """One row of the list; made by `tickets.queries.item`."""

    id = serializers.IntegerField()
    key = serializers.CharField()
    title = serializers.CharField()
    status = serializers.ChoiceField(STATUSES)
    priority = serializers.ChoiceField(PRIORITIES)
    subject = TicketSubjectSerializer()
    machine = TicketNamedSerializer(allow_null=True, help_text="Of a ticket about a machine.")
    part = serializers.CharField()
    part_text = serializers.CharField(help_text="As people read it: what is printed on the chassis first.")
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
    from_end = serializers.ChoiceField(["low", "high"], help_text="The end of the row that the door is at.")
    passed = serializers.CharField(help_text="The last rack or landmark that one passes by name; empty without one.")
    passed_position = serializers.IntegerField(allow_null=True, help_text="Of a passed rack among them.")
    nth = serializers.IntegerField(help_text="How many racks on from there, or from the end of the row.")
    text = serializers.CharField(help_text="The way in words, from the door.")


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
    column = serializers.ChoiceField(["full", "left", "right", ""], required=False, help_text="Of a device.")
    side = serializers.CharField(required=False, help_text="The side slot of a zero-U device.")
    slot = serializers.CharField()
    slot_label = serializers.CharField()
    slot_text = serializers.CharField(help_text="Both, as people read them.")
    walk = TicketWalkSerializer(allow_null=True)
    unit = TicketUnitSerializer(allow_null=True)
    slots = TicketSlotSerializer(many=True)


class TicketComponentSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    serial = serializers.CharField(allow_null=True)
    part_number = serializers.CharField()
    vendor = serializers.CharField()


class TicketMeasuredSerializer(serializers.Serializer):
    """Rates of a link before and after a step."""

    status = serializers.CharField()
    measurement = serializers.IntegerField(allow_null=True)
    before = LinkReadingSerializer(allow_null=True)
    after = LinkReadingSerializer(allow_null=True)
    state = serializers.ChoiceField(
        [*LinkQuality.State.values, ""], help_text="What the rates after it say; empty: not yet."
    )
    message = serializers.CharField()


class TicketStepOutSerializer(serializers.Serializer):
    number = serializers.IntegerField()
    kind = serializers.ChoiceField(STEP_KINDS)
    title = serializers.CharField()
    detail = serializers.CharField()
    done_at = serializers.DateTimeField(allow_null=True)
    done_by = serializers.CharField()
    state = serializers.ChoiceField(["todo", "done", "confirmed", "failed"])
    waits = serializers.CharField(
        help_text="What must be done, drained or disabled before this step; empty when it may be done."
    )
    checking = serializers.BooleanField(help_text="A check of its ports is in progress.")
    checked_at = serializers.DateTimeField(allow_null=True)
    outcome_text = serializers.CharField(help_text="What the check of its ports showed.")
    swaps = serializers.ChoiceField(["", "optic", "cable"])
    order_version = serializers.IntegerField(allow_null=True, help_text="Of the plan it came with.")
    move = MoveSerializer(allow_null=True)
    measured = TicketMeasuredSerializer(allow_null=True)
    html = serializers.CharField(help_text="`detail` as safe HTML, where it comes from a runbook.")
    verifies = serializers.CharField(help_text="What shows that the step worked.")
    run = TicketStepRunSerializer(allow_null=True, help_text="Of a step that the machine does itself.")
    sign = TicketStepSignSerializer(allow_null=True, help_text="Of a step that is signed.")


class TicketPortSerializer(serializers.Serializer):
    device = serializers.CharField()
    port = serializers.IntegerField()


class TicketLinkEndsSerializer(serializers.Serializer):
    a = TicketPortSerializer()
    b = TicketPortSerializer()


class TicketClearanceSerializer(serializers.Serializer):
    """A machine that must be drained, or a link isolated, before hands touch a cable; and whether it is."""

    key = serializers.CharField()
    state = serializers.ChoiceField(Clearance.State.values)
    clear = serializers.BooleanField()
    text = serializers.CharField()
    machine = TicketNamedSerializer(allow_null=True)
    port_action = serializers.IntegerField(allow_null=True, help_text="As in /api/fabric/port-actions/.")
    ends = TicketLinkEndsSerializer()


class TicketOrderCheckSerializer(serializers.Serializer):
    status = serializers.ChoiceField(["", "waiting", "passed", "failed"])
    requested_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    text = serializers.CharField()


class TicketLinkEndSerializer(serializers.Serializer):
    end = serializers.ChoiceField(["a", "b"])
    text = serializers.CharField(help_text="Device and cage or port.")
    optic = serializers.CharField(allow_null=True, help_text="Serial of the optic that sits there, where it is known.")


class TicketOrderSerializer(serializers.Serializer):
    """The cabling side of a ticket. `version` grows when the steps to be done are planned again."""

    kind = serializers.ChoiceField(WorkOrder.Kind.values)
    version = serializers.IntegerField()
    finding = serializers.IntegerField(allow_null=True)
    link = serializers.CharField(allow_null=True)
    cables = serializers.ListField(child=serializers.CharField())
    ends = TicketLinkEndSerializer(many=True, help_text="Of a link that loses data: where its optics sit.")
    source = TicketNamedSerializer(allow_null=True)  # type: ignore[assignment]
    check = TicketOrderCheckSerializer()
    clearances = TicketClearanceSerializer(many=True)


class TicketResultSerializer(serializers.Serializer):
    check = serializers.CharField()  # type: ignore[assignment]
    part = serializers.CharField()
    part_text = serializers.CharField(help_text="As people read it: what is printed on the chassis first.")
    verdict = serializers.ChoiceField(VERDICTS)
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
    slot_text = serializers.CharField()
    old_serial = serializers.CharField()
    new_serial = serializers.CharField()
    at = serializers.DateTimeField()
    by = serializers.CharField()


class TicketLineSerializer(serializers.Serializer):
    at = serializers.DateTimeField()
    actor = serializers.CharField()
    text = serializers.CharField()
    photo = serializers.IntegerField(allow_null=True, help_text="The photo that was added, as in `photos`.")


class TicketVerificationSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    status = serializers.CharField()
    requested_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    reason = serializers.CharField()
    results = TicketResultSerializer(many=True)


class StoppedRunSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()
    attempt = serializers.IntegerField()


class TicketPhotoSerializer(serializers.Serializer):
    id = serializers.IntegerField(help_text="As in /api/attachments/.")
    step = serializers.IntegerField(allow_null=True, help_text="Number of the step it was taken at.")
    caption = serializers.CharField(allow_blank=True)
    at = serializers.DateTimeField()
    by = serializers.CharField()
    width = serializers.IntegerField(allow_null=True)
    height = serializers.IntegerField(allow_null=True)
    thumbnail = serializers.CharField()
    content = serializers.CharField()


class TicketSerializer(DeskSerializer, TicketItemSerializer):
    """One ticket in full."""

    summary = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]
    place = TicketPlaceSerializer()
    component = TicketComponentSerializer(allow_null=True)
    led = serializers.ChoiceField(["on", "off", "unknown"])
    steps = TicketStepOutSerializer(many=True)
    order = TicketOrderSerializer(allow_null=True, help_text="Of a ticket about cabling.")
    runbook = TicketRunbookSerializer(allow_null=True, help_text="Of a ticket that follows one.")
    evidence = TicketEvidenceSerializer(many=True)
    evidence_count = serializers.IntegerField()
    training_runs = StoppedRunSerializer(many=True, help_text="Whose verdict is one of its faults, the newest first.")
    comments = TicketCommentOutSerializer(many=True)
    swaps = TicketSwapOutSerializer(many=True)
    timeline = TicketLineSerializer(many=True)
    photos = TicketPhotoSerializer(many=True)
    verification = TicketVerificationSerializer(allow_null=True)
    version = serializers.IntegerField()
    may = serializers.ListField(child=serializers.ChoiceField(ACTIONS))
