"""Devices, and whole racks, rows and feeds of them, of which nothing was seen. Pure."""

from __future__ import annotations

from core.counts import counted
from fabric.facts import DeviceRole
from fabric.reconcile.areas import DarkArea, dark_areas
from fabric.reconcile.finding import Finding, Kind, Severity, key
from fabric.reconcile.scene import Scene, few

OFF_CHECKS = (
    "Is it powered? Check its supplies and the feed of its rack.",
    "Does its management answer?",
    "Only then check its cables.",
)
AREA_CHECKS = (
    "Is there power? Check its feeds, its PDUs and their breakers.",
    "Does the management of one of them answer? Then check what they have in common: a cooling unit, a cut trunk.",
    "Only then check single devices.",
)


def off_findings(scene: Scene) -> list[Finding]:
    """One for each area that is dark, one for each other device that is off; none for those that only hang behind
    others that are."""
    off, book = scene.wiring.off, scene.book
    areas = dark_areas(book, off.keys())
    in_areas = {group for area in areas for group in area.groups}
    found = [_area(scene, area) for area in areas]
    for group, cables in off.items():
        behind = {book.group[end.device] for cable in cables for end in cable.ends} - {group}
        hangs = behind and behind <= off.keys() and any(len(off[other]) > len(cables) for other in behind)
        if group not in in_areas and not hangs:
            found.append(_device(scene, group))
    return found


def _is_switch(scene: Scene, group: str) -> bool:
    return any(scene.book.plan.devices[name].role is DeviceRole.SWITCH for name in scene.book.members[group])


def _device(scene: Scene, group: str) -> Finding:
    cables = scene.wiring.off[group]
    return Finding(
        Kind.DEVICE_OFF,
        key("off", group),
        Severity.CRITICAL if _is_switch(scene, group) else Severity.HIGH,
        f"{group} is not there",
        f"Nothing of {group} was seen: its {counted(len(cables), 'link is', 'links are')} dark. "
        "It is off, or cut off as a whole.",
        tuple(scene.book.members[group]),
        (),
        tuple(cable.label for cable in cables),
        evidence={"links": len(cables)},
        checks=OFF_CHECKS,
    )


def _area(scene: Scene, area: DarkArea) -> Finding:
    cables = {cable.label: cable for group in area.groups for cable in scene.wiring.off[group]}
    also = f" They are all of {few(area.also)} too." if area.also else ""
    return Finding(
        Kind.AREA_OFF,
        key("area", area.title),
        Severity.CRITICAL if any(_is_switch(scene, group) for group in area.groups) else Severity.HIGH,
        f"{area.title[0].upper()}{area.title[1:]} is dark",
        f"Nothing of its {len(area.groups)} devices was seen ({few(area.groups)}), "
        f"and {counted(len(cables), 'link is', 'links are')} dark "
        f"with them.{also} That is one cause: power, or what they all hang on.",
        tuple(name for group in area.groups for name in scene.book.members[group]),
        (),
        tuple(cables),
        evidence={"links": len(cables), "devices": list(area.groups), "also": list(area.also)},
        checks=AREA_CHECKS,
    )
