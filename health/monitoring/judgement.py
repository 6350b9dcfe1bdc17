"""Whether one look at a machine shows that its faults are gone. Pure: it decides, the service only carries it out.

A repair is believed when every check of its faults was asked after the repair and passed, in its slot. What is missing,
unknown, late or cut off is not passed, and whoever stands at the machine is told which check that is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from health.checks.model import MACHINE
from health.checks.verdicts import Verdict
from health.monitoring.events import Cursor, is_after, is_event

NAMED = 3  # checks without a result that are named; the rest is counted
Place = tuple[str, str]


@dataclass(frozen=True)
class Target:
    """A fault to verify: where, and which checks showed it."""

    slot: str
    checks: frozenset[str]


@dataclass(frozen=True)
class Judgement:
    """`passed` is None when the report does not tell: look again. `results` are what decided, worst first; `missing`
    the (check, part) that had to answer and did not."""

    passed: bool | None
    results: tuple[dict[str, str], ...]
    failing: tuple[Any, ...] = ()
    missing: tuple[Place, ...] = ()


class Outcome(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    AGAIN = "again"


@dataclass(frozen=True)
class Timing:
    """When a verification was asked for, when the machine was looked at, and until when it may be looked at again."""

    asked_at: datetime
    looked_at: datetime
    deadline_at: datetime
    heard: bool

    @property
    def last(self) -> bool:
        return self.looked_at >= self.deadline_at


def too_early(timing: Timing) -> str:
    """Why a look decides nothing whatever it says; empty when it may."""
    if timing.looked_at <= timing.asked_at:
        return "the check was older than the request"
    return "not reached yet" if not timing.heard and not timing.last else ""


def conclude(judgement: Judgement, timing: Timing, parts: Mapping[str, str]) -> tuple[Outcome, str]:
    """What becomes of a verification, and why in words for the technician; `parts`: how people read them, by name."""
    if why := too_early(timing):
        return Outcome.AGAIN, why
    if not timing.heard:
        return Outcome.FAILED, "the machine was unreachable"
    if judgement.passed is None:
        return (Outcome.FAILED if timing.last else Outcome.AGAIN), without_result(judgement.missing, parts)
    if judgement.passed:
        return Outcome.PASSED, "every check passed"
    first = judgement.results[0]
    return Outcome.FAILED, f"{first['check']} of {parts.get(first['part'], first['part'])}: {first['message']}"


def without_result(missing: Sequence[Place], parts: Mapping[str, str]) -> str:
    """Such as `no result of gpu.ecc of SXM 6 (GPU 5) and 2 more checks`."""
    if not missing:
        return "no check gave a result"
    named = [f"{check} of {parts.get(part, part)}" for check, part in missing[:NAMED]]
    more = len(missing) - len(named)
    return f"no result of {', '.join(named)}" + (f" and {more} more check{'s' if more > 1 else ''}" if more else "")


def judge(
    findings: Sequence[Any],
    targets: Sequence[Target],
    slots: frozenset[str],
    cursor: Cursor,
    boot_id: str,
    quiet: Callable[[str, str], bool] = lambda check, part: False,
    layout: Iterable[Place] = (),
    mild: Callable[[Any], bool] = lambda finding: False,
) -> Judgement:
    """Judge the findings of a report that was made after the request.

    Of a component slot every check must pass, those too that a whole report of the model has (`layout`); of anything
    else the checks that showed the fault. A check that names a part only while something is wrong with it answers for
    the machine as a whole. An event counts only when it is newer than `cursor`, the last one read when
    the repair was reported. Without targets that is every check of the machine, and what is `mild` there (a fault that
    leaves the machine in service) is no reason to keep it out. A check that is `quiet` (silenced, or only observed)
    counts only where it showed a fault that is to be verified: a silence is no repair.
    """
    shown = _shown(targets)

    def verdict_of(finding: Any) -> str:
        if (finding.check, finding.part) not in shown and quiet(finding.check, finding.part):
            return "info"
        return "info" if not targets and mild(finding) else _verdict(finding, cursor, boot_id)

    asked = shown | {place for place in _asked(targets, slots, layout) if not quiet(*place)}
    answers = [finding for finding in findings if _concerns(finding, targets, slots)]
    absent = asked - {(finding.check, finding.part) for finding in answers}
    instead = [f for f in findings if f.part == MACHINE and f.check in {check for check, _ in absent}]
    answers += [finding for finding in instead if finding not in answers]
    absent = {(check, part) for check, part in absent if check not in {finding.check for finding in instead}}
    relevant = [(finding, verdict_of(finding)) for finding in answers]
    failing = tuple(finding for finding, verdict in relevant if verdict == "fail")
    missing = sorted(absent | {(f.check, f.part) for f, verdict in relevant if verdict == "unknown"})
    said = [{"check": f.check, "part": f.part, "verdict": verdict, "message": f.message} for f, verdict in relevant]
    said += [{"check": c, "part": p, "verdict": "unknown", "message": "gave no result"} for c, p in sorted(absent)]
    results = tuple(sorted(said, key=lambda row: Verdict(row["verdict"]).rank))
    if failing:
        return Judgement(False, results, failing, tuple(missing))
    passed = True if relevant and not missing else None
    return Judgement(passed, results, (), tuple(missing))


def _shown(targets: Sequence[Target]) -> set[Place]:
    """Where the faults were shown."""
    return {(check, target.slot) for target in targets for check in target.checks}


def _asked(targets: Sequence[Target], slots: frozenset[str], layout: Iterable[Place]) -> set[Place]:
    """The (check, part) that must answer."""
    if not targets:
        return set(layout)
    components = {target.slot for target in targets if target.slot in slots}
    return _shown(targets) | {(check, part) for check, part in layout if part in components}


def _verdict(finding: Any, cursor: Cursor, boot_id: str) -> str:
    if is_event(finding) and str(finding.verdict) == "fail" and not is_after(cursor, boot_id, finding):
        return "info"
    return str(finding.verdict)


def _concerns(finding: Any, targets: Sequence[Target], slots: frozenset[str]) -> bool:
    if not targets:
        return True
    return any(
        finding.part == target.slot and (target.slot in slots or finding.check in target.checks) for target in targets
    )
