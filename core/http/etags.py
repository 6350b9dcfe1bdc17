"""Entity tags: GET answers of the API carry a strong one, and a client that has that answer already gets 304.

The tag is a hash of the rendered bytes, so it needs no version column and covers everything that is shown. Streams and
answers that forbid storing get none; `/metrics` and the live feed are not under `/api/`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.cache import patch_vary_headers
from django.utils.http import parse_etags

from core.errors import error_body

KEPT_BY_304 = ("Cache-Control", "Content-Location", "Date", "ETag", "Expires", "Vary")
JSON_TYPES = ("application/json", "application/vnd.oai.openapi")


def etag_of(body: bytes) -> str:
    """A strong tag: equal exactly when the bytes are."""
    return f'"{hashlib.blake2b(body, digest_size=16).hexdigest()}"'


GZIPPED = '-gzip"'


def compressed(etag: str) -> str:
    """The tag of the same answer sent compressed: other bytes, so another tag (RFC 9110, 8.8.3.3)."""
    return etag if etag.startswith("W/") else f"{etag[:-1]}{GZIPPED}"


def plain(etag: str) -> str:
    """The tag of the answer before it was compressed: both name one state of the record."""
    return f'{etag.removesuffix(GZIPPED)}"' if etag.endswith(GZIPPED) else etag


def none_match(header: str, etag: str) -> bool:
    """Whether the client lacks this answer. `If-None-Match` compares weakly: a proxy that compresses weakens tags."""
    tags = [plain(tag) for tag in parse_etags(header)]
    return not (tags == ["*"] or etag.removeprefix("W/") in {tag.removeprefix("W/") for tag in tags})


def match(header: str, etag: str) -> bool:
    """Whether the record is still the one the client saw. `If-Match` compares strongly: a weak tag never matches."""
    tags = [plain(tag) for tag in parse_etags(header)]
    return tags == ["*"] or (etag in tags and not etag.startswith("W/"))


class ETagMiddleware:
    """Adds the tag to JSON answers of GET and HEAD under `/api/`, and answers `If-None-Match` and `If-Match`."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.method not in ("GET", "HEAD") or not request.path.startswith("/api/") or not taggable(response):
            return response
        etag = response.headers.get("ETag") or etag_of(response.content)
        response.headers["ETag"] = etag
        response.headers.setdefault("Cache-Control", "private, no-cache")  # keep it, but ask each time
        patch_vary_headers(response, ["Accept", "Authorization", "Cookie"])
        wanted, known = request.headers.get("If-Match"), request.headers.get("If-None-Match")
        if wanted is not None and not match(wanted, etag):
            body = error_body("precondition_failed", "The answer is no longer the one you saw.")
            return JsonResponse(body, status=412)
        if known is not None and not none_match(known, etag):
            return not_modified(response)
        return response


def taggable(response: HttpResponse) -> bool:
    return (
        response.status_code == 200
        and not response.streaming
        and response.headers.get("Content-Type", "").startswith(JSON_TYPES)
        and "no-store" not in response.headers.get("Cache-Control", "")
    )


def not_modified(full: HttpResponse) -> HttpResponse:
    response = HttpResponse(status=304)
    del response.headers["Content-Type"]
    for name in KEPT_BY_304:
        if name in full.headers:
            response.headers[name] = full.headers[name]
    response.cookies = full.cookies
    return response
