"""What Slurm's words mean: machines, jobs, lists of names, names that may be written. Pure, shared by both ways to it.

The words for the state of a machine are in `drivers.slurm.states`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from drivers.scheduler import Job, MachineFacts, MachineState, Partition, Reservation, SchedulerError, View
from drivers.slurm.states import by_itself, judged

MOST_NAMES = 100_000
"""A list of machines that would be longer is refused instead of filling the memory."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_BRACKETS = re.compile(r"([^\[\]]*)\[([^\[\]]+)\]")
_RANGE = re.compile(r"(\d+)(?:-(\d+))?")
_GPUS = re.compile(r"(?:^|,)gpu(?::[A-Za-z][\w.-]*)?:(\d+)")
_ASKED_GPUS = re.compile(r"(?:^|,)(?:gres[:/])?gpu(?::[A-Za-z][\w.-]*)?(?:[:=](\d+))?(?=,|$)")
_TRES_GPUS = re.compile(r"(?:^|,)gres/gpu=(\d+)")

RUNNING = frozenset({"running", "completing", "configuring", "suspended", "stopped", "stage_out", "resizing",
                     "signaling"})  # fmt: skip
ENDED = frozenset({"completed", "cancelled", "failed", "timeout", "node_fail", "preempted", "boot_fail", "deadline",
                   "out_of_memory", "launch_failed", "revoked"})  # fmt: skip


def safe_name(name: str) -> str:
    """A name that means exactly one machine. Raises SchedulerError: lists, ranges and ALL are none."""
    if not _NAME.fullmatch(name) or name.lower() == "all":
        raise SchedulerError(f"{name!r} is no name of one machine")
    return name


def expand(text: str) -> frozenset[str]:
    """`gpu[001-003,7],login1` as names. Raises SchedulerError when it cannot be read."""
    names: list[str] = []
    for part in _split(text):
        names.extend(_expand_one(part))
        if len(names) > MOST_NAMES:
            raise SchedulerError(f"a list of more than {MOST_NAMES} machines: {text[:80]}")
    return frozenset(names)


def _split(text: str) -> Iterator[str]:
    """At the commas outside brackets."""
    depth, part = 0, ""
    for letter in text.strip():
        depth += (letter == "[") - (letter == "]")
        if depth < 0:
            raise SchedulerError(f"not a list of machines: {text[:80]}")
        if letter == "," and depth == 0:
            if part:
                yield part
            part = ""
        else:
            part += letter
    if depth:
        raise SchedulerError(f"not a list of machines: {text[:80]}")
    if part:
        yield part


def _expand_one(part: str) -> Iterator[str]:
    found = _BRACKETS.match(part)
    if found is None:
        yield part
        return
    rest = list(_expand_one(part[found.end() :])) if part[found.end() :] else [""]
    for piece in found.group(2).split(","):
        bounds = _RANGE.fullmatch(piece)
        if bounds is None:
            raise SchedulerError(f"not a list of machines: {part[:80]}")
        first, last = bounds.group(1), bounds.group(2) or bounds.group(1)
        if not 0 <= int(last) - int(first) < MOST_NAMES:
            raise SchedulerError(f"not a list of machines: {part[:80]}")
        for number in range(int(first), int(last) + 1):
            for end in rest:
                yield f"{found.group(1)}{number:0{len(first)}d}{end}"


def facts_of(name: str, words: Sequence[str], **more: object) -> MachineFacts:
    """A machine without its jobs yet: how many run is only known to be none, or at least one."""
    state, closed, answers = judged(words)
    jobs = {MachineState.IDLE: 0, MachineState.DRAINED: 0, MachineState.ALLOCATED: 1}.get(state)
    facts = MachineFacts(name, state, tuple(words), closed, answers, jobs, **more)  # type: ignore[arg-type]
    return replace(facts, by_itself=by_itself(facts.reason))


def gpus_of(gres: str, tres: str = "") -> int | None:
    """GPUs a machine has for Slurm: `gpu:h100:8(S:0-1)` or `gres/gpu=8`. None when nothing is told."""
    counted = [int(each) for each in _GPUS.findall(re.sub(r"\([^)]*\)", "", gres))]
    if counted:
        return sum(counted)
    found = _TRES_GPUS.search(tres)
    return int(found.group(1)) if found else (0 if gres in ("", "(null)") and tres else None)


def gpus_of_job(
    tres: str,
    *,
    detail: Sequence[str] = (),
    per_job: str = "",
    per_node: str = "",
    per_task: str = "",
    nodes: int | None = None,
    tasks: int | None = None,
    exclusive: bool = False,
) -> int | None:
    """GPUs of a job: as they were given (`detail`, one text a machine), as accounted, else as they were asked for.

    Slurm accounts GPUs only where AccountingStorageTRES names them. Who asked for whole machines got theirs without
    asking: None, nobody says.
    """
    given = [int(each) for text in detail for each in _GPUS.findall(re.sub(r"\([^)]*\)", "", text))]
    if given:
        return sum(given)
    if found := _TRES_GPUS.search(tres):
        return int(found.group(1))
    for text, times in ((per_job, 1), (per_node, nodes or 1), (per_task, tasks or 1)):
        if asked := _ASKED_GPUS.findall(text):
            return sum(int(each) if each else 1 for each in asked) * times
    return None if exclusive or not tres else 0


def called(array: int | None, task: int | None, leader: int | None, offset: int | None) -> dict[str, object]:
    """How a job is called that is one of an array, or a component of a heterogeneous one; `task` 0 is a task."""
    if leader:
        return {"label": str(leader), "component": offset or 0}
    return {"label": f"{array}_{task}"} if array and task is not None else {}


def assembled(
    machines: Iterable[MachineFacts],
    jobs: Sequence[Job],
    reservations: Sequence[Reservation],
    since: int | None = None,
    partitions: Sequence[Partition] | None = None,
) -> View:
    """One view: each machine with its jobs counted and its reservations.

    A busy machine without a visible job has one all the same (jobs of others may be private); one that is down counts
    those that Slurm still lists there.
    """
    count: dict[str, int] = {}
    for job in jobs:
        for name in job.machines if job.running else ():
            count[name] = count.get(name, 0) + 1
    kept: dict[str, list[Reservation]] = {}
    for reservation in reservations:
        for name in reservation.machines:
            kept.setdefault(name, []).append(reservation)
    whole = {each.name: complete(each, count.get(each.name, 0), tuple(kept.get(each.name, ()))) for each in machines}
    queues = None if partitions is None else tuple(partitions)
    return View(whole, tuple(jobs), since, tuple(reservations), queues)


def job_of(number: str, states: Sequence[str], nodes: str, started: int | None, ended: int | None,
           ends: frozenset[str] = ENDED, /, **more: object) -> Job:  # fmt: skip
    """A job from its words. One that gives its machines back (`completing`) still runs; a time that lies ahead is a
    plan and not told. `ends` are the words of a run that is over."""
    said = set(states)
    running, over = bool(said & RUNNING), said & ends
    ran = bool(nodes) and (running or bool(over))
    word = next((word for word in states if word in (RUNNING if running else ends)), states[0] if states else "")
    if not ran and not over and started and (asked := more.get("asked")) is not None:
        more["asked"] = replace(asked, expected=started)  # type: ignore[type-var]  # always of that type
    return Job(
        number,
        word,
        running and bool(nodes),
        expand(nodes) if ran else frozenset(),
        (started or None) if ran else None,
        (ended or None) if ran and not running else None,
        **more,  # type: ignore[arg-type]
    )


def complete(facts: MachineFacts, listed: int, reservations: tuple[Reservation, ...]) -> MachineFacts:
    if facts.state is MachineState.UNKNOWN:
        jobs = listed or None
    elif facts.state is MachineState.DOWN:
        jobs = listed
    else:
        jobs = max(listed, facts.jobs or 0)
    return replace(facts, jobs=jobs, reservations=reservations)
