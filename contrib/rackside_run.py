"""Report a training run to Rackside: one line in the training loop.

    from rackside_run import Run

    run = Run()                      # reads RACKSIDE_URL, RACKSIDE_TOKEN and what the launcher set
    for step, batch in enumerate(loader):
        loss = train(batch)
        run.step(step, loss=loss, tokens=tokens)
    run.end()

Python 3.8 and later, nothing but the standard library. It never slows or stops training: `step` appends to a list, a
thread sends every ten seconds, and whatever goes wrong there is kept to itself. While Rackside is away up to an hour of
steps is kept and sent when it is back; what was sent twice counts once. What a program that ends meanwhile could not
send lies in RACKSIDE_SPOOL (the folder for temporary files without it), and the next run on that machine sends it.

Every rank may report (that is how slow ranks are found), or rank 0 alone: `Run(every_rank=False)`. Without a URL or a
token nothing is sent, so the line may stay where a cluster has no Rackside.
"""

from __future__ import annotations

import atexit
import contextlib
import gzip
import json
import os
import socket
import sys
import tempfile
import threading
import time
import traceback
import urllib.error
import urllib.request
from typing import Any, Mapping, Sequence

SEND_EVERY_S = 10.0
REPORTS_A_SECOND = 100
"""Of all ranks together: those of a large run send less often, rank 0 (whose steps make the curve) does not."""
KEEP_S = 3600.0
MOST_STEPS = 100_000
AT_ONCE = 20_000
"""Steps in one request; what was kept over an outage goes in several."""
LONGEST_ERROR = 16_000
MOST_SETTINGS = 80
TIMEOUT_S = 10.0
SPOOLED = "rackside-run-"
LAST_TRY_S = 5.0
"""How long the end of the program may wait for the last report."""


def from_launcher(environment: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """Rank, world size, attempt and names as torchrun, Slurm, Open MPI or PMI set them; named variables only."""

    def number(*names: str) -> int:
        for name in names:
            text = environment.get(name, "")
            if text.isdigit():
                return int(text)
        return 0

    job = environment.get("SLURM_ARRAY_JOB_ID") or environment.get("SLURM_JOB_ID", "")
    if environment.get("SLURM_ARRAY_TASK_ID"):
        job = f"{job}_{environment['SLURM_ARRAY_TASK_ID']}"
    elastic = environment.get("TORCHELASTIC_RUN_ID", "")
    launcher = (
        "torchrun"
        if elastic
        else "mpirun"
        if "OMPI_COMM_WORLD_RANK" in environment
        else "slurm"
        if "SLURM_PROCID" in environment
        else ""
    )
    address = f"{environment.get('MASTER_ADDR', '')}:{environment.get('MASTER_PORT', '')}"
    return {
        "id": job or (elastic if elastic != "none" else "") or (address if address != ":" else ""),
        "job": job,
        "name": environment.get("RACKSIDE_RUN_NAME") or environment.get("SLURM_JOB_NAME", ""),
        "logs": environment.get("RACKSIDE_RUN_LOGS", ""),
        "image": environment.get("RACKSIDE_RUN_IMAGE", ""),
        "user": environment.get("SLURM_JOB_USER") or environment.get("USER", ""),
        "launcher": launcher,
        "rank": number("RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID", "PMIX_RANK", "PMI_RANK"),
        "local_rank": number("LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"),
        "world_size": number("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS", "PMI_SIZE") or 1,
        "attempt": number("SLURM_RESTART_COUNT") + number("TORCHELASTIC_RESTART_COUNT"),
        "machine": environment.get("SLURMD_NODENAME") or socket.gethostname().split(".")[0],
        "gpu": gpu_of(environment, number("LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID")),
    }


def settings_of(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """NCCL's variables and torch's version: what two runs are compared by. No other variable is read."""
    found = {name: environment[name][:200] for name in sorted(environment) if name.startswith(("NCCL_", "TORCH_NCCL_"))}
    version = getattr(sys.modules.get("torch"), "__version__", "")
    return dict(list(found.items())[:MOST_SETTINGS], **({"torch": str(version)} if version else {}))


def gpu_of(environment: Mapping[str, str], local_rank: int) -> str:
    """The GPU's index as nvidia-smi counts, empty where the launcher hides it (UUIDs, MIG slices)."""
    seen = environment.get("CUDA_VISIBLE_DEVICES")
    if seen is None:
        return str(local_rank)
    parts = [part.strip() for part in seen.split(",")]
    chosen = parts[local_rank] if local_rank < len(parts) else parts[0] if len(parts) == 1 else ""
    return chosen if chosen.isdigit() else ""


class Run:
    """One rank of a run. All arguments are optional; what is not given comes from the launcher's variables."""

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        every_rank: bool = True,
        send_every_s: float | None = None,
        **about: Any,
    ) -> None:
        told = from_launcher()
        told.update({name: value for name, value in about.items() if value is not None})
        self.rank, self.machine = int(told["rank"]), str(told["machine"])
        self.url = (url or os.environ.get("RACKSIDE_URL", "")).rstrip("/")
        self.token = token or os.environ.get("RACKSIDE_TOKEN", "")
        self.run = {
            name: told[name]
            for name in (
                "id", "attempt", "name", "user", "job", "launcher", "world_size", "logs", "image", "parameters",
                "flops_per_token", "expected_step_s",
            )
            if told.get(name)
        }  # fmt: skip
        if self.rank == 0:  # they differ from machine to machine: those of one rank stand for the run
            self.run["settings"] = told.get("settings") or settings_of()
        self.rank_row = {"rank": self.rank, "local_rank": int(told["local_rank"]), "gpu": str(told["gpu"])}
        self.on = bool(self.url and self.token and self.run.get("id")) and (every_rank or self.rank == 0)
        rare = int(told["world_size"]) / REPORTS_A_SECOND if self.rank else 0.0
        self.send_every_s = send_every_s or max(SEND_EVERY_S, rare)
        self.dropped = 0
        self._steps: list[tuple[Any, ...]] = []
        self._last: float | None = None
        self._ended: dict[str, Any] | None = None
        self._saved: dict[str, Any] | None = None
        self._told_end = False
        self._lock, self._wake = threading.Lock(), threading.Event()
        if self.on:
            self._hook = sys.excepthook
            sys.excepthook = self._failed
            atexit.register(self._leave)
            self._thread = threading.Thread(target=self._send_for_ever, name="rackside-run", daemon=True)
            self._thread.start()

    def step(
        self,
        step: int,
        loss: Any = None,
        tokens: int = 0,
        seconds: float | None = None,
        compute: float | None = None,
        wait: float | None = None,
    ) -> None:
        """A step has ended. `seconds` since the step before unless given; `compute` and `wait` split it, in seconds."""
        if not self.on:
            return
        now = time.time()
        took = seconds if seconds is not None else now - self._last if self._last is not None else None
        self._last = now
        if took is None:  # the first one began nobody knows when
            return
        if hasattr(loss, "detach"):  # a tensor: without its graph, and read by the sending thread
            loss = loss.detach()
        with self._lock:
            self._steps.append((int(step), now, float(took), loss, int(tokens or 0), compute, wait))
            if len(self._steps) > MOST_STEPS or now - self._steps[0][1] > KEEP_S:
                self.dropped += 1
                del self._steps[0]

    def checkpoint(self, step: int) -> None:
        """A checkpoint of this step is written: a failure costs what came after it."""
        if self.on:
            self._saved = {"step": int(step), "at": time.time()}

    def end(self, error: str = "") -> None:
        """The run has ended: as it should, or with an error."""
        if self.on and self._ended is None:
            self._ended = {"rank": self.rank, "at": time.time(), "error": str(error)[-LONGEST_ERROR:]}
            self._wake.set()

    def _failed(self, kind: Any, value: Any, trace: Any) -> None:
        try:
            self.end("".join(traceback.format_exception(kind, value, trace)))
        finally:
            self._hook(kind, value, trace)

    def _leave(self) -> None:
        """At the end of the program: one more try, and not for long; what is left waits for the next run."""
        self.end()
        self._thread.join(LAST_TRY_S)
        if not self._told_end:
            with contextlib.suppress(Exception):  # a full disk, a folder that is not there: training does not care
                self._spool()

    def _spool(self) -> None:
        with self._lock:
            body = self._body(self._steps[-AT_ONCE:])
        body["ended"] = [self._ended]
        name = f"{SPOOLED}{os.getpid()}-{self.rank}-{int(time.time())}"
        # Only new and only ours: the folder may be everybody's.
        place = os.open(os.path.join(spool(), name), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(place, "w") as file:
            json.dump(body, file)

    def _send_spooled(self) -> None:
        """What earlier runs of this user on this machine left; of several ranks one gets each file."""
        for name in sorted(os.listdir(spool())):
            path = os.path.join(spool(), name)
            mine = f"{path}.{os.getpid()}"
            if not name.startswith(SPOOLED) or "." in name or os.lstat(path).st_uid != os.getuid():
                continue
            os.rename(path, mine)
            try:
                with open(mine) as file:
                    body = json.load(file)
                kept = time.time() - os.stat(mine).st_mtime < KEEP_S
                if kept and not self._taken(self._post(body)):
                    os.rename(mine, path)
                    return
                os.remove(mine)
            except ValueError:  # it was cut off
                os.remove(mine)
            except OSError:
                os.rename(mine, path)
                return

    def _send_for_ever(self) -> None:
        pause, tries = self.send_every_s, 0
        with contextlib.suppress(Exception):
            self._send_spooled()
        while True:
            ending = self._ended is not None
            sent = self._send()
            tries += ending and not sent
            if self._told_end or tries > 1:
                return
            pause = self.send_every_s if sent else min(pause * 2, 60.0)
            if tries:
                time.sleep(1.0)  # the end has been set, so there is nothing to wait for
            else:
                self._wake.wait(pause)

    def _send(self) -> bool:
        """Send what there is; False where it has to be tried again. Raises nothing."""
        with self._lock:
            steps = self._steps[:AT_ONCE]
        body = self._body(steps)
        ending = self._ended is not None and len(steps) == len(self._steps)
        if ending:
            body["ended"] = [self._ended]
        saved = body.get("checkpoint")
        try:
            status = self._post(body)
        except Exception:  # a network, a proxy, a broken answer: training does not care
            return False
        if not self._taken(status):
            return False
        with self._lock:  # taken, or refused for good: a bad row must not block those behind it
            del self._steps[: len(steps)]
            rest = bool(self._steps)
            if self._saved is saved:
                self._saved = None
        self._told_end = self._told_end or ending
        return self._send() if rest else True

    def _body(self, steps: Sequence[tuple[Any, ...]]) -> dict[str, Any]:
        body: dict[str, Any] = {"run": self.run, "machine": self.machine, "ranks": [self.rank_row]}
        if steps:
            body["steps"] = [columns(self.rank, steps)]
        if self._saved is not None:
            body["checkpoint"] = self._saved
        return body

    @staticmethod
    def _taken(status: int) -> bool:
        """Whether a report is over: taken, or refused for what it holds. Anything else is somebody in between."""
        return status < 300 or status in (400, 413, 415, 422)

    def _post(self, body: dict[str, Any]) -> int:
        request = urllib.request.Request(
            self.url + "/api/runs/reports/",
            gzip.compress(json.dumps(body, allow_nan=False).encode()),
            {"Content-Type": "application/json", "Content-Encoding": "gzip", "Authorization": "Bearer " + self.token},
        )
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return error.code


def spool() -> str:
    return os.environ.get("RACKSIDE_SPOOL") or tempfile.gettempdir()


def columns(rank: int, steps: Sequence[tuple[Any, ...]]) -> dict[str, Any]:
    """Steps as lists of equal length. JSON has no NaN: `nan` holds the places of losses that are none."""
    names = ("step", "at", "seconds", "loss", "tokens", "compute", "wait")
    told = dict(zip(names, (list(column) for column in zip(*steps))))
    losses = [number_of(value) for value in told["loss"]]
    told["loss"] = [value if value is not None and is_finite(value) else None for value in losses]
    broken = [place for place, value in enumerate(losses) if value is not None and not is_finite(value)]
    if broken:
        told["nan"] = broken
    for name in ("compute", "wait"):
        if all(value is None for value in told[name]):
            del told[name]
    return dict(told, rank=rank)


def number_of(value: Any) -> float | None:
    """The number, NaN and infinity too; None where it is none."""
    try:
        return float(value)
    except Exception:  # of a tensor anything may go wrong: its GPU is gone
        return None


def is_finite(number: float) -> bool:
    return number - number == 0
