"""Room left: how many more machines of a model fit in a rack, a row or a room, and what trips with one more. Pure.

Every bound is counted with all feeds alive and with each side dead: a machine that fits only while both feeds live does
not fit. A new machine draws evenly from the PDUs of its rack and from their phases; on a dead side, the others take it
over. Machines are
placed one by one into the rack where they fill the tightest bound least: exact where bounds lie inside each other (rack
in feed in panel), as they do in halls.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Literal, NamedTuple

from facility.judgement.measured import MeasuredGraph
from facility.judgement.readings import PhaseReading, Sum, added
from inventory.power.failures import Failure, fail
from inventory.power.graph import NOTHING, Feed, Together

PHASES = 3
BoundKind = Literal["rack", "pdu", "phase", "feed", "panel"]


@dataclass(frozen=True, slots=True)
class NewMachine:
    """`watts` is what one draws: planned, or the peak that its model's others were measured at."""

    model: str
    watts: float
    height_u: int


@dataclass(frozen=True, slots=True)
class FreeSpace:
    """`runs_u` are the heights of the stretches of free units."""

    rack_id: int
    runs_u: tuple[int, ...]

    def places(self, height_u: int) -> int:
        return sum(run // height_u for run in self.runs_u)


class Key(NamedTuple):
    """One bound: what may not carry more than its limit while these feeds are dead. A phase has the id of its PDU."""

    kind: BoundKind
    id: int
    dead: frozenset[int]
    part: str = ""


@dataclass(frozen=True, slots=True)
class Bound:
    """How full it is. `used` is a lower bound where not all is known."""

    key: Key
    name: str
    used: Sum
    limit_w: float | None
    after_w: float

    @property
    def percent(self) -> float | None:
        return self.after_w / self.limit_w * 100 if self.limit_w else None

    @property
    def over(self) -> bool:
        return self.limit_w is not None and self.after_w > self.limit_w + 0.5

    def text(self) -> str:
        while_dead = " when the other side fails" if self.key.dead else ""
        percent = f"{self.percent:.0f} %" if self.percent is not None else "not known how many percent"
        return f"{self.name} at {percent}{while_dead}"


@dataclass(frozen=True, slots=True)
class RackRoom:
    """`fits` is None where a load or a limit is not known. `first` trips with one more; None: no place is left.
    `free_w` is what the rack may draw more.
    """

    rack_id: int
    fits: int | None
    first: Bound | None
    redundant: bool
    reason: str = ""
    free_w: float | None = None


@dataclass(frozen=True, slots=True)
class RoomLeft:
    """Of several racks together. `fits` counts those that are known: at least so many while `unknown` is not empty."""

    fits: int
    by_rack: dict[int, int]
    first: Bound | None
    unknown: tuple[int, ...] = ()
    alone: dict[int, RackRoom] = field(default_factory=dict)

    def text(self, model: str) -> str:
        at_least = "at least " if self.unknown else ""
        then = f"; one more: {self.first.text()}" if self.first else "; then no place is left"
        return f"Room for {at_least}{self.fits} more {model}{then}."


class Ledger:
    """What is used of every bound, with machines added on top. One for a question."""

    def __init__(self, graph: MeasuredGraph, together: Together = "side") -> None:
        self.graph = graph
        self.together = together
        self.added: dict[Key, float] = defaultdict(float)
        self._used: dict[Key, Sum] = {}
        self._failures: dict[frozenset[int], Failure] = {}

    def place(self, rack_id: int, watts: float) -> None:
        for key, more in self.takes(rack_id, watts).items():
            self.added[key] += more

    def takes(self, rack_id: int, watts: float) -> dict[Key, float]:
        """Bounds that a machine in this rack draws on, and how much."""
        found: dict[Key, float] = defaultdict(float)
        found[Key("rack", rack_id, NOTHING)] = watts
        pdus = {pdu: feed for pdu in self.graph.pdus_in(rack_id) if (feed := self.graph.way(pdu)[1]) is not None}
        outer = [pdu for pdu in pdus if not self.graph.pdus[pdu].upstream]
        for dead in self.scenarios(pdus[pdu] for pdu in outer):
            live = [pdu for pdu in outer if pdus[pdu] not in dead]
            for pdu in live:
                found[Key("pdu", pdu, dead)] += watts / len(live)
                for phase in self._phases(pdu):
                    found[Key("phase", pdu, dead, phase.name)] += watts / len(live) / PHASES
                found[Key("feed", pdus[pdu], dead)] += watts / len(live)
                panel = self.graph.feeds[pdus[pdu]].panel_id
                if panel in self.graph.panels:
                    found[Key("panel", panel, dead)] += watts / len(live)
        return found

    def scenarios(self, feeds: Iterable[int]) -> list[frozenset[int]]:
        return list(dict.fromkeys([NOTHING, *(self.graph.failing_with(feed, self.together) for feed in feeds)]))

    def bound(self, key: Key, more_w: float = 0.0) -> Bound:
        used = self.used(key)
        limit = self._limit_w(key)
        return Bound(key, self._name(key), used, limit, used.at_least + self.added[key] + more_w)

    def used(self, key: Key) -> Sum:
        if key not in self._used:
            self._used[key] = self._measure(key)
        return self._used[key]

    # ---- pieces ----

    def _measure(self, key: Key) -> Sum:
        """Peaks where they are known: room is planned for the worst hour, not for this minute."""
        if key.kind == "rack":
            return _raised(self.graph.rack_w(key.id), self.graph.readings.peaks.get(("rack", key.id, "")))
        if key.kind == "pdu":
            return self._pdu(key.id, key.dead)
        if key.kind == "phase":
            return self._phase(key)
        if key.kind == "panel":
            live = [feed for feed in self.graph.feeds_of_panel(key.id) if feed not in key.dead]
            return added(self.used(Key("feed", feed, key.dead)) for feed in live)
        return self._feed(key.id, key.dead)

    def _feed(self, feed_id: int, dead: frozenset[int]) -> Sum:
        now = self.graph.feed_w(feed_id)
        if not dead:
            return now
        carries = self._failure(dead).carries.get(feed_id, self.graph.planned.feeds[feed_id])
        beside = {feed for each in self.graph.devices_on.get(feed_id, ()) for feed in self.graph.feeds_of(each)} & dead
        whole = [now, *(self.graph.feed_w(feed) for feed in beside)]
        known = all(each.value is not None for each in whole)
        return Sum(carries, int(known), 1)

    def _pdu(self, pdu_id: int, dead: frozenset[int]) -> Sum:
        now = self.graph.pdu_w(pdu_id)
        more = 0.0
        if dead:
            for device in self.graph.devices_behind.get(pdu_id, ()):
                if self.graph.state(device, dead) != "lost":
                    more += sum(w for pdu, w in self.graph.shares(device, dead) if pdu_id in self.graph.way(pdu)[0])
                    more -= sum(w for pdu, w in self.graph.shares(device) if pdu_id in self.graph.way(pdu)[0])
        return now._replace(at_least=now.at_least + more)

    def _phases(self, pdu_id: int) -> tuple[PhaseReading, ...]:
        """Those of a PDU that measures three, on a feed of a known size."""
        reading, feed = self.graph.readings.pdus.get(pdu_id), self._feed_above(pdu_id)
        known = reading is not None and len(reading.phases) == PHASES and feed is not None and feed.phases == PHASES
        return reading.phases if reading and feed and known and feed.capacity_w is not None else ()

    def _phase(self, key: Key) -> Sum:
        """What it carries now, and a third of what its PDU takes over."""
        current_a = next(each.current_a for each in self._phases(key.id) if each.name == key.part)
        if current_a is None:
            return Sum(0.0, 0, 1)
        more = self.used(Key("pdu", key.id, key.dead)).at_least - self.used(Key("pdu", key.id, NOTHING)).at_least
        return Sum(current_a * self._volts(key.id) + more / PHASES, 1, 1)

    def _volts(self, pdu_id: int) -> float:
        """Between a phase and the neutral of a PDU's feed."""
        feed = self._feed_above(pdu_id)
        return (feed.voltage_v or 0) / sqrt(PHASES) if feed else 0.0

    def _feed_above(self, pdu_id: int) -> Feed | None:
        return self.graph.feeds.get(self.graph.way(pdu_id)[1] or 0)

    def _failure(self, dead: frozenset[int]) -> Failure:
        if dead not in self._failures:
            self._failures[dead] = fail(self.graph, dead)
        return self._failures[dead]

    def _limit_w(self, key: Key) -> float | None:
        if key.kind == "rack":
            facts = self.graph.readings.racks.get(key.id)
            return facts.limit_w if facts else None
        if key.kind == "panel":
            return self.graph.panels[key.id].derated_w
        if key.kind == "phase":
            feed = self._feed_above(key.id)
            return None if feed is None or feed.derated_w is None else feed.derated_w / PHASES
        return self.graph.pdus[key.id].limit_w if key.kind == "pdu" else self.graph.feeds[key.id].derated_w

    def _name(self, key: Key) -> str:
        if key.kind == "rack":
            return self.graph.rack_name(key.id)
        if key.kind == "panel":
            return self.graph.panels[key.id].name
        if key.kind == "phase":
            return f"{self.graph.pdus[key.id].name} {key.part}"
        return (self.graph.pdus if key.kind == "pdu" else self.graph.feeds)[key.id].name


# ---- the questions ----


def rack_room(ledger: Ledger, machine: NewMachine, space: FreeSpace) -> RackRoom:
    """For one rack alone, as if no other rack took any."""
    takes = ledger.takes(space.rack_id, machine.watts)
    feeds = {key.id for key in takes if key.kind == "feed" and not key.dead}
    dead = [each for each in ledger.scenarios(feeds) if each]
    redundant = bool(dead) and all(feeds - each for each in dead)
    bounds = {key: ledger.bound(key) for key in takes}
    free = free_w(ledger, space.rack_id)
    places = space.places(machine.height_u)
    fits = min([places, *(_fit(bounds[key], more) for key, more in takes.items())])
    first = _tightest(ledger.bound(key, more * (fits + 1)) for key, more in takes.items())
    reason = _why_unknown(bounds.values()) if fits else ""
    return RackRoom(space.rack_id, None if reason else fits, first if fits < places else None, redundant, reason, free)


def free_w(ledger: Ledger, rack_id: int) -> float | None:
    """What a rack may draw more before a bound of it is full, with any side dead; None where not known."""
    room = []
    takes = ledger.takes(rack_id, 1.0)
    if not any(key.kind == "feed" for key in takes):
        return None
    for key, share in takes.items():
        bound = ledger.bound(key)
        if (bound.limit_w is None and key.kind == "feed") or (bound.limit_w is not None and bound.used.value is None):
            return None
        if bound.limit_w is not None:
            room.append((bound.limit_w - bound.after_w) / share)
    return max(0.0, min(room)) if room else None


def room_left(
    graph: MeasuredGraph, machine: NewMachine, spaces: Sequence[FreeSpace], together: Together = "side"
) -> RoomLeft:
    """For racks together, with the bounds that they share."""
    ledger = Ledger(graph, together)
    alone = {space.rack_id: rack_room(ledger, machine, space) for space in spaces}
    known = [space for space in spaces if alone[space.rack_id].fits is not None]
    places = {space.rack_id: space.places(machine.height_u) for space in known}
    placed, first = _fill(ledger, machine.watts, places)
    unknown = tuple(rack for rack, each in alone.items() if each.fits is None)
    return RoomLeft(sum(placed.values()), placed, first, unknown, alone)


def _fill(ledger: Ledger, watts: float, places: Mapping[int, int]) -> tuple[dict[int, int], Bound | None]:
    """How many in each rack, and what stopped the next one where it would have fitted best."""
    takes = {rack: ledger.takes(rack, watts) for rack in places}
    racks_at: dict[Key, list[int]] = defaultdict(list)
    for rack, keys in takes.items():
        for key in keys:
            racks_at[key].append(rack)
    tightest = {rack: _with_one_more(ledger, takes[rack]) for rack in places}
    placed: dict[int, int] = dict.fromkeys(places, 0)
    while free := [rack for rack, bound in tightest.items() if placed[rack] < places[rack] and not _is_over(bound)]:
        rack = min(free, key=lambda each: (_percent(tightest[each]), each))
        placed[rack] += 1
        ledger.place(rack, watts)
        for other in {other for key in takes[rack] for other in racks_at[key]}:
            tightest[other] = _with_one_more(ledger, takes[other])
    stopped = [bound for rack, bound in tightest.items() if bound and placed[rack] < places[rack]]
    return {rack: n for rack, n in placed.items() if n}, min(stopped, key=_percent, default=None)


def _with_one_more(ledger: Ledger, takes: Mapping[Key, float]) -> Bound | None:
    """The tightest bound with one more machine in this rack."""
    return _tightest(ledger.bound(key, more) for key, more in takes.items())


def _is_over(bound: Bound | None) -> bool:
    return bound is not None and bound.over


def _percent(bound: Bound | None) -> float:
    return (bound.percent if bound else None) or 0.0


def _tightest(bounds: Iterable[Bound]) -> Bound | None:
    return max((each for each in bounds if each.limit_w), key=_percent, default=None)


def _fit(bound: Bound, more_w: float) -> int:
    """How many fit below it; as many as you like below what has no limit."""
    if bound.limit_w is None or more_w <= 0:
        return 10**6
    return max(0, int((bound.limit_w - bound.after_w + 0.5) // more_w))


def _why_unknown(bounds: Iterable[Bound]) -> str:
    """A rack or a PDU without a limit is bounded by its feed; a feed without a size by nothing that is known."""
    listed = list(bounds)
    feeds = [each for each in listed if each.key.kind == "feed"]
    if not feeds:
        return "no feed of this rack is in the inventory"
    for each in listed:
        if each.limit_w is None and each.key.kind == "feed":
            return f"the size of {each.name} is not known"
        if each.limit_w is not None and each.used.value is None:
            return f"what {each.name} carries is not known"
    return ""


def _raised(now: Sum, peak_w: float | None) -> Sum:
    """To its peak. A peak does not make known what is not measured now."""
    return now if peak_w is None else now._replace(at_least=max(now.at_least, peak_w))
