"""The test database is as the migrations leave it, whatever a test committed."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from pytest_django.fixtures import Settings

from core.audit.actor import Actor, acting
from core.models import Site, User
from health.machines.lifecycle import TRANSITIONS
from health.models import LifecycleTransition
from tests import database


def counts() -> dict[str, int]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pristine.tables()")
        tables = [row[0] for row in cursor.fetchall()]
        found = {}
        for table in tables:
            cursor.execute(f'SELECT count(*) FROM "{table}"')
            found[table] = cursor.fetchone()[0]
    return found


@pytest.mark.django_db(transaction=True)
def test_what_a_test_commits_is_taken_back_and_what_a_migration_wrote_is_put_back() -> None:
    before = counts()
    with acting(Actor("somebody", "command", "")):
        Site.objects.create(name="Left", slug="left")
        User.objects.create_user("left")
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM health_lifecyclechange")
            cursor.execute("TRUNCATE health_lifecycletransition CASCADE")
    assert counts() != before

    database.restore()

    assert counts() == before
    assert before["core_site"] == before["core_user"] == 0
    assert {(row.from_state, row.event): row.to_state for row in LifecycleTransition.objects.all()} == TRANSITIONS


def test_a_template_belongs_to_one_state_of_migrations_and_models() -> None:
    files = {path for pattern in database.MADE_FROM for path in database.ROOT.glob(pattern)}
    names = {str(path.relative_to(database.ROOT)) for path in files}
    assert {"core/models.py", "core/webhooks/models.py", "health/migrations/0001_initial.py"} <= names
    assert any(name.startswith("inventory/models/") for name in names)


@pytest.mark.django_db
@pytest.mark.parametrize("pool", [{}, {"pool": {"min_size": 1, "max_size": 1, "timeout": 5}}], ids=["kept", "pooled"])
def test_connections_notice_a_server_that_vanished(pool: dict[str, Any], settings: Settings) -> None:
    assert settings.TO_POSTGRESQL.items() <= connection.settings_dict["OPTIONS"].items()
    own = connection.copy()
    own.settings_dict |= {"OPTIONS": {**settings.TO_POSTGRESQL, **pool}, "CONN_MAX_AGE": 0}
    try:
        own.ensure_connection()
        used = own.connection.info.get_parameters()
        assert {name: used.get(name) for name in settings.TO_POSTGRESQL} == {
            name: str(value) for name, value in settings.TO_POSTGRESQL.items()
        }
    finally:
        own.close()
        if pool:
            own.close_pool()  # type: ignore[attr-defined]  # of the PostgreSQL backend
