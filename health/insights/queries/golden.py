"""The golden set and the spares, by model."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from django.db import connection
from django.db.models import QuerySet

from health.insights.models import GoldenMachine
from inventory.parts.queries import spares

MACHINES = """
SELECT model.slug, count(*),
    count(*) FILTER (WHERE golden.id IS NOT NULL),
    count(*) FILTER (WHERE health.state = 'ready' AND health.worst IN ('ok', 'info') AND health.allocation = 'idle'),
    count(*) FILTER (WHERE health.state = 'ready' AND health.allocation = 'unknown')
FROM health_machinehealth health
JOIN inventory_device device ON device.id = health.machine_id
JOIN inventory_devicemodel model ON model.id = device.model_id
LEFT JOIN health_goldenmachine golden ON golden.machine_id = device.id AND golden.demoted_at IS NULL
WHERE health.state NOT IN ('new', 'retired') AND (%(sites)s::bigint[] IS NULL OR device.site_id = ANY(%(sites)s))
    AND (%(site)s::bigint IS NULL OR device.site_id = %(site)s)
GROUP BY model.slug ORDER BY model.slug
"""
PARTS = """
SELECT DISTINCT model.slug, component.kind, component.part_number FROM inventory_installation installed
JOIN inventory_component component ON component.id = installed.component_id
JOIN inventory_device device ON device.id = installed.device_id
JOIN inventory_devicemodel model ON model.id = device.model_id
JOIN inventory_machine machine ON machine.device_id = device.id
WHERE upper_inf(installed.during) AND component.part_number <> ''
    AND (%(sites)s::bigint[] IS NULL OR device.site_id = ANY(%(sites)s))
    AND (%(site)s::bigint IS NULL OR device.site_id = %(site)s)
"""


def golden() -> QuerySet[GoldenMachine]:
    """The machines of the set now, with what their list shows."""
    return GoldenMachine.objects.filter(demoted_at=None).select_related("machine__device__model").order_by(
        "machine__device__name"
    )  # fmt: skip


def by_model(sites: list[int] | None, site: int | None = None) -> list[dict[str, Any]]:
    """Of each model: its machines, the golden ones, the idle healthy ones, and the good parts that lie in store for it.

    A part that several models use is counted with each. Three queries.
    """
    lying: dict[tuple[str, str], int] = defaultdict(int)
    for row in spares(sites, site=site):
        lying[row["kind"], row["part_number"]] += row["have"]
    with connection.cursor() as cursor:
        cursor.execute(MACHINES, {"sites": sites, "site": site})
        models = cursor.fetchall()
        cursor.execute(PARTS, {"sites": sites, "site": site})
        parts: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for model, kind, number in sorted(cursor.fetchall()):
            parts[model].append({"kind": kind, "part_number": number, "good": lying.get((kind, number), 0)})
    return [
        {
            "model": model,
            "machines": machines,
            "golden": gold,
            "spare_machines": idle,
            "not_reported": unknown,
            "parts": parts[model],
        }
        for model, machines, gold, idle, unknown in models
    ]
