"""Removing old changes: only on demand, only old ones, and nothing else of the log can be removed."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from core import tasks
from core.audit.actor import Actor, acting
from core.models import AuditChange, AuditEntry, Site

pytestmark = pytest.mark.django_db


@pytest.fixture
def old_and_new() -> tuple[int, int]:
    """Ids of a change of 40 days ago and one of now."""
    ids = []
    for slug in ("old", "new"):
        with acting(Actor(slug, "person", request_id=slug)):
            Site.objects.create(slug=slug, name=slug)
        ids.append(AuditChange.objects.latest("id").pk)
    with connection.cursor() as cursor:  # the log is append-only: its guard is lifted for this alone
        cursor.execute("ALTER TABLE core_auditchange DISABLE TRIGGER audit_keep")
        cursor.execute("UPDATE core_auditchange SET at = at - interval '40 days' WHERE id = %s", ids[:1])
        cursor.execute("ALTER TABLE core_auditchange ENABLE TRIGGER audit_keep")
    return ids[0], ids[1]


def left() -> set[int]:
    assert set(AuditEntry.objects.values_list("change_id", flat=True)) == set(
        AuditChange.objects.values_list("pk", flat=True)
    )
    return set(AuditChange.objects.values_list("pk", flat=True))


def test_only_what_is_older_is_removed(old_and_new: tuple[int, int]) -> None:
    old, new = old_and_new
    call_command("prune_history", keep_days=41, verbosity=0)
    assert {old, new} <= left()
    call_command("prune_history", keep_days=30, verbosity=0)
    assert old not in left()
    assert new in left()


def test_nothing_younger_than_a_day_can_be_removed() -> None:
    with pytest.raises(CommandError, match="at least a day"):
        call_command("prune_history", keep_days=0)


def test_the_daily_task_removes_nothing_unless_a_setting_says_so(
    old_and_new: tuple[int, int], settings: object
) -> None:
    tasks.prune_history()
    assert old_and_new[0] in left()
    settings.KEPT = settings.KEPT | {"history": timedelta(days=30)}  # type: ignore[attr-defined]
    tasks.prune_history()
    assert old_and_new[0] not in left()
