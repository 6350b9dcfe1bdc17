"""ibsim with opensm: a simulated fabric for the real infiniband-diags, its cables moved through its console.

ibsim reads its console from a fifo that stays open (at the end of its input it would spin), is told to allow large
fabrics, and every tool runs under a time limit: some hang for ever on it.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import time
import uuid
from pathlib import Path
from types import TracebackType
from typing import IO, Any

LIMITS = ["-N", "20000", "-S", "2000", "-P", "400000"]
PRELOAD = "/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so"
PROGRAMS = ("/usr/bin/ibsim", "/usr/sbin/opensm", "/usr/sbin/ibnetdiscover", PRELOAD)
READY = "Network simulator ready."
_NODE = re.compile(r'^(?:Switch|Hca)\s+\d+\s+"([^"]+)"', re.MULTILINE)
_LINK = re.compile(r'^\[(\d+)\]\s*"([^"]+)"\[(\d+)\]')

SKIP_SL = {"ibqueryerrors": ("--skip-sl",)}
"""ibsim mixes up the long answer that lists a service level for each lid when the processor is busy; ibqueryerrors 44.0
takes the lid in it for an index and dies (2 of 100 runs). Nothing here needs the service levels."""

Socket = tuple[str, int]  # node id and port, as `"S-900a8403004325b0"[5]`


class IbSim:
    """A running simulator with a subnet manager. `net` is its topology; tools attach at its first adapter."""

    def __init__(self, folder: Path, net: str) -> None:
        for program in PROGRAMS:
            assert os.path.exists(program), f"no {program}: the tests need ibsim-utils, infiniband-diags and opensm"
        self.folder = folder
        self.net = net
        self.far = _cables(net)
        attach = next(name for name in _NODE.findall(net) if name.startswith("H-"))
        self.environment = {
            **os.environ,
            "PATH": f"/usr/sbin:{os.environ['PATH']}",
            "IBSIM_SOCKNAME": f"rackside-{uuid.uuid4().hex[:12]}",
            "SIM_HOST": attach,
            "OSM_CACHE_DIR": str(folder),
            "OSM_TMP_DIR": str(folder),
        }
        self._children: list[subprocess.Popen[bytes]] = []
        self._console: IO[str] | None = None

    def __enter__(self) -> IbSim:
        try:
            self._start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _start(self) -> None:
        (self.folder / "net").write_text(self.net)
        fifo = self.folder / "console"
        os.mkfifo(fifo)
        both = os.open(fifo, os.O_RDWR)  # open at both ends: neither we nor ibsim wait for the other
        self._console = os.fdopen(both, "w", buffering=1)
        out = (self.folder / "ibsim.log").open("wb")
        command = ["ibsim", "-s", *LIMITS, "-f", str(self.folder / "ibsim.out"), str(self.folder / "net")]
        with fifo.open("rb") as stdin, out:
            self._children.append(self._spawn(command, stdin, out, preload=False))
        self._until(lambda: READY in self._said(), 30, "ibsim did not get ready")
        with (self.folder / "opensm.out").open("wb") as out:
            command = ["opensm", "-e", "-s", "2", "-f", str(self.folder / "opensm.log")]
            self._children.append(self._spawn(command, subprocess.DEVNULL, out, preload=True))
        self._until(self._subnet_is_up, 120, "opensm did not bring the subnet up")

    def _subnet_is_up(self) -> bool:
        """Whether opensm answers. Its log says nothing: it is buffered."""
        return self.run("saquery", "-S", timeout_s=10).returncode == 0

    def _spawn(self, command: list[str], stdin: Any, out: Any, *, preload: bool) -> subprocess.Popen[bytes]:
        environment = {**self.environment, **({"LD_PRELOAD": PRELOAD} if preload else {})}
        return subprocess.Popen(
            command, stdin=stdin, stdout=out, stderr=subprocess.STDOUT, env=environment, cwd=self.folder,
            process_group=0,
        )  # fmt: skip

    def _said(self) -> str:
        path = self.folder / "ibsim.out"
        return path.read_text(errors="replace") if path.exists() else ""

    def _until(self, true: Any, seconds: float, why: str) -> None:
        deadline = time.monotonic() + seconds
        while not true():
            dead = [child.args for child in self._children if child.poll() is not None]
            assert not dead and time.monotonic() < deadline, f"{why}: {dead} {self._said()[-500:]}"
            time.sleep(0.1)

    def stop(self) -> None:
        """End it all; also with `with`, and twice."""
        while self._children:
            child = self._children.pop()
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait(10)
        if self._console is not None:
            self._console.close()

    def run(self, *command: str, timeout_s: float = 60) -> subprocess.CompletedProcess[str]:
        """A tool on the simulated fabric; its status is 124 when it was stopped.

        One that is killed leaves its sysfs tree in its working directory.
        """
        limited = ["timeout", "-k", "2", str(timeout_s), "ibsim-run", *command]
        return subprocess.run(
            limited, capture_output=True, text=True, env=self.environment,
            stdin=subprocess.DEVNULL, timeout=timeout_s + 10, cwd=self.folder,
        )  # fmt: skip

    def output(self, *command: str) -> str:
        """What a tool printed. ibqueryerrors ends with 1 when it found errors."""
        tool, *words = command
        done = self.run(tool, *SKIP_SL.get(tool, ()), *words)
        assert done.returncode in (0, 1), f"{command}: {done.returncode} {done.stderr[-500:]}"
        return done.stdout

    def stop_subnet_manager(self) -> None:
        child = self._children.pop()
        os.killpg(child.pid, signal.SIGKILL)
        child.wait(10)

    # ---- the console ----

    def console(self, *lines: str) -> None:
        """Lines at ibsim's prompt; returns when it has done them."""
        assert self._console is not None
        mark = f"#{uuid.uuid4().hex}"
        self._console.write("".join(f"{line}\n" for line in lines))
        before = len(self._said())
        self._console.write(f'Dump "{mark}"\n')  # there is no such node, which it says last
        self._until(lambda: mark in self._said()[before:], 10, "ibsim's console is stuck")

    def unlink(self, socket: Socket) -> Socket:
        """Pull a cable at one end; returns where its other end stays."""
        other = self.far.pop(socket)
        del self.far[other]
        self.console(f"Unlink {_name(socket)}")
        return other

    def link(self, socket: Socket, other: Socket) -> None:
        assert socket not in self.far and other not in self.far
        self.far[socket], self.far[other] = other, socket
        self.console(f"Link {_name(socket)} {_name(other)}")

    def swap(self, one: Socket, other: Socket) -> None:
        """Exchange the plugs in two ports."""
        first, second = self.unlink(one), self.unlink(other)
        self.link(one, second)
        self.link(other, first)


def socket(guid: str, port: int, *, switch: bool) -> Socket:
    return f"{'S' if switch else 'H'}-{guid}", port


def _name(socket: Socket) -> str:
    return f'"{socket[0]}"[{socket[1]}]'


def _cables(net: str) -> dict[Socket, Socket]:
    far: dict[Socket, Socket] = {}
    node = ""
    for line in net.splitlines():
        if head := _NODE.match(line):
            node = head[1]
        elif port := _LINK.match(line):
            far[node, int(port[1])] = (port[2], int(port[3]))
    return far
