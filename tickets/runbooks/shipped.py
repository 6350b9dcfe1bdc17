"""The runbooks that come with Rackside, one file each in `data/`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import yaml

from health.checks.faults import FAULT_CLASSES
from tickets.runbooks.document import Runbook, read

DATA = Path(__file__).parent / "data"
FOR_WHAT_NOBODY_KNOWS = "inspect"


@cache
def shipped() -> dict[str, Runbook]:
    """By slug, which is the name of the file. Raises Refused for a file that is no runbook."""
    files = sorted(DATA.glob("*.yaml"))
    return {path.stem: read(yaml.safe_load(path.read_text(encoding="utf-8"))) for path in files}


def slug_of(fault_class: str) -> str:
    """The runbook of a class of fault, as `health/checks/data/fault_classes.csv` has it."""
    known = FAULT_CLASSES.get(fault_class)
    return known.steps if known else FOR_WHAT_NOBODY_KNOWS
