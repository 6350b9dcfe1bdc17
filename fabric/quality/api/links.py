"""Link quality: the worst links, one link with its history, links measured anew, and where ports are hot."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, ClassVar

from django.db.models import Q, QuerySet
from django.http import Http404
from django.http.response import HttpResponseBase
from django.urls import path
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import exceptions, serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import BaseRouter
from rest_framework.views import APIView

from core.api import ReadOnlyViewSet
from core.http.streams import streamed
from core.models import Role
from fabric.discovery.models.seen import FabricLink
from fabric.quality.models.quality import LinkQuality, Measurement
from fabric.quality.queries.heat import heat
from fabric.quality.queries.links import CSV_HEAD, csv_rows, described, history, with_links
from fabric.quality.services.measurements import measure
from fabric.quality.services.rounds import thresholds_of
from fabric.quality.shapes import LinkHistorySerializer, LinkReadingField, MeasuredValueSerializer, RatesSerializer
from fabric.quality.thresholds import WINDOWS
from fabric.wiring.api.shapes import SITE, asked_site, instant

TIME = OpenApiTypes.DATETIME
USUAL_SPAN = timedelta(days=1)
LONGEST_SPAN = timedelta(days=31)


class LinkEndSerializer(serializers.Serializer):
    device = serializers.CharField()
    device_id = serializers.IntegerField(allow_null=True)
    guid = serializers.CharField()
    port = serializers.IntegerField()
    port_id = serializers.IntegerField(allow_null=True)
    port_name = serializers.CharField(allow_blank=True)
    cage = serializers.IntegerField(allow_null=True)
    lane = serializers.IntegerField(allow_null=True)
    place = serializers.CharField(allow_blank=True)


class LinkCableSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    label = serializers.CharField()  # type: ignore[assignment]  # DRF's fields have a label of their own


class LinkSerializer(serializers.Serializer):
    """`key` are both ends; `link` is the key by which the wiring and port actions know it. `quality` is the newest
    one, `bad_since` what a second window confirmed. `ber_below`: no error was seen, the rate is below `ber`."""

    id = serializers.IntegerField()
    key = serializers.CharField()
    site = serializers.IntegerField()
    source = serializers.IntegerField()  # type: ignore[assignment]
    link = serializers.CharField(allow_null=True)
    a = LinkEndSerializer()
    b = LinkEndSerializer()
    cable = LinkCableSerializer(allow_null=True)
    wiring = serializers.ChoiceField(
        FabricLink.State.values, allow_null=True, help_text="What the reconciliation says of it."
    )
    width = serializers.CharField(allow_blank=True)
    speed = serializers.CharField(allow_blank=True)
    tier = serializers.CharField(allow_blank=True)
    gbps = serializers.FloatField(allow_null=True)
    quality = serializers.ChoiceField(LinkQuality.State.values)
    reason = serializers.CharField(allow_blank=True)
    since = serializers.DateTimeField()
    bad_since = serializers.DateTimeField(allow_null=True)
    alarm = serializers.ChoiceField(LinkQuality.Alarm.values)
    measured_at = serializers.DateTimeField(allow_null=True)
    errors_per_h = serializers.DictField(child=serializers.FloatField(), help_text="Symbol errors an hour by window.")
    downs_per_day = serializers.IntegerField()
    ber = serializers.FloatField(allow_null=True)
    ber_below = serializers.BooleanField()
    max_c = serializers.FloatField(allow_null=True)


class MeasurementSerializer(serializers.ModelSerializer[Measurement]):
    key = serializers.CharField(source="quality.key", read_only=True)
    before = LinkReadingField(read_only=True)
    after = LinkReadingField(read_only=True, allow_null=True)

    class Meta:
        model = Measurement
        fields: ClassVar = [
            "id", "site", "key", "status", "asked_at", "asked_by", "owner", "seconds", "before", "after", "state",
            "message", "finished_at",
        ]  # fmt: skip


class LinkDetailSerializer(LinkSerializer):
    measures = MeasuredValueSerializer(many=True, help_text="What is not ok; heat; error rates.")
    rates = RatesSerializer()
    limits = serializers.DictField(child=serializers.FloatField(), help_text="The limits it is evaluated against.")
    evaluated_from = serializers.DateTimeField(allow_null=True)
    measurements = MeasurementSerializer(many=True, help_text="The last ten that were asked for.")


class MeasureSerializer(serializers.Serializer):
    seconds = serializers.IntegerField(min_value=5, max_value=600, default=60, help_text="Between its two readings.")


class LinkFilter(filters.FilterSet):
    """`state` takes several, with commas. `device` is a name, or a part of one, at either end; `device_id` an id."""

    state = filters.BaseInFilter(field_name="state")
    bad = filters.BooleanFilter(field_name="bad_since", lookup_expr="isnull", exclude=True)
    device = filters.CharFilter(method="at_device")
    device_id = filters.NumberFilter(method="with_device")
    cable = filters.CharFilter(field_name="link__cable__label", lookup_expr="iexact")
    site = filters.NumberFilter(method="of_site")
    source = filters.NumberFilter(method="of_source")

    class Meta:
        model = LinkQuality
        fields: ClassVar = ["key", "alarm"]

    def at_device(self, rows: QuerySet[LinkQuality], name: str, value: str) -> QuerySet[LinkQuality]:
        return rows.filter(
            Q(link__a_name__icontains=value) | Q(link__b_name__icontains=value) | Q(a_guid=value) | Q(b_guid=value)
        )

    def with_device(self, rows: QuerySet[LinkQuality], name: str, value: float) -> QuerySet[LinkQuality]:
        if not 0 <= value < 2**63:
            return rows.none()
        return rows.filter(Q(link__a_port__device_id=int(value)) | Q(link__b_port__device_id=int(value)))

    def of_site(self, rows: QuerySet[LinkQuality], name: str, value: float) -> QuerySet[LinkQuality]:
        return rows.filter(site_id=int(value)) if 0 <= value < 2**63 else rows.none()

    def of_source(self, rows: QuerySet[LinkQuality], name: str, value: float) -> QuerySet[LinkQuality]:
        return rows.filter(source_id=int(value)) if 0 <= value < 2**63 else rows.none()


KEY = OpenApiParameter("key", str, OpenApiParameter.PATH, description="Both ends: GUID_PORT:GUID_PORT.")
SPAN = [KEY, OpenApiParameter("from", TIME, description="A day back without it."), OpenApiParameter("to", TIME)]


@extend_schema_view(
    list=extend_schema(
        responses={200: LinkSerializer(many=True)},
        parameters=[
            OpenApiParameter("order", str, enum=["worst"], description="The worst first, which is usual."),
            OpenApiParameter("window", str, enum=list(WINDOWS), description="By the errors of this window."),
        ],
    ),
    retrieve=extend_schema(parameters=[KEY], responses={200: LinkDetailSerializer}),
)
class LinkViewSet(ReadOnlyViewSet):
    """Every link that is plugged in, as good as its counters say; the worst first."""

    queryset = with_links(LinkQuality.objects.all())
    serializer_class = LinkSerializer
    site_field = "site_id"
    filterset_class = LinkFilter
    lookup_field = "key"
    lookup_value_regex = "[^/]+"
    ordering_fields: ClassVar = ["id"]
    search_fields: ClassVar = ["key", "link__key", "link__a_name", "link__b_name"]
    write_role = Role.OPERATOR

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        window = request.query_params.get("window") or "1h"
        if window not in WINDOWS:
            raise exceptions.ValidationError({"window": [f"One of {', '.join(WINDOWS)}."]})
        rows = self.filter_queryset(self.get_queryset()).order_by("rank", f"-errors_{window}", "-downs", "-max_c", "id")
        page = self.paginate_queryset(rows) or []
        return self.get_paginated_response(described(page))

    def one(self) -> LinkQuality:
        """The link of the address; of several sources the one that was measured last."""
        rows = self.get_queryset().filter(key=self.kwargs["key"]).order_by("-measured_at")
        found: LinkQuality | None = rows.first()
        if found is None:
            raise Http404
        self.check_object_permissions(self.request, found)
        return found

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        row = self.one()
        limits = thresholds_of(row.source)
        (answer,) = described([row])
        asked = row.measurements.select_related("quality")[:10]
        answer |= {
            "measures": row.measures,
            "rates": row.rates,
            "limits": {name: getattr(limits, name) for name in limits.__slots__},
            "evaluated_from": row.evaluated_from,
            "measurements": MeasurementSerializer(asked, many=True).data,
        }
        return Response(answer)

    @extend_schema(
        summary="A link over time",
        parameters=[*SPAN, OpenApiParameter("as", str, enum=["json", "csv"], description="csv: every sample.")],
        responses={(200, "application/json"): LinkHistorySerializer, (200, "text/csv"): OpenApiTypes.STR},
        filters=False,
    )
    @action(detail=True, methods=["get"], pagination_class=None)
    def history(self, request: Request, key: str) -> HttpResponseBase:
        """Charts of what its counters reported between two times, at most 31 days apart, and events of its ports.

        As CSV every sample of both ends: what was counted since the one before, and what was read.
        """
        form = request.query_params.get("as") or "json"
        if form not in ("json", "csv"):
            raise exceptions.ValidationError({"as": ["Give json or csv."]})
        row = self.one()
        since, until = self.span()
        if form == "json":
            return Response(history(row, since, until, thresholds_of(row.source)))
        return streamed(written(row, since, until), "text/csv; charset=utf-8", f"link-{row.pk}.csv")

    def span(self) -> tuple[Any, Any]:
        until = instant(self.request, "to") or timezone.now()
        since = instant(self.request, "from") or until - USUAL_SPAN
        if since >= until:
            raise exceptions.ValidationError({"from": ["This is not before the end."]})
        if until - since > LONGEST_SPAN:
            raise exceptions.ValidationError({"from": ["At most 31 days at a time."]})
        return since, until

    @extend_schema(parameters=[KEY], request=MeasureSerializer, responses={202: MeasurementSerializer})
    @action(detail=True, methods=["post"])
    def measure(self, request: Request, key: str) -> Response:
        """Read the counters of both ends now and again some seconds later; `link.measured` says when it is done."""
        row = self.one()
        given = MeasureSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        asked = measure(row, by=self.person.get_username(), seconds=given.validated_data["seconds"])
        return Response(MeasurementSerializer(asked).data, status=202)


def written(row: LinkQuality, since: Any, until: Any) -> Iterator[str]:
    line = io.StringIO()
    writer = csv.writer(line)
    writer.writerow(CSV_HEAD)
    for cells in csv_rows(row, since, until):
        writer.writerow(cells)
        yield line.getvalue()
        line.seek(0)
        line.truncate()
    yield line.getvalue()


class MeasurementFilter(filters.FilterSet):
    key = filters.CharFilter(field_name="quality__key")

    class Meta:
        model = Measurement
        fields: ClassVar = ["owner", "status"]


class MeasurementViewSet(ReadOnlyViewSet):
    """Links measured again on request, newest first."""

    queryset = Measurement.objects.select_related("quality")
    serializer_class = MeasurementSerializer
    site_field = "site_id"
    filterset_class = MeasurementFilter
    ordering_fields: ClassVar = ["id"]


class HeatRowSerializer(serializers.Serializer):
    rack = serializers.IntegerField()
    rack_name = serializers.CharField()
    u = serializers.FloatField()
    device = serializers.CharField()
    device_id = serializers.IntegerField()
    port_count = serializers.IntegerField(help_text="Ports whose temperature is reported.")
    max_c = serializers.FloatField(allow_null=True)
    mean_c = serializers.FloatField(allow_null=True)


class HeatGapSerializer(serializers.Serializer):
    rack = serializers.IntegerField()
    rack_name = serializers.CharField()
    u = serializers.FloatField()
    height_u = serializers.FloatField()
    column = serializers.CharField()


class HeatSerializer(serializers.Serializer):
    site = serializers.IntegerField()
    rows = HeatRowSerializer(many=True)
    gaps = HeatGapSerializer(many=True, help_text="Open units in these racks: hot air returns through them.")


class HeatView(APIView):
    """Switches by rack and height with the temperatures of their ports, and the open gaps beside them."""

    @extend_schema(
        operation_id="fabric_heat",
        parameters=[OpenApiParameter("site", int, required=True, description=SITE.description)],
        responses={200: HeatSerializer},
    )
    def get(self, request: Request) -> Response:
        return Response(heat(asked_site(request).pk))


def register(router: BaseRouter) -> None:
    router.register("fabric/links", LinkViewSet, basename="fabric-link")
    router.register("fabric/measurements", MeasurementViewSet, basename="fabric-measurement")


urlpatterns = [path("fabric/heat/", HeatView.as_view())]
