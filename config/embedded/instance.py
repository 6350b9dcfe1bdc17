"""One data folder with its services, and the environment that the programs of the instance get."""

from __future__ import annotations

import contextlib
import http.client
import os
import socket
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from config import processes
from config.embedded import empty_database
from config.embedded.data_folder import DataFolder
from config.embedded.home import home
from config.embedded.postgres import Postgres
from config.embedded.programs import preloaded
from config.embedded.programs.supervisor import Program, Supervisor
from config.embedded.progress import LaunchError, Progress
from config.embedded.valkey import Valkey

ROOT = Path(__file__).resolve().parents[2]
SETTINGS_FILE = "settings.env"
PRELOADED = "preloaded"


class Instance:
    """The services of one data folder. Use `opened` (or `reached`) to have them running."""

    def __init__(self, data: Path, progress: Progress, *, host: str = "127.0.0.1", port: int = 8000) -> None:
        self.folder = DataFolder(data)
        self.progress = progress
        self.host = host
        self.port = port
        self.defaults: dict[str, str] = {}
        self.supervisor = Supervisor(self.folder, progress)
        self.valkey = Valkey(self.folder)

    @property
    def postgres(self) -> Postgres:
        return Postgres(self.folder)

    @property
    def url(self) -> str:
        shown = "127.0.0.1" if self.host in ("127.0.0.1", "localhost") else socket.getfqdn()
        return f"http://{shown}:{self.port}"

    # ---- environment ----
    def environment(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        """The variables of a program: defaults, then the person's own, then what this instance decides."""
        return {
            **self.own_defaults(),
            **os.environ,
            **read_settings_file(self.folder.path / SETTINGS_FILE),
            "PYTHONUNBUFFERED": "1",
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "CELERY_SKIP_CHECKS": "1",  # migrate has looked; in each worker it would copy 17 MB of what they share
            "RACKSIDE_DATABASE_URL": self.postgres.url,
            "RACKSIDE_REDIS_URL": self.valkey.url(0),
            "RACKSIDE_BROKER_URL": self.valkey.broker_url(1),
            "RACKSIDE_SECRET_KEY": self.folder.secret("secret_key"),
            "RACKSIDE_CREDENTIAL_KEYS": self.folder.secret("credential_keys"),
            "RACKSIDE_DATA_DIR": str(self.folder.files),
            "RACKSIDE_HOME": home(self.folder.path),
            "RACKSIDE_SPACE_PATHS": ",".join(map(str, (self.folder.files, self.folder.postgres, self.folder.valkey))),
            "RACKSIDE_PROCESS_FILE": str(self.folder.path / "instance.json"),
            **(extra or {}),
        }

    def own_defaults(self) -> dict[str, str]:
        """Variables that a person may override."""
        hosts = ["localhost", "127.0.0.1", "[::1]"]
        if self.host not in ("127.0.0.1", "localhost"):
            hosts += [socket.gethostname(), socket.getfqdn(), *([] if self.host == "0.0.0.0" else [self.host])]
        return {
            "RACKSIDE_ALLOWED_HOSTS": ",".join(dict.fromkeys(hosts)),
            "RACKSIDE_PUBLIC_URL": self.url,
            "RACKSIDE_HALL_FOLDER": str(self.folder.path / "hall"),
            **self.defaults,
        }

    # ---- services ----
    @contextlib.contextmanager
    def opened(self, *, fresh: bool = False, preload: bool = False) -> Iterator[Instance]:
        """Hold the data folder with PostgreSQL and Valkey running; stop everything at the end, whatever happens.

        With `preload` the programs that follow are forked from one that has loaded the service: for a whole stack.
        """
        self.folder.create()
        self.folder.acquire()
        try:
            self.supervisor.open()
            if fresh:
                with self.progress.step("Erasing the old data"):
                    self.folder.erase()
            try:
                if preload:
                    self.supervisor.start(self._preloaded())
                self._start_services()
                if preload:
                    with self.postgres.connect() as connection:
                        empty_database.load(connection)
                    with self.progress.step("Loading the service"):
                        self.supervisor.wait_ready(PRELOADED)
                yield self
            finally:
                self._stop()
        finally:
            self.folder.release()

    def _preloaded(self) -> Program:
        """It loads while PostgreSQL makes its cluster."""
        address = self.folder.preloaded
        forget = partial(address.unlink, missing_ok=True)
        forget()
        command = [sys.executable, "-m", "config.embedded.programs.preloaded", str(address), preloaded.ROOM]
        ready = partial(preloaded.answers, address)
        return Program(PRELOADED, command, self.environment(), ready=ready, directory=ROOT, prepare=forget)

    def _start_services(self) -> None:
        postgres = self.postgres
        if not (postgres.cluster / "PG_VERSION").exists():
            with self.progress.step("Initializing the database"):
                postgres.create_cluster()
        else:
            postgres.create_cluster()
        postgres.remove_stale_lock_files()
        with self.progress.step("PostgreSQL and Valkey"):
            self.supervisor.start(postgres.program(), self.valkey.program())
            self.supervisor.wait_ready(*(child.name for child in self.supervisor.groups[-1]))
            postgres.create_database()

    def _stop(self) -> None:
        if self.supervisor.children:
            with self.progress.step("Stopping") as step:
                step.note(", ".join(child.name for child in reversed(self.supervisor.children)))
                self.supervisor.stop()
        else:
            self.supervisor.stop()
        self.folder.forget_record("instance")

    @contextlib.contextmanager
    def reached(self) -> Iterator[Instance]:
        """The services of a running instance as they are, or started for the time of a command."""
        if not self.folder.path.exists():
            raise LaunchError(f"There is no data folder {self.folder.path}.", "Give the folder with --data DIR.")
        if self.folder.owner() is not None:
            self.defaults |= self.folder.read_record("instance").get("environment", {})
            yield self
        else:
            with self.opened():
                yield self

    # ---- commands ----
    def manage(self, name: str, *arguments: str, environment: Mapping[str, str] | None = None) -> str:
        """Run a management command as a child of the supervisor; its standard output."""
        return self.supervisor.run(self._command(name, arguments, environment))

    def managing(self, name: str, *arguments: str) -> contextlib.AbstractContextManager[Callable[[], str]]:
        """The same beside what the caller does (`Supervisor.running`)."""
        return self.supervisor.running(self._command(name, arguments, None))

    def _command(self, name: str, arguments: Sequence[str], environment: Mapping[str, str] | None) -> Program:
        command = processes.manage(*arguments)
        return Program(name, command, self.environment(environment), directory=ROOT, forked=not environment)

    def web_answers(self) -> bool:
        """Whether /healthz of this instance answers 200."""
        host = "127.0.0.1" if self.host == "0.0.0.0" else self.host
        connection = http.client.HTTPConnection(host, self.port, timeout=2)
        try:
            connection.request("GET", "/healthz", headers={"Host": "localhost"})
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def refuse_taken_port(self) -> None:
        """Say so before anything starts when another program listens on our address."""
        with socket.socket(socket.AF_INET) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((self.host, self.port))
            except OSError as error:
                raise LaunchError(
                    f"Cannot listen on {self.host}:{self.port}: {error.strerror}.",
                    f"Choose another port, for example --port {free_port(self.host, self.port + 1)}.",
                ) from error


def free_port(host: str, first: int) -> int:
    """The first port from `first` on that nobody listens on; `first` itself when none of a hundred is free."""
    for port in range(first, min(first + 100, 65536)):
        with socket.socket(socket.AF_INET) as probe, contextlib.suppress(OSError):
            probe.bind((host, port))
            return port
    return first


def read_settings_file(path: Path) -> dict[str, str]:
    """`NAME=value` lines of a site's own settings; blank lines and lines that begin with # are left out."""
    if not path.exists():
        return {}
    settings = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, equals, value = line.partition("=")
        if not equals or not name.strip().isidentifier():
            raise LaunchError(f"{path}, line {number}: not NAME=value.")
        settings[name.strip()] = value.strip().strip("\"'")
    return settings
