"""Panels and feeds of a fleet file. A feed that only a PDU names is made as a bare one."""

from __future__ import annotations

from inventory.fleet.expansion import Expansion
from inventory.fleet.format import PowerFeedSection, PowerPanelSection
from inventory.fleet.problems import Origin
from inventory.fleet.rows import PowerFeedRow, PowerPanelRow, bare_feed

MAX_NAME = 60


def expand_power(expansion: Expansion) -> None:
    for at, panel in enumerate(expansion.file.power.panels):
        origin = expansion.document.origin("power", "panels", at)
        if panel.room is not None and panel.room not in expansion.rows.rooms:
            expansion.problems.add(origin, f"there is no room {panel.room!r}")
        elif _is_short(expansion, panel.name, origin):
            row = PowerPanelRow(panel.name, panel.room or "", *_size(panel))
            expansion.add("power_panels", panel.name, row, origin, f"power panel {panel.name!r}")
    for at, feed in enumerate(expansion.file.power.feeds):
        origin = expansion.document.origin("power", "feeds", at)
        if feed.panel is not None and feed.panel not in expansion.rows.power_panels:
            expansion.problems.add(origin, f"there is no power panel {feed.panel!r}")
            continue
        for name in expansion.names(feed.name, origin):
            side = bare_feed(name).side if feed.side is None else feed.side
            if _is_short(expansion, name, origin):
                row_of_feed = PowerFeedRow(name, feed.panel or "", side, *_size(feed))
                expansion.add("power_feeds", name, row_of_feed, origin, f"power feed {name!r}")


def feed_of_pdu(expansion: Expansion, name: str, origin: Origin) -> None:
    """Make sure that the feed a PDU names exists."""
    if name not in expansion.rows.power_feeds and _is_short(expansion, name, origin):
        expansion.add("power_feeds", name, bare_feed(name), origin, f"power feed {name!r}")


def _size(of: PowerPanelSection | PowerFeedSection) -> tuple[int | None, int | None, int, int]:
    return of.voltage_v, of.current_a, of.phases, of.derating_percent


def _is_short(expansion: Expansion, name: str, origin: Origin) -> bool:
    if len(name) > MAX_NAME:
        expansion.problems.add(origin, f"{name!r} is longer than {MAX_NAME} letters")
    return len(name) <= MAX_NAME
