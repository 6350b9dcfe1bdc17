"""The labelled excerpts: class, line of the first cause, owner and broken part of each."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from runs.causes.classes import CLASSES
from runs.causes.log import read_log
from runs.causes.pattern import Pattern
from runs.causes.patterns import TABLE
from runs.explanation import explain

LOGS = Path(__file__).parent / "data" / "logs"
ROWS: list[dict[str, Any]] = [json.loads(line) for line in (LOGS / "index.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("row", ROWS, ids=[row["file"] for row in ROWS])
def test_the_first_cause_of_a_labelled_log_is_found(row: dict[str, Any]) -> None:
    found = explain([LOGS / row["file"]]).as_json()

    broken = None if row["hardware_fault"] == "unknown" else row["hardware_fault"]
    wanted = (row["class"], row["first_cause_line"], row["owner"], broken)
    assert (found["class"], found["line"], found["owner"], found["hardware_fault"]) == wanted


WRITTEN = LOGS.parent / "written"
MORE: list[dict[str, Any]] = [json.loads(line) for line in (WRITTEN / "index.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("row", MORE, ids=[row["file"] for row in MORE])
def test_class_and_line_of_an_excerpt_written_apart_from_the_patterns_are_found(row: dict[str, Any]) -> None:
    found = explain([WRITTEN / row["file"]]).as_json()

    assert (found["class"], found["line"]) == (row["class"], row["first_cause_line"])


def test_the_classes_are_those_of_the_labels() -> None:
    assert {row["class"] for row in ROWS} - CLASSES.keys() == set()
    assert {pattern.cause for pattern in TABLE} - CLASSES.keys() == set()


@pytest.mark.parametrize("pattern", TABLE, ids=[pattern.name for pattern in TABLE])
def test_each_pattern_knows_its_sample(pattern: Pattern) -> None:
    """Through the whole reader: the sample is searched for, and no row above it takes it away."""
    log = read_log("sample", io.BytesIO(f"before\n[rank3]: {pattern.sample}\nafter\n".encode()), 2026)

    assert [(one.pattern.name, one.line.number, one.rank) for one in log.sightings] == [(pattern.name, 2, 3)]


def test_the_first_step_of_a_class_is_said_as_it_stands() -> None:
    assert [name for name, row in CLASSES.items() if "{" in row.first] == []


def test_names_of_patterns_are_unique_and_each_row_is_whole() -> None:
    names = [pattern.name for pattern in TABLE]
    assert len(names) == len(set(names))
    assert [pattern.name for pattern in TABLE if not (pattern.means and pattern.source and pattern.triggers)] == []
