"""Once an hour: which cords are not where the inventory says, by how loads changed in the last twelve hours."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime, timedelta

from django.db import connection

from facility.facts import Part, Quantity
from facility.findings import services as findings
from facility.history.rollup import floored
from facility.judgement import cords
from facility.judgement.cords import OutletSeries, SupplySeries
from facility.judgement.measured import MeasuredGraph
from facility.meters.models import Meter
from facility.overview.last import PDU_KINDS, last_of, measured_graph, not_judged, places_of, unheard_of
from inventory.power.queries import site_graph

KIND = "cord.wrong_feed"
STEP = timedelta(minutes=15)
SAMPLES = 48
QUARTERS = """
SELECT meter_id, at, layout_id, mean, covered FROM facility_quarter WHERE meter_id = ANY(%s) AND at >= %s AND at < %s
"""
Point = tuple[int, str, str]
"""Device, part and name."""


def look_at(site_id: int, now: datetime) -> None:
    """Compare the cords of a site and follow what is found."""
    graph = measured_graph(site_id, site_graph(site_id), last_of(site_id, now))
    series = _series(site_id, floored(now, STEP))
    supplies = _supplies(graph, series)
    outlets = [
        OutletSeries(pdu.pdu_id, outlet.name, watts)
        for pdu in graph.readings.pdus.values()
        for outlet in pdu.outlets
        if (watts := series.get((pdu.pdu_id, Part.OUTLET, outlet.name))) is not None
    ]
    metered = {outlet.pdu_id for outlet in outlets}
    verdicts = cords.by_outlets([each for each in supplies if each.pdu_id in metered], outlets)
    pdus = {pdu: total for pdu in graph.readings.pdus if (total := _inlets(series, pdu)) and pdu not in metered}
    verdicts += cords.by_pdus([each for each in supplies if each.pdu_id in pdus], pdus)
    silent = not_judged(unheard_of(site_id, now), graph)
    unknown = {(each.device_id, ", ".join(each.supplies)) for each in verdicts if each.verdict == "unknown"}
    findings.follow(
        site_id, cords.findings(verdicts, graph), now, of={KIND}, not_judged=silent,
        unclear=lambda each: (each.subject_id, each.part) in unknown,
    )  # fmt: skip


def _series(site_id: int, end: datetime) -> dict[Point, list[float | None]]:
    """Mean watts of each quarter of every supply, outlet and inlet: of all that its meter told in it, whatever else it
    told then. One statement, and one for its meters."""
    kinds = [Meter.Kind.MACHINE, *PDU_KINDS]
    meters = dict(Meter.objects.filter(site_id=site_id, kind__in=kinds).values_list("pk", "device_id"))
    begin = end - SAMPLES * STEP
    with connection.cursor() as cursor:
        cursor.execute(QUARTERS, [list(meters), begin, end])
        rows = cursor.fetchall()
    layouts = places_of({row[2] for row in rows})
    found: defaultdict[Point, list[tuple[float, int]]] = defaultdict(lambda: [(0.0, 0)] * SAMPLES)
    for meter, at, layout, mean, covered in rows:
        for (part, name), places in layouts[layout].items():
            place = places.get(Quantity.POWER_W)
            if place is not None and part in (Part.SUPPLY, Part.OUTLET, Part.INLET):
                quarters, n = found[meters[meter] or 0, part, name], (at - begin) // STEP
                if mean[place] is not None:
                    weighted, seconds = quarters[n]
                    quarters[n] = (weighted + mean[place] * covered[place], seconds + covered[place])
    return {
        point: [weighted / seconds if seconds else None for weighted, seconds in quarters]
        for point, quarters in found.items()
    }


def _supplies(graph: MeasuredGraph, series: Mapping[Point, list[float | None]]) -> list[SupplySeries]:
    """Every supply whose cord is recorded, with the outlet as its PDU calls it."""
    inlets = {inlet.id: (device, inlet) for device in graph.devices.values() for inlet in device.inlets}
    told = {each.inlet_id: each.name for pdu in graph.readings.pdus.values() for each in pdu.outlets if each.inlet_id}
    found = []
    for machine in graph.readings.machines.values():
        for supply in machine.supplies:
            watts = series.get((machine.device_id, Part.SUPPLY, supply.name))
            device, inlet = inlets.get(supply.inlet_id or 0, (None, None))
            if watts is not None and device is not None and inlet is not None and inlet.pdu_id is not None:
                outlet = told.get(inlet.id, inlet.outlet)
                found.append(SupplySeries(inlet.id, device.id, device.name, supply.name, watts, inlet.pdu_id, outlet))
    return found


def _inlets(series: Mapping[Point, list[float | None]], pdu_id: int) -> list[float | None]:
    """The sum of a PDU's inlets; None where one is not known. Empty where it tells none."""
    told = [values for (device, part, _), values in series.items() if device == pdu_id and part == Part.INLET]
    return [None if None in each else sum(each) for each in zip(*told, strict=True)]  # type: ignore[arg-type]
