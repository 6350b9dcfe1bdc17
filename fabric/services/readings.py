"""From what a look brought to one reading per port: counters, error rates, temperatures."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from fabric.facts import Seen, SeenPort
from fabric.formats.ufm_events import PortReading, read_readings
from fabric.quality.counters import Reading, known_counters
from fabric.services.reading import Part

LISTS_ONLY_TROUBLE = "ibqueryerrors"
ENDED_WELL = (None, 0, 1)  # it exits with 1 when ports are above its thresholds


def readings_of(seen: Seen, parts: Iterable[Part], at: datetime) -> dict[SeenPort, Reading]:
    """What was told of each port. A port that nothing was told of has no reading.

    Where a tool lists only ports above its thresholds and said that it came to its end, the others are `quiet`.
    """
    parts = list(parts)
    sensors = _sensors(parts)
    found: dict[SeenPort, Reading] = {}
    told = {end: known_counters(raw) for end, raw in seen.counters.items()}
    quiet = _came_to_its_end(seen, parts)
    ends = {end for link in seen.links for end in (link.a, link.b)}
    for end in ends | told.keys() | sensors.keys():
        counters = told.get(end, {})
        sensor = sensors.get(end, PortReading())
        cable = seen.cables.get(end)
        optic_c = cable.temperature_c if cable is not None and cable.temperature_c is not None else sensor.temperature_c
        is_quiet = quiet and end in ends and not counters
        if not counters and not is_quiet and optic_c is None and not sensor.ber:
            continue
        ber = sensor.ber
        found[end] = Reading(
            at, counters, ber.get("raw"), ber.get("effective"), ber.get("symbol"), None, optic_c, quiet=is_quiet
        )
    return found


def _came_to_its_end(seen: Seen, parts: list[Part]) -> bool:
    """Whether the tool that lists only trouble looked at every port: it says so in its last lines."""
    return any(
        part.format == LISTS_ONLY_TROUBLE
        and not part.problem
        and part.exit_status in ENDED_WELL
        and "ports checked" in part.text
        for part in parts
    ) and not any(problem.where.startswith(LISTS_ONLY_TROUBLE) for problem in seen.problems)


def _sensors(parts: list[Part]) -> dict[SeenPort, PortReading]:
    """Readings that are no counters, from UFM's document."""
    found: dict[SeenPort, PortReading] = {}
    for part in parts:
        if part.format != "ufm" or not part.text.strip():
            continue
        try:
            document: Mapping[str, Any] = json.loads(part.text)
        except ValueError:
            continue  # the reader of the wiring says so
        rows = document.get("ports") if isinstance(document, dict) else None
        found |= read_readings(rows if isinstance(rows, list) else None)
    return found
