"""A first start writes the tables that were kept instead of migrating, and they are the same ones."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from config.embedded import empty_database
from config.embedded.commands.keep_tables import keep
from config.embedded.commands.suites import services
from config.embedded.instance import Instance
from config.embedded.progress import Progress

pytestmark = [pytest.mark.services]


def dumped(instance: Instance, database: str) -> str:
    """A database as SQL, without its own identity and without psql's lines, whose words are random."""
    command = [instance.postgres.binary("pg_dump"), f"--dbname={instance.postgres.url_of(database)}", "--inserts"]
    left_out = [f"--exclude-table-data={name}" for name in empty_database.OF_ONE_INSTANCE]
    said = subprocess.run([*command, *left_out], check=True, capture_output=True, text=True).stdout
    own = "|".join(f"{name}_id_seq" for name in empty_database.OF_ONE_INSTANCE)
    moment = r"'\d{4}-\d\d-\d\d [\d:.]+\+00'"  # when a migration was applied
    said = re.sub(rf"(?m)^\\.*$|^SELECT pg_catalog.setval\('public.({own})'.*$|{moment}", "", said)
    # The first dump of a constraint casts a list, the second one each of its elements (PostgreSQL 18).
    return re.sub(r"::(character varying|text)(\[\])?|[()\s]", "", said)


@pytest.mark.slow
def test_the_tables_that_are_kept_are_those_that_the_migrations_make(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    with services(Progress()) as instance:
        keep(instance)
        (kept,) = tmp_path.iterdir()
        assert kept == empty_database.kept_file(tmp_path)
        instance.postgres.create_database("loaded")
        with instance.postgres.connect("loaded") as connection:
            assert empty_database.load(connection)
        with instance.postgres.connect("loaded") as connection:
            assert not empty_database.load(connection), "it has tables now"
        assert dumped(instance, "loaded") == dumped(instance, "rackside")
        url = instance.postgres.url_of("loaded")
        said = instance.manage("migrate", "migrate", "--noinput", environment={"RACKSIDE_DATABASE_URL": url})
        assert "No migrations to apply." in said
        with instance.postgres.connect("loaded") as connection:
            row = connection.execute("SELECT home, paused_at FROM core_instancestate").fetchone()
        assert row is not None and row[0] and row[1] is None, "it is at home where it is"


def test_what_was_kept_of_other_migrations_or_nothing_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    (tmp_path / "empty-database-0123456789abcdef.sql").write_text("CREATE TABLE django_migrations ();")
    with services(Progress()) as instance, instance.postgres.connect() as connection:
        assert not empty_database.load(connection)
        empty_database.kept_file(tmp_path).write_text("CREATE TABLE django_migrations (); SELECT wrong;")
        with pytest.raises(Exception, match="wrong"):
            empty_database.load(connection)
        assert connection.execute("SELECT to_regclass('django_migrations')").fetchone() == (None,), "all or nothing"
