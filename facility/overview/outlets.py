"""Which cord is in which outlet that a PDU tells: inventory and PDU rarely write an outlet's name alike."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from django.db import connection

from inventory.power.graph import PowerGraph

OUTLETS = """
SELECT device_id, array_agg(name ORDER BY id) FROM inventory_port
WHERE device_id = ANY(%s) AND kind = 'power_outlet' GROUP BY device_id
"""


class Cords(NamedTuple):
    """`inlets`: PDU and outlet, as the PDU calls it, to the port at the other end of the cord.

    `unclear` are PDUs of which nobody can tell which outlet is which.
    """

    inlets: Mapping[tuple[int, str], int]
    unclear: frozenset[int]


def cords_of(planned: PowerGraph, told: Mapping[int, Sequence[str]]) -> Cords:
    """`told`: by PDU its outlets, in its own order. By name; where no name is the same, and inventory and PDU have as
    many outlets, in their order. One statement, where names differ.
    """
    by_name = {
        (inlet.pdu_id, outlet_key(inlet.outlet)): inlet.id
        for device in planned.devices.values()
        for inlet in device.inlets
        if inlet.pdu_id is not None
    }
    corded = {pdu for pdu, _ in by_name}
    strange = [
        pdu
        for pdu, names in told.items()
        if pdu in corded and names and not any((pdu, outlet_key(name)) in by_name for name in names)
    ]
    in_order = _recorded(strange)
    inlets: dict[tuple[int, str], int] = {}
    unclear = set()
    for pdu, names in told.items():
        recorded = in_order.get(pdu, names)
        if len(recorded) != len(names):
            unclear.add(pdu)
            continue
        for name, known_as in zip(names, recorded, strict=True):
            if (inlet := by_name.get((pdu, outlet_key(known_as)))) is not None:
                inlets[pdu, name] = inlet
    return Cords(inlets, frozenset(unclear))


def _recorded(pdus: Sequence[int]) -> dict[int, list[str]]:
    """The outlets of these PDUs in the inventory, in the order of their model."""
    if not pdus:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(OUTLETS, [list(pdus)])
        found = dict(cursor.fetchall())
    return {pdu: found.get(pdu, []) for pdu in pdus}


def outlet_key(name: str) -> str:
    """One word for an outlet, however inventory and PDU write it: `Outlet 12`, `outlet-12`, `12` and `012` are one."""
    apart = re.sub(r"(?<=\d)[\s_\-:.]+(?=\d)", ".", name.lower().replace("outlet", ""))
    return re.sub(r"\b0+(?=\d)", "", re.sub(r"[\s_\-:]|(?<!\d)\.|\.(?!\d)", "", apart)) or name
