"""A sweep whose worker, broker or database dies in the middle: nothing is lost, and nothing is done twice.

PostgreSQL, Valkey and Celery's workers are this test's own and real; the machines are those of the virtual hall.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet

from config.embedded.data_folder import DataFolder
from config.embedded.instance import ROOT
from config.embedded.postgres import Postgres
from config.embedded.programs.supervisor import Program
from config.embedded.valkey import Valkey
from tests.launcher.conftest import open_up, wait_until

pytestmark = [pytest.mark.services, pytest.mark.timeout(400)]
MACHINES = 8


class Site:
    """The services of one site, each of which may be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = DataFolder(folder / "data")
        self.data.create()
        self.postgres = Postgres(self.data)
        self.valkey = Valkey(self.data)
        self.running: dict[str, subprocess.Popen[bytes]] = {}

    def environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "RACKSIDE_DATABASE_URL": self.postgres.url,
            "RACKSIDE_REDIS_URL": self.valkey.url(),
            "RACKSIDE_BROKER_URL": self.valkey.broker_url(1),
            "RACKSIDE_SECRET_KEY": "of this test",
            "RACKSIDE_CREDENTIAL_KEYS": self.key,
            "RACKSIDE_DATA_DIR": str(self.folder / "files"),
            "RACKSIDE_CONFIRM_DELAY_S": "0",
        }

    def open(self) -> None:
        self.key = Fernet.generate_key().decode()
        self.postgres.create_cluster()
        self.start_service(self.postgres.program())
        self.postgres.create_database()
        self.start_service(self.valkey.program())
        command = [sys.executable, "-m", "tests.launcher.sweep_site", str(self.folder / "hall"), str(MACHINES)]
        with (self.folder / "site.log").open("wb") as log:
            self.site = subprocess.Popen(
                command,
                cwd=ROOT,
                env=self.environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        first = self.read()
        assert first == {"machines": MACHINES}, first

    def read(self) -> Any:
        assert self.site.stdout is not None
        for line in self.site.stdout:
            if line.startswith("{"):
                said = json.loads(line)
                if "event" not in said:
                    return said
        raise AssertionError((self.folder / "site.log").read_text()[-3000:])

    def ask(self, word: str) -> Any:
        """What the site answers; asked again while its database comes back."""
        for _ in range(20):
            assert self.site.stdin is not None
            self.site.stdin.write(word + "\n")
            self.site.stdin.flush()
            said = self.read()
            if "answer" in said:
                return said["answer"]
            time.sleep(0.5)
        raise AssertionError(said)

    def start_service(self, program: Program) -> None:
        """Start it, and again when it ends: PostgreSQL refuses while processes of a killed one still go away."""

        def is_up() -> bool:
            if program.name not in self.running or self.running[program.name].poll() is not None:
                self.spawn(program)
            assert program.ready is not None
            return program.ready()

        wait_until(is_up, 60)

    def spawn(self, program: Program) -> None:
        account = program.account
        with (self.folder / f"{program.name}.log").open("ab") as log:
            self.running[program.name] = subprocess.Popen(
                list(program.command),
                cwd=program.directory,
                env=dict(program.environment),
                stdout=log,
                stderr=log,
                user=account.uid if account else None,
                group=account.gid if account else None,
                extra_groups=[] if account else None,
                start_new_session=True,
            )

    def start_worker(self, name: str) -> None:
        queues = ["-Q", "checks,default", "-n", name, "-c", "2", "--without-gossip", "--without-mingle"]
        with (self.folder / f"{name}.log").open("wb") as log:
            self.running[name] = subprocess.Popen(
                [sys.executable, "-m", "celery", "-A", "config", "worker", *queues],
                cwd=ROOT,
                env=self.environment(),
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def kill(self, name: str, number: int = signal.SIGKILL) -> None:
        process = self.running.pop(name)
        os.killpg(process.pid, number)
        process.wait(30)

    def close(self) -> None:
        self.site.kill()
        self.site.wait(10)
        for name in list(self.running):
            self.kill(name)

    # ---- what the tests say ----
    def begin_a_sweep(self) -> None:
        """A sweep that is under way: some shards are done, some are looked at, the rest wait."""
        self.ask("sweep")
        wait_until(lambda: self.state()["done"] > 0 and self.state()["running"] > 0, 60)
        assert self.state()["sweep"] == "running"

    def state(self) -> dict[str, Any]:
        answer: dict[str, Any] = self.ask("state")
        return answer

    def finish(self) -> dict[str, Any]:
        def over() -> bool:
            self.ask("requeue")
            return bool(self.state()["sweep"] == "finished")

        wait_until(over, 120)
        return self.state()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """With a GPU that died before the first sweep, so that more than verdicts is at stake."""
    folder = tmp_path_factory.mktemp("site")
    open_up(folder)
    site = Site(folder)
    try:
        site.open()
        site.ask("break")
        yield site
    finally:
        site.close()


def whole(state: dict[str, Any]) -> bool:
    """Every machine was seen in this sweep and nothing was set off twice."""
    return (state["done"], state["seen"], state["heard"], state["unheard"]) == (MACHINES, MACHINES, MACHINES, 0) and (
        state["faults"] == 1
    )


@pytest.mark.parametrize(
    "victim", ["worker", *(pytest.param(other, marks=pytest.mark.slow) for other in ("valkey", "postgres"))]
)
def test_a_sweep_survives_the_sudden_death_of(victim: str, site: Site) -> None:
    if "worker" not in site.running:
        site.start_worker("worker")
    site.begin_a_sweep()
    restart: dict[str, Callable[[], None]] = {
        "worker": lambda: site.start_worker("worker"),
        "valkey": lambda: site.start_service(site.valkey.program()),
        "postgres": lambda: site.start_service(site.postgres.program()),
    }
    site.kill(victim)
    if victim == "postgres":
        site.postgres.remove_stale_lock_files()
    restart[victim]()
    first = site.finish()
    assert whole(first), first
    site.ask("sweep")
    second = site.finish()
    assert whole(second), second
    assert (second["confirmed"], second["drained"], second["holds"]) == (1, 1, 1), "found once, drained once, held once"
