"""`scontrol show node`, `show job` and `show reservation` as facts. Pure.

Times are asked for as seconds (`SLURM_TIME_FORMAT=%s`): without it Slurm prints the controller's local time without a
zone, which is then left out instead of guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest

from drivers.scheduler import Asked, Job, MachineFacts, Partition, Reservation, SchedulerError, UnknownMachine
from drivers.slurm.client import called, expand, facts_of, gpus_of, gpus_of_job, job_of
from drivers.slurm.states import state_words

_REASON = re.compile(r"^\s+Reason=(.*?)(?:\s+\[([^\]\s@]*)@([^\]\s]+)\])?\s*$", re.MULTILINE)
_AMONG = ("ArrayJobId", "ArrayTaskId", "HetJobId", "HetJobOffset")
_TRES = ("AllocTRES", "TRES", "ReqTRES")  # AllocTRES from Slurm 23.02
_LIMIT = re.compile(r"(?:(\d{1,6})-)?(?:(\d{1,4}):)?(\d{1,4}):(\d\d)")
NOT_FOUND = re.compile(r"Node \S+ not found|Invalid node name", re.IGNORECASE)


def machines_in(text: str) -> tuple[MachineFacts, ...]:
    """`scontrol show node`. Raises SchedulerError for text without a machine, or one that breaks off."""
    found = tuple(_machine(name, block) for name, block in _blocks(text, "NodeName"))
    if not found:
        raise SchedulerError(f"no machine in the answer: {_first_line(text)}")
    return found


def _machine(name: str, block: str) -> MachineFacts:
    reason = _REASON.search(block)
    state = _value(block, "State")
    if state is None or _value(block, "BootTime") is None:
        raise SchedulerError(f"the answer breaks off at {name}")
    at = reason.group(3) if reason else None
    return facts_of(
        name,
        state_words(state),
        reason=reason.group(1).strip() if reason else "",
        reason_by=(reason.group(2) or "") if reason else "",
        reason_at=int(at) if at and at.isdecimal() else None,
        cpus=number_in(_value(block, "CPUTot")),
        memory_mb=number_in(_value(block, "RealMemory")),
        gpus=gpus_of(_value(block, "Gres") or "", _value(block, "CfgTRES") or ""),
        partitions=tuple(each for each in (_value(block, "Partitions") or "").split(",") if each),
    )


def jobs_in(text: str) -> tuple[Job, ...]:
    """`scontrol show job`: those that wait, run, or ended within MinJobAge."""
    found = [_job(number, block) for number, block in _blocks(text, "JobId")]
    if not found and "JobId=" not in text and "No jobs in the system" not in text:
        raise SchedulerError(f"no list of jobs: {_first_line(text)}")
    return tuple(found)


def _job(number: str, block: str) -> Job:
    # Behind the number stand array and heterogeneous job in the first line, before the name that anybody may choose.
    among = [_value(block.partition("JobName=")[0], key) for key in _AMONG]
    first, _, block = block.partition("\n")  # behind the name, which whoever sends the job may choose
    status, signal = exit_in(_value(block, "ExitCode") or "")
    return job_of(
        number,
        state_words(_value(block, "JobState") or ""),
        _told(block, "NodeList"),
        number_in(_value(block, "StartTime")),
        number_in(_value(block, "EndTime")),
        exit_status=status,
        signal=signal,
        why=_told(block, "Reason"),
        partition=_told(block, "Partition"),
        account=_told(block, "Account"),
        restarts=number_in(_value(block, "Restarts")) or 0,
        gpus=gpus_of_job(
            next((said for key in _TRES if (said := _told(block, key))), ""),
            per_job=_told(block, "TresPerJob"),
            per_node=_told(block, "TresPerNode"),
            per_task=_told(block, "TresPerTask"),
            nodes=_machines(block),
            tasks=number_in(_value(block, "NumTasks")),
            exclusive=_value(block, "OverSubscribe") == "NO",
        ),
        **called(*(number_in(told) for told in among)),
        asked=_asked(first.partition("JobName=")[2].strip(), block),
        first_machine=_told(block, "BatchHost"),
    )


def _machines(block: str) -> int | None:
    """The least number that it takes: `2`, or `2-4` of one that waits."""
    return number_in(_told(block, "NumNodes").partition("-")[0])


def _asked(name: str, block: str) -> Asked:
    return Asked(
        name,
        _told(block, "UserId").partition("(")[0],
        _told(block, "QOS"),
        _told(block, "Reservation"),
        number_in(_value(block, "Priority")),
        number_in(_value(block, "SubmitTime")),
        None,
        seconds_of(_told(block, "TimeLimit")),
        _machines(block),
    )


def seconds_of(text: str) -> int | None:
    """`1-02:03:04`, `02:03:04` or `03:04` in seconds; None for a limit that is none."""
    found = _LIMIT.fullmatch(text)
    if found is None:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds


def partitions_in(text: str) -> tuple[Partition, ...]:
    """`scontrol show partition`."""
    found = []
    for name, block in _blocks(text, "PartitionName"):
        nodes = _told(block, "Nodes")
        found.append(
            Partition(
                name,
                _told(block, "State").lower(),
                _told(block, "Default") == "YES",
                seconds_of(_told(block, "MaxTime")),
                number_in(_value(block, "PriorityTier")),
                expand(nodes) if nodes else frozenset(),
            )
        )
    return tuple(found)


def _told(block: str, key: str) -> str:
    """A value; empty for Slurm's words for none."""
    value = _value(block, key) or ""
    return "" if value in ("(null)", "None") else value


def reservations_in(text: str) -> tuple[Reservation, ...]:
    """`scontrol show reservation`. One whose times are not in seconds counts as holding its machines."""
    found = []
    for name, block in _blocks(text, "ReservationName"):
        nodes = _value(block, "Nodes") or ""
        starts, ends = number_in(_value(block, "StartTime")), number_in(_value(block, "EndTime"))
        by = next((who for key in ("Users", "Accounts") if (who := _value(block, key)) not in (None, "(null)")), "")
        machines = frozenset() if nodes in ("", "(null)") else expand(nodes)
        found.append(Reservation(name, machines, starts or 0, 2**40 if ends is None else ends, by or ""))
    if not found and "No reservations in the system" not in text:
        raise SchedulerError(f"no list of reservations: {_first_line(text)}")
    return tuple(found)


def refusal(text: str) -> SchedulerError:
    """What `scontrol` printed when it failed, as the error it means."""
    kind = UnknownMachine if NOT_FOUND.search(text) else SchedulerError
    return kind(_first_line(text))


def _blocks(text: str, key: str) -> Iterator[tuple[str, str]]:
    starts = list(re.finditer(rf"^{key}=(\S+)", text, re.MULTILINE))
    for found, following in zip_longest(starts, starts[1:]):
        yield found.group(1), text[found.end() : following.start() if following else len(text)]


def _value(block: str, key: str) -> str | None:
    """The first value of that key; a reason or comment stands behind what could be mistaken for one in it."""
    found = re.search(rf"(?:^|\s){re.escape(key)}=(\S*)", block)
    return found.group(1) if found else None


def number_in(text: str | None) -> int | None:
    """A count or a time that Slurm printed; None for its words for none."""
    return int(text) if text and text.isdecimal() and len(text) < 15 else None


def exit_in(text: str) -> tuple[int | None, int | None]:
    """`3:0` as status and signal."""
    status, _, signal = text.partition(":")
    return number_in(status), number_in(signal) or None


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "no output")[:300]
