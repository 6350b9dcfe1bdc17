"""A parameter that a route does not know is refused: a misspelt filter would answer with everything, and look right.

What a route knows is what its page in the OpenAPI document says. Lists of records have filters that sites add
themselves, and refuse the others in `inventory.api.filters`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from django.http import HttpRequest, HttpResponse, JsonResponse
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.settings import spectacular_settings

from core.errors import error_body, or_nearest

T = TypeVar("T")
EVERYWHERE = frozenset({"format"})
reading_schemas = threading.RLock()
"""drf-spectacular 0.30 loads its extensions as the first schema is read, and two threads that do so fail."""


class KnownParametersMiddleware:
    """Refuses before anything is read or written."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: Any, kwargs: dict[str, Any]
    ) -> HttpResponse | None:
        if not request.GET or not hasattr(view, "cls"):
            return None
        known = known_to(view, request.method or "GET")
        if known is None or known.issuperset(request.GET):
            return None
        unknown = [name for name in request.GET if name not in known]
        fields = {name: ["There is no such parameter" + (or_nearest(name, known) or ".")] for name in unknown}
        return JsonResponse(error_body("invalid", "The request was refused; see the fields.", fields), status=400)


@cache
def known_to(view: Any, method: str) -> frozenset[str] | None:
    """The parameters of a view, such as `page`; None where it refuses others itself, or has no such method."""
    method = "GET" if method == "HEAD" else method
    actions = getattr(view, "actions", None) or {each: each for each in view.cls.http_method_names}
    action = actions.get(method.lower())
    if action is None or (action in ("list", "get") and getattr(view.cls, "refuses_unknown_filters", False)):
        return None
    return inspected(view, method, lambda schema: frozenset(schema.query_names()) | EVERYWHERE)


def inspected(view: Any, method: str, work: Callable[[Any], T]) -> T | None:
    """What `work` makes of the schema of a view; None where it has no such method."""
    method = "GET" if method == "HEAD" else method
    actions = getattr(view, "actions", None) or {each: each for each in view.cls.http_method_names}
    if method.lower() not in actions:
        return None
    with reading_schemas:
        # Kept to the end: the schema of a view lives as long as what generates it.
        generator: Any = SchemaGenerator()  # type: ignore[no-untyped-call]
        instance = generator.create_view(view, method, None)
        instance.request = spectacular_settings.GET_MOCK_REQUEST(method, "", instance, None)
        schema = instance.schema
        schema.view, schema.method, schema.path = instance, method, ""
        return work(schema)
