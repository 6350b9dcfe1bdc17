"""What the checks say of machines now, put together from the packed report and the rows that are not ok."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache

from health.monitoring.merge import CODES, WORDS, Key
from health.monitoring.models.verdicts import CurrentVerdict, MachineReport
from health.monitoring.services.sweeps.stored import read_layouts


def words(report: MachineReport) -> dict[Key, str]:
    """The verdict of every place of the report's layout."""
    return _unpacked(report.layout_id, bytes(report.verdicts))


def _unpacked(layout: int, packed: bytes) -> dict[Key, str]:
    return {key: WORDS[code] for key, code in zip(read_layouts([layout])[layout], packed, strict=False)}


def part_verdicts(machine_ids: Sequence[int]) -> dict[int, dict[str, str]]:
    """The worst verdict of every part of these machines. Three queries at most.

    A machine that was never looked at is missing: its parts are unknown.
    """
    parts: dict[int, dict[str, str]] = defaultdict(dict)
    told = MachineReport.objects.filter(machine_id__in=machine_ids)
    reports = list(told.values_list("machine_id", "layout_id", "verdicts"))
    read_layouts({layout for _, layout, _ in reports})
    for machine_id, layout, packed in reports:
        parts[machine_id] = dict(_worst(layout, bytes(packed)))
    rows = CurrentVerdict.objects.filter(machine_id__in=machine_ids).values_list("machine_id", "part", "verdict")
    for machine_id, part, verdict in rows:
        _worsen(parts[machine_id], part, verdict)
    return dict(parts)


@lru_cache(maxsize=1024)
def _worst(layout: int, packed: bytes) -> Mapping[str, str]:
    """The worst verdict of each part; kept, because most machines of a model are told the same 400 verdicts."""
    parts: dict[str, str] = {}
    for (_, part), word in _unpacked(layout, packed).items():
        _worsen(parts, part, word)
    return parts


def _worsen(parts: dict[str, str], part: str, word: str) -> None:
    held = parts.get(part)
    if held is None or CODES[word] > CODES[held]:
        parts[part] = word
