"""Routes of attachments and of comments on devices and racks."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from django.conf import settings
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path
from django.utils.cache import get_conditional_response
from django.utils.http import content_disposition_header
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import exceptions, mixins, serializers, status, viewsets
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from core import files
from core.api import SiteScopedViewSet
from core.files import FileRefused, StoredFile
from core.http.parsers import BodyTooLarge, refuse_large
from core.models import Role, User
from core.scope import allows, limit_to_sites, request_roles, visible_site_ids
from inventory import attachments
from inventory.models import Comment, Device, Rack

FORM_OVERHEAD_BYTES = 64 * 1024
ID: dict[str, Any] = {"min_value": 1, "max_value": 2**63 - 1}
# Nothing in an answer may run: a file is only ever looked at or saved.
CONTENT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
INLINE = ("image/jpeg", "image/png", "image/webp")


class AttachmentSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    site = serializers.IntegerField()
    device = serializers.IntegerField(allow_null=True)
    rack = serializers.IntegerField(allow_null=True)
    ticket = serializers.IntegerField(allow_null=True)
    filename = serializers.CharField()
    content_type = serializers.CharField()
    size = serializers.IntegerField(help_text="Bytes.")
    sha256 = serializers.CharField()
    width = serializers.IntegerField(allow_null=True)
    height = serializers.IntegerField(allow_null=True)
    caption = serializers.CharField()
    created_at = serializers.DateTimeField()
    created_by = serializers.CharField()
    content = serializers.CharField(help_text="Address of the file itself.")
    thumbnail = serializers.CharField(allow_null=True, help_text="Address of a small picture of it.")

    def to_representation(self, instance: Any) -> dict[str, Any]:
        row = instance if isinstance(instance, dict) else as_row(instance)
        found = {name: row[name] for name in attachments.LISTED if name != "has_thumbnail"}
        found |= {name: row.get(f"of_{name}") for name in ("device", "rack", "ticket")}
        address = f"/api/attachments/{row['id']}"
        return found | {
            "site": row["site_number"],
            "content": f"{address}/content",
            "thumbnail": f"{address}/thumbnail" if row["has_thumbnail"] else None,
        }


def as_row(stored: StoredFile) -> dict[str, Any]:
    """A row as the list has it, from an object."""
    own = {name: getattr(stored, name) for name in attachments.LISTED}
    about = {f"of_{name}": getattr(stored, f"{name}_id", None) for name in files.subjects()}
    return own | about | {"site_number": vars(stored)["site_number"]}


class AttachmentUploadSerializer(serializers.Serializer):
    file = serializers.FileField(allow_empty_file=True)
    device = serializers.IntegerField(required=False, **ID)
    rack = serializers.IntegerField(required=False, **ID)
    ticket = serializers.IntegerField(required=False, **ID)
    caption = serializers.CharField(max_length=500, required=False, allow_blank=True, default="")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        named = [name for name in files.subjects() if name in attrs]
        if len(named) != 1:
            raise serializers.ValidationError({"device": ["Name one device, rack or ticket that the file is about."]})
        return attrs | {"subject": named[0]}


class CaptionSerializer(serializers.Serializer):
    caption = serializers.CharField(max_length=500, allow_blank=True)


class AttachmentQuery(serializers.Serializer):
    device = serializers.IntegerField(required=False, **ID)
    rack = serializers.IntegerField(required=False, **ID)
    ticket = serializers.IntegerField(required=False, **ID)


QUERY = [OpenApiParameter(name, int, description=f"Files about this {name}.") for name in ("device", "rack", "ticket")]
FILE = {(200, kind): OpenApiTypes.BINARY for kind in (*INLINE, "application/pdf", "text/plain")}


@extend_schema_view(
    list=extend_schema(parameters=QUERY, responses=AttachmentSerializer(many=True)),
    retrieve=extend_schema(responses=AttachmentSerializer),
)
class AttachmentViewSet(viewsets.GenericViewSet):
    """Photos and papers of devices, racks and tickets. Whoever attached one, or an operator, changes or removes it."""

    serializer_class = AttachmentSerializer
    parser_classes = (MultiPartParser, *viewsets.GenericViewSet.parser_classes)
    filter_backends = ()
    write_role = Role.TECHNICIAN

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse what is too large before it is read."""
        most = settings.ATTACHMENT_MAX_BYTES
        refuse_large(request, most + FORM_OVERHEAD_BYTES, f"The file is larger than {most // 2**20} MiB.")
        super().initial(request, *args, **kwargs)

    def get_queryset(self) -> Any:
        query = AttachmentQuery(data=self.request.query_params)
        query.is_valid(raise_exception=True)
        named = dict(query.validated_data)
        if len(named) > 1:
            raise serializers.ValidationError({"device": ["Ask for one device, rack or ticket."]})
        subject, record = next(iter(named.items()), ("", None))
        return attachments.attachments(visible_site_ids(request_roles(self.request)), subject, record)

    def found(self, pk: int, *, to_change: bool = False) -> StoredFile:
        """The attachment, if this person may see it, or change it."""
        known = attachments.find(pk)
        roles = request_roles(self.request)
        if known is None or not allows(roles, known[1], Role.VIEWER):
            raise Http404
        stored, site = known
        mine = stored.created_by == self.request.user.get_username()
        if to_change and not allows(roles, site, Role.TECHNICIAN if mine else Role.OPERATOR):
            raise exceptions.PermissionDenied("Who attached it, or an operator, may do that.")
        return stored

    def list(self, request: Request) -> Response:
        page = self.paginate_queryset(self.get_queryset())
        return self.get_paginated_response(AttachmentSerializer(page, many=True).data)

    @extend_schema(request={"multipart/form-data": AttachmentUploadSerializer}, responses={201: AttachmentSerializer})
    def create(self, request: Request) -> Response:
        """Attach a JPEG, PNG, WebP, PDF or plain text. Pictures are turned upright and lose where they were taken."""
        given = AttachmentUploadSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        body = given.validated_data
        subject = files.subjects()[body["subject"]]
        roles = request_roles(request)
        seen = limit_to_sites(subject.model._default_manager.all(), roles, subject.site_path)
        record = seen.filter(pk=body[subject.field]).first()
        if record is None:
            raise serializers.ValidationError({subject.field: [f"There is no such {subject.field}."]})
        site = attachments.site_of(subject, record)
        if not allows(roles, site, Role.TECHNICIAN):
            raise exceptions.PermissionDenied("Your role on that site does not allow this.")
        upload = body["file"]
        try:
            stored = attachments.attach(
                subject, record, upload.file, filename=upload.name, caption=body["caption"],
                by=request.user.get_username(),
            )  # fmt: skip
        except FileRefused as refused:
            if refused.too_large:
                raise BodyTooLarge(str(refused)) from refused
            raise serializers.ValidationError({"file": [str(refused)]}) from refused
        vars(stored)["site_number"] = site
        return Response(AttachmentSerializer(stored).data, status=status.HTTP_201_CREATED)

    def retrieve(self, request: Request, pk: int) -> Response:
        return Response(AttachmentSerializer(self.found(pk)).data)

    @extend_schema(request=CaptionSerializer, responses=AttachmentSerializer)
    def partial_update(self, request: Request, pk: int) -> Response:
        """Change the caption."""
        stored = self.found(pk, to_change=True)
        given = CaptionSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        stored.caption = given.validated_data["caption"]
        stored.save(update_fields=["caption"])
        return Response(AttachmentSerializer(stored).data)

    @extend_schema(responses={204: None})
    def destroy(self, request: Request, pk: int) -> Response:
        """Remove an attachment. Its file goes a day later, if nothing else has the same content."""
        self.found(pk, to_change=True).delete()
        return Response(status=status.HTTP_204_NO_CONTENT)

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


# ---- comments ----


class InventoryCommentSerializer(serializers.ModelSerializer):
    author = serializers.CharField(source="author.display_name", read_only=True)
    mine = serializers.SerializerMethodField()

    class Meta:
        model = Comment
        fields: ClassVar = ["id", "device", "rack", "text", "at", "edited_at", "author", "mine"]
        read_only_fields: ClassVar = ["at", "edited_at"]

    def get_mine(self, row: Comment) -> bool:
        return bool(row.author_id == self.context["request"].user.pk)


class CommentWriteSerializer(serializers.Serializer):
    device = serializers.IntegerField(required=False, **ID)
    rack = serializers.IntegerField(required=False, **ID)
    text = serializers.CharField(max_length=10_000)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("device" in attrs) == ("rack" in attrs):
            raise serializers.ValidationError({"device": ["Name one device or one rack."]})
        return attrs


class CommentTextSerializer(serializers.Serializer):
    text = serializers.CharField(max_length=10_000)


WORDS: dict[str, Any] = {"responses": InventoryCommentSerializer}


@extend_schema_view(
    create=extend_schema(request=CommentWriteSerializer, responses={201: InventoryCommentSerializer}),
    partial_update=extend_schema(request=CommentTextSerializer, **WORDS),
)
class InventoryCommentViewSet(
    mixins.ListModelMixin, mixins.RetrieveModelMixin, mixins.DestroyModelMixin, SiteScopedViewSet
):
    """What people say about devices and racks. One changes one's own; an operator may remove any."""

    queryset = Comment.objects.select_related("author")
    serializer_class = InventoryCommentSerializer
    write_role = Role.TECHNICIAN
    filterset_fields = ("device", "rack", "site")
    search_fields = ("text",)
    ordering_fields = ("id", "at")
    ordering = ("id",)

    def create(self, request: Request) -> Response:
        given = CommentWriteSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        body = given.validated_data
        subject = "device" if "device" in body else "rack"
        roles = request_roles(request)
        model: type[Device] | type[Rack] = Device if subject == "device" else Rack
        seen = limit_to_sites(model.objects.all(), roles, files.subjects()[subject].site_path)
        record = seen.filter(pk=body[subject]).first()
        if record is None:
            raise serializers.ValidationError({subject: [f"There is no such {subject}."]})
        if not allows(roles, attachments.site_of(files.subjects()[subject], record), Role.TECHNICIAN):
            raise exceptions.PermissionDenied("Your role on that site does not allow this.")
        row = attachments.comment(subject, record, text=body["text"], by=self.person)
        return Response(self.get_serializer(row).data, status=status.HTTP_201_CREATED)

    @property
    def person(self) -> User:
        user = self.request.user
        assert isinstance(user, User)  # the permission class lets nobody else in
        return user

    def partial_update(self, request: Request, pk: int) -> Response:
        row = self.get_object()
        if row.author_id != request.user.pk:
            raise exceptions.PermissionDenied("Only its author changes a comment.")
        given = CommentTextSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        return Response(self.get_serializer(attachments.edit_comment(row, given.validated_data["text"])).data)

    def perform_destroy(self, instance: Comment) -> None:
        if instance.author_id != self.request.user.pk and not self.may(Role.OPERATOR, instance.site_id):
            raise exceptions.PermissionDenied("Its author, or an operator, removes a comment.")
        instance.delete()


urlpatterns: list[URLPattern] = [
    path("attachments/", AttachmentViewSet.as_view({"get": "list", "post": "create"}), name="attachment-list"),
    path(
        "attachments/<int:pk>/",
        AttachmentViewSet.as_view({"get": "retrieve", "patch": "partial_update", "delete": "destroy"}),
        name="attachment-detail",
    ),
    path("attachments/<int:pk>/content", AttachmentViewSet.as_view({"get": "content"}), name="attachment-content"),
    path(
        "attachments/<int:pk>/thumbnail", AttachmentViewSet.as_view({"get": "thumbnail"}), name="attachment-thumbnail"
    ),
    path("comments/", InventoryCommentViewSet.as_view({"get": "list", "post": "create"}), name="comment-list"),
    path(
        "comments/<int:pk>/",
        InventoryCommentViewSet.as_view({"get": "retrieve", "patch": "partial_update", "delete": "destroy"}),
        name="comment-detail",
    ),
]
