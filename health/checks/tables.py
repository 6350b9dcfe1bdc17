"""The tables of health/checks/data that checks read: CSV with notes on lines that begin with #."""

from __future__ import annotations

import csv
from pathlib import Path

_DATA = Path(__file__).resolve().parent / "data"


def rows_of(name: str) -> list[dict[str, str]]:
    """The rows of a table by its file's name."""
    with (_DATA / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))
