"""What the checks say of machines now, put together from the packed report and the rows that are not ok."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from health.monitoring.merge import CODES, WORDS, Key
from health.monitoring.models.verdicts import CurrentVerdict, MachineReport
from health.monitoring.services.sweeps.stored import read_layouts


def words(report: MachineReport) -> dict[Key, str]:
    """The verdict of every place of the report's layout."""
    layout = read_layouts([report.layout_id])[report.layout_id]
    return {key: WORDS[code] for key, code in zip(layout, bytes(report.verdicts), strict=False)}


def part_verdicts(machine_ids: Sequence[int]) -> dict[int, dict[str, str]]:
    """The worst verdict of every part of these machines. Three queries at most.

    A machine that was never looked at is missing: its parts are unknown.
    """
    parts: dict[int, dict[str, str]] = defaultdict(dict)
    reports = list(MachineReport.objects.filter(machine_id__in=machine_ids))
    read_layouts({report.layout_id for report in reports})
    for report in reports:
        for (_, part), word in words(report).items():
            _worsen(parts[report.machine_id], part, word)
    rows = CurrentVerdict.objects.filter(machine_id__in=machine_ids).values_list("machine_id", "part", "verdict")
    for machine_id, part, verdict in rows:
        _worsen(parts[machine_id], part, verdict)
    return dict(parts)


def _worsen(parts: dict[str, str], part: str, word: str) -> None:
    held = parts.get(part)
    if held is None or CODES[word] > CODES[held]:
        parts[part] = word
