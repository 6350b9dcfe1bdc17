"""One process loads the service and becomes its programs by forking: each starts in milliseconds and shares its memory.

Loading takes two seconds of a processor and 150 MB. A start pays that once here, instead of once for each of nine
programs and four commands. The supervisor asks over a socket in the data folder; what was forked is handed over to it
(it is the subreaper of that moment), so it watches, signals and waits for it like any program that it started itself.

    python -m config.embedded.programs.preloaded SOCKET ROOM    (ROOM: spaces, where a program's own words will stand)
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import runpy
import socket
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path

from config.embedded.programs.kernel import adopting, die_with

ROOM = " " * 600
ANSWER_S = 10.0
LARGEST_ORDER = 200_000  # bytes: the environment is most of it
WARM = (
    "celery.__main__", "celery.apps.beat", "celery.apps.worker", "celery.bin.beat", "celery.bin.celery",
    "celery.bin.worker", "celery.concurrency.prefork", "celery.concurrency.thread", "celery.fixups.django",
    "celery.worker.autoscale", "celery.worker.consumer", "celery.worker.strategy", "config.pulse", "config.urls",
    "django.core.management.commands.migrate", "kombu.transport.redis", "live.management.commands.relay",
)  # fmt: skip
"""What the programs import once they begin, beside the apps and their tasks."""


@dataclass(frozen=True)
class Order:
    """A program to become: its words as for `exec`, and whose child it is going to be."""

    command: Sequence[str]
    environment: Mapping[str, str]
    directory: str
    stop_signal: int
    supervisor: int


class Forked:
    """A forked program under the names by which `subprocess` knows a started one."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        return self._look(os.WNOHANG)

    def wait(self) -> int:
        return self._look(0) or 0

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def _look(self, how: int) -> int | None:
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, how)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode


# ---- the supervisor's side ----
def fork(address: Path, order: Order, output: int, log: int) -> Forked | None:
    """Have a program forked; None when nobody answers, then it has to be started by itself.

    One whose answer comes too late finds no supervisor above it and ends by itself.
    """
    try:
        with adopting(), socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
            connection.settimeout(ANSWER_S)
            connection.connect(str(address))
            socket.send_fds(connection, [json.dumps(asdict(order)).encode()], [output, log])
            return Forked(int(connection.recv(32)))
    except (OSError, ValueError):
        return None


def answers(address: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection, contextlib.suppress(OSError):
        connection.connect(str(address))
        return True
    return False


# ---- the preloaded process ----
def main(address: str) -> None:
    load()
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(address)
        os.chmod(address, 0o600)  # who may connect may run anything as us
        listener.listen()
        order = become_a_program(listener)
    run(order.command[1:])


def load() -> None:
    """Import what all programs use. No thread is started and no connection opened: neither survives a fork."""
    import django

    django.setup()
    from django.urls import reverse

    from config import celery, heap

    heap.few_arenas()
    heap.small_tls_buffers()

    celery.app.loader.import_default_modules()
    for name in WARM:
        import_module(name)
    reverse("schema")  # reads all routes, which is 10 MB
    heap.freeze()  # a collection writes into the objects it walks: pages that are shared would be copied


def become_a_program(listener: socket.socket) -> Order:
    """Serve orders for ever; returns in each forked program, which is then nothing of this process any more."""
    while True:
        connection, _ = listener.accept()
        with connection:
            message, descriptors, _, _ = socket.recv_fds(connection, LARGEST_ORDER, 2)
            if not message:  # somebody looked whether we are there
                continue
            reader, writer = os.pipe()
            between = os.fork()
            if between == 0:
                if pid := os.fork():
                    os.write(writer, str(pid).encode())
                    os._exit(0)
                order = Order(**json.loads(message))
                for ours in (listener, connection):
                    ours.detach()  # closed below, by number
                settle_in(order, descriptors)
                return order
            os.waitpid(between, 0)  # from here on the program is the supervisor's child
            with contextlib.suppress(OSError):
                connection.send(os.read(reader, 32))
            for descriptor in (reader, writer, *descriptors):
                os.close(descriptor)


def settle_in(order: Order, descriptors: Sequence[int]) -> None:
    """Make a forked process what an exec would have made it: its parent, group, files, environment, folder, words."""
    os.setpgid(0, 0)
    deadline = time.monotonic() + ANSWER_S
    while os.getppid() != order.supervisor:
        if time.monotonic() > deadline:
            os._exit(1)
        time.sleep(0.001)
    die_with(order.supervisor, order.stop_signal)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for standard, given in zip((1, 2), descriptors, strict=True):
        os.dup2(given, standard)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    os.environ.clear()
    os.environ.update(order.environment)
    os.chdir(order.directory)
    show_as(order.command)


def show_as(words: Sequence[str]) -> None:
    """Let `ps` show these words: the kernel reads them where our own stand in memory (proc_pid_stat(5), 48 and 49)."""
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    begin, end = int(fields[45]), int(fields[46])
    room = end - begin
    text = "\0".join(words).encode()[: room - 1].ljust(room, b"\0")
    ctypes.memmove(begin, text, room)


def run(words: Sequence[str]) -> None:
    """What `python WORDS` does, for `-m MODULE ARGUMENT...` and for `FILE ARGUMENT...`."""
    if words[0] == "-m":
        sys.argv = list(words[1:])
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = list(words)
        runpy.run_path(words[0], run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1])
