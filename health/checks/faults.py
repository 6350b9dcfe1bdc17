"""The classes of fault a check can show, read from `health/checks/data/fault_classes.csv`, the one table about classes.

Within one machine and slot the most precedent class leads: a GPU that is gone explains its missing links, never the
other way round. The rung is the first step of the remediation ladder that can help: a finding may name a higher one.
What only hands or a decision can mend, and what is known by silence alone, starts at a person. The response says what
follows for the machine (`health/checks/responses.py`); a table with a line that says none is not read at all.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

from health.checks.levels import Rung, Severity
from health.checks.responses import Escalation, Response, Rule

TABLE = Path(__file__).parent / "data" / "fault_classes.csv"
PRIORITIES = ("P1", "P2", "P3")
_PRIORITY = {Severity.CRITICAL: "P1", Severity.MAJOR: "P2", Severity.MINOR: "P3", Severity.NOTE: "P3"}


class Precedence(IntEnum):
    """0 leads."""

    GONE = 0
    BUS = 1
    LINK = 2
    DEGRADED = 3


@dataclass(frozen=True)
class FaultClass:
    """`advice` is the action of a finding that names no better one; `ticket` the title of its repair ticket, with
    {part} and {machine}; `steps` the runbook of its repair (`docs/runbooks.md`); `hot`: repaired while jobs run."""

    precedence: Precedence
    start_rung: Rung
    severity: Severity
    response: Response
    escalation: Escalation | None
    hot: bool
    steps: str
    title: str
    ticket: str
    advice: str

    @property
    def priority(self) -> str:
        """Of its ticket. P1: no work is possible, or something is in danger; P2: work suffers; P3: it can wait."""
        return _PRIORITY[self.severity]


def read_classes(lines: Iterable[str]) -> dict[str, FaultClass]:
    """The table from its lines. Raises ValueError with the class whose line is wrong and why."""
    found: dict[str, FaultClass] = {}
    for row in csv.DictReader(line for line in lines if not line.startswith("#")):
        name = row["class"]
        try:
            if name in found:
                raise ValueError("it stands there twice")
            found[name] = _class(row)
        except (KeyError, ValueError) as error:
            raise ValueError(f"{TABLE.name}, {name}: {error}") from error
    return found


def _class(row: Mapping[str, str]) -> FaultClass:
    if missing := [name for name in ("title", "ticket", "advice", "steps") if not row[name]]:
        raise ValueError(f"no {', '.join(missing)}")
    return FaultClass(
        precedence=Precedence[row["precedence"].upper()],
        start_rung=Rung[row["starts_at"].upper()],
        severity=Severity(row["severity"]),
        response=Response(row["response"]),
        escalation=Escalation(int(row["count"]), Response(row["then"])) if row["count"] or row["then"] else None,
        hot={"yes": True, "no": False}[row["hot"]],
        steps=row["steps"],
        title=row["title"],
        ticket=row["ticket"],
        advice=row["advice"],
    )


def rule_of(known: FaultClass) -> Rule:
    return Rule(known.response, known.escalation)


FAULT_CLASSES: dict[str, FaultClass] = read_classes(TABLE.read_text(encoding="utf-8").splitlines())
