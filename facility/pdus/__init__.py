"""What the PDUs of each vendor tell by SNMP: which subtree, and how its tables are read. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from drivers.meters.oids import Oid, oid_of
from facility.facts import Measured
from facility.pdus import apc, eaton, raritan, sentry, vertiv
from facility.walks import Walk


class Vendor(NamedTuple):
    """A family of PDUs. `kinds` begin the object identifiers that its agents give as theirs (sysObjectID)."""

    name: str
    kinds: tuple[str, ...]
    trees: tuple[str, ...]
    read: Callable[[Walk], list[Measured]]


VENDORS = (
    Vendor("APC", ("1.3.6.1.4.1.318.1.3.4",), apc.TREES, apc.read),
    Vendor("Eaton", ("1.3.6.1.4.1.534.6.6.7",), eaton.TREES, eaton.read),
    Vendor("Raritan", ("1.3.6.1.4.1.13742.6",), raritan.TREES, raritan.read),
    Vendor("Server Technology", ("1.3.6.1.4.1.1718.4",), sentry.TREES, sentry.read),
    Vendor("Vertiv", ("1.3.6.1.4.1.21239",), vertiv.TREES, vertiv.read),
)


def vendor_of(object_id: Oid) -> Vendor | None:
    """Whose PDU an agent is, by what it says it is."""
    for vendor in VENDORS:
        for kind in vendor.kinds:
            known = oid_of(kind)
            if object_id[: len(known)] == known:
                return vendor
    return None
