"""Whether a look at the fabric may be believed at all, before anything is concluded from it. Pure.

A source that breaks off, or a fabric half of which is without power, looks like thousands of missing cables. Then one
sentence is said and nothing else. A machine or a switch that is off takes up to 64 links with it, which is over the
share in a small fabric already and still an everyday event: the two that miss most links count as one link each. So
does a rack, a row or a feed all of which is dark, as long as it is no large part of the fabric.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from fabric.facts import Completeness, DeviceRole, Plan, PlannedCable, Seen
from fabric.reconcile.areas import DarkArea, dark_areas
from fabric.reconcile.clean import Book

LEAST_LINKS = 16
"""Fewer missing links than this are never held back."""
LARGEST_OFF = 2
LARGEST_AREA = 1 / 3
"""Of the planned links: a larger rack, row or feed is no everyday event."""
LEAST_OF_A_TIER = 2


def unusable(seen: Seen) -> str:
    """Why nothing can be concluded from what was read; empty when something can."""
    if seen.completeness is Completeness.EMPTY or not seen.nodes:
        return "no data: the source answered with nothing. That says nothing about the fabric."
    if seen.completeness is Completeness.TRUNCATED:
        first = f" ({seen.problems[0].text})" if seen.problems else ""
        return f"the output breaks off{first}: what it does not show may well be there"
    if not seen.links and not seen.doubtful:
        return "no data: not one link was seen"
    return ""


def vanished(
    book: Book, dark: Collection[PlannedCable], off: Mapping[str, Collection[PlannedCable]], share: float
) -> str:
    """Why so much missing is not believed; empty when it is. `dark`: planned links with neither port lit, for a port
    that leads elsewhere was seen; `off`: those of them by the device that is off."""
    if share >= 1:  # somebody, or an earlier look, vouches for it
        return ""
    for name, groups in tiers(book).items() if off else ():
        if groups <= off.keys() and len(groups) < len(book.members):
            return f"all {len(groups)} devices of the tier {name} are gone at once"
    planned = len(book.plan.cables)
    areas = dark_areas(book, off.keys())
    largest = sorted(_units(off, areas, LARGEST_AREA * planned), key=len, reverse=True)[:LARGEST_OFF]
    excused = {label for labels in largest for label in labels}
    counted = sum(cable.label not in excused for cable in dark) + len(largest)
    if counted < LEAST_LINKS or counted <= share * planned:
        return ""
    where = f"; {', '.join(area.title for area in areas)} without one device that was seen" if areas else ""
    return f"{len(dark)} of {planned} planned links are not seen, more than {share:.0%} at once{where}"


def _units(off: Mapping[str, Collection[PlannedCable]], areas: Sequence[DarkArea], most: float) -> list[set[str]]:
    """Labels of the missing cables by what went dark as one: an area of at most so many links, else a device."""
    wholes = [{cable.label for group in area.groups for cable in off[group]} for area in areas]
    wholes = [labels for labels in wholes if len(labels) <= most]
    covered = set().union(*wholes)
    devices = [{cable.label for cable in cables} for cables in off.values()]
    return [*wholes, *(labels for labels in devices if not labels <= covered)]


def tiers(book: Book) -> dict[str, set[str]]:
    """Groups of devices by tier: as the plan tells it, else switches by how far they are from the machines."""
    level: dict[str, str] = {}
    for device in book.plan.devices.values():
        if device.role is DeviceRole.ADAPTER:
            level[device.group] = "machines"
        elif device.tier:
            level[device.group] = device.tier
    number = 0
    while True:
        number += 1
        near = {
            group
            for cable in book.plan.cables
            for one, other in (cable.ends, cable.ends[::-1])
            if (group := book.group[one.device]) not in level and book.group[other.device] in level
        }
        if not near:
            break
        level.update(dict.fromkeys(near, f"{number} above the machines"))
    groups: dict[str, set[str]] = {}
    for group, name in level.items():
        groups.setdefault(name, set()).add(group)
    return {name: members for name, members in groups.items() if len(members) >= LEAST_OF_A_TIER}


def plan_is_usable(plan: Plan) -> str:
    return "" if plan.cables else "the plan has no cables"
