"""Answers of the API are sent compressed to who takes gzip; Django's own middleware does the work.

Only JSON and text under `/api/`: pages carry a CSRF token beside what a reader can have put into them, and the length
of a compressed answer tells of both (BREACH). Answers of the API hold no token, and random bytes blur their length all
the same. Streams stay as they are: they are files that are sent while they are made.
"""

from __future__ import annotations

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware

from core.http.etags import compressed

TEXT = ("application/json", "application/vnd.oai.openapi", "text/csv", "text/plain", "image/svg+xml")


class CompressionMiddleware(GZipMiddleware):
    """Stands outside of the entity tags, so that a tag is made of what was rendered."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        kind = response.headers.get("Content-Type", "")
        if response.streaming or not request.path.startswith("/api/") or not kind.startswith(TEXT):
            return response
        etag = response.headers.get("ETag")
        response = super().process_response(request, response)
        if etag and response.headers.get("Content-Encoding") == "gzip":
            response.headers["ETag"] = compressed(etag)  # strong as before: other bytes, so another tag
        return response
