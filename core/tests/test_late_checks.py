"""Constraints that are checked once at the end stand afterwards as the migrations made them."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from core.database.late_checks import checked_at_the_end
from core.models import Site
from inventory.models import Cable, Connector

pytestmark = pytest.mark.django_db
TABLES = ("inventory_cable", "inventory_connector", "inventory_installation")
STANDING = """
SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid), convalidated, condeferrable, condeferred
FROM pg_constraint WHERE conrelid = ANY(%s::regclass[]) ORDER BY 1, 2
"""


def standing() -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(STANDING, [list(TABLES)])
        return cursor.fetchall()


def cable() -> Cable:
    site, _ = Site.objects.get_or_create(slug="ams1", defaults={"name": "Amsterdam 1"})
    return Cable.objects.create(site=site, label="c1", type="dac")


def test_they_are_away_in_the_block_and_stand_afterwards_as_before() -> None:
    before = standing()
    kinds = {definition.split()[0] for _, _, definition, *_ in before}
    assert {"FOREIGN", "EXCLUDE"} <= kinds
    with checked_at_the_end(TABLES):
        away = {definition.split()[0] for _, _, definition, *_ in set(before) - set(standing())}
        assert away == {"FOREIGN", "EXCLUDE"}, "what costs nothing stays"
        assert any("REFERENCES core_site" in definition for _, _, definition, *_ in standing())
        Connector.objects.create(cable=cable(), side="A", number=1)
    assert standing() == before


def test_a_row_that_one_of_them_refuses_is_told_by_its_name_and_nothing_is_written() -> None:
    before = standing()
    with (
        pytest.raises(IntegrityError, match="inventory_connector_cable_id"),
        transaction.atomic(),
        checked_at_the_end(TABLES),
    ):
        Connector.objects.create(cable=cable(), side="A", number=1)
        Connector.objects.create(cable_id=999_999, side="B", number=1)
    assert standing() == before and not Connector.objects.exists()


def test_what_is_checked_at_once_is_so_afterwards_too_and_what_waits_waits() -> None:
    with checked_at_the_end(TABLES):
        first = cable()
    with pytest.raises(IntegrityError, match="cable_label_in_site"), transaction.atomic():
        Cable.objects.create(site=first.site, label=first.label, type="dac")
    before_its_site = Cable.objects.create(site_id=999_999, label="c2", type="dac")
    Site.objects.create(pk=before_its_site.site_id, slug="ams2", name="Amsterdam 2")


def test_where_there_are_rows_nothing_is_taken_away() -> None:
    cable()
    before = standing()
    with checked_at_the_end(TABLES):
        assert standing() == before
