"""Which ports a cable may join. Pure."""

from __future__ import annotations

from collections.abc import Iterable

PANEL = {"front", "rear"}
POWER = {"power_in", "power_outlet"}
# Kinds of active ports that go together, each pair in both directions.
PAIRS = {
    frozenset({"infiniband"}),
    frozenset({"ethernet"}),
    frozenset({"ethernet", "bmc"}),
    frozenset({"ethernet", "console"}),
    frozenset({"console"}),
    frozenset(POWER),
}


def misfit(a: Iterable[str], b: Iterable[str]) -> str:
    """Why ports of these kinds cannot be joined, empty when they can.

    Power goes from an outlet to an inlet, InfiniBand to InfiniBand, a BMC to a switch. A patch panel takes everything
    but power: what it is for stands behind it.
    """
    for one in sorted(set(a)):
        for other in sorted(set(b)):
            kinds = {one, other}
            if kinds & PANEL:
                if kinds & POWER:
                    return f"a cable cannot join {one} and {other}"
            elif frozenset(kinds) not in PAIRS:
                return f"a cable cannot join {one} and {other}"
    return ""
