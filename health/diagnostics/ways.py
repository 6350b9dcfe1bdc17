"""The ways in which an all-reduce over machines is launched, as data: who starts what, and the usual command of each.

A site keeps its own in `LaunchWay`; without one the first here is used. What a template says in braces is filled in by
`filled`; everything else is a command line as the site writes it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from drivers import shell
from drivers.scheduler import NewJob
from health.diagnostics import scripts
from health.diagnostics.commands import HOST, Command

SSH, MPI, TORCHRUN, SRUN = "ssh", "mpi", "torchrun", "srun"
WAYS = (SSH, MPI, TORCHRUN, SRUN)
NCCL_TESTS, TORCH = "nccl-tests", "torch"
PROGRAMS = (NCCL_TESTS, TORCH)
SCRIPT, HOSTFILE = "all_reduce.py", "hosts"
CARRIED = "RACKSIDE_ALL_REDUCE"
"""The variable in which a job of Slurm carries the script to all of its tasks: nothing is copied to any machine."""
OUTPUT = "/var/tmp"
JUDGED_AS = "all_reduce_perf"
"""What the catalogue of checks knows the output of either program by."""
LEAST_PORT, PORTS = 29_400, 400

USUAL: Mapping[tuple[str, str], str] = {
    (SSH, NCCL_TESTS): "mpirun --allow-run-as-root -np {tasks} -H {places} -x NCCL_DEBUG=WARN {program}",
    (SSH, TORCH): "mpirun --allow-run-as-root -np {tasks} -H {places} -x NCCL_DEBUG=WARN {program}",
    (MPI, NCCL_TESTS): "mpirun --allow-run-as-root --hostfile {hostfile} -np {tasks} -x NCCL_DEBUG=WARN {program}",
    (MPI, TORCH): "mpirun --allow-run-as-root --hostfile {hostfile} -np {tasks} -x NCCL_DEBUG=WARN {program}",
    (TORCHRUN, TORCH): (
        "python3 -m torch.distributed.run --nnodes {count} --nproc_per_node {gpus} --node_rank {rank} "
        "--master_addr {first} --master_port {port} --rdzv_conf timeout=120 {program} --machine {machine}"
    ),
    (SRUN, NCCL_TESTS): "srun --cpu-bind=none --mpi=pmix {container} {program}",
    (SRUN, TORCH): "srun --cpu-bind=none {container} {program} --master {first}:{port}",
}
"""By way and program; torchrun starts nothing but Python. A task of Slurm may use all cores of its machine: bound to
one, the threads of NCCL would share it."""
SIZES: Mapping[str, str] = {NCCL_TESTS: "all_reduce_perf -b 8 -e 8G -f 2 -g 1", TORCH: ""}
_HOLE = re.compile(r"(?<!\$)\{([^{}]*)\}")
_IMAGE = re.compile(r"[A-Za-z0-9/][A-Za-z0-9._:/@#+-]{0,299}")
_MOUNTS = re.compile(r"[A-Za-z0-9._:/,@+-]{0,300}")
HOLES = frozenset({
    "program", "tasks", "count", "gpus", "places", "machines", "hostfile", "first", "port", "rank", "machine",
    "container",
})  # fmt: skip


class WayRefused(ValueError):
    """Settings that no command can be made of; the message says which."""


@dataclass(frozen=True)
class Way:
    """How a site launches. `command` is a template, empty for the usual one; partition, account, reservation, image
    and mounts are Slurm's."""

    way: str = SSH
    program: str = NCCL_TESTS
    name: str = ""
    command: str = ""
    partition: str = ""
    account: str = ""
    reservation: str = ""
    image: str = ""
    mounts: str = ""

    @property
    def by_slurm(self) -> bool:
        """Slurm gives the machines: none is taken out of service, and one that is out of service cannot be used."""
        return self.way == SRUN


def way_of(kept: Mapping[str, Any]) -> Way:
    """The way that a run keeps among its options; names it does not know were written by a newer version."""
    known = {each.name for each in fields(Way)}
    return Way(**{name: value for name, value in kept.items() if name in known})


def kept(way: Way) -> dict[str, Any]:
    return asdict(way)


def checked(way: Way) -> Way:
    """The way, where a command can be made of it. Raises WayRefused."""
    if way.way not in WAYS or way.program not in PROGRAMS:
        raise WayRefused(f"There is no way {way.way} with {way.program}.")
    if (way.way, way.program) not in USUAL:
        raise WayRefused("torchrun starts the program torch.")
    lost = sorted({hole for hole in _HOLE.findall(way.command) if hole not in HOLES})
    if lost:
        raise WayRefused(f"A command has no {{{lost[0]}}}: {', '.join(sorted(HOLES))}.")
    if way.command and "{program}" not in way.command:
        raise WayRefused("A command says {program} where the all-reduce is to stand.")
    if re.search(r"[\x00-\x1f\x7f]", way.command):
        raise WayRefused("A command is one line.")
    if way.way != SRUN and (way.partition or way.account or way.reservation or way.image or way.mounts):
        raise WayRefused("Partition, account, reservation and image are for a job of Slurm.")
    if way.image and not _IMAGE.fullmatch(way.image):
        raise WayRefused("An image is a name such as registry.example#team/pytorch:25.01, or the path of a file.")
    if not _MOUNTS.fullmatch(way.mounts) or (way.mounts and not way.image):
        raise WayRefused("Mounts are /FROM:/TO, with commas between them, and belong to an image.")
    if way.reservation and not way.reservation.lower().startswith("rackside"):
        raise WayRefused("A reservation is ours where its name begins with rackside.")
    return way


def commands_of(way: Way, names: Sequence[str], gpus: int, *, salt: int = 0) -> list[Command]:
    """What each machine runs over SSH, in the order of the names: with torchrun all of them, else the first alone.

    `salt` keeps the ports of runs apart. Raises ValueError for names that no command may hold.
    """
    ranks = range(len(names)) if way.way == TORCHRUN else range(1)
    return [_command(way, names, gpus, rank, salt) for rank in ranks]


def _command(way: Way, names: Sequence[str], gpus: int, rank: int, salt: int) -> Command:
    files = {}
    if way.program == TORCH:
        files[SCRIPT] = scripts.source(SCRIPT)
    if way.way == MPI:
        files[HOSTFILE] = "".join(f"{name} slots={gpus}\n" for name in _hosts(names))
    program = SIZES[NCCL_TESTS] if way.program == NCCL_TESTS else SCRIPT
    if way.program == TORCH and way.way != TORCHRUN:
        program = f"python3 {SCRIPT}"
    line = filled(way, names, gpus, program, rank=rank, salt=salt)
    if way.command:  # of several commands the time limit counts for all
        line = f"sh -c {shell.literal(line)}"
    return Command(line, files, judged_as=JUDGED_AS)


def job_of(way: Way, name: str, names: Sequence[str], gpus: int, limit_s: int, *, salt: int = 0) -> NewJob:
    """The job for Slurm, on machines as Slurm calls them. Raises ValueError."""
    program, lead = SIZES[NCCL_TESTS], "export NCCL_DEBUG=WARN\n"
    if way.program == TORCH:
        end = "RACKSIDE_END_OF_FILE"
        lead += f"{CARRIED}=$(cat <<'{end}'\n{scripts.source(SCRIPT).rstrip()}\n{end}\n)\nexport {CARRIED}\n"
        program = f"python3 -c 'import os; exec(os.environ[\"{CARRIED}\"])'"
    return NewJob(
        name=name,
        machines=tuple(names),
        tasks_per_machine=gpus,
        gpus_per_machine=gpus,
        time_limit_s=limit_s,
        script=lead + filled(way, names, gpus, program, salt=salt) + "\n",
        output=f"{OUTPUT}/{name}.out",
        partition=way.partition,
        account=way.account,
        reservation=way.reservation,
    )


def filled(way: Way, names: Sequence[str], gpus: int, program: str, *, rank: int = 0, salt: int = 0) -> str:
    """The command line of one machine. Raises ValueError."""
    hosts = _hosts(names)
    told = {
        "program": program,
        "tasks": str(len(hosts) * gpus),
        "count": str(len(hosts)),
        "gpus": str(int(gpus)),
        "places": ",".join(f"{host}:{int(gpus)}" for host in hosts),
        "machines": ",".join(hosts),
        "hostfile": HOSTFILE,
        "first": hosts[0],
        "port": str(LEAST_PORT + salt % PORTS),
        "rank": str(rank),
        "machine": hosts[rank],
        "container": _container(way),
    }
    template = way.command or USUAL[way.way, way.program]
    if not way.image:
        template = template.replace("{container} ", "")
    return _HOLE.sub(lambda found: told[found.group(1)], template)


def _container(way: Way) -> str:
    """pyxis: srun starts its tasks in a container of enroot."""
    words = [f"--container-image={way.image}", *([f"--container-mounts={way.mounts}"] if way.mounts else [])]
    return shell.line(words) if way.image else ""


def _hosts(names: Sequence[str]) -> Sequence[str]:
    if bad := [name for name in names if not HOST.fullmatch(name)]:
        raise ValueError(f"{bad[0]} is no name of a machine")
    return names
