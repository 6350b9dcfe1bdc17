"""A job of our own for Slurm, as options of sbatch and as the body of slurmrestd. Pure.

It takes whole machines, exactly those that are named, and is never put back in the queue: a test that begins again by
itself would be counted twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from drivers.scheduler import Job, NewJob, NotQueued, SchedulerError
from drivers.slurm.client import safe_name

END_OF_SCRIPT = "RACKSIDE_END_OF_SCRIPT"
MOST_SCRIPT = 60_000
"""Characters of a script: Slurm takes 4 MB, a command line over SSH 128 kB."""
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_JOB = re.compile(r"rackside-[A-Za-z0-9.-]{1,60}")
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._,@-]{0,63}")
_FILE = re.compile(r"/[A-Za-z0-9._/@-]{1,200}")
_SUBMITTED = re.compile(r"^(\d{1,18})(?:;\S+)?$", re.MULTILINE)


def checked(job: NewJob) -> NewJob:
    """The job, where every value means what it says and nothing else. Raises NotQueued."""
    try:
        for name in job.machines:
            safe_name(name)
        job_name(job.name)
    except SchedulerError as error:
        raise NotQueued(str(error)) from error
    said = (("partition", job.partition), ("account", job.account), ("reservation", job.reservation))
    if wrong := next((f"{what} {value!r}" for what, value in said if value and not _WORD.fullmatch(value)), ""):
        raise NotQueued(f"{wrong} cannot be told to Slurm")
    if not _FILE.fullmatch(job.output):
        raise NotQueued(f"{job.output!r} is no path for the output of a job")
    if not job.machines or len(set(job.machines)) != len(job.machines):
        raise NotQueued("a job takes machines, each once")
    if END_OF_SCRIPT in job.script or "\x00" in job.script or len(job.script) > MOST_SCRIPT:
        raise NotQueued("the script of the job is too long, or holds what ends it")
    return job


def words_of(job: NewJob) -> tuple[str, ...]:
    """sbatch with its options; it reads the script from its standard input."""
    told = (("partition", job.partition), ("account", job.account), ("reservation", job.reservation))
    return (
        "sbatch", "--parsable", "--no-requeue", "--exclusive", f"--job-name={job.name}",
        f"--nodes={len(job.machines)}", f"--nodelist={','.join(job.machines)}",
        f"--ntasks-per-node={job.tasks_per_machine}",
        *([f"--gres=gpu:{job.gpus_per_machine}"] if job.gpus_per_machine else []),
        f"--time={minutes_of(job)}", f"--output={job.output}", "--chdir=/",
        *(f"--{name}={value}" for name, value in told if value),
    )  # fmt: skip


def body_of(job: NewJob, version: str) -> dict[str, Any]:
    """What `job/submit` of slurmrestd takes. Up to v0.0.39 the environment is an object, later a list."""
    old = version <= "v0.0.39"
    count = len(job.machines)
    asked: dict[str, Any] = {
        "name": job.name,
        "nodes": [count, count] if version == "v0.0.38" else str(count),
        "tasks_per_node": job.tasks_per_machine,
        "exclusive": "exclusive" if old else ["true"],
        "requeue": False,
        "time_limit": minutes_of(job),
        "standard_output": job.output,
        "current_working_directory": "/",
        "environment": {"PATH": PATH} if old else [f"PATH={PATH}"],
    }
    if version == "v0.0.38":
        asked["nodelist"] = ",".join(job.machines)
    else:
        asked["required_nodes"] = list(job.machines)
    if job.gpus_per_machine:
        asked["gres" if version == "v0.0.38" else "tres_per_node"] = (
            f"gpu:{job.gpus_per_machine}" if version == "v0.0.38" else f"gres/gpu:{job.gpus_per_machine}"
        )
    told = (("partition", job.partition), ("account", job.account), ("reservation", job.reservation))
    asked |= {name: value for name, value in told if value}
    return {"script": script_of(job), "job": asked}


def script_of(job: NewJob) -> str:
    return f"#!/bin/sh\n{job.script.rstrip()}\n"


def minutes_of(job: NewJob) -> int:
    """Slurm counts time limits in minutes: what was begun counts whole."""
    return max(1, -(-job.time_limit_s // 60))


def job_name(name: str) -> str:
    """A name that only a job of ours has. Raises SchedulerError."""
    if not _JOB.fullmatch(name):
        raise SchedulerError(f"{name!r} is no name of a job of ours")
    return name


def newest(jobs: Iterable[Job], name: str) -> Job | None:
    """The job of exactly this name that was submitted last."""
    mine = [job for job in jobs if job.asked.name == job_name(name)]
    return max(mine, key=lambda job: int(job.id) if job.id.isdecimal() else 0, default=None)


def no(text: str) -> SchedulerError:
    """What Slurm answered to a job, as the error it means: that it was not taken is certain only where the controller
    itself said so."""
    said = next((line.strip() for line in text.splitlines() if line.strip()), "no output")[:300]
    open_ended = re.search(r"(?i)timed out|unable to contact|communication|connect", said)
    return SchedulerError(said) if open_ended else NotQueued(said)


def number_of(text: str) -> str:
    """The id that `sbatch --parsable` printed. Raises SchedulerError."""
    found = _SUBMITTED.search(text)
    if found is None:
        raise SchedulerError(f"sbatch tells no id of a job: {text.strip()[:200] or 'no output'}")
    return found.group(1)
