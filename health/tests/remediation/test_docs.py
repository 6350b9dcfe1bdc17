"""docs/remediation.md says what the tables say."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

from health.machines import sla
from health.machines.limits import Limits
from health.remediation import records
from health.remediation.remedies import REMEDIES

DOC = (Path(__file__).parents[3] / "docs" / "remediation.md").read_text()


def rows(start: str) -> list[list[str]]:
    """The cells of the table whose head starts so."""
    lines = DOC[DOC.index(start) :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_the_ladder_is_drawn_as_it_is() -> None:
    shown = [
        [
            str(int(r.rung)),
            f"`{r.name}`",
            "yes" if r.needs_drain else "only when it is not idle",
            "yes" if r.idempotent else "no",
            "yes" if r.power else "no",
            f"{r.deadline_s // 60} min",
            r.verification,
            f"level {r.level}" if r.level else "–",
            str(int(r.next_rung)),
        ]
        for r in REMEDIES
    ]
    assert rows("| level | remedy |") == shown


def test_the_table_of_guards_names_each_limit_with_its_default() -> None:
    """The whole list is compared in `test_limits`."""
    guards = DOC[DOC.index("| guard | default | limit |") :].split("\n\n")[0]
    named = set(re.findall(r"`(\w+)`", guards)) & {field.name for field in fields(Limits)}
    assert len(named) > 20
    for field in fields(Limits):
        if field.name in named:
            line = next(line for line in guards.splitlines() if f"`{field.name}`" in line)
            value = (
                f"{field.default:.0%}".replace("%", " %") if isinstance(field.default, float) else str(field.default)
            )
            assert re.search(rf"(?<![\d.]){re.escape(value)}(?![\d.])", line), (field.name, value, line)


def test_the_steps_of_a_record_are_drawn_as_they_are() -> None:
    drawn = set(re.findall(r"^    (\w+) --> (\w+)", DOC, flags=re.M))
    assert drawn == {(str(old), str(new)) for old, after in records.STEPS.items() for new in after}


def test_the_limits_of_states_are_those_of_the_table() -> None:
    shown = {state: int(hours.split()[0]) for state, hours in rows("| state | hours |")}
    assert shown == {str(state): seconds // 3600 for state, seconds in sla.LIMITS_S.items()}
