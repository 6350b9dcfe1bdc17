"""All GPUs at their power limits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from facility.judgement.limits import SiteLimits
from facility.judgement.measured import MeasuredGraph
from facility.judgement.readings import STATES, State, Sum, several, state_of
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
)  # fmt: skip
from inventory.power.failures import ROUNDING_W

MACHINE = "machine"
SUPPLY_EFFICIENCY = 0.94  # of an 80 PLUS Platinum supply at half load; its losses come on top of what GPUs draw


def all_gpus_full(graph: MeasuredGraph, limits: SiteLimits) -> Answer:
    """Every GPU at its power limit, everything else as now. All feeds alive."""
    machines = [
        each.id for each in graph.devices.values() if each.kind == MACHINE or each.id in graph.readings.machines
    ]
    draws = {device: full_load_w(graph, device) for device in machines}
    unknown = tuple(device for device, watts in draws.items() if watts is None)
    full = _with_draws(graph, {device: watts for device, watts in draws.items() if watts is not None})
    trips = in_order(_loaded(graph, full))
    racks = tuple(_rack_full(graph, full, rack, set(unknown), trips, limits) for rack in graph.readings.racks)
    more = sum((watts or 0) - (graph.drawn[pk].measured_w or 0) for pk, watts in draws.items() if watts is not None)
    head = f"All GPUs at full load, {more / 1000:.0f} kW more"
    parts = [first_of(trips)] if trips else []
    parts += [f"not known for {several(len(unknown), 'machine')}"] if unknown else []
    text = sentence(head, parts, racks)
    return Answer("all GPUs at full load", racks, trips, text, unknown=unknown, assumed=assumed(graph))


def full_load_w(graph: MeasuredGraph, device_id: int) -> float | None:
    """What a machine draws with every GPU at its limit; None where its power, or that of a GPU, is not known.

    What GPUs draw more, the supplies draw with their losses. Fans and processors are left as they are.
    """
    reading, drawn = graph.readings.machines.get(device_id), graph.drawn.get(device_id)
    now = drawn.measured_w if drawn else None
    if now is None or reading is None or not reading.gpus:
        return None
    more = 0.0
    for gpu in reading.gpus:
        if gpu.power_w is None or gpu.limit_w is None:
            return None
        more += max(0.0, gpu.limit_w - gpu.power_w)
    return now + more / SUPPLY_EFFICIENCY


def _with_draws(graph: MeasuredGraph, draws: Mapping[int, float]) -> dict[int, float]:
    """Watts by PDU when these devices draw that: what a device draws more comes over its cords as now."""
    pdus = dict(graph.planned.pdus)
    for device_id, watts in draws.items():
        device = graph.devices[device_id]
        shares = list(graph.shares(device))
        now = sum(share for _, share in shares)
        more = watts - graph.draw_w(device)
        for pdu_id, share in shares:
            part = share / now if now else 1 / len(shares)
            for passed in graph.way(pdu_id)[0]:
                pdus[passed] = pdus.get(passed, 0.0) + more * part
    return pdus


def _loaded(graph: MeasuredGraph, pdus: Mapping[int, float]) -> Iterable[Trip]:
    """Racks, PDUs and feeds over their limits with these loads."""
    for pdu in graph.pdus.values():
        if pdu.limit_w is not None and pdus.get(pdu.id, 0.0) > pdu.limit_w + ROUNDING_W:
            yield trip_at(graph, None, pdu.id, pdus[pdu.id])
    for feed in graph.feeds.values():
        watts = _feed_with(graph, feed.id, pdus)
        if feed.derated_w is not None and watts > feed.derated_w + ROUNDING_W:
            yield trip_at(graph, feed.id, None, watts)
    for panel in graph.panels.values():
        watts = sum(_feed_with(graph, feed, pdus) for feed in graph.feeds_of_panel(panel.id))
        if panel.derated_w is not None and watts > panel.derated_w + ROUNDING_W:
            yield panel_trip(panel, watts)
    for rack in graph.readings.racks.values():
        watts = _rack_after(graph, rack.id, pdus)
        if rack.limit_w is not None and watts > rack.limit_w + ROUNDING_W:
            yield Trip("rack", rack.id, rack.name, watts, rack.limit_w, "W", False)


def _feed_with(graph: MeasuredGraph, feed_id: int, pdus: Mapping[int, float]) -> float:
    return sum(pdus.get(pdu, 0.0) for pdu in graph.pdus_of(feed_id))


def _rack_after(graph: MeasuredGraph, rack_id: int, pdus: Mapping[int, float]) -> float:
    """What its devices draw more, over all their PDUs, on top of what the rack draws now."""
    more = 0.0
    for device in graph.devices_in(rack_id):
        if graph.supplied(device) is device and device.id in graph.readings.machines:
            full = full_load_w(graph, device.id)
            more += (full - graph.draw_w(device)) if full is not None else 0.0
    return graph.rack_w(rack_id).at_least + more


def _rack_full(
    graph: MeasuredGraph, pdus: Mapping[int, float], rack_id: int, unknown: set[int], trips: Sequence[Trip],
    limits: SiteLimits,
) -> RackAnswer:  # fmt: skip
    before, limit = graph.rack_w(rack_id), rack_limit(graph, rack_id)
    after = before._replace(at_least=_rack_after(graph, rack_id, pdus))
    doubtful = [device for device in graph.devices_in(rack_id) if device.id in unknown]
    over = over_above(graph, rack_id, trips)
    if over is not None:
        return RackAnswer(rack_id, "over", before, after, limit, "W", f"{over.name} at {over.percent:.0f} %")
    if doubtful:
        why = f"full load is not known for {several(len(doubtful), 'machine')}"
        return RackAnswer(rack_id, "unknown", before, after._replace(of=after.of + 1), limit, "W", why)
    loads: list[tuple[Sum, float | None]] = [(after, limit)] if limit is not None else []
    for feed in {feed for device in graph.devices_in(rack_id) for feed in graph.feeds_of(device)}:
        now = graph.feed_w(feed)
        loads.append((now._replace(at_least=_feed_with(graph, feed, pdus)), graph.feeds[feed].derated_w))
    states: list[State] = [state_of(load, may, limits.near_percent) for load, may in loads]
    state: State = min(states, key=STATES.index, default="unknown")
    return RackAnswer(rack_id, state, before, after, limit, "W", "" if state != "unknown" else "not all of it is known")
