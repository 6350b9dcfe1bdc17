"""A GET changes nothing: every route is read in a transaction in which PostgreSQL refuses to write."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client

from core.models import Role
from health.models import SiteAutomation
from tests.schema import of_those
from tests.test_openapi import connections_kept, operations, real, tokens  # noqa: F401  (fixtures)
from tests.test_sql_counts import undone

pytestmark = pytest.mark.django_db
GETS = sorted({path for method, path in operations() if method == "GET"})
PARAMETERS = {"q": "a", "site": "1", "page_size": "5"}


@pytest.mark.slow
@pytest.mark.parametrize("path", GETS)
def test_a_get_writes_no_row_of_any_table(path: str, tokens: dict[Role, str], real: dict[str, str]) -> None:  # noqa: F811
    client = Client(headers={"Authorization": f"Token {tokens[Role.ADMIN]}"})
    for query in ({}, PARAMETERS):
        with undone(), connections_kept():
            SiteAutomation.objects.all().delete()  # what is made at first use is not made by reading
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL transaction_read_only = on")
            address = real.get(path) or path.replace("{", "").replace("}", "")
            answer = client.get(address, of_those(address, query))
            if answer.streaming and not getattr(
                answer, "is_async", False
            ):  # the feed, which never ends, is read in its own tests
                b"".join(answer)
        assert answer.status_code < 500
