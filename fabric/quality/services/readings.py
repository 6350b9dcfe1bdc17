"""From what a look brought to one reading per port: counters, error rates, temperatures."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from fabric.discovery.services.readers import Part
from fabric.facts import Seen, SeenPort
from fabric.formats import ibqueryerrors
from fabric.formats.ufm_events import PortReading, read_readings
from fabric.quality.counters import Reading, known_counters

LISTS_ONLY_TROUBLE = "ibqueryerrors"
ENDED_WELL = (None, 0, 1)  # it exits with 1 when ports are above its thresholds


def readings_of(seen: Seen, parts: Iterable[Part], at: datetime) -> dict[SeenPort, Reading]:
    """What was told of each port. A port that nothing was told of has no reading.

    Where a tool lists only ports above its thresholds and said that it came to its end, the others are `quiet`; what
    its threshold is 0 for was counted as 0 where it is not printed.
    """
    parts = list(parts)
    sensors = _sensors(parts)
    found: dict[SeenPort, Reading] = {}
    told = {end: known_counters(raw) for end, raw in seen.counters.items()}
    checked = _checked_all(seen, parts)
    zeros = known_counters(dict.fromkeys(checked.zeros, 0)) if checked is not None else {}
    ends = {end for link in seen.links for end in (link.a, link.b)}
    for end in ends | told.keys() | sensors.keys():
        is_quiet = checked is not None and end in ends
        counters = {**zeros, **told.get(end, {})} if is_quiet else told.get(end, {})
        sensor = sensors.get(end, PortReading())
        cable = seen.cables.get(end)
        optic_c = cable.temperature_c if cable is not None and cable.temperature_c is not None else sensor.temperature_c
        if not counters and not is_quiet and optic_c is None and not sensor.ber:
            continue
        ber = sensor.ber
        found[end] = Reading(
            at, counters, ber.get("raw"), ber.get("effective"), ber.get("symbol"), None, optic_c, quiet=is_quiet
        )
    return found


def _checked_all(seen: Seen, parts: list[Part]) -> ibqueryerrors.Checked | None:
    """What the tool that lists only trouble says of the ports it left out; None when it did not look at all of them.

    A node that was not reached is told nowhere but in the count of nodes, and nothing is known of its ports then.
    """
    if any(problem.where.startswith(LISTS_ONLY_TROUBLE) for problem in seen.problems):
        return None
    for part in parts:
        if part.format == LISTS_ONLY_TROUBLE and not part.problem and part.exit_status in ENDED_WELL:
            checked = ibqueryerrors.checked(part.text)
            if checked is not None and checked.nodes >= len(seen.nodes):
                return checked
    return None


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
