"""What the checks say of machines now, put together from the packed report and the rows that are not ok."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Sequence
from datetime import datetime
from typing import Any

from health.external.models import ReportedMachine
from health.external.reports import moment_of
from health.monitoring.merge import CODES, WORDS, Key
from health.monitoring.models.verdicts import CurrentVerdict, MachineReport
from health.monitoring.policy import marks
from health.monitoring.queries.policy import observed_on
from health.monitoring.services.observation_store import read_layouts
from inventory.queries import slot_texts_of

NEVER = "not looked at yet"
TAB = "\t"


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


def results(machine_id: int, titles: dict[str, str]) -> dict[str, Any]:
    """Every verdict of one machine, worst first, as `/api/machines/ID/verdicts/` answers. Six queries at most."""
    report = MachineReport.objects.filter(machine_id=machine_id).first()
    rows = {(row.check_id, row.part): row for row in CurrentVerdict.objects.filter(machine_id=machine_id)}
    answer = [_of_row(row, titles) for row in rows.values()]
    answer += [_reported_ok(*place) for place in _reported(machine_id) if place[:2] not in rows]
    if report is not None:
        answer += _of_layout(report, rows, titles)
    observed, named = observed_on(machine_id), slot_texts_of(machine_id)
    for result in answer:
        result["part_text"] = named.get(result["part"], result["part"])
        row = rows.get((result["check"], result["part"]))
        result["silenced"] = marks(row.observed or {}) if row is not None else None
        result["observe_only"] = result["check"] in observed
    answer.sort(key=lambda result: -CODES[result["verdict"]])
    return {"checked_at": report.checked_at if report else None, "results": answer}


def _of_layout(report: MachineReport, rows: Container[Key], titles: dict[str, str]) -> list[dict[str, Any]]:
    """What has no row: ok, or unknown because the machine was not heard."""
    unheard = "not heard since " + (report.heard_at.strftime("%Y-%m-%d %H:%M:%S UTC") if report.heard_at else "ever")
    return [
        {
            "check": check,
            "title": titles.get(check, check),
            "part": part,
            "verdict": word,
            "message": "" if word == "ok" else unheard,
            "action": "",
            "checked_at": report.heard_at if word == "unknown" else report.checked_at,
            "changed_at": None,
            "evidence": None,
        }
        for (check, part), word in words(report).items()
        if (check, part) not in rows
    ]


def _reported(machine_id: int) -> list[tuple[str, str, datetime]]:
    """Check, part and time of what other systems say is ok."""
    said = ReportedMachine.objects.filter(machine_id=machine_id).values_list("source__name", "entries")
    return [
        (f"{name}/{key.partition(TAB)[0]}", key.partition(TAB)[2], moment_of(at))
        for name, entries in said
        for key, (code, at) in entries.items()
        if WORDS[code] == "ok"
    ]


def _reported_ok(check: str, part: str, at: datetime) -> dict[str, Any]:
    words_of_it = {"check": check, "title": check, "part": part, "verdict": "ok", "message": "", "action": ""}
    return {**words_of_it, "checked_at": at, "changed_at": None, "evidence": None}


def _of_row(row: CurrentVerdict, titles: dict[str, str]) -> dict[str, Any]:
    return {
        "check": row.check_id,
        "title": titles.get(row.check_id, row.check_id),
        "part": row.part,
        "verdict": row.verdict,
        "message": row.message,
        "action": row.action,
        "checked_at": row.checked_at,
        "changed_at": row.changed_at,
        "evidence": {"command": row.command, "exit_status": row.exit_status, "excerpt": row.excerpt},
    }
