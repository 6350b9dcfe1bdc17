"""contrib/rackside_run.py: what a training loop reports, over real HTTP, and that it never stands in training's way."""

from __future__ import annotations

import gzip
import json
import math
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from runs.reports import Report, report_of

CONTRIB = Path(__file__).parents[2] / "contrib"
LOOP = """
import sys, time
sys.path.insert(0, {contrib!r})
from rackside_run import Run
run = Run(send_every_s={every})
for step in range({steps}):
    time.sleep({sleep})
    run.step(step, loss=2.5, tokens=1024, compute=0.004, wait=0.001)
    {inside}
{after}
"""


class Server:
    """Takes reports; answers with `status` as long as it is set."""

    def __init__(self) -> None:
        self.reports: list[Report] = []
        self.bodies: list[dict[str, Any]] = []
        self.status = 200
        self.asked = 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                outer.asked += 1
                body = json.loads(gzip.decompress(self.rfile.read(int(self.headers["Content-Length"]))))
                if outer.status == 200:
                    assert self.path == "/api/runs/reports/"
                    assert self.headers["Authorization"] == "Bearer src-1"
                    outer.bodies.append(body)
                    outer.reports.append(report_of(body, time.time()))
                self.send_response(outer.status)
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *args: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def steps(self) -> list[int]:
        return [step.step for report in self.reports for steps in report.steps.values() for step in steps]


@pytest.fixture
def server() -> Iterator[Server]:
    found = Server()
    yield found
    found.http.shutdown()


Train = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def train(server: Server, tmp_path: Path) -> Train:
    def run(
        steps: int = 30,
        *,
        every: float = 0.05,
        sleep: float = 0.005,
        inside: str = "",
        after: str = "run.end()",
        **environment: str,
    ) -> subprocess.CompletedProcess[str]:
        code = LOOP.format(contrib=str(CONTRIB), every=every, steps=steps, sleep=sleep, inside=inside, after=after)
        told = {
            "PATH": os.environ["PATH"], "RACKSIDE_URL": f"http://127.0.0.1:{server.http.server_port}", "RACKSIDE_TOKEN": "src-1",
            "RANK": "3", "LOCAL_RANK": "1", "WORLD_SIZE": "8", "SLURM_JOB_ID": "88213", "TORCHELASTIC_RUN_ID": "none",
            "SLURMD_NODENAME": "hgx-a01-02", "CUDA_VISIBLE_DEVICES": "4,5,6,7", "RACKSIDE_SPOOL": str(tmp_path),
        }  # fmt: skip
        return subprocess.run(
            [sys.executable, "-c", code],
            env=told | environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run


def test_every_step_arrives_once_and_the_run_names_itself_from_its_launcher(server: Server, train: Train) -> None:
    done = train()

    assert (done.returncode, done.stderr) == (0, "")
    assert server.steps == list(range(1, 30))  # the first began nobody knows when
    first = server.reports[0]
    assert (first.key, first.attempt, first.machine) == ("88213", 0, "hgx-a01-02")
    assert first.about["world_size"] == 8 and first.about["launcher"] == "torchrun"
    assert [(rank.rank, rank.local_rank, rank.gpu) for rank in first.ranks] == [(3, 1, "5")]
    assert [(one.rank, one.error) for report in server.reports for one in report.ended] == [(3, "")]
    assert any(pace.compute_s == 0.004 and pace.wait_s == 0.001 for report in server.reports for pace in report.paces)


def test_nothing_is_lost_while_rackside_is_away(server: Server, train: Train) -> None:
    server.status = 503
    threading.Timer(0.6, lambda: setattr(server, "status", 200)).start()
    done = train(60, sleep=0.02)
    assert done.returncode == 0
    assert server.asked > len(server.reports)
    assert server.steps == list(range(1, 60))


@pytest.mark.slow
def test_what_a_program_could_not_send_at_its_end_is_sent_by_the_next_one(
    server: Server, train: Train, tmp_path: Path
) -> None:
    server.status = 503
    assert train(30, after="raise KeyError('input_ids')", RACKSIDE_SPOOL=str(tmp_path)).returncode == 1
    (left,) = tmp_path.iterdir()
    assert left.stat().st_mode & 0o777 == 0o600 and server.steps == []

    server.status = 200
    assert train(5, SLURM_RESTART_COUNT="1", RACKSIDE_SPOOL=str(tmp_path)).returncode == 0
    first, *others = server.reports
    assert (first.attempt, [step.step for step in first.steps[3]]) == (0, list(range(1, 30)))
    assert "KeyError: 'input_ids'" in first.ended[0].error
    assert {report.attempt for report in others} == {1}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_spool_that_cannot_be_written_or_holds_rubbish_stops_nothing(
    server: Server, train: Train, tmp_path: Path
) -> None:
    (tmp_path / "rackside-run-1-1-1").write_text("{")
    assert train(5, RACKSIDE_SPOOL=str(tmp_path)).returncode == 0
    assert server.steps == [1, 2, 3, 4]
    server.status = 503
    assert train(5, RACKSIDE_SPOOL=str(tmp_path / "nowhere")).returncode == 0


def test_an_exception_is_reported_with_its_traceback_and_still_ends_the_program(server: Server, train: Train) -> None:
    done = train(after="", inside="\n    if step == 20: raise KeyError('input_ids')")
    assert done.returncode == 1
    assert "KeyError: 'input_ids'" in done.stderr
    errors = [one.error for report in server.reports for one in report.ended]
    assert len(errors) == 1 and errors[0].rstrip().endswith("KeyError: 'input_ids'")
    assert server.steps == list(range(1, 21))


@pytest.mark.slow
def test_a_rackside_that_answers_nothing_does_not_hold_training_up(train: Train) -> None:
    done = train(RACKSIDE_URL="http://127.0.0.1:9", after="run.end(); print('trained')")
    assert (done.returncode, done.stdout, done.stderr) == (0, "trained\n", "")


def test_without_a_token_nothing_is_sent_and_no_thread_runs(server: Server, train: Train) -> None:
    done = train(after="import threading; print(threading.active_count(), run.on)", RACKSIDE_TOKEN="")
    assert done.stdout == "1 False\n"
    assert server.asked == 0


@pytest.mark.slow
def test_a_refused_report_is_dropped_and_those_after_it_arrive(server: Server, train: Train) -> None:
    server.status = 400
    threading.Timer(0.5, lambda: setattr(server, "status", 200)).start()
    assert train(60, sleep=0.02).returncode == 0
    assert server.steps and server.steps[-1] == 59


def test_a_loss_that_is_nan_is_told_as_nan_and_one_that_is_no_number_as_none(server: Server, train: Train) -> None:
    inside = "run.step(step, loss=float('nan')); run.step(step, loss='x'); run.step(step, loss=float('-inf'))"
    assert train(inside=inside).returncode == 0
    losses = [step.loss for report in server.reports for steps in report.steps.values() for step in steps]
    assert losses.count(None) == 30 and losses.count(2.5) == 29  # the first step begins nobody knows when
    assert sum(loss is not None and math.isnan(loss) for loss in losses) == 60


def test_a_checkpoint_is_told_with_its_step_and_once(server: Server, train: Train) -> None:
    assert train(60, sleep=0.01, inside="step == 20 and run.checkpoint(step)").returncode == 0
    told = [report.checkpoint for report in server.reports if report.checkpoint is not None]
    assert [step for step, _ in told] == [20]


def test_a_requeued_and_restarted_job_counts_its_attempts() -> None:
    sys.path.insert(0, str(CONTRIB))
    try:
        from rackside_run import from_launcher  # type: ignore[import-not-found]
    finally:
        sys.path.pop(0)
    told = from_launcher(
        {"SLURM_JOB_ID": "7", "SLURM_RESTART_COUNT": "2", "TORCHELASTIC_RESTART_COUNT": "1", "RANK": "0"}
    )
    assert (told["id"], told["attempt"]) == ("7", 3)
    array = from_launcher({"SLURM_JOB_ID": "9", "SLURM_ARRAY_JOB_ID": "7", "SLURM_ARRAY_TASK_ID": "4"})
    assert array["id"] == "7_4"
    mpi = from_launcher({"OMPI_COMM_WORLD_RANK": "5", "OMPI_COMM_WORLD_SIZE": "16", "OMPI_COMM_WORLD_LOCAL_RANK": "1"})
    assert (mpi["rank"], mpi["world_size"], mpi["launcher"]) == (5, 16, "mpirun")
    hidden = from_launcher({"CUDA_VISIBLE_DEVICES": "MIG-1234,GPU-5678", "LOCAL_RANK": "1"})
    assert hidden["gpu"] == ""


def test_the_image_is_told_and_no_other_variable_of_the_environment() -> None:
    code = LOOP.format(
        contrib=str(CONTRIB),
        every=9,
        steps=0,
        sleep=0,
        inside="pass",
        after="print(run.run, run.rank_row, run.machine)",
    )
    told = subprocess.run(
        [sys.executable, "-c", code], env={"AWS_SECRET_ACCESS_KEY": "s3cret", "HOME": "/x", "SLURM_JOB_ID": "1", "RACKSIDE_RUN_IMAGE": "r.example/a:1"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "s3cret" not in told.stdout and "r.example/a:1" in told.stdout


def test_ranks_of_a_large_run_report_less_often_and_rank_0_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(CONTRIB))
    from rackside_run import Run  # type: ignore[import-not-found]

    monkeypatch.setenv("WORLD_SIZE", "4088")
    periods = []
    for rank in ("0", "1228"):
        monkeypatch.setenv("RANK", rank)
        periods.append(Run(url="", token="").send_every_s)
    assert periods == [10.0, 40.88]
