"""Every verdict of one machine, as its page shows it."""

from __future__ import annotations

from collections.abc import Container
from datetime import datetime
from typing import Any

from health.external.models import ReportedMachine
from health.external.reports import moment_of
from health.monitoring.merge import CODES, WORDS, Key
from health.monitoring.models.verdicts import CurrentVerdict, MachineReport
from health.monitoring.policy import marks
from health.monitoring.queries.policy import observed_on
from health.monitoring.queries.verdicts import words
from inventory.queries import slot_texts_of

TAB = "\t"


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
        result["audit_mode"] = result["check"] in observed
    answer.sort(key=lambda result: -CODES[result["verdict"]])
    return {"checked_at": report.checked_at if report else None, "results": answer}


def _of_layout(report: MachineReport, rows: Container[Key], titles: dict[str, str]) -> list[dict[str, Any]]:
    """What has no row: ok, or unknown because the machine was not heard."""
    unheard = "unreachable since " + (report.heard_at.strftime("%Y-%m-%d %H:%M:%S UTC") if report.heard_at else "ever")
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
