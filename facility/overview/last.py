"""What every meter of a site told last, as the plain values that `facility.judgement` works on.

What is older than three periods of its meter counts as not told: nobody knows what is now.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from django.db import connection

from facility.facts import Part, Quantity
from facility.judgement.kinds import Finding
from facility.judgement.measured import MeasuredGraph
from facility.judgement.readings import (
    BreakerReading,
    GpuReading,
    MachineReading,
    OutletReading,
    PduReading,
    PhaseReading,
    RackFacts,
    Readings,
    SupplyReading,
)
from facility.meters.models import Layout
from facility.meters.rounds import is_fresh
from facility.overview.outlets import Cords, cords_of
from inventory.power.graph import PoweredDevice, PowerGraph

METERS = """
SELECT meter.id, meter.kind, meter.device_id, coalesce(meter.rack_id, placement.rack_id), meter.room_id,
    meter.period_s, told.at, told.layout_id, told.values, model.slug
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
SILENT = """
SELECT meter.id, meter.name, meter.device_id, device.name, device.kind, coalesce(meter.rack_id, placement.rack_id),
    meter.room_id, meter.message, meter.period_s, told.at
FROM facility_meter meter LEFT JOIN facility_meterstate told ON told.meter_id = meter.id
LEFT JOIN inventory_device device ON device.id = meter.device_id
LEFT JOIN inventory_placement placement ON placement.device_id = meter.device_id
WHERE meter.site_id = %s AND meter.enabled AND meter.state IN ('failed', 'refused') ORDER BY meter.id
"""
PDU_KINDS = ("snmp_pdu", "redfish_pdu")
_layouts: dict[int, dict[tuple[str, str], dict[str, int]]] = {}
"""What `places_of` met before: a layout never changes."""


class Last(NamedTuple):
    """One meter with its newest values, by part and name, then by quantity. Fresh ones only."""

    meter_id: int
    kind: str
    device_id: int | None
    rack_id: int | None
    room_id: int | None
    at: datetime
    model: str
    values: Mapping[tuple[str, str], Mapping[str, float | None]]

    def of(self, part: str, name: str, quantity: str) -> float | None:
        return self.values.get((part, name), {}).get(quantity)

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
        Last(meter, kind, device, rack, room, at, model or "", _values(layouts[layout], values))
        for meter, kind, device, rack, room, period_s, at, layout, values, model in rows
        if is_fresh(at, period_s, now)
    ]


def silent(site_id: int, now: datetime) -> list[Finding]:
    """Meters that could not be read for so long that nothing of them is known. One statement."""
    with connection.cursor() as cursor:
        cursor.execute(SILENT, [site_id])
        rows = cursor.fetchall()
    found = []
    for pk, name, device, device_name, kind, rack, room, message, period_s, at in rows:
        if at is None or not is_fresh(at, period_s, now):
            what, of, called = ("meter", pk, name) if device is None else (kind, device, device_name)
            text = f"{name} cannot be read: {message}"
            values = {"meter": pk, "read_at": at.isoformat() if at else None}
            found.append(Finding("value.unknown", what, of, called, text, values, rack, room, "meter"))
    return found


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
    site_id: int, planned: PowerGraph, last: Iterable[Last], peaks: Mapping[int, float] | None = None
) -> MeasuredGraph:
    """The planned graph of a site with what its meters told. Two statements: its racks, and outlets of other names."""
    last = list(last)
    with connection.cursor() as cursor:
        cursor.execute(RACKS, [site_id])
        racks = cursor.fetchall()
    of_pdus = [each for each in last if each.kind in PDU_KINDS and each.device_id in planned.pdus]
    plugged = cords_of(planned, {each.device_id or 0: list(each.parts(Part.OUTLET)) for each in of_pdus})
    pdus = [_pdu(each, plugged) for each in of_pdus]
    machines = [_machine(each, planned.devices.get(each.device_id or 0)) for each in last if each.kind == "machine"]
    readings = Readings(
        pdus={each.pdu_id: each for each in pdus},
        machines={each.device_id: each for each in machines},
        racks={
            pk: RackFacts(pk, name, limit, (peaks or {}).get(pk), row or "", room)
            for pk, name, limit, row, room, _ in racks
        },
        rooms={room: name for *_, room, name in racks},
    )
    return MeasuredGraph(planned, readings)


def _pdu(each: Last, plugged: Cords) -> PduReading:
    """Of a PDU whose outlets nobody can tell apart, none counts as one without a cord."""
    pdu_id = each.device_id or 0
    outlets = []
    for name, told in each.parts(Part.OUTLET).items():
        inlet = plugged.inlets.get((pdu_id, name))
        recorded = inlet is not None or pdu_id in plugged.unclear
        outlets.append(OutletReading(name, told.get(Quantity.POWER_W), recorded, inlet))
    return PduReading(
        pdu_id,
        tuple(told[Quantity.POWER_W] for told in each.parts(Part.INLET).values() if Quantity.POWER_W in told),
        None,
        tuple(
            PhaseReading(name, told.get(Quantity.CURRENT_A), told.get(Quantity.POWER_W))
            for name, told in each.parts(Part.PHASE).items()
        ),
        tuple(BreakerReading(name, told.get(Quantity.CURRENT_A)) for name, told in each.parts(Part.BREAKER).items()),
        tuple(outlets),
    )


def _machine(each: Last, device: PoweredDevice | None) -> MachineReading:
    gpus = tuple(
        GpuReading(name, told.get(Quantity.POWER_W), told.get(Quantity.POWER_LIMIT_W), told.get(Quantity.TEMPERATURE_C))
        for name, told in each.parts(Part.GPU).items()
    )
    loads = [gpu.power_w / gpu.limit_w for gpu in gpus if gpu.power_w is not None and gpu.limit_w]
    supplies = each.parts(Part.SUPPLY)
    inlets = _inlets_of(supplies, device)
    return MachineReading(
        each.device_id or 0,
        each.model,
        each.of(Part.MACHINE, "", Quantity.POWER_W),
        None,
        sum(loads) / len(loads) if loads and len(loads) == len(gpus) else None,
        tuple(SupplyReading(name, told.get(Quantity.POWER_W), inlets.get(name)) for name, told in supplies.items()),
        gpus,
        each.of(Part.MACHINE, "", Quantity.SLOWED_HOT),
        each.of(Part.MACHINE, "", Quantity.SLOWED_CAPPED),
        each.of(Part.MACHINE, "", Quantity.SLOWED_BRAKED),
    )


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
