"""The shapes of what tests under load come to."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from health.machines.models.machines import VERDICTS


class OutcomesSerializer(serializers.Serializer):
    """Tests by what came of them."""

    def get_fields(self) -> dict[str, serializers.Field]:
        return {name: serializers.IntegerField(min_value=0) for name in ("pass", "fail", "unknown")}


class StepFindingSerializer(serializers.Serializer):
    """What a check says of the output of a test."""

    check = serializers.CharField()
    part = serializers.CharField(allow_blank=True)
    part_text = serializers.CharField(required=False, help_text="Missing in results of before it was kept.")
    verdict = serializers.ChoiceField(VERDICTS)
    message = serializers.CharField(allow_blank=True)
    action = serializers.CharField(allow_blank=True)
    fault_class = serializers.CharField(allow_blank=True)
    value = serializers.FloatField(allow_null=True)


@extend_schema_field({"oneOf": [{"type": "integer"}, {"type": "boolean"}]})
class NumberOrSwitchField(serializers.JSONField):
    """A whole number, or true or false."""
