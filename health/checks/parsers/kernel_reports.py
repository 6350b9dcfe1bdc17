"""What of the kernel's files the tools for people print: `lscpu` and `edac-util`. Each tells only a part of them."""

from __future__ import annotations

import json
import re
from collections import defaultdict

from health.checks.parsers import ParseError
from health.checks.parsers.kernel_files import KernelFiles, MemoryPlace, count_of

LSCPU, EDAC = "lscpu", "edac-util"

_CPUS = re.compile(r"^\s*([\w()-][\w() -]*?):\s+(\S.*?)\s*$", re.MULTILINE)
_ERRORS = re.compile(
    r"^(mc\d+): (?:(csrow\d+|ch\d+|dimm\d+): )?(?:(\S.*): )?(\d+) (Uncorrected|Corrected) Errors?\b(.*)$"
)
_NONE = "edac-util: No errors to report"


def parse_lscpu(text: str) -> KernelFiles:
    """The processors that are there and online, from `lscpu` of util-linux, as text or JSON. Raises ParseError."""
    told = _json(text) if text.lstrip().startswith("{") else dict(_CPUS.findall(text))
    present, online = told.get("CPU(s)", ""), count_of(told.get("On-line CPU(s) list"))
    if not present.isdecimal() or online is None:
        raise ParseError(LSCPU, f"the processors are not reported: {text.strip()[:200] or 'no output'}")
    return KernelFiles(online=online, present=int(present), whole=False)


def _json(text: str) -> dict[str, str]:
    try:
        rows = json.loads(text)["lscpu"]
        found, left = {}, list(rows)
        for row in left:
            found[str(row["field"]).rstrip(":")] = str(row.get("data"))
            left.extend(row.get("children") or ())
        return found
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ParseError(LSCPU, f"not the JSON of lscpu: {error}") from error


def parse_edac_util(text: str) -> KernelFiles:
    """Counters since the start, by DIMM (edac-utils 0.18: uncorrected ones stand at the row, corrected ones at the
    DIMM in it). Raises ParseError, with the tool's own message where it has no counters."""
    counts: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    for line in text.splitlines():
        if match := _ERRORS.match(line.strip()):
            controller, row, label, number, kind, _ = match.groups()
            place = " ".join(word for word in (controller, row) if word)
            told = counts[place, label or ""]
            told[kind] = told.get(kind, 0) + int(number)
    if not counts and _NONE not in text:
        said = re.search(r"^edac-util: (.+)", text, re.MULTILINE)
        raise ParseError(EDAC, said.group(1)[:200] if said else f"no counters: {text.strip()[:200] or 'no output'}")
    places = [
        MemoryPlace(place, label, corrected=told.get("Corrected", 0), uncorrected=told.get("Uncorrected", 0))
        for (place, label), told in counts.items()
    ]
    return KernelFiles(memory=tuple(places) or (MemoryPlace("the memory", corrected=0, uncorrected=0),), whole=False)
