"""Sources, their discoveries and captures: configure, look now, upload, look at what was read."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import exceptions, serializers, status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import BaseRouter

from core.api import ReadOnlyViewSet
from core.errors import Conflict
from core.http.parsers import MultiPartParser
from core.http.seen import SeenRecord
from core.models import Credential, Role
from core.outgoing.binding import Refused
from core.outgoing.writes import LoginWrites
from fabric.discovery import hooks
from fabric.discovery.models.sources import Capture, CapturePart, Discovery, FabricSource
from fabric.discovery.services import discoveries, uploads
from fabric.discovery.services import sources as services
from fabric.discovery.services.addresses import permit_calls
from fabric.discovery.services.readers import FORMATS
from fabric.discovery.shapes import DiagnosisSerializer, DiscoveryCountsField, ProblemSerializer

WHERE_A_LOGIN_GOES = ("address", "credential", "kind", "options")
"""Options too: they name the switches that a password is sent to, and what is run by sudo."""


class SourceSerializer(serializers.ModelSerializer[FabricSource]):
    """A source. Its address, credential and options are for administrators of every site, or of the credential's."""

    serializer_related_field = SeenRecord
    credential = serializers.SlugRelatedField(
        slug_field="name", queryset=Credential.objects.all(), allow_null=True, required=False
    )
    options = serializers.DictField(required=False)
    period_s = serializers.IntegerField(min_value=0, max_value=7 * 86400, required=False)
    stale_after_s = serializers.IntegerField(min_value=60, max_value=365 * 86400, required=False)
    confirm_after_s = serializers.IntegerField(min_value=0, max_value=7 * 86400, required=False)
    guard_percent = serializers.IntegerField(min_value=0, max_value=100, required=False)
    keep_days = serializers.IntegerField(min_value=1, max_value=3650, required=False)

    class Meta:
        model = FabricSource
        fields: ClassVar = [
            "id", "site", "name", "kind", "fabric", "machine", "address", "credential", "identity", "options", "plan",
            "enabled", "period_s", "stale_after_s", "confirm_after_s", "guard_percent", "keep_days", "state", "message",
            "tried_at", "last_good_at",
        ]  # fmt: skip
        read_only_fields: ClassVar = ["state", "message", "tried_at", "last_good_at"]

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Everything a source points at is of its own site, and its kind has what it reads with."""

        def now(name: str) -> Any:
            return attrs.get(name, getattr(self.instance, name, None))

        site, machine, plan = now("site"), now("machine"), now("plan")
        if self.instance is not None and "site" in attrs and attrs["site"] != self.instance.site:
            raise serializers.ValidationError({"site": ["A source stays at its site."]})
        if machine is not None and machine.device.site_id != site.pk:
            raise serializers.ValidationError({"machine": ["This machine is of another site."]})
        if plan is not None and plan.site_id != site.pk:
            raise serializers.ValidationError({"plan": ["This plan is of another site."]})
        if now("kind") == FabricSource.Kind.UFM and not now("address"):
            raise serializers.ValidationError({"address": ["UFM needs an address."]})
        if now("kind") == FabricSource.Kind.IBDIAGS and machine is None and not now("address"):
            raise serializers.ValidationError({"machine": ["Name the machine to run on, or an address."]})
        if any(name in attrs for name in WHERE_A_LOGIN_GOES):
            self.check_calls(now("kind"), now("address") or "", now("options") or {}, now("credential"), site.pk)
        return attrs

    def check_calls(self, kind: str, address: str, options: Any, credential: Credential | None, site: int) -> None:
        try:
            permit_calls(kind, address, options, credential, site)
        except Refused as error:
            field = "options" if kind in (FabricSource.Kind.EAPI, FabricSource.Kind.NVUE) else "address"
            raise serializers.ValidationError({field: [str(error)]}) from error


class DiscoveryProgressSerializer(serializers.Serializer):
    done = serializers.IntegerField()
    total = serializers.IntegerField()
    stage = serializers.CharField()


class DiscoverySerializer(serializers.ModelSerializer[Discovery]):
    progress = DiscoveryProgressSerializer()
    counts = DiscoveryCountsField()
    problems = ProblemSerializer(many=True)
    held_back = serializers.SerializerMethodField()

    class Meta:
        model = Discovery
        fields: ClassVar = [
            "id", "source", "capture", "status", "requested_by", "accept_reason", "progress", "counts", "problems",
            "held_back", "message", "created_at", "started_at", "finished_at",
        ]  # fmt: skip

    def get_held_back(self, row: Discovery) -> str | None:
        return row.held_back or None


class AcceptAnywaySerializer(serializers.Serializer):
    reason = serializers.CharField(max_length=500)


class CaptureUploadSerializer(serializers.Serializer):
    """The files of one discovery run: the outputs of the tools, gzipped or not."""

    files = serializers.ListField(child=serializers.FileField(), min_length=1, max_length=uploads.MOST_FILES)
    format = serializers.ChoiceField(FORMATS, required=False, help_text="Of all files; else found by their content.")


class PartSerializer(serializers.ModelSerializer[CapturePart]):
    class Meta:
        model = CapturePart
        fields: ClassVar = ["id", "name", "format", "exit_status", "problem", "size"]


class CaptureSerializer(serializers.ModelSerializer[Capture]):
    parts = PartSerializer(many=True)

    class Meta:
        model = Capture
        fields: ClassVar = ["id", "source", "at", "by", "parts"]


class SourceViewSet(LoginWrites, ReadOnlyViewSet):
    """Where fabrics are read. Operators configure and start; where a login is sent is for administrators."""

    queryset = FabricSource.objects.select_related("credential").order_by("site", "name")
    serializer_class = SourceSerializer
    write_role = Role.OPERATOR
    roles = {"destroy": Role.ADMIN}  # noqa: RUF012  (read only)
    where_a_login_goes = WHERE_A_LOGIN_GOES
    save_row, delete_row = staticmethod(services.save), staticmethod(services.delete)
    filterset_fields: ClassVar = ["site", "kind", "fabric", "state", "enabled"]
    search_fields: ClassVar = ["name"]

    @extend_schema(request=None, responses={202: DiscoverySerializer})
    @action(detail=True, methods=["post"])
    def discover(self, request: Request, pk: str = "") -> Response:
        """Start a discovery run now. 409 while one is in progress."""
        source = self.get_object()
        return _started(lambda: discoveries.start(source, by=request.user.get_username()))

    @extend_schema(request={"multipart/form-data": CaptureUploadSerializer}, responses={202: DiscoverySerializer})
    @action(detail=True, methods=["post"], parser_classes=[MultiPartParser])
    def upload(self, request: Request, pk: str = "") -> Response:
        """Upload the files of a discovery run: they are kept and read as if the source had reported them now."""
        source = self.get_object()
        asked = CaptureUploadSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        files = [(file.name, file.read(uploads.MOST_BYTES + 1)) for file in asked.validated_data["files"]]
        try:
            parts = uploads.parts_from(files, asked.validated_data.get("format", ""))
        except uploads.FileRefused as error:
            raise exceptions.ValidationError({"files": [str(error)]}) from error
        return _started(lambda: discoveries.upload(source, parts, by=request.user.get_username()))


def _started(start: Any) -> Response:
    try:
        discovery: Discovery = start()
    except discoveries.AlreadyRunning as error:
        raise Conflict(f"A discovery run of this source is in progress: {error}.", "busy") from error
    return Response(DiscoverySerializer(discovery).data, status=status.HTTP_202_ACCEPTED)


class DiscoveryViewSet(ReadOnlyViewSet):
    """Discovery runs, newest first: how far each is, what it counted, why the guard rejected it."""

    queryset = Discovery.objects.select_related("source").order_by("-id")
    serializer_class = DiscoverySerializer
    site_field = "source__site_id"
    write_role = Role.OPERATOR
    filterset_fields: ClassVar = {
        "source": ["exact"], "source__site": ["exact"], "status": ["exact"], "created_at": ["gte", "lte"],
    }  # fmt: skip

    @extend_schema(request=AcceptAnywaySerializer, responses={202: DiscoverySerializer})
    @action(detail=True, methods=["post"], url_path="accept-anyway")
    def accept_anyway(self, request: Request, pk: str = "") -> Response:
        """Accept a discovery run that the guard rejected: what vanished is really gone. It is compared again."""
        held = self.get_object()
        asked = AcceptAnywaySerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        reason = asked.validated_data["reason"]
        return _started(lambda: services.accept_anyway(held, reason=reason, by=request.user.get_username()))

    @extend_schema(responses={200: DiagnosisSerializer})
    @action(detail=True, methods=["get"])
    def diagnosis(self, request: Request, pk: str = "") -> Response:
        """Derive the diagnosis again, from the capture as it was read and the plan as it is now. Nothing is written."""
        return Response(hooks.comparison().diagnosis_of(self.get_object()))


class CaptureViewSet(ReadOnlyViewSet):
    """What was read, word for word, as long as its source keeps it."""

    queryset = Capture.objects.prefetch_related("parts").order_by("-id")
    serializer_class = CaptureSerializer
    site_field = "source__site_id"
    filterset_fields: ClassVar = {"source": ["exact"], "at": ["gte", "lte"]}

    def get_queryset(self) -> QuerySet:
        rows = super().get_queryset()
        return rows.select_related("source") if self.action != "list" else rows

    @extend_schema(responses={(200, "text/plain"): OpenApiTypes.STR})
    @action(detail=True, methods=["get"], url_path=r"parts/(?P<part>[0-9]{1,18})")
    def part(self, request: Request, part: str, pk: str = "") -> HttpResponse:
        """One output as it was printed."""
        row = self.get_object().parts.filter(pk=int(part)).first()
        if row is None:
            raise exceptions.NotFound
        return HttpResponse(row.text, content_type="text/plain; charset=utf-8")


def register(router: BaseRouter) -> None:
    router.register("fabric/sources", SourceViewSet, basename="fabric-source")
    router.register("fabric/discoveries", DiscoveryViewSet, basename="fabric-discovery")
    router.register("fabric/captures", CaptureViewSet, basename="fabric-capture")
