"""A few faults of cabling for a demo: what a hall has after a week of work in it. The same for the same seed."""

from __future__ import annotations

import random

from simulator.fabric.plan import End, NodePlan
from simulator.fabric.wiring import Wiring

HOT_C = 26.0
SYMBOLS_PER_HOUR = 20000.0


def begin_with_faults(wiring: Wiring, seed: int, now: float) -> list[str]:
    """Two cables swapped on a leaf, a cycle of three, one pulled, one narrow link, one bad and hot one; in words.

    Nothing is done where the fabric has been changed before, or is too small.
    """
    leaves = [node for node in wiring.plan.of_layer("infiniband") if node.kind == "switch" and node.tier == "leaf"]
    picked = random.Random(seed).sample(leaves, min(5, len(leaves)))
    if wiring.changes.revision or len(picked) < 5:
        return []
    done = []
    swapped, cycled, pulled, narrow, bad = (_machine_ports(wiring, leaf) for leaf in picked)
    if len(swapped) >= 2:
        wiring.swap(swapped[0], swapped[1], now)
        done.append(f"two cables swapped on {picked[0].name}")
    if len(cycled) >= 3:
        wiring.swap(cycled[0], cycled[1], now)
        wiring.swap(cycled[1], cycled[2], now)
        done.append(f"three cables in a circle on {picked[1].name}")
    if pulled:
        wiring.unplug(pulled[-1], now)
        done.append(f"a cable pulled at {picked[2].name}")
    if narrow:
        wiring.trouble(narrow[0], now, width="1x")
        done.append(f"a narrow link at {picked[3].name}")
    if bad:
        wiring.trouble(bad[0], now, warmer_c=HOT_C, errors_per_hour={"SymbolErrorCounter": SYMBOLS_PER_HOUR})
        done.append(f"a bad, hot optic at {picked[4].name}")
    return done


def _machine_ports(wiring: Wiring, leaf: NodePlan) -> list[End]:
    """Ports of a leaf that lead to machines."""
    far = ((port.end, port.far) for port in wiring.ports(leaf) if port.up and port.far is not None)
    return [end for end, other in far if wiring.plan.by_guid[other.guid].kind == "ca"]
