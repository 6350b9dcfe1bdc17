"""One feed off now, and more machines in a rack."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from facility.judgement.limits import SiteLimits
from facility.judgement.measured import MeasuredGraph
from facility.judgement.power import carries_then, sharing_feeds
from facility.judgement.readings import STATES, State, several, state_of
from facility.judgement.room import Bound, FreeSpace, Ledger, NewMachine
from facility.judgement.whatif.answers import (
    Answer,
    RackAnswer,
    Trip,
    assumed,
    first_of,
    in_order,
    over_above,
    panel_trip,
    rack_limit,
    sentence,
    trip_at,
    trip_of_bound,
)  # fmt: skip
from inventory.power.failures import ROUNDING_W, Failure, fail
from inventory.power.graph import Together

# ---- one feed off now ----


def feed_off(graph: MeasuredGraph, feed_id: int, limits: SiteLimits, together: Together = "feed") -> Answer:
    """The feed dies now, alone, with its panel, or with its side."""
    failure = fail(graph, graph.failing_with(feed_id, together))
    over = [trip_at(graph, over.feed_id, over.pdu_id, over.carries_w) for over in failure.overloads]
    trips = in_order([*over, *_panels_over(graph, failure)])
    racks = tuple(_rack_then(graph, rack, failure, trips, limits) for rack in graph.readings.racks)
    dark, unknown = (tuple(device.id for device in failure.states[state]) for state in ("lost", "unknown"))
    name = graph.feeds[feed_id].name
    head = f"{name} off" if len(failure.dead) == 1 else f"{name} and {several(len(failure.dead) - 1, 'other feed')} off"
    parts = [f"{several(len(dark), 'device')} will go dark"] if dark else []
    parts += [first_of(trips)] if trips else []
    parts += [f"{several(len(unknown), 'device')} whose cords are not known may go dark"] if unknown else []
    return Answer(head, racks, trips, sentence(head, parts, racks), dark, unknown, assumed(graph))


def _panels_over(graph: MeasuredGraph, failure: Failure) -> Iterator[Trip]:
    """Boards whose feeds take over more than they may carry together."""
    for panel in graph.panels.values():
        live = [feed for feed in graph.feeds_of_panel(panel.id) if feed not in failure.dead]
        carries = sum(failure.carries.get(feed, graph.planned.feeds[feed]) for feed in live)
        taken = any(feed in failure.carries for feed in live)
        if taken and panel.derated_w is not None and carries > panel.derated_w + ROUNDING_W:
            yield panel_trip(panel, carries)


def _rack_then(
    graph: MeasuredGraph, rack_id: int, failure: Failure, trips: Sequence[Trip], limits: SiteLimits
) -> RackAnswer:
    """`after` is without what goes dark."""
    devices = [each for each in graph.devices_in(rack_id) if graph.supplied(each) is each]
    lost = [each for each in devices if each in failure.states["lost"]]
    before = graph.rack_w(rack_id)
    after = before._replace(at_least=before.at_least - sum(graph.draw_w(each) for each in lost))
    state, why = _state_then(graph, rack_id, failure, trips, limits)
    return RackAnswer(rack_id, state, before, after, rack_limit(graph, rack_id), "W", why)


def _state_then(
    graph: MeasuredGraph, rack_id: int, failure: Failure, trips: Sequence[Trip], limits: SiteLimits
) -> tuple[State, str]:
    """What the planned analysis says with measured loads; where that is fine, how full the feeds get that take over."""
    happens = failure.racks.get(rack_id, "ok")
    if happens == "lost":
        return "over", "devices go dark"
    over = over_above(graph, rack_id, trips)
    if over is not None:
        return "over", f"{over.name} at {over.percent:.0f} %"
    if happens == "unknown":
        return "unknown", "its cords, or the size of a feed, are not known"
    return _survivors(graph, rack_id, failure, limits)


def _survivors(graph: MeasuredGraph, rack_id: int, failure: Failure, limits: SiteLimits) -> tuple[State, str]:
    """The worst of the rack's feeds that live on. One that shares nothing with a dead feed is as it was."""
    feeds = {feed for each in graph.devices_in(rack_id) for feed in graph.feeds_of(each)}
    worst: tuple[State, str] = ("ok", "")
    for feed in sorted(feeds - failure.dead) if feeds & failure.dead else []:
        sharing = sharing_feeds(graph, feed, failure.dead)
        carries = carries_then(graph, failure, feed, sharing)
        state = state_of(carries, graph.feeds[feed].derated_w, limits.near_percent)
        if STATES.index(state) < STATES.index(worst[0]):
            worst = state, f"{graph.feeds[feed].name} carries {carries.kw()} then"
    return worst


# ---- more machines ----


def more_machines(
    graph: MeasuredGraph, space: FreeSpace, machine: NewMachine, count: int, limits: SiteLimits,
    together: Together = "side",
) -> Answer:  # fmt: skip
    """So many more of a model in one rack: in its free units, with all feeds alive and with each side dead."""
    ledger, rack_id, places = Ledger(graph, together), space.rack_id, space.places(machine.height_u)
    takes = ledger.takes(rack_id, machine.watts * count)
    bounds = [ledger.bound(key, more) for key, more in takes.items()]
    trips = in_order(trip_of_bound(graph, bound) for bound in bounds if bound.over)
    touched = {key.id for key in takes if key.kind == "feed"}
    racks = tuple(
        _rack_with(graph, other, rack_id, machine.watts * count, bounds, limits)
        for other in graph.readings.racks
        if other == rack_id or any(set(graph.feeds_of(each)) & touched for each in graph.devices_in(other))
    )
    if places < count:
        racks = tuple(_without_units(rack, places) if rack.rack_id == rack_id else rack for rack in racks)
    head = f"{count} more {machine.model} in {graph.rack_name(rack_id)}"
    tightest = max((bound for bound in bounds if bound.percent), key=lambda each: each.percent or 0, default=None)
    parts = [_by_units(places)] if places < count else []
    parts += [first_of(trips)] if trips else []
    if tightest and not parts and all(rack.state != "unknown" for rack in racks):
        parts = [f"it holds, tightest is {tightest.text()}"]
    return Answer(head, racks, trips, sentence(head, parts, racks), assumed=assumed(graph))


def _by_units(places: int) -> str:
    return f"only {places} {'fits' if places == 1 else 'fit'} by units" if places else "none fits by units"


def _without_units(rack: RackAnswer, places: int) -> RackAnswer:
    """Over whatever its power says; what else is over stands behind it."""
    too_much = [rack.why] if rack.state == "over" else []
    return rack._replace(state="over", why="; ".join([_by_units(places), *too_much]))


def _rack_with(
    graph: MeasuredGraph, rack_id: int, into: int, more_w: float, bounds: list[Bound], limits: SiteLimits
) -> RackAnswer:
    before = graph.rack_w(rack_id)
    after = before._replace(at_least=before.at_least + more_w) if rack_id == into else before
    mine = {feed for each in graph.devices_in(rack_id) for feed in graph.feeds_of(each)}
    touching = [b for b in bounds if rack_id == into or (b.key.kind == "feed" and b.key.id in mine)]
    states = [(_bound_state(bound, limits), bound) for bound in touching if bound.key.kind == "feed" or bound.limit_w]
    if not states:
        return RackAnswer(rack_id, "unknown", before, after, rack_limit(graph, rack_id), "W", "its feeds are not known")
    state, bound = min(states, key=lambda each: (STATES.index(each[0]), -(each[1].percent or 0)))
    why = f"what {bound.name} carries or may carry is not known" if state == "unknown" else bound.text()
    return RackAnswer(rack_id, state, before, after, rack_limit(graph, rack_id), "W", why)


def _bound_state(bound: Bound, limits: SiteLimits) -> State:
    return state_of(bound.used._replace(at_least=bound.after_w), bound.limit_w, limits.near_percent)
