"""A finding derived again: the diagnosis of a capture as it was read, against the plan as it is now."""

from __future__ import annotations

from typing import Any

from core.errors import Conflict
from fabric.discovery.models.sources import Discovery
from fabric.discovery.services.discoveries import parts_of
from fabric.discovery.services.readers import parse
from fabric.discovery.services.states import told
from fabric.wiring.services.reconciliation import Outcome, compare, counts
from fabric.wiring.services.words import detail, move_dict, spots_of


def diagnosis_of(discovery: Discovery) -> dict[str, Any]:
    """What `store` would write of it, as plain values. Nothing is written. Raises Conflict when its capture is gone."""
    if discovery.capture is None:
        raise Conflict("What was read is no longer kept, or was never read.", "invalid_transition")
    outcome = compare(discovery.source, parse(parts_of(discovery.capture)), believed=True)
    answer: dict[str, Any] = {
        "discovery": discovery.pk,
        "capture": discovery.capture_id,
        "captured_at": discovery.capture.at,
        "state": outcome.state.value,
        "held_back": outcome.held_back or None,
        "problems": [told(problem) for problem in outcome.look.problems],
        "counts": {},
        "findings": [],
        "moves": [],
        "names": {},
    }
    return answer | _diagnosed(outcome)


def _diagnosed(outcome: Outcome) -> dict[str, Any]:
    diagnosis, planned = outcome.diagnosis, outcome.planned
    if diagnosis is None or outcome.held_back:
        return {}
    spots = spots_of(planned, diagnosis.cage_of)
    return {
        "counts": counts(outcome),
        "findings": [
            {
                "kind": str(found.kind),
                "key": found.key,
                "severity": str(found.severity),
                "title": found.title,
                "text": found.text,
                "devices": list(found.devices),
                "cables": list(found.cables),
                **detail(found, diagnosis, planned),
            }
            for found in diagnosis.findings
        ],
        "moves": [move_dict(move.n, move, planned, spots) for move in diagnosis.moves],
        "names": dict(sorted(diagnosis.names.items())),
    }
