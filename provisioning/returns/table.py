"""The list that goes to the vendor. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from core.spreadsheets import Value
from provisioning.returns.models import ReturnedMachine

COLUMNS = ("service_tag", "machine", "model", "failure", "what_was_seen", "evidence", "outcome")
WIDTHS = {"machine": 18, "model": 22, "failure": 22, "what_was_seen": 48, "evidence": 60}


def lines(machines: Iterable[ReturnedMachine], words: Mapping[str, str]) -> Iterator[list[Value]]:
    """A line a machine; `words` are those of the classes of failure."""
    for row in machines:
        device = row.machine.device
        yield [
            row.serial, device.name, device.model.name, words.get(row.failure_class, row.failure_class),
            row.failure_text, row.evidence, row.get_outcome_display() if row.outcome else "",
        ]  # fmt: skip
