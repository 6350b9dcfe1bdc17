"""Whether what looks still looks."""

from __future__ import annotations

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from health.machines.parameters import SITE, scope_of
from health.monitoring import watchdog as rules
from health.monitoring.services import watchdog as services


class WatchdogProblemSerializer(serializers.Serializer):
    kind = serializers.ChoiceField(list(rules.TODO))
    name = serializers.CharField()
    text = serializers.CharField()
    since = serializers.DateTimeField(allow_null=True)
    what_to_do = serializers.CharField()


class WatchdogSignSerializer(serializers.Serializer):
    name = serializers.CharField()
    kind = serializers.ChoiceField(list(rules.TODO))
    site = serializers.IntegerField(allow_null=True)
    last_at = serializers.DateTimeField(allow_null=True)
    limit_s = serializers.FloatField()
    state = serializers.ChoiceField([rules.OK, rules.LATE, rules.NEVER, rules.UNKNOWN, rules.BROKEN])


class WatchdogSerializer(serializers.Serializer):
    ok = serializers.BooleanField(help_text="Nothing is late, and everything is known.")
    problems = WatchdogProblemSerializer(many=True)
    checks = WatchdogSignSerializer(many=True)


@extend_schema(
    summary="State of sweeps, beat, workers, feed, sources and schedulers",
    parameters=[SITE],
    responses={200: WatchdogSerializer},
)
@api_view(["GET"])
def watchdog(request: Request) -> Response:
    """Evaluated now, by this request: it needs neither beat nor a worker."""
    sites, site = scope_of(request)
    now = timezone.now()
    signs = services.signs([site] if site is not None else sites, now)
    problems = [*services.problems_here(), *rules.judge(signs, now)]
    states = [sign.state(now) for sign in signs]
    return Response(
        {
            "ok": not problems and rules.UNKNOWN not in states,
            "problems": [
                {"kind": p.kind, "name": p.name, "text": p.text, "since": p.since, "what_to_do": p.what_to_do}
                for p in problems
            ],
            "checks": [
                {
                    "name": sign.name,
                    "kind": sign.kind,
                    "site": sign.site,
                    "last_at": sign.last_at,
                    "limit_s": sign.limit_s,
                    "state": state,
                }
                for sign, state in zip(signs, states, strict=True)
            ],
        }
    )
