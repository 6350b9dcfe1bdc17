"""Answers that are text go out compressed where the client takes that."""

from __future__ import annotations

import re

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware

TEXTS = (
    "text/plain",
    "text/csv",
    "text/yaml",
    "application/json",
    "application/problem+json",
    "application/x-ndjson",
    "application/yaml",
    "application/vnd.oai.openapi",
    "image/svg+xml",
)

_GZIP = re.compile(r"(?:^|,)\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[0-9.]+\s*)?(?=,|$)", re.IGNORECASE)


def takes_gzip(request: HttpRequest) -> bool:
    """Whether the client takes gzip: `gzip;q=0` refuses it, which Django's middleware takes for a yes."""
    return bool(_GZIP.search(request.headers.get("Accept-Encoding", "")))


class CompressionMiddleware(GZipMiddleware):
    """Django's own, for texts only: a photo, a PDF or an archive gets no smaller and only costs time.

    It stands behind WhiteNoise, whose files were compressed when they were built. Pages (HTML) hold CSRF tokens and are
    small: they stay as they are. Elsewhere a random number of bytes keeps the length of an answer from telling of its
    content (BREACH).
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if not takes_gzip(request) or not response.headers.get("Content-Type", "").startswith(TEXTS):
            return response
        return super().process_response(request, response)
