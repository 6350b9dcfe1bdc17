"""Names by place: what the wiring says switches should be called, approve or reject it, and the node-name-map."""

from __future__ import annotations

from typing import Any, ClassVar

from django.http import HttpResponse
from django.urls import path
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import exceptions, serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import BaseRouter
from rest_framework.views import APIView

from core.accounts.scope import allows, limit_to_sites, request_roles
from core.api import ReadOnlyViewSet
from core.models import Role
from core.rest.lists import listed
from fabric.wiring.api.shapes import SITE, asked_site, sources_of
from fabric.wiring.models.names import NameProposal
from fabric.wiring.queries.misplaced import misplaced
from fabric.wiring.services import names

MOST_NAMES = 10_000


class NameSerializer(serializers.ModelSerializer[NameProposal]):
    site = serializers.IntegerField(source="source.site_id", read_only=True)
    evidence = serializers.DictField(help_text="How its links vote: what it was concluded from.")
    device_name = serializers.SerializerMethodField()

    class Meta:
        model = NameProposal
        fields: ClassVar = [
            "id", "site", "source", "guid", "reported", "proposed", "device", "device_name", "agreeing", "asked",
            "margin", "certain", "evidence", "state", "message", "first_seen_at", "last_seen_at", "decided_at",
            "decided_by", "reason", "written_at",
        ]  # fmt: skip

    def get_device_name(self, row: NameProposal) -> str | None:
        return row.device.name if row.device is not None else None


class ApproveSerializer(serializers.Serializer):
    """`unsure`: also names below the margin and agreement that are usually asked for."""

    ids = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=2**62), allow_empty=False, max_length=MOST_NAMES
    )
    unsure = serializers.BooleanField(default=False)


class RejectSerializer(serializers.Serializer):
    reason = serializers.CharField(max_length=500)


class NameViewSet(ReadOnlyViewSet):
    """Proposed names with votes and margin. Nothing is written before an operator approved it."""

    queryset = NameProposal.objects.select_related("source", "device").order_by("-id")
    serializer_class = NameSerializer
    site_field = "source__site_id"
    write_role = Role.OPERATOR
    filterset_fields: ClassVar = {
        "source": ["exact"], "source__site": ["exact"], "state": ["exact", "in"], "certain": ["exact"],
        "guid": ["exact"], "device": ["exact"],
    }  # fmt: skip
    search_fields: ClassVar = ["proposed", "reported", "guid"]

    @extend_schema(request=ApproveSerializer, responses={200: NameSerializer(many=True)})
    @action(detail=False, methods=["post"], pagination_class=None, filter_backends=[])
    def approve(self, request: Request) -> Response:
        """Approve several names, all or none."""
        asked = ApproveSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        ids = set(asked.validated_data["ids"])
        roles = request_roles(request)
        rows = list(
            limit_to_sites(NameProposal.objects.filter(pk__in=ids), roles, "source__site_id").select_related("source")
        )
        if len(rows) < len(ids):
            raise exceptions.ValidationError({"ids": ["One of them does not exist, or you may not see it."]})
        if not all(allows(roles, row.source.site_id, Role.OPERATOR) for row in rows):
            raise exceptions.PermissionDenied("Your role on that site does not allow this.")
        by = request.user.get_username()
        done = names.approve(rows, by=by, unsure=asked.validated_data["unsure"])
        shown = NameProposal.objects.select_related("source", "device").filter(pk__in=[row.pk for row in done])
        return Response(NameSerializer(shown.order_by("id"), many=True).data)

    @extend_schema(request=RejectSerializer, responses={200: NameSerializer})
    @action(detail=True, methods=["post"])
    def reject(self, request: Request, pk: str = "") -> Response:
        """This name is not proposed again for this switch."""
        row = self.get_object()
        asked = RejectSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        names.reject(row, by=request.user.get_username(), reason=asked.validated_data["reason"])
        return Response(NameSerializer(self.get_queryset().get(pk=row.pk)).data)


class NodeNameMapView(APIView):
    """A node-name-map for infiniband-diags and opensm from what a source shows and what was approved."""

    @extend_schema(
        operation_id="fabric_node_name_map",
        parameters=[OpenApiParameter("source", int, required=True, description="Id of the source.")],
        responses={(200, "text/plain"): OpenApiTypes.STR},
    )
    def get(self, request: Request) -> HttpResponse:
        source = sources_of(request).first() if request.query_params.get("source") else None
        if source is None:
            raise exceptions.ValidationError({"source": ["The id of a source is needed."]})
        answer = HttpResponse(names.node_name_map(source), content_type="text/plain; charset=utf-8")
        answer["Content-Disposition"] = 'attachment; filename="node-name-map"'
        return answer


class MisplacedSerializer(serializers.Serializer):
    """A switch whose name is not that of its place, by the site's naming rule."""

    device_id = serializers.IntegerField()
    name = serializers.CharField()
    tier = serializers.CharField(allow_blank=True)
    place = serializers.CharField()
    name_of_place = serializers.CharField()
    place_of_name = serializers.CharField(allow_null=True)
    seen_as = serializers.CharField(allow_null=True, help_text="What the fabric reports there.")


class MisplacedView(APIView):
    """Every switch of a site whose name and place disagree."""

    @extend_schema(
        operation_id="fabric_misplaced",
        parameters=[OpenApiParameter("site", int, required=True, description=SITE.description or "")],
        responses=MisplacedSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        rows: list[dict[str, Any]] = misplaced(asked_site(request).pk)
        return listed(rows)


def register(router: BaseRouter) -> None:
    router.register("fabric/names", NameViewSet, basename="name-proposal")


urlpatterns = [
    path("fabric/names/node-name-map/", NodeNameMapView.as_view()),
    path("fabric/misplaced/", MisplacedView.as_view()),
]
