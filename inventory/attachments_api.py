"""Routes of attachments."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any, cast

from django.conf import settings
from django.db.models import Model
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path
from django.utils.cache import get_conditional_response
from django.utils.http import content_disposition_header
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import exceptions, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from core import files
from core.accounts.scope import allows, limit_to_sites, request_roles, visible_site_ids
from core.errors import error_body
from core.files import StoredFile, Subject
from core.http.conditional import ConditionalWrites
from core.http.parsers import MOST_BYTES, JSONParser, MultiPartParser, refuse_large
from core.models import Role, User
from core.openapi.schema import Schema
from core.rest.fields import FieldSelection
from inventory import attachments
from inventory.api.filters import parameter_of, plain_conditions, plain_filters
from inventory.api.kinds import MAX_ROWS, refusal
from inventory.api.schema import DryRunAnswer

FORM_OVERHEAD_BYTES = 64 * 1024
MAX_FILES = 20  # in one request
ID: dict[str, Any] = {"min_value": 1, "max_value": 2**63 - 1}
# Nothing in an answer may run: a file is only ever looked at or saved.
CONTENT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
INLINE = ("image/jpeg", "image/png", "image/webp")


class AttachmentSerializer(serializers.Serializer):
    """A file; made from a row of the list, or from an object as if it were one."""

    id = serializers.IntegerField()
    filename = serializers.CharField()
    content_type = serializers.CharField()
    size = serializers.IntegerField(help_text="Bytes.")
    sha256 = serializers.CharField()
    width = serializers.IntegerField(allow_null=True)
    height = serializers.IntegerField(allow_null=True)
    caption = serializers.CharField()
    created_at = serializers.DateTimeField()
    created_by = serializers.CharField()
    device = serializers.IntegerField(allow_null=True)
    rack = serializers.IntegerField(allow_null=True)
    ticket = serializers.IntegerField(allow_null=True)
    site = serializers.IntegerField()
    content = serializers.CharField(help_text="Address of the file itself.")
    thumbnail = serializers.CharField(allow_null=True, help_text="Address of a small picture of it.")

    def to_representation(self, instance: Any) -> dict[str, Any]:
        row = instance if isinstance(instance, dict) else as_row(instance)
        found = {name: row[name] for name in attachments.LISTED if name != "has_thumbnail"}
        found |= {name: row.get(f"of_{name}") for name in ("device", "rack", "ticket")}
        address = f"/api/attachments/{row['id']}"
        found |= {
            "site": row["site_number"],
            "content": f"{address}/content",
            "thumbnail": f"{address}/thumbnail" if row["has_thumbnail"] else None,
        }
        return {name: value for name, value in found.items() if name in self.fields}


def as_row(stored: StoredFile) -> dict[str, Any]:
    """A row as the list has it, from an object."""
    own = {name: getattr(stored, name) for name in attachments.LISTED}
    about = {f"of_{name}": getattr(stored, f"{name}_id", None) for name in files.subjects()}
    return own | about | {"site_number": vars(stored)["site_number"]}


class AttachmentUploadSerializer(serializers.Serializer):
    file = serializers.ListField(child=serializers.FileField(allow_empty_file=True), min_length=1, max_length=MAX_FILES)
    device = serializers.IntegerField(required=False, **ID)
    rack = serializers.IntegerField(required=False, **ID)
    ticket = serializers.IntegerField(required=False, **ID)
    caption = serializers.ListField(
        child=serializers.CharField(max_length=500, allow_blank=True), required=False, max_length=MAX_FILES,
        help_text="One for all files, or one for each.",
    )  # fmt: skip

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        named = [name for name in files.subjects() if name in attrs]
        if len(named) != 1:
            raise serializers.ValidationError({"device": ["Name one device, rack or ticket that the file is about."]})
        count, captions = len(attrs["file"]), attrs.get("caption") or [""]
        if len(captions) not in (1, count):
            raise serializers.ValidationError({"caption": [f"One caption, or {count}."]})
        return attrs | {"subject": named[0], "captions": captions * (count // len(captions))}


class CaptionSerializer(serializers.Serializer):
    caption = serializers.CharField(max_length=500, allow_blank=True)


class CaptionLineSerializer(CaptionSerializer):
    id = serializers.IntegerField(**ID)


class IdsSerializer(serializers.Serializer):
    ids = serializers.ListField(child=serializers.IntegerField(**ID))


class AttachmentQuery(serializers.Serializer):
    device = serializers.IntegerField(required=False, **ID)
    rack = serializers.IntegerField(required=False, **ID)
    ticket = serializers.IntegerField(required=False, **ID)
    site = serializers.IntegerField(required=False, **ID)
    ordering = serializers.CharField(required=False, allow_blank=True)

    def validate_ordering(self, text: str) -> list[str]:
        words = [word.strip() for word in text.split(",") if word.strip()]
        for word in words:
            if word.removeprefix("-") not in FILTERED:
                raise serializers.ValidationError(f"No order by {word}, only by {', '.join(FILTERED)}.")
        return words


FILTERED = {
    "id": "integer", "filename": "text", "content_type": "text", "size": "integer", "sha256": "text",
    "width": "integer", "height": "integer", "caption": "text", "created_at": "datetime", "created_by": "text",
}  # fmt: skip
ABOUT = ("device", "rack", "ticket")
QUERY = [
    *(OpenApiParameter(name, int, description=f"Files about this {name}.") for name in ABOUT),
    OpenApiParameter("site", int, description="Files at this site."),
    OpenApiParameter("ordering", str, description=f"Commas between, `-` for descending: {', '.join(FILTERED)}."),
]
TOLD = {"$ref": "#/components/schemas/DryRunAnswer"}
ONE = {"$ref": "#/components/schemas/Attachment"}
MANY = {"type": "array", "items": ONE}
IDS = {"type": "array", "maxItems": MAX_ROWS, "items": {"type": "integer", "minimum": 1, "maximum": 2**63 - 1}}
DRY_RUN = OpenApiParameter("dry_run", bool, description="Only report what the write would do.")
FILE = {(200, kind): OpenApiTypes.BINARY for kind in (*INLINE, "application/pdf", "text/plain")}


class ListParameters(Schema):
    """The filters of the list besides what every operation has."""

    def _get_parameters(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = super()._get_parameters()
        if getattr(self.view, "action", None) == "list":
            found += [parameter_of(each) for each in plain_filters(FILTERED).values()]
        return found


@extend_schema_view(
    list=extend_schema(parameters=QUERY, responses=AttachmentSerializer(many=True)),
    retrieve=extend_schema(responses=AttachmentSerializer),
)
class AttachmentViewSet(ConditionalWrites, FieldSelection):
    """Photos and documents of devices, racks and tickets. Who attached one, or an operator, changes or removes it."""

    serializer_class = AttachmentSerializer
    parser_classes = (MultiPartParser, JSONParser)
    filter_backends = ()
    write_role = Role.TECHNICIAN
    schema = ListParameters()

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse what is too large before it is read."""
        most = min(MAX_FILES * settings.ATTACHMENT_MAX_BYTES, MOST_BYTES) + FORM_OVERHEAD_BYTES
        refuse_large(request, most, f"At most {MAX_FILES} files of {settings.ATTACHMENT_MAX_BYTES // 2**20} MiB.")
        super().initial(request, *args, **kwargs)

    def get_queryset(self) -> Any:
        query = AttachmentQuery(data=self.request.query_params)
        query.is_valid(raise_exception=True)
        asked = dict(query.validated_data)
        order, site = asked.pop("ordering", []), asked.pop("site", None)
        if len(asked) > 1:
            raise serializers.ValidationError({"device": ["Ask for one device, rack or ticket."]})
        subject, record = next(iter(asked.items()), ("", None))
        fits = plain_conditions(self.request, plain_filters(FILTERED), (*ABOUT, "site"))
        visible = visible_site_ids(request_roles(self.request))
        rows = attachments.attachments(visible, subject, record, fits, site)
        return rows.order_by(*order, "-id") if order else rows

    def get_object(self) -> StoredFile:
        return self.found(int(self.kwargs["pk"]))

    def found(self, pk: int) -> StoredFile:
        """The attachment, if this person may see it."""
        known = attachments.find(pk)
        if known is None or not allows(request_roles(self.request), known[1], Role.VIEWER):
            raise Http404
        return known[0]

    def list(self, request: Request) -> Response:
        page = self.paginate_queryset(self.get_queryset())
        return self.get_paginated_response(self.get_serializer(page, many=True).data)

    @extend_schema(request={"multipart/form-data": AttachmentUploadSerializer}, responses={201: {"oneOf": [ONE, MANY]}})
    def create(self, request: Request) -> Response:
        """Attach JPEG, PNG, WebP, PDF or plain text: a file, or several, which are answered as a list: all or none.

        Pictures are turned upright and lose where they were taken.
        """
        given = AttachmentUploadSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        body = given.validated_data
        subject = files.subjects()[body["subject"]]
        record, site = self.subject(subject, body[subject.field])
        uploads = [
            attachments.Upload(file.file, file.name, caption)
            for file, caption in zip(body["file"], body["captions"], strict=True)
        ]
        try:
            made = attachments.attach(subject, record, uploads, by=request.user.get_username())
        except attachments.UploadsRefused as refused:
            return refused_uploads(uploads, refused)
        for stored in made:
            vars(stored)["site_number"] = site
        answers = AttachmentSerializer(made, many=True).data
        return Response(answers if len(answers) > 1 else answers[0], status=status.HTTP_201_CREATED)

    def subject(self, subject: Subject, pk: int) -> tuple[Model, int]:
        """What the files are about, and its site."""
        roles = request_roles(self.request)
        record = limit_to_sites(subject.model._default_manager.all(), roles, subject.site_path).filter(pk=pk).first()
        if record is None:
            raise serializers.ValidationError({subject.field: [f"There is no such {subject.field}."]})
        site = attachments.site_of(subject, record)
        if not allows(roles, site, Role.TECHNICIAN):
            raise exceptions.PermissionDenied("Your role on that site does not allow this.")
        if subject.refuses and (why := subject.refuses(self.request.user, record, roles)):
            raise exceptions.PermissionDenied(why)
        return record, site

    def retrieve(self, request: Request, pk: int) -> Response:
        return Response(self.get_serializer(self.found(pk)).data)

    @extend_schema(request=CaptionSerializer, parameters=[DRY_RUN], responses={200: {"anyOf": [ONE, TOLD]}})
    def partial_update(self, request: Request, pk: int) -> Response:
        """Change the caption."""
        given = CaptionSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        return self.changed([attachments.Line(pk, given.validated_data["caption"])], "update")

    @extend_schema(parameters=[DRY_RUN], responses={204: None, 200: DryRunAnswer})
    def destroy(self, request: Request, pk: int) -> Response:
        """Remove an attachment. Its file goes a day later, if nothing else has the same content."""
        return self.changed([attachments.Line(pk)], "delete")

    @extend_schema(
        operation_id="attachments_bulk_update", request=CaptionLineSerializer(many=True), parameters=[DRY_RUN],
        responses={200: {"anyOf": [MANY, TOLD]}},
    )  # fmt: skip
    def bulk_update(self, request: Request) -> Response:
        """Change the captions of many: all or none."""
        given = CaptionLineSerializer(data=self.rows(), many=True)
        given.is_valid(raise_exception=True)
        lines = [attachments.Line(**each) for each in given.validated_data]
        return self.changed(lines, "update", many=True)

    @extend_schema(
        operation_id="attachments_bulk_destroy", request={"application/json": IDS}, parameters=[DRY_RUN],
        responses={204: None, 200: DryRunAnswer},
    )  # fmt: skip
    def bulk_destroy(self, request: Request) -> Response:
        """Remove many, a list of ids: all or none."""
        given = IdsSerializer(data={"ids": self.rows()})
        given.is_valid(raise_exception=True)
        return self.changed([attachments.Line(pk) for pk in given.validated_data["ids"]], "delete", many=True)

    def rows(self) -> builtins.list[Any]:
        if not isinstance(self.request.data, list) or len(self.request.data) > MAX_ROWS:
            raise exceptions.ValidationError({"body": [f"A JSON list of at most {MAX_ROWS} is needed."]})
        return self.request.data

    def changed(
        self, lines: builtins.list[attachments.Line], mode: attachments.Mode, *, many: bool = False
    ) -> Response:
        dry_run = self.request.query_params.get("dry_run", "").lower() in ("true", "1", "yes")
        person, roles = cast(User, self.request.user), request_roles(self.request)
        report = attachments.change(lines, mode, roles=roles, person=person, dry_run=dry_run)
        if not report.ok:
            return refusal(report, many=many)
        if dry_run:
            return Response({"dry_run": True, "counts": report.counts, "rows": [row.as_dict() for row in report.rows]})
        if mode == "delete":
            return Response(status=status.HTTP_204_NO_CONTENT)
        there = attachments.find_all([line.id for line in lines])
        answers = AttachmentSerializer([there[line.id][0] for line in lines], many=True).data
        return Response(answers if many else answers[0])

    @extend_schema(responses=FILE)
    def content(self, request: Request, pk: int) -> HttpResponseBase:
        """The file itself."""
        stored = self.found(pk)
        return answer_file(request, stored, stored.path, stored.content_type, stored.sha256)

    @extend_schema(responses={(200, "image/jpeg"): OpenApiTypes.BINARY})
    def thumbnail(self, request: Request, pk: int) -> HttpResponseBase:
        """A picture of at most 320 pixels a side."""
        stored = self.found(pk)
        if not stored.has_thumbnail:
            raise Http404
        return answer_file(request, stored, stored.thumbnail_path, "image/jpeg", f"{stored.sha256}-thumb")


def refused_uploads(uploads: list[attachments.Upload], refused: attachments.UploadsRefused) -> Response:
    """What is wrong with which file; of a single one as a field, too."""
    reasons = {number: str(reason) for number, reason in refused.refused.items()}
    rows = [
        {
            "row": number,
            "key": uploads[number - 1].filename,
            "fields": {"file": [{"code": "invalid", "reason": reason}]},
        }
        for number, reason in reasons.items()
    ]
    fields = {"file": list(reasons.values())}
    if all(reason.too_large for reason in refused.refused.values()):
        body = error_body("too_large", next(iter(reasons.values())), fields, rows=rows)
        return Response(body, status.HTTP_413_REQUEST_ENTITY_TOO_LARGE)
    return Response(error_body("invalid", "The request was refused; see the fields.", fields, rows=rows), 400)


def answer_file(request: Request, stored: StoredFile, where: Path, mime: str, tag: str) -> HttpResponseBase:
    try:
        content = where.read_bytes()
    except FileNotFoundError as error:
        raise exceptions.NotFound("The file is missing on the server's disk.") from error
    response = HttpResponse(content, content_type="text/plain; charset=utf-8" if mime == "text/plain" else mime)
    disposition = content_disposition_header(mime not in INLINE, stored.filename)
    response.headers["Content-Disposition"] = disposition or "attachment"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Content-Security-Policy"] = CONTENT_POLICY
    response.headers["Cache-Control"] = "private, no-cache"  # rights may be lost, and browsers shared: ask each time
    response.headers["ETag"] = etag = f'"{tag}"'
    return get_conditional_response(request, etag=etag, response=response) or response


urlpatterns: list[URLPattern] = [
    path(
        "attachments/",
        AttachmentViewSet.as_view({"get": "list", "post": "create", "patch": "bulk_update", "delete": "bulk_destroy"}),
        name="attachment-list",
    ),
    path(
        "attachments/<int:pk>/",
        AttachmentViewSet.as_view({"get": "retrieve", "patch": "partial_update", "delete": "destroy"}),
        name="attachment-detail",
    ),
    path("attachments/<int:pk>/content", AttachmentViewSet.as_view({"get": "content"}), name="attachment-content"),
    path(
        "attachments/<int:pk>/thumbnail", AttachmentViewSet.as_view({"get": "thumbnail"}), name="attachment-thumbnail"
    ),
]
