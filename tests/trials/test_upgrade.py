"""A backup that the version before wrote is restored, upgraded and served by this one; its schema is as a new one's."""

from __future__ import annotations

import lzma
import re
from pathlib import Path

import psycopg
import pytest

from config.embedded.instance import Instance, free_port
from config.embedded.progress import Progress
from tests.launcher.conftest import open_up
from tests.trials.stack import Stack

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.timeout(1800)]
DATA = Path(__file__).with_name("data")
BEFORE = "0.1-before.tar.xz"
"""A demo of six machines and a bare one with an open ticket, as it was before each app had one migration again."""
PASSPHRASE = "of this trial"
REVEAL = """
import json
from core.models import Credential
print(json.dumps(len(Credential.objects.get(name="bmc").reveal()) > 8))
"""
SCHEMA = {
    "columns": "SELECT table_name, column_name, data_type, is_nullable, column_default, is_identity, is_generated "
    "FROM information_schema.columns WHERE table_schema = 'public'",
    "constraints": "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid), condeferrable "
    "FROM pg_constraint WHERE connamespace = 'public'::regnamespace",
    "indexes": "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'",
    "triggers": "SELECT tgrelid::regclass::text, tgname, pg_get_triggerdef(oid), tgenabled::text "
    "FROM pg_trigger WHERE NOT tgisinternal",
    "functions": "SELECT proname, pg_get_functiondef(oid) FROM pg_proc "
    "WHERE pronamespace = 'public'::regnamespace AND prokind = 'f' AND probin IS NULL",
}


def schema(instance: Instance) -> dict[str, set[tuple[object, ...]]]:
    """What makes up the database, without the partitions of single days."""
    with instance.postgres.connect() as connection:
        partitions = {
            str(name) for (name,) in connection.execute("SELECT relname FROM pg_class WHERE relispartition").fetchall()
        }
        return {what: _rows(connection, query, partitions) for what, query in SCHEMA.items()}


def _rows(connection: psycopg.Connection, query: str, partitions: set[str]) -> set[tuple[object, ...]]:
    rows = connection.execute(query).fetchall()
    return {tuple(map(plain, row)) for row in rows if not partitions & {str(row[0]), str(row[1])}}


def plain(value: object) -> object:
    """A definition without casts and brackets: PostgreSQL writes them otherwise once it was dumped and read back."""
    return re.sub(r"::(text|character varying)(\[\])?|[()\s]", "", value) if isinstance(value, str) else value


@pytest.fixture
def place(tmp_path: Path) -> Path:
    open_up(tmp_path)
    return tmp_path


def test_a_site_of_the_version_before_is_restored_upgraded_and_served(place: Path) -> None:
    (place / "before.tar").write_bytes(lzma.decompress((DATA / BEFORE).read_bytes()))
    (place / "passphrase").write_text(PASSPHRASE)
    stack = Stack(place / "site", "run", port=free_port("127.0.0.1", 18400))
    try:
        words = ["--data", str(stack.data), "--passphrase-file", str(place / "passphrase")]
        told = stack.rackside("restore", str(place / "before.tar"), *words)
        assert "as counted in the backup" in told
        assert "is at Rackside" in stack.rackside("upgrade", "--data", str(stack.data))
        stack.start().sign_in()
        assert stack.is_ready()
        (ticket,) = stack.call("GET", "/api/tickets/")[1]["results"]
        assert ticket["key"] == "REP-2001"
        assert stack.call("GET", f"/api/tickets/{ticket['key']}/")[1]["steps"]
        assert stack.call("GET", "/api/machines/")[1]["count"] == 7
        assert stack.python(REVEAL) is True, "the keys came along"
        site = stack.call("GET", "/api/sites/")[1]["results"][0]["id"]
        assert stack.call("POST", "/api/contacts/", {"site": site, "name": "new"})[0] == 201
        stack.manage("migrate", "--check")  # fails when anything is left to be done
        assert stack.stop() == 130, "as after Ctrl-C"
    finally:
        stack.close()


def test_an_upgraded_database_has_the_schema_of_a_new_one(place: Path) -> None:
    (place / "before.tar").write_bytes(lzma.decompress((DATA / BEFORE).read_bytes()))
    (place / "passphrase").write_text(PASSPHRASE)
    old = Stack(place / "old", "run", port=0)
    words = ["--data", str(old.data), "--passphrase-file", str(place / "passphrase")]
    old.rackside("restore", str(place / "before.tar"), *words)
    old.rackside("upgrade", "--data", str(old.data))
    found = {}
    for name in ("old", "new"):
        instance = Instance(place / name, Progress())
        with instance.opened():
            if name == "new":
                instance.manage("migrate", "migrate", "--noinput")
            found[name] = schema(instance)
    for what in SCHEMA:
        gone, more = found["new"][what] - found["old"][what], found["old"][what] - found["new"][what]
        assert not gone and not more, (what, sorted(map(str, gone))[:5], sorted(map(str, more))[:5])
