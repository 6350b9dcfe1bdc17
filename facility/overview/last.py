"""What every meter of a site told last, as the plain values that `facility.judgement` works on.

What is older than three periods of its meter counts as not told: nobody knows what is now.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import NamedTuple

import orjson
from django.db import connection

from facility.facts import Part, Quantity
from facility.judgement.kinds import Finding
from facility.judgement.measured import MeasuredGraph
from facility.judgement.readings import (
    BreakerReading,
    GpuReading,
    LoadKey,
    MachineReading,
    OutletReading,
    PduReading,
    PhaseReading,
    RackFacts,
    Readings,
    SupplyReading,
    several,
)
from facility.meters.models import Layout, Meter
from facility.meters.rounds import STALE_PERIODS, is_fresh
from facility.overview.outlets import Cords, cords_of
from inventory.power.graph import PoweredDevice, PowerGraph

METERS = """
SELECT meter.id, meter.kind, meter.device_id, coalesce(meter.rack_id, placement.rack_id), meter.room_id,
    meter.period_s, told.at, told.layout_id, told.values, meter.name, model.slug,
    model.air_class, CASE WHEN model.kind = 'pdu' THEN jsonb_build_object(
        'each', model.spec -> 'breaker_a', 'named', model.spec -> 'breakers') END,
    CASE WHEN meter.kind = 'machine' THEN told.memory -> 'works' END,
    CASE WHEN meter.kind = 'machine' THEN (told.memory ->> 'slowdown_c')::float END
FROM facility_meter meter JOIN facility_meterstate told ON told.meter_id = meter.id
LEFT JOIN inventory_device device ON device.id = meter.device_id
LEFT JOIN inventory_devicemodel model ON model.id = device.model_id
LEFT JOIN inventory_placement placement ON placement.device_id = meter.device_id
WHERE meter.site_id = %s AND meter.enabled AND (%s::bigint[] IS NULL OR meter.device_id = ANY(%s)) ORDER BY meter.id
"""
RACKS = """
SELECT rack.id, rack.name, rack.power_limit_w, line.name, rack.room_id, room.name
FROM inventory_rack rack JOIN inventory_room room ON room.id = rack.room_id
LEFT JOIN inventory_row line ON line.id = rack.row_id
WHERE room.site_id = %s ORDER BY room.name, rack.name
"""
UNHEARD = """
SELECT meter.id, meter.name, meter.kind, meter.state, meter.message, meter.period_s,
    greatest(meter.tried_at, meter.lease_until), told.at, meter.device_id, device.name, device.kind, health.state,
    rack.id, rack.name, rack.room_id, meter.room_id
FROM facility_meter meter LEFT JOIN facility_meterstate told ON told.meter_id = meter.id
LEFT JOIN inventory_device device ON device.id = meter.device_id
LEFT JOIN inventory_placement placement ON placement.device_id = meter.device_id
LEFT JOIN inventory_rack rack ON rack.id = coalesce(meter.rack_id, placement.rack_id)
LEFT JOIN health_machinehealth health ON health.machine_id = meter.device_id
WHERE meter.site_id = %s AND meter.enabled AND NOT meter.kind = ANY(%s)
    AND (told.at IS NULL OR told.at < %s - make_interval(secs => %s * meter.period_s)) ORDER BY meter.id
"""
IN_SERVICE = ("ready", "draining")
"""A machine in another state may be off; that it tells nothing is no finding."""
RETIRED = "retired"
NEUTRAL, BETWEEN = "N", re.compile(r"L\d-(L\d|N)")
"""What the neutral carries is no load of its own; nor is what is told between two lines, `L1-L2`. A hyphen alone may
stand in a label: `Phase-A`."""
SENSOR_KINDS = (Meter.Kind.SNMP_SENSORS, Meter.Kind.REDFISH_SENSORS)
PDU_KINDS = ("snmp_pdu", "redfish_pdu")
_layouts: dict[int, dict[tuple[str, str], dict[str, int]]] = {}
"""What `places_of` met before: a layout never changes."""


class Breakers(NamedTuple):
    """Sizes of a PDU's breakers in A, as its model says: of each, and of those that differ by name."""

    each: float | None
    named: Mapping[str, float]

    def rated_a(self, name: str) -> float | None:
        """Devices with several inlets call them `AA:BR1`."""
        return self.named.get(name, self.named.get(name.rpartition(":")[2], self.each))


NO_BREAKERS = Breakers(None, {})


class Last(NamedTuple):
    """One meter with its newest values, by part and name, then by quantity. Fresh ones only. `model` and `air_class`
    are of the device that it measures; `works`: what a BMC says of the machine's supplies, null: absent;
    `slowdown_c`: where the clocks of its first GPU fall, as the driver says."""

    meter_id: int
    kind: str
    device_id: int | None
    rack_id: int | None
    room_id: int | None
    at: datetime
    model: str
    values: Mapping[tuple[str, str], Mapping[str, float | None]]
    period_s: int = 30
    air_class: str = ""
    breakers: Breakers = NO_BREAKERS
    works: Mapping[str, bool | None] = {}
    slowdown_c: float | None = None
    name: str = ""

    def of(self, part: str, name: str, quantity: str) -> float | None:
        return self.values.get((part, name), {}).get(quantity)

    @property
    def inlet_c(self) -> float | None:
        """Of a machine: the air that it takes in."""
        return self.of(Part.SENSOR, "inlet", Quantity.TEMPERATURE_C)

    @property
    def exhaust_c(self) -> float | None:
        return self.of(Part.SENSOR, "exhaust", Quantity.TEMPERATURE_C)

    @property
    def delta_t_c(self) -> float | None:
        """What the air of a machine gains; None where inlet or exhaust is not known."""
        return None if self.inlet_c is None or self.exhaust_c is None else self.exhaust_c - self.inlet_c

    @property
    def hottest_gpu_c(self) -> float | None:
        gpus = [told.get(Quantity.TEMPERATURE_C) for told in self.parts(Part.GPU).values()]
        return max((each for each in gpus if each is not None), default=None)

    def parts(self, part: str) -> dict[str, Mapping[str, float | None]]:
        return {name: told for (each, name), told in self.values.items() if each == part}


def last_of(site_id: int, now: datetime, devices: Collection[int] | None = None) -> list[Last]:
    """Every meter of a site whose values are fresh, or those of some devices. One statement, and one for layouts met
    for the first time."""
    only = None if devices is None else list(devices)
    with connection.cursor() as cursor:
        cursor.execute(METERS, [site_id, only, only])
        rows = cursor.fetchall()
    layouts = places_of({row[7] for row in rows})
    return [
        Last(
            pk,
            kind,
            device,
            rack,
            room,
            at,
            model or "",
            _values(layouts[layout], values),
            period,
            air or "",
            _breakers(breakers),
            orjson.loads(works) if works else {},
            slows_c,
            name,
        )
        for pk, kind, device, rack, room, period, at, layout, values, name, model, air, breakers, works, slows_c in rows
        if is_fresh(at, period, now)
    ]


def _breakers(told: str | None) -> Breakers:
    sizes = orjson.loads(told) if told else {}
    return Breakers(sizes.get("each"), sizes.get("named") or {})


class Unheard(NamedTuple):
    """A meter that tells nothing now. `tried_at`: when it was asked, or should have been answered, last."""

    meter_id: int
    name: str
    kind: str
    state: str
    message: str
    period_s: int
    tried_at: datetime | None
    at: datetime | None
    device_id: int | None
    device_name: str | None
    device_kind: str | None
    machine_state: str | None
    rack_id: int | None
    rack_name: str | None
    room_of_rack: int | None
    own_room: int | None

    @property
    def room_id(self) -> int | None:
        return self.room_of_rack or self.own_room


def unheard_of(site_id: int, now: datetime) -> list[Unheard]:
    """Every meter of a site that tells nothing now, whatever the reason. One statement."""
    with connection.cursor() as cursor:
        cursor.execute(UNHEARD, [site_id, list(Meter.SUMS), now, STALE_PERIODS])
        return [Unheard(*row) for row in cursor.fetchall()]


def silent(site_id: int, unheard: Iterable[Unheard], now: datetime) -> list[Finding]:
    """Meters of which nothing is known. Machines in service are counted by rack, or by site where they have none."""
    found, machines = [], defaultdict(list)
    for each in unheard:
        if each.kind == Meter.Kind.MACHINE:
            if each.machine_state in IN_SERVICE:
                machines[each.rack_id, each.rack_name, each.room_id].append(each)
        elif (text := _why_silent(each, now)) is not None:
            subject = ("meter", each.meter_id, each.name)
            if each.device_id is not None:
                subject = (each.device_kind or "", each.device_id, each.device_name or "")
            values = {"meter": each.meter_id, "read_at": each.at.isoformat() if each.at else None}
            found.append(Finding("value.unknown", *subject, text, values, each.rack_id, each.room_id, "meter"))
    for (rack, rack_name, room), them in machines.items():
        subject = ("site", site_id, "machines without a rack") if rack is None else ("rack", rack, rack_name or "")
        where = "without a rack" if rack is None else f"of {rack_name}"
        text = f"{several(len(them), 'machine')} {where} {'tells' if len(them) == 1 else 'tell'} nothing."
        silent_ones = {"machines": [each.device_id for each in them]}
        found.append(Finding("value.unknown", *subject, text, silent_ones, rack, room, "machines"))
    return found


def _why_silent(each: Unheard, now: datetime) -> str | None:
    """None for a meter that is new: it has a few periods for its first answer."""
    if each.state in (Meter.State.FAILED, Meter.State.REFUSED):
        return f"{each.name} cannot be read: {each.message}"
    if each.at is not None:
        return f"{each.name} has told nothing since {each.at.astimezone(UTC):%Y-%m-%d %H:%M} UTC."
    if each.tried_at is not None and not is_fresh(each.tried_at, each.period_s, now):
        return f"{each.name} was asked and has never told anything."
    return None


def not_judged(unheard: Iterable[Unheard], graph: MeasuredGraph) -> set[tuple[str, int]]:
    """Kind and id of every subject of which a meter that tells nothing now may know more than what is known."""
    found: set[tuple[str, int]] = set()
    for each in unheard:
        if each.machine_state == RETIRED:
            continue
        found.add(("meter", each.meter_id))
        if each.kind == Meter.Kind.REDFISH_COOLING:
            found.add(("cooling_unit", each.meter_id))
        if each.device_id is not None:
            found.add((each.device_kind or "", each.device_id))
        if each.rack_id is not None:
            if each.kind != Meter.Kind.MACHINE or each.machine_state in IN_SERVICE:
                found.add(("rack", each.rack_id))
        elif each.own_room is not None:
            found.add(("room", each.own_room))
        for pdu in _pdus_of(each, graph):
            feeds = _feeds_beside(pdu, graph)
            panels = {panel for feed in feeds if (panel := graph.feeds[feed].panel_id) is not None}
            found |= {("pdu", pdu), *(("feed", feed) for feed in feeds), *(("panel", panel) for panel in panels)}
    return found


def _pdus_of(each: Unheard, graph: MeasuredGraph) -> set[int]:
    """PDUs of which nobody knows what they carry without this meter."""
    if each.kind in PDU_KINDS:
        return {each.device_id} & graph.pdus.keys() if each.device_id is not None else set()
    device = graph.devices.get(each.device_id or 0)
    inlets = graph.supplied(device).inlets if device is not None else ()
    return {pdu for inlet in inlets if (pdu := inlet.pdu_id) in graph.pdus and pdu not in graph.readings.pdus}


def _feeds_beside(pdu_id: int, graph: MeasuredGraph) -> set[int]:
    """The feed of a PDU, and those that take its load over."""
    feed = graph.way(pdu_id)[1]
    if feed is None:
        return set()
    return {feed, *(other for device in graph.devices_on.get(feed, ()) for other in graph.feeds_of(device))}


Places = dict[tuple[str, str], dict[str, int]]


def places_of(layout_ids: set[int]) -> dict[int, Places]:
    """By id of a layout: part and name to the place of each quantity. One statement, where one is new here."""
    new = layout_ids - _layouts.keys()
    for pk, points in Layout.objects.filter(pk__in=new).values_list("id", "points"):
        places: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
        for place, (part, name, quantity) in enumerate(points):
            places[part, name][quantity] = place
        _layouts[pk] = dict(places)
    return {pk: _layouts[pk] for pk in layout_ids}


def _values(layout: Places, values: list[float | None]) -> dict[tuple[str, str], dict[str, float | None]]:
    return {point: {quantity: values[place] for quantity, place in places.items()} for point, places in layout.items()}


# ---- as readings ----


def measured_graph(
    site_id: int, planned: PowerGraph, last: Iterable[Last], peaks: Mapping[LoadKey, float] | None = None
) -> MeasuredGraph:
    """The planned graph of a site with what its meters told. Two statements: its racks, and outlets of other names."""
    last = list(last)
    with connection.cursor() as cursor:
        cursor.execute(RACKS, [site_id])
        racks = cursor.fetchall()
    of_pdus = [each for each in last if each.kind in PDU_KINDS and each.device_id in planned.pdus]
    plugged = cords_of(planned, {each.device_id or 0: list(_outlets(each)) for each in of_pdus})
    pdus = [_pdu(each, plugged) for each in of_pdus]
    of_machines = [each for each in last if each.kind == Meter.Kind.MACHINE]
    machines = [machine_reading(each, planned.devices.get(each.device_id or 0)) for each in of_machines]
    inside = [each for each in last if each.kind in SENSOR_KINDS and each.device_id in planned.devices]
    others = [machine_reading(each, planned.devices[each.device_id or 0]) for each in inside]
    readings = Readings(
        pdus={each.pdu_id: each for each in pdus},
        machines={each.device_id: each for each in machines},
        others={each.device_id: each for each in others},
        racks={pk: RackFacts(pk, name, limit, row or "", room) for pk, name, limit, row, room, _ in racks},
        rooms={room: name for *_, room, name in racks},
        peaks=peaks or {},
    )
    return MeasuredGraph(planned, readings)


def _pdu(each: Last, plugged: Cords) -> PduReading:
    """Of a PDU whose outlets nobody can tell apart, none counts as one without a cord."""
    pdu_id = each.device_id or 0
    outlets = []
    for name, told in _outlets(each).items():
        inlet = plugged.inlets.get((pdu_id, name))
        recorded = inlet is not None or pdu_id in plugged.unclear
        outlets.append(OutletReading(name, told.get(Quantity.POWER_W), recorded, inlet))
    return PduReading(
        pdu_id,
        tuple(told.get(Quantity.POWER_W) for told in each.parts(Part.INLET).values()),
        tuple(
            PhaseReading(name, told.get(Quantity.CURRENT_A), told.get(Quantity.POWER_W))
            for name, told in each.parts(Part.PHASE).items()
            if not _is_between(name) and not told.keys().isdisjoint((Quantity.CURRENT_A, Quantity.POWER_W))
        ),
        tuple(_breaker_readings(each)),
        tuple(outlets),
    )


def _outlets(each: Last) -> dict[str, Mapping[str, float | None]]:
    """Without the lines of those that have several: they are one outlet."""
    parts = each.parts(Part.OUTLET)
    return {name: told for name, told in parts.items() if name.rpartition(":")[0] not in parts}


def _is_between(phase: str) -> bool:
    name = phase.rpartition(":")[2]
    return name == NEUTRAL or bool(BETWEEN.fullmatch(name))


def _breaker_readings(each: Last) -> Iterator[BreakerReading]:
    """With the size that the device tells, else that of its model. Of one with several lines each line is a breaker,
    unless it tells a current of its own as well."""
    parts = each.parts(Part.BREAKER)
    for name, told in parts.items():
        breaker = name.rpartition(":")[0]
        whole = parts.get(breaker, {})
        if Quantity.CURRENT_A in told and whole.get(Quantity.CURRENT_A) is None:
            of_model = each.breakers.rated_a(breaker if whole else name)
            sizes = (told.get(Quantity.CURRENT_LIMIT_A), whole.get(Quantity.CURRENT_LIMIT_A), of_model)
            rated = next((size for size in sizes if size is not None), None)
            yield BreakerReading(name, told[Quantity.CURRENT_A], rated)


def machine_reading(each: Last, device: PoweredDevice | None = None) -> MachineReading:
    """Without its device, nobody knows which supply hangs on which cord."""
    gpus = tuple(
        GpuReading(name, told.get(Quantity.POWER_W), told.get(Quantity.POWER_LIMIT_W), told.get(Quantity.TEMPERATURE_C))
        for name, told in each.parts(Part.GPU).items()
    )
    loads = [gpu.power_w / gpu.limit_w for gpu in gpus if gpu.power_w is not None and gpu.limit_w]
    return MachineReading(
        each.device_id or 0,
        each.model,
        each.of(Part.MACHINE, "", Quantity.POWER_W),
        sum(loads) / len(loads) if loads and len(loads) == len(gpus) else None,
        tuple(_supplies(each, device)),
        gpus,
        each.of(Part.MACHINE, "", Quantity.SLOWED_HOT),
        each.of(Part.MACHINE, "", Quantity.SLOWED_CAPPED),
        each.of(Part.MACHINE, "", Quantity.SLOWED_BRAKED),
        each.slowdown_c,
    )


def _supplies(each: Last, device: PoweredDevice | None) -> Iterator[SupplyReading]:
    """Those of which watts are told, and those of which the BMC says whether they work."""
    watts = {name: told.get(Quantity.POWER_W) for name, told in each.parts(Part.SUPPLY).items()}
    names = dict.fromkeys((*watts, *each.works))
    inlets = _inlets_of(watts, device) or _inlets_of(names, device)
    for name in names:
        told = name in each.works
        dead, absent = not each.works[name] if told else None, told and each.works[name] is None
        yield SupplyReading(name, watts.get(name), inlets.get(name), dead, absent)


def _inlets_of(supplies: Iterable[str], device: PoweredDevice | None) -> dict[str, int]:
    """The inlet of each supply: in the order of the numbers in their names, where there are as many."""
    if device is None:
        return {}
    names = sorted(supplies, key=_number)
    inlets = sorted(device.inlets, key=lambda inlet: _number(inlet.name))
    return {name: inlet.id for name, inlet in zip(names, inlets, strict=True)} if len(names) == len(inlets) else {}


def _number(name: str) -> tuple[int, str]:
    digits = re.findall(r"\d+", name)
    return (int(digits[-1]) if digits else 0, name)
