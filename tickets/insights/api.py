"""Routes under /api/insight/: how repairs go, the same as tables, a site's settings, and the weekly report."""

from __future__ import annotations

import csv
import io
from datetime import date, timedelta
from typing import Any, cast
from zoneinfo import ZoneInfo

from django.http import Http404, HttpResponse
from django.urls import path
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.decorators import api_view, renderer_classes
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.accounts.scope import allows, request_roles
from core.errors import Conflict
from core.http.streams import CsvRenderer
from core.models import Role, Site, User
from core.rest.renderers import JSONRenderer
from core.spreadsheets import safe_cell
from health.machines.parameters import SITE, SPAN, scope_of, span
from health.remediation.api.automation import needs, site_of
from tickets.insights import answers, queries, services
from tickets.insights.models import InsightSettings, ReportMail, Shift
from tickets.insights.queries import Scope
from tickets.insights.report import document
from tickets.insights.report.weeks import last_week, monday_of
from tickets.insights.schemas import (
    InsightSerializer,
    InsightSettingsGivenSerializer,
    InsightSettingsSerializer,
    ReportMailSerializer,
    SubscribedSerializer,
    answer,
)

USUAL = timedelta(weeks=12)
MOST = timedelta(days=2 * 366)
WEEK = OpenApiParameter("week", OpenApiTypes.DATE, description="A day of the week; the last one that is over without.")
TABLE = OpenApiParameter("table", str, OpenApiParameter.PATH, enum=list(answers.TABLES))


def asked(request: Request) -> Scope:
    begin, end = span(request, usual=USUAL, most=MOST)
    sites, site = scope_of(request)
    return Scope(sites, site, begin, end)


@extend_schema(summary="How repairs go", parameters=[SITE, *SPAN], responses={200: InsightSerializer})
@api_view(["GET"])
def insight(request: Request) -> Response:
    """Times to acknowledge, to hands on and to verified, what comes back, parts with poor lives, what it costs. The
    last 12 weeks without a span. Weeks begin on Monday, by the clock of the site asked for, else in UTC."""
    return Response(answer(answers.insight(asked(request)), answers.LEAST))


@extend_schema(
    summary="The same as a table", parameters=[TABLE, SITE, *SPAN], responses={(200, "text/csv"): OpenApiTypes.STR}
)
@api_view(["GET"])
@renderer_classes([JSONRenderer, CsvRenderer])
def insight_csv(request: Request, table: str) -> HttpResponse:
    """Times in hours; what is not known is empty."""
    if table not in answers.TABLES:
        raise Http404
    scope = asked(request)
    target = io.StringIO(newline="")
    writer = csv.writer(target)
    for row in answers.table(table, answers.insight(scope)):
        writer.writerow([safe_cell(cell) if isinstance(cell, str) else "" if cell is None else cell for cell in row])
    response = HttpResponse(target.getvalue(), content_type="text/csv; charset=utf-8")
    name = f"insight-{table}-{scope.begin:%Y%m%d}-{scope.end:%Y%m%d}.csv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


# ---- the weekly report ----


def week_of(request: Request, site: Site) -> date:
    """The Monday of the week asked for, or of the last one that is over. Raises ValidationError."""
    text = request.query_params.get("week", "")
    now, zone = timezone.now(), ZoneInfo(site.timezone)
    if not text:
        return last_week(now, zone)
    try:
        week = monday_of(date.fromisoformat(text))
    except (ValueError, OverflowError) as error:
        raise ValidationError({"week": ["Give a day, such as 2026-03-02."]}) from error
    today = now.astimezone(zone).date()
    if not today - MOST <= week <= today:
        raise ValidationError({"week": [f"One of the last {MOST.days} days."]})
    return week


class PdfRenderer(CsvRenderer):
    media_type, format = "application/pdf", "pdf"


@extend_schema(
    summary="The weekly report of a site as PDF",
    parameters=[SITE, WEEK],
    responses={(200, "application/pdf"): OpenApiTypes.BINARY},
)
@api_view(["GET"])
@renderer_classes([JSONRenderer, PdfRenderer])
def report_pdf(request: Request) -> HttpResponse:
    site = site_of(request)
    report = document.report(site, week_of(request, site))
    response = HttpResponse(report.pdf(), content_type="application/pdf")
    response["Content-Disposition"] = f'inline; filename="{report.file_name}"'
    return response


class SendView(APIView):
    write_role = Role.VIEWER

    @extend_schema(
        summary="Send the weekly report to me", parameters=[SITE, WEEK], request=None, responses=ReportMailSerializer
    )
    def post(self, request: Request) -> Response:
        """To your own address; 409 without one. While one of the same week is on its way, that one is answered."""
        site = site_of(request)
        try:
            mail = services.ask_for_report(site.pk, person(request), week_of(request, site))
        except services.NoAddress:
            raise Conflict("Your account has no mail address.", "refused") from None
        return Response(ReportMailSerializer(mail).data)


class SubscriptionView(APIView):
    write_role = Role.VIEWER

    @extend_schema(
        summary="Get the weekly report, or no longer",
        parameters=[SITE],
        request=SubscribedSerializer,
        responses=InsightSettingsSerializer,
    )
    def put(self, request: Request) -> Response:
        """On Monday morning by the clock of the site, to your own address; 409 without one."""
        site = site_of(request)
        given = SubscribedSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        try:
            services.subscribe(site.pk, person(request), given.validated_data["subscribed"])
        except services.NoAddress:
            raise Conflict("Your account has no mail address.", "refused") from None
        return Response(settings_of(site, request))


class SettingsView(APIView):
    write_role = Role.OPERATOR

    @extend_schema(
        summary="Rate, shifts and report of a site", parameters=[SITE], responses={200: InsightSettingsSerializer}
    )
    def get(self, request: Request) -> Response:
        return Response(settings_of(site_of(request), request))

    @extend_schema(
        summary="Change rate and shifts of a site",
        parameters=[SITE],
        request=InsightSettingsGivenSerializer,
        responses=InsightSettingsSerializer,
    )
    def put(self, request: Request) -> Response:
        """All of them: a shift that is not named is gone, and without a rate no money is shown."""
        site = site_of(request)
        needs(request, site.pk, self.write_role)
        given = InsightSettingsGivenSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        told = given.validated_data
        services.set_site(
            site.pk,
            rate=told["gpu_hour_rate"],
            currency=told["currency"],
            shifts=[services.ShiftGiven(**shift) for shift in told["shifts"]],
        )
        return Response(settings_of(site, request))


def person(request: Request) -> User:
    return cast(User, request.user)


def settings_of(site: Site, request: Request) -> dict[str, Any]:
    """Four queries."""
    row = InsightSettings.objects.filter(site=site).first()
    subscribers = queries.subscribers(site.pk)
    mail = ReportMail.objects.filter(site=site, user=person(request)).first()
    told = {
        "site": site.pk,
        "timezone": site.timezone,
        "gpu_hour_rate": row.gpu_hour_rate if row else None,
        "currency": row.currency if row else "",
        "shifts": Shift.objects.filter(site=site),
        "subscribers": [{"user": pk, "name": name, "has_address": has} for pk, name, has in subscribers],
        "subscribed": any(pk == request.user.pk for pk, *_ in subscribers),
        "address": person(request).email,
        "may_change": allows(request_roles(request), site.pk, Role.OPERATOR),
        "last_mail": mail,
    }
    return dict(InsightSettingsSerializer(told).data)


urlpatterns = [
    path("insight/", insight, name="insight"),
    path("insight/<str:table>.csv", insight_csv, name="insight-csv"),
    path("insight/report.pdf", report_pdf, name="insight-report"),
    path("insight/report/send/", SendView.as_view(), name="insight-send"),
    path("insight/report/subscription/", SubscriptionView.as_view(), name="insight-subscription"),
    path("insight/settings/", SettingsView.as_view(), name="insight-settings"),
]
