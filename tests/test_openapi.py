"""The OpenAPI document is exact: whatever is sent, the answer has a status, a type and a body that it names.

Every operation gets a few requests made by schemathesis from the document, with the same seed each time, as an
administrator and as a viewer, in this process. Ids in paths are real ones where there are any, so that records answer.
"""

from __future__ import annotations

import copy
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from django.test import Client
from drf_spectacular.validation import validate_schema
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import checks
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from core.models import Role
from core.services import ensure_user, make_token
from tests.schema import api_document, is_without_warnings
from tests.test_sql_counts import fill, some_records, undone

pytestmark = pytest.mark.django_db
FEW, MANY = 1, 10
RECORDS = 3
CHECKS = [checks.not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
TALK_TO_MACHINES = ("/api/tickets/{key}/led/",)
"""Operations that reach out to hardware, which is not there."""


@cache
def document() -> Any:
    found = schemathesis.openapi.from_dict(copy.deepcopy(api_document()))
    found.app = get_wsgi_application()
    return found


def operations() -> list[tuple[str, str]]:
    found = []
    for path, methods in api_document()["paths"].items():
        found += [(method.upper(), path) for method in methods if method in ("get", "post", "put", "patch", "delete")]
    return [each for each in found if each[1] not in TALK_TO_MACHINES]


def test_the_document_is_made_without_warnings() -> None:
    assert is_without_warnings()


@pytest.mark.slow
def test_the_document_is_valid_openapi() -> None:
    validate_schema(api_document())  # type: ignore[no-untyped-call]


@contextmanager
def connections_kept() -> Iterator[None]:
    """A request over WSGI closes its connection at its end, which here is the test's own."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


async def ends_at_once(site: int, after: str, still_allowed: Callable[[], bool]) -> AsyncIterator[str]:
    """In place of a stream, for whose end a request over WSGI would wait for ever."""
    yield ": here\n\n"


@pytest.fixture(scope="module")
def tokens(django_db_setup: None, django_db_blocker: Any) -> Iterator[dict[Role, str]]:
    """A filled database and a token for each role, in a transaction that is rolled back."""
    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patched, undone():
        patched.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)
        patched.setattr("core.feed.api.follow", ends_at_once)
        fill(RECORDS)
        yield {role: make_token(ensure_user(f"fuzz-{role}", role=role)[0])[1] for role in Role}


@pytest.fixture(scope="module")
def real(tokens: dict[Role, str]) -> dict[str, str]:
    """Path with parameters to the path of a record that is there."""
    client = Client(headers={"Authorization": f"Token {tokens[Role.ADMIN]}"})
    listed = {path for method, path in operations() if method == "GET" and "{" not in path}
    paths = {path for _, path in operations() if path.count("{") == 1 and path.partition("{")[0] in listed}
    return some_records(client, sorted(paths))


def value_in(template: str, path: str) -> str:
    before, _, rest = template.partition("{")
    return path[len(before) : len(path) - len(rest.partition("}")[2])]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        # In CI the answer to every request of every test is held against the document (`tests/answers.py`): each fourth
        # here, and all with `--all`.
        each if not number % 4 else pytest.param(*each, marks=pytest.mark.slow)
        for number, each in enumerate(operations())
    ],
    ids=str,
)
def test_answers_are_as_the_document_says(
    method: str, path: str, tokens: dict[Role, str], real: dict[str, str]
) -> None:
    try_out(document()[path][method], FEW, tokens[Role.ADMIN], real.get(path))


@pytest.mark.slow
@pytest.mark.parametrize(("method", "path"), operations(), ids=str)
def test_answers_to_every_role_are_as_the_document_says(
    method: str, path: str, tokens: dict[Role, str], real: dict[str, str]
) -> None:
    for role in (*Role, None):
        try:
            try_out(document()[path][method], MANY, tokens[role] if role else "", real.get(path))
        except Exception as error:
            error.add_note(f"asked by: {role or 'a stranger'}")
            raise


def try_out(operation: Any, examples: int, token: str, there: str | None) -> None:
    """Send this many requests made from the document; each leaves nothing behind."""

    @settings(
        max_examples=examples, derandomize=True, database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(case=operation.as_strategy())
    def answers(case: Any) -> None:
        if there is not None:
            case.path_parameters = dict.fromkeys(case.path_parameters, value_in(operation.path, there))
        for name in ("fields", "omit"):  # they leave out what the document calls required, as its words say
            (case.query or {}).pop(name, None)
        with undone(), connections_kept():
            answer = case.call(
                headers={"Accept-Encoding": "identity"} | ({"Authorization": f"Token {token}"} if token else {})
            )
        case.validate_response(answer, checks=CHECKS)

    answers()


def test_every_operation_has_a_name_of_its_own() -> None:
    paths = api_document()["paths"]
    names = [told["operationId"] for methods in paths.values() for told in methods.values() if "operationId" in told]
    assert len(names) == len(set(names)) > 100
