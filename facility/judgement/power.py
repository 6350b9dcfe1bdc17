"""What racks, PDUs, phases, breakers, feeds and rooms carry of what they may, and what is too much. W and A."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from facility.judgement.kinds import Finding
from facility.judgement.limits import SiteLimits
from facility.judgement.measured import MeasuredGraph
from facility.judgement.readings import PduReading, PhaseReading, State, Sum, added, several, state_of, total
from inventory.power.failures import Failure, fail
from inventory.power.graph import Feed, Panel, PoweredDevice, Together

Subject = Literal["rack", "pdu", "phase", "breaker", "feed", "panel", "room"]


@dataclass(frozen=True, slots=True)
class Load:
    """Now, peak of a day, planned and limit of one subject, in `unit`. Phases and breakers have their PDU's id."""

    subject: Subject
    id: int
    name: str
    unit: Literal["W", "A"]
    now: Sum
    peak: float | None
    planned: Sum | None
    limit: float | None
    state: State
    part: str = ""
    rack_id: int | None = None
    room_id: int | None = None

    @property
    def percent(self) -> float | None:
        """Of its limit, at least."""
        return self.now.at_least / self.limit * 100 if self.limit and self.now.known else None


@dataclass(frozen=True, slots=True)
class Pair:
    """What a feed or a panel carries when feeds die, out of what is measured now. `dead` share devices with it."""

    survivor: Feed | Panel
    dead: tuple[Feed, ...]
    carries: Sum
    limit_w: float | None
    state: State


@dataclass(frozen=True, slots=True)
class Imbalance:
    """The phase that is furthest from the mean of its PDU; percent above it, or below it if negative."""

    phase: str
    mean_a: float
    percent: float


# ---- loads ----


def rack_load(graph: MeasuredGraph, rack_id: int, limits: SiteLimits) -> Load:
    """Its limit stands in the inventory and is taken as it is: no 80 % of it."""
    facts = graph.readings.racks.get(rack_id)
    now, limit = graph.rack_now(rack_id), facts.limit_w if facts else None
    return Load(
        "rack", rack_id, graph.rack_name(rack_id), "W", now, _peak(graph, "rack", rack_id, now),
        _planned(graph.devices_in(rack_id)), limit, state_of(now, limit, limits.near_percent),
        rack_id=rack_id, room_id=graph.room_of(rack_id),
    )  # fmt: skip


def pdu_load(graph: MeasuredGraph, pdu_id: int, limits: SiteLimits) -> Load:
    """Its limit stands in the inventory too."""
    pdu, now = graph.pdus[pdu_id], graph.pdu_now(pdu_id)
    planned = _through(graph.plan.planned.pdus[pdu_id], graph.devices_behind.get(pdu_id, ()))
    return Load(
        "pdu", pdu_id, pdu.name, "W", now, _peak(graph, "pdu", pdu_id, now), planned, pdu.limit_w,
        state_of(now, pdu.limit_w, limits.near_percent), rack_id=pdu.rack_id, room_id=graph.room_of(pdu.rack_id),
    )  # fmt: skip


def feed_load(graph: MeasuredGraph, feed_id: int, limits: SiteLimits) -> Load:
    """It may carry its breaker's size with the derating of the feed, 80 % unless the inventory says otherwise."""
    feed, now = graph.feeds[feed_id], graph.feed_now(feed_id)
    planned = _through(graph.plan.planned.feeds[feed_id], graph.devices_on.get(feed_id, ()))
    state = state_of(now, feed.derated_w, limits.near_percent)
    peak = _peak(graph, "feed", feed_id, now)
    return Load("feed", feed_id, feed.name, "W", now, peak, planned, feed.derated_w, state)


def panel_load(graph: MeasuredGraph, panel_id: int, limits: SiteLimits) -> Load:
    """What its feeds carry together, of what its main breaker may."""
    panel, now = graph.panels[panel_id], graph.panel_now(panel_id)
    feeds = graph.feeds_of_panel(panel_id)
    devices = {device.id: device for feed in feeds for device in graph.devices_on.get(feed, ())}
    planned = _through(sum(graph.plan.planned.feeds[feed] for feed in feeds), devices.values())
    state = state_of(now, panel.derated_w, limits.near_percent)
    peak = _peak(graph, "panel", panel_id, now)
    return Load("panel", panel_id, panel.name, "W", now, peak, planned, panel.derated_w, state)


def phase_loads(graph: MeasuredGraph, reading: PduReading, limits: SiteLimits) -> Iterator[Load]:
    """Of the breaker of the feed that the PDU hangs on."""
    limit = _phase_limit_a(graph, reading)
    for phase in reading.phases:
        yield _amperes(graph, "phase", reading.pdu_id, phase.name, phase.current_a, limit, limits)


def breaker_loads(graph: MeasuredGraph, reading: PduReading, limits: SiteLimits) -> Iterator[Load]:
    for breaker in reading.breakers:
        limit = None if breaker.rated_a is None else breaker.rated_a * limits.load_percent / 100
        yield _amperes(graph, "breaker", reading.pdu_id, breaker.name, breaker.current_a, limit, limits)


def room_load(graph: MeasuredGraph, room_id: int) -> Load:
    """A room has no limit of its own here: its feeds have."""
    racks = [rack.id for rack in graph.readings.racks.values() if rack.room_id == room_id]
    name = graph.readings.rooms.get(room_id, f"room {room_id}")
    planned = _planned(device for rack in racks for device in graph.devices_in(rack))
    now = graph.racks_now(racks)
    peak = _peak(graph, "room", room_id, now)
    return Load("room", room_id, name, "W", now, peak, planned, None, "unknown", room_id=room_id)


def loads(graph: MeasuredGraph, limits: SiteLimits) -> Iterator[Load]:
    """Everything, in the order of the one-line diagram."""
    yield from (panel_load(graph, panel, limits) for panel in graph.panels)
    yield from (feed_load(graph, feed, limits) for feed in graph.feeds)
    for pdu in graph.pdus:
        yield pdu_load(graph, pdu, limits)
        if reading := graph.readings.pdus.get(pdu):
            yield from phase_loads(graph, reading, limits)
            yield from breaker_loads(graph, reading, limits)
    yield from (rack_load(graph, rack, limits) for rack in graph.readings.racks)


def imbalance(reading: PduReading, limits: SiteLimits) -> Imbalance | None:
    """The worst of its inlets, of which each has phases of its own: `I2:L1`. None where a phase is not known, or where
    too little flows to matter."""
    inlets: dict[str, list[PhaseReading]] = defaultdict(list)
    for phase in reading.phases:
        inlets[phase.name.rpartition(":")[0]].append(phase)
    found = [each for phases in inlets.values() if (each := _imbalance(phases, limits))]
    return max(found, key=lambda each: abs(each.percent), default=None)


def _imbalance(phases: Sequence[PhaseReading], limits: SiteLimits) -> Imbalance | None:
    known = [(phase.current_a, phase.name) for phase in phases if phase.current_a is not None]
    if len(known) < 2 or len(known) < len(phases):
        return None
    mean = sum(current for current, _ in known) / len(known)
    if mean < limits.imbalance_from_a:
        return None
    current, name = max(known, key=lambda each: (abs(each[0] - mean), each))
    return Imbalance(name, mean, (current - mean) / mean * 100)


def pairs(graph: MeasuredGraph, limits: SiteLimits, together: Together = "side") -> Iterator[Pair]:
    """For each feed: what it carries when those that share devices with it die. The feeds of a side die together.

    The graph must not assume planned draws: with those, a lower bound would be none.
    """
    for dead in dict.fromkeys(graph.failing_with(feed, together) for feed in graph.feeds):
        failure = fail(graph, dead)
        for feed in graph.feeds.values():
            sharing = [] if feed.id in dead else sharing_feeds(graph, feed.id, dead)
            if sharing:
                carries = carries_then(graph, failure, feed.id, sharing)
                state = state_of(carries, feed.derated_w, limits.near_percent)
                yield Pair(feed, tuple(graph.feeds[each] for each in sharing), carries, feed.derated_w, state)


def panel_pairs(graph: MeasuredGraph, limits: SiteLimits, together: Together = "side") -> Iterator[Pair]:
    """For each panel whose size is known: what its feeds carry together when those that share devices with them die."""
    sized = [panel for panel in graph.panels.values() if panel.derated_w is not None]
    for dead in dict.fromkeys(graph.failing_with(feed, together) for feed in graph.feeds) if sized else ():
        failure = fail(graph, dead)
        for panel in sized:
            live = [feed for feed in graph.feeds_of_panel(panel.id) if feed not in dead]
            sharing = {feed: sharing_feeds(graph, feed, dead) for feed in live}
            if any(sharing.values()):
                carries = added(carries_then(graph, failure, feed, beside) for feed, beside in sharing.items())
                state = state_of(carries, panel.derated_w, limits.near_percent)
                lost = sorted({feed for beside in sharing.values() for feed in beside})
                yield Pair(panel, tuple(graph.feeds[each] for each in lost), carries, panel.derated_w, state)


def sharing_feeds(graph: MeasuredGraph, survivor: int, dead: frozenset[int]) -> list[int]:
    """The dead feeds whose devices hang on the survivor too."""
    beside = {feed for device in graph.devices_on.get(survivor, ()) for feed in graph.feeds_of(device)}
    return sorted(beside & dead)


def carries_then(graph: MeasuredGraph, failure: Failure, feed_id: int, sharing: list[int]) -> Sum:
    """What a feed carries after the failure. Whole where all these feeds are known, and each watt on a dead one has a
    cord in the inventory.
    """
    whole = added(graph.feed_w(each) for each in (feed_id, *sharing))
    stays = sum(graph.stays_w(each) >= 1 for each in sharing)
    watts = failure.carries.get(feed_id, graph.planned.feeds[feed_id])
    return Sum(watts, whole.known, whole.of + stays)


# ---- findings ----


def findings(graph: MeasuredGraph, limits: SiteLimits, together: Together = "side") -> list[Finding]:
    """What carries too much, what is uneven, what is dead, and which meter says nothing."""
    found = [_over(load) for load in loads(graph, limits) if load.state == "over"]
    both = (*pairs(graph, limits, together), *panel_pairs(graph, limits, together))
    found += [_pair_over(pair) for pair in both if pair.state == "over"]
    for reading in graph.readings.pdus.values():
        found += _uneven(graph, reading, limits)
        found += _silent(graph, reading)
    found += [_lost(graph, feed) for feed in graph.feeds.values() if _is_lost(graph, feed)]
    return found


def _over(load: Load) -> Finding:
    if load.unit == "W":
        carries, limit = load.now.kw(), f"{(load.limit or 0) / 1000:.1f} kW"
    else:
        carries, limit = f"{load.now.at_least:.1f} A", f"{load.limit or 0:.1f} A"
    kind = load.subject if load.subject not in ("phase", "breaker") else "pdu"
    name = f"{load.name} {load.part}".strip()
    values = {"now": load.now.at_least, "limit": load.limit, "unit": load.unit, "peak": load.peak,
              "known": load.now.known, "of": load.now.of}  # fmt: skip
    return Finding(
        f"{load.subject}.over", kind, load.id, load.name, f"{name} carries {carries} of {limit}.", values,
        load.rack_id, load.room_id, load.part,
    )  # fmt: skip


def _pair_over(pair: Pair) -> Finding:
    names = ", ".join(feed.name for feed in pair.dead[:3]) + (" and others" if len(pair.dead) > 3 else "")
    limit = pair.limit_w or 0
    text = (
        f"If {names or 'the other side'} fails, {pair.survivor.name} carries {pair.carries.kw()}, "
        f"{pair.carries.at_least / limit * 100:.0f} % of the {limit / 1000:.1f} kW that it may."
    )
    values = {"carries_w": pair.carries.at_least, "limit_w": limit, "dead": [feed.id for feed in pair.dead],
              "known": pair.carries.known, "of": pair.carries.of}  # fmt: skip
    kind = "feed" if isinstance(pair.survivor, Feed) else "panel"
    return Finding("pair.over", kind, pair.survivor.id, pair.survivor.name, text, values)


def _uneven(graph: MeasuredGraph, reading: PduReading, limits: SiteLimits) -> Iterator[Finding]:
    found = imbalance(reading, limits)
    if found is not None and abs(found.percent) > limits.imbalance_percent:
        pdu = graph.pdus[reading.pdu_id]
        word = "above" if found.percent > 0 else "below"
        text = f"{pdu.name}: {found.phase} is {abs(found.percent):.0f} % {word} the mean of {found.mean_a:.1f} A."
        values = {"phase": found.phase, "mean_a": found.mean_a, "percent": found.percent}
        yield Finding("phase.imbalance", "pdu", pdu.id, pdu.name, text, values, pdu.rack_id, graph.room_of(pdu.rack_id))


def _silent(graph: MeasuredGraph, reading: PduReading) -> Iterator[Finding]:
    """A PDU that has a meter and does not say what it carries, in no way."""
    if graph.metered_w(reading.pdu_id) is None:
        pdu = graph.pdus[reading.pdu_id]
        text = f"{pdu.name} does not say what it carries: rack and feed are known only in part."
        yield Finding("value.unknown", "pdu", pdu.id, pdu.name, text, {}, pdu.rack_id, graph.room_of(pdu.rack_id))


def _is_lost(graph: MeasuredGraph, feed: Feed) -> bool:
    """Its PDUs carry nothing though machines on it draw power, over their other cords.

    PDUs that died with their feed say nothing: then every supply on it that is measured must carry nothing, those of
    two machines at least. One machine could have lost its cords.
    """
    now = graph.feed_now(feed.id)
    devices = [each for each in graph.devices_on.get(feed.id, ()) if graph.drawn[each.id].measured_w]
    if now.value is not None:
        return now.value < 1 and bool(devices)
    if any(graph.metered_w(pdu) is not None for pdu in graph.pdus_of(feed.id)):
        return False
    told = [
        (device.id, supply.carries_w)
        for device in devices
        for inlet in device.inlets
        if graph.feed_of(inlet) == feed.id
        and (supply := graph.supplies.get(inlet.id)) is not None
        and supply.carries_w is not None
    ]
    return len({device for device, _ in told}) >= 2 and all(watts < 1 for _, watts in told)


def _lost(graph: MeasuredGraph, feed: Feed) -> Finding:
    devices = [device.id for device in graph.devices_on.get(feed.id, ())]
    text = f"{feed.name} carries nothing; it feeds {several(len(devices), 'device')}."
    return Finding("feed.lost", "feed", feed.id, feed.name, text, {"devices": devices})


# ---- pieces ----


def _peak(graph: MeasuredGraph, subject: Subject, pk: int, now: Sum, part: str = "") -> float | None:
    """Of the last day. No peak is below what is carried now."""
    peak = graph.readings.peaks.get((subject, pk, part))
    return peak if peak is None or not now.known else max(peak, now.at_least)


def _planned(devices: Iterable[PoweredDevice]) -> Sum:
    return total(device.planned_w for device in devices)


def _through(watts: float, devices: Iterable[PoweredDevice]) -> Sum:
    """A planned sum that the graph worked out, with how many of its devices have a planned draw."""
    planned = _planned(devices)
    return Sum(watts, planned.known, planned.of)


def _phase_limit_a(graph: MeasuredGraph, reading: PduReading) -> float | None:
    pdu = graph.pdus.get(reading.pdu_id)
    feed = graph.feeds.get(pdu.feed_id) if pdu and pdu.feed_id is not None else None
    return feed.current_a * feed.derating_percent / 100 if feed and feed.current_a is not None else None


def _amperes(
    graph: MeasuredGraph, subject: Subject, pdu_id: int, part: str, current_a: float | None, limit_a: float | None,
    limits: SiteLimits,
) -> Load:  # fmt: skip
    pdu, now = graph.pdus[pdu_id], total([current_a])
    return Load(
        subject, pdu_id, pdu.name, "A", now, _peak(graph, subject, pdu_id, now, part), None, limit_a,
        state_of(now, limit_a, limits.near_percent), part, pdu.rack_id, graph.room_of(pdu.rack_id),
    )  # fmt: skip
