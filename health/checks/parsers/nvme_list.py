"""`nvme list`, as people see it and as JSON of any version of nvme-cli."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from health.checks.parsers import ParseError
from health.checks.parsers.disks import json_object

LIST = "nvme list"

_DEVICE = re.compile(r"nvme(\d+)")
_HEAD = re.compile(r"^Node\s.*\bSN\s+Model\s", re.MULTILINE)


@dataclass(frozen=True)
class NvmeDrive:
    """A drive as listed; `number` is that of /dev/nvmeN."""

    number: int
    device: str
    serial: str
    model: str
    firmware: str = ""


def parse_nvme_list(text: str) -> tuple[NvmeDrive, ...]:
    """Drives that have a namespace. An empty list is an answer. Raises ParseError."""
    if "{" not in text and _HEAD.search(text):
        return tuple(_of_table(text))
    rows = json_object(LIST, text).get("Devices")
    if not isinstance(rows, list):
        raise ParseError(LIST, "no list of devices in the answer")
    return tuple(drive for row in rows if isinstance(row, Mapping) for drive in _of_row(row))


def _of_row(row: Mapping[str, Any]) -> Iterator[NvmeDrive]:
    """A namespace with its `DevicePath`, or (nvme-cli 2.11 and `--verbose`) a host with its tree."""
    if "Subsystems" not in row:
        yield from _drive(str(row.get("DevicePath", "")), row)
        return
    for subsystem in _rows(row, "Subsystems"):
        for controller in _rows(subsystem, "Controllers"):
            # A namespace with several paths is the subsystem's; what comes over a network is no drive of the machine.
            spaces = [*_rows(controller, "Namespaces"), *_rows(subsystem, "Namespaces")]
            if spaces and controller.get("Transport", "pcie") == "pcie":
                yield from _drive(f"/dev/{controller.get('Controller', '')}", controller)


def _rows(resource: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    rows = resource.get(name)
    return [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, list) else []


def _drive(device: str, row: Mapping[str, Any]) -> Iterator[NvmeDrive]:
    if found := _DEVICE.search(device):
        words = (str(row.get(key, "")).strip() for key in ("SerialNumber", "ModelNumber", "Firmware"))
        yield NvmeDrive(int(found.group(1)), device, *words)


def _of_table(text: str) -> Iterator[NvmeDrive]:
    """Columns are as wide as the rules under the heads: serials and models may hold spaces. Raises ParseError."""
    lines = text.splitlines()
    at = next(n for n, line in enumerate(lines) if _HEAD.match(line))
    rules = lines[at + 1] if at + 1 < len(lines) else ""
    if not re.fullmatch(r"[- ]*-+\s*", rules):
        raise ParseError(LIST, "the table is cut off")
    starts = [found.start() for found in re.finditer(r"-+", rules)]
    spans = [*pairwise(starts), (starts[-1], None)]
    names = [lines[at][start:end].strip() for start, end in spans]
    for line in lines[at + 2 :]:
        row = dict(zip(names, (line[start:end].strip() for start, end in spans), strict=True))
        node = row.get("Node", "")
        if found := _DEVICE.search(node):
            yield NvmeDrive(int(found.group(1)), node, row.get("SN", ""), row.get("Model", ""), row.get("FW Rev", ""))
