"""Machines as meters: what sweeps and probes measured of them, handed over by `health`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import DataError

from core.work.alone import alone
from facility.facts import Part, Quantity, measured
from facility.meters import services
from facility.meters.models import Meter
from inventory.models import Device
from inventory.power.readings import sweep_period_s

Row = tuple[int, datetime, Sequence[tuple[str, str, str, float]]]
"""A machine, when it was looked at, and (part, name, quantity, value) of what it told."""
WORKS, ABSENT, SLOWDOWN_C = "works", "absent", "slowdown_c"
"""Of a supply, 1 or 0, and of a GPU where its clocks fall: remembered beside the values, without history."""


def take(rows: Sequence[Row]) -> None:
    """Keep what machines told. Five statements for any number of them."""
    told = [row for row in rows if row[2]]
    if not told:
        return
    period = max(10, round(sweep_period_s()()))
    meters = _meters([machine for machine, _, _ in told], period)
    ours = [row for row in told if row[0] in meters]
    try:
        services.store([_told(meters[row[0]], row, period) for row in ours])
    except (ValueError, DataError):  # one of them tells what cannot be kept: the others are
        for row in ours:
            with alone("measured_not_stored", machine=row[0]):
                services.store([_told(meters[row[0]], row, period)])


def _told(meter: int, row: Row, period: int) -> services.Told:
    _, at, values = row
    points = [
        measured(Part(part), name, Quantity(quantity), value)
        for part, name, quantity, value in values
        if quantity not in (WORKS, ABSENT, SLOWDOWN_C)
    ]
    works = {
        name: bool(value) if quantity == WORKS else None
        for _, name, quantity, value in values
        if quantity in (WORKS, ABSENT)
    }
    slows = [value for *_, quantity, value in values if quantity == SLOWDOWN_C]
    memory = ({WORKS: works} if works else {}) | ({SLOWDOWN_C: min(slows)} if slows else {})
    return services.Told(meter, at, points, period, memory=memory)


def _meters(machines: Sequence[int], period: int) -> dict[int, int]:
    """The meter of each machine; made where it is new, and put right where the sweep's period changed."""
    ours = Meter.objects.filter(device_id__in=machines, kind=Meter.Kind.MACHINE)
    rows = list(ours.values_list("device_id", "id", "period_s"))
    known = {device: pk for device, pk, _ in rows}
    if changed := [pk for _, pk, seconds in rows if seconds != period]:
        Meter.objects.filter(pk__in=changed).update(period_s=period)
    new = [machine for machine in machines if machine not in known]
    if new:
        Meter.objects.bulk_create(
            [
                Meter(site_id=site, name=name, kind=Meter.Kind.MACHINE, device_id=pk, period_s=period, state="ok")
                for pk, name, site in Device.objects.filter(pk__in=new).values_list("id", "name", "site_id")
            ],
            ignore_conflicts=True,
        )
        known = dict(ours.all().values_list("device_id", "id"))
    return known
