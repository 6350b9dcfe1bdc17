"""The fabric at a glance and over time: overview, matrix, every link beside its plan, at a time, what changed."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from django.db.models import Q, QuerySet
from django.urls import path
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import exceptions, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import BaseRouter
from rest_framework.views import APIView

from core.api import ReadOnlyViewSet
from fabric.discovery.models.seen import FabricLink
from fabric.discovery.models.sources import FabricSource
from fabric.discovery.shapes import LinkStatesSerializer
from fabric.facts import NodeKind
from fabric.wiring.api.shapes import SITE, SOURCE, asked_sites, instant, number, sources_of
from fabric.wiring.queries import history
from fabric.wiring.queries.overview import matrix, overview

TIME = OpenApiTypes.DATETIME
PAGE = 1000


class OverviewSourceSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    site = serializers.IntegerField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(FabricSource.Kind.values)
    fabric = serializers.ChoiceField(FabricSource.Fabric.values)
    state = serializers.ChoiceField(FabricSource.State.values)
    message = serializers.CharField(allow_blank=True)
    last_good_at = serializers.DateTimeField(allow_null=True)


class TierSerializer(serializers.Serializer):
    """Switches of a tier: seen, expected by the inventory, of those named, and seen once but not now."""

    tier = serializers.CharField(allow_blank=True)
    switches = serializers.IntegerField()
    expected = serializers.IntegerField()
    named = serializers.IntegerField()
    off = serializers.IntegerField()


class PlannedLinkStatesSerializer(LinkStatesSerializer):
    """Links by state, and how many are planned."""

    def get_fields(self) -> dict[str, serializers.Field]:
        return {"planned": serializers.IntegerField(min_value=0), **super().get_fields()}


class OverviewSerializer(serializers.Serializer):
    sources = OverviewSourceSerializer(many=True)
    counts = serializers.DictField(child=serializers.IntegerField(), help_text="Findings by state.")
    tiers = TierSerializer(many=True)
    findings = serializers.DictField(child=serializers.IntegerField(), help_text="New and open ones by kind.")
    links = PlannedLinkStatesSerializer()


class OverviewView(APIView):
    """Sources, tiers, links by state and findings by kind."""

    @extend_schema(operation_id="fabric_overview", parameters=[SITE], responses=OverviewSerializer)
    def get(self, request: Request) -> Response:
        return Response(OverviewSerializer(overview(asked_sites(request))).data)


class LeafPlaceSerializer(serializers.Serializer):
    room = serializers.CharField(allow_blank=True)
    row = serializers.CharField(allow_blank=True)
    rack = serializers.CharField(allow_blank=True)
    u = serializers.FloatField(allow_null=True)


class LeafSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()
    place = LeafPlaceSerializer()
    pod = serializers.IntegerField(allow_null=True)


class CellSerializer(serializers.Serializer):
    """The state a person should look at first, and how many links there are of each."""

    state = serializers.ChoiceField(FabricLink.State.values)
    counts = serializers.DictField(child=serializers.IntegerField())


@extend_schema_field(CellSerializer)
class CellField(serializers.DictField):
    """A cell; null where no link is planned or seen."""


class MatrixSerializer(serializers.Serializer):
    rails = serializers.ListField(child=serializers.IntegerField())
    leaves = LeafSerializer(many=True)
    cells = serializers.ListField(child=serializers.ListField(child=CellField(allow_null=True)))


class MatrixView(APIView):
    """Leaf by rail: how the links between machines and leaves stand."""

    @extend_schema(operation_id="fabric_matrix", parameters=[SITE], responses=MatrixSerializer)
    def get(self, request: Request) -> Response:
        return Response(matrix(asked_sites(request)))


class SeenEndSerializer(serializers.Serializer):
    """A port as it was seen; `device` is the planned one, empty where nobody knows which it is."""

    guid = serializers.CharField()
    port = serializers.IntegerField()
    device = serializers.CharField(allow_blank=True)
    device_id = serializers.IntegerField(allow_null=True)
    reported = serializers.CharField(allow_blank=True, help_text="What it calls itself.")


class SeenLinkSerializer(serializers.Serializer):
    source = serializers.IntegerField()  # type: ignore[assignment]  # DRF's fields have a source of their own
    a = SeenEndSerializer()
    b = SeenEndSerializer()
    width = serializers.CharField(allow_blank=True)
    speed = serializers.CharField(allow_blank=True)


class LinkThenSerializer(SeenLinkSerializer):
    since = serializers.DateTimeField()
    until = serializers.DateTimeField(allow_null=True, help_text="Null for one that is still there.")


class LinksThenSerializer(serializers.Serializer):
    time = serializers.DateTimeField()
    count = serializers.IntegerField(min_value=0, help_text="On all pages; 0 behind the last one.")
    page = serializers.IntegerField(min_value=1)
    page_size = serializers.IntegerField(min_value=1)
    results = LinkThenSerializer(many=True)


class ChangedLinkSerializer(SeenLinkSerializer):
    at = serializers.DateTimeField(help_text="When it came, or was gone.")


class LinkPairSerializer(serializers.Serializer):
    before = ChangedLinkSerializer()
    after = ChangedLinkSerializer()


class ChangedLinksSerializer(serializers.Serializer):
    come = ChangedLinkSerializer(many=True)
    gone = ChangedLinkSerializer(many=True)
    moved = LinkPairSerializer(many=True, help_text="One end stayed in its port.")
    rate = LinkPairSerializer(many=True, help_text="Of another width or speed.")


class ChangedNodeSerializer(serializers.Serializer):
    source = serializers.IntegerField()  # type: ignore[assignment]  # DRF's fields have a source of their own
    guid = serializers.CharField()
    kind = serializers.ChoiceField([kind.value for kind in NodeKind])
    reported = serializers.CharField(allow_blank=True, help_text="What it calls itself.")
    device = serializers.CharField(allow_blank=True)
    device_id = serializers.IntegerField(allow_null=True)
    at = serializers.DateTimeField(help_text="When it came, or was gone.")


class NodePairSerializer(serializers.Serializer):
    before = ChangedNodeSerializer()
    after = ChangedNodeSerializer()


class ChangedNodesSerializer(serializers.Serializer):
    come = ChangedNodeSerializer(many=True)
    gone = ChangedNodeSerializer(many=True)
    changed = NodePairSerializer(many=True)


class FabricChangesSerializer(serializers.Serializer):
    begin = serializers.DateTimeField()
    end = serializers.DateTimeField()
    cut_off = serializers.BooleanField(help_text="There were more; ask for a shorter time.")
    links = ChangedLinksSerializer()
    nodes = ChangedNodesSerializer()

    def get_fields(self) -> dict[str, serializers.Field]:
        words = {"begin": "from", "end": "to"}  # `from` is a word of Python's own
        return {words.get(name, name): field for name, field in super().get_fields().items()}


class AtView(APIView):
    """The links of the fabric at a time (`time`; now without it), 1,000 a page; none behind the last is found."""

    @extend_schema(
        operation_id="fabric_at",
        parameters=[
            OpenApiParameter("time", TIME), OpenApiParameter("device", int, description="Only links of this device."),
            SITE, SOURCE, OpenApiParameter("page", int),
        ],
        responses={200: LinksThenSerializer},
    )  # fmt: skip
    def get(self, request: Request) -> Response:
        at = instant(request, "time") or timezone.now()
        page = max(1, min(number(request, "page") or 1, 1_000_000))
        ids = list(sources_of(request).values_list("pk", flat=True))
        device = number(request, "device")
        total, rows = history.links_at(ids, at, device, most=PAGE, skip=(page - 1) * PAGE)
        if page > 1 and not rows:
            raise exceptions.NotFound("Invalid page.")
        return Response({"time": at, "count": total, "page": page, "page_size": PAGE, "results": rows})


class ChangesView(APIView):
    """What differs between two times: links come, gone, moved and of another rate; nodes come, gone and changed."""

    @extend_schema(
        operation_id="fabric_changes",
        parameters=[
            OpenApiParameter("from", TIME, required=True), OpenApiParameter("to", TIME, description="Now without it."),
            SITE, SOURCE,
        ],
        responses={200: FabricChangesSerializer},
    )  # fmt: skip
    def get(self, request: Request) -> Response:
        since: datetime | None = instant(request, "from")
        until = instant(request, "to") or timezone.now()
        if since is None:
            raise exceptions.ValidationError({"from": ["A time is needed."]})
        if since > until:
            raise exceptions.ValidationError({"from": ["This is after the end."]})
        ids = list(sources_of(request).values_list("pk", flat=True))
        return Response(history.changes(ids, since, until))


class FabricEndSerializer(serializers.Serializer):
    """A port of a planned device, and the device that was seen there."""

    device = serializers.CharField(allow_blank=True)
    port = serializers.IntegerField()
    guid = serializers.CharField(allow_blank=True)
    port_id = serializers.IntegerField(allow_null=True)


class FabricLinkSerializer(serializers.ModelSerializer[FabricLink]):
    site = serializers.IntegerField(source="source.site_id", read_only=True)
    a = serializers.SerializerMethodField()
    b = serializers.SerializerMethodField()

    class Meta:
        model = FabricLink
        fields: ClassVar = [
            "id", "site", "source", "key", "cable", "state", "a", "b", "width", "speed", "tier", "rail", "since",
        ]  # fmt: skip

    def _end(self, name: str, port: int, guid: str, port_id: int | None) -> dict[str, Any]:
        return {"device": name, "port": port, "guid": guid, "port_id": port_id}

    @extend_schema_field(FabricEndSerializer)
    def get_a(self, row: FabricLink) -> dict[str, Any]:
        return self._end(row.a_name, row.a_number, row.a_guid, row.a_port_id)

    @extend_schema_field(FabricEndSerializer)
    def get_b(self, row: FabricLink) -> dict[str, Any]:
        return self._end(row.b_name, row.b_number, row.b_guid, row.b_port_id)


class FabricLinkFilter(filters.FilterSet):
    """`device` is the name of a planned device, at either end; `machine` takes all adapters of a machine's name."""

    state = filters.BaseInFilter(field_name="state")
    device = filters.CharFilter(method="at_device")
    machine = filters.CharFilter(method="of_machine")
    site = filters.NumberFilter(field_name="source__site_id", method="of_site")

    class Meta:
        model = FabricLink
        fields: ClassVar = ["source", "state", "tier", "rail", "cable", "key"]

    def at_device(self, rows: QuerySet[FabricLink], name: str, value: str) -> QuerySet[FabricLink]:
        return rows.filter(Q(a_name=value) | Q(b_name=value))

    def of_machine(self, rows: QuerySet[FabricLink], name: str, value: str) -> QuerySet[FabricLink]:
        return rows.filter(Q(a_name__startswith=f"{value} ") | Q(b_name__startswith=f"{value} "))

    def of_site(self, rows: QuerySet[FabricLink], name: str, value: float) -> QuerySet[FabricLink]:
        return rows.filter(source__site_id=int(value)) if 0 <= value < 2**63 else rows.none()


class WiringViewSet(ReadOnlyViewSet):
    """Every planned link with what became of it, and every link that nobody planned."""

    queryset = FabricLink.objects.select_related("source").order_by("id")
    serializer_class = FabricLinkSerializer
    site_field = "source__site_id"
    filterset_class = FabricLinkFilter
    search_fields: ClassVar = ["key", "a_name", "b_name"]
    ordering_fields: ClassVar = ["id", "state", "since", "key"]


def register(router: BaseRouter) -> None:
    router.register("fabric/wiring", WiringViewSet, basename="fabric-wiring")


urlpatterns = [
    path("fabric/overview/", OverviewView.as_view()),
    path("fabric/matrix/", MatrixView.as_view()),
    path("fabric/at/", AtView.as_view()),
    path("fabric/changes/", ChangesView.as_view()),
]
