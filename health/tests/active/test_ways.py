"""How an all-reduce over machines is launched: the command of each way, what a site may write, real launchers."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from drivers.tests.ports import free_ports
from health.checks.parsers.all_reduce import AllReduce, parse_all_reduce
from health.diagnostics import jobs, ways
from health.diagnostics.commands import Command
from health.diagnostics.ways import MPI, SRUN, TORCH, TORCHRUN, Way, WayRefused
from health.tests.active.test_jobs import sh, wait

NAMES = ["hgx-1", "hgx-2"]
PERF = "all_reduce_perf -b 8 -e 8G -f 2 -g 1"


def line(way: Way, names: Sequence[str] = NAMES) -> str:
    return ways.commands_of(ways.checked(way), names, 8)[0].line


def script(way: Way) -> str:
    job = ways.job_of(ways.checked(way), "rackside-1.2.1-ab", NAMES, 8, 720)
    return job.script.rstrip().splitlines()[-1]


def test_without_a_way_of_the_site_mpirun_is_started_over_ssh_as_ever() -> None:
    assert line(Way()) == f"mpirun --allow-run-as-root -np 16 -H hgx-1:8,hgx-2:8 -x NCCL_DEBUG=WARN {PERF}"


def test_mpi_has_a_hostfile_with_the_gpus_of_each_machine() -> None:
    (command,) = ways.commands_of(Way(MPI), NAMES, 8)
    assert command.line == f"mpirun --allow-run-as-root --hostfile hosts -np 16 -x NCCL_DEBUG=WARN {PERF}"
    assert command.files == {"hosts": "hgx-1 slots=8\nhgx-2 slots=8\n"}
    (torch,) = ways.commands_of(Way(MPI, TORCH), NAMES, 8)
    assert torch.line.endswith(" python3 all_reduce.py") and set(torch.files) == {"hosts", "all_reduce.py"}


def test_torchrun_is_started_on_every_machine_and_meets_at_the_first() -> None:
    first, second = ways.commands_of(Way(TORCHRUN, TORCH), NAMES, 8, salt=401)
    assert second.line == (
        "python3 -m torch.distributed.run --nnodes 2 --nproc_per_node 8 --node_rank 1 --master_addr hgx-1 "
        "--master_port 29401 --rdzv_conf timeout=120 all_reduce.py --machine hgx-2"
    )
    assert "--node_rank 0 " in first.line and first.files == second.files and set(first.files) == {"all_reduce.py"}
    with pytest.raises(WayRefused, match="torchrun starts the program torch"):
        ways.checked(Way(TORCHRUN))


def test_a_job_of_slurm_takes_exactly_the_machines_with_all_their_gpus() -> None:
    way = Way(SRUN, partition="train", account="ops", reservation="rackside-check")
    job = ways.job_of(ways.checked(way), "rackside-1.2.1-ab", NAMES, 8, 720)
    assert (job.machines, job.tasks_per_machine, job.gpus_per_machine) == (("hgx-1", "hgx-2"), 8, 8)
    assert (job.partition, job.account, job.reservation) == ("train", "ops", "rackside-check")
    assert job.output == "/var/tmp/rackside-1.2.1-ab.out" and job.time_limit_s == 720
    assert script(way) == f"srun --cpu-bind=none --mpi=pmix {PERF}"


def test_pyxis_starts_the_tasks_in_the_image_with_its_mounts() -> None:
    way = Way(SRUN, image="registry.example#team/pytorch:25.01", mounts="/data:/data,/raid:/scratch")
    assert script(way) == (
        "srun --cpu-bind=none --mpi=pmix '--container-image=registry.example#team/pytorch:25.01' "
        f"--container-mounts=/data:/data,/raid:/scratch {PERF}"
    )
    assert script(Way(SRUN, image="/images/pytorch.sqsh")).startswith(
        "srun --cpu-bind=none --mpi=pmix --container-image=/images/pytorch.sqsh all_reduce_perf"
    )


def test_the_script_goes_to_all_tasks_of_a_job_in_a_variable() -> None:
    job = ways.job_of(Way(SRUN, TORCH), "rackside-1.2.1-ab", NAMES, 8, 720, salt=7)
    assert job.script.startswith("export NCCL_DEBUG=WARN\nRACKSIDE_ALL_REDUCE=$(cat <<'RACKSIDE_END_OF_FILE'\n")
    assert script(replace(Way(SRUN, TORCH))).endswith(" --master hgx-1:29400")
    assert job.script.rstrip().endswith(
        "srun --cpu-bind=none python3 -c 'import os; exec(os.environ[\"RACKSIDE_ALL_REDUCE\"])' --master hgx-1:29407"
    )


def test_a_site_writes_the_command_and_the_holes_are_filled_in() -> None:
    way = Way(MPI, command="module load hpcx && mpirun -hostfile {hostfile} -np {tasks} -x A=${HOME} {program} -n 50")
    assert line(way) == f"sh -c 'module load hpcx && mpirun -hostfile hosts -np 16 -x A=${{HOME}} {PERF} -n 50'"


@pytest.mark.parametrize(
    ("way", "words"),
    [
        (Way("rsh"), "no way rsh"),
        (Way(MPI, "ping"), "with ping"),
        (Way(MPI, command="mpirun {program} {hosts}"), "has no {hosts}"),
        (Way(MPI, command="mpirun {program.__class__}"), "has no {program.__class__}"),
        (Way(MPI, command="mpirun all_reduce_perf"), "says {program}"),
        (Way(MPI, command="mpirun {program}\nreboot"), "one line"),
        (Way(MPI, partition="train"), "for a job of Slurm"),
        (Way(SRUN, image="x; reboot"), "An image is"),
        (Way(SRUN, mounts="/a:/b"), "belong to an image"),
        (Way(SRUN, image="a", mounts="/a:/b $(id)"), "Mounts are"),
        (Way(SRUN, reservation="maintenance"), "begins with rackside"),
    ],
)
def test_settings_that_no_command_can_be_made_of_are_refused_with_the_reason(way: Way, words: str) -> None:
    with pytest.raises(WayRefused) as refused:
        ways.checked(way)
    assert words in str(refused.value)


@pytest.mark.parametrize("name", ["gpu 2", "$(id)", "-H", "a;b", ""])
def test_names_that_a_shell_would_read_otherwise_are_refused(name: str) -> None:
    for way in (Way(), Way(MPI), Way(TORCHRUN, TORCH)):
        with pytest.raises(ValueError, match="no name of a machine"):
            ways.commands_of(way, ["gpu-1", name], 8)
    with pytest.raises(ValueError, match="no name of a machine"):
        ways.job_of(Way(SRUN), "rackside-1.2.1-ab", ["gpu-1", name], 8, 60)


def test_a_way_is_kept_with_its_run_and_read_again_by_a_newer_or_older_version() -> None:
    way = Way(SRUN, TORCH, "srun", partition="train")
    assert ways.way_of(ways.kept(way) | {"key": "ab12", "later": 1}) == way
    assert ways.way_of({}) == Way()


# ---- real launchers, over gloo on the CPU ----

CPU = "{program} --device cpu --most 65536 --rounds 3"


def begun(commands: Sequence[Command], folder: Path) -> AllReduce:
    """Each as on a machine of its own, by the script that begins jobs; what the first printed."""
    for number, command in reversed(list(enumerate(commands))):
        system = replace(command, line=f"env PATH=/usr/bin:/bin OMP_NUM_THREADS=1 {command.line}")
        assert jobs.began(sh(jobs.start(f"1.2.{number}", system, 100, folder=str(folder))))
    seen = wait("1.2.0", folder, 90)
    assert seen.state == "done", seen
    return parse_all_reduce(seen.text or seen.trouble)


@pytest.mark.slow  # test_launched_over_ssh shows it through the service
@pytest.mark.services
def test_a_real_torchrun_on_two_machines_measures_all_sizes(tmp_path: Path) -> None:
    """Where the output of ranks goes has to be said: torch 1.13 under Python 3.11 does not start without."""
    (port,) = free_ports(1)
    template = (
        "python3 -m torch.distributed.run --nnodes {count} --nproc_per_node {gpus} --node_rank {rank} "
        f"--master_addr 127.0.0.1 --master_port {port} -r 0:2 -t 0:1 {CPU} --machine {{machine}}"
    )
    found = begun(ways.commands_of(ways.checked(Way(TORCHRUN, TORCH, command=template)), NAMES, 1), tmp_path)
    assert found.devices == (("hgx-1", 0), ("hgx-2", 0)) and found.wrong == 0
    assert [each.bytes for each in found.sizes] == [8 << number for number in range(14)]
    assert found.latency_us is not None and found.latency_us > 0 and found.bus_gbytes_s > 0


@pytest.mark.slow
@pytest.mark.services
def test_a_real_open_mpi_starts_the_ranks_of_its_hostfile(tmp_path: Path) -> None:
    assert shutil.which("mpirun", path="/usr/bin"), "the tests need the Debian package openmpi-bin"
    (port,) = free_ports(1)
    template = (
        "env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe --mca btl self,tcp "
        f"--hostfile {{hostfile}} -np {{tasks}} --tag-output {CPU} --master 127.0.0.1:{port}"
    )
    found = begun(ways.commands_of(ways.checked(Way(MPI, TORCH, command=template)), ["localhost"], 2), tmp_path)
    assert len(found.devices) == 2 and found.wrong == 0 and found.latency_us
