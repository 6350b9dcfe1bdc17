"""Statements that a connection keeps: planned once, with the answers of the queryset they were made of."""

from __future__ import annotations

import pytest
from django.contrib.postgres.expressions import ArraySubquery
from django.db import connection
from django.db.models import CharField, OuterRef, QuerySet, Value
from django.db.models.functions import Concat

from core.database import prepared
from core.models import Role, RoleGrant, User
from core.services import ensure_user

pytestmark = pytest.mark.django_db


def named() -> QuerySet:
    """Tuples with a value before the ids and one after, and with what Django makes of a column itself."""
    roles = RoleGrant.objects.filter(user=OuterRef("pk"), role="admin").values("role")
    greeting = Concat(Value("user "), "username", output_field=CharField())
    return User.objects.exclude(username="nobody").annotate(hi=greeting, roles=ArraySubquery(roles)).values_list(
        "pk", "hi", "roles", "date_joined"
    )  # fmt: skip


def plans(text: str) -> list[tuple[int, int]]:
    """How often kept statements with a text ran with one plan for all values, and how often with one of their own."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE position(%s IN statement) > 0", [text]
        )
        return cursor.fetchall()


def test_rows_by_id_are_those_of_the_queryset() -> None:
    ids = [ensure_user(name, role=Role.ADMIN)[0].pk for name in ("anna", "ben", "carl")]
    by_id = prepared.ById(named())
    for asked in (ids, ids[:1], [*ids[1:], 0], []):
        assert sorted(by_id.rows(asked)) == sorted(named().filter(pk__in=asked))


def test_a_kept_statement_is_planned_once_for_any_number_of_ids() -> None:
    by_id = prepared.ById(named())
    for asked in ([1], [2], [1, 2, 3], list(range(50)), [4], [5], [6]):
        list(by_id.rows(asked))
    assert plans("date_joined") == [(7, 0)]
