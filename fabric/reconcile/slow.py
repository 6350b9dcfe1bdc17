"""Links that run slower or narrower than both of their ends could. Pure.

Where the tool tells what both ends could do, that counts, but no more than some link of this fabric reaches: ports may
announce 12x where no cable has more than four lanes. Where it does not, a link is slow beside the others between the
same kinds of devices, if nearly all of those run alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple

from fabric.facts import Seen, SeenLink
from fabric.formats.reading import SPEEDS

NEARLY_ALL = 0.8
LEAST_ALIKE = 4


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
    links = list(links)
    widest = max((lanes(link.width) for link in links), default=0)
    fastest = max((rank(link.speed) for link in links), default=0)
    usual = _usual(links, kind)
    found = []
    for link in links:
        width, speed = lanes(link.width), rank(link.speed)
        best_width, best_speed = _told(seen, link)
        expected = usual.get(kind(link), (0, 0))
        could_width = min(best_width, widest) if best_width else expected[0]
        could_speed = min(best_speed, fastest) if best_speed else expected[1]
        if width and width < could_width:
            found.append(Slow(link, True, link.width, f"{could_width}x", bool(best_width)))
        if speed and speed < could_speed:
            found.append(Slow(link, False, link.speed, SPEEDS[could_speed - 1], bool(best_speed)))
    return found


def _told(seen: Seen, link: SeenLink) -> tuple[int, int]:
    states = [state for end in (link.a, link.b) if (state := seen.states.get(end)) is not None]
    widths = [lanes(state.best_width) for state in states]
    speeds = [rank(state.best_speed) for state in states]
    return max(widths, default=0), max(speeds, default=0)


def _usual(links: Iterable[SeenLink], kind: Callable[[SeenLink], object]) -> dict[object, tuple[int, int]]:
    """What nearly all links of a kind run at."""
    rates: dict[object, Counter[tuple[int, int]]] = {}
    for link in links:
        rates.setdefault(kind(link), Counter())[lanes(link.width), rank(link.speed)] += 1
    usual = {}
    for each, counted in rates.items():
        rate, number = counted.most_common(1)[0]
        if number >= LEAST_ALIKE and number >= NEARLY_ALL * counted.total():
            usual[each] = rate
    return usual
