"""Adapters that are called by other numbers than planned. Pure.

After a new kernel, firmware or slot order the same adapter comes up under another number. By its report it then stands
in the place of its neighbour, on one machine or on all, and the cables look crossed. When the same pair is so on
several machines, or nothing of a machine is where its names say, it is the names: nobody crosses the same two cables
thirty times. An adapter whose GUID is on record is never renamed: its cable is judged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from fabric.facts import DeviceRole
from fabric.reconcile.clean import Book, Net, adapter_of
from fabric.reconcile.naming import Ground, Naming

LEAST_MACHINES = 3
LEAST_RAILS = 3  # of a machine all of whose rails are elsewhere

Pair = tuple[str, str]  # adapter as reported, adapter of the place where it stands


def put_right(net: Net, book: Book, naming: Naming) -> None:
    """Name adapters by their place where their numbers, and not their cables, are elsewhere."""
    wrong = {book.group[naming.names[guid]] for guid in naming.all_wrong() if guid in naming.names}
    moving = {
        group: found for group in book.members if group in wrong and (found := _elsewhere(net, book, naming, group))
    }
    often = Counter(_pair(*each) for found in moving.values() for each in found.items())
    for group, found in moving.items():
        held = sum(device in naming.holder for device in book.members[group])
        everything = len(found) == held >= LEAST_RAILS
        for path in _paths(naming, dict(found)):
            if everything or all(often[_pair(*each)] >= LEAST_MACHINES for each in path):
                _rename(naming, path)


def _rename(naming: Naming, path: list[Pair]) -> None:
    held = [(naming.holder[device], target) for device, target in path]
    for guid, _ in held:
        naming.take(guid)
    for guid, target in held:
        naming.give(guid, target, Ground.EXCHANGED)


def _elsewhere(net: Net, book: Book, naming: Naming, group: str) -> dict[str, str]:
    """Adapters of a machine whose cables all end where another adapter of it is planned, to that one."""
    found: dict[str, str] = {}
    if book.plan.devices[book.members[group][0]].role is not DeviceRole.ADAPTER:
        return found
    for device in book.members[group]:
        guid = naming.holder.get(device)
        if guid is None or naming.grounds[guid] is Ground.KNOWN or not naming.wrong(guid):
            continue
        meant = set()
        for number, far in net.ends[guid]:
            name = naming.names.get(far.guid)
            planned = book.far(name, far.port) if name else None
            meant.add(planned.device if planned is not None and planned.port == number else "")
        target = meant.pop() if len(meant) == 1 else ""
        if target and target != device and book.group[target] == group:
            found[device] = target
    return found


def _paths(naming: Naming, moving: dict[str, str]) -> Iterator[list[Pair]]:
    """Circles, and rows that end at an adapter nobody is. `moving` is used up."""
    targets = set(moving.values())
    for start in sorted(moving, key=lambda device: (device in targets, device)):
        path: list[Pair] = []
        device = start
        while device in moving:
            path.append((device, moving.pop(device)))
            device = path[-1][1]
        if path and (device == start or device not in naming.holder):
            yield path


def _pair(device: str, target: str) -> Pair:
    return adapter_of(device) or device, adapter_of(target) or target
