"""How the devices of a site are named, and what their places say they should be called. A fixed number of queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.db import connection

from inventory.models import NamingRule
from inventory.naming import CannotName, Pattern, PatternError, Place, Places
from inventory.site_places import places_of

DEVICES = """
SELECT device.id, device.name, device.kind, coalesce(switch.tier, ''), coalesce(feed.side, ''),
    room.name, coalesce(line.name, ''), rack.name, lower(placement.half_units), placement.side_slot,
    device.parent_id IS NOT NULL
FROM inventory_device device
LEFT JOIN inventory_switch switch ON switch.device_id = device.id
LEFT JOIN inventory_pdu pdu ON pdu.device_id = device.id
LEFT JOIN inventory_powerfeed feed ON feed.id = pdu.feed_id
LEFT JOIN inventory_placement placement ON placement.device_id = device.id
LEFT JOIN inventory_rack rack ON rack.id = placement.rack_id
LEFT JOIN inventory_room room ON room.id = rack.room_id
LEFT JOIN inventory_row line ON line.id = rack.row_id
WHERE device.site_id = %s AND device.status <> 'retired'
ORDER BY room.name, rack.name, lower(placement.half_units), placement.side_slot, device.name
"""


class Standing(NamedTuple):
    """A device and where it is."""

    id: int
    name: str
    kind: str
    tier: str
    feed: str
    room: str | None
    row: str
    rack: str | None
    low: int | None
    side: str | None
    in_bay: bool


class Proposal(NamedTuple):
    """A device and the name its place gives it; `why` instead, where it gives none."""

    device: Standing
    rule: NamingRule | None
    proposed: str
    why: str


@dataclass
class SiteNames:
    proposals: list[Proposal] = field(default_factory=list)
    broken: dict[int, str] = field(default_factory=dict)  # rule -> why its pattern is no good
    patterns: dict[int, Pattern] = field(default_factory=dict)
    places: Places = field(default_factory=lambda: Places(()))
    rules: list[NamingRule] = field(default_factory=list)

    @property
    def changes(self) -> list[Proposal]:
        """Devices that are not called what their place says."""
        return [each for each in self.proposals if each.proposed and each.proposed != each.device.name]

    def collisions(self, renamed: Iterable[int] | None = None) -> dict[str, list[Standing]]:
        """Names that several devices would have, when these (None: all) are renamed and the others keep theirs."""
        only = None if renamed is None else set(renamed)
        wearing: dict[str, list[Standing]] = defaultdict(list)
        for device, _, proposed, _ in self.proposals:
            takes = proposed if proposed and (only is None or device.id in only) else device.name
            wearing[takes].append(device)
        return {name: devices for name, devices in wearing.items() if len(devices) > 1}


def site_names(site_id: int) -> SiteNames:
    """Every device of a site with its proposed name. Four queries."""
    names = SiteNames(rules=list(NamingRule.objects.filter(site_id=site_id).order_by("kind", "tier")))
    names.places = places_of([site_id])[site_id]
    for rule in names.rules:
        try:
            pattern = Pattern(rule.pattern)
            names.places.check(pattern, rule.tier)
        except PatternError as error:  # it was good when it was saved, but racks came since
            names.broken[rule.pk] = str(error)
        else:
            names.patterns[rule.pk] = pattern
    by_key = {(rule.kind, rule.tier): rule for rule in names.rules}
    counted: dict[tuple[Any, ...], int] = defaultdict(int)
    for device in (Standing(*row) for row in _select(DEVICES, site_id)):
        governing = by_key.get((device.kind, device.tier)) or by_key.get((device.kind, ""))
        key = (governing.pk if governing else 0, device.room, device.rack)
        counted[key] += 1
        names.proposals.append(_proposal(names, device, governing, counted[key]))
    return names


def _proposal(names: SiteNames, device: Standing, rule: NamingRule | None, number: int) -> Proposal:
    if rule is None:
        return Proposal(device, None, "", "")
    if rule.pk in names.broken:
        return Proposal(device, rule, "", f"its rule is no good: {names.broken[rule.pk]}")
    if device.rack is None:
        return Proposal(device, rule, "", "it sits in a bay" if device.in_bay else "it is not mounted")
    pattern = names.patterns[rule.pk]
    if pattern.has("u") and device.low is not None and device.low % 2 == 0:
        return Proposal(device, rule, "", "it stands at a half unit")
    u = None if device.low is None else (device.low + 1) // 2
    place = Place(
        device.room or "", device.row, device.rack, u, number, device.side or "", device.tier, device.feed
    )  # fmt: skip
    try:
        return Proposal(device, rule, pattern.name(place), "")
    except CannotName as error:
        return Proposal(device, rule, "", str(error))


def _select(sql: str, *params: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return cursor.fetchall()
