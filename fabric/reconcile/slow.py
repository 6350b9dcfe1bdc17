"""Links that run slower or narrower than both of their ends could. Pure.

Where the tool tells what both ends could do, that counts, but no more than some link of this fabric reaches: ports may
announce 12x where no cable has more than four lanes. Where it does not, a link is slow beside the others between the
same kinds of devices, if nearly all of those run alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from fabric.facts import Seen, SeenLink
from fabric.formats.common import SPEEDS

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
    links = [link for link in links if link.width or link.speed]
    kinds = [kind(link) for link in links]
    alike = Counter(zip(kinds, [link.width for link in links], [link.speed for link in links], strict=True))
    widest = max((lanes(width) for _, width, _ in alike), default=0)
    fastest = max((rank(speed) for *_, speed in alike), default=0)
    usual = _usual(alike)
    states = seen.states
    judged: dict[tuple[object, ...], list[tuple[bool, str, str, bool]]] = {}
    found = []
    for link, its_kind in zip(links, kinds, strict=True):
        a, b = states.get(link.a), states.get(link.b)
        known = (link.width, link.speed, its_kind, a, b)  # few are different
        verdicts = judged.get(known)
        if verdicts is None:
            best = (
                a.best_width if a else "",
                b.best_width if b else "",
                a.best_speed if a else "",
                b.best_speed if b else "",
            )
            expected = usual.get(its_kind, ("", ""))
            verdicts = judged[known] = _judge(link.width, link.speed, best, expected, widest, fastest)
        if verdicts:
            found += [Slow(link, *verdict) for verdict in verdicts]
    return found


def _judge(
    runs_width: str,
    runs_speed: str,
    best: tuple[str, str, str, str],
    usual: tuple[str, str],
    widest: int,
    fastest: int,
) -> list[tuple[bool, str, str, bool]]:
    """For a link of these rates: what is narrow or slow about it, as the last four fields of Slow."""
    found = []
    best_width, best_speed = max(lanes(best[0]), lanes(best[1])), max(rank(best[2]), rank(best[3]))
    could_width = min(best_width, widest) if best_width else lanes(usual[0])
    could_speed = min(best_speed, fastest) if best_speed else rank(usual[1])
    if 0 < lanes(runs_width) < could_width:
        found.append((True, runs_width, f"{could_width}x", bool(best_width)))
    if 0 < rank(runs_speed) < could_speed:
        found.append((False, runs_speed, SPEEDS[could_speed - 1], bool(best_speed)))
    return found


def _usual(alike: Mapping[tuple[object, str, str], int]) -> dict[object, tuple[str, str]]:
    """What nearly all links of a kind run at. `alike`: how many there are by kind, width and speed."""
    rates: dict[object, Counter[tuple[str, str]]] = {}
    for (kind, width, speed), number in alike.items():
        rates.setdefault(kind, Counter())[width, speed] = number
    usual = {}
    for each, counted in rates.items():
        rate, number = counted.most_common(1)[0]
        if number >= LEAST_ALIKE and number >= NEARLY_ALL * counted.total():
            usual[each] = rate
    return usual
