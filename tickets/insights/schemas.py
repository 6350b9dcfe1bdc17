"""What the insight answers, as the API documents it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from tickets.insights import rules
from tickets.insights.answers import Insight
from tickets.insights.models import ReportMail
from tickets.insights.statistics import Share, Spread

BYS = ("maker", "batch", "firmware")


class SpreadSerializer(serializers.Serializer):
    """Seconds; null where `n` is too little for a number."""

    n = serializers.IntegerField()
    median = serializers.FloatField(allow_null=True)
    p90 = serializers.FloatField(allow_null=True)


class RepairTimesSerializer(serializers.Serializer):
    """From the opening of the ticket."""

    acknowledged = SpreadSerializer()
    hands_on = SpreadSerializer()
    verified = SpreadSerializer()


class ShareSerializer(serializers.Serializer):
    n = serializers.IntegerField()
    count = serializers.IntegerField()
    share = serializers.FloatField(allow_null=True, help_text="0 to 1; null where `n` is too little.")


class InsightGroupSerializer(serializers.Serializer):
    by = serializers.ChoiceField(list(rules.GROUPS))
    name = serializers.CharField()
    times = RepairTimesSerializer()


class InsightWeekSerializer(serializers.Serializer):
    """A whole week by the clock of the site; the one that is not over counts to now."""

    begin = serializers.DateTimeField()
    opened = serializers.IntegerField()
    closed = serializers.IntegerField()
    times = RepairTimesSerializer()
    out_of_service = serializers.FloatField(help_text="GPU-hours of machines that were not ready.")
    lost = serializers.FloatField(help_text="GPU-hours that training runs lost by failures.")
    money = serializers.FloatField(allow_null=True, help_text="Null without a rate of the site.")


class InsightAgeSerializer(serializers.Serializer):
    age = serializers.CharField()
    P1 = serializers.IntegerField()
    P2 = serializers.IntegerField()
    P3 = serializers.IntegerField()


class InsightPartSerializer(serializers.Serializer):
    """Rates per 1,000 days installed. `chance`: of as many failures, if it were like the others of its kind."""

    by = serializers.ChoiceField(BYS)
    kind = serializers.CharField()
    name = serializers.CharField()
    parts = serializers.IntegerField()
    days = serializers.FloatField()
    failed = serializers.IntegerField()
    rate = serializers.FloatField(allow_null=True)
    usual = serializers.FloatField(allow_null=True)
    chance = serializers.FloatField(allow_null=True)
    poor = serializers.BooleanField()


class FailedStepSerializer(serializers.Serializer):
    part = serializers.CharField()
    step = serializers.CharField()
    checked = serializers.IntegerField()
    failed = serializers.IntegerField()
    share = serializers.FloatField(allow_null=True)


class InsightSerializer(serializers.Serializer):
    begin = serializers.DateTimeField()
    end = serializers.DateTimeField()
    least = serializers.IntegerField(help_text="Fewer values than this make no number.")
    times = RepairTimesSerializer()
    reopened = ShareSerializer()
    first_time_fix = ShareSerializer()
    groups = InsightGroupSerializer(many=True)
    weeks = InsightWeekSerializer(many=True)
    ageing = InsightAgeSerializer(many=True)
    parts = InsightPartSerializer(many=True, help_text="Those of which some failed.")
    steps = FailedStepSerializer(many=True)
    rate = serializers.FloatField(allow_null=True, help_text="Of a GPU-hour, where one site is asked for.")
    currency = serializers.CharField()
    has_shifts = serializers.BooleanField()


class ShiftSerializer(serializers.Serializer):
    name = serializers.CharField(max_length=40)
    begins = serializers.TimeField(format="%H:%M", input_formats=["%H:%M", "%H:%M:%S"])
    ends = serializers.TimeField(format="%H:%M", input_formats=["%H:%M", "%H:%M:%S"])

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        if given["begins"] == given["ends"]:
            raise serializers.ValidationError({"ends": ["A shift ends at another time than it begins."]})
        return given


class InsightSettingsGivenSerializer(serializers.Serializer):
    gpu_hour_rate = serializers.DecimalField(
        max_digits=8, decimal_places=2, min_value=0, allow_null=True, coerce_to_string=False
    )
    currency = serializers.RegexField(r"^([A-Z]{3})?$", allow_blank=True, help_text="ISO 4217, such as EUR.")
    shifts = serializers.ListField(child=ShiftSerializer(), max_length=12)

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        if given["gpu_hour_rate"] is not None and not given["currency"]:
            raise serializers.ValidationError({"currency": ["Say in which currency, such as EUR."]})
        names = [shift["name"] for shift in given["shifts"]]
        if len(set(names)) < len(names):
            raise serializers.ValidationError({"shifts": ["Each shift needs a name of its own."]})
        return given


class SubscriberSerializer(serializers.Serializer):
    user = serializers.IntegerField()
    name = serializers.CharField()
    has_address = serializers.BooleanField()


class ReportMailSerializer(serializers.ModelSerializer):
    class Meta:
        model = ReportMail
        fields = ("id", "week", "status", "made_at", "sent_at", "error")


class InsightSettingsSerializer(serializers.Serializer):
    site = serializers.IntegerField()
    timezone = serializers.CharField()
    gpu_hour_rate = serializers.FloatField(allow_null=True)
    currency = serializers.CharField()
    shifts = ShiftSerializer(many=True)
    subscribers = SubscriberSerializer(many=True)
    subscribed = serializers.BooleanField(help_text="You.")
    address = serializers.CharField(help_text="Yours; empty: no mail can be sent to you.")
    may_change = serializers.BooleanField()
    last_mail = ReportMailSerializer(allow_null=True, help_text="The newest one to you.")


class SubscribedSerializer(serializers.Serializer):
    subscribed = serializers.BooleanField()


# ---- from what was found ----


def spreads(times: Mapping[str, Spread]) -> dict[str, Any]:
    return {name: {"n": each.n, "median": each.median, "p90": each.p90} for name, each in times.items()}


def share(each: Share) -> dict[str, Any]:
    return {"n": each.n, "count": each.count, "share": each.share}


def answer(told: Insight, least: int) -> dict[str, Any]:
    return {
        "begin": told.scope.begin,
        "end": told.scope.end,
        "least": least,
        "times": spreads(told.times),
        "reopened": share(told.reopened),
        "first_time_fix": share(told.first_time),
        "groups": [{"by": each.by, "name": each.name, "times": spreads(each.times)} for each in told.groups],
        "weeks": [
            {
                "begin": week.begin,
                "opened": week.opened,
                "closed": week.closed,
                "times": spreads(week.times),
                "out_of_service": round(week.out_of_service, 2),
                "lost": round(week.lost, 2),
                "money": week.money,
            }
            for week in told.weeks
        ],
        "ageing": [{"age": age, **counts} for (age, _), counts in zip(rules.AGES, told.ageing, strict=True)],
        "parts": [
            {
                **each.lives._asdict(),
                "rate": each.rate,
                "usual": each.usual,
                "chance": each.chance,
                "poor": each.poor,
            }
            for each in told.parts
            if each.lives.failed
        ],
        "steps": [
            {
                "part": each.part,
                "step": each.kind,
                "checked": each.checked,
                "failed": each.failed,
                "share": each.share,
            }
            for each in told.steps
        ],
        "rate": told.rate,
        "currency": told.currency,
        "has_shifts": told.has_shifts,
    }
