"""From what a test printed to findings, by the same checks that judge every other output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from health.checks import Expectation, Finding, catalogue
from health.checks.context import Context
from health.checks.engine import judge
from health.checks.probes.script import Output
from health.checks.sources import Reading, identify, read
from health.checks.verdicts import Verdict
from inventory.slot_text import about

PREFIX = ("python3 -m torch.distributed.run", "torchrun")


@dataclass(frozen=True)
class Printed:
    """One output of a test: the command line, its exit status, what it printed, and what it complained of."""

    command: str
    exit_status: int
    text: str
    trouble: str = ""


def findings_of(checks: Sequence[str], printed: Sequence[Printed], expectation: Expectation) -> list[Finding]:
    """What these checks say of what a test printed.

    What failed by its numbers has failed whatever the exit status; what looks fine and ended badly is unknown.
    """
    readings: dict[str, Reading] = {}
    for each in printed:
        line = each.command
        for start in PREFIX:
            if line.startswith(start):
                line = f"torchrun {line.removeprefix(start).strip()}"
        tool = identify(line)
        if tool is not None:
            text = each.text if each.text.strip() else each.trouble
            readings[tool.reading] = read(tool, Output(line, each.exit_status, 0, text))
    x = Context(expectation, readings)
    return [finding for check in catalogue() if check.id in checks for finding in judge(check, x, fed_only=True)]


def verdict_of(
    checks: Sequence[str], findings: Sequence[Finding], printed: Sequence[Printed], parts: Mapping[str, str]
) -> tuple[str, str]:
    """pass, fail or unknown of a whole test, and why in words, Without a finding of every check there is no
    pass. `parts`: how people read them, by name."""
    failing = [finding for finding in findings if finding.verdict is Verdict.FAIL]
    if failing:
        return "fail", _line(failing[0], parts)
    silent = [finding for finding in findings if finding.verdict is Verdict.UNKNOWN]
    if silent:
        return "unknown", _line(silent[0], parts)
    told = {finding.check for finding in findings}
    if not findings or set(checks) - told:
        said = next((each.trouble.splitlines()[-1] for each in printed if each.trouble.strip()), "no result")
        return "unknown", said[:300]
    ended = [each for each in printed if each.exit_status]
    if ended:
        return "unknown", f"{ended[0].command.split()[0]} ended with exit status {ended[0].exit_status}"
    first = next((f for f in findings if f.verdict is not Verdict.OK), findings[0])
    return "pass", first.message


def _line(finding: Finding, parts: Mapping[str, str]) -> str:
    return about(parts.get(finding.part, finding.part), finding.message)
