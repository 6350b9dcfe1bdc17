"""What is answered is what the OpenAPI document declares, no field more and none less: the dashboard rests on it.

Every list and record of the filled test fleet is read once. With `RACKSIDE_CHECK_ANSWERS=1`, as in CI, every answer
that any test gets is compared besides.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from core.models import Role
from core.services import ensure_user
from tests.answers import problems
from tests.test_sql_counts import NEEDS, fill, lists, records, some_records, undone

pytestmark = pytest.mark.django_db
ROWS = 3


@pytest.fixture(scope="module")
def answers(django_db_setup: None, django_db_blocker: Any) -> Iterator[dict[str, tuple[str, int, Any]]]:
    """Address, status and body of every list and record, read by an administrator from a filled database."""
    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patched, undone():
        patched.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)
        fill(ROWS)
        client = Client(raise_request_exception=False)
        client.force_login(ensure_user("root", role=Role.ADMIN)[0])
        found = {}
        for path, address in ({path: path for path in lists()} | some_records(client, records())).items():
            answer = client.get(address, NEEDS.get(path, {}))
            body = answer.json() if answer["Content-Type"] == "application/json" else None
            found[path] = (address, answer.status_code, body)
        yield found


@pytest.mark.slow
@pytest.mark.parametrize("path", [*lists(), *records()])
def test_an_answer_has_the_declared_fields_and_no_others(path: str, answers: dict[str, tuple[str, int, Any]]) -> None:
    address, status, body = answers[path]
    assert not problems("GET", address, status, body)


@pytest.mark.slow
def test_a_field_that_is_missing_or_not_declared_is_found(answers: dict[str, tuple[str, int, Any]]) -> None:
    address, status, body = answers["/api/machines/"]
    row = body["results"][0]
    assert problems("GET", address, status, {**body, "results": [{**row, "mood": "good"}]})
    assert problems("GET", address, status, {**body, "results": [{**row, "serial": None}]})
    assert problems("GET", address, status, {**body, "results": [{key: row[key] for key in row if key != "pool"}]})


@pytest.mark.slow
def test_most_lists_had_rows(answers: dict[str, tuple[str, int, Any]]) -> None:
    """Otherwise the walk proves little."""
    bodies = [body for _, status, body in answers.values() if status == 200 and body]
    assert sum(not isinstance(body, dict) or body.get("results") != [] for body in bodies) >= 100
