"""What machines have in common: the rack they stand in, the switches and the power feeds they hang on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from django.db import connection

from health.remediation.types import Cause

# A machine without a place has unknown causes. Cables count as they are live, in no change set.
CAUSES = """
SELECT placement.device_id, 'rack', rack.name
FROM inventory_placement placement JOIN inventory_rack rack ON rack.id = placement.rack_id
WHERE placement.device_id = ANY(%(ids)s)
UNION
SELECT own_port.device_id, CASE WHEN feed.id IS NULL THEN 'switch' ELSE 'feed' END,
    CASE WHEN feed.id IS NULL THEN far_device.name ELSE feed.name END
FROM inventory_port own_port
JOIN inventory_strandend own_end ON own_end.port_id = own_port.id AND own_end.change_set_id IS NULL
JOIN inventory_connector own ON own.id = own_end.connector_id
JOIN inventory_connector far ON far.cable_id = own.cable_id AND far.id <> own.id
JOIN inventory_strandend far_end ON far_end.connector_id = far.id AND far_end.change_set_id IS NULL
JOIN inventory_port far_port ON far_port.id = far_end.port_id AND far_port.device_id <> own_port.device_id
JOIN inventory_device far_device ON far_device.id = far_port.device_id
LEFT JOIN inventory_switch switch ON switch.device_id = far_device.id
LEFT JOIN inventory_pdu pdu ON pdu.device_id = far_device.id
LEFT JOIN inventory_powerfeed feed ON feed.id = pdu.feed_id
WHERE own_port.device_id = ANY(%(ids)s) AND (switch.device_id IS NOT NULL OR feed.id IS NOT NULL)
"""


def causes_of(machine_ids: Iterable[int]) -> dict[int, tuple[Cause, ...]]:
    """Machine to what it hangs on, in a fixed order; a machine without a rack is left out. One query."""
    ids = list(machine_ids)
    found: dict[int, list[Cause]] = defaultdict(list)
    if not ids:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(CAUSES, {"ids": ids})
        for machine_id, kind, key in cursor.fetchall():
            found[machine_id].append(Cause(kind, key))
    return {
        machine_id: tuple(sorted(causes, key=lambda cause: (cause.kind, cause.key)))
        for machine_id, causes in found.items()
        if any(cause.kind == "rack" for cause in causes)
    }
