"""Routes of files: uploads that become jobs, and exports."""

from __future__ import annotations

from typing import Any, cast

from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.urls import URLPattern, path
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import exceptions, mixins, serializers, status, viewsets
from rest_framework.decorators import action
from rest_framework.filters import SearchFilter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.accounts.scope import is_administrator, request_roles, visible_site_ids
from core.errors import Conflict
from core.http.parsers import BodyTooLarge, JSONParser, MultiPartParser, refuse_large
from core.http.streams import streamed
from core.jobs.models import Job
from core.models import ApiToken, Role, User
from core.work.queue import after_commit
from inventory.api.filters import KindFilter, KindOrdering
from inventory.kinds import KINDS
from inventory.shapes import StoredOutcomesField
from inventory.transfer import imports
from inventory.transfer.export import FORMATS, export
from inventory.transfer.problems import FileRefused


class UploadSerializer(serializers.Serializer):
    """A file of records of one kind."""

    file = serializers.FileField()
    kind = serializers.CharField(max_length=40)
    site = serializers.CharField(required=False, allow_blank=True, max_length=50, help_text="Id or slug.")
    mode = serializers.ChoiceField(choices=imports.MODES, default="upsert")
    dry_run = serializers.BooleanField(default=True)


class ProgressSerializer(serializers.Serializer):
    done = serializers.IntegerField()
    total = serializers.IntegerField()
    stage = serializers.CharField()


class ImportSerializer(serializers.ModelSerializer):
    """An import: how far it is, and what became of the rows."""

    kind = serializers.CharField(source="options.kind")
    filename = serializers.CharField(source="options.filename")
    mode = serializers.CharField(source="options.mode")
    dry_run = serializers.BooleanField(source="options.dry_run")
    progress = ProgressSerializer()
    counts = serializers.DictField(source="result.counts", default=dict, child=serializers.IntegerField())
    rows = StoredOutcomesField(source="result.rows", default=list)
    actor = serializers.CharField(source="user.username")

    class Meta:
        model = Job
        fields = (
            "id", "kind", "filename", "site", "mode", "dry_run", "status", "progress", "counts", "rows", "created_at",
            "started_at", "finished_at", "actor", "message",
        )  # fmt: skip


class ImportViewSet(mixins.RetrieveModelMixin, mixins.ListModelMixin, mixins.CreateModelMixin, viewsets.GenericViewSet):
    """Imports of files. One sees one's own; an administrator of every site sees all."""

    queryset = Job.objects.filter(kind=imports.KIND).select_related("user")
    serializer_class = ImportSerializer
    write_role = Role.OPERATOR
    parser_classes = (MultiPartParser,)
    filter_backends = ()
    lookup_value_regex = r"[0-9]{1,18}"

    def get_queryset(self) -> Any:
        rows = super().get_queryset()
        if getattr(self, "swagger_fake_view", False):
            return rows.none()
        if is_administrator(request_roles(self.request)):
            return rows
        return rows.filter(user=self.request.user)

    def check_object_permissions(self, request: Request, obj: Any) -> None:
        """One's own jobs are one's own; the rows are checked by the write."""

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        answer = super().list(request, *args, **kwargs)
        for row in answer.data["results"]:
            row["rows"] = []  # of one import only
        return answer

    @extend_schema(request={"multipart/form-data": UploadSerializer}, responses={202: ImportSerializer})
    def create(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Upload a file. With `dry_run`, which is the default, nothing is written."""
        most, form = imports.max_bytes(), 64 * 1024
        refuse_large(request, most + form, f"At most {most // 1024 // 1024} MB are read.")
        asked = UploadSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        given = dict(asked.validated_data)
        file = given.pop("file")
        try:
            imports.check_size(file.size)
            job = imports.start_import(
                cast(User, request.user), _token(request), filename=str(file.name), content=file.read(), **given
            )  # fmt: skip
        except FileRefused as error:
            raise _refusal(error) from error
        after_commit("inventory.tasks.run_import", job.pk)
        return Response(ImportSerializer(job).data, status=status.HTTP_202_ACCEPTED)

    @extend_schema(request=None, responses={202: ImportSerializer})
    @action(detail=True, methods=["post"], parser_classes=(MultiPartParser, JSONParser))
    def apply(self, request: Request, pk: str) -> Response:
        """Write what the dry run showed; every row is checked again."""
        try:
            job = imports.apply_import(self.get_object(), _token(request))
        except FileRefused as error:
            raise Conflict(f"{error}.", code="invalid_transition") from error
        after_commit("inventory.tasks.run_import", job.pk)
        return Response(ImportSerializer(job).data, status=status.HTTP_202_ACCEPTED)

    @extend_schema(responses={(200, "text/csv"): OpenApiTypes.STR})
    def errors(self, request: Request, pk: int) -> HttpResponse:
        """Every refused row with field, reason and code, for a spreadsheet."""
        job = self.get_object()
        headers = {"Content-Disposition": f'attachment; filename="import-{job.pk}-errors.csv"'}
        return HttpResponse(imports.errors_csv(job), content_type="text/csv; charset=utf-8", headers=headers)


def _token(request: Request) -> ApiToken | None:
    return request.auth if isinstance(request.auth, ApiToken) else None


def _refusal(error: FileRefused) -> exceptions.APIException:
    problem = error.problems[0][1]
    if problem.code == "too_large":
        return BodyTooLarge(f"{problem.reason}.")
    return serializers.ValidationError({problem.field: [problem.reason]})


class Export(APIView):
    """All records of a kind that one may see, as a file that can be imported again."""

    refuses_unknown_filters = True

    @extend_schema(
        operation_id="export",
        summary="Records as a file",
        description="Takes the filters of the kind's list. The file imports back to the same state.",
        parameters=[
            OpenApiParameter("kind", str, OpenApiParameter.PATH, description="Such as racks."),
            OpenApiParameter("file_format", str, OpenApiParameter.PATH, enum=list(FORMATS)),
            OpenApiParameter("ordering", str), OpenApiParameter("search", str),
        ],
        responses={(200, content.split(";")[0]): OpenApiTypes.BINARY for content, _ in FORMATS.values()},
    )  # fmt: skip
    def get(self, request: Request, kind: str, file_format: str) -> StreamingHttpResponse:
        found = KINDS.get(kind)
        if found is None or file_format not in FORMATS:
            raise Http404
        self.kind, self.search_fields = found, found.search
        rows = found.limited(visible_site_ids(request_roles(request)))
        for backend in (KindFilter, SearchFilter, KindOrdering):
            rows = backend().filter_queryset(request, rows, self)
        content_type = FORMATS[file_format][0]
        return streamed(export(found, file_format, rows), content_type, f"{kind}.{file_format}")


urlpatterns: list[URLPattern] = [
    path("imports/<int:pk>/errors.csv", ImportViewSet.as_view({"get": "errors"}), name="import-errors"),
    path("export/<slug:kind>.<str:file_format>", Export.as_view(), name="export"),
]


def register(router: Any) -> None:
    router.register("imports", ImportViewSet, basename="import")
