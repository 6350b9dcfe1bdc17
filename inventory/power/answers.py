"""What the API says of the power of a rack, a floor and a site. Graph in, plain dictionaries out.

Watts are whole numbers. A measured sum takes the planned draw of what is not measured, and is null where nothing is:
a part of the readings alone would look like less than is drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from inventory.models import PowerPanel, Rack
from inventory.power.failures import Failure, Overload, fail, racks_of, standing
from inventory.power.graph import Feed, PoweredDevice, PowerGraph, Together

Answer = dict[str, Any]


def rack_power(graph: PowerGraph, rack: Rack, together: Together = "side") -> Answer:
    """The answer of `/api/racks/ID/power/`."""
    devices = [device for device in graph.devices.values() if device.rack_id == rack.pk]
    serving = _serving(graph, rack.pk)
    planned, measured = (sum(_own_w(d, measured=flag) for d in devices) for flag in (False, True))
    return {
        "rack": _named(rack.pk, rack.name),
        "limit_w": rack.power_limit_w,
        "planned_w": round(planned),
        "measured_w": round(measured) if _any_measured(devices) else None,
        "measured_devices": sum(device.measured_w is not None for device in devices),
        "over_limit": rack.power_limit_w is not None and planned > rack.power_limit_w,
        "feeds": [_feed_at_rack(graph, feed, pdu, devices) for pdu, feed in serving],
        "failure": _rack_failures(graph, [feed for _, feed in serving if feed is not None], together),
        "devices": [_device(graph, device, together) for device in devices],
    }


def feed_failure(
    graph: PowerGraph, feed: Feed, racks: Mapping[int, str], together: Together, room: int | None
) -> Answer:
    """The answer of `/api/floor/feed-failure/`: `racks` are those to tell of, id to name; all others are left out."""
    failure = fail(graph, graph.failing_with(feed.id, together))

    def listed(devices: Iterable[PoweredDevice]) -> list[Answer]:
        """Devices of these racks; without a room also what is mounted nowhere."""
        return [
            {
                "id": device.id,
                "name": device.name,
                "kind": device.kind,
                "rack": device.rack_id,
                "rack_name": racks.get(device.rack_id or 0),
            }
            for device in devices
            if device.rack_id in racks or (room is None and device.rack_id is None)
        ]

    return {
        "feed": _named(feed.id, feed.name),
        "together": together,
        "dead": [_named(pk, graph.feeds[pk].name) for pk in sorted(failure.dead)],
        **{state: listed(failure.states[state]) for state in ("lost", "degraded", "unknown")},
        "trips": [
            {"rack": rack, "rack_name": racks[rack], **_overload(graph, overload)}
            for overload in failure.overloads
            for rack in racks_of(graph, overload)
            if rack in racks
        ],
        "racks": [{"id": pk, "name": name, "state": failure.racks.get(pk, "ok")} for pk, name in racks.items()],
    }


def site_summary(graph: PowerGraph, racks: Mapping[int, tuple[str, int | None]], together: Together) -> Answer:
    """The answer of `/api/power/summary/`: `racks` is id to name and limit."""
    failures: dict[frozenset[int], Failure] = {}
    feeds = []
    panels = dict(PowerPanel.objects.filter(feeds__in=graph.feeds).values_list("id", "name"))
    for feed in graph.feeds.values():
        dead = graph.failing_with(feed.id, together)
        if dead not in failures:
            failures[dead] = fail(graph, dead)
        feeds.append(_feed_of_site(graph, feed, panels, failures[dead]))
    by_rack: Counter[int] = Counter()
    for device in graph.devices.values():
        by_rack[device.rack_id or 0] += round(_own_w(device, measured=False))
    return {
        "together": together,
        "feeds": feeds,
        "sides": _sides(graph),
        "pdus_over_limit": [
            _named(pdu.id, pdu.name) | {"planned_w": round(graph.planned.pdus[pdu.id]), "limit_w": pdu.limit_w}
            for pdu in graph.pdus.values()
            if pdu.limit_w is not None and graph.planned.pdus[pdu.id] > pdu.limit_w
        ],
        "racks_over_limit": [
            _named(pk, name) | {"planned_w": by_rack[pk], "limit_w": limit}
            for pk, (name, limit) in racks.items()
            if limit is not None and by_rack[pk] > limit
        ],
        "redundancy": _counted(graph, together),
        "unknown": {
            "devices_without_cords": len(graph.doubtful),
            "devices_without_draw": sum(device.planned_w is None for device in graph.devices.values()),
            "feeds_without_size": sum(feed.derated_w is None for feed in graph.feeds.values()),
            "pdus_without_feed": sum(graph.way(pdu)[1] is None for pdu in graph.pdus),
            "adrift_w": round(graph.planned.adrift_w),
        },
    }


# ---- pieces ----


def _named(pk: int | None, name: str) -> Answer:
    return {"id": pk, "name": name}


def _watts(value: float | None) -> int | None:
    return None if value is None else round(value)


def _own_w(device: PoweredDevice, *, measured: bool) -> float:
    if measured and device.measured_w is not None:
        return device.measured_w
    return device.planned_w or 0.0


def _any_measured(devices: Iterable[PoweredDevice]) -> bool:
    return any(device.measured_w is not None for device in devices)


def _serving(graph: PowerGraph, rack_id: int) -> list[tuple[int, Feed | None]]:
    """PDUs that serve a rack with their feeds, in the order of side and name."""
    found = []
    for pdu in graph.serving(rack_id):
        feed = graph.way(pdu)[1]
        found.append((pdu, graph.feeds.get(feed) if feed is not None else None))
    return sorted(found, key=lambda pair: (pair[1].side if pair[1] else "~", graph.pdus[pair[0]].name))


def _feed_at_rack(graph: PowerGraph, feed: Feed | None, pdu_id: int, devices: list[PoweredDevice]) -> Answer:
    """One PDU and its feed. `rack_w` is what this rack takes from the PDU, `planned_w` all that the feed carries."""
    pdu = graph.pdus[pdu_id]
    rack_w = sum(watts for device in devices for taken, watts in graph.shares(device) if taken == pdu_id)
    return {
        "feed": _named(feed.id, feed.name) if feed else None,
        "side": feed.side if feed else "",
        "pdu": _named(pdu_id, pdu.name) | {"limit_w": pdu.limit_w, "planned_w": round(graph.planned.pdus[pdu_id])},
        "rack_w": round(rack_w),
        **(_carried(graph, feed) if feed else dict.fromkeys(CARRIED)),
    }


CARRIED = ("capacity_w", "derated_w", "planned_w", "measured_w", "share")


def _carried(graph: PowerGraph, feed: Feed) -> Answer:
    """What a feed carries of what it may; `share` is of the derated size, null when that is not known."""
    planned = graph.planned.feeds[feed.id]
    known = _any_measured(graph.devices_on.get(feed.id, ()))
    return {
        "capacity_w": _watts(feed.capacity_w),
        "derated_w": _watts(feed.derated_w),
        "planned_w": round(planned),
        "measured_w": round(graph.measured.feeds[feed.id]) if known else None,
        "share": round(planned / feed.derated_w, 4) if feed.derated_w else None,
    }


def _rack_failures(graph: PowerGraph, feeds: list[Feed], together: Together) -> list[Answer]:
    """For each feed of the rack that dies (with its side): what each other one carries then."""
    answers = []
    for dead in dict.fromkeys(graph.failing_with(feed.id, together) for feed in feeds):
        failure = fail(graph, dead)
        tripping = {overload.feed_id for overload in failure.overloads}
        failing = [feed for feed in dict.fromkeys(feeds) if feed.id in dead]
        for feed in dict.fromkeys(feeds):
            if feed.id not in dead:
                carries = failure.carries.get(feed.id, graph.planned.feeds[feed.id])
                known = feed.derated_w is not None
                too_much = feed.id in tripping or (feed.derated_w is not None and carries > feed.derated_w)
                answers.append(
                    {
                        "fails": [_named(each.id, each.name) for each in failing],
                        "feed": _named(feed.id, feed.name),
                        "side": feed.side,
                        "carries_w": round(carries),
                        "derated_w": _watts(feed.derated_w),
                        "trips": True if too_much else False if known else None,
                    }
                )
    return answers


def _device(graph: PowerGraph, device: PoweredDevice, together: Together) -> Answer:
    safety = standing(graph, device, together)
    return {
        **_named(device.id, device.name),
        "kind": device.kind,
        "planned_w": _watts(device.planned_w),
        "measured_w": _watts(device.measured_w),
        "inputs": [_input(graph, inlet) for inlet in graph.supplied(device).inlets],
        "redundancy": safety.redundancy,
        "loses_power_if": [_named(feed.id, feed.name) for feed in safety.loses_power_if],
    }


def _input(graph: PowerGraph, inlet: Any) -> Answer:
    pdu = graph.pdus.get(inlet.pdu_id) if inlet.pdu_id is not None else None
    feed = graph.feed_of(inlet)
    return {
        "port": inlet.name,
        "pdu": _named(pdu.id, pdu.name) if pdu else None,
        "outlet": inlet.outlet or None,
        "feed": _named(feed, graph.feeds[feed].name) if feed is not None else None,
    }


def _overload(graph: PowerGraph, overload: Overload) -> Answer:
    """`derated_w` is what it may carry: the feed's derated size, or the limit of the PDU that is named."""
    feed = graph.feeds.get(overload.feed_id) if overload.feed_id is not None else None
    pdu = graph.pdus[overload.pdu_id] if overload.pdu_id is not None else None
    return {
        "feed": _named(feed.id, feed.name) if feed else None,
        "pdu": _named(pdu.id, pdu.name) if pdu else None,
        "carries_w": round(overload.carries_w),
        "derated_w": round(overload.limit_w),
    }


def _feed_of_site(graph: PowerGraph, feed: Feed, panels: Mapping[int, str], failure: Failure) -> Answer:
    """A feed with what it carries, and what its death does to the devices that hang on it and the feeds beside it."""
    mine = {device.id for device in graph.devices_on.get(feed.id, ())}
    beside = {other for device in graph.devices_on.get(feed.id, ()) for other in graph.feeds_of(device)}
    return {
        **_named(feed.id, feed.name),
        "side": feed.side,
        "panel": _named(feed.panel_id, panels[feed.panel_id]) if feed.panel_id is not None else None,
        **_carried(graph, feed),
        "overloaded": None if feed.derated_w is None else graph.planned.feeds[feed.id] > feed.derated_w,
        "devices": len(mine),
        "fails": {
            state: sum(device.id in mine for device in failure.states[state])
            for state in ("lost", "degraded", "unknown")
        }
        | {"trips": sum(overload.feed_id in beside for overload in failure.overloads)},
    }


def _sides(graph: PowerGraph) -> list[Answer]:
    totals: dict[str, float] = {}
    for feed in graph.feeds.values():
        totals[feed.side] = totals.get(feed.side, 0.0) + graph.planned.feeds[feed.id]
    return [{"side": side, "planned_w": round(watts)} for side, watts in sorted(totals.items())]


def _counted(graph: PowerGraph, together: Together) -> dict[str, int]:
    counts: Counter[str] = Counter(standing(graph, d, together).redundancy for d in graph.devices.values())
    return {word: counts[word] for word in ("2N", "N+1", "single", "unknown")}
