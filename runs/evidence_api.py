"""The routes of what is fetched from the machines of runs: collections, what came of each machine, a site's settings.

Summaries only: lines of logs go to those whom the site lets read them, and files as they came only by download.
"""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator
from typing import Any, ClassVar

from django.db.models import BooleanField, Count, ExpressionWrapper, Q, QuerySet, Sum
from django.http import Http404, StreamingHttpResponse
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema, extend_schema_field
from rest_framework import mixins, serializers, status
from rest_framework.authentication import SessionAuthentication
from rest_framework.decorators import action
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import BaseRouter
from rest_framework.views import APIView

from core.accounts.authentication import TokenAuthentication
from core.accounts.scope import limit_to_sites, request_roles
from core.api import ReadOnlyViewSet, SiteScopedViewSet
from core.errors import Conflict
from core.http.parsers import MultiPartParser, refuse_large
from core.http.streams import streamed
from core.models import Role, Site
from health.external.api import SourceAuthentication, SourceOnly
from health.external.models import ReportSource
from health.machines.parameters import LARGEST_ID, PAGE, page_of, paged
from runs.causes.classes import CLASSES
from runs.collection import answer, places, pushed
from runs.models import CollectedMachine, Collection, EvidenceSettings, TrainingRun
from runs.services import collections, pushes

MOST_RANKS = 9_999_999
"""Seven digits are what a piece of evidence has for its rank."""
MOST_PUSHED = 64
"""Files of one request."""
ALL_OF_IT = ExpressionWrapper(Q(result="ok"), output_field=BooleanField()).asc()


# ---- what all machines said ----
class EvidenceCauseSerializer(serializers.Serializer):
    """Lines of one meaning. `text` is empty for those who may not read logs."""

    cause = serializers.ChoiceField(sorted(CLASSES), source="class")
    means = serializers.CharField()
    follows = serializers.BooleanField(help_text="A consequence of something else.")
    lines = serializers.IntegerField()
    ranks = serializers.ListField(child=serializers.IntegerField(), help_text="The first 64.")
    ranks_count = serializers.IntegerField()
    source = serializers.CharField()  # type: ignore[assignment]
    line = serializers.IntegerField()
    at = serializers.DateTimeField(allow_null=True, help_text="By a clock that is right.")
    text = serializers.CharField(allow_blank=True)


class EvidenceStackSerializer(serializers.Serializer):
    """Processes that stand at the same place."""

    odd = serializers.BooleanField(help_text="The others wait for these.")
    waits = serializers.BooleanField(help_text="They wait in a collective.")
    count = serializers.IntegerField()
    ranks = serializers.ListField(child=serializers.IntegerField(), help_text="The first 64.")
    frames = serializers.ListField(child=serializers.CharField(), help_text="Innermost first.")


class EvidenceBehindSerializer(serializers.Serializer):
    rank = serializers.IntegerField()
    collective = serializers.CharField()
    why = serializers.CharField()
    kind = serializers.ChoiceField(["behind", "mismatch"])


class EvidenceGroupSerializer(serializers.Serializer):
    """A process group in which somebody is behind, by the flight recorder."""

    name = serializers.CharField()
    size = serializers.IntegerField()
    count = serializers.IntegerField(help_text="Ranks that are behind, or called something else.")
    behind = EvidenceBehindSerializer(many=True, help_text="The first 64.")


class EvidenceKernelSerializer(serializers.Serializer):
    """A process that the kernel holds (state D)."""

    rank = serializers.IntegerField(allow_null=True)
    machine = serializers.CharField()
    pid = serializers.IntegerField()
    name = serializers.CharField()
    place = serializers.CharField(allow_blank=True)
    waits_for = serializers.CharField()
    frames = serializers.ListField(child=serializers.CharField())


class EvidenceRasSerializer(serializers.Serializer):
    """A process that NCCL misses, or that has begun fewer collectives."""

    rank = serializers.IntegerField(allow_null=True)
    machine = serializers.CharField()
    pid = serializers.IntegerField()
    collective = serializers.CharField(allow_blank=True)
    why = serializers.CharField()


class UnreadableFileSerializer(serializers.Serializer):
    file = serializers.CharField()
    reason = serializers.CharField()


class EvidenceSummarySerializer(serializers.Serializer):
    logs = serializers.IntegerField()
    log_bytes = serializers.IntegerField(help_text="Of the logs where they lie; a part of them was fetched.")
    first_at = serializers.DateTimeField(allow_null=True)
    last_at = serializers.DateTimeField(allow_null=True)
    causes = EvidenceCauseSerializer(many=True)
    stacks = EvidenceStackSerializer(many=True)
    groups = EvidenceGroupSerializer(many=True)
    kernel = EvidenceKernelSerializer(many=True)
    ras = EvidenceRasSerializer(many=True)
    dumps = serializers.IntegerField()
    unreadable = UnreadableFileSerializer(many=True)


# ---- collections ----
class CollectionSerializer(serializers.ModelSerializer[Collection]):
    state = serializers.ChoiceField(Collection.Status.values, source="status", read_only=True)
    by = serializers.CharField(source="requested_by", read_only=True)
    machines = serializers.IntegerField(source="machines_count", read_only=True)
    answered = serializers.IntegerField(source="answered_count", read_only=True, help_text="Machines that are through.")
    complete = serializers.IntegerField(source="ok_count", read_only=True, help_text="Machines that gave everything.")
    size = serializers.IntegerField(read_only=True, help_text="Bytes that are kept, compressed.")

    class Meta:
        model = Collection
        fields: ClassVar = [
            "id", "site", "run", "state", "reason", "by", "machines", "answered", "complete", "size", "message",
            "created_at", "started_at", "finished_at",
        ]  # fmt: skip


class CollectionDetailSerializer(CollectionSerializer):
    summary = serializers.SerializerMethodField()
    may_read_logs = serializers.SerializerMethodField(help_text="Whether you may; else lines are empty.")

    class Meta(CollectionSerializer.Meta):
        fields: ClassVar = [*CollectionSerializer.Meta.fields, "summary", "may_read_logs"]

    def get_may_read_logs(self, row: Collection) -> bool:
        return bool(self.context["may_read_logs"])

    @extend_schema_field(EvidenceSummarySerializer(allow_null=True))
    def get_summary(self, row: Collection) -> dict[str, Any] | None:
        if not row.summary:
            return None
        told: dict[str, Any] = EvidenceSummarySerializer(row.summary).data
        if not self.context["may_read_logs"]:
            for cause in told["causes"]:
                cause["text"] = ""
        return told


class CollectedMachineSerializer(serializers.ModelSerializer[CollectedMachine]):
    class Meta:
        model = CollectedMachine
        fields: ClassVar = [
            "id", "machine", "name", "ranks", "result", "message", "took_s", "clock_ahead_s", "answered_at", "size",
        ]  # fmt: skip

    ranks = serializers.ListField(child=serializers.IntegerField(), read_only=True)


class NewCollectionSerializer(serializers.Serializer):
    run = serializers.IntegerField(min_value=1, max_value=LARGEST_ID)


class CollectionFilter(filters.FilterSet):
    run = filters.NumberFilter(method="by_run")

    class Meta:
        model = Collection
        fields: ClassVar[list[str]] = []

    def by_run(self, rows: QuerySet, name: str, value: float) -> QuerySet:
        return rows.filter(run_id=int(value)) if 0 <= value <= LARGEST_ID else rows.none()


class CollectionViewSet(ReadOnlyViewSet):
    """Evidence fetched from the machines of runs, the newest first. Starting one needs operator."""

    queryset = Collection.objects.order_by("-id")
    serializer_class = CollectionSerializer
    filterset_class = CollectionFilter
    ordering_fields: ClassVar = ["id"]
    write_role = Role.OPERATOR

    def get_queryset(self) -> QuerySet[Collection]:
        rows: QuerySet[Collection] = super().get_queryset()
        if self.action == "list":
            rows = rows.defer("summary")
        return rows.annotate(
            machines_count=Count("machines"),
            answered_count=Count("machines", filter=~Q(machines__result="waiting")),
            ok_count=Count("machines", filter=Q(machines__result="ok")),
            size=Sum("machines__size", default=0),
        )

    def get_serializer_class(self) -> type[serializers.BaseSerializer]:
        return CollectionDetailSerializer if self.action == "retrieve" else CollectionSerializer

    @extend_schema(responses={200: CollectionDetailSerializer})
    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """One collection with what all its machines said, in short."""
        row = self.get_object()
        return Response(CollectionDetailSerializer(row, context={"may_read_logs": self._may_read(row)}).data)

    @extend_schema(request=NewCollectionSerializer, responses={201: CollectionSerializer})
    def create(self, request: Request) -> Response:
        """Fetch the evidence of a run from its machines; only reads. While one is under way, it is answered."""
        given = NewCollectionSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        rows = limit_to_sites(TrainingRun.objects.all(), request_roles(request), "site_id")
        run = rows.filter(pk=given.validated_data["run"]).first()
        if run is None:
            raise ValidationError({"run": ["There is no such run."]})
        if not self.may(Role.OPERATOR, run.site_id):
            raise PermissionDenied
        try:
            row = collections.start(run, by=self.person.get_username())
        except collections.CollectionRefused as error:
            raise Conflict(str(error)) from error
        return Response(CollectionSerializer(self.get_queryset().get(pk=row.pk)).data, status=status.HTTP_201_CREATED)

    @extend_schema(
        summary="Machines of a collection",
        parameters=[*PAGE],
        responses={200: page_of(CollectedMachineSerializer, "CollectedMachinePage")},
    )
    @action(detail=True, filterset_class=None)
    def machines(self, request: Request, pk: str) -> Response:
        """What came of each machine; those that gave less than all come first."""
        rows = self.get_object().machines.defer("evidence", "pids")
        page = paged(request, rows.order_by(ALL_OF_IT, "name"), self)
        page["results"] = CollectedMachineSerializer(page["results"], many=True).data
        return Response(page)

    @extend_schema(
        summary="Evidence of one machine, as it came",
        parameters=[OpenApiParameter("machine", OpenApiTypes.INT, OpenApiParameter.PATH)],
        responses={(200, "application/x-tar"): OpenApiResponse(OpenApiTypes.BINARY)},
        filters=False,
        operation_id="run_collections_evidence_retrieve",
    )
    @action(
        detail=True, url_path=r"machines/(?P<machine>[0-9]{1,18})/evidence", pagination_class=None, filterset_class=None
    )
    def evidence(self, request: Request, pk: str, machine: str) -> StreamingHttpResponse:
        """A tar file of what was fetched, each piece gzipped. For those whom the site lets read logs."""
        row = self.get_object()
        if not self._may_read(row):
            raise PermissionDenied
        found = row.machines.filter(pk=int(machine)).first()
        if found is None:
            raise Http404("no such machine in this collection")
        return streamed(_as_tar(found), "application/x-tar", f"run-{row.run_id}-{found.pk}.tar")

    def _may_read(self, row: Collection) -> bool:
        return self.may(Role(collections.settings_of(row.site_id).log_role), row.site_id)


def _as_tar(row: CollectedMachine) -> Iterator[bytes]:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for number, one in enumerate(answer.read(bytes(row.evidence)).pieces, 1):
            rank = "" if one.rank is None else f"-rank{one.rank}"
            base = one.name.rsplit("/", 1)[-1][:80] or "piece"
            info = tarfile.TarInfo(f"{number:03}-{one.kind}{rank}-{one.result}-{base}.gz")
            info.size = len(one.packed)
            info.mtime = int(row.answered_at.timestamp()) if row.answered_at else 0
            tar.addfile(info, io.BytesIO(one.packed))
            yield out.getvalue()
            out.seek(0)
            out.truncate()
    yield out.getvalue()


# ---- what a job pushes ----
class PushedLogsSerializer(serializers.Serializer):
    """Logs of one machine, plain or gzip."""

    run = serializers.CharField(max_length=120, help_text="What its launcher calls the run, or the scheduler's job id.")
    attempt = serializers.IntegerField(min_value=0, required=False, help_text="Without it the newest.")
    machine = serializers.CharField(max_length=64, help_text="On which they were written.")
    rank = serializers.IntegerField(
        min_value=0, max_value=MOST_RANKS, required=False, help_text="Who wrote them, where their names do not say it."
    )
    file = serializers.ListField(
        child=serializers.FileField(allow_empty_file=True, max_length=200), min_length=1, max_length=MOST_PUSHED
    )


class KeptLogSerializer(serializers.Serializer):
    name = serializers.CharField()
    size = serializers.IntegerField(help_text="Bytes that are kept, compressed.")
    cut = serializers.BooleanField(help_text="Only its end is kept.")


class PushTakenSerializer(serializers.Serializer):
    run = serializers.IntegerField()
    collection = serializers.IntegerField(help_text="Of `/api/run-collections/`: all that the job of this run pushed.")
    logs = KeptLogSerializer(many=True)


class RunLogsView(APIView):
    """Logs that the job of a run sends itself, such as from its epilogue, with the token of a source of reports.

    They are searched like those that are fetched, and the verdict is made anew. What is pushed again takes the place of
    what it was. Of a large log its end is kept.
    """

    authentication_classes = (SourceAuthentication, TokenAuthentication, SessionAuthentication)
    permission_classes = (SourceOnly,)
    parser_classes = (MultiPartParser,)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse what is too large before it is read."""
        refuse_large(request)
        super().initial(request, *args, **kwargs)

    @extend_schema(
        summary="Push logs of a run",
        request={"multipart/form-data": PushedLogsSerializer},
        responses={201: PushTakenSerializer},
    )
    def post(self, request: Request) -> Response:
        given = PushedLogsSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        told = given.validated_data
        source: ReportSource = request.auth  # type: ignore[assignment]  # the permission lets only those in
        logs = [(file.name, file) for file in told.pop("file")]
        try:
            taken = pushes.take(source, pushes.Push(logs=logs, **told))
        except pushes.NoRun as error:
            raise ValidationError({"run": [str(error)]}) from error
        except pushed.NotKept as error:
            raise ValidationError({"file": [str(error)]}) from error
        kept = [{"name": one.name, "size": len(one.packed), "cut": one.result != answer.OK} for one in taken.logs]
        answered = {"run": taken.run, "collection": taken.collection, "logs": kept}
        return Response(answered, status=status.HTTP_201_CREATED)


# ---- what a site lets be collected ----
class EvidenceSettingsSerializer(serializers.ModelSerializer[EvidenceSettings]):
    places = serializers.SerializerMethodField(help_text="What a pattern may name.")

    class Meta:
        model = EvidenceSettings
        fields: ClassVar = ["site", "logs", "dumps", "hangs", "native_stacks", "log_role", "places"]
        extra_kwargs: ClassVar = {"site": {"read_only": True}, "logs": {"max_length": 4000}}

    def get_places(self, row: EvidenceSettings) -> list[str]:
        return list(places.FIELDS)

    def validate_logs(self, text: str) -> str:
        return "\n".join(self._pattern(line) for line in text.splitlines() if line.strip())

    def validate_dumps(self, text: str) -> str:
        return self._pattern(text) if text.strip() else ""

    def _pattern(self, text: str) -> str:
        try:
            return places.checked(text)
        except places.NoPattern as error:
            raise ValidationError([f"{text.strip()[:100]}: {error}"]) from error


class EvidenceSettingsViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, SiteScopedViewSet):
    """Where the logs of runs lie at each site, what is collected by itself, who may read: by the id of the site."""

    queryset = Site.objects.select_related("evidence_settings").order_by("pk")
    serializer_class = EvidenceSettingsSerializer
    site_field = "pk"
    write_role = Role.ADMIN

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        page = [_settings(site) for site in self.paginate_queryset(self.get_queryset()) or []]
        return self.get_paginated_response(EvidenceSettingsSerializer(page, many=True).data)

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return Response(EvidenceSettingsSerializer(_settings(self.get_object())).data)

    @extend_schema(request=EvidenceSettingsSerializer(partial=True), responses={200: EvidenceSettingsSerializer})
    def partial_update(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        given = EvidenceSettingsSerializer(_settings(self.get_object()), data=request.data, partial=True)
        given.is_valid(raise_exception=True)
        row = collections.set_settings(self.get_object().pk, **given.validated_data)
        return Response(EvidenceSettingsSerializer(row).data)


def _settings(site: Site) -> EvidenceSettings:
    found: EvidenceSettings | None = getattr(site, "evidence_settings", None)
    return found or EvidenceSettings(site=site)


def register(router: BaseRouter) -> None:
    router.register("run-collections", CollectionViewSet, basename="run-collection")
    router.register("run-evidence-settings", EvidenceSettingsViewSet, basename="run-evidence-settings")
