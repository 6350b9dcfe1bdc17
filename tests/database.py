"""The test database: migrated once, copied for each test process, put back cheaply after a test that commits.

Migrating takes half a minute and Django's flush a third of a second on an idle machine (it truncates 150 tables of
which a test filled five). A template is therefore made once for one state of the migrations, with a copy of the rows
that migrations write in the schema `pristine`, and a function there that finds the filled tables and empties those.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from django.conf import settings
from django.db import connection

from config.embedded import empty_database

ROOT = Path(__file__).resolve().parents[1]
PREFIX = "rackside_tests_"
LOCK = 7_221_407  # any number: the advisory lock of those who make a template
MADE_FROM = (
    "*/migrations/*.py",
    "*/models.py",
    "*/models/*.py",
    "*/*/models.py",
    "*/*/models/*.py",
    "*/*/migrations/*.py",
    "health/machines/lifecycle.py",
    "core/audit/triggers.py",
    "core/*/at_once.py",
    "tests/database.py",
)

DIFFERS = """(SELECT (count(*), sum(hashtextextended(t::text, 0))) FROM public.%1$I t)
    IS DISTINCT FROM (SELECT (count(*), sum(hashtextextended(t::text, 0))) FROM pristine.%1$I t)"""
"""Of one table, as a format: whether its rows are others than the migrations wrote."""

PRISTINE = """
CREATE SCHEMA pristine;
CREATE FUNCTION pristine.tables() RETURNS SETOF name LANGUAGE sql STABLE AS $$
    SELECT relname FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
      AND relname <> 'django_migrations'
$$;
CREATE FUNCTION pristine.is_filled(each name) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
DECLARE answer boolean;
BEGIN
    EXECUTE format('SELECT EXISTS (SELECT 1 FROM public.%I)', each) INTO answer;
    RETURN answer;
END $$;
CREATE FUNCTION pristine.differs(each name) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
DECLARE answer boolean;
BEGIN
    EXECUTE format('SELECT DIFFERS', each) INTO answer;
    RETURN answer;
END $$;
DO $$
DECLARE each name;
BEGIN
    FOR each IN SELECT t FROM pristine.tables() t WHERE pristine.is_filled(t) LOOP
        EXECUTE format('CREATE TABLE pristine.%I AS TABLE public.%I', each, each);
    END LOOP;
END $$;
-- One statement for each table, whose plans a session keeps: without foreign keys, audit triggers and the rule that a
-- log is never changed, for this transaction only.
DO $make$
DECLARE statements text; each name; of_each text;
BEGIN
    FOR each IN SELECT pristine.tables() LOOP
        IF to_regclass(format('pristine.%I', each)) IS NULL THEN
            of_each := 'IF EXISTS (SELECT 1 FROM public.%1$I) THEN DELETE FROM public.%1$I; END IF;';
        ELSE
            of_each := 'IF DIFFERS THEN
                DELETE FROM public.%1$I;
                INSERT INTO public.%1$I TABLE pristine.%1$I;
            END IF;';
        END IF;
        statements := concat_ws(E'\n', statements, format(of_each, each));
    END LOOP;
    EXECUTE format(
        'CREATE FUNCTION pristine.restore() RETURNS void LANGUAGE plpgsql SET session_replication_role = replica
         AS $restore$ BEGIN %s END $restore$', statements
    );
END $make$;
""".replace("DIFFERS", DIFFERS)


def settle() -> None:
    """A copy of a database starts paused, as a copied instance shall: the tests' copy is at home where it is."""
    from core.instance.state import current_home

    with connection.cursor() as cursor:
        cursor.execute("UPDATE pristine.core_instancestate SET home = %s", [json.dumps(current_home())])


def restore() -> None:
    """Leave the database as the migrations do: what a flush is for, in a few milliseconds.

    The connection goes on to the next test, without what this one held or listened to.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pristine.restore(), pg_advisory_unlock_all()")
        cursor.execute("UNLISTEN *")


def template_name() -> str:
    """The template for the migrations, models and locked packages as they are now."""
    digest = hashlib.sha256()
    files = {path for pattern in MADE_FROM for path in ROOT.glob(pattern)}
    for path in [*sorted(files), ROOT / "requirements.lock"]:
        digest.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return PREFIX + digest.hexdigest()[:16]


def is_copy_of(template: str) -> bool:
    """Whether the test database is there and was made from this template (the mark was copied with the rest)."""
    name = connection.creation._get_test_db_name()  # type: ignore[attr-defined]  # of no type stubs
    with elsewhere("postgres") as cursor:
        cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name])
        if not cursor.fetchone():
            return False
    with elsewhere(name) as cursor:
        cursor.execute("SELECT obj_description(to_regnamespace('pristine')::oid, 'pg_namespace')")
        return cursor.fetchone() == (template,)


def ensure_template(name: str) -> None:
    """Make the template unless it is there; processes that start together wait for the first of them."""
    with elsewhere("postgres") as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        cursor.execute("SELECT datname FROM pg_database WHERE starts_with(datname, %s)", [PREFIX])
        there = {row[0] for row in cursor.fetchall()}
        if name in there:
            return
        for old in there:
            cursor.execute(f'DROP DATABASE "{old}"')
        migrate(f"{PREFIX}unfinished", name)
        cursor.execute(f'ALTER DATABASE "{PREFIX}unfinished" RENAME TO "{name}"')


def migrate(database: str, mark: str) -> None:
    """Create and migrate a database, keep what the migrations wrote there, and mark it."""
    test, own = connection.settings_dict["TEST"], connection.settings_dict["NAME"]
    name_before = test["NAME"]
    test["NAME"] = database
    try:
        with elsewhere("postgres") as cursor:
            cursor.execute(f'DROP DATABASE IF EXISTS "{database}"')
            cursor.execute(f'CREATE DATABASE "{database}"')
        with elsewhere(database) as cursor:
            empty_database.load(cursor.connection)
        connection.creation.create_test_db(verbosity=0, keepdb=True, serialize=False)
        with connection.cursor() as cursor:
            cursor.execute(PRISTINE)
            cursor.execute(f"COMMENT ON SCHEMA pristine IS '{mark}'")
    finally:
        connection.close()
        test["NAME"] = name_before
        connection.settings_dict["NAME"] = settings.DATABASES["default"]["NAME"] = own


@contextmanager
def elsewhere(name: str) -> Iterator[psycopg.Cursor[Any]]:
    """A cursor on another database of the same server, apart from Django, which would meet its own one first."""
    parameters = connection.get_connection_params()
    own = {key: parameters[key] for key in ("host", "port", "user", "password") if parameters.get(key)}
    with psycopg.connect(**own, dbname=name, autocommit=True) as other, other.cursor() as cursor:
        yield cursor
