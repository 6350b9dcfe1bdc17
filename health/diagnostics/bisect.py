"""Which of many machines or links are bad, by tests over groups. Pure: the next round follows from the tests so far.

A test of a group fails when one of it is bad. All groups of a round are disjoint, so they run at the same time. Round 1
tests groups that lie behind one switch as far as possible; what failed is halved, the last ones are paired with ones
known to be good, and who fails with two different partners is bad. From round 2 on good machines behind different
switches are paired as well: a switch whose ways out are bad fails those and no test inside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import ceil, log2

PASS, FAIL, UNKNOWN = "pass", "fail", "unknown"
MEMBERS, PLACES = "members", "places"
LARGEST_GROUP = 8
LEAST_BEHIND_A_BAD_SWITCH = 3


@dataclass(frozen=True)
class Group:
    """A test to run. `about` are those it is to tell of, `partners` are known to be good.

    At the level of places `about` and `partners` are switches, and `runs_on` one good machine behind each of them.
    """

    level: str
    about: tuple[str, ...]
    partners: tuple[str, ...] = ()
    runs_on: tuple[str, ...] = ()


@dataclass(frozen=True)
class Trial:
    """A test that was run: pass, fail, or unknown when it gave no result."""

    group: Group
    round: int
    verdict: str


@dataclass(frozen=True)
class Conclusion:
    """What the tests say. `switches` are bad with those behind them; `undecided` with the reason."""

    bad: tuple[str, ...]
    switches: Mapping[str, tuple[str, ...]]
    good: tuple[str, ...]
    undecided: Mapping[str, str]


def most_rounds(count: int) -> int:
    """2 + log2 of how many there are."""
    return 2 + ceil(log2(max(2, count)))


def first_size(count: int) -> int:
    """How many are tested together in round 1: so few that halving, a second look and a retry fit into the rounds."""
    size = 2
    while size * 2 <= min(LARGEST_GROUP, count // 8):
        size *= 2
    return size


def next_round(places: Mapping[str, str], tests: Sequence[Trial], *, rounds: int | None = None) -> tuple[Group, ...]:
    """The groups to test now; none when it is over. `places` is the switch of each one, empty where not known.

    `rounds` is how many there may be, 2 + log2(count) unless told. The same history gives the same answer.
    """
    done = max((each.round for each in tests), default=0)
    if len(places) < 2 or done >= (most_rounds(len(places)) if rounds is None else rounds):
        return ()
    members = _Level(_in_order(places), MEMBERS, tests)
    free = [name for name in members.names if name in members.good]
    groups: list[Group] = []
    for about in members.wanted(first_size(len(places)), places):
        if len(about) > 1:
            groups.append(Group(MEMBERS, about, (), about))
        elif (partner := members.partner(about[0], free, places)) is not None:
            free.remove(partner)
            groups.append(Group(MEMBERS, about, (partner,), (*about, partner)))
    if not groups and not members.good:
        groups = [Group(MEMBERS, pair, (), pair) for pair in members.paired_anew(done)]
    return (*groups, *_across(places, tests, free))


def _across(places: Mapping[str, str], tests: Sequence[Trial], free: list[str]) -> list[Group]:
    """Tests between switches, by good machines that this round does not use."""
    behind: dict[str, list[str]] = {}
    for name in free:
        if places[name]:
            behind.setdefault(places[name], []).append(name)
    names = sorted({place for place in places.values() if place} & _reached(places, tests, behind))
    if len(names) < 2:
        return []
    level = _Level(tuple(names), PLACES, tests)
    ready = [name for name in names if behind.get(name)]
    groups = []
    for about in level.wanted(2, dict.fromkeys(names, "")):
        mates = [name for name in ready if name in level.good and name not in about]
        partner = level.partner(about[0], mates, {}) if len(about) == 1 else None
        whole = (*about, partner) if partner else about
        if len(whole) < 2 or not all(behind.get(name) for name in whole):
            continue
        runs_on = tuple(behind[name].pop(0) for name in whole)
        ready = [name for name in ready if behind.get(name)]
        groups.append(Group(PLACES, about, (partner,) if partner else (), runs_on))
    return groups


def _reached(places: Mapping[str, str], tests: Sequence[Trial], behind: Mapping[str, list[str]]) -> set[str]:
    """Switches with a good machine behind them now, and those that were tested before."""
    return set(behind) | {name for each in tests if each.group.level == PLACES for name in each.group.about}


def conclude(places: Mapping[str, str], tests: Sequence[Trial]) -> Conclusion:
    """Who is bad. Whoever was not cleared and not convicted is undecided, never good."""
    members = _Level(_in_order(places), MEMBERS, tests)
    crossings = _Level(tuple(sorted({place for place in places.values() if place})), PLACES, tests)
    behind: dict[str, list[str]] = {}
    for name in members.names:
        behind.setdefault(places[name], []).append(name)
    switches = {
        place: tuple(names)
        for place, names in behind.items()
        if place and len(names) >= LEAST_BEHIND_A_BAD_SWITCH and set(names) <= members.bad
    }
    switches |= {place: tuple(behind[place]) for place in sorted(crossings.bad)}
    explained = {name for names in switches.values() for name in names}
    undecided = {name: members.reason(name) for name in members.names if name in members.open | members.unsteady}
    undecided |= {
        place: crossings.reason(place) for place in crossings.open | crossings.unsteady if crossings.of(place)
    }
    return Conclusion(
        bad=tuple(name for name in members.names if name in members.bad and name not in explained),
        switches=switches,
        good=tuple(name for name in members.names if name in members.good),
        undecided=undecided,
    )


def _in_order(places: Mapping[str, str]) -> tuple[str, ...]:
    """Those behind one switch stand together."""
    return tuple(sorted(places, key=lambda name: (places[name], name)))


@dataclass
class _Level:
    """What the tests of one level say: of machines (or links), or of the switches between them."""

    names: tuple[str, ...]
    level: str
    history: Sequence[Trial]
    good: set[str] = field(default_factory=set)
    bad: set[str] = field(default_factory=set)
    unsteady: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.tests = [each for each in self.history if each.group.level == self.level]
        for each in self.tests:
            if each.verdict == PASS:
                self.good |= set(each.group.about)
        for name in self.names:
            alone = [each.verdict for each in self.of(name) if each.group.about == (name,)]
            if alone.count(FAIL) >= 2 and PASS not in alone:
                self.bad.add(name)
            elif FAIL in alone and PASS in alone:
                self.unsteady.add(name)
        self.good -= self.unsteady | self.bad
        self.good &= set(self.names)

    @property
    def open(self) -> set[str]:
        return set(self.names) - self.good - self.bad - self.unsteady

    def of(self, name: str) -> list[Trial]:
        """The tests that were to tell of one, in order."""
        return [each for each in self.tests if name in each.group.about]

    def reason(self, name: str) -> str:
        tests = self.of(name)
        if name in self.unsteady:
            return "it failed and passed, each with a partner known to be good"
        if not tests:
            return "it was not tested"
        if tests[-1].verdict == UNKNOWN:
            return "its tests gave no result"
        if len(tests[-1].group.about) > 1:
            others = ", ".join(other for other in tests[-1].group.about if other != name)
            return f"it failed together with {others}, and no partner known to be good was left"
        return "it failed once, and there was no second run"

    def wanted(self, size: int, places: Mapping[str, str]) -> list[tuple[str, ...]]:
        """What to test next, each group without partners: all in groups at first, then halves of what failed."""
        fresh = [name for name in self.names if name in self.open and not self.of(name)]
        groups: list[tuple[str, ...]] = [(name,) for name in fresh] if self.tests else _pieces(fresh, size, places)
        last: dict[tuple[str, ...], Trial] = {}
        for name in self.names:
            if name in self.open and (tests := self.of(name)):
                last[tests[-1].group.about] = tests[-1]
        for about, test in last.items():
            # One that was tested anew meanwhile (paired with another) is no longer of this group: it has its own.
            left = tuple(name for name in about if name in self.open and self.of(name)[-1].group.about == about)
            if test.verdict == UNKNOWN and self._silent(about) < 2:
                groups.append(left)
            elif len(left) > 1:
                middle = len(left) // 2
                groups += [left[:middle], left[middle:]]
            elif test.verdict == FAIL or self._silent(about) < 2:
                groups.append(left)
        return groups

    def _silent(self, about: tuple[str, ...]) -> int:
        """How often the same group gave no result."""
        return sum(each.group.about == about and each.verdict == UNKNOWN for each in self.tests)

    def partner(self, name: str, free: Iterable[str], places: Mapping[str, str]) -> str | None:
        """One known to be good that it was not tested with yet, behind the same switch if there is one."""
        before = {partner for each in self.of(name) for partner in each.group.partners}
        found = [mate for mate in free if mate not in before and mate != name]
        return min(found, key=lambda mate: places.get(mate) != places.get(name), default=None)

    def paired_anew(self, shift: int) -> list[tuple[str, ...]]:
        """Nobody is known to be good: pairs of others than before, in the hope of one that passes."""
        left = [name for name in self.names if name in self.open]
        before = {frozenset(each.group.about) for each in self.tests}
        pairs: list[tuple[str, ...]] = []
        while len(left) > 1:
            one = left.pop(0)
            order = left[shift % len(left) :] + left[: shift % len(left)]
            other = next((name for name in order if frozenset((one, name)) not in before), None)
            if other is not None:
                left.remove(other)
                pairs.append((one, other))
        return pairs


def _pieces(names: Sequence[str], size: int, places: Mapping[str, str]) -> list[tuple[str, ...]]:
    """Groups of about `size` behind one switch each; those that would be alone go with a neighbour."""
    groups: list[tuple[str, ...]] = []
    by_place: dict[str, list[str]] = {}
    for name in names:
        by_place.setdefault(places.get(name, ""), []).append(name)
    lonely: list[str] = []
    for same in by_place.values():
        if len(same) == 1:
            lonely += same
            continue
        count = max(1, len(same) // size)
        cuts = [len(same) * number // count for number in range(count + 1)]
        groups += [tuple(same[low:high]) for low, high in pairwise(cuts)]
    groups += [tuple(lonely[at : at + 2]) for at in range(0, len(lonely) - 1, 2)]
    if len(lonely) % 2 and groups:
        groups[-1] = (*groups[-1], lonely[-1])
    return groups
