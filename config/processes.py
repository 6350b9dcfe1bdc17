"""The long-running processes of a deployment and the commands that start them: one table for ./rackside and the image.

`python -m config.processes NAME [ARGUMENT...]` replaces itself by that process; deploy/entrypoint calls it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

PYTHON = sys.executable
QUEUES = ("default", "checks", "slow", "provision", "ingest", "webhooks", "fabric")
SLOW_THREADS = 4
"""Shards of machines that keep us waiting; each waits for many of them at once."""
THREADS = {"slow": SLOW_THREADS, "webhooks": 1}
"""Queues whose tasks mostly wait for others: their workers need no process beside the one that takes the messages."""
MOST_PROCESSES = {"fabric": 8, "provision": 4}
"""How far a queue for which one process is enough most of the time may grow: as many sources of a fabric are read at
once, and one that hangs holds up none of the others; a role of base software or a burn-in of links takes up to 45
minutes, and installations and remedies go on beside it."""
MEMORY_KB = {"checks": 1_500_000, "ingest": 300_000, "fabric": 300_000}
"""Resident memory after which a process of a queue is replaced, where not that of the settings. One that checks keeps
two connections of each machine, half a megabyte, which a new one would open again; what reads a whole fabric or file
needs hundreds of megabytes for seconds, and would hold on to them: a new one has 190."""
WEB_PORT = 8000


def web(host: str = "0.0.0.0", port: str = str(WEB_PORT)) -> list[str]:
    """The ASGI server: API, dashboard and live sockets. WEB_CONCURRENCY sets the number of processes."""
    options = ["--host", host, "--port", str(port), "--no-access-log", "--timeout-graceful-shutdown", "5"]
    options += ["--http", "config.http_protocol:TimedProtocol", "--ws", "live.shared_deflate:Sockets"]
    options += ["--no-proxy-headers"]  # config/proxies.py reads those
    return [PYTHON, "-m", "uvicorn", "config.asgi:application", *options]


def relay() -> list[str]:
    return manage("relay")


def worker(queues: str, concurrency: str = "") -> list[str]:
    """A Celery worker of one queue, so that a long provisioning task never holds up checks; `A,B` where two share it.

    Its name says which: `A+B@HOST`.
    """
    names = queues.split(",")
    if unknown := set(names) - set(QUEUES):
        raise SystemExit(f"There is no queue {', '.join(sorted(unknown))}; the queues are {', '.join(QUEUES)}.")
    processes = concurrency or os.environ.get("RACKSIDE_WORKER_PROCESSES", "1")
    options = ["-Q", queues, "-n", f"{'+'.join(names)}@%h", "-c", processes, "--without-gossip", "--without-mingle"]
    if threads := max(THREADS.get(name, 0) for name in names):
        options += ["--pool", "threads", "-c", str(threads)]
    if most := max(MOST_PROCESSES.get(name, 0) for name in names):
        options += ["--autoscale", f"{max(most, int(processes))},{processes}"]
    if memory_kb := max(MEMORY_KB.get(name, 0) for name in names):
        options += ["--max-memory-per-child", str(memory_kb)]
    return [PYTHON, "-m", "celery", "-A", "config", "worker", *options]


def beat() -> list[str]:
    """The clock of periodic tasks: run exactly one."""
    return [PYTHON, "-m", "celery", "-A", "config", "beat", "-S", "config.pulse:PulsingScheduler", "--pidfile", ""]


def migrate() -> list[str]:
    return manage("migrate", "--noinput")


def healthcheck(process: str) -> list[str]:
    return [PYTHON, "-m", "config.healthcheck", process]


def manage(*arguments: str) -> list[str]:
    return [PYTHON, "manage.py", *arguments]


COMMANDS: dict[str, Callable[..., list[str]]] = {
    "web": web,
    "relay": relay,
    "worker": worker,
    "beat": beat,
    "migrate": migrate,
    "healthcheck": healthcheck,
    "manage": manage,
}


def main(words: list[str]) -> None:
    if not words or words[0] not in COMMANDS:
        raise SystemExit(f"usage: entrypoint NAME [ARGUMENT...]\nNAME is one of: {', '.join(COMMANDS)}")
    try:
        command = COMMANDS[words[0]](*words[1:])
    except TypeError as error:
        raise SystemExit(f"{words[0]}: wrong arguments ({error})") from error
    if words[0] == "web":
        os.environ.setdefault("RACKSIDE_DATABASE_POOL", "1")
    os.execv(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1:])
