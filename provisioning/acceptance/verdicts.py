"""What an active run says of one of its machines. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from provisioning.failures import checks
from provisioning.steps import FailureClass

PASS = "pass"


@dataclass(frozen=True, slots=True)
class Ended:
    """One test of a machine that ended, in their order; a later one of the same kind is its repetition."""

    kind: str
    verdict: str
    message: str


def why_not_passed(tests: Iterable[Ended], wanted: Sequence[str]) -> str:
    """Why a machine did not pass tests of its own; empty when it did. A test without a result is not passed."""
    last = {each.kind: each for each in tests}
    for kind in wanted:
        if kind not in last:
            return f"{kind} was not run"
        if last[kind].verdict != PASS:
            return f"{kind}: {last[kind].message or last[kind].verdict}"
    return ""


def why_links_not_passed(name: str, conclusion: Mapping[str, Mapping[str, Any]]) -> str:
    """Why the links of a machine did not pass a run over pairs; empty when they did. `conclusion` as an active run
    keeps it: `{adapter and test: {bad: [name], switches: {switch: [name]}, undecided: {name: reason}}}`."""
    if not conclusion:
        return "nothing was tested"
    for test, said in sorted(conclusion.items()):
        if name in said["bad"]:
            return f"{test}: it fails with two machines that pass with others"
        for switch, behind in sorted(said["switches"].items()):
            if name in behind:
                return f"{test}: what is behind {switch} fails"
        if name in said["undecided"]:
            return f"{test}: not decided, {said['undecided'][name]}"
    return ""


def class_of(findings: Iterable[Mapping[str, Any]], usual: FailureClass) -> FailureClass:
    """A part that is missing or narrow explains a test that fails; else it is the class of the step. `findings` are
    those of the tests and of the last checks."""
    return checks.leading(findings) or usual
