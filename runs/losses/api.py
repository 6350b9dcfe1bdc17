"""The report of what failures cost: /api/runs/losses/, and the same as a table."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view, renderer_classes
from rest_framework.request import Request
from rest_framework.response import Response

from core.http.streams import CsvRenderer
from core.rest.renderers import JSONRenderer
from core.spreadsheets import safe_cell
from health.machines.parameters import SITE, SPAN, scope_of, span
from runs.causes.classes import CLASSES
from runs.losses import queries, rules

USUAL = timedelta(weeks=12)
MOST = timedelta(days=2 * 366)
DEAREST = 10
OWNERS = sorted({row.owner for row in CLASSES.values() if row.owner})
CSV_HEAD = ("week", "cause", "owner", "runs", "gpu_hours", "repeated", "standing", "slow")


class LossSerializer(serializers.Serializer):
    """GPU-hours. `repeated`: steps since the last checkpoint; `standing`: from the last step to the end; `slow`."""

    cause = serializers.ChoiceField(sorted(CLASSES), allow_null=True, help_text="Null: not known.")
    owner = serializers.ChoiceField(OWNERS, allow_null=True)
    gpu_hours = serializers.FloatField()
    repeated = serializers.FloatField()
    standing = serializers.FloatField()
    slow = serializers.FloatField()


class WeekLossSerializer(LossSerializer):
    week = serializers.DateField(help_text="Its Monday, in UTC.")
    runs = serializers.IntegerField()


class RunLossSerializer(LossSerializer):
    run = serializers.IntegerField()
    name = serializers.CharField()


class RunLossesSerializer(serializers.Serializer):
    begin = serializers.DateTimeField()
    end = serializers.DateTimeField()
    gpu_hours = serializers.FloatField(help_text="All of it.")
    runs = serializers.IntegerField()
    weeks = serializers.ListField(child=serializers.DateField(), help_text="Every week of the span, in order.")
    rows = WeekLossSerializer(many=True, help_text="By week, cause and owner.")
    dearest = RunLossSerializer(many=True, help_text="The runs that lost the most.")
    method = serializers.CharField()


def asked(request: Request) -> tuple[datetime, datetime, list[rules.Loss]]:
    begin, end = span(request, usual=USUAL, most=MOST)
    begin = rules.week_of(begin)  # a week is whole, or the first bar would be too low
    sites, site = scope_of(request)
    return begin, end, queries.losses(begin, end, sites, site)


@extend_schema(
    summary="What failures of training runs cost", parameters=[SITE, *SPAN], responses={200: RunLossesSerializer}
)
@api_view(["GET"])
def losses(request: Request) -> Response:
    """GPU-hours lost by week, cause and owner, the last 12 weeks without a span. Weeks begin on Monday, in UTC."""
    begin, end, found = asked(request)
    return Response(
        {
            "begin": begin,
            "end": end,
            "gpu_hours": _hours(sum(loss.total for loss in found)),
            "runs": len({loss.run for loss in found if loss.total > 0}),
            "weeks": [week.date() for week in rules.weeks_between(begin, end)],
            "rows": [_row(one) | {"week": one.week.date(), "runs": one.runs} for one in rules.summed(found)],
            "dearest": [_row(one) | {"run": one.run, "name": one.name} for one in rules.dearest(found, DEAREST)],
            "method": rules.METHOD,
        }
    )


@extend_schema(summary="The same as a table", parameters=[SITE, *SPAN], responses={(200, "text/csv"): OpenApiTypes.STR})
@api_view(["GET"])
@renderer_classes([JSONRenderer, CsvRenderer])
def losses_csv(request: Request) -> HttpResponse:
    begin, end, found = asked(request)
    answer = HttpResponse(_table(rules.summed(found)), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="losses-{begin:%Y%m%d}-{end:%Y%m%d}.csv"'
    return answer


def _table(rows: Sequence[rules.Sum]) -> str:
    target = io.StringIO(newline="")
    writer = csv.writer(target)
    writer.writerow(CSV_HEAD)
    for one in rows:
        said = _row(one)
        cells = [one.week.date(), said["cause"] or "", said["owner"] or "", one.runs, said["gpu_hours"]]
        cells += [said[name] for name in ("repeated", "standing", "slow")]
        writer.writerow([safe_cell(cell) if isinstance(cell, str) else cell for cell in cells])
    return target.getvalue()


def _row(one: rules.Loss | rules.Sum) -> dict[str, Any]:
    return {
        "cause": one.cause,
        "owner": one.owner,
        "gpu_hours": _hours(one.total),
        "repeated": _hours(one.repeated),
        "standing": _hours(one.standing),
        "slow": _hours(one.slow),
    }


def _hours(value: float) -> float:
    return round(value, 2)
