"""Whether one look at a machine shows that its faults are gone. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from health.events import Cursor, is_after, is_event
from health.verdicts import Verdict


@dataclass(frozen=True)
class Target:
    """A fault to verify: where, and which checks showed it."""

    slot: str
    checks: frozenset[str]


@dataclass(frozen=True)
class Judgement:
    """`passed` is None when the report does not tell: look again. `results` are what decided, worst first."""

    passed: bool | None
    results: tuple[dict[str, str], ...]
    failing: tuple[Any, ...] = ()


def judge(
    findings: Sequence[Any],
    targets: Sequence[Target],
    slots: frozenset[str],
    cursor: Cursor,
    boot_id: str,
    quiet: Callable[[str, str], bool] = lambda check, part: False,
) -> Judgement:
    """Judge the findings of a report that was made after the request.

    Of a component slot every check must pass; of anything else the checks that showed the fault. An event counts only
    when it is newer than `cursor`, the last one read when the repair was reported. Without targets that is every
    check of the machine. A check that is `quiet` (silenced, or only observed) counts only where it showed a fault that
    is to be verified: a silence is no repair.
    """

    def verdict_of(finding: Any) -> str:
        shown = any(t.slot == finding.part and finding.check in t.checks for t in targets)
        return "info" if not shown and quiet(finding.check, finding.part) else _verdict(finding, cursor, boot_id)

    relevant = [(finding, verdict_of(finding)) for finding in findings if _concerns(finding, targets, slots)]
    failing = tuple(finding for finding, verdict in relevant if verdict == "fail")
    unknown = any(verdict == "unknown" for _, verdict in relevant)
    results = tuple(
        {"check": f.check, "part": f.part, "verdict": verdict, "message": f.message}
        for f, verdict in sorted(relevant, key=lambda pair: Verdict(pair[1]).rank)
    )
    if failing:
        return Judgement(False, results, failing)
    unseen = [t for t in targets if not any(_concerns(finding, [t], slots) for finding, _ in relevant)]
    if not relevant or unseen or unknown:
        return Judgement(None, results)
    return Judgement(True, results)


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
