"""Processes that every machine starts for itself, over a real OpenSSH server: a real torchrun, and who stopped it."""

from __future__ import annotations

import getpass
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import asyncssh
import pytest

from access.services import EndpointRow, load_endpoints
from core.services import set_credential
from drivers.tests.ports import free_ports, listens, until
from health.diagnostics import services
from health.diagnostics.services import progress
from health.diagnostics.services.candidates import Candidate
from health.machines.workload import Workload
from health.models import ActiveRun, LaunchWay, MachineHealth, Pool
from health.tests import factories as make
from inventory.models import Machine
from runs.services import launch_check

pytestmark = [pytest.mark.services, pytest.mark.django_db]


@pytest.fixture
def machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Machine]]:
    """Two drained machines of one task each, both of them this computer."""
    key = asyncssh.generate_private_key("ssh-ed25519")
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "host"], check=True)
    (tmp_path / "authorized").write_text(key.export_public_key().decode())
    (port,) = free_ports(1)
    (tmp_path / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {tmp_path}/host\nAuthorizedKeysFile {tmp_path}/authorized\n"
        f"PidFile {tmp_path}/pid\nStrictModes no\nUsePAM no\nPasswordAuthentication no\nSetEnv OMP_NUM_THREADS=1\n"
    )
    Path("/run/sshd").mkdir(exist_ok=True)
    binary = shutil.which("sshd", path="/usr/sbin:/usr/bin")
    assert binary, "openssh-server is needed for this test"
    server = subprocess.Popen([binary, "-D", "-e", "-f", str(tmp_path / "sshd_config")], stderr=subprocess.DEVNULL)
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)
    monkeypatch.setattr(Candidate, "gpus", 1)
    nothing = Workload(heard=True, running="", logins=0)
    monkeypatch.setattr(progress, "workloads_of", lambda ids: dict.fromkeys(ids, nothing))
    try:
        until(lambda: listens(port), 10, "sshd does not listen")
        model = make.device_model()
        limits = {"all_reduce_group_fail_gbytes_s": 0, "all_reduce_latency_us": 1_000_000}
        model.spec["expected"] = (model.spec.get("expected") or {}) | {"thresholds": limits}
        model.save()
        made = make.make_machines(2)
        Pool.objects.update(**make.NO_SCHEDULER)
        MachineHealth.objects.update(state="drained")
        secret = key.export_private_key().decode()
        set_credential("ssh", kind="ssh_key", username=getpass.getuser(), secret=secret, hosts=["127.0.0.0/8"])
        load_endpoints([EndpointRow(each.device.name, "ssh", "127.0.0.1", port) for each in made], site_slug="ams1")
        yield made
    finally:
        server.terminate()
        server.wait(10)


def launched(machines: list[Machine], command: str) -> ActiveRun:
    site = machines[0].device.site
    LaunchWay.objects.create(site=site, name="torchrun", way="torchrun", program="torch", command=command)
    run = launch_check.start(site.pk, [each.pk for each in machines], by="olga")
    end = time.monotonic() + 120
    while services.advance(run.pk) in ("waiting", "running") and not run.steps.filter(status="done").exists():
        assert time.monotonic() < end, list(run.steps.values_list("status", "message"))
        time.sleep(0.3)
    if run.steps.get(level="whole").verdict != "pass":
        services.cancel(run.pk, by="olga")  # the search is not what is tested here
    services.advance(run.pk)
    run.refresh_from_db()
    return run


def test_torchrun_on_every_machine_measures_the_set(machines: list[Machine]) -> None:
    (port,) = free_ports(1)
    run = launched(
        machines,
        "/usr/bin/python3 -m torch.distributed.run --nnodes {count} --nproc_per_node {gpus} --node_rank {rank} "
        f"--master_addr 127.0.0.1 --master_port {port} -r 0:2 -t 0:1 "
        "{program} --machine {machine} --device cpu --most 64 --rounds 1",
    )
    step = run.steps.get(level="whole")
    assert (run.status, step.verdict) == ("done", "pass"), (step.message, step.output)
    assert {row["check"]: row["verdict"] for row in step.findings} == {
        "nvlink.allreduce": "ok", "nvlink.allreduce_latency": "ok",
    }  # fmt: skip
    left = Path("/var/tmp/rackside-active").glob(f"{run.pk}.{step.pk}.*")
    assert not list(left), "nothing of it stays on the machines"


@pytest.mark.slow
def test_the_machine_whose_processes_stopped_is_named_with_what_it_complained_of(machines: list[Machine]) -> None:
    run = launched(
        machines,
        "if [ {rank} = 1 ]; then echo No module named torch >&2; exit 3; fi; sleep 1; exit 1 # {program}",
    )
    step = run.steps.get(level="whole")
    assert step.verdict == "unknown"
    assert step.message.startswith(f"{machines[1].device.name}: No module named torch; "), step.message
