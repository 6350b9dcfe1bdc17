"""Reliability over time: charts' numbers and their tables."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view, renderer_classes
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from core.http.streams import CsvRenderer
from core.rest.renderers import JSONRenderer
from core.spreadsheets import safe_cell
from health.insights import trends as rules
from health.insights.queries import trends as queries
from health.machines.parameters import SITE, SPAN, scope_of, span

USUAL = timedelta(days=30)
MOST = {"day": timedelta(days=400), "week": timedelta(days=5 * 366)}
BUCKET = OpenApiParameter("bucket", str, enum=list(rules.SIZES), description="day by default; in UTC.")
Query = Callable[[rules.Buckets, list[int] | None, int | None], Sequence[rules.Series]]
WHATS = ("failures_by_part", "failures_by_class", "mtbf", "mttr", "availability")


class PointSerializer(serializers.Serializer):
    at = serializers.DateTimeField(help_text="Begin of the bucket.")
    value = serializers.FloatField(allow_null=True, help_text="Null: not known, which is not nought.")
    count = serializers.FloatField()
    base = serializers.FloatField()


class SeriesSerializer(serializers.Serializer):
    what = serializers.ChoiceField(WHATS)
    group = serializers.CharField()
    title = serializers.CharField()
    unit = serializers.CharField()
    points = PointSerializer(many=True)


class TrendsSerializer(serializers.Serializer):
    begin = serializers.DateTimeField()
    end = serializers.DateTimeField()
    bucket = serializers.ChoiceField(list(rules.SIZES))
    series = SeriesSerializer(many=True)

    def get_fields(self) -> dict[str, serializers.Field]:
        fields = super().get_fields()
        return {"from": fields["begin"], "to": fields["end"], "bucket": fields["bucket"], "series": fields["series"]}


def cut_of(request: Request) -> tuple[rules.Buckets, str]:
    """The buckets asked for and their word. Raises ValidationError."""
    word = request.query_params.get("bucket") or "day"
    if word not in rules.SIZES:
        raise ValidationError({"bucket": [f"One of {', '.join(rules.SIZES)}."]})
    begin, end = span(request, usual=USUAL, most=MOST[word])
    return rules.buckets(begin, end, word), word


def asked(request: Request, query: Query) -> tuple[rules.Buckets, str, Sequence[rules.Series]]:
    """The buckets asked for, their word, and the series of the site asked for. Raises ValidationError or Http404."""
    sites, site = scope_of(request)
    cut, word = cut_of(request)
    return cut, word, query(cut, sites, site)


def answer_of(cut: rules.Buckets, word: str, series: Sequence[rules.Series]) -> Response:
    return Response({"from": cut.begin, "to": cut.end, "bucket": word, "series": rules.rows(series)})


@extend_schema(
    summary="Failures, repairs and availability over time",
    parameters=[SITE, *SPAN, BUCKET],
    responses={200: TrendsSerializer},
)
@api_view(["GET"])
def trends(request: Request) -> Response:
    """Failures per 1,000 GPU-days by part and class, time between failures, time to repair by stage, availability."""
    return answer_of(*asked(request, queries.all_series))


@extend_schema(
    summary="Share of machine-time in service, by pool",
    parameters=[SITE, *SPAN, BUCKET],
    responses={200: TrendsSerializer},
)
@api_view(["GET"])
def availability(request: Request) -> Response:
    return answer_of(*asked(request, queries.availability))


@extend_schema(
    summary="The same as a table",
    parameters=[SITE, *SPAN, BUCKET, OpenApiParameter("what", str, enum=list(WHATS), description="All without it.")],
    responses={(200, "text/csv"): OpenApiTypes.STR},
)
@api_view(["GET"])
@renderer_classes([JSONRenderer, CsvRenderer])
def trends_csv(request: Request) -> HttpResponse:
    what = request.query_params.get("what") or ""
    if what and what not in WHATS:
        raise ValidationError({"what": [f"One of {', '.join(WHATS)}."]})
    cut, _, found = asked(request, queries.all_series)
    series = [each for each in found if not what or each.what == what]
    target = io.StringIO(newline="")
    writer = csv.writer(target)
    writer.writerow(queries.CSV_HEAD)
    for line in queries.csv_rows(series):
        writer.writerow([safe_cell(cell) if isinstance(cell, str) else cell for cell in line])
    answer = HttpResponse(target.getvalue(), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="trends-{_day(cut.begin)}-{_day(cut.end)}.csv"'
    return answer


def _day(at: datetime) -> str:
    return f"{at:%Y%m%d}"
