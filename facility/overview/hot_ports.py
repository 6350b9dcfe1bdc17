"""Once an hour: switch ports that are too warm, by rack and height."""

from __future__ import annotations

from datetime import datetime

from facility.findings import services as findings
from facility.findings.limits import limits_of
from facility.judgement.cooling import Port, hot_ports
from inventory.models import Placement
from inventory.power.warm_ports import warm_ports

KIND = "port.hot"


def look_at(site_id: int, now: datetime) -> None:
    """Follow the ports above the site's limit. Those of a switch of which nobody knows now stay as they are."""
    limits = limits_of(site_id)
    told = [offered(site_id, limits.port_c, now) for offered in warm_ports]
    warm = [port for each in told for port in each.ports]
    not_known = {("switch", device) for each in told for device in each.not_known}
    rows = Placement.objects.filter(device_id__in={port.device_id for port in warm}, half_units__isnull=False)
    places = {row.device_id: row for row in rows.select_related("rack")}
    ports = [
        Port(
            port.device_id, port.device, port.port, port.temperature_c,
            (row.half_units.lower + 1) // 2 if row is not None else None,
            row.rack_id if row is not None else None, row.rack.name if row is not None else "",
            row.rack.room_id if row is not None else None,
        )
        for port in warm
        for row in [places.get(port.device_id)]
    ]  # fmt: skip
    findings.follow(site_id, hot_ports(ports, limits), now, of={KIND}, not_judged=not_known)
