"""A plan that loads every link of a fabric with traffic between pairs of machines, in stages. Pure.

In one stage each adapter talks to one other, both ways at once, and its traffic spreads evenly over all shortest paths,
as adaptive routing does. No direction of any link gets more than its rate. A link is covered by a stage that loads both
of its directions with at least the wanted share of it. Links that no stage covers are told with the reason.
"""

from __future__ import annotations

import random
from array import array
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import combinations_with_replacement
from typing import NamedTuple

from fabric.facts import SeenPort
from fabric.quality.paths import Loads, Paths, Wire

FULL = 1 + 1e-9
LEAST_GAIN = 1e-6
MOST_CANDIDATES = 4000  # pairs of groups that are weighed at a time; of more a fixed sample


class Adapter(NamedTuple):
    """One port of a machine that may send: `name` as its tools call it, such as mlx5_3."""

    machine: str
    name: str
    port: SeenPort


class Stream(NamedTuple):
    """Traffic both ways between two adapters of the same name."""

    a: Adapter
    b: Adapter


class Gap(NamedTuple):
    """A link that is not covered: the largest share that a stage loads it with, and why there is no more."""

    wire: Wire
    share: float
    reason: str


@dataclass(frozen=True)
class Stage:
    streams: tuple[Stream, ...]
    covers: tuple[int, ...]
    """Positions of the wires that this stage is the first to cover."""


@dataclass(frozen=True)
class BurnInPlan:
    wires: tuple[Wire, ...]
    stages: tuple[Stage, ...]
    gaps: tuple[Gap, ...]

    @property
    def covered(self) -> int:
        return len(self.wires) - len(self.gaps)


@dataclass
class _Machine:
    name: str
    adapters: dict[str, tuple[Adapter, str, int, int]]
    """By name: the adapter, its switch, its wire, and the direction of that wire away from the adapter."""

    def group(self, wires: Sequence[Wire]) -> Group:
        """Machines on the same switches with links of the same rates can stand in for each other."""
        return tuple(sorted((name, switch, wires[wire].gbps) for name, (_, switch, wire, _) in self.adapters.items()))


Group = tuple[tuple[str, str, float], ...]
Pair = tuple[int, int]
"""Two groups, by number."""


@dataclass
class _Planner:
    wires: tuple[Wire, ...]
    machines: dict[str, _Machine]
    paths: Paths
    share: float
    groups: dict[Group, list[str]] = field(default_factory=dict)
    covered: set[int] = field(default_factory=set)
    best: dict[int, float] = field(default_factory=dict)
    unit_flows: dict[Pair, Loads] = field(default_factory=dict)

    def stage(self) -> Stage:
        """One stage: the pair of groups that brings most is filled first, until nothing brings anything."""
        load = [0.0] * (2 * len(self.wires))
        free = {
            number: sorted(names, key=self._need, reverse=True) for number, names in enumerate(self.groups.values())
        }
        lacks = [
            0.0 if number in self.covered else self.share * wire.gbps
            for number, wire in enumerate(self.wires)
            for _ in range(2)
        ]
        streams: list[Stream] = []
        barren: set[Pair] = set()
        while True:
            pairs, whole = self._pairs(free, barren)
            added = self._fill_best(pairs, load, lacks, free, barren)
            streams += added
            if whole or not added:
                break
        return Stage(tuple(streams), tuple(self._account(load)))

    def _need(self, name: str) -> int:
        """How many of a machine's own links are not covered yet."""
        return sum(wire not in self.covered for _, _, wire, _ in self.machines[name].adapters.values())

    def _pairs(self, free: dict[int, list[str]], barren: set[Pair]) -> tuple[list[Pair], bool]:
        """Pairs of groups with free machines, and whether these are all."""
        some = [number for number, names in free.items() if names]
        pairs = [
            (a, b)
            for a, b in combinations_with_replacement(some, 2)
            if (a, b) not in barren and (a != b or len(free[a]) > 1)
        ]
        if len(pairs) > MOST_CANDIDATES:
            return random.Random(len(pairs)).sample(pairs, MOST_CANDIDATES), False
        return pairs, True

    def _fill_best(
        self, pairs: list[Pair], load: list[float], lacks: list[float], free: dict[int, list[str]], barren: set[Pair]
    ) -> list[Stream]:
        """Fill the best pair until none brings anything. What a pair brings only falls while others are filled, so a
        gain that was worked out before is weighed again only when it comes first."""
        waiting = [(-self._gain(pair, load, lacks, free), number, pair) for number, pair in enumerate(pairs)]
        heapify(waiting)
        streams: list[Stream] = []
        while waiting:
            _, number, pair = heappop(waiting)
            again = (-self._gain(pair, load, lacks, free), number, pair)
            if again[0] > -LEAST_GAIN:
                continue
            if waiting and again > waiting[0]:
                heappush(waiting, again)
                continue
            added = self._fill(pair, load, free)
            if added:
                streams += added
                heappush(waiting, again)
            else:
                barren.add(pair)
        return streams

    def _gain(self, pair: Pair, load: list[float], lacks: list[float], free: dict[int, list[str]]) -> float:
        """How much nearer to their wanted share the links that are not covered would come."""
        a, b = pair
        count = self._count(pair, free)
        if not count:
            return 0.0
        gain = 0.0
        for key, amount in zip(*self._unit_flow(pair), strict=True):
            wanted, now = lacks[key], load[key]
            if now < wanted:
                more = now + amount * count
                gain += 1 - now / wanted if more > wanted else (more - now) / wanted
        own = (
            sum(self._need(name) for name in free[a][: 2 * count])
            if a == b
            else sum(self._need(name) for name in (*free[a][:count], *free[b][:count]))
        )
        return gain + own

    @staticmethod
    def _count(pair: Pair, free: dict[int, list[str]]) -> int:
        """How many pairs of free machines two groups make."""
        a, b = pair
        return len(free[a]) // 2 if a == b else min(len(free[a]), len(free[b]))

    def _unit_flow(self, pair: Pair) -> Loads:
        """What one pair of machines of two groups brings between their switches, all adapters and both ways."""
        if pair not in self.unit_flows:
            names = list(self.groups.values())
            one, other = self.machines[names[pair[0]][0]], self.machines[names[pair[1]][-1]]
            total: dict[int, float] = {}
            for stream in self._streams(one, other):
                if self._joined(stream):
                    self._put(stream, total)
            self.unit_flows[pair] = Loads(array("l", total), array("d", total.values()))
        return self.unit_flows[pair]

    def _streams(self, one: _Machine, other: _Machine) -> list[Stream]:
        return [
            Stream(one.adapters[name][0], other.adapters[name][0]) for name in one.adapters if name in other.adapters
        ]

    def _switches(self, stream: Stream) -> tuple[str, str]:
        a, b = (self.machines[each.machine].adapters[each.name][1] for each in stream)
        return a, b

    def _joined(self, stream: Stream) -> bool:
        """Whether there is a way between the switches of its ends."""
        a, b = self._switches(stream)
        return self.paths.joined(a, b) and self.paths.joined(b, a)

    def _put(self, stream: Stream, total: dict[int, float]) -> None:
        """Add the traffic of a stream between its switches, both ways."""
        a, b = self._switches(stream)
        gbps = self._gbps(stream)
        for flow in (self.paths.flow(a, b), self.paths.flow(b, a)):
            for key, part in zip(*flow, strict=True):
                total[key] = total.get(key, 0.0) + part * gbps

    def _gbps(self, stream: Stream) -> float:
        return min(self.wires[self.machines[each.machine].adapters[each.name][2]].gbps for each in stream)

    def _at_ends(self, stream: Stream) -> dict[int, float]:
        """Its traffic on the links of its two adapters."""
        gbps = self._gbps(stream)
        own = (self.machines[each.machine].adapters[each.name][2] for each in stream)
        return {2 * wire + way: gbps for wire in own for way in (0, 1)}

    def _fill(self, pair: Pair, load: list[float], free: dict[int, list[str]]) -> list[Stream]:
        """Pair up the free machines of two groups as far as the links between carry it."""
        a, b = pair
        added = self._fill_many(pair, load, free)
        while free[a] and free[b] and (a != b or len(free[a]) > 1):
            one, other = free[a][0], free[b][1 if a == b else 0]
            fitting = [
                stream for stream in self._streams(self.machines[one], self.machines[other]) if self._add(stream, load)
            ]
            if not fitting:
                break
            added += fitting
            free[a].remove(one)
            free[b].remove(other)
        return added

    def _fill_many(self, pair: Pair, load: list[float], free: dict[int, list[str]]) -> list[Stream]:
        """As many whole pairs at once as fit: pairs of two groups load the links between them alike."""
        a, b = pair
        count = self._count(pair, free)
        keys, amounts = self._unit_flow(pair)
        for key, amount in zip(keys, amounts, strict=True):
            count = min(count, int((self.wires[key >> 1].gbps * FULL - load[key]) / amount + 1e-9))
        if count < 1:
            return []
        ones = free[a][:count]
        del free[a][:count]
        others = free[b][:count]
        del free[b][:count]
        for key, amount in zip(keys, amounts, strict=True):
            load[key] += amount * count
        added = []
        for one, other in zip(ones, others, strict=True):
            for stream in self._streams(self.machines[one], self.machines[other]):
                if self._joined(stream):
                    for key, amount in self._at_ends(stream).items():
                        load[key] += amount
                    added.append(stream)
        return added

    def _add(self, stream: Stream, load: list[float]) -> bool:
        if not self._joined(stream):
            return False
        flow: dict[int, float] = {}
        self._put(stream, flow)
        flow |= self._at_ends(stream)
        if any(load[key] + amount > self.wires[key >> 1].gbps * FULL for key, amount in flow.items()):
            return False
        for key, amount in flow.items():
            load[key] += amount
        return True

    def _account(self, load: list[float]) -> list[int]:
        covers = []
        for number, wire in enumerate(self.wires):
            share = min(load[2 * number], load[2 * number + 1]) / wire.gbps
            self.best[number] = max(self.best.get(number, 0.0), share)
            if share >= self.share - 1e-9 and number not in self.covered:
                self.covered.add(number)
                covers.append(number)
        return covers


def plan(
    wires: Sequence[Wire], adapters: Sequence[Adapter], *, share: float = 0.5, most_stages: int = 32
) -> BurnInPlan:
    """Stages that load every link with at least `share` of its rate, as far as the machines given allow.

    `wires` are all links of the fabric, `adapters` those of the machines that may be used. Raises ValueError when an
    adapter is named twice, a wire carries nothing, or `share` is not above 0 and at most 1.
    """
    if not 0 < share <= 1:
        raise ValueError("the share of a link's rate is above 0 and at most 1")
    if any(wire.gbps <= 0 for wire in wires):
        raise ValueError("every link needs a rate")
    if len({(each.machine, each.name) for each in adapters}) != len(adapters):
        raise ValueError("an adapter is named twice")
    planner = _planner(tuple(wires), adapters, share)
    stages: list[Stage] = []
    while len(stages) < most_stages and len(planner.covered) < len(planner.wires):
        stage = planner.stage()
        if not stage.covers:
            break
        stages.append(stage)
    gaps = [
        Gap(wire, planner.best.get(number, 0.0), _reason(planner, number, len(stages) >= most_stages))
        for number, wire in enumerate(planner.wires)
        if number not in planner.covered
    ]
    return BurnInPlan(planner.wires, tuple(stages), tuple(gaps))


def _planner(wires: tuple[Wire, ...], adapters: Sequence[Adapter], share: float) -> _Planner:
    at = {end: (number, out) for number, wire in enumerate(wires) for out, end in enumerate((wire.a, wire.b))}
    machines: dict[str, _Machine] = {}
    for adapter in adapters:
        if adapter.port not in at:
            continue  # dark: it has no link to load
        number, out = at[adapter.port]
        far = wires[number].b if out == 0 else wires[number].a
        machines.setdefault(adapter.machine, _Machine(adapter.machine, {})).adapters[adapter.name] = (
            adapter, far.guid, number, out,
        )  # fmt: skip
    planner = _Planner(wires, machines, Paths(wires, _leaves(wires, adapters)), share)
    for name in sorted(machines):
        planner.groups.setdefault(machines[name].group(wires), []).append(name)
    return planner


def _leaves(wires: Sequence[Wire], adapters: Sequence[Adapter]) -> set[str]:
    """Nodes that forward nothing: those given, and every node with a single link."""
    count: dict[str, int] = defaultdict(int)
    for wire in wires:
        count[wire.a.guid] += 1
        count[wire.b.guid] += 1
    return {adapter.port.guid for adapter in adapters} | {guid for guid, links in count.items() if links == 1}


def _reason(planner: _Planner, number: int, stopped: bool) -> str:
    wire = planner.wires[number]
    ends = {wire.a.guid, wire.b.guid}
    if not (ends <= planner.paths.out.keys()):
        own = {adapter[0].port.guid for machine in planner.machines.values() for adapter in machine.adapters.values()}
        return "its machine found no partner in any stage" if ends & own else "behind it is no machine that may be used"
    if stopped:
        return "the most stages that were allowed are used up"
    if planner.best.get(number, 0.0) == 0:
        return "no shortest path between the machines that may be used leads over it in both directions"
    return f"the machines that may be used load it with {planner.best[number]:.0%} at most"
