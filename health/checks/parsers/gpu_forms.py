"""The three forms of `nvidia-smi`'s GPU query: XML (`-q -x`), text (`-q`) and CSV (`--query-gpu`)."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from xml.etree.ElementTree import Element, fromstring
from xml.etree.ElementTree import ParseError as XmlError

from health.checks.parsers import ParseError
from health.checks.parsers.gpu_plight import gpus_to_reset, lost_gpus, plight_in, plight_of
from health.checks.parsers.gpus import (
    FIELDS,
    NO_DEVICES,
    Gpu,
    GpuReport,
    build_gpu,
    corrupt_inforoms,
    first_of,
    refuse_failure,
)

XML = "nvidia-smi -q -x"
TEXT = "nvidia-smi -q"
CSV = "nvidia-smi --query-gpu"

_END = "</nvidia_smi_log>"
# Every clock a GPU could run at: half of the document, and nothing to judge.
_TABLE, _TABLE_END = "<supported_clocks>", "</supported_clocks>"
_GPU_LINE = re.compile(r"^GPU ([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d)\s*$")
_PAIR = re.compile(r"^( *)([^:]+?)\s*:(?: (.*))?$")
_COMPLAINT = re.compile(
    r"^(?:Unable to determine the device handle|WARNING: infoROM|No devices were found)", re.IGNORECASE
)
_UNIT = re.compile(r"\s*\[[^\]]*\]$")
# What `--query-gpu=index,ecc.errors.uncorrected.volatile.total,ecc.mode.current,ecc.mode.pending` looks like.
_BARE_ECC = ("index", "ecc.errors.uncorrected.volatile.total", "ecc.mode.current", "ecc.mode.pending")
_TOP = {"Driver Version": "driver", "CUDA Version": "cuda", "Attached GPUs": "attached"}


def parse_xml(text: str) -> GpuReport:
    """`nvidia-smi -q -x`. What the tool printed around the document (warnings) is set aside."""
    start = text.find("<?xml")
    if start < 0:
        start = text.find("<nvidia_smi_log")
    if start < 0:
        if told := only_trouble(text):
            return told
        refuse_failure(XML, text)
        raise ParseError(XML, "no XML document in the output")
    end = text.rfind(_END)
    if end < start:
        raise ParseError(XML, "the XML document is cut off")
    end += len(_END)
    # The indent of its lines is a third of the document, and each would be a text of its own.
    document = "".join(map(str.strip, _without_clock_tables(text[start:end]).splitlines()))
    if "<!ENTITY" in document:  # the one way in which XML grows or reaches for files; nvidia-smi declares none
        raise ParseError(XML, "the document declares entities")
    try:
        root = fromstring(document)  # noqa: S314 (see above; the document type it names is never fetched)
    except (XmlError, ValueError) as error:
        raise ParseError(XML, f"not well-formed XML: {str(error)[:200]}") from error
    if root.tag != "nvidia_smi_log":
        raise ParseError(XML, f"the document is a <{str(root.tag)[:40]}>, not a <nvidia_smi_log>")
    troubled = bool(plight_in(document))
    gpus = tuple(_gpu_of_element(element, index, troubled) for index, element in enumerate(root.findall("gpu")))
    attached = (root.findtext("attached_gpus") or "").strip()
    return GpuReport(
        gpus=gpus,
        driver_version=_word(root, "driver_version"),
        cuda_version=_word(root, "cuda_version"),
        attached=int(attached) if attached.isdecimal() else None,
        lost=lost_gpus(text[:start] + text[end:]),
        to_reset=gpus_to_reset(text[:start] + text[end:]),
        corrupt_inforoms=corrupt_inforoms(text[:start] + text[end:]),
        none_found=not gpus and attached == "0",
    )


def only_trouble(text: str) -> GpuReport | None:
    """What the tool says of GPUs where it lists none: those it cannot reach, or that the driver has none at all.

    `No devices were found` is NVML's answer after the driver let itself be opened; of a driver that is not there the
    tool says that it failed.
    """
    lost, to_reset = lost_gpus(text), gpus_to_reset(text)
    if lost or to_reset:
        return GpuReport(gpus=(), lost=lost, to_reset=to_reset, cut=True)
    return GpuReport(gpus=(), none_found=True) if NO_DEVICES in text else None


def _word(root: Element, name: str) -> str | None:
    return (root.findtext(name) or "").strip() or None


def _without_clock_tables(document: str) -> str:
    """Cut out every `<supported_clocks>`; by position, as a pattern over half a megabyte takes its time."""
    pieces, at = [], 0
    while (begin := document.find(_TABLE, at)) >= 0 and (end := document.find(_TABLE_END, begin)) >= 0:
        pieces.append(document[at:begin])
        at = end + len(_TABLE_END)
    return "".join([*pieces, document[at:]])


def _paths_wanted() -> dict[str, Any]:
    """The elements that some field reads, as a tree by name: a leaf is the path it stands for."""
    tree: dict[str, Any] = {}
    for path in ["pci/pci_bus_id", *(path for field in FIELDS for path in field.xml.split("|") if path)]:
        *sections, name = path.split("/")
        place = tree
        for section in sections:
            place = place.setdefault(section, {})
        place[name] = path
    return tree


_WANTED = _paths_wanted()


def _collect(element: Element, wanted: dict[str, Any], into: dict[str, str]) -> None:
    """The text of the wanted elements beneath this one, the first of each."""
    for child in element:
        place = wanted.get(child.tag)
        if place is None:
            continue
        if isinstance(place, str):
            into.setdefault(place, child.text or "")
        else:
            _collect(child, place, into)


def _gpu_of_element(element: Element, index: int, troubled: bool) -> Gpu:
    """`troubled`: somewhere in the document a GPU is lost or needs a reset, so that all of its elements are read."""
    told: dict[str, str] = {}
    _collect(element, _WANTED, told)
    plight = plight_of(each.text or "" for each in element.iter()) if troubled else ""
    return build_gpu(element.get("id") or told.get("pci/pci_bus_id") or "", index, told, "xml", plight)


def parse_text(text: str) -> GpuReport:
    """`nvidia-smi -q`, whole or with `-d SECTION`."""
    if "NVSMI LOG" not in text and (told := only_trouble(text)):
        return told
    refuse_failure(TEXT, text)
    top: dict[str, str] = {}
    blocks: list[tuple[str, dict[str, str]]] = []
    for line, values in _paths(text):
        if found := _GPU_LINE.match(line):
            blocks.append((found.group(1), {}))
        elif blocks:
            blocks[-1][1].update(values)
        else:
            top.update({_TOP[path]: value for path, value in values.items() if path in _TOP})
    if "NVSMI LOG" not in text and not blocks:
        raise ParseError(TEXT, "no NVSMI LOG in the output")
    if not blocks and not lost_gpus(text):
        raise ParseError(TEXT, "the log ends before the first GPU")
    attached = top.get("attached", "")
    return GpuReport(
        gpus=tuple(
            build_gpu(address, index, values, "text", plight_of(values.values()))
            for index, (address, values) in enumerate(blocks)
        ),
        driver_version=top.get("driver"),
        cuda_version=top.get("cuda"),
        attached=int(attached) if attached.isdecimal() else None,
        lost=lost_gpus(text),
        to_reset=gpus_to_reset(text),
        corrupt_inforoms=corrupt_inforoms(text),
        complete=any("Product Name" in values for _, values in blocks),
        cut=attached.isdecimal() and len(blocks) < int(attached) and "Processes" not in text.rpartition("GPU 0")[2],
    )


def _paths(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Each line with the path of its heading and its value: indentation says what stands under what."""
    stack: list[tuple[int, str]] = []
    for line in text.splitlines():
        if _GPU_LINE.match(line):
            stack = []
            yield line, {}
            continue
        pair = _PAIR.match(line)
        indent = len(line) - len(line.lstrip())
        label = (pair.group(2) if pair else line).strip()
        if not label:
            continue
        while stack and stack[-1][0] >= indent:
            stack.pop()
        stack.append((indent, label))
        if pair and pair.group(3) is not None:
            yield line, {"/".join(name for _, name in stack): pair.group(3)}


def parse_csv(text: str, command: str = "") -> GpuReport:
    """`nvidia-smi --query-gpu=... --format=csv`: columns by its header, else by the command that was given.

    Lines of complaint stand between the rows; a GPU after the one that the tool complains of may not be listed.
    """
    lines = [line for line in text.splitlines() if not _COMPLAINT.match(line)]
    if not any(map(str.strip, lines)) and (told := only_trouble(text)):
        return replace(told, complete=False)
    refuse_failure(CSV, text)
    rows = [[cell.strip() for cell in row] for row in csv.reader(lines, skipinitialspace=True) if row]
    if not rows:
        raise ParseError(CSV, "no rows")
    names = _column_names(rows, command)
    if not rows:
        raise ParseError(CSV, "a header and no rows")
    gpus = []
    for row in rows:
        if len(row) != len(names):
            raise ParseError(CSV, f"a row has {len(row)} columns, {len(names)} were asked for: {', '.join(row)[:120]}")
        values = dict(zip(names, row, strict=True))
        address = first_of(values, "pci.bus_id|gpu_bus_id") or ""
        index = values.get("index", "")
        number = int(index) if index.isdecimal() else None
        gpus.append(build_gpu(address, number, values, "csv", plight_of(row)))
    lost, to_reset = lost_gpus(text), gpus_to_reset(text)
    return GpuReport(
        gpus=tuple(gpus),
        complete=False,
        asked=frozenset(field.name for field in FIELDS if set(field.csv.split("|")) & set(names)),
        lost=lost,
        to_reset=to_reset,
        corrupt_inforoms=corrupt_inforoms(text),
        cut=bool(lost or to_reset),
    )


def _column_names(rows: list[list[str]], command: str) -> list[str]:
    """Takes the header off `rows` when there is one."""
    known = {name for field in FIELDS if field.csv for name in field.csv.split("|")} | {
        "index",
        "pci.bus_id",
        "gpu_bus_id",
    }
    header = [_UNIT.sub("", cell) for cell in rows[0]]
    if sum(cell in known for cell in header) * 2 >= len(header):
        del rows[0]
        return header
    asked = re.search(r"--query-gpu[= ](\S+)", command)
    if asked:
        return asked.group(1).split(",")
    modes = {"enabled", "disabled", "[n/a]", "n/a"}
    if all(len(r) == 4 and r[0].isdecimal() and r[2].lower() in modes and r[3].lower() in modes for r in rows):
        return list(_BARE_ECC)
    raise ParseError(CSV, "no header line, and the command does not say which columns were asked for")
