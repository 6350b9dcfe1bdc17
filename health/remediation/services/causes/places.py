"""What machines have in common: their place, the switches and power feeds they hang on, new software, their power."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Container, Iterable
from datetime import datetime

from django.db import connection

from health.machines.lifecycle import NOT_SWEPT
from health.machines.models.machines import MachineHealth
from health.monitoring.facts import FACTS
from health.monitoring.models.facts import FactChange
from health.remediation.types import Cause

KEY_CHARS = 120  # of `Incident.cause`
ALL_KINDS = frozenset({"rack", "row", "room", "switch", "management", "feed"})

# A machine without a place has unknown causes. Cables count as they are live, in no change set.
CAUSES = """
SELECT placement.device_id AS id, place.kind, place.key
FROM inventory_placement placement
JOIN inventory_machine machine ON machine.device_id = placement.device_id
JOIN inventory_device device ON device.id = placement.device_id
JOIN inventory_rack rack ON rack.id = placement.rack_id
JOIN inventory_room room ON room.id = rack.room_id
LEFT JOIN inventory_row row_of ON row_of.id = rack.row_id
CROSS JOIN LATERAL (VALUES
    ('rack', rack.name), ('row', row_of.name || ' (' || room.name || ')'), ('room', room.name)
) AS place (kind, key)
WHERE place.key IS NOT NULL AND {here}
UNION
SELECT own_port.device_id, CASE
        WHEN feed.id IS NOT NULL THEN 'feed' WHEN switch.fabric = 'management' THEN 'management' ELSE 'switch' END,
    coalesce(feed.name, far_device.name)
FROM inventory_port own_port
JOIN inventory_machine machine ON machine.device_id = own_port.device_id
JOIN inventory_device device ON device.id = own_port.device_id
JOIN inventory_strandend own_end ON own_end.port_id = own_port.id AND own_end.change_set_id IS NULL
JOIN inventory_connector own ON own.id = own_end.connector_id
JOIN inventory_connector far ON far.cable_id = own.cable_id AND far.id <> own.id
JOIN inventory_strandend far_end ON far_end.connector_id = far.id AND far_end.change_set_id IS NULL
JOIN inventory_port far_port ON far_port.id = far_end.port_id AND far_port.device_id <> own_port.device_id
JOIN inventory_device far_device ON far_device.id = far_port.device_id
LEFT JOIN inventory_switch switch ON switch.device_id = far_device.id
LEFT JOIN inventory_pdu pdu ON pdu.device_id = far_device.id
LEFT JOIN inventory_powerfeed feed ON feed.id = pdu.feed_id
WHERE (switch.device_id IS NOT NULL OR feed.id IS NOT NULL) AND {there}
"""
OF_MACHINES = CAUSES.format(here="placement.device_id = ANY(%(ids)s)", there="own_port.device_id = ANY(%(ids)s)")
OF_CAUSES = CAUSES.format(
    here="device.site_id = %(site)s AND place.key = ANY(%(keys)s)",
    there="device.site_id = %(site)s AND coalesce(feed.name, far_device.name) = ANY(%(keys)s)",
)
# What a drain or a remedy counts others behind. A row or room, and the switches of the BMCs, carry too many machines
# that have nothing else in common.
CLOSE = frozenset({"rack", "switch", "feed"})


def causes_of(machine_ids: Iterable[int], kinds: Container[str] = CLOSE) -> dict[int, tuple[Cause, ...]]:
    """Machine to what it hangs on, in a fixed order; a machine without a rack is left out. One query."""
    ids = list(machine_ids)
    found: dict[int, list[Cause]] = defaultdict(list)
    if not ids:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(OF_MACHINES, {"ids": ids})
        for machine_id, kind, key in cursor.fetchall():
            found[machine_id].append(Cause(kind, key))
    return {
        machine_id: tuple(sorted((c for c in causes if c.kind in kinds), key=lambda cause: (cause.kind, cause.key)))
        for machine_id, causes in found.items()
        if any(cause.kind == "rack" for cause in causes)
    }


def members_of(site_id: int, causes: Collection[Cause]) -> dict[Cause, frozenset[int]]:
    """Cause to all machines in use of the site that hang on it. Two queries."""
    counting = frozenset(
        MachineHealth.objects.filter(machine__device__site_id=site_id)
        .exclude(state__in=[state.value for state in NOT_SWEPT])
        .values_list("machine_id", flat=True)
    )
    found: dict[Cause, set[int]] = defaultdict(set)
    with connection.cursor() as cursor:
        cursor.execute(OF_CAUSES, {"site": site_id, "keys": sorted({cause.key for cause in causes})})
        for machine_id, kind, key in cursor.fetchall():
            if machine_id in counting and Cause(kind, key) in causes:
                found[Cause(kind, key)].add(machine_id)
    return {cause: frozenset(machines) for cause, machines in found.items()}


# Software whose new version may be what broke; settings and hardware are not rolled out.
SOFTWARE = (
    "driver", "cuda", "vbios", "gsp", "inforom", "hca_firmware_infiniband", "hca_firmware_ethernet", "nvme_firmware",
    "bios", "bmc_firmware", "bmc_board_firmware", "kernel", "os", "container_runtime",
)  # fmt: skip


def rollouts(site_id: int, since: datetime, *, machine_id: int | None = None) -> dict[Cause, frozenset[int]]:
    """New version to the machines of a site that came to it since then and still have it. One query.

    With `machine_id` only what came to that one.
    """
    rows = FactChange.objects.filter(machine__device__site_id=site_id, fact__in=SOFTWARE, at__gte=since)
    if machine_id is not None:
        rows = rows.filter(machine=machine_id)
    newest = {
        (pk, fact): after for pk, fact, after in rows.order_by("at", "pk").values_list("machine", "fact", "after")
    }
    found: dict[Cause, set[int]] = defaultdict(set)
    for (machine_id, fact), after in newest.items():
        found[Cause("rollout", f"{FACTS[fact]} {after}"[:KEY_CHARS])].add(machine_id)
    return {cause: frozenset(machines) for cause, machines in found.items()}


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
