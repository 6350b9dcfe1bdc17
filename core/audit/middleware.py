"""Names the actor of everything a request writes."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from core.audit import actor


class ActorMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        token = actor.begin(lambda: actor.request_actor(request))
        try:
            return self.get_response(request)
        finally:
            actor.end(token)
