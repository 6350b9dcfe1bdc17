"""Jobs of steps on their machines: begin, look, stop and tidy many at once, over SSH or through Slurm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from access.queries import ssh_targets
from health.diagnostics import jobs, ways
from health.diagnostics.commands import Command, of_machine, of_pair
from health.diagnostics.jobs import Look
from health.diagnostics.models import ActiveRun, ActiveStep
from health.diagnostics.services import sessions, slurm_jobs
from health.diagnostics.services.candidates import Candidate
from health.diagnostics.services.rounds import BANDWIDTH, GROUPS, LATENCY
from health.diagnostics.services.slurm_jobs import Refusal, SlurmJob

NOTHING = Command("", {})


@dataclass(frozen=True)
class Job:
    """One job of a step: of a pair there are two, the server's and the client's, whose output counts; where every
    machine of a group starts its own processes the first one's counts. `slurm`: the scheduler runs it."""

    step_id: int
    name: str
    machine_id: int
    command: Command
    counts: bool = True
    slurm: SlurmJob | None = None


def addresses(steps: Sequence[ActiveStep]) -> dict[int | None, str]:
    """Where the servers of pairs are reached."""
    servers = {step.machine_ids[1] for step in steps if step.kind in (BANDWIDTH, LATENCY)}
    return {target.machine_id: target.address for target in ssh_targets(sorted(servers))} if servers else {}


def jobs_of(run: ActiveRun, step: ActiveStep, some: dict[int, Candidate], where: Mapping[int | None, str]) -> list[Job]:
    """The jobs of a step's present attempt, servers first. Raises ValueError for names that no command may hold."""
    name = _name_of(run, step)
    first = some[step.machine_ids[0]]
    if step.kind in (BANDWIDTH, LATENCY):
        client, server = step.machine_ids
        number = _number_of(step.adapter, first)
        late = step.kind == LATENCY
        there = of_pair(step.adapter, number, run.options, latency=late)
        here = of_pair(step.adapter, number, run.options, server=where.get(server) or some[server].name, latency=late)
        return [Job(step.pk, f"{name}-server", server, there, False), Job(step.pk, name, client, here)]
    if step.kind == GROUPS:
        return _of_group(run, step, [some[pk] for pk in step.machine_ids])
    options = run.options[step.kind] if run.kind == "burn_in" else run.options
    return [Job(step.pk, name, first.machine_id, of_machine(step.kind, options, first.gpus))]


def _of_group(run: ActiveRun, step: ActiveStep, members: Sequence[Candidate]) -> list[Job]:
    """In the run's own way. All members have as many GPUs as the first, or the launcher says that they have not."""
    way, name, first = ways.way_of(run.launch), _name_of(run, step), members[0]
    names = [each.name for each in members]
    if way.by_slurm:
        job, line = slurm_jobs.job_of(run, step, way, names, first.gpus)
        return [Job(step.pk, name, first.machine_id, Command(line, {}, judged_as=ways.JUDGED_AS), slurm=job)]
    commands = ways.commands_of(way, names, first.gpus, salt=step.pk)
    own = [Job(step.pk, name, first.machine_id, commands[0])]
    return [
        *(
            Job(step.pk, f"{name}-worker{rank}", members[rank].machine_id, commands[rank], False)
            for rank in range(1, len(commands))
        ),
        *own,
    ]


def names_of(run: ActiveRun, step: ActiveStep) -> list[Job]:
    """The same without what they run, for stopping and tidying: that must not depend on a device model."""
    name = _name_of(run, step)
    own = [Job(step.pk, name, step.machine_ids[0], NOTHING)]
    if step.kind in (BANDWIDTH, LATENCY):
        return [Job(step.pk, f"{name}-server", step.machine_ids[1], NOTHING, False), *own]
    if step.kind == GROUPS and ways.way_of(run.launch).by_slurm:
        return [Job(step.pk, name, step.machine_ids[0], NOTHING, slurm=slurm_jobs.named(run, step))]
    if step.kind == GROUPS and run.launch.get("way") == ways.TORCHRUN:
        workers = enumerate(step.machine_ids[1:], 1)
        return [*(Job(step.pk, f"{name}-worker{rank}", pk, NOTHING, False) for rank, pk in workers), *own]
    return own


def _name_of(run: ActiveRun, step: ActiveStep) -> str:
    return f"{run.pk}.{step.pk}.{step.attempts}"


def _number_of(adapter: str, machine: Candidate) -> int:
    """Which of the machine's InfiniBand adapters it is, from 0: its GPU, and its own port. Raises ValueError."""
    devices = [slot.device for slot in machine.spec.slots_of("hca") if slot.link_layer == "InfiniBand"]
    if adapter not in devices:
        raise ValueError(f"the device model of {machine.name} has no InfiniBand adapter {adapter}")
    return devices.index(adapter)


def begin(some: Sequence[tuple[Job, int]]) -> dict[str, Refusal]:
    """Start jobs with their limits in seconds, servers before the others; why each that was not begun was not."""
    refused: dict[str, Refusal] = {}
    for servers in (True, False):
        batch = [(job, limit) for job, limit in some if job.counts is not servers and job.slurm is None]
        answers = sessions.ask([(job.machine_id, jobs.start(job.name, job.command, limit)) for job, limit in batch])
        for (job, _), result in zip(batch, answers, strict=True):
            if result is None or result.failure is not None:
                refused[job.name] = Refusal(str(result.failure) if result is not None else "no address is known")
            elif not jobs.began(sessions.text_of(result)):
                said = sessions.text_of(result) or result.stderr.decode("utf-8", "replace")
                refused[job.name] = Refusal(said.strip()[:300])
    for job, _ in some:
        if job.slurm is not None and (no := slurm_jobs.submit(job.slurm)) is not None:
            refused[job.name] = no
    return refused


def look(some: Sequence[Job]) -> dict[str, Look]:
    """How each job is; a machine that does not answer is asked again another time."""
    over_ssh = [job for job in some if job.slurm is None]
    found = {job.name: slurm_jobs.look(job.slurm) for job in some if job.slurm is not None}
    answers = sessions.ask([(job.machine_id, jobs.look(job.name)) for job in over_ssh])
    for job, result in zip(over_ssh, answers, strict=True):
        if result is None or result.failure is not None:
            found[job.name] = Look("unknown", trouble=str(result.failure) if result is not None else "no address")
        else:
            found[job.name] = jobs.read(sessions.text_of(result))
    return found


def stop(some: Sequence[Job]) -> None:
    sessions.ask([(job.machine_id, jobs.stop(job.name)) for job in some if job.slurm is None])
    for job in some:
        if job.slurm is not None:
            slurm_jobs.stop(job.slurm)


def tidy(some: Sequence[Job]) -> None:
    sessions.ask([(job.machine_id, jobs.tidy(job.name)) for job in some if job.slurm is None])
    for job in some:
        if job.slurm is not None:
            slurm_jobs.tidy(job.slurm)
