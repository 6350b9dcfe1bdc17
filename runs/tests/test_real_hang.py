"""A real torchrun over gloo, a real OpenSSH and a real py-spy: a rank that hangs and one that crashes are named.

Torch is Debian's `python3-torch` (`apt-get install python3-torch`); OpenSSH's server is `openssh-server`.
"""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import asyncssh
import pytest
from django.utils import timezone

from access.services import EndpointRow, load_endpoints
from core.models import Credential
from core.services import set_credential
from health.tests import factories as make
from inventory.models import Machine
from runs.models import EvidenceSettings, RunRank, TrainingRun
from runs.services import collections, judgement

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.services, pytest.mark.timeout(180)]
PYTHON = "/usr/bin/python3"
EACH = "0:{0},1:{0},2:{0},3:{0}"
"""Of each local rank: torch 1.13 under Python 3.11 understands no shorter form."""
TRAIN = """
import sys, time
import torch, torch.distributed as dist
dist.init_process_group("gloo")
rank, what = dist.get_rank(), sys.argv[1]
def load_batch(step):
    if step == 3 and rank == 2:
        if what == "hangs":
            time.sleep(3600)
        raise KeyError("input_ids")
def train():
    for step in range(10):
        load_batch(step)
        dist.all_reduce(torch.ones(1))
        print(f"iteration {step}/ 10 | elapsed time per iteration (ms): 10.0 | lm loss: 2.0", flush=True)
train()
"""


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """This machine over a real OpenSSH server of this user, with py-spy in its path."""
    binary = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    assert binary, "openssh-server is needed for this test"
    key = asyncssh.generate_private_key("ssh-ed25519")
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "host"], check=True)
    (tmp_path / "authorized").write_text(key.export_public_key().decode())
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port = sock.getsockname()[1]
    (tmp_path / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {tmp_path}/host\nAuthorizedKeysFile {tmp_path}/authorized\n"
        f"PidFile {tmp_path}/pid\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n"
        f"SetEnv PATH={Path(sys.executable).parent}:/usr/bin:/bin\n"
    )
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    process = subprocess.Popen([binary, "-D", "-e", "-f", str(tmp_path / "sshd_config")], stderr=subprocess.DEVNULL)
    try:
        until(lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0, 10, "sshd does not listen")
        found = make.make_machines(1)[0]
        set_credential(
            "ssh", kind=Credential.Kind.SSH_KEY, username=getpass.getuser(), secret=key.export_private_key().decode(),
            hosts=["127.0.0.0/8"],
        )  # fmt: skip
        load_endpoints([EndpointRow(found.device.name, "ssh", "127.0.0.1", port)], site_slug="ams1")
        yield found
    finally:
        process.terminate()
        process.wait(10)


def until(true: Callable[[], bool], seconds: float, words: str) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, words
        time.sleep(0.2)


def torchrun(folder: Path, what: str) -> subprocess.Popen[bytes]:
    (folder / "train.py").write_text(TRAIN)
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port = sock.getsockname()[1]
    words = [
        PYTHON, "-m", "torch.distributed.run", "--nproc_per_node", "4", "--master_addr", "127.0.0.1", "--master_port", str(port),
        "--log_dir", str(folder / "logs"), "-r", EACH.format(2), "-t", EACH.format(1), str(folder / "train.py"), what,
    ]  # fmt: skip
    told = {name: value for name, value in os.environ.items() if not name.startswith(("VIRTUAL", "PYTHON", "COV"))}
    with (folder / "run.log").open("wb") as output:
        return subprocess.Popen(words, env=told | {"SLURM_JOB_ID": "4711"}, stdout=output, stderr=output, cwd=folder)


def run_of(machine: Machine, **more: Any) -> TrainingRun:
    now = timezone.now()
    run = TrainingRun.objects.create(
        site_id=machine.device.site_id, key="4711", job="4711", world_size=4, started_at=now - timedelta(minutes=1),
        last_report_at=now, **more,
    )  # fmt: skip
    RunRank.objects.bulk_create(
        RunRank(run=run, rank=rank, local_rank=rank, machine=machine, machine_name=machine.device.name)
        for rank in range(4)
    )
    return run


@pytest.mark.slow
def test_a_rank_that_sleeps_before_a_collective_is_named_by_its_stack(machine: Machine, tmp_path: Path) -> None:
    training = torchrun(tmp_path, "hangs")
    try:
        outputs = (tmp_path / "logs").glob
        until(
            lambda: sum("iteration 2/" in each.read_text() for each in outputs("**/stdout.log")) == 4, 60, "no training"
        )
        time.sleep(1)
        run = run_of(machine, state="hung")
        row = collections.start(run)
        assert collections.collect(row.pk)
        row.refresh_from_db()
        found = row.machines.get()
        assert (found.result, sorted(found.pids.values())) == ("ok", [0, 1, 2, 3]), found.message
        assert row.summary is not None
        odd = row.summary["stacks"][0]
        assert (odd["odd"], odd["ranks"]) == (True, [2]) and odd["frames"][0].startswith("load_batch (")
        assert [group["waits"] for group in row.summary["stacks"][1:]] == [True]
        assert row.summary["logs"] == 8, "the files that the processes print to are found without a pattern"
        verdict = judgement.judge_run(run.pk)
        assert verdict is not None and (verdict.cause, verdict.rank) == ("hang-pyspy", 2)
        assert training.poll() is None, "it was only looked at"
    finally:
        training.terminate()
        training.wait(30)


@pytest.mark.slow
def test_a_rank_that_raised_is_named_from_the_logs_of_all(machine: Machine, tmp_path: Path) -> None:
    training = torchrun(tmp_path, "crashes")
    assert training.wait(90) != 0
    EvidenceSettings.objects.create(
        site_id=machine.device.site_id, logs=f"{tmp_path}/logs/*/attempt_0/{{local_rank}}/stderr.log"
    )
    run = run_of(machine, state="failed", ended_at=timezone.now())
    row = collections.start(run)
    assert collections.collect(row.pk)
    verdict = judgement.judge_run(run.pk)
    assert verdict is not None and (verdict.cause, verdict.rank) == ("user-error", 2)
    assert "input_ids" in verdict.sentence
