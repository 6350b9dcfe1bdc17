"""Routes of documents, lists and labels. All only read, and show what is at the sites the caller may see."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpResponse
from django.urls import URLPattern, path
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import exceptions, serializers
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.accounts.scope import limit_to_sites, request_roles, visible_site_ids
from core.models import Site
from core.rest.renderers import JSONRenderer
from core.spreadsheets import CSV_TYPE
from core.spreadsheets.workbooks import XLSX_TYPE
from inventory.models.devices import DeviceKind
from inventory.papers import lists
from inventory.papers.cables import cables
from inventory.papers.devices import devices
from inventory.papers.documents import ansible_inventory, node_name_map, prometheus_targets
from inventory.papers.labels import LAYOUTS, Label, cable_labels, device_label, pdf, rack_label
from inventory.papers.queries import adapters, racks
from inventory.papers.shapes import AnsibleInventorySerializer

MAX_LABELS = 5000


# ---- what may be asked ----


class IdList(serializers.CharField):
    """1,2,3: at most 5,000 ids."""

    def to_internal_value(self, data: Any) -> list[int]:  # type: ignore[override]
        words = [word.strip() for word in super().to_internal_value(data).split(",") if word.strip()]
        if not all(word.isascii() and word.isdecimal() and len(word) <= 18 for word in words):
            raise serializers.ValidationError("Ids, with commas between them.")
        return [int(word) for word in words]


class PlaceQuery(serializers.Serializer):
    """Filters that all papers have. `site` is an id or a short name."""

    site = serializers.CharField(required=False, max_length=50)
    room = serializers.IntegerField(required=False, min_value=1, max_value=2**63 - 1)
    row = serializers.IntegerField(required=False, min_value=1, max_value=2**63 - 1)
    rack = serializers.IntegerField(required=False, min_value=1, max_value=2**63 - 1)
    tag = serializers.CharField(required=False, max_length=50)
    ids = IdList(required=False, max_length=100_000)


class DeviceQuery(PlaceQuery):
    kind = serializers.ChoiceField(DeviceKind.choices, required=False)
    role = serializers.CharField(required=False, max_length=30)
    model = serializers.SlugField(required=False)
    fabric = serializers.CharField(required=False, max_length=12)
    tier = serializers.CharField(required=False, max_length=10)
    status = serializers.ChoiceField(["planned", "active", "retired"], required=False)


class TargetQuery(DeviceQuery):
    port = serializers.IntegerField(default=9100, min_value=1, max_value=65535)
    address = serializers.ChoiceField(["primary", "bmc", "name"], default="primary")


class NodeNameQuery(serializers.Serializer):
    site = serializers.CharField(required=False, max_length=50)
    machines = serializers.BooleanField(required=False, default=False)


class CableQuery(PlaceQuery):
    device = serializers.IntegerField(required=False, min_value=1, max_value=2**63 - 1)
    status = serializers.ChoiceField(["planned", "connected", "to_move", "removed"], required=False)
    type = serializers.CharField(required=False, max_length=30)
    bundle = serializers.CharField(required=False, max_length=60)
    label = serializers.CharField(required=False, max_length=40)  # type: ignore[assignment]


class SheetQuery(serializers.Serializer):
    layout = serializers.ChoiceField(list(LAYOUTS), default="avery-l4731")
    start = serializers.IntegerField(default=1, min_value=1, max_value=200)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        labels = LAYOUTS[attrs["layout"]].per_page
        if attrs["start"] > labels:
            raise serializers.ValidationError({"start": [f"A sheet of {attrs['layout']} has {labels} labels."]})
        return attrs


def asked(request: Request, kind: type[serializers.Serializer]) -> dict[str, Any]:
    """The checked query, with the site's id and the sites that may be seen. An unknown or foreign site is not found."""
    query = kind(data=request.query_params)
    query.is_valid(raise_exception=True)
    wanted = dict(query.validated_data)
    roles = request_roles(request)
    if site := wanted.pop("site", None):
        rows = limit_to_sites(Site.objects.all(), roles, "id")
        by_id = site.isascii() and site.isdecimal() and len(site) <= 18
        found = rows.filter(pk=int(site)) if by_id else rows.filter(slug=site)
        wanted["site"] = found.values_list("pk", flat=True).first()
        if wanted["site"] is None:
            raise exceptions.NotFound("There is no such site.")
    return wanted | {"visible": visible_site_ids(roles)}


# ---- answers that are not JSON ----


class AnyType(DefaultContentNegotiation):
    """The route has one type of answer, whatever `Accept` says; refusals are JSON."""

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        return renderers[0], renderers[0].media_type


def document(content: bytes, kind: str, filename: str = "") -> HttpResponse:
    response = HttpResponse(content, content_type=kind)
    if filename:
        response.headers["Content-Disposition"] = f'inline; filename="{filename}"'
    return response


class PaperView(APIView):
    content_negotiation_class = AnyType
    renderer_classes = (JSONRenderer,)


TEXT, PDF, CSV, XLSX = "text/plain; charset=utf-8", "application/pdf", CSV_TYPE, XLSX_TYPE
LIST = {(200, "text/csv"): OpenApiTypes.BINARY, (200, XLSX): OpenApiTypes.BINARY}


# ---- documents ----


class TargetGroupSerializer(serializers.Serializer):
    targets = serializers.ListField(child=serializers.CharField())
    labels = serializers.DictField(child=serializers.CharField())  # type: ignore[assignment]


class PrometheusView(PaperView):
    bare_list = True  # as Prometheus reads it

    @extend_schema(parameters=[TargetQuery], responses=TargetGroupSerializer(many=True))
    def get(self, request: Request) -> Response:
        """Targets for Prometheus' HTTP service discovery: machines unless `kind` asks for others, [] for none."""
        wanted = asked(request, TargetQuery)
        port, address = wanted.pop("port"), wanted.pop("address")
        rows = devices(kinds=[wanted.pop("kind", "machine")], **wanted)
        return Response(prometheus_targets(rows, port=port, address=address))


class AnsibleView(PaperView):
    @extend_schema(parameters=[DeviceQuery], responses=AnsibleInventorySerializer)
    def get(self, request: Request) -> Response:
        """A dynamic inventory as scripts of Ansible print it for --list: machines and switches unless `kind` asks."""
        wanted = asked(request, DeviceQuery)
        kind = wanted.pop("kind", None)
        return Response(ansible_inventory(devices(kinds=[kind] if kind else ["machine", "switch"], **wanted)))


class NodeNameMapView(PaperView):
    @extend_schema(parameters=[NodeNameQuery], responses={(200, "text/plain"): OpenApiTypes.STR})
    def get(self, request: Request) -> HttpResponse:
        """A node-name-map for infiniband-diags and opensm: InfiniBand switches, and with `machines` the adapters."""
        wanted = asked(request, NodeNameQuery)
        with_machines = wanted.pop("machines")
        rows = devices(kinds=["switch"], fabric="infiniband", **wanted)
        more = adapters(wanted["visible"], wanted.get("site")) if with_machines else []
        return document(node_name_map(rows, more).encode(), TEXT, "node-name-map")


class CableListView(PaperView):
    """`as_view(kind="csv")` or `"xlsx"`."""

    kind = "csv"

    @extend_schema(parameters=[CableQuery], responses={(200, "*/*"): OpenApiTypes.BINARY})
    def get(self, request: Request) -> HttpResponse:
        """The cables with both ends and their places, in walking order, for whoever lays them."""
        lines = lists.cable_lines(cables(**asked(request, CableQuery)))
        if self.kind == "xlsx":
            return document(lists.as_xlsx(lines), XLSX, "cable-list.xlsx")
        return document(lists.as_csv(lines), CSV, "cable-list.csv")


# ---- labels ----

SHEET = {(200, PDF): OpenApiTypes.BINARY}


def sheets(
    request: Request, title: str, query: type[serializers.Serializer], labels_of: Callable[..., list[Label]]
) -> HttpResponse:
    """The labels of what the query asks for, on sheets of the layout it names."""
    sheet = SheetQuery(data=request.query_params)
    sheet.is_valid(raise_exception=True)
    labels = labels_of(**asked(request, query))
    if len(labels) > MAX_LABELS:
        text = f"That makes {len(labels)} labels; {MAX_LABELS} at once are possible. Narrow it down by rack or row."
        raise serializers.ValidationError({"non_field_errors": [text]})
    layout = LAYOUTS[sheet.validated_data["layout"]]
    content = pdf(labels, layout, start=sheet.validated_data["start"], title=title)
    return document(content, PDF, f"{title.lower().replace(' ', '-')}.pdf")


class CableLabelView(PaperView):
    @extend_schema(parameters=[CableQuery, SheetQuery], responses=SHEET)
    def get(self, request: Request) -> HttpResponse:
        """Labels of cables, one for each end, with a QR code of the cable's page."""
        return sheets(request, "Cable labels", CableQuery, lambda **wanted: cable_labels(cables(**wanted)))


class MachineLabelView(PaperView):
    @extend_schema(parameters=[DeviceQuery, SheetQuery], responses=SHEET)
    def get(self, request: Request) -> HttpResponse:
        """Labels of machines, or of other devices if `kind` asks, with a QR code of their page."""

        def labels(kind: str = "machine", **wanted: Any) -> list[Label]:
            return [device_label(row) for row in devices(kinds=[kind], **wanted)]

        return sheets(request, "Machine labels", DeviceQuery, labels)


class RackLabelView(PaperView):
    @extend_schema(parameters=[PlaceQuery, SheetQuery], responses=SHEET)
    def get(self, request: Request) -> HttpResponse:
        """Labels of racks, with a QR code of their page."""
        return sheets(
            request, "Rack labels", PlaceQuery, lambda **wanted: [rack_label(*row) for row in racks(**wanted)]
        )


urlpatterns: list[URLPattern] = [
    path("export/prometheus-sd/", PrometheusView.as_view(), name="export-prometheus"),
    path("export/ansible/", AnsibleView.as_view(), name="export-ansible"),
    path("export/node-name-map/", NodeNameMapView.as_view(), name="export-node-name-map"),
    path("export/cable-list.csv", CableListView.as_view(kind="csv"), name="export-cable-list-csv"),
    path("export/cable-list.xlsx", CableListView.as_view(kind="xlsx"), name="export-cable-list-xlsx"),
    path("labels/cables.pdf", CableLabelView.as_view(), name="labels-cables"),
    path("labels/machines.pdf", MachineLabelView.as_view(), name="labels-machines"),
    path("labels/racks.pdf", RackLabelView.as_view(), name="labels-racks"),
]
