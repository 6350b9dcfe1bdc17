"""What happens when feeds die: who goes dark, who only loses redundancy, which breaker trips. Pure."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from inventory.power.graph import NOTHING, Feed, Loads, PoweredDevice, PowerGraph, State, Together

Redundancy = Literal["2N", "N+1", "single", "unknown"]
RackState = Literal["ok", "degraded", "unknown", "trips", "lost"]
WORST: tuple[RackState, ...] = ("lost", "trips", "unknown", "degraded", "ok")
ROUNDING_W = 0.5  # sums of thirds are no reason to trip


class Overload(NamedTuple):
    """A feed, or a PDU on it, that would carry more than it may."""

    feed_id: int | None
    pdu_id: int | None
    carries_w: float
    limit_w: float


@dataclass
class Failure:
    """`carries` is what the feeds that took over carry then; of `unsized` ones nobody has written down the breaker."""

    dead: frozenset[int]
    states: dict[State, list[PoweredDevice]] = field(default_factory=lambda: defaultdict(list))
    overloads: list[Overload] = field(default_factory=list)
    carries: dict[int, float] = field(default_factory=dict)
    unsized: list[int] = field(default_factory=list)
    racks: dict[int, RackState] = field(default_factory=dict)


def fail(graph: PowerGraph, dead: frozenset[int]) -> Failure:
    """These feeds die at once, everything at planned draw. Only devices that hang on them, or might, are looked at."""
    failure = Failure(dead)
    hit = {device.id: device for feed in dead for device in graph.devices_on.get(feed, ())}
    hit |= {device.id: device for device in graph.doubtful}
    more = Loads()
    for device in hit.values():
        state = graph.state(device, dead)
        failure.states[state].append(device)
        for pdu, watts in graph.shares(device):
            graph.add(more, pdu, -watts)
        if state != "lost":
            for pdu, watts in graph.shares(device, dead):
                graph.add(more, pdu, watts)
    _overloads(graph, more, failure)
    _rack_states(graph, failure)
    return failure


def _overloads(graph: PowerGraph, more: Loads, failure: Failure) -> None:
    """Feeds and PDUs that carry more than before, and too much."""
    for feed_id, added in more.feeds.items():
        if feed_id in failure.dead or added <= ROUNDING_W:
            continue
        failure.carries[feed_id] = carries = graph.planned.feeds[feed_id] + added
        may = graph.feeds[feed_id].derated_w
        if may is None:
            failure.unsized.append(feed_id)
        elif carries > may + ROUNDING_W:
            failure.overloads.append(Overload(feed_id, None, carries, may))
    for pdu_id, added in more.pdus.items():
        limit = graph.pdus[pdu_id].limit_w
        carries = graph.planned.pdus[pdu_id] + added
        if limit is not None and added > ROUNDING_W and carries > limit + ROUNDING_W:
            failure.overloads.append(Overload(graph.way(pdu_id)[1], pdu_id, carries, limit))


def _rack_states(graph: PowerGraph, failure: Failure) -> None:
    """The worst that happens in each rack that is hit at all."""

    def worsen(rack_id: int | None, state: RackState) -> None:
        if rack_id is not None:
            failure.racks[rack_id] = min(failure.racks.get(rack_id, "ok"), state, key=WORST.index)

    for state, devices in failure.states.items():
        for device in devices:
            worsen(device.rack_id, state)
    for overload in failure.overloads:
        for rack_id in racks_of(graph, overload):
            worsen(rack_id, "trips")
    for feed_id in failure.unsized:
        for device in graph.devices_on.get(feed_id, ()):
            worsen(device.rack_id, "unknown")


def racks_of(graph: PowerGraph, overload: Overload) -> list[int]:
    """The racks that go dark when it trips, by id."""
    if overload.pdu_id is None:
        devices = graph.devices_on.get(overload.feed_id or 0, [])
    else:
        devices = graph.devices_behind.get(overload.pdu_id, [])
    return sorted({device.rack_id for device in devices if device.rack_id is not None})


class Standing(NamedTuple):
    """How safe one device is."""

    redundancy: Redundancy
    loses_power_if: tuple[Feed, ...]


def standing(graph: PowerGraph, device: PoweredDevice, together: Together = "side") -> Standing:
    """2N: any feed may die. N+1: any one of its supplies may. Feeds of one side count as one by default."""
    known = graph.feeds_of(device)
    states = {feed: graph.state(device, graph.failing_with(feed, together)) for feed in known}
    losing = tuple(graph.feeds[feed] for feed, state in states.items() if state == "lost")
    return Standing(_redundancy(graph, device, set(states.values())), losing)


def _redundancy(graph: PowerGraph, device: PoweredDevice, states: set[State]) -> Redundancy:
    supplied = graph.supplied(device)
    if not states or "unknown" in states or graph.state(device, NOTHING) == "unknown":
        return "unknown"
    if "lost" not in states:
        return "2N"
    if len(supplied.inlets) == 1:
        return "single"
    if supplied.may_fail is None:
        return "unknown"
    return "N+1" if supplied.may_fail else "single"
