"""Why a run ended: the first cause among what its logs say. Pure.

The strongest lines decide, and among them the first: in time where all have one, else in the order of the files. What
the run survived (it made steps afterwards, or ended as it should) is no cause. Some lines are read in pairs: a name
that was not found is harmless until the connection to it fails.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from runs.causes import lines
from runs.causes.classes import CLASSES, HARDWARE, NO_CAUSE, NOTHING_FAILED, SOFTWARE, USER, Class
from runs.causes.log import SLOW_SCORE, Log, Score, Sighting, pid_named
from runs.causes.pattern import SAME, Strength
from runs.pace.shapes import Change, step_change
from runs.pace.steps import Step

LOADER_SHARE = 0.5
"""A step that waits longer than this share for its data is bound by the data loader."""
CONFIDENCE = {Strength.ROOT: 0.95, Strength.ERROR: 0.85, Strength.RESULT: 0.6, Strength.PEER: 0.4}
CLOCKS_APART = timedelta(minutes=2)
"""So far clocks of machines may differ before an event seems to lie before the run, or before a step of it."""
LONGEST_WAIT = timedelta(minutes=35)
"""A collective of Gloo waits half an hour, one of NCCL ten minutes, before a log that holds only the end begins."""
MOST_WAITS = 2
"""So many steps in a row that wait are no accident."""
SHORT = 160
GPU_CODE = {"cuda-719", "cuda-700", "cuda-assert"}
"""Classes between which an Xid of the application (13, 31) cannot choose: the CUDA error does."""
_FIRST_IN_BRACES = re.compile(r"missing ranks: \{(\d+)")
UNTOLD = ("watchdog.timeout", "socket.interface-set", "store.no-name", "store.retry", "nfs.back")
"""Lines of a rank that do not say that it failed."""
_DIGITS = re.compile(r"0x[0-9a-f]+|\d+")
LEAST_FILES = 4
_CALLED = re.compile(r"is running collective: CollectiveFingerPrint\(.*?OpType=(\w+)")
CHECKED = {
    "GPU: no Xid, ECC or CUDA error": ("cuda", "gpu"),
    "network: no failed completion, port or socket": ("nccl-net",),
    "memory: no out-of-memory kill": ("oom",),
    "storage: no full, missing or lost file system": ("ckpt", "dataset"),
    "scheduler: no time limit, preemption or lost machine": ("slurm",),
    "code: no exception": ("user",),
}
"""What a run without such an ending is cleared of, with what the names of these classes hold."""


@dataclass
class Verdict:
    """The answer. `line` and `file` are those of the first cause; None where the text does not hold it."""

    cause: str
    owner: str | None
    hardware: bool | None
    sentence: str
    confidence: float
    rank: int | None = None
    machine: str | None = None
    file: str | None = None
    line: int | None = None
    followers: int = 0
    ruled_out: list[str] = field(default_factory=list)
    evidence: list[Sighting] = field(default_factory=list)

    @property
    def first_step(self) -> str:
        return CLASSES[self.cause].first


def judge(logs: Sequence[Log]) -> Verdict:
    """The verdict over all logs of one run."""
    sightings = [sighting for log in logs for sighting in log.sightings]
    alive = _alive((one for one in sightings if one.pattern.strength >= Strength.PEER), logs)
    nan = _first_nan(logs)
    chosen = _first_cause(alive)
    if nan is not None and (chosen is None or chosen.pattern.strength < Strength.ERROR):
        return _counted(nan, logs, None)
    if chosen is None or chosen.pattern.strength is Strength.PEER or chosen.pattern.name == "slurm.cancelled":
        silent = _slow(logs) if chosen is None else None
        silent = silent or _timed_out(logs)
        if silent is not None or chosen is None:
            return _counted(silent or _nothing(logs), logs, None)
    return _counted(_explained(chosen, alive, sightings, logs), logs, chosen)


def _counted(verdict: Verdict, logs: Sequence[Log], chosen: Sighting | None) -> Verdict:
    strong = {one.pattern.name for log in logs for one in log.sightings if one.pattern.strength > Strength.NOTE}
    total = sum(count for log in logs for name, count in log.counts.items() if name in strong)
    verdict.followers = max(0, total - (1 if chosen else 0)) if verdict.cause != NOTHING_FAILED else 0
    verdict.ruled_out = _ruled_out(verdict, logs)
    return verdict


# ---- which line is the first cause ----
def _alive(sightings: Iterable[Sighting], logs: Sequence[Log]) -> list[Sighting]:
    """Without those that the run survived."""
    by_name = {log.name: log for log in logs}
    left = [one for one in sightings if not _survived(one, by_name[one.file])]
    if any(log.ended_well is not None for log in logs):  # processes that were lost on the way were done without
        left = [one for one in left if one.pattern.strength > Strength.RESULT and one.pattern.cause != "elastic-rdzv"]
    past = _past(left, logs)
    return [one for one in left if one.place not in past]


def _past(sightings: Sequence[Sighting], logs: Sequence[Log]) -> set[tuple[str, int]]:
    """What machines noted before the run, or before steps that it made afterwards: it is over, or another one's.

    A machine that was broken when the run began has a rank that complains; then it counts.
    """
    told = [log for log in logs if log.ranks_seen or log.steps]
    began = min(
        (log.first_at - (CLOCKS_APART if log.whole else LONGEST_WAIT) for log in told if log.first_at), default=None
    )
    stepped = max((log.last_step_at for log in told if log.last_step_at), default=None)
    of_ranks = {log.name for log in told}
    complain = {
        one.line.machine for one in sightings if one.file in of_ranks and one.pattern.strength >= Strength.ERROR
    }
    found = set()
    for one in sightings:
        if one.file in of_ranks or one.at is None:
            continue
        before_steps = stepped is not None and one.at < stepped - CLOCKS_APART
        before_run = began is not None and one.at < began and one.line.machine not in complain
        if before_steps or before_run:
            found.add(one.place)
    return found


def _survived(one: Sighting, log: Log) -> bool:
    """Whether the run went on, or ended as it should, after the line."""
    if one.pattern.name == "lustre.evicted" and "still trying" in one.line.text:
        return any(other.pattern.name == "nfs.back" for other in log.sightings if other.line.number > one.line.number)
    if log.ended_well is not None and (one.line.number < log.ended_well or one.pattern.strength <= Strength.RESULT):
        return True
    _, *next_parts = log.parts
    if any(part.ended_well is not None for part in next_parts):
        return True
    later = [step for step in log.steps if step.number and step.number > one.line.number and not step.is_nan]
    later += [step for part in next_parts for step in part.steps if step.number and not step.is_nan]
    if len(later) < 2:
        return False
    earlier = [step for step in log.steps if step.number and step.number < one.line.number]
    last = max((step.iteration or 0 for step in earlier), default=0)
    return (later[-1].iteration or last + 1) > last


def _order(sightings: Iterable[Sighting], files: dict[str, int]) -> list[Sighting]:
    found = list(sightings)
    if len({one.file for one in found}) > 1 and all(one.at for one in found):
        return sorted(found, key=lambda one: (one.at.timestamp() if one.at else 0.0, files[one.file], one.line.number))
    return sorted(found, key=lambda one: (files[one.file], one.line.number))


def _first_cause(alive: Sequence[Sighting]) -> Sighting | None:
    if not alive:
        return None
    files: dict[str, int] = {}
    for one in alive:
        files.setdefault(one.file, len(files))
    top = max(one.pattern.strength for one in alive)
    strongest = _order((one for one in alive if one.pattern.strength is top), files)
    # Where something broke, that the ranks did not meet again is its consequence.
    causes = [one for one in strongest if one.pattern.cause != "elastic-rdzv"] or strongest
    if causes[0].pattern.name == "c10d.mismatch":
        return _odd_caller(causes)
    return causes[0] if all(one.at for one in causes) else _not_of_most(causes)


def _not_of_most(causes: Sequence[Sighting]) -> Sighting:
    """Without times order over files says nothing: what more than half of the files say is what the others suffered."""
    said: dict[str, set[str]] = {}
    for one in causes:
        said.setdefault(_DIGITS.sub("#", one.line.text), set()).add(one.file)
    files = {one.file for one in causes}
    most = next((text for text, where in said.items() if len(where) * 2 > len(files)), None)
    if len(said) < 2 or most is None or len(files) < LEAST_FILES:
        return causes[0]
    return next(one for one in causes if _DIGITS.sub("#", one.line.text) != most)


def _odd_caller(strongest: Sequence[Sighting]) -> Sighting:
    """Every rank reports a mismatch: of the rank that called what the fewest did."""
    calls = {one.place: found[1] for one in strongest if (found := _CALLED.search(one.line.text))}
    counts = Counter(calls.values())
    rarest = min(counts.values(), default=0)
    few = [call for call, count in counts.items() if count == rarest]
    if len(few) != 1:
        return strongest[0]
    return next(one for one in strongest if calls.get(one.place) == few[0])


# ---- what the line means ----
def _explained(
    chosen: Sighting, alive: Sequence[Sighting], sightings: Sequence[Sighting], logs: Sequence[Log]
) -> Verdict:
    cause, owner = chosen.pattern.cause, chosen.pattern.owner
    hardware: bool | str | None = chosen.pattern.hardware
    if cause in GPU_CODE and chosen.pattern.strength is Strength.ROOT:
        told = next((one.pattern.cause for one in alive if one.pattern.cause in GPU_CODE and one is not chosen), cause)
        cause = told
    if chosen.pattern.name == "ucx.segfault" and any(one.pattern.name == "socket.closed" for one in alive):
        cause, owner, hardware = "nccl-net-socket", SOFTWARE, False
    if cause == "gpu-bad-allocation" and any(log.steps for log in logs):
        cause = "cuda-oom"
    if (promoted := _promoted(chosen, sightings)) is not None:
        chosen, cause = promoted, promoted.pattern.cause
    row = CLASSES[cause]
    rank = _rank(chosen, cause, sightings, logs)
    machine = chosen.line.machine or lines.machine_named(chosen.line.text)
    return Verdict(
        cause,
        row.owner if owner == SAME else owner,
        row.hardware if isinstance(hardware, str) else hardware,
        _sentence(row, chosen.line.text, rank, machine),
        _confidence(chosen, cause, alive),
        rank,
        machine,
        chosen.file,
        chosen.line.number,
        evidence=[chosen, *(one for one in alive if one is not chosen and one.pattern.cause == cause)][:5],
    )


def _promoted(chosen: Sighting, sightings: Sequence[Sighting]) -> Sighting | None:
    """The harmless line that the chosen one makes the cause."""
    if chosen.pattern.name == "socket.no-family":
        return next((one for one in sightings if one.pattern.name == "socket.interface-set"), None)
    if chosen.pattern.name in ("store.no-connection", "store.timeout"):
        for name in ("store.retry", "store.no-name"):  # what was refused has a name that is known
            if found := next((one for one in sightings if one.pattern.name == name), None):
                return found
    return None


def _rank(chosen: Sighting, cause: str, sightings: Sequence[Sighting], logs: Sequence[Log]) -> int | None:
    """Whose line it is; else whose it is by process, by the message, or by the next error of the same kind."""
    if chosen.rank is not None:
        return chosen.rank
    pid = pid_named(chosen.line.text)
    where = chosen.line.machine
    for log in logs:
        if pid is not None and pid in log.ranks_of_pids and (where is None or log.machine in (None, where)):
            return log.ranks_of_pids[pid]
    if (named := lines.rank_named(chosen.line.text)) is not None:
        return named
    if braces := _FIRST_IN_BRACES.search(chosen.line.text):
        return int(braces[1])
    related = {cause, NO_CAUSE} if cause.startswith("nccl-") else {cause}
    if chosen.pattern.strength is Strength.ROOT and CLASSES[cause].owner == HARDWARE:
        related |= {"cuda-719", "cuda-700", "cuda-unknown", "cuda-ecc"}
    for one in sightings:
        elsewhere = where is not None and one.line.machine not in (None, where)
        if one.rank is not None and one.pattern.cause in related and one.pattern.name not in UNTOLD and not elsewhere:
            return one.rank
    return chosen.line.local


def _who(rank: int | None, machine: str | None) -> str:
    if rank is not None:
        return f"Rank {rank}" + (f" on {machine}" if machine else "")
    return machine or "A rank"


def _sentence(row: Class, text: str, rank: int | None, machine: str | None) -> str:
    what = " ".join(text.split())
    if len(what) > SHORT:
        what = what[: SHORT - 2].rstrip() + " .."
    return row.says.format(who=_who(rank, machine), what=what.rstrip("."))


def _confidence(chosen: Sighting, cause: str, alive: Sequence[Sighting]) -> float:
    """Lower where lines of another kind are as strong: then order alone decided."""
    same = [one for one in alive if one.pattern.strength is chosen.pattern.strength]
    others = {one.pattern.cause for one in same} - {cause, chosen.pattern.cause}
    return round(CONFIDENCE[max(chosen.pattern.strength, Strength.PEER)] - 0.1 * min(len(others), 3), 2)


# ---- nothing failed, or nothing says why ----
def _nothing(logs: Sequence[Log]) -> Verdict:
    row = CLASSES[NOTHING_FAILED]
    told = any(log.ended_well is not None or log.steps for log in logs)
    return Verdict(NOTHING_FAILED, row.owner, row.hardware, row.says, 0.9 if told else 0.6)


def _timed_out(logs: Sequence[Log]) -> Verdict | None:
    """Collectives that timed out while nothing says why; the one rank that did not report is named."""
    found = [one for log in logs for one in log.sightings if one.pattern.name in ("watchdog.timeout", "gloo.timeout")]
    found = _alive(found, logs)
    if not found:
        return None
    row = CLASSES[NO_CAUSE]
    known = {rank for log in logs for rank in log.ranks_seen}
    numbers = {rank: number for log in logs for rank, number in log.timed_out.items()}
    lost = (one for log in logs for one in log.sightings if one.pattern.strength is Strength.PEER)
    complaining = numbers.keys() | {one.rank for one in (*found, *lost) if one.rank is not None}
    silent = known - complaining if complaining else set()
    rank = next(iter(silent)) if len(silent) == 1 else None
    said = row.says
    if rank is not None:
        said = (
            f"All known ranks but rank {rank} timed out in a collective and rank {rank} did not report; "
            "the text does not say why."
        )
    elif (behind := _behind(numbers)) is not None:
        said += f" Rank {behind} stands at collective {numbers[behind]}, the others are further."
    return Verdict(NO_CAUSE, row.owner, row.hardware, said, 0.5, rank)


def _behind(numbers: dict[int, int]) -> int | None:
    """The one rank whose sequence number is lower than that of all others."""
    lowest = min(numbers.values(), default=0)
    ranks = [rank for rank, number in numbers.items() if number == lowest]
    return ranks[0] if len(ranks) == 1 and len(numbers) > 1 else None


# ---- NaN and slow ----
def _first_nan(logs: Sequence[Log]) -> Verdict | None:
    """Where the numbers stopped being numbers for good."""
    next_parts = {id(log.goes_on) for log in logs if log.goes_on is not None}
    for log in logs:
        if id(log) in next_parts:
            continue
        first: Step | None = None
        name = log.name
        for part in log.parts:
            for step in part.steps:
                if not step.is_nan:
                    first = None
                elif first is None:
                    first, name = step, part.name
        if first is not None:
            row = CLASSES["nan-loss"]
            at = f" from iteration {first.iteration} on" if first.iteration is not None else ""
            said = f"The loss or its gradient is not a number{at}; the run goes on but learns nothing."
            return Verdict("nan-loss", USER, row.hardware, said, 0.85, None, None, name, first.number)
    return None


def _slow(logs: Sequence[Log]) -> Verdict | None:
    return _scored(logs) or _changed(logs) or _starved(logs) or _throttled(logs)


def _throttled(logs: Sequence[Log]) -> Verdict | None:
    for log in logs:
        if log.throttled:
            row, slowed = CLASSES["slow-throttle"], log.throttled[0]
            said = f"GPU {slowed.gpu} is slowed down ({slowed.reason.replace('_', ' ')})."
            return Verdict(
                "slow-throttle", row.owner, row.hardware, said, 0.75, None, slowed.machine, log.name, slowed.line
            )
    return None


def _scored(logs: Sequence[Log]) -> Verdict | None:
    worst: tuple[str, Score] | None = None
    for log in logs:
        for score in log.scores:
            if score.score < SLOW_SCORE and (worst is None or score.score < worst[1].score - 0.1):
                worst = worst or (log.name, score)
    if worst is None:
        return None
    name, score = worst
    row = CLASSES["slow-straggler"]
    said = (
        f"Rank {score.rank} on {score.machine} runs the common kernels at {score.score:.0%} of the best rank's speed."
    )
    return Verdict("slow-straggler", row.owner, row.hardware, said, 0.85, score.rank, score.machine, name, score.line)


def _changed(logs: Sequence[Log]) -> Verdict | None:
    for log in logs:
        timed = [step for step in log.steps if step.cost]
        change = step_change([step.cost or 0.0 for step in timed])
        if change is None:
            continue
        return _slower(log, timed[change.at], change)
    return None


def _slower(log: Log, step: Step, change: Change) -> Verdict:
    often = f"{change.ratio:.2f} times as long from iteration {step.iteration} on"
    if log.throttled:
        row, slowed = CLASSES["slow-throttle"], log.throttled[0]
        said = f"Every step takes {often}: GPU {slowed.gpu} is slowed down ({slowed.reason.replace('_', ' ')})."
        return Verdict("slow-throttle", row.owner, row.hardware, said, 0.9, None, None, log.name, step.number)
    row = CLASSES["slow-straggler"]
    said = f"Every step takes {often}: one GPU or link became slower; the text does not name it."
    return Verdict("slow-straggler", row.owner, row.hardware, said, 0.6, None, None, log.name, step.number)


def _starved(logs: Sequence[Log]) -> Verdict | None:
    for log in logs:
        starved: list[tuple[int, float]] = []
        for line, share in reversed(log.waits):  # to the end: the first steps of a run wait for their workers
            if share <= LOADER_SHARE:
                break
            starved.insert(0, (line, share))
        if len(starved) >= MOST_WAITS or (starved and len(starved) == len(log.waits)):
            row = CLASSES["slow-dataloader"]
            said = f"{starved[0][1]:.0%} of each step goes into waiting for data; the GPUs idle."
            return Verdict("slow-dataloader", row.owner, row.hardware, said, 0.85, None, None, log.name, starved[0][0])
    return None


def _ruled_out(verdict: Verdict, logs: Sequence[Log]) -> list[str]:
    """What was looked for and not found."""
    seen = {one.pattern.cause for log in logs for one in log.sightings if one.pattern.strength >= Strength.PEER}
    seen.add(verdict.cause)
    return [words for words, marks in CHECKED.items() if not any(mark in cause for mark in marks for cause in seen)]
