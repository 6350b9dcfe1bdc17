"""What a request about machines brings."""

from __future__ import annotations

from typing import Any

from django.utils import timezone
from rest_framework import serializers

from health.machines.parameters import identity

MOST_AT_ONCE = 100
"""Each machine is a transaction of its own, and all must end before a proxy gives up."""


class ReasonSerializer(serializers.Serializer):
    reason = serializers.CharField(max_length=300)


class ReturnSerializer(ReasonSerializer):
    override = serializers.BooleanField(default=False, help_text="In spite of holds and faults; it is written down.")


class MaintenanceSerializer(ReasonSerializer):
    until = serializers.DateTimeField()

    def validate_until(self, value: Any) -> Any:
        if value <= timezone.now():
            raise serializers.ValidationError("The end must be in the future.")
        return value


class SlotSerializer(serializers.Serializer):
    slot = serializers.CharField(max_length=60)


class MachineBulkSerializer(serializers.Serializer):
    """`reason` is needed by all but check, `until` by maintenance."""

    machines = serializers.ListField(child=identity(), min_length=1, max_length=MOST_AT_ONCE)
    action = serializers.ChoiceField(["check", "hold", "maintenance", "return"])
    reason = serializers.CharField(max_length=300, required=False)
    until = serializers.DateTimeField(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        bodies = {"check": serializers.Serializer, "maintenance": MaintenanceSerializer}
        body = bodies.get(attrs["action"], ReasonSerializer)(data=self.initial_data)
        body.is_valid(raise_exception=True)
        return {"machines": attrs["machines"], "action": attrs["action"], **body.validated_data}


class MachineOutcomeSerializer(serializers.Serializer):
    machine = serializers.IntegerField()
    name = serializers.CharField(allow_blank=True)
    done = serializers.BooleanField()
    reason = serializers.CharField(allow_blank=True, help_text="Why it was not done.")


class MachineOutcomesSerializer(serializers.Serializer):
    """One for each machine, in the order in which they were given."""

    outcomes = MachineOutcomeSerializer(many=True)
