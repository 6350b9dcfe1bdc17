"""Why a run ended, hangs or is slow, from files of any kind that speak of it: the answer over all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runs.causes import classes
from runs.causes.classes import CLASSES, HARDWARE, NO_CAUSE, NOTHING_FAILED
from runs.causes.log import Log
from runs.causes.verdict import Verdict, judge
from runs.evidence import Files, read_files
from runs.hangs import flight_recorder, ras, stacks
from runs.hangs.flight_recorder import Analysis, Behind

WEAK = (NOTHING_FAILED, NO_CAUSE, "elastic-rdzv")
"""Classes that an earlier attempt, or another kind of file, explains better."""
SLURM_STATES = {
    "TIMEOUT": "slurm-timeout",
    "DEADLINE": "slurm-timeout",
    "PREEMPTED": "slurm-preempt",
    "REQUEUED": "slurm-preempt",
    "NODE_FAIL": "slurm-nodefail",
    "BOOT_FAIL": "slurm-nodefail",
    "OUT_OF_MEMORY": "slurm-oom",
    "CANCELLED": "slurm-cancel",
}
"""Job states of sacct(1), Slurm 24.05, that name a cause by themselves; FAILED does not."""


@dataclass
class Explanation:
    verdict: Verdict
    behind: list[Behind]
    refused: list[tuple[str, str]]

    def as_json(self) -> dict[str, Any]:
        verdict = self.verdict
        return {
            "class": verdict.cause,
            "owner": verdict.owner,
            "hardware_fault": verdict.hardware,
            "rank": verdict.rank,
            "machine": verdict.machine,
            "file": verdict.file,
            "line": verdict.line,
            "sentence": verdict.sentence,
            "first_step": verdict.first_step,
            "confidence": verdict.confidence,
            "ruled_out": verdict.ruled_out,
            "followers": verdict.followers,
            "behind": [
                {"rank": one.rank, "process_group": str(one.group), "collective": one.collective, "why": one.why}
                for one in self.behind
            ],
            "unreadable": [{"file": name, "reason": reason} for name, reason in self.refused],
        }


def explain(paths: Sequence[Path]) -> Explanation:
    """Read the files and folders, and say why the run ended. Raises OSError where a path given does not exist."""
    return explain_files(read_files(paths))


def explain_files(files: Files) -> Explanation:
    """The answer over what was read."""
    verdict = _of_logs(files) if files.logs else _nothing_read()
    behind: list[Behind] = []
    if files.dumps or files.unreadable_dumps:
        analysis = flight_recorder.analyse(files.dumps, files.unreadable_dumps)
        behind = analysis.behind or analysis.mismatches
        if verdict.cause in WEAK and behind:
            verdict = _of_dumps(analysis, verdict)
    if verdict.cause in WEAK and files.stacks:
        verdict = _of_stacks(files.stacks) or verdict
    if verdict.cause in WEAK and files.stuck:
        verdict = _of_kernel(files) or verdict
    if verdict.cause in WEAK and files.ras:
        verdict = _of_ras(files) or verdict
    if verdict.cause in WEAK and files.states:
        verdict = _of_states(files.states) or verdict
    return Explanation(verdict, behind, files.refused)


# ---- the answer ----
def _nothing_read() -> Verdict:
    """No log is no proof that nothing failed."""
    row = CLASSES[NOTHING_FAILED]
    return Verdict(NOTHING_FAILED, row.owner, None, "There was no log to read, so nothing can be said.", 0.0)


def _of_logs(files: Files) -> Verdict:
    """Of the last attempt; of an earlier one where the last only says that it could not begin again."""
    verdict: Verdict | None = None
    if any(log.ended_well is not None for of_attempt in files.logs.values() for log in of_attempt):
        files.logs = _last_tries(files)
    # Files beside the attempts: what the launcher and the machines wrote.
    outside = [log for log in files.logs.get(0, []) if files.origins[log.name].local is None]
    for attempt in sorted(files.logs, reverse=True):
        logs = files.logs[attempt] if attempt == 0 else [*files.logs[attempt], *outside]
        found = judge(logs)
        if verdict is None or found.cause not in WEAK:
            verdict = found
        ended = any(log.ended_well is not None for log in logs)
        if verdict.cause not in WEAK or ended:
            return verdict
    return verdict or _nothing_read()


def _last_tries(files: Files) -> dict[int, list[Log]]:
    """Of a run that ended well, each process's last log, together.

    Agents of torchelastic count attempts for themselves: one that restarts because another one did keeps its number.
    """
    last: dict[tuple[str | None, int | None, str], Log] = {}
    for attempt in sorted(files.logs):
        for log in files.logs[attempt]:
            origin = files.origins[log.name]
            process = (origin.machine, origin.local, Path(log.name).name if origin.local is not None else log.name)
            last[process] = log
    return {0: list(last.values())}


def _of_dumps(analysis: Analysis, before: Verdict) -> Verdict:
    found = analysis.behind or analysis.mismatches
    cause = "hang-flightrec" if analysis.behind else "collective-mismatch"
    row = CLASSES[cause]
    named = ", ".join(f"{one.rank}" for one in found[:8]) + (f" and {len(found) - 8} more" if len(found) > 8 else "")
    first = found[0]
    said = f"{'Ranks' if len(found) > 1 else 'Rank'} {named}, at {first.collective} of {first.group}: {first.why}."
    if analysis.unreadable:
        said += f" Dumps of {len(analysis.unreadable)} ranks could not be read."
    stuck = all(one.called for one in found) and bool(analysis.behind)
    gone = all(one.rank in analysis.missing for one in found)
    return Verdict(
        cause,
        HARDWARE if stuck else None if gone else row.owner,
        None if stuck or gone else row.hardware,
        said,
        0.7 if analysis.unreadable else 0.9,
        first.rank,
        followers=before.followers,
        ruled_out=before.ruled_out,
    )


def _of_stacks(found: list[stacks.Stack]) -> Verdict | None:
    groups = stacks.parties(found)
    odd = stacks.odd_one_out(groups)
    if odd is None:
        return None
    row = CLASSES["hang-pyspy"]
    first = odd.stacks[0]
    others = sum(len(group.stacks) for group in groups) - len(odd.stacks)
    who = (
        f"Rank {first.rank}" if first.rank is not None else "One process" if len(odd.stacks) == 1 else "Some processes"
    )
    place = odd.frames[0]
    said = f"{who} stands in {place}, called from {odd.frames[min(2, len(odd.frames) - 1)]}; {others} others wait."
    return Verdict(
        "hang-pyspy", row.owner, row.hardware, said, 0.75, first.rank, None, first.source, first.at, followers=others
    )


def _of_kernel(files: Files) -> Verdict | None:
    """A rank that the kernel holds, where no stack says more; a machine whose file system is gone holds many."""
    stuck = sorted((one for one in files.stuck if one.rank is not None), key=lambda one: one.rank or 0)
    if not stuck:
        return None
    row, first = CLASSES["hang-pyspy"], stuck[0]
    owner, words = first.holder
    others = f" (and {len(stuck) - 1} more)" if len(stuck) > 1 else ""
    said = f"Rank {first.rank}{others} is held by the kernel in {first.place or 'a call'}: it waits for {words}."
    hardware = None if owner == HARDWARE else False
    return Verdict("hang-pyspy", owner or row.owner, hardware, said, 0.75, first.rank, first.machine)


def _of_ras(files: Files) -> Verdict | None:
    found = ras.late(files.ras)
    if not found:
        return None
    row, first = CLASSES["hang-ras"], found[0]
    ranks = [files.ranks_at.get((one.host.split(".", 1)[0], one.pid)) for one in found]
    named = [
        f"rank {rank}" if rank is not None else f"process {one.pid} on {one.host}"
        for rank, one in zip(ranks, found, strict=True)
    ]
    others = f" and {len(named) - 1} more" if len(named) > 1 else ""
    of = f" ({first.collective})" if first.collective else ""
    said = f"{named[0][0].upper()}{named[0][1:]}{others} {first.why}{of}."
    gone = first.why != ras.FEWER
    return Verdict("hang-ras", None if gone else row.owner, None, said, 0.6, ranks[0], first.host)


def _of_states(states: Iterable[tuple[str, str, int]]) -> Verdict | None:
    for state, file, line in states:
        cause = SLURM_STATES.get(state.split()[0])
        if cause:
            row = CLASSES[cause]
            said = row.says.format(who="The job", what=f"state {state}")
            return Verdict(cause, row.owner, row.hardware, said, 0.8, None, None, file, line)
    return None


OWNERS = {
    classes.HARDWARE: "hardware",
    classes.NETWORK: "the network",
    classes.STORAGE: "storage",
    classes.ENVIRONMENT: "the environment of the job",
    classes.SOFTWARE: "software",
    classes.USER: "the run's own code or settings",
    classes.SCHEDULER: "the scheduler",
    None: "not known",
}
HARDWARE_WORDS = {True: "yes", False: "no", None: "cannot be told"}


def as_text(explanation: Explanation) -> str:
    """The answer for people."""
    verdict = explanation.verdict
    lines = [verdict.sentence]
    if verdict.file:
        lines.append(f"First cause   {verdict.file}:{verdict.line}")
    lines += [
        f"Class         {verdict.cause}, {verdict.confidence:.0%} sure",
        f"Owner         {OWNERS[verdict.owner]}",
        f"Broken part   {HARDWARE_WORDS[verdict.hardware]}",
        f"First step    {verdict.first_step}",
    ]
    if verdict.followers:
        lines.append(f"Followers     {verdict.followers} lines are consequences")
    for one in explanation.behind:
        lines.append(f"Behind        rank {one.rank}: {one.why} ({one.collective} of {one.group})")
    if verdict.ruled_out:
        lines.append("Ruled out     " + "; ".join(verdict.ruled_out))
    lines += [f"Not read      {name}: {reason}" for name, reason in explanation.refused]
    return "\n".join(lines)
