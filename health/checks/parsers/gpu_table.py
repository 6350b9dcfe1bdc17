"""`nvidia-smi` for people: the table it prints without arguments, and the list of `nvidia-smi -L`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from health.checks.parsers import ParseError
from health.checks.parsers.gpu_forms import only_trouble
from health.checks.parsers.gpu_plight import gpus_to_reset, lost_gpus, plight_of
from health.checks.parsers.gpus import FIELDS, Gpu, GpuReport, build_gpu, corrupt_inforoms, refuse_failure

TABLE, LIST = "nvidia-smi", "nvidia-smi -L"

_HEAD = re.compile(r"^\| NVIDIA-SMI \S+ .*Driver Version: (\S+)(?:.*CUDA Version: (\S+))?", re.MULTILINE)
_COLUMNS = re.compile(r"^\| GPU +Name .*\| Bus-Id .*\| Volatile Uncorr\. ECC \|", re.MULTILINE)
_RULE = re.compile(r"^[|+][-=+]+[|+]$")
_FIRST = re.compile(
    r"^\|\s+(?P<index>\d+|ERR!)\s+(?P<name>\S.*?)\s+(?P<persistence>On|Off|N/A|ERR!)\s*\|"
    r"\s*(?P<bus>[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d)\s+\S+\s*\|\s*(?P<ecc>\S+)\s*\|$"
)
_SECOND = re.compile(
    r"^\|\s*\S+\s+(?P<celsius>\S+)\s+(?P<state>\S+)\s+(?P<power>\S+) */ *(?P<limit>\S+)\s*\|"
    r"\s*(?P<used>\S+) */ *(?P<total>\S+)\s*\|\s*(?P<busy>\S+)\s"
)
_MIG = re.compile(r"^\|\s*\|\s*\|\s*(?P<mig>Enabled\*?|Disabled\*?|N/A|ERR!)\s*\|$")
# Column of the table -> the field's name in `--query-gpu`, whose values say the same in other words.
_NAMES = {
    "name": "name", "persistence": "persistence_mode", "bus": "pci.bus_id", "celsius": "temperature.gpu",
    "power": "power.draw", "limit": "power.limit", "used": "memory.used", "total": "memory.total",
    "busy": "utilization.gpu",
}  # fmt: skip
_WORDS = {"On": "Enabled", "Off": "Disabled", "N/A": "[N/A]", "ERR!": "[Unknown Error]"}
_LISTED = re.compile(r"^GPU (\d+): (\S.*?) \(UUID: (GPU-[0-9a-f-]+)\)\s*$", re.MULTILINE)
_UNIT = re.compile(r"^(-?\d+)(?:C|W|MiB|%)$")


@dataclass
class _Row:
    told: dict[str, str] = field(default_factory=dict)
    text: list[str] = field(default_factory=list)


def parse_table(text: str) -> GpuReport:
    """The table of drivers 418 to 580. `ERR!` is a value that the driver could not give, so it is unknown. A long name
    is cut to its column and is not told. What stands before the processes is whole. Raises ParseError."""
    columns = _COLUMNS.search(text)
    if columns is None:
        if told := only_trouble(text):
            return told
        refuse_failure(TABLE, text)
        raise ParseError(TABLE, "no table of GPUs in the output")
    head = _HEAD.search(text)
    body = text[columns.end() :]
    rows = _rows(body)
    lost, to_reset = lost_gpus(text), gpus_to_reset(text)
    if not rows and not lost:
        raise ParseError(TABLE, "the table ends before the first GPU")
    asked = {"ecc.errors.uncorrected.volatile.total", "ecc.mode.current", *_NAMES.values()} - {"name"}
    return GpuReport(
        gpus=tuple(_gpu(row) for row in rows),
        driver_version=head.group(1) if head else None,
        cuda_version=head.group(2) if head else None,
        complete=False,
        asked=frozenset(each.name for each in FIELDS if set(each.csv.split("|")) & asked),
        lost=lost,
        to_reset=to_reset,
        corrupt_inforoms=corrupt_inforoms(text),
        cut=bool(lost or to_reset) or "Processes:" not in body,
    )


def parse_list(text: str) -> GpuReport:
    """`nvidia-smi -L`: index, name and UUID of each GPU, without the MIG devices in it. Raises ParseError."""
    rows = _LISTED.findall(text)
    if not rows and (told := only_trouble(text)):
        return replace(told, complete=False)
    refuse_failure(LIST, text)
    if not rows:
        raise ParseError(LIST, f"no GPU in the output: {text.strip()[:200] or 'no output'}")
    lost, to_reset = lost_gpus(text), gpus_to_reset(text)
    return GpuReport(
        gpus=tuple(
            build_gpu("", int(index), {"name": name, "uuid": uuid}, "csv", plight_of((name,)))
            for index, name, uuid in rows
        ),
        complete=False,
        asked=frozenset({"product_name", "uuid"}),
        lost=lost,
        to_reset=to_reset,
        corrupt_inforoms=corrupt_inforoms(text),
        cut=bool(lost or to_reset),
    )


def _rows(body: str) -> list[_Row]:
    rows: list[_Row] = []
    for line in map(str.rstrip, body.splitlines()):
        if "Processes:" in line:
            break
        if first := _FIRST.match(line):
            rows.append(_Row(first.groupdict()))
        elif rows and not _RULE.match(line) and (more := _SECOND.match(line) or _MIG.match(line)):
            rows[-1].told |= more.groupdict()
        if rows:
            rows[-1].text.append(line)
    return rows


def _gpu(row: _Row) -> Gpu:
    told = row.told
    values = {name: _value(told[column]) for column, name in _NAMES.items() if column in told and column != "name"}
    ecc = told.get("ecc", "")
    values["ecc.mode.current"] = "Disabled" if ecc == "Off" else "Enabled" if ecc.isdecimal() else _value(ecc)
    values["ecc.errors.uncorrected.volatile.total"] = "[N/A]" if ecc == "Off" else _value(ecc)
    number = told["index"]
    return build_gpu(told["bus"], int(number) if number.isdecimal() else None, values, "csv", plight_of(row.text))


def _value(word: str) -> str:
    found = _UNIT.match(word)
    return found.group(1) if found else _WORDS.get(word.rstrip("*"), word.rstrip("*"))
