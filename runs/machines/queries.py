"""Reads of where machines hang: what both *Fit to start* and *Replace and go on* measure nearness by."""

from __future__ import annotations

from collections import defaultdict

from django.db import connection

from fabric.discovery.models.seen import FabricLink

CABLED = """
SELECT DISTINCT leaf.name, spine.name
FROM inventory_switch own
JOIN inventory_device leaf ON leaf.id = own.device_id
JOIN inventory_port port ON port.device_id = leaf.id
JOIN inventory_strandend strand ON strand.port_id = port.id
JOIN inventory_connector near ON near.id = strand.connector_id
JOIN inventory_connector far ON far.cable_id = near.cable_id AND far.side <> near.side
JOIN inventory_strandend far_strand ON far_strand.connector_id = far.id
JOIN inventory_port far_port ON far_port.id = far_strand.port_id
JOIN inventory_device spine ON spine.id = far_port.device_id
JOIN inventory_switch above ON above.device_id = spine.id
WHERE own.tier = 'leaf' AND above.tier <> 'leaf' AND leaf.site_id = %s
"""


def spines_of(site_id: int) -> dict[str, frozenset[str]]:
    """The spines of each leaf: by the newest discovery, and where there is none as it is cabled. At most two
    statements."""
    found: dict[str, set[str]] = defaultdict(set)
    rows = FabricLink.objects.filter(source__site_id=site_id, tier="leaf-spine")
    for one, other in rows.order_by().values_list("a_name", "b_name").distinct():
        # Either end may be the leaf: each is known under the other, and only leaves are asked for.
        found[one].add(other)
        found[other].add(one)
    if not found:
        with connection.cursor() as cursor:
            cursor.execute(CABLED, [site_id])
            for leaf, spine in cursor.fetchall():
                found[leaf].add(spine)
    return {name: frozenset(others) for name, others in found.items()}
