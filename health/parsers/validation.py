"""Tests that load a machine: `dcgmi diag -j`, `ib_write_bw` and `ib_write_lat`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from health.parsers import ParseError

DIAG = "dcgmi diag -j"
BANDWIDTH = "ib_write_bw"
LATENCY = "ib_write_lat"
_DOCUMENTS = ("DCGM Diagnostic", "DCGM GPU Diagnostic")


@dataclass(frozen=True)
class DiagResult:
    """One result: `status` in capitals as the tool has it (PASS, FAIL, WARN, SKIP), `gpus` as the tool numbers them;
    none for a result of the whole machine."""

    test: str
    status: str
    gpus: tuple[int, ...] = ()
    message: str = ""


@dataclass(frozen=True)
class Diag:
    """All results, and the serials of GPUs by number where the tool gives them. `trouble`: it could not run all."""

    results: tuple[DiagResult, ...]
    serials: Mapping[int, str] = field(default_factory=dict)
    trouble: str = ""

    @property
    def of_one_part(self) -> bool:
        """Whether it is of the machine alone: the tests of level 1 name no GPU."""
        return not any(each.gpus for each in self.results)


def parse_diag(text: str) -> Diag:
    """The JSON of DCGM 3 and 4; what the tool printed before it is set aside."""
    start = text.find("{")
    if start < 0:
        first = next((line.strip() for line in text.splitlines() if line.strip()), "no output")
        raise ParseError(DIAG, first[:200])
    try:
        document, _ = json.JSONDecoder().raw_decode(text[start:])
    except (ValueError, RecursionError) as error:
        raise ParseError(DIAG, "not JSON, or cut off") from error
    body = next((document[name] for name in _DOCUMENTS if isinstance(document, dict) and name in document), None)
    if not isinstance(body, dict):
        raise ParseError(DIAG, "JSON, but not of a DCGM diagnostic")
    results = tuple(_results(body))
    trouble = str(body.get("runtime_error") or "")
    if not results:
        raise ParseError(DIAG, trouble or "no test in the output")
    return Diag(results, _serials(document), trouble)


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _results(body: dict[str, Any]) -> Iterator[DiagResult]:
    for category in _dicts(body.get("test_categories")):
        for test in _dicts(category.get("tests")):
            name = str(test.get("name") or category.get("category") or "test")
            rows = [_result(name, row) for row in _dicts(test.get("results"))]
            yield from rows
            summary = test.get("test_summary")
            status = str(summary.get("status", "")).upper() if isinstance(summary, dict) else ""
            if status and (not rows or (status != "PASS" and status not in {row.status for row in rows})):
                yield DiagResult(name, status, (), _message(summary))
            elif not rows:
                yield DiagResult(name, "", (), "no result")


def _result(name: str, row: dict[str, Any]) -> DiagResult:
    if "entity_id" in row:
        listed = [row["entity_id"]] if row.get("entity_group", "GPU") == "GPU" else []
    else:
        told = row.get("gpu_ids", row.get("gpu_id", ""))
        listed = told if isinstance(told, list) else str(told).split(",")
    gpus = tuple(int(each) for each in listed if str(each).strip().isdecimal() and len(str(each)) < 6)
    return DiagResult(name, str(row.get("status") or "").upper(), gpus, _message(row))


def _message(row: Any) -> str:
    said = [row.get(key) for key in ("warnings", "warning", "errors", "info")]
    texts: list[str] = []
    for each in said:
        for item in each if isinstance(each, list) else [each]:
            text = item.get("warning") or item.get("error") or item.get("message") if isinstance(item, dict) else item
            if isinstance(text, str) and text.strip():
                texts.append(" ".join(text.split()))
    return "; ".join(dict.fromkeys(texts))[:300]


def _serials(document: dict[str, Any]) -> dict[int, str]:
    return {
        entity["entity_id"]: str(entity["serial_num"])
        for group in _dicts(document.get("entity_groups"))
        if group.get("entity_group") == "GPU"
        for entity in _dicts(group.get("entities"))
        if isinstance(entity.get("entity_id"), int) and entity.get("serial_num")
    }


@dataclass(frozen=True)
class Perftest:
    """A run of perftest between two cards: average bandwidth in Gb/s of both ways together, or latency in microseconds.

    `gpu_direct` is None when neither the command nor the output tells whether GPU memory was used. Says nothing of
    other cards.
    """

    device: str | None
    value: float
    bidirectional: bool = False
    gpu_direct: bool | None = None
    of_one_part: bool = True


_DEVICE = re.compile(r"^.*\bDevice\s*:\s*(\S+)\s*$", re.MULTILINE)
_TABLE = re.compile(r"^ *(#bytes.*)\n((?: *\d[^\n]*\n)+)-{10,}", re.MULTILINE)
_COLUMN = re.compile(r"(99(?:\.9+)?% percentile|[#A-Za-z_]+(?: (?:peak|average))?)(?:\[([^\]]+)\])?")
_MIB_S_IN_GBPS = 8 * 1_048_576 / 1e9


def parse_bandwidth(text: str, command: str = "") -> Perftest:
    row, units = _last_row(BANDWIDTH, text)
    value = row.get("BW average")
    if value is None:
        raise ParseError(BANDWIDTH, "no average bandwidth in the table")
    scale = 1.0 if units["BW average"].lower().startswith("gb") else _MIB_S_IN_GBPS
    return Perftest(_device(text, command), value * scale, "Bidirectional" in text, _gpu_direct(text, command))


def parse_latency(text: str, command: str = "") -> Perftest:
    row, _ = _last_row(LATENCY, text)
    value = row.get("99% percentile")
    if value is None:
        raise ParseError(LATENCY, "no 99th percentile in the table")
    return Perftest(_device(text, command), value, gpu_direct=_gpu_direct(text, command))


def _last_row(where: str, text: str) -> tuple[dict[str, float], dict[str, str]]:
    """The row of the largest message, and the units by column."""
    table = _TABLE.search(text)
    if not table:
        lines = [line.strip() for line in text.splitlines() if line.strip(" -\t")]
        worried = [line for line in lines if re.search(r"(?i)couldn't|unable|failed|error|refused", line)]
        raise ParseError(where, (worried or ["no result: the output ends before the end of its table"])[0][:200])
    columns = _COLUMN.findall(table.group(1))
    cells = table.group(2).strip().splitlines()[-1].split()
    if len(cells) < len(columns):
        raise ParseError(where, f"{len(cells)} values under {len(columns)} columns")
    try:
        values = {name: float(cell) for (name, _), cell in zip(columns, cells, strict=False)}
    except ValueError as error:
        raise ParseError(where, f"a value that is no number: {' '.join(cells)[:100]}") from error
    return values, dict(columns)


def _device(text: str, command: str) -> str | None:
    found = _DEVICE.search(text) or re.search(r"(?:-d|--ib-dev)[= ](\S+)", command)
    return found.group(1) if found else None


def _gpu_direct(text: str, command: str) -> bool | None:
    if "--use_cuda" in command or re.search(r"(?i)\bCUDA\b|cuMemAlloc", text):
        return True
    return False if " " in command.strip() else None
