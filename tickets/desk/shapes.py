"""What goes in and out of the desk's routes, for validation and for the OpenAPI schema."""

from __future__ import annotations

from rest_framework import serializers

from tickets.desk.rules.queues import Queue

DESK_ACTIONS = [
    "acknowledge", "snooze", "unsnooze", "queue", "watch", "sub_tasks", "assign", "priority", "merge", "split",
    "confirm",
]  # fmt: skip
QUEUES = [queue.value for queue in Queue]


# ---- out ----


class TicketPersonSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()


class DeskItemSerializer(serializers.Serializer):
    """Of a card; made by `tickets.desk.queries.desk_item`."""

    queue = serializers.ChoiceField(QUEUES)
    priority_line = serializers.CharField(help_text="Why it has its priority: what it costs now.")
    due_at = serializers.DateTimeField(allow_null=True)
    overdue = serializers.BooleanField()
    acknowledged_at = serializers.DateTimeField(allow_null=True)
    acknowledged_by = TicketPersonSerializer(allow_null=True)
    snoozed_until = serializers.DateTimeField(allow_null=True)
    reopened = serializers.IntegerField(help_text="How often it came back: failed verifications, reopenings.")


class TicketSubTaskSerializer(serializers.Serializer):
    number = serializers.IntegerField()
    text = serializers.CharField()
    assignee = TicketPersonSerializer(allow_null=True)
    done_at = serializers.DateTimeField(allow_null=True)
    done_by = TicketPersonSerializer(allow_null=True)


class TicketFaultSerializer(serializers.Serializer):
    """An open fault that leads others or stands alone; it can be split off."""

    id = serializers.IntegerField()
    machine = serializers.CharField()
    part_text = serializers.CharField()
    fault_class = serializers.CharField()
    message = serializers.CharField()


class TicketAffectedSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()
    recovered_at = serializers.DateTimeField(allow_null=True)


class TicketSecondEyesSerializer(serializers.Serializer):
    needed = serializers.BooleanField(help_text="Another technician or an operator has to take it or confirm it.")
    by = TicketPersonSerializer(allow_null=True)


class DeskSerializer(serializers.Serializer):
    """Of one ticket in full; made by `tickets.desk.queries.desk_detail`."""

    priority_by_hand = serializers.BooleanField()
    snooze_reason = serializers.CharField()
    watchers = TicketPersonSerializer(many=True)
    watching = serializers.BooleanField(help_text="Whether you watch it.")
    sub_tasks = TicketSubTaskSerializer(many=True)
    faults = TicketFaultSerializer(many=True)
    affected = TicketAffectedSerializer(many=True, help_text="The machines of an incident; at most 500.")
    merged_into = serializers.CharField(allow_null=True, help_text="Key of the ticket that took it over.")
    merged = serializers.ListField(child=serializers.CharField(), help_text="Keys of tickets it took over.")
    split_from = serializers.CharField(allow_null=True)
    splits = serializers.ListField(child=serializers.CharField())
    second_eyes = TicketSecondEyesSerializer()
