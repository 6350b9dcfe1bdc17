"""What the PDUs of each vendor tell by SNMP: which columns of which tables, and what they mean. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from drivers.meters.oids import Oid, oid_of
from facility.facts import Measured, Part
from facility.pdus import apc, eaton, raritan, sentry, vertiv
from facility.walks import Units, Walk, Wanted


class Vendor(NamedTuple):
    """A family of PDUs. `kinds` begin the object identifiers that its agents give as theirs (sysObjectID)."""

    name: str
    kinds: tuple[str, ...]
    read: Callable[[Walk], Units]

    @property
    def tables(self) -> dict[str, list[int]]:
        """Object identifier of the rows of each table to the columns that `read` looks at. Whole tables of a PDU are
        thousands of rows, most of which nobody needs.
        """
        wanted = Wanted()
        self.read(wanted)
        return {entry: sorted(columns) for entry, columns in wanted.columns.items()}

    def pdus(self, walk: Walk) -> dict[int, list[Measured]]:
        """What each PDU of the chain measures, by its number in it. A PDU is what has an inlet; rows of another number
        are those of the only one, and of none where there are several."""
        units = {number: values for number, values in self.read(walk).items() if values}
        chain = {number: values for number, values in units.items() if any(each.part is Part.INLET for each in values)}
        if len(chain) == 1:
            return {number: [each for values in units.values() for each in values] for number in chain}
        return chain or units


VENDORS = (
    Vendor("APC", ("1.3.6.1.4.1.318.1.3.4",), apc.read),
    Vendor("Eaton", ("1.3.6.1.4.1.534.6.6.7",), eaton.read),
    Vendor("Raritan", ("1.3.6.1.4.1.13742.6",), raritan.read),
    Vendor("Server Technology", ("1.3.6.1.4.1.1718.4",), sentry.read),
    Vendor("Vertiv", ("1.3.6.1.4.1.21239",), vertiv.read),
)


def vendor_of(object_id: Oid) -> Vendor | None:
    """Whose PDU an agent is, by what it says it is."""
    for vendor in VENDORS:
        for kind in vendor.kinds:
            known = oid_of(kind)
            if object_id[: len(known)] == known:
                return vendor
    return None
