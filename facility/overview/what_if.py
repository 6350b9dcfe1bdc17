"""The four questions of "what if", asked of what is measured now. What nobody measures counts as planned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from facility.facts import Part, Quantity
from facility.findings.limits import limits_of
from facility.judgement import room as judgement
from facility.judgement import whatif
from facility.judgement.measured import MeasuredGraph
from facility.judgement.room import FreeSpace, NewMachine
from facility.meters.models import Meter
from facility.overview.air import Models, models_in, slows_at_c
from facility.overview.last import Last, last_of, measured_graph
from facility.overview.sums import peaks_of_site
from inventory.elevation.read import Contents
from inventory.elevation.read import read as read_racks
from inventory.elevation.spans import free_runs, occupied
from inventory.models import DeviceModel, PowerFeed, Rack, Room
from inventory.power.graph import PoweredDevice, Together
from inventory.power.queries import site_graph


def feed_off(feed: PowerFeed, together: Together) -> dict[str, Any]:
    """The feed dies now: alone, with its panel, or with its side."""
    graph, _ = _graph(feed.site_id)
    return answer(graph, "feed_off", whatif.feed_off(graph, feed.pk, limits_of(feed.site_id), together))


def more_machines(rack: Rack, model: DeviceModel, count: int) -> dict[str, Any]:
    """So many more of a model in a rack, each drawing what its model's others draw at most, or as planned."""
    site_id = rack.room.site_id
    graph, _ = _graph(site_id, peaks=True)
    machine = NewMachine(model.slug, _draw_w(graph, model), max(1, -(-model.half_u_height // 2)))
    (space,) = _spaces([rack.pk])
    return answer(graph, "more_machines", whatif.more_machines(graph, space, machine, count, limits_of(site_id)))


def room_left(room: Room, model: DeviceModel) -> dict[str, Any]:
    """How many more of a model the racks of a room can take, with any side dead, and what trips with one more."""
    graph, _ = _graph(room.site_id, peaks=True)
    height_u = max(1, -(-model.half_u_height // 2))
    racks = [rack.id for rack in graph.readings.racks.values() if rack.room_id == room.pk]
    machine = NewMachine(model.slug, _draw_w(graph, model), height_u)
    left = judgement.room_left(graph, machine, [space for space in _spaces(racks) if space.places(height_u)])
    return {
        "model": model.slug,
        "draw_w": machine.watts,
        "fits": left.fits,
        "at_least": bool(left.unknown),
        "text": left.text(model.slug),
        "racks": [
            {
                "id": pk, "name": graph.rack_name(pk), "fits": left.by_rack.get(pk, 0), "alone": each.fits,
                "free_w": each.free_w, "redundant": each.redundant, **_limit(each),
            }
            for pk, each in left.alone.items()
        ],
    }  # fmt: skip


def _limit(rack: judgement.RackRoom) -> dict[str, Any]:
    """What stops the next machine: a bound, the rack's own units, or that something is not known."""
    if rack.fits is None:
        return {"limited_by": "unknown", "other_side": False, "limit": rack.reason}
    if rack.first is None:
        return {"limited_by": "units", "other_side": False, "limit": "then no units are free"}
    return {"limited_by": rack.first.key.kind, "other_side": bool(rack.first.key.dead), "limit": rack.first.text()}


def _spaces(racks: list[int]) -> list[FreeSpace]:
    return [FreeSpace(contents.rack.id, _runs_u(contents)) for contents in read_racks(racks)]


def _runs_u(contents: Contents) -> tuple[int, ...]:
    """Heights of the stretches of whole units that are free at both faces."""
    runs = free_runs(contents.rack.height_u, occupied(contents.taken()), "both", "full")
    return tuple((high - (low + (low + 1) % 2)) // 2 for low, high in runs)


def inlet(site_id: int, by_c: float) -> dict[str, Any]:
    """The air at every inlet so many degrees warmer."""
    graph, last = _graph(site_id)
    told = {each.device_id: each for each in last if each.kind == Meter.Kind.MACHINE}
    machines = [device for device in graph.devices.values() if device.kind == Meter.Kind.MACHINE]
    models = models_in(graph)
    heats = [_heat(device, told.get(device.id), models) for device in machines]
    return answer(graph, "inlet", whatif.inlets_warmer(heats, by_c, limits_of(site_id)))


def full_load(site_id: int) -> dict[str, Any]:
    """Every GPU at its power limit."""
    graph, _ = _graph(site_id)
    return answer(graph, "full_load", whatif.all_gpus_full(graph, limits_of(site_id)))


class DrawNotKnown(Exception):
    """Nobody has planned what such a machine draws, and none of them is measured."""


def _graph(site_id: int, *, peaks: bool = False) -> tuple[MeasuredGraph, list[Last]]:
    """With `peaks`, racks are taken at the most that they drew in the last day."""
    now = timezone.now()
    last = last_of(site_id, now)
    highest = peaks_of_site(site_id, now) if peaks else {}
    graph = measured_graph(site_id, site_graph(site_id), last, highest)
    return MeasuredGraph(graph.plan, graph.readings, assume_planned=True), last


def _draw_w(graph: MeasuredGraph, model: DeviceModel) -> float:
    """The highest draw measured of the model's machines now, or the planned one, whichever is more. Raises
    DrawNotKnown."""
    alike = [each.device_id for each in graph.readings.machines.values() if each.model == model.slug]
    measured = [watts for pk in alike if pk in graph.drawn and (watts := graph.drawn[pk].measured_w) is not None]
    found = max([float(model.power_w or 0), *measured])
    if not found:
        raise DrawNotKnown(f"What a {model.slug} draws is neither planned nor measured.")
    return found


def _heat(device: PoweredDevice, each: Last | None, models: Models) -> whatif.Heat:
    """Nothing is known of one that does not tell."""
    if each is None:
        return whatif.Heat(device.id, device.name, device.rack_id)
    return whatif.Heat(
        device.id, device.name, device.rack_id, each.inlet_c, each.air_class,
        gpus_c=tuple(told.get(Quantity.TEMPERATURE_C) for told in each.parts(Part.GPU).values()),
        slowdown_c=slows_at_c(each.slowdown_c, each.model, models),
    )  # fmt: skip


def answer(graph: MeasuredGraph, question: str, found: whatif.Answer) -> dict[str, Any]:
    """In the shape of `/api/facility/what-if/`."""
    names: Mapping[int, str] = {pk: device.name for pk, device in graph.devices.items()}
    return {
        "question": question,
        "text": found.text,
        "unit": found.racks[0].unit if found.racks else "W",
        "racks": [
            {
                "id": each.rack_id, "name": graph.rack_name(each.rack_id), "state": each.state,
                "state_before": each.state_before,
                "before": each.before.at_least if each.before.known else None,
                "after": each.after.at_least if each.after.known else None,
            }
            for each in found.racks
        ],
        "trips": [
            {
                "kind": each.subject, "id": each.id, "name": each.name, "carries_w": each.value, "limit_w": each.limit,
                "trips": each.trips,
            }
            for each in found.trips
            if each.unit == "W"
        ],
        "outside": [{"id": each.id, "name": each.name} for each in found.trips if each.subject == "machine"],
        "slowed": [{"id": each.id, "name": each.name} for each in found.trips if each.subject == "gpu"],
        "lost": [{"id": pk, "name": names.get(pk, "")} for pk in found.dark],
        "unknown": len(found.unknown),
    }  # fmt: skip
