"""Whether so much vanished at once that the source is to be doubted, and not the fabric."""

from __future__ import annotations

from collections import Counter, defaultdict

from django.db import connection

from fabric.discovery.models.seen import SeenNode
from fabric.discovery.models.sources import FabricSource
from fabric.discovery.services.seen_rows import OPEN_LINKS
from fabric.facts import Plan, Seen, SeenPort
from fabric.reconcile.areas import dark_areas
from fabric.reconcile.clean import book_of
from fabric.reconcile.guard import LARGEST_AREA

Ends = tuple[SeenPort, SeenPort]

LEAST_OF_A_TIER = 2  # a tier of one switch is a device that is off, not a tier that is gone


def vanished(source: FabricSource, seen: Seen, plan: Plan) -> str:
    """Why a look is not believed beside the last good one; empty when it is. Two statements.

    A link vanished when none of its ports has a link any more: what was moved did not vanish. The links of the one
    device, rack, row or feed that lost most are not counted, because one that has no power is an everyday event.
    """
    with connection.cursor() as cursor:
        cursor.execute(OPEN_LINKS, [source.pk])
        before = [(SeenPort(row[1], row[2]), SeenPort(row[3], row[4])) for row in cursor.fetchall()]
    if not before:
        return ""
    names = dict(
        SeenNode.objects.filter(source=source, during__endswith=None).exclude(name="").values_list("guid", "name")
    )
    tier = _lost_tier(names, seen, plan)
    if tier:
        return f"the whole tier {tier} is gone"
    lit = {end for link in seen.links for end in (link.a, link.b)}
    gone = [(a, b) for a, b in before if a not in lit and b not in lit]
    counted = len(gone) - _worst_of(before, gone, names, plan)
    share = counted / len(before)
    if share * 100 <= source.guard_percent:
        return ""
    return (
        f"{len(gone)} of {len(before)} links vanished since the last good discovery run, "
        f"more than {source.guard_percent} %: "
        "nothing is concluded from it"
    )


def _worst_of(before: list[Ends], gone: list[Ends], names: dict[str, str], plan: Plan) -> int:
    """How many of the links vanished at the one machine, switch or chassis that lost most, or in the one rack, row or
    feed that lost all its devices and is no large part of the fabric."""

    def groups(ends: Ends) -> set[str]:
        return {_group(end.guid, names, plan) for end in ends}

    had = Counter(group for ends in before for group in groups(ends))
    lost = Counter(group for ends in gone for group in groups(ends))
    worst = lost.most_common(1)[0][1] if lost else 0
    areas = dark_areas(book_of(plan), {group for group, number in lost.items() if number == had[group]})
    for area in areas:
        number = sum(not groups(ends).isdisjoint(area.groups) for ends in gone)
        if number <= LARGEST_AREA * len(before):
            worst = max(worst, number)
    return worst


def _group(guid: str, names: dict[str, str], plan: Plan) -> str:
    device = plan.devices.get(names.get(guid, ""))
    return device.group if device is not None else guid


def _lost_tier(names: dict[str, str], seen: Seen, plan: Plan) -> str:
    """A tier of switches of which there were some, and now is none."""
    members: dict[str, list[str]] = defaultdict(list)
    for guid, name in names.items():
        device = plan.devices.get(name)
        if device is not None and device.tier and device.role == "switch":
            members[device.tier].append(guid)
    for tier, guids in sorted(members.items()):
        if len(guids) >= LEAST_OF_A_TIER and not any(guid in seen.nodes for guid in guids):
            return tier
    return ""
