"""Small requests of sources that are written together: each gets its own answer, and no one pays for another's."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import timedelta
from itertools import pairwise
from typing import Any

import orjson
import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from health.external import fast_path, reports
from health.external.fast_path import FastPath
from health.external.services import intake, sources
from health.external.services.batch_writer import (
    MOST_BYTES_TOGETHER,
    MOST_BYTES_WAITING,
    MOST_TOGETHER,
    BatchWriter,
    Full,
    Request,
    first_of,
    write_together,
)
from health.external.services.intake import Taken
from health.models import CurrentVerdict, ReportedMachine, Transition
from health.tests import factories as make
from health.tests.test_reports import URL, make_source, post, said

TOKEN = "src-token"
Answer = tuple[int, dict[str, str], Any]
"""Status, headers, content."""


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)


# ---- pure ----


@given(st.lists(st.sets(st.integers(1, 5), max_size=3), max_size=10))
def test_requests_about_one_machine_are_never_in_one_part_and_keep_their_order(requests: list[set[int]]) -> None:
    parts = reports.without_overlap(requests)
    assert sorted(place for part in parts for place in part) == list(range(len(requests)))
    for part in parts:
        machines = [machine for place in part for machine in requests[place]]
        assert len(machines) == len(set(machines))
    for machine in range(1, 6):
        order = [place for part in parts for place in part if machine in requests[place]]
        assert all(before < after for before, after in pairwise(order))


def headers(token: str = TOKEN, **changed: str | None) -> list[tuple[bytes, bytes]]:
    found: dict[str, str | None] = {
        "host": "localhost", "authorization": f"Bearer {token}", "content-type": "application/json",
        "content-length": "20", "accept": "*/*",
    }  # fmt: skip
    found |= {name.replace("_", "-"): value for name, value in changed.items()}
    return [(name.encode(), value.encode()) for name, value in found.items() if value is not None]


@pytest.mark.parametrize(
    "changed",
    [
        {"content_type": "application/x-ndjson"},
        {"content_type": "application/json; charset=latin-1"},
        {"content_encoding": "gzip"},
        {"content_length": str(fast_path.LARGEST_BYTES + 1)},
        {"content_length": None},
        {"transfer_encoding": "chunked"},
        {"expect": "100-continue"},
        {"idempotency_key": "k"},
        {"cookie": "sessionid=1"},
        {"accept": "text/html"},
        {"host": "elsewhere.example"},
    ],
)
def test_only_a_plain_request_takes_the_fast_path(changed: dict[str, str | None]) -> None:
    assert fast_path.is_plain(dict(headers()), len(headers()))
    lines = headers(TOKEN, **changed)
    assert not fast_path.is_plain(dict(lines), len(lines))
    assert not fast_path.is_plain(dict(headers()), len(headers()) + 1), "a header that came twice"


def test_only_a_token_of_a_source_takes_the_fast_path() -> None:
    for line in ("Bearer src-token", "Token src-token", "source src-token"):
        assert fast_path.token_of({b"authorization": line.encode()}) == TOKEN
    for line in ("", "Bearer abc", "Basic src-token", "src-token"):
        assert fast_path.token_of({b"authorization": line.encode()}) is None


def test_a_transaction_is_bounded_in_requests_and_bytes() -> None:
    assert first_of([10, 10]) == 2 and first_of([10] * 1000) == MOST_TOGETHER
    assert first_of([MOST_BYTES_TOGETHER // 2] * 5) == 2
    assert first_of([MOST_BYTES_TOGETHER * 2, 10]) == 1, "a large one is written all the same"


# ---- gathered ----


def requests(count: int) -> list[Request]:
    return [Request(TOKEN, str(number).encode()) for number in range(count)]


def counted(requests: Sequence[Request]) -> list[Taken | None]:
    """Writes nothing: a request that says 3 had three results."""
    return [Taken(stored=int(request.body)) for request in requests]


async def all_of(writer: BatchWriter, asked: Sequence[Request]) -> list[Taken | BaseException | None]:
    return await asyncio.gather(*(writer.take(request) for request in asked), return_exceptions=True)


def test_requests_that_come_together_are_written_together_and_each_gets_its_own_answer() -> None:
    written: list[int] = []

    def write(requests: Sequence[Request]) -> list[Taken | None]:
        written.append(len(requests))
        return counted(requests)

    answers = asyncio.run(all_of(BatchWriter(write), requests(5)))
    assert written == [5]
    assert [answer.stored for answer in answers if isinstance(answer, Taken)] == [0, 1, 2, 3, 4]


def test_more_than_may_wait_are_turned_away_and_the_others_answered() -> None:
    writer = BatchWriter(counted, most_waiting=3)
    answers = asyncio.run(all_of(writer, requests(5)))
    assert [type(answer) for answer in answers] == [Taken, Taken, Taken, Full, Full]
    assert writer.held == writer.held_bytes == 0, "there is room again"
    large = Request(TOKEN, bytes(MOST_BYTES_WAITING // 2 + 1))
    answers = asyncio.run(all_of(BatchWriter(lambda asked: [Taken()] * len(asked)), [large, large]))
    assert [type(answer) for answer in answers] == [Taken, Full]


def test_one_who_left_does_not_hold_up_the_others() -> None:
    async def leave_one(writer: BatchWriter) -> list[Any]:
        asked = [asyncio.create_task(writer.take(request)) for request in requests(3)]
        await asyncio.sleep(0)
        asked[1].cancel()
        return await asyncio.gather(*asked, return_exceptions=True)

    writer = BatchWriter(counted)
    answers = asyncio.run(leave_one(writer))
    assert [type(answer) for answer in answers] == [Taken, asyncio.CancelledError, Taken]
    assert writer.held == 0


def test_what_cannot_be_written_is_left_to_the_full_path_and_the_next_is_written() -> None:
    def broken(requests: Sequence[Request]) -> list[Taken | None]:
        if len(requests) == 2:
            raise RuntimeError("a mistake")
        return counted(requests)

    async def twice(writer: BatchWriter) -> list[Any]:
        return [*await all_of(writer, requests(2)), *await all_of(writer, requests(1))]

    assert asyncio.run(twice(BatchWriter(broken))) == [None, None, Taken(stored=0)]


# ---- written ----

db = pytest.mark.django_db


def request(token: str, *rows: Any) -> Request:
    return Request(token, orjson.dumps(list(rows)))


@db
def test_each_request_is_answered_for_its_own_results_and_a_bad_one_hurts_no_other() -> None:
    one, two = make.make_machines(2)
    _, token = make_source()
    unreadable = Request(token, b"[")
    answers = write_together([
        request(token, said(one, "warn"), said(one, "ok", "clock")),
        request(token, said(two, "warn"), said(two, "maybe")),
        unreadable,
        request(token, {"machine": "nowhere", "check": "a", "verdict": "ok"}),
    ])  # fmt: skip
    first, second, third, fourth = answers
    assert first is not None and second is not None and fourth is not None
    assert (first.stored, first.changed, first.problems) == (2, 1, [])
    assert (second.stored, second.changed) == (1, 1)
    assert [(each.position, each.code) for each in second.problems] == [(1, "invalid")]
    assert third is None, "the full path says what is wrong with it"
    assert fourth.stored == 0 and fourth.problems[0].code == "unknown_reference"
    assert {row.machine_id for row in CurrentVerdict.objects.all()} == {one.pk, two.pk}


@db
def test_each_source_speaks_of_its_own_site_and_only_while_its_token_holds() -> None:
    here, there = make.make_machines(1)[0], make.make_machines(1, site="fra1")[0]
    source, token = make_source()
    other, other_token = make_source(site="fra1")
    rows = (said(here, "warn"), said(there, "warn"))
    asked = [request(token, *rows), request(other_token, *rows), request("src-nonsense", *rows)]
    mine, theirs, nobodys = write_together(asked)
    assert mine is not None and theirs is not None and nobodys is None
    assert [each.position for each in mine.problems] == [1] and [each.position for each in theirs.problems] == [0]
    assert ReportedMachine.objects.get(source=source).machine_id == here.pk
    assert ReportedMachine.objects.get(source=other).machine_id == there.pk
    sources.renew_token(source.pk)
    sources.change_source(other.pk, enabled=False)
    assert write_together(asked) == [None, None, None], "at once, without a cache that has to forget"


@db
def test_two_requests_about_one_machine_count_as_if_they_had_come_one_after_the_other() -> None:
    machine, other = make.make_machines(2)
    _, token = make_source()
    at = [(timezone.now() - timedelta(seconds=30 - second)).isoformat() for second in range(2)]
    answers = write_together([
        request(token, said(machine, "warn", at=at[0])),
        request(token, said(other, "warn", at=at[1]), said(machine, "ok", at=at[1])),
        request(token, said(machine, "warn", at=at[0])),
    ])  # fmt: skip
    assert [(a.changed, a.repeated) for a in answers if a] == [(1, 0), (2, 0), (0, 1)]
    history = Transition.objects.filter(machine_id=machine.pk).order_by("at")
    assert [(row.from_verdict, row.to_verdict) for row in history] == [("ok", "warn"), ("warn", "ok")]
    assert make.health(machine).warn_count == 0 and make.health(other).warn_count == 1


@db
def test_nothing_is_acknowledged_of_what_was_not_committed(monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = make.make_machines(2)
    _, token = make_source()

    def crash(*args: Any) -> None:
        raise OperationalError("the server closed the connection")

    asked = [request(token, said(one, "warn")), request(token, said(two, "warn"))]
    with monkeypatch.context() as broken:
        broken.setattr(intake, "settled_soon", crash)  # all is written, nothing committed
        assert write_together(asked) == [None, None]
        assert not CurrentVerdict.objects.exists() and not ReportedMachine.objects.exists()
    assert [taken.changed for taken in write_together(asked) if taken] == [1, 1]


@db
def test_any_number_of_requests_takes_the_same_number_of_statements() -> None:
    machines = make.make_machines(12)
    _, token = make_source()

    def statements(count: int, verdict: str) -> int:
        with CaptureQueriesContext(connection) as queries:
            answers = write_together([request(token, said(machine, verdict)) for machine in machines[:count]])
        assert all(taken and taken.changed for taken in answers)
        return len(queries)

    statements(12, "info")
    assert statements(12, "warn") == statements(2, "fail")


# ---- over ASGI ----


async def sent(
    app: Callable[..., Any], body: bytes, lines: list[tuple[bytes, bytes]]
) -> tuple[int, dict[str, str], Any]:
    messages = [
        {"type": "http.request", "body": body[:10], "more_body": True},
        {"type": "http.request", "body": body[10:], "more_body": False},
    ]
    came: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        if messages:
            return messages.pop(0)
        await asyncio.sleep(60)
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        came.append(message)

    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "scheme": "http",
        "path": URL, "raw_path": URL.encode(), "root_path": "", "query_string": b"", "headers": lines,
        "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80),
    }  # fmt: skip
    await app(scope, receive, send)
    named = {name.decode().lower(): value.decode() for name, value in came[0]["headers"]}
    return came[0]["status"], named, orjson.loads(b"".join(message.get("body", b"") for message in came[1:]))


def asked_over(app: Callable[..., Any], token: str, body: bytes) -> Answer:
    lines = headers(token, content_length=str(len(body)))
    return asyncio.run(sent(app, body, lines))


@db
def test_the_fast_path_answers_as_the_full_one_and_leaves_to_it_what_is_refused() -> None:
    machine = make.make_machines(1)[0]
    _, token = make_source()
    left: list[bytes] = []

    async def full(scope: Any, receive: Callable[[], Any], send: Callable[[Any], Any]) -> None:
        left.append((await receive())["body"] + (await receive())["body"])
        await send({"type": "http.response.start", "status": 400, "headers": []})
        await send({"type": "http.response.body", "body": b"{}"})

    def by_fast(token: str, body: bytes) -> Answer:
        written = write_together([Request(token, body)])  # here, in the transaction of the test

        def write(asked: Sequence[Request]) -> list[Taken | None]:
            assert asked == [Request(token, body)]
            return written

        return asked_over(FastPath(full, BatchWriter(write)), token, body)

    row = said(machine, "info")
    post(token, [row])
    for body in map(orjson.dumps, ([row], [row, said(machine, "maybe")], {"results": [row]}, [])):
        by_full = post(token, body)
        status, named, answer = by_fast(token, body)
        assert (status, answer) == (by_full.status_code, by_full.json())
        known = {name.lower(): value for name, value in by_full.headers.items()}
        assert {**named, "x-request-id": ""} == {**known, "x-request-id": ""}
    assert not left
    refused = [b"[", b'"text"', b'{"alerts": []}', b'["\\u0000"]']
    for body in refused:
        by_fast(token, body)
    by_fast("src-nonsense", b"[]")
    assert left == [*refused, b"[]"]


def test_what_waits_too_long_is_turned_away_with_when_to_come_again() -> None:
    async def unasked(*_: Any) -> None:
        raise AssertionError("the full path is not asked")

    status, named, body = asked_over(FastPath(unasked, BatchWriter(counted, most_waiting=0)), TOKEN, b"[]")
    assert (status, named["retry-after"], body["error"]["code"]) == (503, "1", "unavailable")
    assert body["error"]["request_id"] == named["x-request-id"] != ""


def test_one_who_leaves_within_its_body_has_said_nothing() -> None:
    async def asked_for_nothing(*_: Any) -> Any:
        raise AssertionError("there is nothing to take or to answer")

    messages: list[dict[str, Any]] = [
        {"type": "http.request", "body": b"[{", "more_body": True},
        {"type": "http.disconnect"},
    ]

    async def receive() -> dict[str, Any]:
        return messages.pop(0)

    def write(_: Sequence[Request]) -> list[Taken | None]:
        raise AssertionError("nothing is written")

    scope = {"type": "http", "method": "POST", "path": URL, "query_string": b"", "headers": headers()}
    asyncio.run(FastPath(asked_for_nothing, BatchWriter(write))(scope, receive, asked_for_nothing))
    assert not messages
