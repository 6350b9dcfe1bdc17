"""What a hook can ask for is what the source tells."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core.webhooks.catalogue import EVENTS, matches, problem_of_pattern

ROOT = Path(__file__).parents[3]
ROOMS = ("inventory", "access", "health", "fabric", "provisioning", "runs", "tickets")
BEFORE = r"emit\(|\.later\(|kind, about =|Status\.\w+:|\belse|\bif\b.*?else"
TOLD = re.compile(rf"""(?:{BEFORE})\s*(?:[\w.]+ if )?"([a-z_]+\.[a-z_]+)\"""")


def source() -> str:
    """All code that tells events; checks name classes of faults, which are written alike."""
    files = [path for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    paths = [path for path in files if not {"tests", "checks"} & set(path.parts)]
    return "\n".join(path.read_text() for path in paths)


def test_every_event_of_the_source_is_in_the_catalogue() -> None:
    told = set(TOLD.findall(source()))
    assert {"ticket.changed", "fault.confirmed", "machine.changed", "run.machine_failed"} <= told, "the search is blind"
    assert told <= set(EVENTS)


def test_every_event_of_the_catalogue_is_in_the_source() -> None:
    text = source()
    assert not [name for name in EVENTS if f'"{name}"' not in text]


@pytest.mark.parametrize(
    ("pattern", "name", "heard"),
    [
        ("*", "ticket.changed", True),
        ("ticket.*", "ticket.changed", True),
        ("ticket.*", "tickets.changed", False),
        ("ticket.changed", "ticket.changed", True),
        ("racks.created", "racks.changed", False),
    ],
)
def test_a_pattern_hears(pattern: str, name: str, heard: bool) -> None:
    assert matches(pattern, name) is heard


@pytest.mark.parametrize("pattern", ["", "ticket", "ticket.chnaged", "*.changed", "Ticket.*", "ticket.*.x"])
def test_a_pattern_that_could_never_hear_anything_is_refused(pattern: str) -> None:
    assert problem_of_pattern(pattern)
