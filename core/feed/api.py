"""`GET /api/events/stream/?site=ID&after=CURSOR`: what happens at a site, while it happens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import orjson
import structlog
from asgiref.sync import sync_to_async
from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.db import connections
from django.http import StreamingHttpResponse
from django.urls import path
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import PermissionDenied, Throttled, ValidationError
from rest_framework.request import Request
from rest_framework.views import APIView

from core.accounts import second_factor, tablets
from core.accounts.scope import allows, granted_roles, request_roles
from core.feed import frames
from core.models import ApiToken, Role, User
from core.rest.renderers import JSONRenderer
from live import hub, stream

HEARTBEAT_S = 10.0
RIGHTS_S = 15.0
"""How long somebody who lost a role or whose token ended may go on listening."""
MOST_STREAMS = 200
"""Of one process: each holds a connection and a thread that sleeps."""
log = structlog.get_logger(__name__)
_open: set[object] = set()


class EventStreamRenderer(JSONRenderer):
    """Names the media type for content negotiation; a refusal is JSON all the same."""

    media_type = "text/event-stream"
    format = "sse"


class EventStreamView(APIView):
    """Events of one site as server-sent events, for programs with a token and for pages.

    Each has `id`, `kind`, `subject`, `at` and `data`, as in the live feed of the dashboard; the id of the event stream
    is a cursor. `after`, or the header `Last-Event-ID`, goes on behind one. `event: reset` says that some are gone:
    read the lists, then go on. A comment comes every ten seconds; a client that does not read is dropped.
    """

    renderer_classes = (JSONRenderer, EventStreamRenderer)
    roles = {"get": Role.VIEWER}  # noqa: RUF012  (read only)

    @extend_schema(
        summary="Events of a site, while they happen",
        parameters=[
            OpenApiParameter("site", int, required=True, description="Id of the site."),
            OpenApiParameter("after", str, description="A cursor: go on behind it. Without one: from now on."),
        ],
        responses={(200, "text/event-stream"): OpenApiTypes.STR},
    )
    def get(self, request: Request) -> StreamingHttpResponse:
        try:
            site = int(request.query_params["site"])
        except (KeyError, ValueError) as error:
            raise ValidationError({"site": ["The id of a site."]}) from error
        if not allows(request_roles(request), site, Role.VIEWER):
            raise PermissionDenied
        if len(_open) >= MOST_STREAMS:
            raise Throttled(wait=30, detail="Too many streams are open.")
        after = request.query_params.get("after", "") or request.headers.get("Last-Event-ID", "")
        answer = StreamingHttpResponse(follow(site, after, still_allowed_of(request, site)))
        answer.headers["Content-Type"] = "text/event-stream"
        answer.headers["Cache-Control"] = "no-store"
        answer.headers["X-Accel-Buffering"] = "no"  # nginx would keep it until it is large
        return answer


def still_allowed_of(request: Request, site: int) -> Callable[[], bool]:
    """Whether who asked may still listen, read anew; it holds no connection to the database in between."""
    user_id, token = int(request.user.pk or 0), request.auth if isinstance(request.auth, ApiToken) else None
    session = getattr(request._request, "session", None)
    session_key = session.session_key if session is not None and token is None else None

    def still_allowed() -> bool:
        try:
            user = User.objects.filter(pk=user_id, is_active=True, must_change_password=False).first()
            if user is None:
                return False
            if token is not None:
                fresh = ApiToken.objects.filter(pk=token.pk).first()
                ended = fresh is None or (fresh.expiry is not None and fresh.expiry < timezone.now())
                return not ended and allows(granted_roles(user, fresh), site, Role.VIEWER)
            stored = SessionStore(session_key).load() if session_key else {}
            signed_in = constant_time_compare(stored.get(HASH_SESSION_KEY, ""), user.get_session_auth_hash())
            with_factor = second_factor.standing(user, stored) is second_factor.Standing.GOOD
            if not signed_in or not with_factor or not tablets.limit(user, stored):
                return False
            return allows(granted_roles(user), site, Role.VIEWER)
        finally:
            let_go()

    return still_allowed


def let_go() -> None:
    """Give the connection of this thread back: a stream lasts for hours, and asks a few times a minute."""
    for connection in connections.all(initialized_only=True):
        if not connection.in_atomic_block:
            connection.close()


async def follow(site: int, after: str, still_allowed: Callable[[], bool]) -> AsyncIterator[str]:
    """Events as they come, until the client goes or may not listen any more."""
    mark = object()
    _open.add(mark)
    try:
        await sync_to_async(let_go)()
        feed, queue = await hub.subscribe(site)
        try:
            # Subscribed before reading what was missed: an event may come twice, never not at all.
            yield await begin(feed, site, after)
            clock = asyncio.get_running_loop().time
            says_again = clock() + HEARTBEAT_S
            asks_again = clock() + RIGHTS_S
            while True:
                frame = orjson.loads(await queue.get())  # the hub beats every two seconds
                if clock() >= asks_again:
                    if not await sync_to_async(still_allowed)():
                        return
                    asks_again = clock() + RIGHTS_S
                if text := said(frame, feed.cursor, beat=clock() >= says_again):
                    says_again = clock() + HEARTBEAT_S
                    yield text
        finally:
            hub.unsubscribe(feed, queue)
    except TimeoutError:
        log.warning("event_stream_without_a_store", site=site)
    finally:
        _open.discard(mark)


async def begin(feed: hub.SiteFeed, site: int, after: str) -> str:
    if not after:
        return frames.hello(feed.cursor)
    client = stream.connect_async()
    try:
        missed = await stream.resume(client, site, after)
    finally:
        await client.aclose()
    if missed is None:
        return frames.hello(feed.cursor) + frames.reset(feed.cursor)
    cursor, happened = missed
    return frames.hello(cursor if not happened else after) + frames.events(happened, cursor)


def said(frame: dict[str, Any], cursor: str, *, beat: bool) -> str:
    if frame["type"] == "events":
        return frames.events(frame["events"], frame["cursor"])
    if frame["type"] == "reset":
        return frames.reset(cursor)
    return frames.HEARTBEAT if beat else ""


urlpatterns = [path("events/stream/", EventStreamView.as_view())]
