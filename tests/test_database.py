"""The test database is as the migrations leave it, whatever a test committed."""

from __future__ import annotations

import pytest
from django.db import connection

from core.audit.actor import Actor, acting
from core.models import Site, User
from health.lifecycle import TRANSITIONS
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
