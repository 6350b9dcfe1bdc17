"""The shapes of what links counted: rates, single measures, and charts over time."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from fabric.quality.judge import MEASURES
from fabric.quality.models.quality import LinkQuality
from fabric.quality.queries.links import CHARTS
from fabric.quality.thresholds import WINDOWS

# ---- now ----


class RateSerializer(serializers.Serializer):
    """What one port counted in one window; what is 0 is left out."""

    seconds = serializers.FloatField(help_text="That its readings really cover.")
    counts = serializers.DictField(child=serializers.IntegerField(), help_text="By the name of the counter.")
    saturated = serializers.ListField(child=serializers.CharField(), help_text="Counters that stood at their top.")
    reset = serializers.BooleanField(help_text="Counters were set back in it.")


class EndRatesSerializer(serializers.Serializer):
    a = RateSerializer(required=False)
    b = RateSerializer(required=False)


class RatesSerializer(serializers.Serializer):
    """Counts by window and end; windows and ends of which nothing is known are left out."""

    def get_fields(self) -> dict[str, serializers.Field]:
        return {window: EndRatesSerializer(required=False) for window in WINDOWS}


class MeasuredValueSerializer(serializers.Serializer):
    """One thing that was measured at one end."""

    name = serializers.ChoiceField(MEASURES)
    end = serializers.CharField(allow_blank=True)
    state = serializers.ChoiceField(LinkQuality.State.values)
    value = serializers.FloatField(allow_null=True, help_text="Null where nothing can be said.")
    limit = serializers.FloatField(allow_null=True)
    window = serializers.CharField(allow_blank=True, help_text="Empty for what is read at once.")
    text = serializers.CharField(allow_blank=True)


class LinkReadingSerializer(serializers.Serializer):
    """A link as it was evaluated at one time."""

    state = serializers.ChoiceField(LinkQuality.State.values)
    reason = serializers.CharField(allow_blank=True)
    at = serializers.DateTimeField(allow_null=True)
    rates = RatesSerializer()
    ber = serializers.FloatField(allow_null=True)
    ber_below = serializers.BooleanField()
    max_c = serializers.FloatField(allow_null=True)


@extend_schema_field(LinkReadingSerializer)
class LinkReadingField(serializers.DictField):
    """One that was stored, answered as it stands there."""


# ---- over time ----


@extend_schema_field(
    {
        "type": "array",
        "prefixItems": [
            {"type": "string", "format": "date-time", "title": "at"},
            {"type": ["number", "null"], "title": "value"},
        ],
        "minItems": 2,
        "maxItems": 2,
    }
)
class PointField(serializers.ListField):
    """A time and what it was then; null where nothing can be said."""


class LineSerializer(serializers.Serializer):
    name = serializers.CharField(help_text="The end it is of.")
    points = serializers.ListField(child=PointField(), help_text="The largest of each stretch, at most 1,000.")


class ChartSerializer(serializers.Serializer):
    name = serializers.ChoiceField([chart.name for chart in CHARTS])
    title = serializers.CharField()
    unit = serializers.CharField(allow_blank=True)
    limit = serializers.FloatField(allow_null=True, help_text="What it is evaluated by.")
    series = LineSerializer(many=True)


class LinkEventSerializer(serializers.Serializer):
    at = serializers.DateTimeField()
    text = serializers.CharField()


class LinkHistorySerializer(serializers.Serializer):
    begin = serializers.DateTimeField()
    end = serializers.DateTimeField()
    charts = ChartSerializer(many=True, help_text="Those of which anything was reported.")
    events = LinkEventSerializer(many=True, help_text="Of its ports, at most 500.")

    def get_fields(self) -> dict[str, serializers.Field]:
        words = {"begin": "from", "end": "to"}  # `from` is a word of Python's own
        return {words.get(name, name): field for name, field in super().get_fields().items()}
