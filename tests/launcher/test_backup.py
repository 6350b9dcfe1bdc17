"""Backup and restore against a real embedded PostgreSQL with the schema of the service."""

from __future__ import annotations

import contextlib
import io
import json
import os
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from config.embedded.backups import rows
from config.embedded.backups.archive import as_numbers
from config.embedded.backups.backup import key_fingerprints, seal, unseal, write_backup
from config.embedded.backups.restore import choose_secrets, restore
from config.embedded.commands.maintenance import read_passphrase
from config.embedded.instance import Instance
from config.embedded.progress import LaunchError, Progress
from tests.launcher.conftest import open_up

pytestmark = pytest.mark.services


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("backup")
    open_up(folder)
    yield folder


class Bench:
    """One stopped instance with rows, an attachment and a partitioned table; and a backup of it."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.instance = Instance(place / "old", Progress(io.StringIO()))
        with self.instance.opened(), self.instance.postgres.connect() as connection:
            self.instance.manage("migrate", "migrate", "--noinput")
            connection.execute("SET rackside.actor = 'test'")
            for statement in (
                "CREATE TABLE health_transition_202601 PARTITION OF health_transition "
                "FOR VALUES FROM ('2026-01-01 00:00:00+00') TO ('2026-02-01 00:00:00+00')",
                "INSERT INTO core_site (id, slug, name, timezone) VALUES (7, 'grüße', E'tab\tline\nend\\\\.', 'UTC')",
                "SELECT setval('core_site_id_seq', 41)",
                "INSERT INTO live_event (kind, site_id, subject, at, actor, data) "
                "SELECT 'test', 7, 'n:' || n, now(), '', '{}' FROM generate_series(1, 5000) n",
            ):
                connection.execute(statement)
            (self.instance.folder.files / "attachments").mkdir()
            (self.instance.folder.files / "attachments" / "photo.jpg").write_bytes(b"\xff\xd8picture")
            self.instance.folder.mark_done("migrate", "some schema")
            self.keys = self.instance.folder.secret("credential_keys")
            self.plain, self.sealed = place / "plain.tar", place / "sealed.tar"
            self.manifest = write_backup(self.instance, self.plain, passphrase=None)
            write_backup(self.instance, self.sealed, passphrase="correct horse")

    def restore(self, name: str, source: Path | None = None, **options: object) -> Instance:
        instance = Instance(self.place / name, Progress(io.StringIO()))
        defaults = {"replace": False, "passphrase": None, "keys_from": None, "new_keys": False}
        restore(instance, source or self.plain, **{**defaults, **options})  # type: ignore[arg-type]
        return instance

    def rewritten(self, name: str, change: Callable[[str, bytes], tuple[str, bytes] | None]) -> Path:
        """A copy of the plain backup with each member changed, or left out."""
        target = self.place / name
        with tarfile.open(self.plain) as old, tarfile.open(target, "w") as new:
            for member in old:
                content = old.extractfile(member)
                changed = change(member.name, content.read() if content else b"")
                if changed:
                    entry = tarfile.TarInfo(changed[0])
                    entry.size = len(changed[1])
                    new.addfile(entry, io.BytesIO(changed[1]))
        return target


@pytest.fixture(scope="module")
def bench(place: Path) -> Bench:
    return Bench(place)


def count(instance: Instance) -> tuple[object, ...] | None:
    with instance.opened(), instance.postgres.connect() as connection:
        query = "SELECT (SELECT count(*) FROM live_event), (SELECT slug FROM core_site)"
        return connection.execute(query).fetchone()


@dataclass
class Restored:
    """What a sealed backup became, and of the role that added its rows who it was and what more it was allowed."""

    instance: Instance
    roles: set[object]
    allowed: list[str]


FORBIDDEN = (
    "SELECT * FROM core_site", "DELETE FROM core_site", "CREATE TABLE x (y int)",
    "COPY (SELECT 1) TO PROGRAM 'true'", "SELECT pg_read_file('/etc/passwd')",
)  # fmt: skip


@pytest.fixture(scope="module")
def restored(bench: Bench) -> Restored:
    roles: set[object] = set()
    allowed: list[str] = []
    real, mine = rows._copy, "SELECT current_user, rolsuper, rolcreaterole FROM pg_roles WHERE rolname = current_user"

    def copy(connection: rows.Connection, *rest: object) -> None:
        for statement in () if roles else FORBIDDEN:
            with contextlib.suppress(psycopg.errors.InsufficientPrivilege), connection.transaction():
                connection.execute(statement.encode())
                allowed.append(statement)
        roles.add(connection.execute(mine.encode()).fetchone())
        real(connection, *rest)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "_copy", copy)
        instance = bench.restore("complete", bench.sealed, passphrase="correct horse")
    return Restored(instance, roles, allowed)


@pytest.mark.slow
def test_a_restored_backup_has_every_row_file_and_key(bench: Bench, restored: Restored) -> None:
    folder = restored.instance.folder
    assert count(restored.instance) == (5000, "grüße")
    assert (folder.files / "attachments" / "photo.jpg").read_bytes() == b"\xff\xd8picture"
    assert folder.secret("credential_keys") == bench.keys
    assert not folder.is_done("migrate", "some schema"), "the next start migrates, whatever the backup says"
    with restored.instance.opened(), restored.instance.postgres.connect() as connection:
        name = connection.execute("SELECT name FROM core_site").fetchone()
        assert name == ("tab\tline\nend\\.",)
        assert connection.execute("SELECT nextval('core_site_id_seq')").fetchone() == (42,)
        query = "SELECT count(*) FROM pg_inherits WHERE inhrelid = 'health_transition_202601'::regclass"
        assert connection.execute(query).fetchone() == (1,)
        query = "SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND NOT convalidated"
        assert connection.execute(query).fetchone() == (0,)
        query = "SELECT count(*) FROM pg_trigger WHERE tgname = 'webhook_outbox' AND tgenabled = 'O'"
        assert connection.execute(query).fetchone() == (2,)


def test_rows_are_restored_by_a_role_that_may_add_rows_and_nothing_else(restored: Restored) -> None:
    assert restored.roles == {("rackside_loader", False, False)} and restored.allowed == []
    with restored.instance.opened(), restored.instance.postgres.connect() as connection:
        assert connection.execute("SELECT count(*) FROM pg_roles WHERE rolname = 'rackside_loader'").fetchone() == (0,)


def test_the_manifest_counts_rows_and_checksums_every_member(bench: Bench) -> None:
    assert bench.manifest["tables"]["live_event"] == 5000 and bench.manifest["tables"]["core_site"] == 1
    assert set(bench.manifest["members"]) == {"database.dump", "files/attachments/photo.jpg"}
    assert bench.manifest["key_fingerprints"] == key_fingerprints(bench.keys)


def test_the_keys_do_not_travel_without_a_passphrase(bench: Bench) -> None:
    assert bench.keys.encode() not in bench.plain.read_bytes()
    assert bench.keys.encode() not in bench.sealed.read_bytes()
    assert bench.plain.stat().st_mode & 0o077 == 0


def test_a_backup_never_overwrites(bench: Bench) -> None:
    before = bench.plain.read_bytes()
    with bench.instance.reached(), pytest.raises(LaunchError, match="exists already"):
        write_backup(bench.instance, bench.plain, passphrase=None)
    assert bench.plain.read_bytes() == before


def test_a_failed_backup_leaves_no_file(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("config.embedded.backups.backup.DATABASE", "no such database")
    with bench.instance.reached(), pytest.raises(LaunchError, match="pg_dump failed"):
        write_backup(bench.instance, bench.place / "failed.tar", passphrase=None)
    assert [path.name for path in bench.place.glob("*failed*")] == []


@pytest.mark.slow
def test_without_the_key_nothing_is_restored_unless_new_keys_are_asked_for(bench: Bench) -> None:
    with pytest.raises(LaunchError, match="not here"):
        bench.restore("no-key")
    restored = bench.restore("no-key", new_keys=True)
    assert count(restored) == (5000, "grüße")
    assert restored.folder.secret("credential_keys") != bench.keys


def test_the_key_may_come_from_the_old_data_folder(bench: Bench, tmp_path: Path) -> None:
    new, old = Instance(tmp_path / "new", Progress(io.StringIO())), bench.instance.folder.path / "secrets"
    chosen = choose_secrets(new, bench.manifest, tmp_path, None, old, new_keys=False)
    assert chosen["credential_keys"] == bench.keys
    with pytest.raises(LaunchError, match="not here"):
        choose_secrets(new, bench.manifest, tmp_path, None, tmp_path, new_keys=False)


@pytest.mark.slow
def test_a_restore_keeps_the_key_that_came_from_the_old_data_folder(bench: Bench) -> None:
    restored = bench.restore("with-keys", keys_from=bench.instance.folder.path / "secrets")
    assert restored.folder.secret("credential_keys") == bench.keys


def test_a_wrong_passphrase_is_refused(bench: Bench) -> None:
    with pytest.raises(LaunchError, match="passphrase does not open"):
        bench.restore("wrong", bench.sealed, passphrase="incorrect horse")
    with pytest.raises(LaunchError):
        unseal(seal(b"secret", "a")[:-1] + b"!", "a")


@pytest.mark.slow
def test_a_full_data_folder_is_only_replaced_when_asked(bench: Bench) -> None:
    instance = bench.restore("full", new_keys=True)
    with instance.opened(), instance.postgres.connect() as connection:
        connection.execute("INSERT INTO live_event (kind, subject, at, actor, data) VALUES ('x', 'x', now(), '', '{}')")
    (instance.folder.valkey / "old-queue").write_text("stale")
    with pytest.raises(LaunchError, match="holds a database already"):
        bench.restore("full", new_keys=True)
    assert count(instance) == (5001, "grüße")
    bench.restore("full", new_keys=True, replace=True)
    assert count(instance) == (5000, "grüße")
    assert not (instance.folder.valkey / "old-queue").exists()


def test_a_running_instance_is_not_restored_into(bench: Bench) -> None:
    with bench.instance.opened(), pytest.raises(LaunchError, match=f"in use by process {os.getpid()}"):
        bench.restore("old", replace=True)


@pytest.mark.slow
def test_a_damaged_backup_changes_nothing(bench: Bench) -> None:
    def flip(name: str, content: bytes) -> tuple[str, bytes]:
        return name, content[:-1] + b"?" if name == "database.dump" else content

    def climb(name: str, content: bytes) -> tuple[str, bytes]:
        return name.replace("files/attachments", "files/../.."), content

    def lose(name: str, content: bytes) -> tuple[str, bytes] | None:
        return None if name.startswith("files/") else (name, content)

    def miscount(name: str, content: bytes) -> tuple[str, bytes]:
        return name, content.replace(b'"live_event": 5000', b'"live_event": 5001')

    for change, words in ((flip, "damaged"), (climb, "no backup has"), (lose, "incomplete"), (miscount, "5001 rows")):
        with pytest.raises(LaunchError, match=words):
            bench.restore("untouched", bench.rewritten(f"{change.__name__}.tar", change), new_keys=True)
    instance = Instance(bench.place / "untouched", Progress(io.StringIO()))
    with instance.opened(), instance.postgres.connect() as connection:
        assert connection.execute("SELECT count(*) FROM pg_class WHERE relname = 'core_site'").fetchone() == (0,)


def test_a_backup_of_a_newer_version_is_refused(bench: Bench) -> None:
    def newer(name: str, content: bytes) -> tuple[str, bytes]:
        if name != "manifest.json":
            return name, content
        return name, json.dumps({**json.loads(content), "rackside": "99.0.0"}).encode()

    with pytest.raises(LaunchError, match=r"made by Rackside 99\.0\.0"):
        bench.restore("newer", bench.rewritten("newer.tar", newer))
    assert as_numbers("0.10.0") > as_numbers("0.9.1")


def test_a_file_that_is_no_backup_is_refused(bench: Bench) -> None:
    (bench.place / "holiday.jpg").write_bytes(b"not a tar file")
    with pytest.raises(LaunchError, match="cannot be read as a backup"):
        bench.restore("nothing", bench.place / "holiday.jpg")


def test_the_passphrase_comes_from_a_file_or_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RACKSIDE_BACKUP_PASSPHRASE", raising=False)
    assert read_passphrase(None) is None
    (tmp_path / "file").write_text("from the file\n")
    assert read_passphrase(tmp_path / "file") == "from the file"
    (tmp_path / "empty").touch()
    with pytest.raises(LaunchError, match="empty"):
        read_passphrase(tmp_path / "empty")
    monkeypatch.setenv("RACKSIDE_BACKUP_PASSPHRASE", "from the environment")
    assert read_passphrase(None) == "from the environment"
