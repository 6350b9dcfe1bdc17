"""What the desk's actions take."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from tickets.desk.models import MOST_HOURS
from tickets.desk.shapes import QUEUES
from tickets.models import KEY_PREFIX, PRIORITIES
from tickets.queries import number_of
from tickets.schemas import TicketActionSerializer, TicketCloseSerializer, TicketCommentSerializer

ID: dict[str, Any] = {"min_value": 1, "max_value": 2**63 - 1}
MOST_AT_ONCE = 200
MOST_RULES = 100
MOST_LIMITS = 500


class TicketAssignSerializer(TicketActionSerializer):
    to = serializers.IntegerField(**ID, allow_null=True, help_text="As in /api/tickets/people/; null: nobody.")


class TicketPrioritySerializer(TicketActionSerializer):
    priority = serializers.ChoiceField(PRIORITIES, allow_null=True, help_text="Null: by rule again.")
    reason = serializers.CharField(max_length=150, required=False, allow_blank=True, default="")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["priority"] is not None and not attrs["reason"].strip():
            raise serializers.ValidationError({"reason": ["Say why: the rule would have decided otherwise."]})
        return attrs


class TicketQueueSerializer(TicketActionSerializer):
    queue = serializers.ChoiceField(QUEUES)
    reason = serializers.CharField(max_length=500)


class TicketSnoozeSerializer(TicketActionSerializer):
    until = serializers.DateTimeField()
    reason = serializers.CharField(max_length=500)


class TicketWatchSerializer(TicketActionSerializer):
    on = serializers.BooleanField()


class TicketConfirmSerializer(TicketActionSerializer):
    note = serializers.CharField(max_length=500, help_text="What was checked.")


class TicketMergeSerializer(TicketActionSerializer):
    into = serializers.CharField(max_length=20, help_text="Key of the ticket that takes it over.")
    reason = serializers.CharField(max_length=500)

    def validate_into(self, value: str) -> int:
        number = number_of(value)
        if number is None:
            raise serializers.ValidationError(f"A key such as {KEY_PREFIX}2041.")
        return number


class TicketSplitSerializer(TicketActionSerializer):
    """A fault of the ticket, or a machine of its incident: one of them."""

    fault = serializers.IntegerField(**ID, required=False)
    machine = serializers.IntegerField(**ID, required=False)
    reason = serializers.CharField(max_length=500)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("fault" in attrs) == ("machine" in attrs):
            raise serializers.ValidationError({"fault": ["Name one fault or one machine."]})
        return attrs


class TicketSubTaskAddSerializer(TicketActionSerializer):
    text = serializers.CharField(max_length=300)
    assignee = serializers.IntegerField(**ID, required=False, allow_null=True)


class TicketSubTaskChangeSerializer(TicketActionSerializer):
    text = serializers.CharField(max_length=300, required=False)
    assignee = serializers.IntegerField(**ID, required=False, allow_null=True)
    done = serializers.BooleanField(required=False)


ACTIONS: dict[str, type[TicketActionSerializer]] = {
    "acknowledge": TicketActionSerializer,
    "assign": TicketAssignSerializer,
    "close": TicketCloseSerializer,
    "comment": TicketCommentSerializer,
    "priority": TicketPrioritySerializer,
    "queue": TicketQueueSerializer,
    "snooze": TicketSnoozeSerializer,
    "unsnooze": TicketActionSerializer,
    "watch": TicketWatchSerializer,
}
"""What may be done with many at once, and what each takes."""


class TicketBulkSerializer(serializers.Serializer):
    """One action for many tickets; the other fields are those of the action alone."""

    keys = serializers.ListField(child=serializers.CharField(max_length=20), min_length=1, max_length=MOST_AT_ONCE)
    action = serializers.ChoiceField(sorted(ACTIONS))
    to = serializers.IntegerField(**ID, allow_null=True, required=False)
    priority = serializers.ChoiceField(PRIORITIES, allow_null=True, required=False)
    queue = serializers.ChoiceField(QUEUES, required=False)
    until = serializers.DateTimeField(required=False)
    on = serializers.BooleanField(required=False)
    text = serializers.CharField(max_length=10_000, required=False)
    reason = serializers.CharField(max_length=500, required=False)
    ports = serializers.ChoiceField(["enable", "keep"], required=False)

    def of_action(self) -> dict[str, Any]:
        """What the action itself takes, checked as its own route would. Raises ValidationError."""
        # Django takes a box that a form does not have for one that is not ticked.
        told = self.validated_data.keys() & self.initial_data.keys()
        given = {name: self.initial_data[name] for name in told - {"keys", "action"}}
        body = ACTIONS[self.validated_data["action"]](data=given)
        body.is_valid(raise_exception=True)
        return dict(body.validated_data)


class TicketOutcomeSerializer(serializers.Serializer):
    key = serializers.CharField()
    done = serializers.BooleanField()
    reason = serializers.CharField(help_text="Why it was refused; empty when it was done.")


class TicketOutcomesSerializer(serializers.Serializer):
    outcomes = TicketOutcomeSerializer(many=True)


class DeskRuleSerializer(serializers.Serializer):
    classes = serializers.RegexField(
        r"^[a-z0-9_.*]+$", max_length=60, help_text="A class of fault, or a pattern such as gpu.*"
    )
    queue = serializers.ChoiceField(QUEUES)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        missing = [name for name in ("classes", "queue") if name not in attrs]  # of a part of a policy, all of a rule
        if missing:
            raise serializers.ValidationError({missing[0]: ["A rule names classes and a queue."]})
        return attrs


class DeskLimitSerializer(serializers.Serializer):
    person = serializers.IntegerField(min_value=1, max_value=2**63 - 1, help_text="Id of a technician.")
    queues = serializers.ListField(child=serializers.ChoiceField(QUEUES), min_length=1, max_length=len(QUEUES))


class DeskPolicySerializer(serializers.Serializer):
    """In how many hours tickets of a site are due, when people work there, which queue takes what, and who works on
    which."""

    site = serializers.IntegerField(source="pk", read_only=True)
    p1_hours = serializers.IntegerField(min_value=1, max_value=MOST_HOURS)
    p2_hours = serializers.IntegerField(min_value=1, max_value=MOST_HOURS)
    p3_hours = serializers.IntegerField(min_value=1, max_value=MOST_HOURS)
    around_the_clock = serializers.ListField(
        child=serializers.ChoiceField(PRIORITIES), max_length=3, help_text="Priorities whose hours never pause."
    )
    work_from = serializers.TimeField(help_text="In the site's time zone.")
    work_until = serializers.TimeField()
    work_days = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=6), min_length=1, max_length=7, help_text="0 is Monday."
    )
    days_off = serializers.ListField(child=serializers.DateField(), max_length=400)
    queue_rules = DeskRuleSerializer(many=True)
    limits = DeskLimitSerializer(many=True, help_text="Technicians who work on these queues only; all others on all.")

    def validate_queue_rules(self, value: list[Any]) -> list[Any]:
        if len(value) > MOST_RULES:
            raise serializers.ValidationError(f"At most {MOST_RULES} rules.")
        return value

    def validate_limits(self, value: list[Any]) -> list[Any]:
        if len(value) > MOST_LIMITS:
            raise serializers.ValidationError(f"At most {MOST_LIMITS} technicians.")
        return value
