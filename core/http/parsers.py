"""JSON bodies: what a parser or the database would break on is refused as the client's mistake."""

from __future__ import annotations

import io
import json
import re
from typing import Any

from rest_framework import parsers
from rest_framework.exceptions import APIException, ParseError
from rest_framework.request import Request
from rest_framework.status import HTTP_413_REQUEST_ENTITY_TOO_LARGE

MOST_BYTES = 64 * 1024 * 1024  # more is a file, which is read in the background
# Escapes of UTF-16 halves; Python reads a half without its partner, and neither UTF-8 nor PostgreSQL can hold one.
HALF = re.compile(rb"\\u[dD][89a-fA-F]")


class BodyTooLarge(APIException):
    status_code = HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_code = "too_large"
    default_detail = f"At most {MOST_BYTES // 1024 // 1024} MB in a request."


def refuse_large(request: Request, most: int = MOST_BYTES, reason: str | None = None) -> None:
    """Raise BodyTooLarge for a body that says it is larger than this many bytes, before any of it is read."""
    length = request.META.get("CONTENT_LENGTH") or "0"
    if length.isdecimal() and int(length) > most:
        raise BodyTooLarge(reason)


class JSONParser(parsers.JSONParser):
    """Raises ParseError for what is no JSON, nested beyond reason, or holds half a character; BodyTooLarge."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        body = stream.read(MOST_BYTES + 1)
        if len(body) > MOST_BYTES:
            raise BodyTooLarge
        try:
            value = super().parse(io.BytesIO(body), media_type, parser_context)
            if HALF.search(body):
                json.dumps(value, ensure_ascii=False).encode()
        except RecursionError as error:
            raise ParseError("JSON parse error - nested too deep") from error
        except UnicodeEncodeError as error:
            raise ParseError("JSON parse error - half a character (a surrogate without its partner)") from error
        return value
