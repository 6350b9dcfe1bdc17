"""How traffic spreads over the shortest paths between the switches of a fabric. Pure."""

from __future__ import annotations

from array import array
from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from fabric.facts import SeenPort


class Wire(NamedTuple):
    """One link and what it carries each way."""

    a: SeenPort
    b: SeenPort
    gbps: float


class Loads(NamedTuple):
    """Traffic on directions of wires. A direction is twice the position of a wire, and 1 more from b to a.

    Arrays and not a dict: between two pods there are thousands of directions, and thousands of pairs of switches.
    """

    keys: array[int]
    amounts: array[float]


class Paths:
    """How traffic between two switches spreads over the shortest paths. Adapters forward nothing."""

    def __init__(self, wires: Sequence[Wire], adapters: Iterable[str]) -> None:
        self.out: dict[str, list[tuple[str, int]]] = defaultdict(list)
        ends = set(adapters)
        for number, wire in enumerate(wires):
            if wire.a.guid in ends or wire.b.guid in ends:
                continue
            self.out[wire.a.guid].append((wire.b.guid, 2 * number))
            self.out[wire.b.guid].append((wire.a.guid, 2 * number + 1))
        self._distances: dict[str, dict[str, int]] = {}
        self._nearer: dict[str, dict[str, list[tuple[str, int]]]] = defaultdict(dict)
        self._flows: dict[tuple[str, str], Loads] = {}

    def distances(self, to: str) -> dict[str, int]:
        if to not in self._distances:
            found, waiting = {to: 0}, deque([to])
            while waiting:
                here = waiting.popleft()
                for there, _ in self.out[here]:
                    if there not in found:
                        found[there] = found[here] + 1
                        waiting.append(there)
            self._distances[to] = found
        return self._distances[to]

    def joined(self, a: str, b: str) -> bool:
        return a in self.distances(b)

    def flow(self, start: str, to: str) -> Loads:
        """One unit from switch to switch, which have to be joined; no direction is in it twice."""
        if (start, to) not in self._flows:
            self._flows[start, to] = self._spread(start, to)
        return self._flows[start, to]

    def _spread(self, start: str, to: str) -> Loads:
        keys: list[int] = []
        parts: list[float] = []
        level = {start: 1.0}
        while level and to not in level:
            following: dict[str, float] = {}
            for here, amount in level.items():
                ways = self._ways(here, to)
                part = amount / len(ways)
                for there, key in ways:
                    keys.append(key)
                    following[there] = following.get(there, 0.0) + part
                parts += [part] * len(ways)
            level = following
        return Loads(array("l", keys), array("d", parts))

    def _ways(self, here: str, to: str) -> list[tuple[str, int]]:
        """The directions that lead from a switch one step nearer."""
        known = self._nearer[to]
        if here not in known:
            distance = self.distances(to)
            known[here] = [way for way in self.out[here] if distance[way[0]] == distance[here] - 1]
        return known[here]
