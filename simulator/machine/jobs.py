"""Jobs that go on after the session that began them: the scripts by which the service starts, asks for and ends them.

They are recognised as the probe is: by what they say. The job's command runs as any other; it is asked for its answer
when somebody looks, and ends with the boot in which it began.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from simulator.machine import images

if TYPE_CHECKING:
    from simulator.machine.shell import Reply
    from simulator.state import Machine

MARK = "rackside-job"
_FIRST = re.compile(rf"^# {MARK} (start|look|stop|tidy) (\S+)\n")
_COMMAND = re.compile(r"^timeout -k \d+ (\d+) (.*) >out 2>err </dev/null &$", re.MULTILINE)


@dataclass
class Job:
    """A command that was begun, and its answer."""

    reply: Reply
    began: float
    boot_id: str
    command: str = ""


_JOBS: WeakKeyDictionary[Machine, dict[str, Job]] = WeakKeyDictionary()
Run = Callable[["Machine", str, float], "Reply"]


def answer(machine: Machine, script: str, now: float, run: Run) -> tuple[int, str] | None:
    """Exit status and output of one of these scripts; None for anything else."""
    found = _FIRST.match(script)
    if found is None:
        return None
    what, name = found.groups()
    mine = _JOBS.setdefault(machine, {})
    if what == "start":
        command = _COMMAND.search(script)
        if command is None:
            return 2, "sh: syntax error\n"
        if name in mine:
            return 0, f"{MARK} known\n"
        mine[name] = Job(run(machine, command.group(2), now), now, machine.state.boot_id, command.group(2))
        return 0, f"{MARK} started\n"
    if what == "look":
        return 0, _look(machine, mine.get(name), now)
    if what == "tidy":
        mine.pop(name, None)
        return 0, f"{MARK} tidied\n"
    if name in mine and not _is_done(mine[name], now):
        mine[name].boot_id = ""  # it is gone without a result
    return 0, f"{MARK} stopped\n"


def running(machine: Machine, now: float) -> list[str]:
    """The commands of jobs that go on now."""
    mine = _JOBS.get(machine, {}).values()
    return [job.command for job in mine if job.boot_id == machine.state.boot_id and not _is_done(job, now)]


def _is_done(job: Job, now: float) -> bool:
    if job.reply.wait is not None:
        seen = job.reply.wait(now)
        if seen is None:
            return False
        job.reply = seen
        return True
    return job.reply.delay_s is not None and now >= job.began + job.reply.delay_s


def _look(machine: Machine, job: Job | None, now: float) -> str:
    if job is None:
        return f"{MARK} lost never begun here\n"
    if job.boot_id != machine.state.boot_id:
        return f"{MARK} lost {'it ended without a result' if not job.boot_id else 'the machine was rebooted'}\n"
    if not _is_done(job, now):
        return f"{MARK} running\n{images.so_far(job.command)}"
    return f"{MARK} done {job.reply.status}\n{job.reply.text}\n{MARK} errors\n"
