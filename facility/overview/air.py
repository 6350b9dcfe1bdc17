"""Where machines stand and what their air is like, and cooling units: as `facility.judgement` takes them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db import connection

from facility.facts import Part, Quantity
from facility.judgement.air import MachineAir, RackAir
from facility.judgement.cooling import Place
from facility.judgement.gpus import MachineGpus
from facility.judgement.kinds import Finding
from facility.judgement.limits import SiteLimits
from facility.judgement.liquid import (
    PRIMARY,
    SECONDARY,
    CoolingUnit,
    Filter,
    Leak,
    Manifold,
    Plumbing,
    Pump,
    dew_point_c,
    is_manifold,
    together_lpm,
)
from facility.judgement.measured import MeasuredGraph
from facility.meters.models import Meter
from facility.meters.rounds import STALE_PERIODS
from facility.overview.last import Last, places_of
from inventory.elevation.read import Contents, Mount
from inventory.elevation.spans import open_gaps
from inventory.models import DeviceModel

OF_A_FILTER = (Quantity.PRESSURE_KPA, Quantity.HEALTH, Quantity.SERVICE_H, Quantity.RATED_H)
"""In the order of `Filter`."""
TEMPERATURE, SPEED = Quantity.TEMPERATURE_C, Quantity.SPEED_RPM
RISE_PERIODS = 4.5
"""Of a meter: so many hold four of its readings also where one comes late. Those of one that is read less often than
hourly are not kept for so long; nor could it show a rise while it lasts."""
WARMING = (Part.SENSOR, Part.LOOP)
READINGS = """
SELECT told.meter_id, told.at, told.layout_id, told.vals
FROM unnest(%s::bigint[], %s::timestamptz[]) AS wanted (meter_id, since)
JOIN facility_reading told ON told.meter_id = wanted.meter_id AND told.at >= wanted.since
WHERE told.at >= %s ORDER BY told.meter_id, told.at
"""


# ---- air ----


def racks_air(racks: Iterable[Contents], graph: MeasuredGraph, last: Iterable[Last]) -> list[RackAir]:
    """Racks in the order in which they stand, with the air of every machine that tells."""
    told = {each.device_id: each for each in last if each.kind == Meter.Kind.MACHINE}
    position: defaultdict[tuple[int, str], int] = defaultdict(int)
    found = []
    for contents in racks:
        rack = contents.rack
        position[rack.room_id, rack.row] += 1
        machines = [
            _machine_air(mount, told[mount.device], graph)
            for mount in contents.mounts
            if mount.device in told and mount.low is not None
        ]
        found.append(
            RackAir(
                rack.id, rack.name, rack.room_id, row_word(rack.room, rack.row),
                position[rack.room_id, rack.row], tuple(machines),
                open_u=open_units(contents),
            )
        )  # fmt: skip
    return found


def row_word(room: str, row: str) -> str:
    """Rows of several rooms are told apart; a rack without a row has none."""
    return f"{room} {row}" if row else ""


def open_units(contents: Contents) -> frozenset[int]:
    """Whole units whose front is open between devices; those above the highest and below the lowest count too."""
    units: set[int] = set()
    for gap in open_gaps(contents.rack.height_u, contents.taken()):
        if gap.column == "full":
            units |= set(range((gap.low + 2) // 2, (gap.high - 1) // 2 + 1))
    return frozenset(units)


def _machine_air(mount: Mount, told: Last, graph: MeasuredGraph) -> MachineAir:
    assert mount.low is not None and mount.high is not None and mount.device is not None
    drawn, planned = graph.drawn.get(mount.device), graph.devices.get(mount.device)
    return MachineAir(
        mount.device, mount.name or "", bottom_u(mount), top_u(mount) - bottom_u(mount) + 1, told.model,
        told.air_class, inlet_c=told.inlet_c,
        power_w=drawn.measured_w if drawn else None,
        fans_rpm={name: values[SPEED] for name, values in told.parts(Part.FAN).items() if SPEED in values},
        fans_w=told.of(Part.FAN, "all", Quantity.POWER_W),
        gpus_w=tuple(gpu[Quantity.POWER_W] for gpu in told.parts(Part.GPU).values() if Quantity.POWER_W in gpu),
        hottest_gpu_c=told.hottest_gpu_c,
        planned_w=planned.planned_w if planned else None,
    )  # fmt: skip


def bottom_u(mount: Mount) -> int:
    """The lowest unit that it is in; half units count from 1."""
    return ((mount.low or 1) + 1) // 2


def top_u(mount: Mount) -> int:
    return (mount.high or 2) // 2


# ---- GPUs ----


class ModelLimits(NamedTuple):
    """The power limit that each GPU shall have, and from where its clocks fall; None where the file says nothing."""

    cap_w: float | None = None
    slowdown_c: float | None = None


NO_LIMITS = ModelLimits()
Models = Mapping[str, ModelLimits]


def models_of(slugs: Iterable[str]) -> dict[str, ModelLimits]:
    """By slug. One statement."""
    columns = ("slug", "spec__expected__gpu_power_limit_w", "spec__gpu__slowdown_c")
    rows = DeviceModel.objects.filter(slug__in=set(slugs)).values_list(*columns)
    return {slug: ModelLimits(watts or None, celsius) for slug, watts, celsius in rows}


def models_in(graph: MeasuredGraph) -> dict[str, ModelLimits]:
    """Of every machine that was read."""
    return models_of(reading.model for reading in graph.readings.machines.values())


def caps_of(models: Models) -> dict[str, float]:
    """The power limit that each GPU of a model shall have, by slug, where its file says it."""
    return {slug: each.cap_w for slug, each in models.items() if each.cap_w}


def slows_at_c(told_c: float | None, model: str, models: Models) -> float | None:
    """As the GPUs say themselves, else as the file of their model does."""
    return told_c if told_c is not None else models.get(model, NO_LIMITS).slowdown_c


def gpus_of(graph: MeasuredGraph, models: Models) -> list[MachineGpus]:
    """The temperatures of every machine's GPUs, with where they slow down."""
    found = []
    for reading in graph.readings.machines.values():
        device = graph.devices.get(reading.device_id)
        if device is not None and reading.gpus:
            temperatures = tuple((gpu.name, gpu.temperature_c) for gpu in reading.gpus)
            slowdown_c = slows_at_c(reading.slowdown_c, reading.model, models)
            room = graph.room_of(device.rack_id)
            found.append(MachineGpus(device.id, device.name, temperatures, slowdown_c, device.rack_id, room))
    return found


class Warming(NamedTuple):
    """One temperature of one meter: (seconds, °C). Its rise is that over the last `window_s`."""

    meter: Last
    what: str
    window_s: float
    series: list[tuple[float, float | None]]


def warming(last: Sequence[Last], limits: SiteLimits, now: datetime) -> list[Warming]:
    """Temperatures of air and liquid of every meter that tells any, as long as readings are kept. One statement."""
    meters = {each.meter_id: each for each in last if any(part in WARMING for part, _ in each.values)}
    windows = {pk: max(limits.rise_window_s, RISE_PERIODS * each.period_s) for pk, each in meters.items()}
    since = [now - timedelta(seconds=windows[pk] + STALE_PERIODS * meters[pk].period_s) for pk in meters]
    with connection.cursor() as cursor:
        cursor.execute(READINGS, [list(meters), since, min(since, default=now)])
        rows = cursor.fetchall()
    layouts = places_of({row[2] for row in rows})
    found: dict[tuple[int, str], list[tuple[float, float | None]]] = defaultdict(list)
    for meter, at, layout, values in rows:
        for (part, name), places in layouts[layout].items():
            place = places.get(TEMPERATURE if part == Part.SENSOR else Quantity.SUPPLY_C)
            if part in WARMING and place is not None and name != "exhaust":
                found[meter, name or "the air"].append((at.timestamp(), values[place]))
    return [Warming(meters[meter], name, windows[meter], series) for (meter, name), series in found.items()]


# ---- liquid ----


class Piped(NamedTuple):
    """What the options of a cooling unit's meter say that its pipes lead to. `strange`: names of no rack there."""

    name: str
    room_id: int | None
    plumbing: Mapping[str, Any]
    racks: Mapping[str, tuple[int, ...]]
    strange: tuple[str, ...]
    liquid_class: str = ""


def pipes_of(site_id: int, graph: MeasuredGraph) -> dict[int, Piped]:
    """By meter of every cooling unit, also of one that is silent. One statement.

    Names of racks are those of the unit's room; where it has none, only a name that the site has once says which.
    """
    rows = Meter.objects.filter(site_id=site_id, enabled=True, kind=Meter.Kind.REDFISH_COOLING).order_by("pk")
    found = {}
    for pk, name, options, room, of_rack in rows.values_list("pk", "name", "options", "room_id", "rack__room_id"):
        plumbing = options.get("plumbing") or {}
        where = room or of_rack
        racks: defaultdict[str, list[int]] = defaultdict(list)
        for rack in graph.readings.racks.values():
            if where is None or rack.room_id == where:
                racks[rack.name].append(rack.id)
        behind = plumbing.get("racks") or {}
        leads = {loop: tuple(racks[each][0] for each in names if len(racks[each]) == 1)
                 for loop, names in behind.items()}  # fmt: skip
        strange = dict.fromkeys(each for names in behind.values() for each in names if len(racks[each]) != 1)
        found[pk] = Piped(name, where, plumbing, leads, tuple(strange), options.get("liquid_class") or "")
    return found


def strange_pipes(pipes: Mapping[int, Piped]) -> list[Finding]:
    """Units whose plumbing names racks that nobody can find: what hangs on them is not all known."""
    return [
        Finding(
            "value.unknown", "cooling_unit", pk, each.name,
            f"The plumbing of {each.name} names {', '.join(each.strange)}: no one rack "
            f"{'of its room' if each.room_id is not None else 'of the site'} is called that.",
            {"names": list(each.strange)}, None, each.room_id, "plumbing",
        )
        for pk, each in pipes.items()
        if each.strange
    ]  # fmt: skip


DewPoint = tuple[float, str]
"""°C, and of which sensor."""


def cooling_units(last: Sequence[Last], pipes: Mapping[int, Piped], graph: MeasuredGraph) -> list[CoolingUnit]:
    """Every cooling unit that tells; with the highest dew point of its room where it tells none."""
    rooms: defaultdict[int | None, list[DewPoint]] = defaultdict(list)
    for each in last:
        if points := _dew_points(each):
            rooms[where(each, graph).room_id] += [(celsius, f"{at} of {each.name}") for celsius, at in points]
    damp = {room: max(points) for room, points in rooms.items() if room is not None}
    units = [each for each in last if each.meter_id in pipes]
    return [_unit(each, pipes[each.meter_id], damp.get(pipes[each.meter_id].room_id or 0)) for each in units]


def _dew_points(told: Last) -> list[DewPoint]:
    """Of each sensor that tells it, or temperature and humidity of the same air."""
    found = []
    for name, values in told.parts(Part.SENSOR).items():
        celsius = values.get(Quantity.DEW_POINT_C)
        if celsius is None:
            celsius = dew_point_c(values.get(TEMPERATURE), values.get(Quantity.HUMIDITY_PERCENT))
        if celsius is not None:
            found.append((celsius, name))
    return found


def detectors_of(last: Iterable[Last], pipes: Mapping[int, Piped], graph: MeasuredGraph) -> dict[Place, list[Leak]]:
    """Leak detectors of every meter that is no cooling unit, where it measures."""
    found: defaultdict[Place, list[Leak]] = defaultdict(list)
    for each in last:
        if each.meter_id not in pipes and (leaks := _leaks(each)):
            found[where(each, graph)] += leaks
    return found


def where(meter: Last, graph: MeasuredGraph) -> Place:
    """The rack or the room that it is in; the meter itself, where that is a room of no rack, or not known."""
    rack, room = graph.readings.racks.get(meter.rack_id or 0), graph.readings.rooms.get(meter.room_id or 0)
    if rack is not None:
        return Place("rack", rack.id, rack.name, rack.id, rack.room_id)
    if room is not None and meter.room_id is not None:
        return Place("room", meter.room_id, room, room_id=meter.room_id)
    return Place("meter", meter.meter_id, meter.name, room_id=meter.room_id)


def _leaks(told: Last) -> tuple[Leak, ...]:
    return tuple(
        Leak(detector, None if (wet := values.get(Quantity.WET)) is None else wet > 0)
        for detector, values in told.parts(Part.LEAK).items()
    )


def _unit(told: Last, pipes: Piped, damp: DewPoint | None) -> CoolingUnit:
    plumbing = pipes.plumbing
    loops = told.parts(Part.LOOP)
    primary, secondary = loops.get(PRIMARY, {}), loops.get(SECONDARY, {})
    side = secondary or primary
    manifolds = tuple(
        Manifold(loop, values.get(Quantity.FLOW_LPM), pipes.racks.get(loop, ()))
        for loop, values in loops.items()
        if is_manifold(loop)
    )
    own = max((celsius for celsius, _ in _dew_points(told)), default=None)
    celsius, at = (own, "") if own is not None or damp is None else damp
    return CoolingUnit(
        told.meter_id, pipes.name,
        side.get(Quantity.SUPPLY_C), side.get(Quantity.RETURN_C), side.get(Quantity.FLOW_LPM),
        celsius, pipes.liquid_class,
        manifolds=manifolds,
        pumps=tuple(
            Pump(pump, values.get(Quantity.SPEED_PERCENT), values.get(Quantity.HEALTH))
            for pump, values in told.parts(Part.PUMP).items()
        ),
        filters=tuple(
            Filter(each, *(values.get(name) for name in OF_A_FILTER))
            for each, values in told.parts(Part.FILTER).items()
        ),
        leaks=_leaks(told),
        plumbing=Plumbing(
            plumbing.get("manifold_of") or {}, plumbing.get("valve_of") or {}, plumbing.get("main_valve") or ""
        ),
        room_id=pipes.room_id,
        primary_lpm=primary.get(Quantity.FLOW_LPM),
        secondary_lpm=secondary.get(Quantity.FLOW_LPM) if secondary else together_lpm(manifolds),
        dew_point_at=at,
    )  # fmt: skip
