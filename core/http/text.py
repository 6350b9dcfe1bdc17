"""What no address holds: a NUL, which PostgreSQL's texts cannot, and a number that no id reaches."""

from __future__ import annotations

import re
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, JsonResponse

from core.errors import error_body

MESSAGE = "The request holds a NUL character."
TOO_LARGE = "The address holds a number that no record has: an id is at most 18 digits long."
_HUGE = re.compile(r"[/.][0-9]{19,}(?=[/.]|$)")
"""A part of a path that is only digits, and more of them than 64 bits hold."""


class BadAddressMiddleware:
    """400 before any view sees the request. Bodies are looked at by the parsers, which know what they hold."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        query = request.META.get("QUERY_STRING", "")
        if "\0" in request.path or "%00" in query or "\0" in query:
            return refused(request)
        if request.path.startswith("/api/") and _HUGE.search(request.path):
            return JsonResponse(error_body("invalid", TOO_LARGE, {}), status=400)
        return self.get_response(request)


def refused(request: HttpRequest) -> HttpResponse:
    if request.path.startswith("/api/"):
        named = [name for name, values in request.GET.lists() if "\0" in "".join([name, *values])]
        return JsonResponse(error_body("invalid", MESSAGE, {name: [MESSAGE] for name in named}), status=400)
    return HttpResponse(MESSAGE + "\n", content_type="text/plain; charset=utf-8", status=400)
