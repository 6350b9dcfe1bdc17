"""What machines have in common: the rack they stand in, the switches and power feeds they hang on, and their power."""

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


# A BMC is known by the address and port it is reached at; machines in bays of one device share its supplies.
POWER = """
WITH reached AS (
    SELECT machine.device_id AS id, coalesce(endpoint.address, machine.bmc_ip) AS address,
        coalesce(endpoint.port, 443) AS port, device.parent_id, device.bay,
        coalesce(health.state, '') NOT IN ('new', 'retired') AND device.status <> 'retired' AS counts
    FROM inventory_machine machine
    JOIN inventory_device device ON device.id = machine.device_id
    LEFT JOIN access_endpoint endpoint ON endpoint.machine_id = machine.device_id AND endpoint.kind = 'redfish'
    LEFT JOIN health_machinehealth health ON health.machine_id = machine.device_id
), shared AS (
    SELECT id, address, parent_id, bay, counts,
        count(*) FILTER (WHERE counts) OVER (PARTITION BY address, port) AS by_bmc,
        count(*) FILTER (WHERE counts) OVER (PARTITION BY parent_id) AS by_parent
    FROM reached
)
SELECT id, CASE
    WHEN parent_id IS NOT NULL AND by_parent > counts::int THEN true
    WHEN address IS NULL OR (parent_id IS NULL AND bay <> '') THEN NULL
    ELSE by_bmc > counts::int
END
FROM shared WHERE id = ANY(%(ids)s)
"""


def sharing_power(machine_ids: Iterable[int]) -> dict[int, bool | None]:
    """Machine to whether its BMC or its shelf also carries others that are in use. One query.

    None when that is not known: it has no BMC address, or sits in a bay of nobody knows what.
    """
    ids = list(machine_ids)
    if not ids:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(POWER, {"ids": ids})
        return dict(cursor.fetchall())
