"""What tests of one machine under load print: nvbandwidth, and two of the scripts of `health.diagnostics.scripts`.

A result is only taken from an output that came to its end: the tools' own last line, or `complete` in a script's JSON.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from health.checks.parsers import ParseError

NVBANDWIDTH = "nvbandwidth"
STRESS = "gpu_stress"
TRAINING = "training"
MOST_GPUS = 64
Matrix = tuple[tuple[float | None, ...], ...]


# ---- nvbandwidth ----


@dataclass(frozen=True)
class CopyTest:
    """One test case: GB/s by row and column, None where nothing was measured (a GPU to itself)."""

    name: str
    matrix: Matrix
    trouble: str = ""


@dataclass(frozen=True)
class CopyBandwidth:
    """All cases of a run of nvbandwidth."""

    tests: tuple[CopyTest, ...]

    def test(self, name: str) -> CopyTest | None:
        return next((each for each in self.tests if each.name == name), None)


_RUNNING = re.compile(r"^Running (\w+?)\.?\s*$")
_SUM = re.compile(r"^SUM (\w+)\s+[\d.]+")
_ROW = re.compile(r"^\s*\d+(\s+(?:N/A|[\d.]+))+\s*$")


def parse_nvbandwidth(text: str) -> CopyBandwidth:
    """The table of any version, and the JSON of `-j` (0.5 and later); warnings before it are set aside."""
    start = text.find("{")
    if start >= 0 and '"nvbandwidth"' in text:
        return CopyBandwidth(tuple(_cases_of_json(_json(NVBANDWIDTH, text[start:]))))
    tests = tuple(_cases_of_text(text))
    if not tests:
        raise ParseError(NVBANDWIDTH, _first_line(text))
    return CopyBandwidth(tests)


def _cases_of_json(document: dict[str, Any]) -> Iterator[CopyTest]:
    body = document.get("nvbandwidth")
    cases = body.get("testcases") if isinstance(body, dict) else None
    if not isinstance(cases, list) or not cases:
        said = str(body.get("error") or "no test case in the output") if isinstance(body, dict) else "no test case"
        raise ParseError(NVBANDWIDTH, said[:200])
    for case in cases:
        if not isinstance(case, dict):
            raise ParseError(NVBANDWIDTH, "a test case that is no object")
        name, status = str(case.get("name") or "?"), str(case.get("status") or "no status")
        rows = case.get("bandwidth_matrix")
        matrix = tuple(tuple(_cell(cell) for cell in row) for row in rows or () if isinstance(row, list))
        trouble = "" if status == "Passed" and matrix else f"status {status}"
        yield CopyTest(name, matrix, trouble)


def _cases_of_text(text: str) -> Iterator[CopyTest]:
    name, rows, ended = "", list[tuple[float | None, ...]](), False
    for line in [*text.splitlines(), "Running end."]:
        if found := _RUNNING.match(line):
            if name:
                yield CopyTest(name, tuple(rows), "" if ended and rows else "the output breaks off before its end")
            name, rows, ended = found.group(1), [], False
        elif _SUM.match(line):
            ended = True
        elif name and not ended and _ROW.match(line):
            cells = line.split()
            if any("." in cell or cell == "N/A" for cell in cells[1:]):  # the head has whole numbers only
                rows.append(tuple(_cell(cell) for cell in cells[1:]))


def _cell(text: Any) -> float | None:
    """GB/s; what is `N/A` or 0 was not measured."""
    try:
        value = float(text)
    except (TypeError, ValueError):
        return None
    return value if math.isfinite(value) and value > 0 else None


# ---- the scripts ----


@dataclass(frozen=True)
class GpuStressed:
    """One GPU under stress. `checksums` counts by kind of number (such as bfloat16) how often each result came."""

    index: int
    uuid: str
    tflops: float | None
    checksums: Mapping[str, Mapping[str, int]]
    celsius: float | None
    trouble: str = ""


@dataclass(frozen=True)
class Stress:
    """A run of `gpu_stress.py` on one machine."""

    seconds: float
    gpus: tuple[GpuStressed, ...]


def parse_stress(text: str) -> Stress:
    row = _report(STRESS, text, "rackside_gpu_stress")
    found = row.get("gpus")
    if not isinstance(found, list) or not found:
        raise ParseError(STRESS, "no GPU in the output")
    return Stress(_number(STRESS, row, "seconds"), tuple(_stressed(each) for each in found[:MOST_GPUS]))


def _stressed(row: Any) -> GpuStressed:
    if not isinstance(row, dict) or not isinstance(row.get("index"), int):
        raise ParseError(STRESS, "a GPU without a number")
    sums = row.get("checksums")
    return GpuStressed(
        index=row["index"],
        uuid=str(row.get("uuid") or ""),
        tflops=_optional(row.get("tflops")),
        checksums={
            str(kind): {str(value): int(count) for value, count in counts.items() if isinstance(count, int)}
            for kind, counts in (sums.items() if isinstance(sums, dict) else ())
            if isinstance(counts, dict)
        },
        celsius=_optional(row.get("celsius")),
        trouble=str(row.get("error") or "")[:200],
    )


@dataclass(frozen=True)
class Training:
    """A run of `train.py`: losses from first to last, and for each rank TFLOP/s and a checksum of its weights."""

    device: str
    world: int
    losses: tuple[float, ...]
    tflops: tuple[float | None, ...]
    checksums: tuple[str, ...]


def parse_training(text: str) -> Training:
    """Values that are not finite come as words (`nan`), which JSON has no number for."""
    row = _report(TRAINING, text, "rackside_training")
    losses, ranks = row.get("losses"), row.get("ranks")
    if not isinstance(losses, list) or len(losses) < 2 or not isinstance(ranks, list):
        raise ParseError(TRAINING, "no losses or no ranks in the output")
    world = row.get("world")
    if not isinstance(world, int) or world < 1 or len(ranks) != world:
        raise ParseError(TRAINING, f"{len(ranks)} ranks of {world} told")
    if not all(isinstance(each, dict) for each in ranks):
        raise ParseError(TRAINING, "a rank that is no object")
    return Training(
        device=str(row.get("device") or ""),
        world=world,
        losses=tuple(_loss(each) for each in losses),
        tflops=tuple(_optional(each.get("tflops")) for each in ranks),
        checksums=tuple(str(each.get("checksum") or "") for each in ranks),
    )


def _loss(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise ParseError(TRAINING, f"a loss that is no number: {str(value)[:40]}") from error


def _report(where: str, text: str, mark: str) -> dict[str, Any]:
    """The JSON line of a script that came to its end. What other libraries print around it is set aside."""
    for line in reversed(text.splitlines()):
        if line.lstrip().startswith("{") and mark in line:
            row = _json(where, line.strip())
            if row.get("error"):
                raise ParseError(where, str(row["error"])[:200])
            if row.get("complete") is not True:
                raise ParseError(where, "the run did not come to its end")
            return row
    raise ParseError(where, _first_line(text))


def _json(where: str, text: str) -> dict[str, Any]:
    try:
        document, _ = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError) as error:
        raise ParseError(where, "not JSON, or cut off") from error
    if not isinstance(document, dict):
        raise ParseError(where, "JSON, but no object")
    return document


def _number(where: str, row: dict[str, Any], name: str) -> float:
    value = _optional(row.get(name))
    if value is None:
        raise ParseError(where, f"{name} is no number")
    return value


def _optional(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def _first_line(text: str) -> str:
    """What a tool complains of; its last words that are no rule."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    worried = [line for line in lines if re.search(r"(?i)error|fail|not found|no such|cannot|unable", line)]
    return (worried or lines[:1] or ["no output"])[0][:200]
