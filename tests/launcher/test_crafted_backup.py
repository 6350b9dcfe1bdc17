"""A backup may come from a stranger: what is malformed is refused in one sentence, and nothing in it is carried out."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from config.embedded.backups import archive, rows
from config.embedded.backups.archive import Malformed, inspect, unpack
from config.embedded.progress import LaunchError
from facility.history import tables
from health.monitoring.services import partitions

DUMP = b"PGDMP and the rest"
PHOTO = "files/attachments/photo.jpg"


def manifest(**changes: Any) -> dict[str, Any]:
    members = {"database.dump": sha256(DUMP).hexdigest(), PHOTO: sha256(b"picture").hexdigest()}
    good = {
        "format": 1,
        "rackside": "0.1.0",
        "postgresql": 18,
        "written_at": "2026-01-01T00:00:00Z",
        "tables": {"core_site": 1},
        "members": members,
        "done": {"migrate": "x"},
        "key_fingerprints": ["abc"],
    }
    return {name: value for name, value in {**good, **changes}.items() if value is not None}


def entry(name: str, content: bytes = b"", **fields: Any) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size = len(content)
    for field, value in fields.items():
        setattr(info, field, value)
    return info, content


def good_entries() -> list[tuple[tarfile.TarInfo, bytes]]:
    return [entry("database.dump", DUMP), entry(PHOTO, b"picture")]


def write(path: Path, *more: tuple[tarfile.TarInfo, bytes], said: bytes | None = None, **changes: Any) -> Path:
    text = json.dumps(manifest(**changes)).encode() if said is None else said
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as tar:
        for info, content in [*good_entries(), *more, entry("manifest.json", text)]:
            tar.addfile(info, io.BytesIO(content))
    return path


def refused(path: Path) -> LaunchError:
    with pytest.raises(LaunchError) as error:
        inspect(path)
    assert "\n" not in error.value.what and error.value.what.endswith(".")
    return error.value


def test_a_good_backup_is_read_and_unpacked(tmp_path: Path) -> None:
    path = write(tmp_path / "good.tar")
    assert inspect(path) == manifest()
    unpack(path, manifest(), tmp_path / "there")
    assert (tmp_path / "there" / PHOTO).read_bytes() == b"picture"


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.6, 0.9])
def test_a_backup_that_was_cut_off_anywhere_is_refused(share: float, tmp_path: Path) -> None:
    whole = write(tmp_path / "whole.tar", entry("files/large", b"x" * 50_000), said=None).read_bytes()
    path = tmp_path / "cut.tar"
    path.write_bytes(whole[: int(len(whole) * share)])
    refused(path)


def test_what_is_no_backup_is_refused(tmp_path: Path) -> None:
    good = write(tmp_path / "good.tar").read_bytes()
    contents = {"empty": b"", "text": b"hello " * 1000, "zeros": bytes(20480), "gzip": gzip.compress(good)}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
        refused(tmp_path / name)
    with zipfile.ZipFile(tmp_path / "zip", "w") as file:
        file.writestr("manifest.json", json.dumps(manifest()))
    refused(tmp_path / "zip")
    refused(tmp_path)
    refused(tmp_path / "nothing")


@pytest.mark.parametrize(
    "bad",
    [
        entry("files/../../etc/cron.d/x", b"x"),
        entry("../outside", b"x"),
        entry("/etc/passwd", b"x"),
        entry("files", b"x"),
        entry("files//double", b"x"),
        entry("files/./dot", b"x"),
        entry("somewhere/else", b"x"),
        entry("secrets/credential_keys", b"x"),
        entry("files/link", type=tarfile.SYMTYPE, linkname="/etc/passwd"),
        entry("files/hard", type=tarfile.LNKTYPE, linkname="database.dump"),
        entry("files/device", type=tarfile.CHRTYPE, devmajor=1, devminor=3),
        entry("files/disk", type=tarfile.BLKTYPE, devmajor=8),
        entry("files/pipe", type=tarfile.FIFOTYPE),
        entry("files/folder", type=tarfile.DIRTYPE),
        entry("files/holes", b"", pax_headers={"GNU.sparse.major": "1", "GNU.sparse.minor": "0"}),
        entry("database.dump", DUMP),
        entry("files/extra", b"x"),
    ],
    ids=lambda bad: bad[0].name,
)
def test_a_member_that_no_backup_has_is_refused(bad: tuple[tarfile.TarInfo, bytes], tmp_path: Path) -> None:
    refused(write(tmp_path / "bad.tar", bad))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.tar"]


def test_a_member_that_claims_more_than_the_file_has_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.tar"
    info = tarfile.TarInfo("database.dump")
    info.size = 2**50
    path.write_bytes(info.tobuf(tarfile.GNU_FORMAT) + bytes(10240))
    refused(path)


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"[" * 100_000,
        b'{"format": 1}',
        b"\xff\xfe",
        json.dumps(manifest(format=2)).encode(),
        json.dumps(manifest(rackside="99.0.0")).encode(),
        json.dumps(manifest(rackside=["0.1"])).encode(),
        json.dumps(manifest(rackside=None)).encode(),
        json.dumps(manifest(members={})).encode(),
        json.dumps(manifest(members={"database.dump": 1})).encode(),
        json.dumps(manifest(members={**manifest()["members"], "files/missing": "0" * 64})).encode(),
        json.dumps(manifest(members={**manifest()["members"], PHOTO: "0" * 64})).encode(),
        json.dumps(manifest(tables={"core_site": True})).encode(),
        json.dumps(manifest(tables=None)).encode(),
        json.dumps(manifest(done={"migrate": 1})).encode(),
        json.dumps(manifest(key_fingerprints="abc")).encode(),
        json.dumps(manifest(written_at=None)).encode(),
    ],
    ids=range(20),
)
def test_a_manifest_that_does_not_hold_is_refused(said: bytes, tmp_path: Path) -> None:
    refused(write(tmp_path / "bad.tar", said=said))


def test_a_missing_manifest_is_refused(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "bad.tar", "w") as tar:
        for info, content in good_entries():
            tar.addfile(info, io.BytesIO(content))
    assert "no manifest" in refused(tmp_path / "bad.tar").what


def test_a_backup_that_does_not_fit_on_the_disk_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "good.tar")
    usage = type("Usage", (), {"free": 10})()
    monkeypatch.setattr(archive.shutil, "disk_usage", lambda _: usage)
    with pytest.raises(LaunchError, match="needs 0 MB to be unpacked and 0 MB are free"):
        unpack(path, manifest(), tmp_path / "there")
    assert not (tmp_path / "there").exists()


# ---- the rows' part of a dump ----


def read(text: str) -> list[tuple[str, list[str], list[bytes]]]:
    return [(table, columns, list(found)) for table, columns, found in rows.blocks(io.BytesIO(text.encode()))]


def test_blocks_of_rows_are_found_and_nothing_else_is_needed() -> None:
    text = (
        "--\n-- PostgreSQL database dump\n--\n\n\\restrict abc\n\nSET statement_timeout = 0;\n"
        "SELECT pg_catalog.set_config('search_path', '', false);\n\n"
        'COPY public.core_site (id, "order") FROM stdin;\n1\tDROP TABLE x;\n\\.\n\n\\unrestrict abc\n\n'
    )
    assert read(text) == [("core_site", ["id", "order"], [b"1\tDROP TABLE x;\n"])]


@pytest.mark.parametrize(
    "line",
    [
        "COPY public.core_site (id) FROM PROGRAM 'id';",
        "COPY public.core_site (id) FROM '/etc/passwd';",
        "COPY public.core_site (id) TO PROGRAM 'sh';",
        "COPY pg_catalog.pg_authid (rolname) FROM stdin;",
        "COPY public.core_site (id) FROM stdin; DROP TABLE core_user;",
        "INSERT INTO public.core_site VALUES (1);",
        "CREATE FUNCTION evil() RETURNS void LANGUAGE sql AS 'SELECT 1';",
        "DO $$ BEGIN END $$;",
        "SELECT pg_catalog.lo_create(1);",
        "SELECT pg_read_file('/etc/passwd');",
        "SELECT pg_catalog.setval('public.x', 1, true); DROP TABLE core_user;",
        "SET x = 1; DROP TABLE core_user;",
        "\\! touch /tmp/evil",
        "\\connect postgres",
        "ALTER SYSTEM SET archive_command = 'sh';",
    ],
)
def test_a_statement_among_the_rows_refuses_the_file(line: str) -> None:
    with pytest.raises(Malformed, match="more than rows"):
        read(f"{line}\n")


def test_rows_without_an_end_refuse_the_file() -> None:
    with pytest.raises(Malformed, match="ends within a table"):
        read("COPY public.core_site (id) FROM stdin;\n1\n")


# ---- a whole crafted backup ----

EVIL: dict[str, Callable[[str], str]] = {
    "function": lambda marker: (
        "CREATE FUNCTION evil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"COPY (SELECT 1) TO PROGRAM 'touch {marker}'; RETURN NULL; END $$"
    ),
    "trigger": lambda _: "CREATE TRIGGER evil AFTER INSERT ON core_site EXECUTE FUNCTION evil()",
    "event trigger": lambda _: (
        "CREATE FUNCTION evil_event() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN NULL; END $$; "
        "CREATE EVENT TRIGGER evil ON ddl_command_end EXECUTE FUNCTION evil_event()"
    ),
    "default": lambda _: (
        "CREATE FUNCTION evil_default() RETURNS text LANGUAGE sql AS $$ SELECT 'evil' $$; "
        "ALTER TABLE core_site ALTER COLUMN timezone SET DEFAULT evil_default()"
    ),
    "extension": lambda _: "CREATE EXTENSION IF NOT EXISTS dblink",
    "view": lambda _: "CREATE VIEW evil_view AS SELECT 1 AS one",
}


@pytest.mark.slow
@pytest.mark.services
@pytest.mark.timeout(400)
def test_nothing_that_a_backup_brings_besides_rows_reaches_the_restored_database(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    from config.embedded.backups.backup import write_backup
    from tests.launcher.conftest import open_up
    from tests.launcher.test_backup import Bench

    place = tmp_path_factory.mktemp("crafted")
    open_up(place)
    bench = Bench(place)
    marker = place / "marker"
    place.chmod(0o777)
    with bench.instance.opened(), bench.instance.postgres.connect() as connection:
        for statement in EVIL.values():
            connection.execute(statement(str(marker)).encode())
        write_backup(bench.instance, place / "evil.tar", passphrase=None)
        connection.execute("CREATE TABLE evil_table AS SELECT 1 AS one")
        write_backup(bench.instance, place / "table.tar", passphrase=None)
    restored = bench.restore("restored", place / "evil.tar", new_keys=True)
    with restored.opened(), restored.postgres.connect() as connection:
        connection.execute("SET rackside.actor = 'test'")
        connection.execute("INSERT INTO core_site (slug, name, timezone) VALUES ('new', 'new', 'UTC')")
        for query in (
            "SELECT count(*) FROM pg_proc WHERE proname LIKE 'evil%'",
            "SELECT count(*) FROM pg_trigger WHERE tgname LIKE 'evil%'",
            "SELECT count(*) FROM pg_event_trigger",
            "SELECT count(*) FROM pg_class WHERE relname LIKE 'evil%'",
            "SELECT count(*) FROM pg_extension WHERE extname = 'dblink'",
            "SELECT count(*) FROM pg_attrdef WHERE pg_get_expr(adbin, adrelid) LIKE '%evil%'",
        ):
            assert connection.execute(query.encode()).fetchone() == (0,), query
    assert not marker.exists()
    with pytest.raises(LaunchError, match="'evil_table' or columns of it that this version does not know"):
        bench.restore("refused", place / "table.tar", new_keys=True)


@pytest.mark.parametrize("series", [*tables.SERIES, *partitions.SERIES], ids=lambda each: each.table)
def test_every_partition_that_is_made_is_known_when_it_comes_back(series: partitions.Series) -> None:
    """By month, by day or by hour: a backup has them by their names."""
    name = series.name(datetime(2026, 11, 30, 11, tzinfo=UTC))
    assert rows.is_partition(series.table, name)
    assert not rows.is_partition(series.table, f"{name}0") and not rows.is_partition(f"x{series.table}", name)
