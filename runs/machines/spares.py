"""Which spare machines stand nearest to those that leave a run: the same leaf, then the pod, then anywhere. Pure.

A collective crosses as few switches as before where the replacement hangs at the same leaves; within a pod it crosses
one tier more. Among equally near ones the golden set goes first: those are known to be as fast as the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

ORDER = ("leaf", "pod", "anywhere")
NOWHERE: Mapping[int, str] = {}


class Standing(NamedTuple):
    """Where a machine hangs in the fabric. What is not known is near nobody."""

    machine: int
    name: str
    leaves: Mapping[int, str] = NOWHERE
    """Rail to the leaf at its far end, where that is known."""
    spines: frozenset[str] = frozenset()
    """Above these leaves: leaves that share one are of one pod."""
    golden: bool = False
    idle: bool = True
    """The scheduler says that nothing runs there."""
    model: str = ""

    @property
    def leaf(self) -> str:
        """Of the first rail that is known: machines behind the same one share those of all rails."""
        return next((self.leaves[rail] for rail in sorted(self.leaves)), "")


class Spare(NamedTuple):
    standing: Standing
    where: str
    """`leaf`, `pod` or `anywhere`."""


def above(leaves: Iterable[str], spines: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """The spines above these leaves."""
    return frozenset().union(*(spines.get(leaf, frozenset()) for leaf in leaves))


def where(gone: Standing, spare: Standing) -> str:
    """`leaf` where most rails end at the same leaves, `pod` where leaves of both share a spine."""
    shared = sum(spare.leaves.get(rail) == leaf for rail, leaf in gone.leaves.items())
    if 2 * shared > len(gone.leaves):
        return "leaf"
    return "pod" if gone.spines & spare.spines else "anywhere"


def nearest(gone: Standing, spares: Iterable[Standing]) -> list[Spare]:
    """The spares of its model, the best first; the machine itself is none."""
    found = [
        Spare(spare, where(gone, spare))
        for spare in spares
        if spare.machine != gone.machine and spare.model == gone.model
    ]
    return sorted(found, key=lambda one: (
        ORDER.index(one.where), not one.standing.golden, not one.standing.idle, one.standing.name,
    ))  # fmt: skip


def assigned(gone: Sequence[Standing], spares: Iterable[Standing]) -> list[Spare | None]:
    """A spare for each machine, none twice: first for all that have one at the leaf, then in the pod, then anywhere."""
    several = list(spares)
    ranked = [nearest(one, several) for one in gone]
    found: list[Spare | None] = [None] * len(gone)
    used: set[int] = set()
    for distance in ORDER:
        for at, best in enumerate(ranked):
            if found[at] is None:
                free = (one for one in best if one.where == distance and one.standing.machine not in used)
                if (one := next(free, None)) is not None:
                    found[at] = one
                    used.add(one.standing.machine)
    return found


def shortage(gone: Standing, found: Sequence[Spare]) -> str:
    """What is missing nearby, in words; empty where a spare hangs at the same leaf."""
    if not found:
        return "No spare in service is free."
    if found[0].where == "leaf":
        return ""
    if not gone.leaf:
        return f"It is not known at which leaf {gone.name} hangs."
    if found[0].where == "pod":
        return f"No spare at {gone.leaf}: the nearest is in the same pod."
    return f"No spare at {gone.leaf} nor in its pod."
