"""`./rackside run` with the real service: start, answer, back up while running, kill -9, restore, upgrade."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.embedded.data_folder import DataFolder
from config.embedded.instance import ROOT, free_port
from config.embedded.programs.supervisor import leftovers
from tests.launcher.conftest import wait_until

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.timeout(900)]
RACKSIDE = [sys.executable, "-m", "config.embedded"]


def rackside(*words: str | Path) -> str:
    """Run a command to its end; its output. Fails the test when the command fails."""
    done = subprocess.run([*RACKSIDE, *map(str, words)], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    for name in ("site", "restored", "moved"):
        for pid in leftovers(DataFolder(tmp_path / name)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def get(url: str) -> tuple[int, str]:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.status, answer.read().decode()


def test_a_site_runs_is_backed_up_survives_kill_9_and_is_restored(place: Path) -> None:
    data, port = place / "site", free_port("127.0.0.1", 18200)
    output = place / "output"
    with output.open("w") as stream:
        site = subprocess.Popen(
            [*RACKSIDE, "run", "--data", str(data), "--port", str(port)], cwd=ROOT, stdout=stream, stderr=stream
        )
    try:
        wait_until(lambda: "Ctrl-C stops" in output.read_text() or site.poll() is not None, 300)
        said = output.read_text()
        assert site.poll() is None, said
        assert re.search(r"Sign in   admin / \S{12,}", said)
        assert "load_fleet FILE" in said

        url = f"http://127.0.0.1:{port}"
        assert json.loads(get(f"{url}/readyz")[1])["ready"] is True
        assert get(f"{url}/accounts/login/")[0] == 200
        status = rackside("status", "--data", data)
        for name in ("postgres", "valkey", "web", "relay", "worker-checks", "worker-ingest+fabric", "beat"):
            assert re.search(rf"{re.escape(name)} +up", status), status

        again = rackside("manage", "--data", data, "create_admin", "--one-time")
        assert json.loads(again.strip().splitlines()[-1])["login"] is None  # there is one already
        rackside("backup", place / "site.tar", "--data", data)
    finally:
        site.kill()
        site.wait()
    wait_until(lambda: leftovers(DataFolder(data)) == [], 30)

    restored = place / "restored"
    told = rackside("restore", place / "site.tar", "--data", restored, "--keys", data / "secrets")
    assert "as counted in the backup" in told
    assert "is at Rackside" in rackside("upgrade", "--data", restored)
    kept = rackside("manage", "--data", restored, "create_admin", "--one-time")
    assert '"login": null' in kept  # the administrator came along
    assert DataFolder(restored).secret("secret_key") == DataFolder(data).secret("secret_key")

    asked = ("shell", "-v", "0", "-c", "from core.instance import state; print(state.standing())")
    assert "paused=False" in rackside("manage", "--data", data, *asked)
    paused = rackside("manage", "--data", restored, *asked)
    assert "paused=True" in paused and "Restored from the backup of " in paused
    rackside("manage", "--data", restored, "take_over", "the old server is gone")
    assert "paused=False" in rackside("manage", "--data", restored, *asked)
    moved = restored.rename(place / "moved")
    assert f"its database last ran at {socket.gethostname()}:{restored} " in rackside("manage", "--data", moved, *asked)
