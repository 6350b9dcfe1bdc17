"""Names that switches should have, as the wiring shows, with how many of their neighbours say so. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from fabric.facts import NodeKind, Plan, PlannedPort, Seen
from fabric.reconcile.clean import forms_of, is_factory

LEAST_MARGIN = 3
LEAST_SHARE = 0.6


class Proposed(NamedTuple):
    """`agreeing` of `asked` links to named neighbours lead where the plan has a link of `name`; `margin` are the votes
    (two where the port is right as well, else one) before the next best name."""

    guid: str
    reported: str
    name: str
    agreeing: int
    asked: int
    margin: int
    second: str

    @property
    def certain(self) -> bool:
        """Enough to be written once a person said yes; below it that person has to say so twice."""
        return self.margin >= LEAST_MARGIN and self.agreeing >= LEAST_SHARE * self.asked

    @property
    def factory(self) -> bool:
        return is_factory(self.reported)


def propose(plan: Plan, seen: Seen, names: Mapping[str, str]) -> Iterator[Proposed]:
    """Every named switch, also those that report their name already (`reports` tells)."""
    far: dict[PlannedPort, PlannedPort] = {}
    for cable in plan.cables:
        far[cable.a], far[cable.b] = cable.b, cable.a
    votes: dict[str, Counter[str]] = {}
    agreeing: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    switches = {guid for guid, node in seen.nodes.items() if node.kind is NodeKind.SWITCH and guid in names}
    for near, other in seen.far_ends():
        voter = names.get(other.guid)
        if near.guid not in switches or voter is None:
            continue
        asked[near.guid] += 1
        meant = far.get(PlannedPort(voter, other.port))
        if meant is not None:
            votes.setdefault(near.guid, Counter())[meant.device] += 2 if meant.port == near.port else 1
            agreeing[near.guid] += meant.device == names[near.guid]
    for guid in sorted(switches):
        name, tally = names[guid], votes.get(guid, Counter())
        second = max(((count, other) for other, count in tally.items() if other != name), default=(0, ""))
        yield Proposed(
            guid, seen.nodes[guid].description, name, agreeing[guid], asked[guid], tally[name] - second[0], second[1]
        )


def reports(proposed: Proposed) -> bool:
    """Whether the switch says that name itself."""
    return not set(forms_of(proposed.name)).isdisjoint(forms_of(proposed.reported))
