"""Devices that stand where another is planned. Pure.

Machines, switches and chassis are taken as one each. A link of group A that ends where the plan has group B is a vote
that A stands at B's place. Where most links say so, A is followed to B, B to C and so on: a circle are devices in each
other's places, an open chain ends at a place where nobody else was seen. They are named by the place where they stand;
what is still wrong after that are cables.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise

from fabric.facts import DeviceRole
from fabric.reconcile.clean import Book, Net, adapter_of
from fabric.reconcile.naming import Ground, Naming, left_overs, look_again, spread, wrong_ends

LEAST_VOTES = 3
SHARE = 0.6
GAIN = 3  # cables right per device, at least
MOST_ROUNDS = 12


@dataclass(frozen=True, slots=True)
class Settings:
    least_votes: int = LEAST_VOTES
    share: float = SHARE
    gain: int = GAIN


@dataclass(slots=True)
class Votes:
    """`votes`: group -> group at whose place its links end. `links`: found links of these groups."""

    links: Counter[str] = field(default_factory=Counter)
    votes: dict[str, Counter[str]] = field(default_factory=dict)


def put_in_place(net: Net, book: Book, naming: Naming, settings: Settings = Settings()) -> None:
    """Name by place, again and again: each device put right may show the next. Switches go first, because machines are
    judged by the switches they hang on."""
    for _ in range(MOST_ROUNDS):
        found = paths(count(net, book, naming), book, naming, settings)
        switches = [path for path in found if not _is_machine(book, path[0])]
        machines = [path for path in found if _is_machine(book, path[0])]
        changed = [path for path in switches if _relabel(net, book, naming, path, settings)]
        if not changed:
            changed = [path for path in machines if _relabel(net, book, naming, path, settings)]
        if not changed:
            break
        _forget_wiring(net, book, naming)
        spread(net, book, naming)
        look_again(net, book, naming)
    left_overs(net, book, naming)


def _is_machine(book: Book, group: str) -> bool:
    return book.plan.devices[book.members[group][0]].role is DeviceRole.ADAPTER


def count(net: Net, book: Book, naming: Naming) -> Votes:
    votes = Votes()
    names, group = naming.names, book.group
    for guid, wrong in naming.all_wrong().items():
        name = names.get(guid, "")
        for number, far in wrong if name else ():
            other, planned = names.get(far.guid), book.far(name, number)
            if other is not None and planned is not None and planned != (other, far.port):
                votes.votes.setdefault(group[other], Counter())[group[planned.device]] += 1
    for each in votes.votes:
        held = [naming.holder[device] for device in book.members[each] if device in naming.holder]
        votes.links[each] = sum(len(net.ends[guid]) for guid in held)
    return votes


def paths(votes: Votes, book: Book, naming: Naming, settings: Settings) -> list[list[str]]:
    """Circles `[A, B, A]` and open chains `[A, B]`, each group in one of them; circles first."""
    leads: dict[str, str] = {}
    for group, found in votes.votes.items():
        target, number = max(found.items(), key=lambda item: (item[1], item[0]))
        if target != group and number >= max(settings.least_votes, settings.share * votes.links[group]):
            leads[group] = target
    circles: list[list[str]] = []
    chains: list[list[str]] = []
    done: set[str] = set()
    targets = set(leads.values())
    for start in sorted(leads, key=lambda group: (group in targets, group)):
        path = [start]
        while path[-1] in leads and path[-1] not in done and leads[path[-1]] not in path:
            path.append(leads[path[-1]])
        last = path[-1]
        if last in done:
            continue
        if last in leads:  # back onto itself
            circle = path[path.index(leads[last]) :]
            circles.append([*circle, circle[0]])
            done.update(circle)
        elif not naming.is_present(last):
            chains.append(path)
            done.update(path)
    return circles + chains


def _relabel(net: Net, book: Book, naming: Naming, path: list[str], settings: Settings) -> bool:
    """Name the groups of a path by their places, if that puts enough cables right."""
    moving = dict(pairwise(path))
    guids = {naming.holder[d]: d for group in moving for d in book.members[group] if d in naming.holder}
    before = sum(naming.right(guid) for guid in guids)
    meant = {guid: device for group in moving for guid, device in _targets(net, book, naming, group, moving[group])}
    names = {**naming.names, **dict.fromkeys(guids, ""), **meant}
    after = sum(len(net.ends[guid]) - len(wrong_ends(net, book, names, guid)) for guid in guids)
    if after - before < settings.gain * len(moving):
        return False
    for guid in guids:
        naming.take(guid)
    for guid, device in meant.items():
        naming.give(guid, device, Ground.EXCHANGED)
    return True


def _targets(net: Net, book: Book, naming: Naming, group: str, target: str) -> list[tuple[str, str]]:
    """Which device of the target's place each of a group's nodes is: as its links say, else by its adapter's name."""
    mine = [(naming.holder[device], device) for device in book.members[group] if device in naming.holder]
    free = set(book.members[target])
    found: list[tuple[str, str]] = []
    for guid, _ in mine:
        wishes: Counter[str] = Counter()
        for _, far in net.ends[guid]:
            name = naming.names.get(far.guid)
            planned = book.far(name, far.port) if name else None
            if planned is not None and planned.device in free:
                wishes[planned.device] += 1
        if wishes:
            best = max(wishes, key=lambda wish: (wishes[wish], wish))
            free.discard(best)
            found.append((guid, best))
    named = {guid for guid, _ in found}
    for guid, device in mine:
        if guid not in named:
            alike = next((other for other in sorted(free) if _alike(book, device, other)), None)
            if alike is not None:
                free.discard(alike)
                found.append((guid, alike))
    return found


def _alike(book: Book, device: str, other: str) -> bool:
    one, two = book.plan.devices[device], book.plan.devices[other]
    if one.rail is not None and two.rail is not None:
        return one.rail == two.rail
    mine, theirs = device.removeprefix(one.group), other.removeprefix(two.group)
    return mine == theirs or (bool(adapter_of(device)) and adapter_of(device) == adapter_of(other))


def _forget_wiring(net: Net, book: Book, naming: Naming) -> None:
    """Names given by neighbours that were named wrongly themselves are given again."""
    for guid in [guid for guid, ground in naming.grounds.items() if ground is Ground.WIRING]:
        if naming.right(guid) * 2 < len(net.ends[guid]):
            naming.take(guid)
