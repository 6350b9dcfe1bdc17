"""`?fields=` and `?omit=` are honoured by every route that says it knows them, however its answer is made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from core.models import Role
from core.services import ensure_user
from tests.schema import api_document, filters_of
from tests.test_sql_counts import NEEDS, fill, lists, records, some_records, undone

FEWEST = 20
"""Routes with rows: the walk proves something."""


@pytest.fixture(scope="module")
def client(django_db_setup: None, django_db_blocker: Any) -> Iterator[Client]:
    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patched:
        patched.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)
        with undone():
            fill(3)
            client = Client(raise_request_exception=False)
            client.force_login(ensure_user("root", role=Role.ADMIN)[0])
            yield client


def selects(template: str) -> bool:
    return "fields" in filters_of(api_document()["paths"][template]["get"])


def row_of(client: Client, path: str, **query: str) -> dict[str, Any] | None:
    """The answer of a record, or the first row of a list; None of an empty one."""
    response = client.get(path, {**NEEDS.get(path, {}), **query})
    assert response.status_code == 200, (path, query, response.content[:300])
    data = response.json()
    rows = data["results"] if isinstance(data, dict) and "results" in data else data
    found: dict[str, Any] | None = (rows[0] if rows else None) if isinstance(rows, list) else rows
    return found


def wrong_at(client: Client, path: str) -> str:
    plain = row_of(client, path)
    if not plain:
        return ""
    first, last = next(iter(plain)), list(plain)[-1]
    found = [
        (row_of(client, path, fields=f"{first},{last}"), {first, last}),
        (row_of(client, path, omit=last), set(plain) - {last}),
        (row_of(client, path, fields=f"{first},{last}", omit=last), {first} - {last}),
    ]
    wrong = [sorted(set(row or ()) ^ names) for row, names in found if set(row or ()) != names]
    refused = client.get(path, {"fields": "no_such_field"}).status_code
    return f"{path}: {wrong}, {refused}" if wrong or refused != 400 else ""


@pytest.mark.slow
def test_every_list_answers_with_the_fields_that_were_asked_for(client: Client) -> None:
    paths = [path for path in lists() if selects(path)]
    assert len([path for path in paths if row_of(client, path)]) >= FEWEST
    assert [wrong for path in paths if (wrong := wrong_at(client, path))] == []


@pytest.mark.slow
def test_every_record_answers_with_the_fields_that_were_asked_for(client: Client) -> None:
    paths = list(some_records(client, filter(selects, records())).values())
    paths = [path for path in paths if client.get(path).status_code == 200]
    assert len(paths) >= FEWEST
    assert [wrong for path in paths if (wrong := wrong_at(client, path))] == []
