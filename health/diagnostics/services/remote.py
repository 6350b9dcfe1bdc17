"""Jobs of steps on their machines, over SSH: begin, look, stop and tidy many at once, each session a short one."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from access.queries import ssh_targets
from access.services import record_identities
from drivers.ssh import Limits, SshResult, SshTarget, run_one
from health.diagnostics import jobs
from health.diagnostics.commands import Command, of_group, of_machine, of_pair
from health.diagnostics.jobs import Look
from health.diagnostics.models import ActiveRun, ActiveStep
from health.diagnostics.services.candidates import Candidate
from health.diagnostics.services.rounds import BANDWIDTH, GROUPS, LATENCY

CONCURRENCY = 64
LIMITS = Limits(connect_timeout_s=5, login_timeout_s=10, command_timeout_s=20)


@dataclass(frozen=True)
class Job:
    """One job of a step: of a pair there are two, the server's and the client's, whose output counts."""

    step_id: int
    name: str
    machine_id: int
    command: Command
    counts: bool = True


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
        command = of_group([some[pk].name for pk in step.machine_ids], first.gpus)
        return [Job(step.pk, name, first.machine_id, command)]
    options = run.options[step.kind] if run.kind == "burn_in" else run.options
    return [Job(step.pk, name, first.machine_id, of_machine(step.kind, options, first.gpus))]


def names_of(run: ActiveRun, step: ActiveStep) -> list[Job]:
    """The same without what they run, for stopping and tidying: that must not depend on a device model."""
    name, nothing = _name_of(run, step), Command("", {})
    own = [Job(step.pk, name, step.machine_ids[0], nothing)]
    if step.kind in (BANDWIDTH, LATENCY):
        own.insert(0, Job(step.pk, f"{name}-server", step.machine_ids[1], nothing, False))
    return own


def _name_of(run: ActiveRun, step: ActiveStep) -> str:
    return f"{run.pk}.{step.pk}.{step.attempts}"


def _number_of(adapter: str, machine: Candidate) -> int:
    """Which of the machine's InfiniBand adapters it is, from 0: its GPU, and its own port. Raises ValueError."""
    devices = [slot.device for slot in machine.spec.slots_of("hca") if slot.link_layer == "InfiniBand"]
    if adapter not in devices:
        raise ValueError(f"the device model of {machine.name} has no InfiniBand adapter {adapter}")
    return devices.index(adapter)


def begin(some: Sequence[tuple[Job, int]]) -> dict[str, str]:
    """Start jobs with their limits in seconds, servers before the others; why each that was not begun was not."""
    refused: dict[str, str] = {}
    for servers in (True, False):
        batch = [(job, limit) for job, limit in some if job.counts is not servers]
        scripts = [(job, jobs.start(job.name, job.command, limit)) for job, limit in batch]
        for job, result in _ask(scripts):
            if result is None or result.failure is not None:
                refused[job.name] = str(result.failure) if result is not None else "no address is known"
            elif not jobs.began(_text(result)):
                refused[job.name] = (_text(result) or result.stderr.decode("utf-8", "replace")).strip()[:300]
    return refused


def look(some: Sequence[Job]) -> dict[str, Look]:
    """How each job is; a machine that does not answer is asked again another time."""
    found = {}
    for job, result in _ask([(job, jobs.look(job.name)) for job in some]):
        if result is None or result.failure is not None:
            found[job.name] = Look("unknown", trouble=str(result.failure) if result is not None else "no address")
        else:
            found[job.name] = jobs.read(_text(result))
    return found


def stop(some: Sequence[Job]) -> None:
    _ask([(job, jobs.stop(job.name)) for job in some])


def tidy(some: Sequence[Job]) -> None:
    _ask([(job, jobs.tidy(job.name)) for job in some])


def _text(result: SshResult) -> str:
    return result.stdout.decode("utf-8", "replace")


def _ask(some: Sequence[tuple[Job, str]]) -> list[tuple[Job, SshResult | None]]:
    """Each job's script on its machine, all at the same time; None where no address is known."""
    targets = {target.machine_id: target for target in ssh_targets(sorted({job.machine_id for job, _ in some}))}
    answers = asyncio.run(_run([(targets.get(job.machine_id), script) for job, script in some]))
    record_identities([answer for answer in answers if answer is not None], actor="active checks")
    return [(job, answer) for (job, _), answer in zip(some, answers, strict=True)]


async def _run(some: Sequence[tuple[SshTarget | None, str]]) -> list[SshResult | None]:
    gate = asyncio.Semaphore(CONCURRENCY)
    # One session at a time on a machine: eight rails at once would be more logins than sshd lets in by default.
    turns: dict[int | None, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def one(target: SshTarget | None, script: str) -> SshResult | None:
        if target is None:
            return None
        async with turns[target.machine_id], gate:
            return await run_one(target, script, LIMITS)

    return list(await asyncio.gather(*(one(target, script) for target, script in some)))
