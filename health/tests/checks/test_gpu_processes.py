"""The probe's command about processes on GPUs, in a real shell over real processes, and the reading of its output."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from health.checks.parsers import ParseError
from health.checks.parsers.gpu_processes import parse_gpu_processes, told
from health.checks.probes.processes import END_OF_PROCESSES, GPU_PROCESSES, process_commands
from health.checks.probes.script import Output
from health.checks.sources import identify, read
from inventory.specs.device_model import DeviceModelSpec

HEAD = "pid, gpu_uuid, used_gpu_memory [MiB]"
SECRETS = {"AWS_SECRET_ACCESS_KEY": "hush", "RANKING": "hush", "MY_RANK": "hush", "NOTE": "a\nNCCL_LEAK=hush"}
GIVEN = {
    "RANK": "3", "WORLD_SIZE": "8", "LOCAL_RANK": "3", "NCCL_DEBUG": "INFO", "OMPI_COMM_WORLD_SIZE": "8",
    "SLURM_JOB_ID": "88213", "CUDA_VISIBLE_DEVICES": "0,1,2,3", "NCCL_TOPO_FILE": "x" * 900,
}  # fmt: skip


@pytest.fixture
def rank() -> Iterator[int]:
    """A process with variables of a launcher, and others that are nobody's business."""
    process = subprocess.Popen(["sleep", "60"], env={**SECRETS, **GIVEN, "PATH": os.environ["PATH"]})
    yield process.pid
    process.kill()
    process.wait()


def ask(folder: Path, said: str, status: int = 0) -> str:
    """What the command prints where nvidia-smi says this."""
    tool = folder / "nvidia-smi"
    tool.write_text(f"#!/bin/sh\ncat <<'END'\n{said}\nEND\nexit {status}\n" if said else f"#!/bin/sh\nexit {status}\n")
    tool.chmod(0o755)
    path = f"{folder}:{os.environ['PATH']}"
    return subprocess.run(["sh", "-c", GPU_PROCESSES], env={"PATH": path}, capture_output=True, text=True).stdout


def test_named_variables_leave_the_machine_and_no_others(tmp_path: Path, rank: int) -> None:
    text = ask(tmp_path, f"{HEAD}\n{rank}, GPU-aa-bb, 71204\n{rank}, GPU-cc-dd, 410")
    assert "hush" not in text and "AWS" not in text and "PATH" not in text
    (process,) = parse_gpu_processes(text)
    assert process.pid == rank and process.parent == os.getpid() and process.user
    assert process.gpus == [("GPU-aa-bb", 71204), ("GPU-cc-dd", 410)]
    assert process.variables == GIVEN | {"NCCL_TOPO_FILE": "x" * 200}
    uptime = float(Path("/proc/uptime").read_text().split()[0])
    assert 0 <= uptime - process.started_s < 60


def test_the_same_processes_print_the_same(tmp_path: Path, rank: int) -> None:
    said = f"{HEAD}\n{rank}, GPU-aa-bb, 71204"
    assert ask(tmp_path, said) == ask(tmp_path, said)


def test_no_process_is_an_empty_list_only_where_the_tool_said_so(tmp_path: Path) -> None:
    assert parse_gpu_processes(ask(tmp_path, HEAD)) == ()
    for said in (
        "",
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
        "No devices were found",
    ):
        with pytest.raises(ParseError):
            parse_gpu_processes(ask(tmp_path, said, 9))


def test_a_process_that_ended_meanwhile_is_left_out(tmp_path: Path) -> None:
    assert parse_gpu_processes(ask(tmp_path, f"{HEAD}\n4194303, GPU-aa, 5")) == ()


REFUSED = f"said {HEAD.replace(',', '')}\ngpu 7 GPU-a 5\nprocess 7 1 100\nrefused\n{END_OF_PROCESSES}\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (REFUSED, "only root"),
        (REFUSED.replace(END_OF_PROCESSES, ""), "not whole"),
        ("Sorry, user rackside is not allowed to execute '/usr/bin/sh -c' as root on gpu-1.\n", "refused by sudo"),
        ("sudo: a password is required\n", "refused by sudo"),
        ("not run: nvidia-smi hung before\n", "hung"),
    ],
)
def test_a_refusal_is_unknown_and_never_no_process(text: str, why: str) -> None:
    reading = read(identify(GPU_PROCESSES) or pytest.fail("no tool"), Output(GPU_PROCESSES, 0, 5, text))
    assert reading.name == "gpu_processes" and reading.data is None and why in reading.trouble


@pytest.mark.parametrize(
    ("line", "container"),
    [
        ("docker-" + "3f" * 32, "docker 3f3f3f3f3f3f"),
        ("libpod-" + "ab" * 32, "podman abababababab"),
        ("1234 900 0:52 /data/enroot/user-1000/pyxis_88213.0 / ", "enroot pyxis_88213.0"),
    ],
)
def test_a_container_is_known_by_its_control_group_or_its_root(line: str, container: str) -> None:
    text = f"said {HEAD.replace(',', '')}\ngpu 7 GPU-a [N/A]\nprocess 7 1 100\n{line}\n{END_OF_PROCESSES}\n"
    (process,) = parse_gpu_processes(text)
    assert process.container == container and process.gpus == [("GPU-a", None)]


def test_what_is_kept_does_not_change_with_a_few_mib(tmp_path: Path, rank: int) -> None:
    rows = [
        told(parse_gpu_processes(ask(tmp_path, f"{HEAD}\n{rank}, GPU-aa, {mib}")), {"GPU-aa": ("GPU 3", "1650")})
        for mib in (71204, 71290)
    ]
    assert rows[0] == rows[1]
    assert rows[0][0]["gpus"] == [{"uuid": "GPU-aa", "slot": "GPU 3", "serial": "1650", "gib": 70}]


def test_a_model_may_say_that_processes_are_not_asked_for() -> None:
    spec = DeviceModelSpec.load("dell-xe9680-h100")
    assert [command for _, command in process_commands(spec)] == [GPU_PROCESSES]
    refuses = spec.model_copy(update={"expected": {**spec.expected, "gpu_processes": "none"}})
    assert process_commands(refuses) == []
