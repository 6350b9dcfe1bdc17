"""A whole site out in one archive and in again: into another database, all of it or nothing."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection

from core.models import Site
from inventory import models
from inventory.kinds import Scope
from inventory.tests.full_inventory import stream
from inventory.transfer.archive import import_archive, read_archive, write_zip
from inventory.transfer.imports import max_bytes
from inventory.transfer.problems import FileRefused
from tests import database

Sites = tuple[Site, Site]
db = pytest.mark.django_db
ALL = Scope.everything()


BETWEEN = "-- and then --"


def members(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(visible: list[int] | None = None, file_format: str = "csv") -> bytes:
    out = io.BytesIO()
    write_zip(out, visible, file_format)
    return out.getvalue()


@pytest.fixture
def other_database(db: Any) -> Iterator[str]:
    """A migrated database without rows, of another name; yields its address."""
    given, name = urlsplit(os.environ["RACKSIDE_DATABASE_URL"]), f"{connection.settings_dict['NAME']}_other"
    parts = connection.get_connection_params() | {"dbname": "postgres"}
    parts = {key: parts[key] for key in ("dbname", "host", "port", "user", "password") if parts.get(key)}
    with psycopg.connect(**parts, autocommit=True) as server:
        server.execute(f'DROP DATABASE IF EXISTS "{name}"')  # type: ignore[arg-type]
        server.execute(f'CREATE DATABASE "{name}" TEMPLATE "{database.template_name()}"')  # type: ignore[arg-type]
        yield urlunsplit(given._replace(path=f"/{name}"))
        server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')  # type: ignore[arg-type]


def manage(database: str, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "manage.py", *words], cwd=settings.BASE_DIR, capture_output=True, text=True, check=False,
        env={**os.environ, "RACKSIDE_DATABASE_URL": database},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.mark.slow
def test_a_site_goes_into_the_database_of_another_instance_and_comes_out_the_same(
    full: Sites, other_database: str, tmp_path: Path
) -> None:
    call_command("export_records", "all", tmp_path / "out.zip")
    first, again = str(tmp_path / "out.zip"), str(tmp_path / "again")
    commands = [("import_records", "all", first), ("export_records", "all", again), ("import_records", "all", again)]
    script = "from django.core.management import call_command\n"
    script += "\n".join(f"call_command(*{command!r}); print({BETWEEN!r})" for command in commands)
    told, _, told_again, _ = manage(other_database, "shell", "-c", script).split(BETWEEN)
    assert f"devices: {models.Device.objects.count()} created" in told
    before = members((tmp_path / "out.zip").read_bytes())
    found = {file.name: file.read_bytes() for file in (tmp_path / "again").iterdir()}
    assert sorted(found) == sorted(before)
    for name, content in found.items():
        assert sorted(content.splitlines()) == sorted(before[name].splitlines()), name
    assert told_again.strip() and "created" not in told_again


@pytest.mark.slow
@db
@pytest.mark.parametrize("file_format", ["yaml", "json"])
def test_an_archive_imports_without_a_change(full: Sites, tmp_path: Path, file_format: str) -> None:
    path = tmp_path / "all.zip"
    path.write_bytes(zipped(file_format=file_format))
    reports = import_archive(read_archive(path), scope=ALL, actor="mk")
    assert len(reports) == len(members(path.read_bytes()))
    for report in reports:
        assert (report.errors()[:3], report.unchanged) == ([], len(report.rows)), report.kind


@db
def test_an_archive_with_one_wrong_row_writes_nothing(full: Sites, tmp_path: Path) -> None:
    (tmp_path / "rooms.csv").write_text("site,name,width_mm,depth_mm\nnorth,New hall,1000,1000\n")
    (tmp_path / "racks.csv").write_text("site,room,name,x_mm,y_mm\nnorth,New hall,Z1,0,0\nnorth,Nowhere,Z2,0,0\n")
    with pytest.raises(CommandError, match=r"racks row 2 \(Nowhere Z2\): room: there is no room 'Nowhere'"):
        call_command("import_records", "all", tmp_path)
    assert not models.Room.objects.filter(name="New hall").exists()


@db
def test_a_dry_run_of_an_archive_sees_what_its_other_files_would_bring(full: Sites, tmp_path: Path) -> None:
    (tmp_path / "racks.csv").write_text("site,room,name,x_mm,y_mm\nnorth,New hall,Z1,0,0\n")
    (tmp_path / "rooms.csv").write_text("site,name,width_mm,depth_mm\nnorth,New hall,1000,1000\n")
    rooms, racks = import_archive(read_archive(tmp_path), scope=ALL, actor="mk", dry_run=True)
    assert (rooms.created, racks.created, racks.dry_run) == (1, 1, True)
    assert not models.Room.objects.filter(name="New hall").exists()


@db
def test_what_is_no_archive_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "no.zip").write_text("x")
    with pytest.raises(FileRefused, match="not a zip file"):
        read_archive(tmp_path / "no.zip")
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(FileRefused, match="no files of records"):
        read_archive(folder)
    (folder / "toasters.csv").write_text("name\n")
    with pytest.raises(FileRefused, match=r"toasters\.csv: there is no kind"):
        read_archive(folder)
    (folder / "toasters.csv").rename(folder / "racks.csv")
    (folder / "racks.json").write_text("[]")
    with pytest.raises(FileRefused, match=r"racks\.csv and racks\.json are both racks"):
        read_archive(folder)


@db
def test_a_site_is_downloaded_by_who_may_see_it_and_nothing_of_another(full: Sites, as_role: Any) -> None:
    north, south = full
    client = as_role("viewer", site=north)
    answer = client.get("/api/export/site.zip", {"site": "north"})
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/zip")
    found = members(stream(answer))
    assert found["sites.csv"].decode().splitlines()[1].startswith("north,")
    for name in ("devices.csv", "cables.csv", "racks.csv"):
        sites = {line.split(",")[0] for line in found[name].decode().splitlines()[1:]}
        assert sites == {"north"}, name
    assert client.get("/api/export/site.zip", {"site": south.slug}).status_code == 404
    assert client.get("/api/export/site.zip", {"file_format": "xls"}).status_code == 400
    both = members(stream(as_role("viewer").get("/api/export/site.zip")))
    assert len(both["sites.csv"].splitlines()) == 3


def test_an_archive_with_a_file_of_no_kind_is_refused_before_the_rest_is_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "site.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("nothing.csv", "a\n")
        archive.writestr(
            "racks.csv", b"x" * (max_bytes() + 1), zipfile.ZIP_DEFLATED
        )  # refused as well, if it were read
    with pytest.raises(FileRefused, match="there is no kind 'nothing'"):
        read_archive(path)
