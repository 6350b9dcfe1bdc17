"""The route of a whole site as one archive."""

from __future__ import annotations

from tempfile import SpooledTemporaryFile
from typing import IO, cast

from django.http import Http404, StreamingHttpResponse
from django.urls import URLPattern, path
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.views import APIView

from core.accounts.scope import request_roles, visible_sites
from core.http.streams import PIECE_BYTES, streamed
from inventory.transfer.archive import write_zip
from inventory.transfer.readers import FORMATS

IN_MEMORY_BYTES = 8 * 1024 * 1024


class ArchiveQuery(serializers.Serializer):
    site = serializers.CharField(required=False, max_length=50, help_text="Id or slug; all that one may see if empty.")
    file_format = serializers.ChoiceField(choices=FORMATS, default="csv", help_text="Of the files in it.")


class SiteArchive(APIView):
    """Everything of a site that one may see, a file for each kind of record, which import again together."""

    @extend_schema(
        operation_id="export_site",
        summary="A whole site as a zip file",
        description="A file a kind of record, as they were at one moment. `manage.py import_records all` reads it.",
        parameters=[ArchiveQuery, OpenApiParameter("site", str)],
        responses={(200, "application/zip"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request) -> StreamingHttpResponse:
        query = ArchiveQuery(data=request.query_params)
        query.is_valid(raise_exception=True)
        named = query.validated_data.get("site", "")
        sites = visible_sites(request_roles(request))
        if named:
            is_id = named.isdecimal() and len(named) < 19
            sites = sites.filter(pk=int(named)) if is_id else sites.filter(slug=named)
        found = dict(sites.values_list("pk", "slug"))
        if not found:
            raise Http404
        file = cast(IO[bytes], SpooledTemporaryFile(IN_MEMORY_BYTES))  # noqa: SIM115  (closed when it was sent)
        write_zip(file, sorted(found), query.validated_data["file_format"])
        file.seek(0)
        name = next(iter(found.values())) if len(found) == 1 else "sites"
        return streamed(iter(lambda: file.read(PIECE_BYTES), b""), "application/zip", f"{name}.zip")


urlpatterns: list[URLPattern] = [path("export/site.zip", SiteArchive.as_view(), name="export-site")]
