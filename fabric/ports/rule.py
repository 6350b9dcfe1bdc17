"""Whether a link may be taken out of use: what must remain of a switch's paths, and how many ports may be out. Pure.

The paths of a switch are its links to other switches, in groups by the tier at their far end: traffic upwards has no
use for a link downwards. A site's floor is the share of each group's planned links that has to remain.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from math import ceil


@dataclass(frozen=True, slots=True)
class PathLink:
    """A link with the switches at its ends. `a_to` is the tier that `a` reaches by it; empty: that end is no switch.
    `usable`: it carries traffic as far as is known; what is not known is not usable. A cable that nobody planned
    may carry traffic, and is not `planned`."""

    key: str
    a: str
    b: str
    a_to: str
    b_to: str
    usable: bool
    planned: bool = True


@dataclass(frozen=True, slots=True)
class Shortage:
    """A group of paths that would fall below the floor: of `planned` links `needed` have to remain, `left` would."""

    switch: str
    to: str
    planned: int
    needed: int
    left: int

    def __str__(self) -> str:
        far = "other" if self.to == "switch" else self.to
        return f"{self.switch} would keep {self.left} of {self.planned} links to {far} switches, {self.needed} needed"


def needed(planned: int, floor: float) -> int:
    """Links of a group that have to remain: the floor's share, rounded up, and never less than one."""
    return max(1, ceil(floor * planned - 1e-9))


def shortages(
    links: Iterable[PathLink], *, taken: Collection[str], wanted: Collection[str], floor: float
) -> list[Shortage]:
    """The groups that would be short if the links `wanted` went out of use beside those `taken` already.

    Only groups that lose something count: a link that carries nothing may always go, and so may one to where no link
    was planned. `links` are all links of the
    switches at the ends of the wanted ones; raises ValueError for a wanted link that is not among them.
    """
    groups: dict[tuple[str, str], list[PathLink]] = defaultdict(list)
    known = set()
    for link in links:
        known.add(link.key)
        for switch, to in ((link.a, link.a_to), (link.b, link.b_to)):
            if to:
                groups[switch, to].append(link)
    if missing := set(wanted) - known:
        raise ValueError(f"links that are not known: {', '.join(sorted(missing))}")
    gone = {*taken, *wanted}
    found = []
    for (switch, to), members in sorted(groups.items()):
        loses = any(link.usable and link.key in wanted and link.key not in taken for link in members)
        left = sum(link.usable and link.key not in gone for link in members)
        planned = sum(link.planned for link in members)
        need = needed(planned, floor)
        if planned and loses and left < need:
            found.append(Shortage(switch, to, planned, need, left))
    return found


def room_in_budget(most: int, out: int) -> int:
    """Links that the policy may still take out by itself."""
    return max(0, most - out)
