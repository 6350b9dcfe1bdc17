"""Whole logs of real torchrun jobs of 64 and 256 ranks, recorded with faults injected by `training/record.py`."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from runs.explanation import explain

RECORDED = Path(__file__).parent / "data" / "recorded"
ROWS: list[dict[str, Any]] = [json.loads(line) for line in (RECORDED / "index.jsonl").read_text().splitlines()]
FAILED = [row for row in ROWS if row["class"] != "none"]
KEYS = ("class", "owner", "hardware_fault", "rank", "file", "line")
WELL = [row for row in ROWS if row["class"] == "none"]


def explained(row: dict[str, Any], tmp_path: Path) -> dict[str, Any]:
    """The answer for a recorded run; its file as a path within the folder of the run."""
    with tarfile.open(RECORDED / f"{row['folder']}.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    folder = tmp_path / row["folder"]
    found = explain([folder]).as_json()
    if found["file"] is not None:
        found["file"] = Path(found["file"]).relative_to(folder).as_posix()
    return found


def names(rows: list[dict[str, Any]]) -> list[str]:
    return [row["folder"] for row in rows]


@pytest.mark.slow
@pytest.mark.parametrize("row", FAILED, ids=names(FAILED))
def test_the_first_cause_is_found_among_the_files_of_all_ranks(row: dict[str, Any], tmp_path: Path) -> None:
    """`also` holds other answers that are as right: ranks that failed alike, a line that stands in two files."""
    found = explained(row, tmp_path)

    right = [{key: ({**row, **one})[key] for key in KEYS} for one in ({}, *row.get("also", ()))]
    for one in right:
        one["hardware_fault"] = None if one["hardware_fault"] == "unknown" else one["hardware_fault"]
    answer = {key: found[key] for key in KEYS}
    assert answer == right[0] or answer in right


@pytest.mark.parametrize("row", WELL, ids=names(WELL))
def test_a_run_that_ended_well_has_no_cause_whatever_it_went_through(row: dict[str, Any], tmp_path: Path) -> None:
    found = explained(row, tmp_path)

    assert (found["class"], found["rank"], found["line"]) == ("none", None, None)
    assert (found["hardware_fault"], found["unreadable"]) == (False, [])


def test_each_archive_has_a_row() -> None:
    assert sorted(names(ROWS)) == sorted(path.name.removesuffix(".tar.xz") for path in RECORDED.glob("*.tar.xz"))
