"""The OpenAPI document as it is served: built once in each process, for each content type, and packed once.

It says the same to everybody who may read it and changes only with the program, so a process keeps it until it ends.
"""

from __future__ import annotations

import gzip
from functools import cache
from typing import Any, NamedTuple

from django.http import HttpResponse
from django.utils.cache import patch_vary_headers
from drf_spectacular.renderers import OpenApiJsonRenderer, OpenApiJsonRenderer2, OpenApiYamlRenderer
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.request import Request

from core.http.compression import takes_gzip
from core.http.etags import etag_of
from core.rest.parameters import reading_schemas


class Document(NamedTuple):
    """The bytes of one form, plain and packed. Each has a tag of its own, as a strong tag is of the bytes sent."""

    plain: bytes
    packed: bytes
    tag: str
    packed_tag: str


@cache
def _built(as_json: bool) -> Document:
    schema = SpectacularAPIView.generator_class().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    renderer: Any = OpenApiJsonRenderer() if as_json else OpenApiYamlRenderer()
    plain = renderer.render(schema)
    packed = gzip.compress(plain, 6, mtime=0)  # no time in it: every process has the same tag
    return Document(plain, packed, etag_of(plain), etag_of(packed))


def document(*, as_json: bool) -> Document:
    """The document; two requests at once build it once."""
    with reading_schemas:
        return _built(as_json)


class SchemaView(SpectacularAPIView):
    """OpenAPI 3.1 as YAML or, by `Accept` or `?format=json`, as JSON."""

    @extend_schema(exclude=True)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:
        renderer: Any = request.accepted_renderer
        as_json = isinstance(renderer, OpenApiJsonRenderer | OpenApiJsonRenderer2)
        found = document(as_json=as_json)
        packs = takes_gzip(request)
        response = HttpResponse(found.packed if packs else found.plain, content_type=renderer.media_type)
        response.headers["ETag"] = found.packed_tag if packs else found.tag
        response.headers["Content-Disposition"] = f'inline; filename="rackside.{"json" if as_json else "yaml"}"'
        if packs:
            response.headers["Content-Encoding"] = "gzip"
        patch_vary_headers(response, ["Accept-Encoding"])
        return response
