"""A plan that loads every link of a fabric with traffic between pairs of machines, in stages. Pure.

In one stage each adapter talks to one other, both ways at once, and its traffic spreads evenly over all shortest paths,
as adaptive routing does. No direction of any link gets more than its rate. A link is covered by a stage that loads both
of its directions with at least the wanted share of it. Links that no stage covers are told with the reason.
"""

from __future__ import annotations

import random
from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from typing import NamedTuple

from fabric.facts import SeenPort

FULL = 1 + 1e-9
MOST_CANDIDATES = 4000  # pairs of groups that are weighed at a time; of more a fixed sample


class Wire(NamedTuple):
    """One link and what it carries each way."""

    a: SeenPort
    b: SeenPort
    gbps: float


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

    def machine_pairs(self) -> list[tuple[str, str]]:
        return sorted({(stream.a.machine, stream.b.machine) for stream in self.streams})


@dataclass(frozen=True)
class BurnInPlan:
    wires: tuple[Wire, ...]
    stages: tuple[Stage, ...]
    gaps: tuple[Gap, ...]

    @property
    def covered(self) -> int:
        return len(self.wires) - len(self.gaps)


Flow = dict[tuple[int, int], float]
"""(position of a wire, 0 from a to b or 1 from b to a) to the traffic on it."""


class Paths:
    """How traffic between two switches spreads over the shortest paths. Adapters forward nothing."""

    def __init__(self, wires: Sequence[Wire], adapters: Iterable[str]) -> None:
        self.out: dict[str, list[tuple[str, int, int]]] = defaultdict(list)
        ends = set(adapters)
        for number, wire in enumerate(wires):
            if wire.a.guid in ends or wire.b.guid in ends:
                continue
            self.out[wire.a.guid].append((wire.b.guid, number, 0))
            self.out[wire.b.guid].append((wire.a.guid, number, 1))
        self._distances: dict[str, dict[str, int]] = {}
        self._flows: dict[tuple[str, str], Flow | None] = {}

    def distances(self, to: str) -> dict[str, int]:
        if to not in self._distances:
            found, waiting = {to: 0}, deque([to])
            while waiting:
                here = waiting.popleft()
                for there, _, _ in self.out[here]:
                    if there not in found:
                        found[there] = found[here] + 1
                        waiting.append(there)
            self._distances[to] = found
        return self._distances[to]

    def flow(self, start: str, to: str) -> Flow | None:
        """One unit from switch to switch; None when there is no way."""
        if (start, to) not in self._flows:
            self._flows[start, to] = self._spread(start, to)
        return self._flows[start, to]

    def _spread(self, start: str, to: str) -> Flow | None:
        distance = self.distances(to)
        if start not in distance:
            return None
        flow: Flow = defaultdict(float)
        level = {start: 1.0}
        while level and to not in level:
            following: dict[str, float] = defaultdict(float)
            for here, amount in level.items():
                ways = [way for way in self.out[here] if distance[way[0]] == distance[here] - 1]
                for there, number, direction in ways:
                    flow[number, direction] += amount / len(ways)
                    following[there] += amount / len(ways)
            level = following
        return dict(flow)


@dataclass
class _Machine:
    name: str
    adapters: dict[str, tuple[Adapter, str, int, int]]
    """By name: the adapter, its switch, its wire, and the direction of that wire away from the adapter."""

    def group(self, wires: Sequence[Wire]) -> Group:
        """Machines on the same switches with links of the same rates can stand in for each other."""
        return tuple(sorted((name, switch, wires[wire].gbps) for name, (_, switch, wire, _) in self.adapters.items()))


Group = tuple[tuple[str, str, float], ...]


@dataclass
class _Planner:
    wires: tuple[Wire, ...]
    machines: dict[str, _Machine]
    paths: Paths
    share: float
    groups: dict[Group, list[str]] = field(default_factory=dict)
    covered: set[int] = field(default_factory=set)
    best: dict[int, float] = field(default_factory=dict)
    unit_flows: dict[tuple[int, int], Flow] = field(default_factory=dict)

    def stage(self) -> Stage:
        """One stage: the pair of groups that brings most is filled first, until nothing brings anything."""
        load: Flow = defaultdict(float)
        free = {
            number: sorted(names, key=self._need, reverse=True) for number, names in enumerate(self.groups.values())
        }
        streams: list[Stream] = []
        barren: set[tuple[int, int]] = set()
        while (pair := self._best_pair(load, free, barren)) is not None:
            added = self._fill(pair, load, free)
            streams += added
            if not added:
                barren.add(pair)
        covers = self._account(load)
        return Stage(tuple(streams), tuple(covers))

    def _need(self, name: str) -> int:
        """How many of a machine's own links are not covered yet."""
        return sum(wire not in self.covered for _, _, wire, _ in self.machines[name].adapters.values())

    def _best_pair(
        self, load: Flow, free: dict[int, list[str]], barren: set[tuple[int, int]]
    ) -> tuple[int, int] | None:
        some = [number for number, names in free.items() if names]
        pairs = [
            (a, b)
            for a, b in combinations_with_replacement(some, 2)
            if (a, b) not in barren and (a != b or len(free[a]) > 1)
        ]
        if len(pairs) > MOST_CANDIDATES:
            pairs = random.Random(len(pairs)).sample(pairs, MOST_CANDIDATES)
        gains = [(self._gain(pair, load, free), pair) for pair in pairs]
        gain, best = max(gains, default=(0.0, None), key=lambda each: each[0])
        return best if gain > 1e-6 else None

    def _gain(self, pair: tuple[int, int], load: Flow, free: dict[int, list[str]]) -> float:
        """How much nearer to their wanted share the links that are not covered would come."""
        a, b = pair
        count = len(free[a]) // 2 if a == b else min(len(free[a]), len(free[b]))
        gain = 0.0
        for key, amount in self._unit_flow(pair).items():
            if key[0] in self.covered:
                continue
            wanted = self.share * self.wires[key[0]].gbps
            now = load.get(key, 0.0)
            if now < wanted:
                gain += (min(now + amount * count, wanted) - now) / wanted
        own = (
            sum(self._need(name) for name in free[a][: 2 * count])
            if a == b
            else sum(self._need(name) for name in (*free[a][:count], *free[b][:count]))
        )
        return gain + own

    def _unit_flow(self, pair: tuple[int, int]) -> Flow:
        """What one pair of machines of two groups brings between their switches, all adapters and both ways."""
        if pair not in self.unit_flows:
            names = list(self.groups.values())
            one, other = self.machines[names[pair[0]][0]], self.machines[names[pair[1]][-1]]
            total: Flow = defaultdict(float)
            for stream in self._streams(one, other):
                for key, amount in (self._between(stream) or {}).items():
                    total[key] += amount
            self.unit_flows[pair] = dict(total)
        return self.unit_flows[pair]

    def _streams(self, one: _Machine, other: _Machine) -> list[Stream]:
        return [
            Stream(one.adapters[name][0], other.adapters[name][0]) for name in one.adapters if name in other.adapters
        ]

    def _between(self, stream: Stream) -> Flow | None:
        """The traffic of one stream between its switches; None when there is no way."""
        a_switch = self.machines[stream.a.machine].adapters[stream.a.name][1]
        b_switch = self.machines[stream.b.machine].adapters[stream.b.name][1]
        there, back = self.paths.flow(a_switch, b_switch), self.paths.flow(b_switch, a_switch)
        if there is None or back is None:
            return None
        gbps = self._gbps(stream)
        flow: Flow = defaultdict(float)
        for way in (there, back):
            for key, share in way.items():
                flow[key] += share * gbps
        return flow

    def _gbps(self, stream: Stream) -> float:
        return min(self.wires[self.machines[each.machine].adapters[each.name][2]].gbps for each in stream)

    def _at_ends(self, stream: Stream) -> Flow:
        """Its traffic on the links of its two adapters."""
        gbps = self._gbps(stream)
        own = (self.machines[each.machine].adapters[each.name][2] for each in stream)
        return {(wire, way): gbps for wire in own for way in (0, 1)}

    def _fill(self, pair: tuple[int, int], load: Flow, free: dict[int, list[str]]) -> list[Stream]:
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

    def _fill_many(self, pair: tuple[int, int], load: Flow, free: dict[int, list[str]]) -> list[Stream]:
        """As many whole pairs at once as fit: pairs of two groups load the links between them alike."""
        a, b = pair
        count = len(free[a]) // 2 if a == b else min(len(free[a]), len(free[b]))
        unit = self._unit_flow(pair)
        for key, amount in unit.items():
            count = min(count, int((self.wires[key[0]].gbps * FULL - load.get(key, 0.0)) / amount + 1e-9))
        if count < 1:
            return []
        ones = free[a][:count]
        del free[a][:count]
        others = free[b][:count]
        del free[b][:count]
        for key, amount in unit.items():
            load[key] += amount * count
        added = []
        for one, other in zip(ones, others, strict=True):
            for stream in self._streams(self.machines[one], self.machines[other]):
                if self._between(stream) is not None:
                    for key, amount in self._at_ends(stream).items():
                        load[key] += amount
                    added.append(stream)
        return added

    def _add(self, stream: Stream, load: Flow) -> bool:
        between = self._between(stream)
        if between is None:
            return False
        flow = between | self._at_ends(stream)
        if any(load.get(key, 0.0) + amount > self.wires[key[0]].gbps * FULL for key, amount in flow.items()):
            return False
        for key, amount in flow.items():
            load[key] += amount
        return True

    def _account(self, load: Flow) -> list[int]:
        covers = []
        for number, wire in enumerate(self.wires):
            share = min(load.get((number, 0), 0.0), load.get((number, 1), 0.0)) / wire.gbps
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
