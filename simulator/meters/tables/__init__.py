"""The tables of rack PDUs, after the public MIBs of their makers: object identifiers and units are theirs.

An outlet goes by its number as it is printed on the PDU, from 1 in the order of the plan; each maker writes it its own
way: `12`, `AA12`, `A12`, `Outlet 12`.
"""

from __future__ import annotations

from collections.abc import Callable

from simulator.heat.answers import PduNow
from simulator.meters.tables import apc, eaton, raritan, sentry, vertiv
from simulator.meters.tables.rows import Rows

MAKERS: dict[str, Callable[[PduNow], Rows]] = {
    "apc": apc.rows,
    "raritan": raritan.rows,
    "sentry": sentry.rows,
    "eaton": eaton.rows,
    "vertiv": vertiv.rows,
}

__all__ = ["MAKERS", "Rows"]
