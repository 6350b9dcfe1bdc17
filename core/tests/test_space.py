"""A full disk says so: 507 with a sentence, not ready with the reason, a notice, sweeps that pause; and it passes."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import OperationalError, connection
from django.test import Client, RequestFactory
from pytest_django.fixtures import Settings
from redis.exceptions import ResponseError

from core import files
from core.errors import exception_handler
from core.instance import programs, space
from core.models import Role, Site
from core.services import ensure_user
from health.models import Sweep
from health.monitoring.services import watchdog
from health.monitoring.services.sweeps import sweep_runs


def disk_full_of_postgresql() -> OperationalError:
    error = OperationalError("could not extend file")
    error.__cause__ = psycopg.errors.DiskFull("could not extend file")
    return error


@pytest.mark.parametrize(
    ("error", "full"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), True),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), True),
        (disk_full_of_postgresql(), True),
        (ResponseError("MISCONF Errors writing to the AOF file: No space left on device"), True),
        (OSError(errno.EACCES, "Permission denied"), False),
        (ResponseError("WRONGTYPE"), False),
        (ValueError("x"), False),
        (None, False),
    ],
)
def test_a_full_disk_is_recognised_in_files_database_and_event_store(error: Exception | None, full: bool) -> None:
    assert space.is_full(error) is full


def test_a_write_that_failed_for_space_is_507_with_a_sentence() -> None:
    for error in (OSError(errno.ENOSPC, "x"), disk_full_of_postgresql()):
        answer = exception_handler(error, {})
        assert answer is not None and answer.status_code == 507
        assert answer.data["error"]["code"] == "disk_full" and "Make space" in answer.data["error"]["message"]
    assert exception_handler(ValueError("x"), {}) is None


def test_a_database_that_is_away_is_503_and_says_when_to_try_again() -> None:
    answer = exception_handler(OperationalError("connection refused"), {})
    assert answer is not None and answer.status_code == 503 and answer["Retry-After"] == "2"


def test_outside_of_the_api_and_in_middlewares_it_is_507_too(rf: RequestFactory) -> None:
    from config import pages

    for path, kind in (("/api/machines/", "application/json"), ("/accounts/login/", "text/plain")):
        try:
            raise OSError(errno.ENOSPC, "x")
        except OSError:  # as Django calls it: while the error is handled
            answer = pages.failed(rf.get(path))
        assert answer.status_code == 507 and answer["Content-Type"].startswith(kind)
        assert "disk of the server is full" in answer.content.decode()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real filesystem of one megabyte."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount a small filesystem")
    place = tmp_path / "small"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)], check=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.mark.django_db
def test_an_attachment_on_a_full_disk_leaves_nothing_half_and_is_kept_when_space_returns(
    small_disk: Path, settings: Settings
) -> None:
    settings.MEDIA_ROOT = small_disk
    examined = files.Examined(b"x" * 2**21, "text/plain")
    with pytest.raises(OSError) as error:
        files.keep(examined)
    assert space.is_full(error.value)
    assert [path for path in small_disk.rglob("*") if path.is_file()] == []
    subprocess.run(["mount", "-o", "remount,size=8m", str(small_disk)], check=True)
    files.keep(examined)
    assert files.content_path(examined.sha256).read_bytes() == examined.content


@pytest.mark.django_db
def test_a_nearly_full_disk_is_not_ready_shown_on_the_floor_and_pauses_sweeps_until_there_is_space(
    small_disk: Path, settings: Settings, client: Client
) -> None:
    from health.tests import factories as make

    make.make_machines(1)
    site = Site.objects.first()
    assert site is not None
    user, _ = ensure_user("vera", role=Role.VIEWER)
    client.force_login(user)
    settings.SPACE_PATHS, settings.FREE_MIN_MIB = [str(small_disk / "not" / "there")], 2
    answer = client.get("/readyz")
    assert answer.status_code == 503 and answer.json()["problems"]["disk"] == "less than 2 MiB free"
    [notice] = [each for each in watchdog.notices_of(site.pk) if each["kind"] == "disk"]
    assert notice["level"] == "error" and "Sweeps pause" in notice["text"]
    told = client.get("/api/health/watchdog/").json()
    assert not told["ok"] and "disk" in [problem["kind"] for problem in told["problems"]]
    assert sweep_runs.start_scheduled() == [] and not Sweep.objects.exists()
    subprocess.run(["mount", "-o", "remount,size=8m", str(small_disk)], check=True)
    assert client.get("/readyz").status_code == 200
    assert not [each for each in watchdog.notices_of(site.pk) if each["kind"] == "disk"]
    assert sweep_runs.start_scheduled()


@pytest.mark.services
@pytest.mark.timeout(200)
def test_valkey_on_a_full_disk_refuses_and_goes_on_when_space_returns(small_disk: Path) -> None:
    from redis import Redis

    from config.embedded.valkey import binary

    address = str(small_disk.parent / "s")
    flags = ["--port", "0", "--unixsocket", address, "--dir", str(small_disk), "--appendonly", "yes", "--save", ""]
    server = subprocess.Popen([str(binary()), *flags], stdout=subprocess.DEVNULL)
    try:
        store = Redis(unix_socket_path=address)
        wait(lambda: bool(store.ping()))
        error = None
        for number in range(200):
            try:
                store.set(f"key:{number}", os.urandom(20_000))
            except ResponseError as refusal:
                error = refusal
                break
            time.sleep(0.01)
        assert error is not None and space.is_full(error), error
        subprocess.run(["mount", "-o", "remount,size=64m", str(small_disk)], check=True)
        wait(lambda: bool(store.set("again", "1")))
        assert store.get("key:0")
    finally:
        server.kill()
        server.wait()


@pytest.mark.django_db(transaction=True)
def test_a_table_on_a_full_disk_is_507_and_whole_when_space_returns(small_disk: Path) -> None:
    from config.embedded.account import database_account

    account = database_account()
    assert account is not None  # root
    for parent in (small_disk, *small_disk.parents):
        if parent == Path("/tmp"):
            break
        parent.chmod(parent.stat().st_mode | 0o111)
    subprocess.run(["mount", "-o", "remount,size=3m", str(small_disk)], check=True)
    place = small_disk / "space"
    place.mkdir(mode=0o700)
    os.chown(place, account.uid, account.gid)
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE TABLESPACE small LOCATION '{place}'")
        try:
            cursor.execute("CREATE TABLE on_a_small_disk (text text) TABLESPACE small")
            cursor.execute("INSERT INTO on_a_small_disk VALUES ('first')")
            fill = "INSERT INTO on_a_small_disk SELECT repeat(md5(n::text), 20) FROM generate_series(1, 20000) n"
            with pytest.raises(OperationalError) as error:
                cursor.execute(fill)
            assert space.is_full(error.value)
            answer = exception_handler(error.value, {})
            assert answer is not None and answer.status_code == 507
            cursor.execute("SELECT count(*) FROM on_a_small_disk")
            assert cursor.fetchone() == (1,)
            subprocess.run(["mount", "-o", "remount,size=64m", str(small_disk)], check=True)
            cursor.execute(fill)
            cursor.execute("SELECT count(*) FROM on_a_small_disk")
            assert cursor.fetchone() == (20001,)
        finally:
            cursor.execute("DROP TABLE IF EXISTS on_a_small_disk")
            cursor.execute("DROP TABLESPACE small")


def wait(condition: Any) -> None:
    for _ in range(150):
        try:
            if condition():
                return
        except Exception:
            pass
        time.sleep(0.1)
    raise AssertionError("waited too long")


def test_a_program_in_a_crash_loop_is_told_of_and_a_single_restart_is_not(tmp_path: Path, settings: Settings) -> None:
    loop = {"name": "worker-checks", "how": "ended with status 1", "deaths": 5, "at": 1_700_000_000.0, "loop": True}
    settings.PROCESS_FILE = str(tmp_path / "instance.json")
    assert programs.crashing() == []
    (tmp_path / "instance.json").write_text(json.dumps({"troubles": [loop, {**loop, "loop": False}]}))
    assert [each.name for each in programs.crashing()] == ["worker-checks"]
    [problem] = watchdog.problems_here()
    assert problem.kind == "crashing"
    assert problem.text == "worker-checks keeps ending: it ended with status 1, 5 times in a row."
    (tmp_path / "instance.json").write_text('{"troubles": [{}]}')
    assert programs.crashing() == []
