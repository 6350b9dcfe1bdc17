"""Bodies: what a parser or the database would break on is refused as the client's mistake."""

from __future__ import annotations

import codecs
import json
import math
import re
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import QueryDict
from rest_framework import parsers
from rest_framework.exceptions import APIException, ParseError, UnsupportedMediaType
from rest_framework.parsers import DataAndFiles
from rest_framework.request import Request
from rest_framework.status import HTTP_413_REQUEST_ENTITY_TOO_LARGE
from rest_framework.utils.json import strict_constant

from core.registry import AllOffered

UTF8 = ("utf-8", "utf-8-sig", "ascii")
MOST_BYTES = 64 * 1024 * 1024  # more is a file, which is read in the background
# Escapes of UTF-16 halves; Python reads a half without its partner, and neither UTF-8 nor PostgreSQL can hold one.
NUL = rb"\u0000"
HALF = re.compile(rb"\\u[dD][89a-fA-F]")


read: AllOffered[Callable[[Any, Any], Any]] = AllOffered()
"""What is made of every body that was read; gets it and the parser's context, and returns the body to go on with."""


def as_read(body: Any, parser_context: Any) -> Any:
    for change in read:
        body = change(body, parser_context)
    return body


class BodyTooLarge(APIException):
    status_code = HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_code = "too_large"
    default_detail = f"At most {MOST_BYTES // 1024 // 1024} MB in a request."


def refuse_large(request: Request, most: int = MOST_BYTES, reason: str | None = None) -> None:
    """Raise BodyTooLarge for a body that says it is larger than this many bytes, before any of it is read."""
    length = request.META.get("CONTENT_LENGTH") or "0"
    if length.isdecimal() and int(length) > most:
        raise BodyTooLarge(reason)


def refuse_other_charsets(parser_context: Any) -> None:
    """Raise UnsupportedMediaType for a body that says it is not UTF-8: all that is looked for in bodies is in UTF-8."""
    encoding = (parser_context or {}).get("encoding", settings.DEFAULT_CHARSET)
    try:
        known = codecs.lookup(encoding).name in UTF8
    except LookupError:
        known = False
    if not known:
        raise UnsupportedMediaType(encoding, f"Bodies are UTF-8, not {encoding[:30]}.")


class JSONParser(parsers.JSONParser):
    """Raises ParseError for what is no JSON or no text or number that can be kept; BodyTooLarge, UnsupportedMediaType.

    That is: nesting beyond reason, half a character, a NUL (PostgreSQL's texts hold none), a number that is infinite.
    """

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        refuse_other_charsets(parser_context)
        body = stream.read(MOST_BYTES + 1)
        if len(body) > MOST_BYTES:
            raise BodyTooLarge
        try:
            value = json.loads(body.decode(), parse_constant=strict_constant, parse_float=finite)
            if HALF.search(body):
                json.dumps(value, ensure_ascii=False).encode()
        except RecursionError as error:
            raise ParseError("JSON parse error - nested too deep") from error
        except UnicodeEncodeError as error:
            raise ParseError("JSON parse error - half a character (a surrogate without its partner)") from error
        except ValueError as error:
            raise ParseError(f"JSON parse error - {error}") from error
        refuse_nul(body, value)
        return as_read(value, parser_context)


def finite(text: str) -> float:
    """1e999 reads as infinite, which no column and no answer can hold. Raises ValueError."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:30]} is too large a number")
    return number


def refuse_nul(body: bytes, value: Any) -> None:
    """Raise ParseError for JSON of which a text holds a NUL; `value` is what the body says."""
    if NUL in body and has_nul(value):
        raise ParseError("JSON parse error - a NUL character")


def has_nul(value: Any) -> bool:
    """Whether a text anywhere in decoded JSON holds a NUL, names of fields included."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            if "\0" in each:
                return True
        elif isinstance(each, dict):
            waiting += each.keys()
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each
    return False


def without_nul(fields: QueryDict) -> None:
    """Raises ParseError for a form of which a field or its name holds a NUL."""
    if any("\0" in text for name, values in fields.lists() for text in (name, *map(str, values))):
        raise ParseError("The form holds a NUL character.")


class FormParser(parsers.FormParser):
    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        refuse_other_charsets(parser_context)
        fields = super().parse(stream, media_type, parser_context)
        without_nul(fields)
        return as_read(fields, parser_context)


class MultiPartParser(parsers.MultiPartParser):
    """The content of a file may hold anything; its name may not."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> DataAndFiles:
        refuse_other_charsets(parser_context)
        found = super().parse(stream, media_type, parser_context)
        without_nul(found.data)
        if any("\0" in (file.name or "") for _, files in found.files.lists() for file in files):
            raise ParseError("The name of a file holds a NUL character.")
        found.data = as_read(found.data, parser_context)
        return found
