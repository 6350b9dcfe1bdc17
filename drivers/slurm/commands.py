"""Slurm by `scontrol`, over SSH on a machine of the cluster or right here: the way that works with every version."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, Protocol

from drivers import shell
from drivers.scheduler import (
    Job,
    MachineFacts,
    NewJob,
    Outcome,
    SchedulerError,
    View,
    before_drain,
    before_resume,
    written_reason,
)
from drivers.slurm import past_jobs, submission
from drivers.slurm.client import assembled, complete, safe_name
from drivers.slurm.text import jobs_in, machines_in, partitions_in, refusal, reservations_in
from drivers.ssh import Limits, SshTarget, run_one

TIMEOUT_S = 20.0
MOST_BYTES = 256 * 1024 * 1024
TIMES = ("env", "SLURM_TIME_FORMAT=%s")
NOT_CLOSED = "invalid node state specified"  # what Slurm says to a resume of a machine that is in service


@dataclass(frozen=True, slots=True)
class Done:
    status: int
    out: str
    err: str


class Shell(Protocol):
    """Runs one command line, which reads `text`. Raises SchedulerError when it could not be run to its end."""

    async def run(self, words: tuple[str, ...], text: str = "") -> Done: ...


class SshShell:
    """On another machine. `presented_key` is its host key when none was known, for the caller to record."""

    def __init__(self, target: SshTarget, timeout_s: float = TIMEOUT_S) -> None:
        self.target = target
        self.limits = Limits(command_timeout_s=timeout_s, output_cap_bytes=MOST_BYTES)
        self.presented_key = ""

    async def run(self, words: tuple[str, ...], text: str = "") -> Done:
        end = submission.END_OF_SCRIPT
        given = f" <<'{end}'\n{text.rstrip()}\n{end}" if text else ""
        result = await run_one(self.target, shell.line(words) + given, self.limits)
        if result.failure is not None:
            raise SchedulerError(f"{self.target.name or self.target.address}: {result.failure}")
        if result.first_contact:
            self.presented_key = result.presented_key or ""
        status = -1 if result.exit_status is None else result.exit_status
        return Done(status, result.stdout.decode("utf-8", "replace"), result.stderr.decode("utf-8", "replace"))


class LocalShell:
    """On this machine, without a shell. `environment` adds to ours."""

    def __init__(self, timeout_s: float = TIMEOUT_S, environment: dict[str, str] | None = None) -> None:
        self.timeout_s = timeout_s
        self.environment = {**os.environ, **(environment or {})}

    async def run(self, words: tuple[str, ...], text: str = "") -> Done:
        try:
            process = await asyncio.create_subprocess_exec(
                *words,
                stdin=asyncio.subprocess.PIPE if text else asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=self.environment,
            )
        except OSError as error:
            raise SchedulerError(f"{words[0]} cannot be started: {error.strerror}") from error
        try:
            async with asyncio.timeout(self.timeout_s):
                out, err = await process.communicate(text.encode() if text else None)
        except TimeoutError as error:
            process.kill()
            await process.communicate()  # closes its pipes while there is a loop to close them in
            raise SchedulerError(f"{words[0]} did not end within {self.timeout_s:g} s") from error
        return Done(process.returncode or 0, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))


class SlurmCommands:
    """A scheduler. `sudo` is put before what writes; reading needs no rights."""

    def __init__(self, shell: Shell, *, sudo: bool = False) -> None:
        self.shell = shell
        self.lead = ("sudo", "-n") if sudo else ()

    async def read(self, since: int | None = None) -> View | None:
        """Everything anew each time: `scontrol` has no way to ask for changes."""
        nodes, jobs, reservations, queues = await _all(
            self._show("node"), self._show("job"), self._show("reservation"), self._partitions()
        )
        partitions = partitions_in(queues) if queues else None
        return assembled(machines_in(nodes), jobs_in(jobs), reservations_in(reservations), None, partitions)

    async def machine(self, name: str) -> MachineFacts:
        facts = await self._facts(name)
        jobs, reservations = await _all(self._show("job"), self._show("reservation"))
        listed = sum(job.running and facts.name in job.machines for job in jobs_in(jobs))
        kept = tuple(each for each in reservations_in(reservations) if facts.name in each.machines)
        return complete(facts, listed, kept)

    async def past(self, since_s: int, until_s: int = 0) -> tuple[Job, ...] | None:
        between = secrets.token_hex(8)
        done = await self.shell.run((*TIMES, *past_jobs.question(since_s, until_s, between)))
        if done.status != 0:
            if past_jobs.DISABLED in f"{done.err} {done.out}".lower():
                return None
            raise refusal(done.err or done.out)
        return past_jobs.jobs_in(done.out, between)

    async def drain(self, name: str, reason: str, *, ours: str = "") -> Outcome:
        reason = written_reason(reason)
        if (answer := before_drain(await self._facts(name), reason, ours)) is not None:
            return answer
        await self._update(name, "State=DRAIN", f"Reason={reason}")
        return Outcome.DONE

    async def resume(self, name: str, *, ours: str) -> Outcome:
        if (answer := before_resume(await self._facts(name), ours)) is not None:
            return answer
        try:
            await self._update(name, "State=RESUME")
        except SchedulerError as error:
            if NOT_CLOSED in str(error).lower():  # somebody else did it first
                return Outcome.ALREADY
            raise
        return Outcome.DONE

    async def submit(self, job: NewJob) -> str:
        """As the account itself, never by sudo: what root submits runs as root."""
        job = submission.checked(job)
        done = await self.shell.run(submission.words_of(job), submission.script_of(job))
        if done.status != 0:
            raise submission.no(done.err or done.out)
        return submission.number_of(done.out)

    async def find(self, name: str) -> Job | None:
        return submission.newest(jobs_in(await self._show("job")), name)

    async def cancel(self, name: str) -> None:
        done = await self.shell.run(("scancel", f"--name={submission.job_name(name)}"))
        if done.status != 0:
            raise refusal(done.err or done.out)

    async def _facts(self, name: str) -> MachineFacts:
        """One machine without its jobs, right before it is written."""
        (facts,) = machines_in(await self._show("node", safe_name(name)))
        return facts

    async def _show(self, *words: str) -> str:
        done = await self.shell.run((*TIMES, "scontrol", "show", *words))
        if done.status != 0:
            raise refusal(done.err or done.out)
        return done.out

    async def _partitions(self) -> str:
        """Nothing where a login may ask only what older versions of this service asked."""
        try:
            return await self._show("partition")
        except SchedulerError:
            return ""

    async def _update(self, name: str, *fields: str) -> None:
        done = await self.shell.run((*self.lead, "scontrol", "update", f"NodeName={safe_name(name)}", *fields))
        if done.status != 0:
            raise refusal(done.err or done.out)


async def _all(*questions: Coroutine[Any, Any, str]) -> list[str]:
    """Their answers, each waited for although another one failed; then what failed first is raised.

    A program whose start is cancelled can keep its event loop from ever closing (Python 3.11).
    """
    answers = await asyncio.gather(*questions, return_exceptions=True)
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
    return [answer for answer in answers if isinstance(answer, str)]
