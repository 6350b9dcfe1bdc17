"""A real stack, started as a person starts it, with eyes for its processes, its memory and its REST API."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from config.embedded.data_folder import DataFolder
from config.embedded.instance import ROOT
from config.embedded.programs.supervisor import leftovers
from tests.launcher.conftest import wait_until

START_S = 900.0
"""Generous: a busy machine is no failure."""
RACKSIDE = [sys.executable, "-m", "config.embedded"]
Answer = tuple[int, Any]
PRELOADED = "config.embedded.programs.preloaded"


class Stack:
    """`./rackside run` or `demo` in a process of its own; `prefix` may change the user, `variables` its settings."""

    def __init__(
        self, data: Path, command: str, *options: str, port: int, prefix: Sequence[str] = (),
        variables: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        self.data, self.url, self.prefix = data, f"http://127.0.0.1:{port}", list(prefix)
        self.variables = dict(variables or {})
        self.command = [command, "--data", str(data), "--port", str(port), *options]
        self.folder = DataFolder(data)
        self.output = data.with_name(f"{data.name}.out")
        self.process: subprocess.Popen[bytes] | None = None
        self.token = ""

    def environment(self) -> dict[str, str]:
        """The person's own, without what the tests use for their database."""
        theirs = ("RACKSIDE_", "DJANGO_SETTINGS_MODULE", "COUNTS")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(theirs)}
        return kept | {"PYTHONPATH": str(ROOT), "HOME": str(self.data.parent)} | self.variables

    # ---- life ----
    def start(self) -> Stack:
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                [*self.prefix, *RACKSIDE, *self.command],
                cwd=ROOT, env=self.environment(), stdout=output, stderr=output, stdin=subprocess.DEVNULL,
            )  # fmt: skip
        wait_until(lambda: "Ctrl-C stops" in self.said() or self.ended(), START_S)
        assert not self.ended(), self.said()
        return self

    def said(self) -> str:
        return self.output.read_text(errors="replace")

    def ended(self) -> bool:
        return self.process is None or self.process.poll() is not None

    def stop(self) -> int:
        """As Ctrl-C does; the exit status."""
        assert self.process is not None
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(60)

    def close(self) -> None:
        """Nothing of it is left, whatever happened."""
        if not self.ended():
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.stop()
        for pid in leftovers(self.folder):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def rackside(self, command: str, *words: str, check: bool = True) -> str:
        """Another command on the same data folder; its output."""
        done = subprocess.run(
            [*self.prefix, *RACKSIDE, command, *words],
            cwd=ROOT, env=self.environment(), capture_output=True, text=True, timeout=900,
        )  # fmt: skip
        assert done.returncode == 0 or not check, done.stdout + done.stderr
        return done.stdout if check else done.stdout + done.stderr

    def manage(self, *words: str) -> str:
        return self.rackside("manage", "--data", str(self.data), *words)

    def python(self, code: str) -> Any:
        """What a script in the service's own shell prints last, as JSON."""
        return json.loads(self.manage("shell", "-v", "0", "-c", code).strip().splitlines()[-1])

    # ---- the API ----
    def sign_in(self, user: str = "admin") -> None:
        self.token = self.manage("token", user).strip().splitlines()[-1]

    def call(self, method: str, path: str, body: Any = None, *, key: str = "", timeout: float = 60.0) -> Answer:
        """One request; the status (0 when nobody answered) and what came back."""
        headers = {"Authorization": f"Token {self.token}", "Content-Type": "application/json"}
        if key:
            headers["Idempotency-Key"] = key
        return self.send(method, path, None if body is None else json.dumps(body).encode(), headers, timeout)

    def upload(self, path: str, name: str, content: bytes, **fields: str) -> Answer:
        """A file sent as a form, as a browser does."""
        mark = uuid.uuid4().hex
        parts = [
            f'--{mark}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'.encode()
            for field, value in fields.items()
        ]
        head = f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
        parts += [head.encode(), b"Content-Type: application/octet-stream\r\n\r\n", content, b"\r\n"]
        headers = {"Authorization": f"Token {self.token}", "Content-Type": f"multipart/form-data; boundary={mark}"}
        return self.send("POST", path, b"".join([*parts, f"--{mark}--\r\n".encode()]), headers, 120)

    def send(self, method: str, path: str, body: bytes | None, headers: dict[str, str], timeout: float) -> Answer:
        request = urllib.request.Request(self.url + path, body, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                return answer.status, decoded(answer.read())
        except urllib.error.HTTPError as error:
            return error.code, decoded(error.read())
        except OSError:
            return 0, None

    def is_ready(self) -> bool:
        return self.call("GET", "/readyz", timeout=5)[0] == 200

    # ---- its processes ----
    def programs(self) -> dict[str, int]:
        """The running children of the supervisor by name."""
        assert self.process is not None
        found = {}
        for pid in descendants(self.process.pid):
            name = program_of(pid)
            if name and name not in found:  # the first is the parent of those that do its work
                found[name] = pid
        return found

    def state(self) -> str:
        """What runs, what it says of itself and the end of its output: for a trial that waited in vain."""
        return f"{self.programs()}\n{self.call('GET', '/readyz', timeout=5)}\n{self.said()[-4000:]}"

    def memory_mb(self) -> dict[str, float]:
        """Each program with all its processes, in MB (proportional share)."""
        return {name: sum(map(pss_mb, [pid, *descendants(pid)])) for name, pid in self.programs().items()}


def decoded(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return content


def descendants(pid: int) -> list[int]:
    """Children of a process, theirs, and so on; parents first."""
    try:
        children = [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []
    return children + [each for child in children for each in descendants(child)]


def program_of(pid: int) -> str:
    """The name under which the supervisor knows a process, by its words; empty for a helper."""
    try:
        words = [os.fsdecode(word) for word in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")]
    except OSError:
        return ""
    server = {"postgres": "postgres", "valkey-server": "valkey"}.get(os.path.basename(words[0]))
    if server or words[1:3] == ["-m", PRELOADED]:
        return server or "preloaded"
    if words[1:3] == ["-m", "celery"]:
        queue = [word.partition("@")[0] for word in words if "@" in word]
        return f"worker-{queue[0]}" if queue else "beat"
    if words[1:2] == ["manage.py"] and words[2] in ("relay", "hall"):
        return words[2]
    return "web" if words[1:3] == ["-m", "uvicorn"] else ""


def pss_mb(pid: int) -> float:
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    return 0.0


def until(condition: Callable[[], Any], seconds: float, what: str) -> float:
    """Poll until true; the seconds it took."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < seconds, f"waited {seconds:.0f} s in vain for {what}"
        time.sleep(0.25)
    return time.monotonic() - began
