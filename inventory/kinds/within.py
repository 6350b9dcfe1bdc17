"""Rows of another kind that come with the rows of a write: parts with their device, in one transaction.

They are written by the engine as rows of their own kind are, so the same checks refuse them. A refusal stands at the
row they came with, under their place in it: `parts[2].serial`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from inventory.kinds.batch import Batch, Line, read_lines
from inventory.kinds.kind import KINDS

ROW = re.compile(r"\brow (\d+)\b")


@dataclass
class Inner:
    """The rows in one field of all rows of a write. `places` are (row, where in it) by number from 1."""

    name: str
    batch: Batch
    places: list[tuple[Line, int]]

    def tell(self) -> None:
        """Say at the rows of the outer write what became of those that came with them."""
        written: dict[Line, list[str]] = {}
        for (outer, at), line in zip(self.places, self.batch.lines, strict=True):
            for error in line.errors:
                outer.refuse(f"{self.name}[{at}].{error.field}", self._in_words(error.reason, outer), error.code)
            if line.new or line.changed:
                words = (line.after.get("slot"), line.after.get("part_number"), line.after.get("serial"))
                written.setdefault(outer, []).append(" ".join(word for word in words if word))
        for outer, told in written.items():
            if not outer.new:
                outer.changed.append(self.name)
                outer.extra[self.name] = [None, ", ".join(told)]

    def _in_words(self, reason: str, beside: Line) -> str:
        """With the places of rows for their numbers."""

        def place(found: re.Match[str]) -> str:
            outer, at = self.places[int(found.group(1)) - 1]
            return f"{self.name}[{at}]" if outer is beside else f"{self.name}[{at}] of row {outer.number}"

        return ROW.sub(place, reason)


def rows_within(batch: Batch) -> Iterator[Inner]:
    """A write for each field whose rows are of another kind; empty where no row brings any. The owners have ids."""
    for name, told in batch.kind.within.items():
        places = [(line, at) for line in batch.lines for at in range(len(line.within.get(name, ())))]
        if not places or batch.mode == "delete":
            continue
        rows = [
            line.within[name][at].model_dump(exclude_unset=True) | {"site": line.site, told.owner: line.id}
            for line, at in places
        ]
        kind = KINDS[told.kind]
        inner = Batch(kind, "upsert", batch.scope, batch.actor, read_lines(kind, rows, "upsert"), batch.dry_run)
        yield Inner(name, inner, places)
