"""Deliveries side by side: how far each is, how fast it comes to service, and how its first boots failed. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from provisioning.stages.board import LIMITS, Board, Facts, FirstBoot, Limits, board_of


class Key(NamedTuple):
    """Machines of one model that came with one delivery."""

    delivery: int
    order: str
    vendor: str
    model: str


@dataclass(frozen=True, slots=True)
class Batch:
    """`board` is that of its machines alone, `boots` are their first boots."""

    key: Key
    board: Board
    boots: tuple[FirstBoot, ...]

    @property
    def machines(self) -> int:
        return self.board.in_service + len(self.board.standings)

    @property
    def stuck(self) -> int:
        return sum(len(group.machines) for group in self.board.stuck)


def batches(
    came_with: Mapping[int, Key],
    machines: Iterable[Facts],
    arrivals: Sequence[tuple[int, datetime]],
    boots: Mapping[int, FirstBoot],
    now: datetime,
    limits: Limits = LIMITS,
) -> list[Batch]:
    """The newest delivery first, each by model. `came_with` and `boots` are by machine; who came with none is left
    out, and so is a batch whose machines are all retired."""
    facts: dict[Key, list[Facts]] = defaultdict(list)
    arrived: dict[Key, list[datetime]] = defaultdict(list)
    booted: dict[Key, list[FirstBoot]] = defaultdict(list)
    for each in machines:
        if key := came_with.get(each.id):
            facts[key].append(each)
    for machine, at in arrivals:
        if key := came_with.get(machine):
            arrived[key].append(at)
    for machine, boot in boots.items():
        if key := came_with.get(machine):
            booted[key].append(boot)
    found = [Batch(key, board_of(those, arrived[key], now, limits), tuple(booted[key])) for key, those in facts.items()]
    return sorted((each for each in found if each.machines), key=lambda each: (-each.key.delivery, each.key.model))
