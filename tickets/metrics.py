"""Numbers of this room for Prometheus."""

from __future__ import annotations

from collections.abc import Iterator

from django.db import connection
from prometheus_client.core import GaugeMetricFamily, Metric

ACTIVE = """
SELECT site.slug, ticket.status, ticket.priority, count(*),
    extract(epoch FROM clock_timestamp() - min(ticket.opened_at))
FROM tickets_ticket ticket JOIN core_site site ON site.id = ticket.site_id
WHERE ticket.status <> 'closed'
GROUP BY 1, 2, 3
"""
DARK = """
SELECT site.slug, count(*) FROM tickets_indicatorled led
JOIN inventory_device device ON device.id = led.machine_id
JOIN core_site site ON site.id = device.site_id
WHERE led.error <> '' AND led.wanted <> led.seen
GROUP BY 1
"""


def collect() -> Iterator[Metric]:
    """Open tickets, the age of the oldest, and lights that could not be switched. Two queries."""
    labels = ["site", "status", "priority"]
    tickets = GaugeMetricFamily("rackside_tickets", "Tickets that are not closed.", labels=labels)
    oldest = GaugeMetricFamily("rackside_ticket_oldest_age_seconds", "Age of the oldest of them.", labels=labels)
    dark = GaugeMetricFamily(
        "rackside_indicator_led_errors", "Machines whose locating LED did not switch.", labels=["site"]
    )
    with connection.cursor() as cursor:
        cursor.execute(ACTIVE)
        for site, status, priority, count, age in cursor.fetchall():
            tickets.add_metric([site, status, priority], float(count))
            oldest.add_metric([site, status, priority], float(age))
        cursor.execute(DARK)
        for site, count in cursor.fetchall():
            dark.add_metric([site], float(count))
    yield from (tickets, oldest, dark)
