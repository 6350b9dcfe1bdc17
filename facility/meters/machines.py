"""Machines as meters: what sweeps and probes measured of them, handed over by `health`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from facility.facts import Part, Quantity, measured
from facility.meters import services
from facility.meters.models import Meter
from inventory.models import Device
from inventory.power.readings import sweep_period_s

Row = tuple[int, datetime, Sequence[tuple[str, str, str, float]]]
"""A machine, when it was looked at, and (part, name, quantity, value) of what it told."""


def take(rows: Sequence[Row]) -> None:
    """Keep what machines told. Five statements for any number of them."""
    told = [row for row in rows if row[2]]
    if not told:
        return
    period = max(10, round(sweep_period_s()()))
    meters = _meters([machine for machine, _, _ in told], period)
    services.store(
        [
            services.Told(
                meters[machine],
                at,
                [measured(Part(part), name, Quantity(quantity), value) for part, name, quantity, value in values],
                period,
            )
            for machine, at, values in told
            if machine in meters
        ]
    )


def _meters(machines: Sequence[int], period: int) -> dict[int, int]:
    """The meter of each machine; made where it is new, and put right where the sweep's period changed."""
    rows = list(Meter.objects.filter(device_id__in=machines).values_list("device_id", "id", "period_s"))
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
        known = dict(Meter.objects.filter(device_id__in=machines).values_list("device_id", "id"))
    return known
