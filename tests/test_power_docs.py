"""The page about power shows every finding with what to do, as the table that decides has it."""

from __future__ import annotations

from pathlib import Path

from facility.judgement.energy import ERRORS_PERCENT
from facility.judgement.kinds import KINDS
from facility.meters.models import Meter

PAGE = (Path(__file__).parent.parent / "docs/power-and-cooling.md").read_text()


def test_every_finding_stands_there_with_its_severity_and_what_to_do() -> None:
    shown = [line for line in PAGE.splitlines() if line.startswith("| `") and line.split("`")[1] in KINDS]
    assert shown == [f"| `{each.key}` | {each.title} | {each.severity} | {each.todo} |" for each in KINDS.values()]


def test_every_kind_of_meter_that_is_asked_and_every_method_of_energy_stand_there() -> None:
    assert all(f"| `{kind}` |" in PAGE for kind in Meter.ASKED)
    assert all(f"± {percent:g} %" in PAGE for percent in ERRORS_PERCENT.values())
