"""Tests that load a machine: `dcgmi diag -j`, `ib_write_bw` and `ib_write_lat`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from health.checks.parsers import ParseError
from health.checks.parsers.perftest import Bandwidth, Latency, PerftestError, read_bandwidth, read_latency

DIAG = "dcgmi diag -j"
BANDWIDTH = "ib_write_bw"
LATENCY = "ib_write_lat"
Measured = TypeVar("Measured", Bandwidth, Latency)
_TABLE = re.compile(r"^\|\s*Diagnostic\s*\|\s*Result\s*\|", re.MULTILINE)
_ROW = re.compile(r"^\|([^|\n]*)\|([^|\n]*)\|[ \t]*$", re.MULTILINE)
# `Pass`, `Fail - GPU: 1`, `Pass - GPUs: 0, 1`, `Skip - All`.
_STATUS = re.compile(r"(Pass|Fail|Warn|Skip)(?: - (?:GPUs?: ?([\d, ]+)|All))?(.*)$", re.IGNORECASE)
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

    def names_trouble(self) -> bool:
        """Whether the output itself says why the tool ended with an error."""
        return bool(self.trouble) or any(each.status == "FAIL" for each in self.results)

    @property
    def of_one_part(self) -> bool:
        """Whether it is of the machine alone: the tests of level 1 name no GPU."""
        return not any(each.gpus for each in self.results)


def parse_diag(text: str) -> Diag:
    """The JSON of DCGM 3 and 4, or the table without `-j`; what the tool printed before it is set aside."""
    if _TABLE.search(text):
        return _of_table(text)
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


def _of_table(text: str) -> Diag:
    """Rows `| GPU Memory | Fail - GPU: 1 |`; a row without a name goes on with the test above it."""
    results: list[DiagResult] = []
    name = ""
    for row in _ROW.finditer(text):
        label, said = row.group(1).strip(), row.group(2).strip()
        found = _STATUS.match(said)
        name = label if label and found else name
        if found and name:
            gpus = tuple(int(each) for each in re.findall(r"\d{1,5}", found.group(2) or ""))
            results.append(DiagResult(name, found.group(1).upper(), gpus, (found.group(3) or "").strip()))
        elif label.lower() in ("warning", "error") and results:
            results[-1] = replace(results[-1], message=f"{results[-1].message} {said}".strip()[:300])
    if not results:
        raise ParseError(DIAG, "a table without a test")
    if not text.rstrip().endswith("+"):
        return Diag(tuple(results), trouble="the table is cut off")
    return Diag(tuple(results))


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


def parse_bandwidth(text: str, command: str = "") -> Perftest:
    found = _whole(BANDWIDTH, read_bandwidth, text)
    return Perftest(_device(text, command), found.average_gbps, found.bidirectional, _gpu_direct(text, command))


def parse_latency(text: str, command: str = "") -> Perftest:
    value = _whole(LATENCY, read_latency, text).p99_us
    if value is None:
        raise ParseError(LATENCY, "no 99th percentile in the table")
    return Perftest(_device(text, command), value, gpu_direct=_gpu_direct(text, command))


def _whole(where: str, read: Callable[[str], Measured], text: str) -> Measured:
    """What was measured, of an output that came to its end."""
    try:
        found = read(text)
    except PerftestError as error:
        raise ParseError(where, str(error)) from error
    if not found.whole:
        raise ParseError(where, "the output ends before the end of its table")
    return found


def _device(text: str, command: str) -> str | None:
    found = _DEVICE.search(text) or re.search(r"(?:-d|--ib-dev)[= ](\S+)", command)
    return found.group(1) if found else None


def _gpu_direct(text: str, command: str) -> bool | None:
    if "--use_cuda" in command or re.search(r"(?i)\bCUDA\b|cuMemAlloc", text):
        return True
    return False if " " in command.strip() else None
