"""Links that run slower or narrower than both of their ends could. Pure.

Where the tool tells what both ends could do, that counts, but no more than some link of this fabric reaches: ports may
announce 12x where no cable has more than four lanes. Where it does not, a link is slow beside the others between the
same kinds of devices, if nearly all of those run alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple

from fabric.facts import Seen, SeenLink, SeenState
from fabric.formats.common import SPEEDS

NEARLY_ALL = 0.8
LEAST_ALIKE = 4
_SAYS_NOTHING = SeenState("", "")


class Slow(NamedTuple):
    """`could` is the width or speed to expect, `told` whether the ends tell so or the neighbours only."""

    link: SeenLink
    narrow: bool
    runs: str
    could: str
    told: bool


def lanes(width: str) -> int:
    """`4x` -> 4; 0 where it is not told."""
    digits = width.rstrip("xX")
    return int(digits) if digits.isdigit() else 0


def rank(speed: str) -> int:
    """Place among the speeds, 0 where it is not told or not known."""
    return SPEEDS.index(speed) + 1 if speed in SPEEDS else 0


def slow_links(seen: Seen, links: Iterable[SeenLink], kind: Callable[[SeenLink], object]) -> list[Slow]:
    """All of `links` that could do better. `kind` says which links are compared with each other."""
    links = [link for link in links if link.width or link.speed]
    rates = set(map(itemgetter(2, 3), links))
    widest = max((lanes(width) for width, _ in rates), default=0)
    fastest = max((rank(speed) for _, speed in rates), default=0)
    best = {(width, speed) for width, speed in rates if lanes(width) == widest and rank(speed) == fastest}
    usual = _Usual(links, kind)
    states = seen.states
    found = []
    for link in links if len(best) < len(rates) else ():
        width, speed = link.width, link.speed
        if (width, speed) not in best:  # nearly all are among the best, and nothing better is expected of any
            ends = states.get(link.a, _SAYS_NOTHING), states.get(link.b, _SAYS_NOTHING)
            found += [Slow(link, *verdict) for verdict in _judge(link, ends, usual, widest, fastest)]
    return found


def _judge(
    link: SeenLink, ends: tuple[SeenState, SeenState], usual: _Usual, widest: int, fastest: int
) -> Iterator[tuple[bool, str, str, bool]]:
    """What is narrow or slow about a link, as the last four fields of Slow."""
    best_width, best_speed = (
        max(lanes(end.best_width) for end in ends),
        max(rank(end.best_speed) for end in ends),
    )
    could_width = min(best_width, widest) if best_width else lanes(usual.of(link)[0])
    could_speed = min(best_speed, fastest) if best_speed else rank(usual.of(link)[1])
    if 0 < lanes(link.width) < could_width:
        yield True, link.width, f"{could_width}x", bool(best_width)
    if 0 < rank(link.speed) < could_speed:
        yield False, link.speed, SPEEDS[could_speed - 1], bool(best_speed)


class _Usual:
    """What nearly all links of a kind run at: counted when it is asked for, for most tools tell what ends could do."""

    def __init__(self, links: Sequence[SeenLink], kind: Callable[[SeenLink], object]) -> None:
        self.links, self.kind = links, kind
        self.rates: dict[object, tuple[str, str]] | None = None

    def of(self, link: SeenLink) -> tuple[str, str]:
        """Width and speed of the links like this; empty where they run at different ones."""
        if self.rates is None:
            self.rates = self._counted()
        return self.rates.get(self.kind(link), ("", ""))

    def _counted(self) -> dict[object, tuple[str, str]]:
        rates: dict[object, Counter[tuple[str, str]]] = {}
        for link in self.links:
            rates.setdefault(self.kind(link), Counter())[link.width, link.speed] += 1
        usual = {}
        for kind, counted in rates.items():
            rate, number = counted.most_common(1)[0]
            if number >= LEAST_ALIKE and number >= NEARLY_ALL * counted.total():
                usual[kind] = rate
        return usual
