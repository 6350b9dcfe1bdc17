"""Requests of sources, gathered for some milliseconds and written together: a transaction for many of them.

Each is answered when its own rows are committed. What cannot be done together (a token that nobody has, a body that
cannot be read, an error of the database) is left to the full path, where each request is alone: so a bad one never
fails the others. Tokens are looked up once for each batch, so one that was renewed or switched off ends at once.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import orjson
import structlog
from django.db import close_old_connections

from core.audit.actor import Actor, acting
from core.http.parsers import NUL
from health.external import reports
from health.external.models import ReportSource
from health.external.services import intake, sources
from health.external.services.intake import Taken

WINDOW_S = 0.005
MOST_TOGETHER, MOST_BYTES_TOGETHER = 200, 1024 * 1024
"""Requests in one transaction, and bytes of them, about 9,000 results: others wait meanwhile for rows that it holds."""
MOST_WAITING, MOST_BYTES_WAITING = 1000, 64 * 1024 * 1024
"""Requests that wait or are being written. Further ones are turned away: they would be answered too late."""
log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it came: the token of its source, and its JSON."""

    token: str
    body: bytes


class Full(Exception):
    """More requests wait than are written in time."""


Write = Callable[[Sequence[Request]], Sequence[Taken | None]]


def write_together(requests: Sequence[Request]) -> list[Taken | None]:
    """What became of each; None where the full path has to answer. One query, and a transaction for each source."""
    answers: list[Taken | None] = [None] * len(requests)
    try:
        known = sources.sources_of_tokens({request.token for request in requests})
        of_source: dict[ReportSource, list[int]] = defaultdict(list)
        for place, request in enumerate(requests):
            source = known.get(request.token)
            if source is not None and source.enabled:
                of_source[source].append(place)
        for source, places in of_source.items():
            for place, taken in _take(source, [(place, requests[place].body) for place in places]):
                answers[place] = taken
    except Exception:
        log.warning("reports_not_written_together", requests=len(requests), exc_info=True)
    return answers


def write_on_own_connection(requests: Sequence[Request]) -> list[Taken | None]:
    """The same in a thread that serves no request of Django's, which would see to its connection."""
    close_old_connections()
    try:
        return write_together(requests)
    finally:
        close_old_connections()


def _take(source: ReportSource, bodies: Iterable[tuple[int, bytes]]) -> Iterable[tuple[int, Taken]]:
    """What became of those that can be read; of none where the database refuses one."""
    read = [(place, rows) for place, body in bodies if (rows := _rows(body, source.kind)) is not None]
    if not read:
        return ()
    places, requests = zip(*read, strict=True)
    actor = Actor(f"source:{source.name}", "token", f"reports with token {source.name}")
    try:
        with acting(actor):
            return zip(places, intake.take_together(source, requests), strict=True)
    except Exception:
        log.warning("reports_not_written_together", source=source.name, requests=len(read), exc_info=True)
        return ()


def _rows(body: bytes, kind: str) -> list[Any] | None:
    if NUL in body:
        return None
    try:
        return reports.rows_of(orjson.loads(body), kind)
    except (orjson.JSONDecodeError, reports.NotReadable):
        return None


def first_of(sizes: Iterable[int]) -> int:
    """How many of the requests that wait, by their bytes, are written together; one at least. Pure."""
    bounded = zip(range(1, MOST_TOGETHER + 1), accumulate(sizes), strict=False)
    return max((count for count, total in bounded if total <= MOST_BYTES_TOGETHER), default=1)


class BatchWriter:
    """The requests of one event loop that wait to be written. A single thread writes, with a connection of its own."""

    def __init__(self, write: Write = write_on_own_connection, *, most_waiting: int = MOST_WAITING) -> None:
        self.write, self.most_waiting = write, most_waiting
        self.waiting: list[tuple[Request, asyncio.Future[Taken | None]]] = []
        self.held = self.held_bytes = 0
        self.running: asyncio.Task[None] | None = None
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="reports")

    async def take(self, request: Request) -> Taken | None:
        """What became of a request, once that is committed; None where the full path has to answer. Raises Full."""
        if self.held >= self.most_waiting or self.held_bytes + len(request.body) > MOST_BYTES_WAITING:
            raise Full
        answer: asyncio.Future[Taken | None] = asyncio.get_running_loop().create_future()
        self.held += 1
        self.held_bytes += len(request.body)
        self.waiting.append((request, answer))
        if self.running is None:
            self.running = asyncio.create_task(self.write_all())
        return await answer

    async def write_all(self) -> None:
        """Gather and write until nothing waits."""
        try:
            while self.waiting:
                if len(self.waiting) < MOST_TOGETHER:
                    await asyncio.sleep(WINDOW_S)
                count = first_of(len(request.body) for request, _ in self.waiting)
                together, self.waiting = self.waiting[:count], self.waiting[count:]
                await self.write_some(together)
        finally:
            self.running = None

    async def write_some(self, together: Sequence[tuple[Request, asyncio.Future[Taken | None]]]) -> None:
        taken: Sequence[Taken | None] = [None] * len(together)
        requests = [request for request, _ in together]
        try:
            taken = await asyncio.get_running_loop().run_in_executor(self.thread, self.write, requests)
        except Exception:
            log.exception("reports_not_written_together", requests=len(requests))
        finally:
            self.held -= len(together)
            self.held_bytes -= sum(len(request.body) for request in requests)
            for (_, answer), became in zip(together, taken, strict=True):
                if not answer.done():  # whoever asked may have left
                    answer.set_result(became)
