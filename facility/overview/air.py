"""Where machines stand and what their air is like, and cooling units: as `facility.judgement` takes them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db import connection

from facility.facts import Part, Quantity
from facility.judgement.air import MachineAir, RackAir
from facility.judgement.gpus import MachineGpus
from facility.judgement.liquid import CoolingUnit, Filter, Leak, Manifold, Plumbing, Pump
from facility.judgement.measured import MeasuredGraph
from facility.meters.models import Meter
from facility.overview.last import Last, places_of
from inventory.elevation.read import Contents, Mount
from inventory.elevation.spans import open_gaps

TEMPERATURE = Quantity.TEMPERATURE_C
RISE_OF = timedelta(minutes=6)
WARMING = (Part.SENSOR, Part.LOOP)
READINGS = """
SELECT told.meter_id, told.at, told.layout_id, told.vals FROM facility_reading told
WHERE told.meter_id = ANY(%s) AND told.at >= %s ORDER BY told.meter_id, told.at
"""
SIDES = ("primary", "secondary")
"""Loops of a cooling unit; those with other names are its manifolds."""


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
    drawn = graph.drawn.get(mount.device)
    return MachineAir(
        mount.device, mount.name or "", bottom_u(mount), top_u(mount) - bottom_u(mount) + 1, told.model,
        inlet_c=told.of(Part.SENSOR, "inlet", TEMPERATURE), exhaust_c=told.of(Part.SENSOR, "exhaust", TEMPERATURE),
        power_w=drawn.measured_w if drawn else None,
        fans_rpm={name: values.get(Quantity.SPEED_RPM) for name, values in told.parts(Part.FAN).items()},
    )  # fmt: skip


def bottom_u(mount: Mount) -> int:
    """The lowest unit that it is in; half units count from 1."""
    return ((mount.low or 1) + 1) // 2


def top_u(mount: Mount) -> int:
    return (mount.high or 2) // 2


def gpus_of(graph: MeasuredGraph) -> list[MachineGpus]:
    """The temperatures of every machine's GPUs."""
    found = []
    for reading in graph.readings.machines.values():
        device = graph.devices.get(reading.device_id)
        if device is not None and reading.gpus:
            temperatures = tuple((gpu.name, gpu.temperature_c) for gpu in reading.gpus)
            room = graph.room_of(device.rack_id)
            found.append(MachineGpus(device.id, device.name, temperatures, rack_id=device.rack_id, room_id=room))
    return found


class Warming(NamedTuple):
    """One temperature of one meter over the last minutes: (seconds, °C)."""

    meter: Last
    what: str
    series: list[tuple[float, float | None]]


def warming(last: Sequence[Last], now: datetime) -> list[Warming]:
    """Temperatures of air and liquid of every meter that tells any. One statement."""
    meters = {each.meter_id: each for each in last if any(part in WARMING for part, _ in each.values)}
    with connection.cursor() as cursor:
        cursor.execute(READINGS, [list(meters), now - RISE_OF])
        rows = cursor.fetchall()
    layouts = places_of({row[2] for row in rows})
    found: dict[tuple[int, str], list[tuple[float, float | None]]] = defaultdict(list)
    for meter, at, layout, values in rows:
        for (part, name), places in layouts[layout].items():
            place = places.get(TEMPERATURE if part == Part.SENSOR else Quantity.SUPPLY_C)
            if part in WARMING and place is not None and name != "exhaust":
                found[meter, name].append((at.timestamp(), values[place]))
    return [Warming(meters[meter], name, series) for (meter, name), series in found.items()]


# ---- liquid ----


def cooling_units(last: Iterable[Last], racks: Mapping[str, int]) -> list[CoolingUnit]:
    """Every cooling unit that tells. `racks`: by name. What its pipes lead to stands in the options of its meter."""
    units = [each for each in last if each.kind == Meter.Kind.REDFISH_COOLING]
    options = {pk: (name, told) for pk, name, told in Meter.objects.filter(
        pk__in=[each.meter_id for each in units]).values_list("pk", "name", "options")}  # fmt: skip
    return [_unit(each, *options[each.meter_id], racks) for each in units if each.meter_id in options]


def _unit(told: Last, name: str, options: Mapping[str, Any], racks: Mapping[str, int]) -> CoolingUnit:
    plumbing = options.get("plumbing") or {}
    behind = plumbing.get("racks") or {}
    loops = told.parts(Part.LOOP)
    side = loops.get("secondary") or loops.get("primary") or {}
    dew_points = [values.get(Quantity.DEW_POINT_C) for values in told.parts(Part.SENSOR).values()]
    return CoolingUnit(
        told.meter_id, name, side.get(Quantity.SUPPLY_C), side.get(Quantity.RETURN_C), side.get(Quantity.FLOW_LPM),
        max((each for each in dew_points if each is not None), default=None),
        manifolds=tuple(
            Manifold(
                loop, values.get(Quantity.FLOW_LPM), None, values.get(Quantity.SUPPLY_C), values.get(Quantity.RETURN_C),
                tuple(racks[rack] for rack in behind.get(loop, ()) if rack in racks),
            )
            for loop, values in loops.items()
            if loop.lower() not in SIDES
        ),
        pumps=tuple(Pump(pump, values.get(Quantity.SPEED_PERCENT)) for pump, values in told.parts(Part.PUMP).items()),
        filters=tuple(
            Filter(each, values.get(Quantity.PRESSURE_KPA)) for each, values in told.parts(Part.FILTER).items()
        ),
        leaks=tuple(
            Leak(detector, None if (wet := values.get(Quantity.WET)) is None else wet > 0)
            for detector, values in told.parts(Part.LEAK).items()
        ),
        plumbing=Plumbing(
            plumbing.get("manifold_of") or {}, plumbing.get("valve_of") or {}, plumbing.get("main_valve") or ""
        ),
        room_id=told.room_id,
        primary_lpm=loops.get("primary", {}).get(Quantity.FLOW_LPM) if "secondary" in loops else None,
    )  # fmt: skip
