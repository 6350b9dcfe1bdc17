"""The catalogue of checks with what is decided about each, and the matrix of machines by checks."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.db.models import Q, QuerySet
from django.http import Http404, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.accounts.scope import request_roles, visible_site_ids
from core.http.streams import CsvRenderer, streamed
from core.rest.lists import listed
from core.rest.pagination import PagePagination
from core.rest.renderers import JSONRenderer
from core.spreadsheets import safe_cell
from health.checks import CheckDeclaration, catalogue
from health.checks.examples import excerpts
from health.checks.levels import Rung, Severity
from health.checks.reported import is_reported
from health.external import queries
from health.machines.lifecycle import NOT_SWEPT, State
from health.machines.models.machines import VERDICTS
from health.machines.parameters import LARGEST_ID
from health.monitoring.api.policy import OverrideSerializer, SilenceSerializer
from health.monitoring.models.policy import ObserveOnly, Silence, ThresholdOverride
from health.monitoring.queries.policy import live
from health.overview.queries import matrix

PAGE = 100
PARTS = ["gpu", "hca", "nvme", "psu", "mount", "machine"]


# ---- the catalogue ----


class CatalogueSerializer(serializers.Serializer):
    """A check; counts are of the sites one may see."""

    id = serializers.CharField()
    family = serializers.CharField()
    title = serializers.CharField()
    part = serializers.ChoiceField(PARTS)
    kind = serializers.ChoiceField(["level", "event"])
    needs = serializers.CharField()
    severity = serializers.ChoiceField([severity.value for severity in Severity])
    start_level = serializers.ChoiceField(
        [rung.value for rung in Rung], help_text="Where remediation of its faults starts."
    )
    advice = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]
    thresholds = serializers.DictField(child=serializers.FloatField())
    fault_classes = serializers.ListField(child=serializers.CharField())
    audit_mode = serializers.BooleanField(help_text="Opens no fault now, at one of the sites at least.")
    overrides = serializers.IntegerField(help_text="Live ones.")
    silences = serializers.IntegerField(help_text="Live ones.")
    failing = serializers.IntegerField(help_text="Machines, of those that are swept.")
    unknown = serializers.IntegerField(help_text="Machines, of those that are swept.")


class SampleSerializer(serializers.Serializer):
    verdict = serializers.ChoiceField(VERDICTS)
    name = serializers.CharField(help_text="The command that printed it.")
    excerpt = serializers.CharField(allow_blank=True)


class CatalogueDetailSerializer(CatalogueSerializer):
    samples = SampleSerializer(many=True)
    overrides = OverrideSerializer(many=True)  # type: ignore[assignment]
    silences = SilenceSerializer(many=True)  # type: ignore[assignment]


class SiteSerializer(serializers.Serializer):
    site = serializers.IntegerField(min_value=1, max_value=LARGEST_ID, required=False)


class CatalogueView(APIView):
    """Every check: its rule in words, limits and sources, what was decided about it, and what it says now."""

    @extend_schema(
        operation_id="health_catalogue", parameters=[SiteSerializer], responses=CatalogueSerializer(many=True)
    )
    def get(self, request: Request) -> Response:
        site = _valid(SiteSerializer, request).get("site")
        checks = matrix.checks_of(site_ids=visible_site_ids(request_roles(request)), site=site)
        return listed([entry | numbers for entry, numbers in _entries(request, checks, site)])


class CatalogueDetailView(APIView):
    """One check, with an output that is ok, one that is not, and the decisions about it.

    What another system reports is called SOURCE/CHECK, and has no outputs to show.
    """

    @extend_schema(operation_id="health_catalogue_check", responses=CatalogueDetailSerializer)
    def get(self, request: Request, check: str) -> Response:
        if is_reported(check):
            declaration = queries.check_of(check, visible_site_ids(request_roles(request)))
        else:
            declaration = next((each for each in catalogue() if each.id == check), None)
        if declaration is None:
            raise Http404
        ((entry, numbers),) = _entries(request, [declaration], None)
        scoped = ("site", "model", "machine__device")
        overrides = _seen(request, ThresholdOverride.objects.filter(check_id=check).select_related(*scoped))
        silences = _seen(request, Silence.objects.filter(check_id=check).select_related(*scoped))
        more = {
            "samples": [] if is_reported(check) else list(excerpts(check)),
            "overrides": OverrideSerializer(overrides, many=True).data,
            "silences": SilenceSerializer(silences, many=True).data,
        }
        return Response(entry | numbers | more)


def _entries(
    request: Request, checks: list[CheckDeclaration], site: int | None
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each check as declared, and what is counted of it now, on machines that are swept. Ten queries at most."""
    visible = visible_site_ids(request_roles(request))
    swept = matrix.machines(visible, site=site, states=[state.value for state in State if state not in NOT_SWEPT])
    found = matrix.lines(swept, checks)
    totals = matrix.counts(found, checks)
    overrides, silences, observed = (
        Counter(_seen(request, kind.objects.all(), site).values_list("check_id", flat=True))
        for kind in (ThresholdOverride, Silence, ObserveOnly)
    )
    for each in checks:
        yield (
            _declared(each),
            {
                "audit_mode": observed[each.id] > 0,
                "overrides": overrides[each.id],
                "silences": silences[each.id],
                **totals[each.id],
            },
        )


def _declared(check: CheckDeclaration) -> dict[str, Any]:
    plain = ("id", "family", "title", "part", "kind", "needs", "advice", "source")
    return {name: getattr(check, name) for name in plain} | {
        "severity": str(check.severity),
        "start_level": int(check.start_rung),
        "thresholds": {name: float(value) for name, value in check.thresholds.items()},
        "fault_classes": list(check.fault_classes),
    }


def _seen(request: Request, rows: QuerySet, site: int | None = None) -> QuerySet:
    """Live decisions of visible sites, or of one of them, and those for all sites."""
    visible = visible_site_ids(request_roles(request))
    rows = live(rows).order_by("id")
    if visible is not None:
        rows = rows.filter(Q(site=None) | Q(site__in=visible))
    return rows if site is None else rows.filter(Q(site=None) | Q(site=site))


# ---- the matrix ----


class MatrixQuerySerializer(SiteSerializer):
    family = serializers.CharField(max_length=60, required=False, help_text="Such as GPU, in whatever case.")
    state = serializers.ChoiceField([state.value for state in State], required=False)
    only = serializers.ChoiceField(["bad"], required=False, help_text="Machines that fail, warn or are unknown there.")
    check = serializers.CharField(max_length=200, required=False, help_text="One check by its id, and no other.")


class MatrixPageSerializer(MatrixQuerySerializer):
    page = serializers.IntegerField(min_value=1, max_value=1_000_000, default=1)
    page_size = serializers.IntegerField(min_value=1, max_value=PagePagination.max_page_size, default=PAGE)


class MatrixCheckSerializer(serializers.Serializer):
    id = serializers.CharField()
    title = serializers.CharField()
    family = serializers.CharField()


class MatrixMachineSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()
    state = serializers.ChoiceField([str(state) for state in State])
    cells = serializers.CharField(
        allow_blank=True,
        help_text="One character per check: f fail, u unknown, w warn, i info, o ok, . does not apply.",
    )


class CheckMatrixSerializer(serializers.Serializer):
    checks = MatrixCheckSerializer(many=True)
    machines = MatrixMachineSerializer(many=True)
    count = serializers.IntegerField(help_text="Machines on all pages.")
    page = serializers.IntegerField()
    pages = serializers.IntegerField()


class MatrixView(APIView):
    """Machines by checks, by name, 100 machines a page unless asked otherwise."""

    @extend_schema(operation_id="health_matrix", parameters=[MatrixPageSerializer], responses=CheckMatrixSerializer)
    def get(self, request: Request) -> Response:
        asked = _valid(MatrixPageSerializer, request)
        checks, page, size = _checks(request, asked), asked["page"], asked["page_size"]
        rows = _machines(request, asked)
        start = (page - 1) * size
        if asked.get("only"):
            bad = matrix.only_bad(matrix.lines(rows, checks))
            count, shown = len(bad), bad[start : start + size]
        else:
            count = rows.count()
            shown = matrix.lines(rows[start : start + size], checks)
        machines = [
            {"id": line.machine_id, "name": line.name, "state": line.state, "cells": line.cells} for line in shown
        ]
        pages = max(1, -(-count // size))
        answer = {"checks": matrix.titles(checks), "machines": machines, "count": count, "page": page, "pages": pages}
        return Response(answer)


class MatrixCsvView(APIView):
    """All machines by checks as a table, a column per check and one word per cell."""

    renderer_classes = (JSONRenderer, CsvRenderer)

    @extend_schema(
        operation_id="health_matrix_csv",
        parameters=[MatrixQuerySerializer],
        responses={(200, "text/csv"): OpenApiTypes.STR},
    )
    def get(self, request: Request) -> StreamingHttpResponse:
        asked = _valid(MatrixQuerySerializer, request)
        checks = _checks(request, asked)
        found = matrix.lines(_machines(request, asked), checks)
        shown = matrix.only_bad(found) if asked.get("only") else found
        return streamed(_csv(checks, shown), "text/csv; charset=utf-8", "matrix.csv")


def _csv(checks: list[CheckDeclaration], lines: list[matrix.Line]) -> Iterator[str]:
    words = {letter: word for word, letter in matrix.LETTERS.items()}
    yield _row(["machine", "state", *(safe_cell(each.id) for each in checks)])
    for line in lines:
        yield _row([safe_cell(line.name), line.state, *(words.get(cell, "") for cell in line.cells)])


def _row(values: list[str]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer).writerow(values)
    return buffer.getvalue()


def _checks(request: Request, asked: dict[str, Any]) -> list[CheckDeclaration]:
    """Raises ValidationError for a check that there is not, or that is reported at other sites than one may see."""
    visible, family, site = visible_site_ids(request_roles(request)), asked.get("family", ""), asked.get("site")
    if "check" not in asked:
        return matrix.checks_of(family, site_ids=visible, site=site)
    one = [each for each in matrix.checks_of(family, site_ids=visible) if each.id == asked["check"]]
    if not one:
        raise serializers.ValidationError({"check": ["There is no such check."]})
    return one


def _machines(request: Request, asked: dict[str, Any]) -> QuerySet:
    states = [asked["state"]] if "state" in asked else []
    return matrix.machines(visible_site_ids(request_roles(request)), site=asked.get("site"), states=states)


def _valid(serializer_class: type[serializers.Serializer], request: Request) -> dict[str, Any]:
    serializer = serializer_class(data=request.query_params.dict())
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)
