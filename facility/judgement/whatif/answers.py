"""The answer to a question, and what trips, in order.

A breaker that would trip is named and not followed further, as in the planned analysis. What is not measured counts as
planned if the graph assumes so; a rack for which not even that is known is unknown.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from facility.judgement.measured import MeasuredGraph
from facility.judgement.readings import State, Sum, several
from facility.judgement.room import PHASES, Bound
from inventory.power.graph import Panel, PowerGraph

SubjectKind = Literal["panel", "feed", "phase", "pdu", "rack", "machine", "gpu"]


class Trip(NamedTuple):
    """What goes over a limit, in `unit`. `trips` is False where it is over what it may carry for long, but holds."""

    subject: SubjectKind
    id: int
    name: str
    value: float
    limit: float
    unit: Literal["W", "°C"]
    trips: bool = True
    why: str = ""

    @property
    def percent(self) -> float:
        return self.value / self.limit * 100 if self.limit else 0.0


class RackAnswer(NamedTuple):
    """`before` and `after` are in W, or in °C of the hottest inlet where the question is about air: then `state_before`
    is that of its air now, GPUs and all. In W it is None: the load of a rack has a state of its own.
    """

    rack_id: int
    state: State
    before: Sum
    after: Sum
    limit: float | None
    unit: Literal["W", "°C"] = "W"
    why: str = ""
    state_before: State | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """Racks with anything to say, what trips or slows down first, what goes dark, and the sentence.

    `assumed` is how many devices count with their planned draw because nobody measures them.
    """

    question: str
    racks: tuple[RackAnswer, ...]
    trips: tuple[Trip, ...]
    text: str
    dark: tuple[int, ...] = ()
    unknown: tuple[int, ...] = ()
    assumed: int = 0

    @property
    def states(self) -> dict[int, State]:
        return {rack.rack_id: rack.state for rack in self.racks}


# ---- pieces ----


def trip_at(graph: PowerGraph, feed_id: int | None, pdu_id: int | None, carries_w: float) -> Trip:
    """Over what it may carry for long, and over what its breaker is made for: only then it trips at once.

    A PDU has a limit in the inventory and no breaker of a known size: it is over that limit.
    """
    if pdu_id is not None:
        pdu = graph.pdus[pdu_id]
        return Trip("pdu", pdu_id, pdu.name, carries_w, pdu.limit_w or 0.0, "W", False)
    feed = graph.feeds[feed_id or 0]
    return Trip("feed", feed.id, feed.name, carries_w, feed.derated_w or 0.0, "W", carries_w > (feed.capacity_w or 0.0))


def panel_trip(panel: Panel, carries_w: float) -> Trip:
    """Over what a board may carry for long; its main breaker, made for more, trips at once from there."""
    limit = panel.derated_w or 0.0
    return Trip("panel", panel.id, panel.name, carries_w, limit, "W", carries_w > limit / panel.derating_percent * 100)


def trip_of_bound(graph: MeasuredGraph, bound: Bound) -> Trip:
    why = "when the other side fails" if bound.key.dead else "with all feeds alive"
    if bound.key.kind == "rack":
        return Trip("rack", bound.key.id, bound.name, bound.after_w, bound.limit_w or 0.0, "W", False, why)
    if bound.key.kind == "panel":
        return panel_trip(graph.panels[bound.key.id], bound.after_w)._replace(why=why)
    if bound.key.kind == "phase":
        feed_id = graph.way(bound.key.id)[1]
        size = (graph.feeds[feed_id].capacity_w or 0.0) / PHASES if feed_id is not None else 0.0
        limit = bound.limit_w or 0.0
        return Trip("phase", bound.key.id, bound.name, bound.after_w, limit, "W", bound.after_w > size, why)
    pdu, feed = (bound.key.id, None) if bound.key.kind == "pdu" else (None, bound.key.id)
    return trip_at(graph, feed, pdu, bound.after_w)._replace(why=why)


def in_order(trips: Iterable[Trip]) -> tuple[Trip, ...]:
    """The most overloaded first: breakers trip sooner the more they carry. Each subject once, at its worst."""
    worst: dict[tuple[str, int], Trip] = {}
    for trip in trips:
        key = trip.subject, trip.id
        if key not in worst or trip.percent > worst[key].percent:
            worst[key] = trip
    return tuple(sorted(worst.values(), key=lambda trip: (-trip.percent, trip.name)))


def over_above(graph: MeasuredGraph, rack_id: int, trips: Iterable[Trip]) -> Trip | None:
    """The first of them that a rack hangs on: itself, PDUs in it or behind its cords, its feeds, the boards above."""
    devices = graph.devices_in(rack_id)
    cords = {inlet.pdu_id for each in devices for inlet in graph.supplied(each).inlets if inlet.pdu_id is not None}
    feeds = {feed for each in devices for feed in graph.feeds_of(each)}
    hangs_on: Mapping[SubjectKind, Collection[int | None]] = {
        "rack": {rack_id},
        "pdu": {passed for pdu in cords for passed in graph.way(pdu)[0]} | set(graph.pdus_in(rack_id)),
        "feed": feeds,
        "panel": {graph.feeds[feed].panel_id for feed in feeds},
    }
    return next((trip for trip in trips if trip.id in hangs_on.get(trip.subject, ())), None)


def first_of(trips: Sequence[Trip]) -> str:
    """What goes first, as part of a sentence."""
    trip = trips[0]
    does = "trips" if trip.trips else "is over its limit"
    more = f" and {len(trips) - 1} more" if len(trips) > 1 else ""
    why = f" {trip.why}" if trip.why else ""
    return f"{trip.name} {does} at {trip.percent:.0f} %{why}{more}"


def rack_limit(graph: MeasuredGraph, rack_id: int) -> float | None:
    facts = graph.readings.racks.get(rack_id)
    return facts.limit_w if facts else None


def assumed(graph: MeasuredGraph) -> int:
    """Devices that count with their planned draw: neither they nor the PDUs behind all their cords are measured."""
    return len(graph.assumed)


def sentence(head: str, parts: Sequence[str], racks: Sequence[RackAnswer]) -> str:
    """`everything holds` only where everything is known."""
    unknown = sum(rack.state == "unknown" for rack in racks)
    listed = [*parts, *([f"not known for {several(unknown, 'rack')}"] if unknown else [])]
    return f"{head}: {'; '.join(listed) or 'everything holds'}."
