"""A fleet file against what is stored: what is new, what changed, what is not in the file. Pure.

What people did since the last load is not undone: a part somebody installed (for a ticket, say) stays where it is and
is reported as kept, and a machine that has been provisioned is not made `planned` again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from inventory.fleet.rows import FLEET_FILE, FleetRows, Owner, PartRow, Stored, bare_feed

# Rows that other rows of the same thing bring along are not counted for a reader.
TOLD = {
    "rooms": "rooms",
    "rows": "rows",
    "aisles": "aisles",
    "racks": "racks",
    "power_panels": "power panels",
    "power_feeds": "power feeds",
    "machines": "machines",
    "switches": "switches",
    "pdus": "PDUs",
    "devices": "devices",
    "placements": "placements",
    "ports": "ports",
    "passes": "pass-throughs",
    "cables": "cables",
    "parts": "components",
    "models": "device models",
}


@dataclass
class TableDiff:
    created: list[Any] = field(default_factory=list)
    changed: list[Any] = field(default_factory=list)
    missing: list[Any] = field(default_factory=list)
    unchanged: int = 0


@dataclass(frozen=True)
class Kept:
    """A slot whose part is left alone although the file names another."""

    device: str
    slot: str
    file_serial: str
    installed_serial: str
    reason: str
    since: datetime | None = None


@dataclass
class FleetDiff:
    tables: dict[str, TableDiff]
    kept: list[Kept]
    reused: dict[tuple[str, str], int]  # slot -> known component to install, instead of a new one

    @property
    def empty(self) -> bool:
        return not any(table.created or table.changed for table in self.tables.values())


def leaving(file: FleetRows, stored: Stored) -> set[str]:
    """Devices in service that are not in the file: `--prune` retires them."""
    devices = stored.rows.devices
    return {name for name in devices if name not in file.devices and devices[name].status != "retired"}


def compare(
    file: FleetRows, stored: Stored, known: dict[tuple[str, str, str], Owner], *, prune: bool = False
) -> FleetDiff:
    """Compare table by table. `known` are the components, of any site, whose identity the file names.

    Rows of `file` that give way to what people did are replaced in it by the stored ones. With `prune` the parts of
    devices that leave are free for others.
    """
    gone = leaving(file, stored) if prune else set()
    parts, kept, reused = _compare_parts(file, stored, {k: _freed(owner, gone) for k, owner in known.items()})
    _give_way(file, stored, {(item.device, item.slot) for item in kept})
    tables = {"parts": parts}
    for name, rows in file.tables():
        if name != "parts":
            tables[name] = _compare_table(rows, getattr(stored.rows, name))
    tables["models"].missing = []  # device models belong to every site
    tables["devices"].missing = sorted(leaving(file, stored))
    for name in ("machines", "switches", "pdus"):  # the same devices once more
        tables[name].missing = []
    tables["ports"].missing = [key for key in tables["ports"].missing if key[0] in file.devices]
    moved_out = [key for key in tables["placements"].missing if key in file.devices]
    tables["placements"].changed += moved_out
    tables["placements"].missing = [key for key in tables["placements"].missing if key not in file.devices]
    passes = tables["passes"]  # they are the model's, and leave with it
    passes.changed += [key for key in passes.missing if key[0] in file.devices]
    passes.missing = []
    return FleetDiff(tables, kept, reused)


def _freed(owner: Owner, gone: set[str]) -> Owner:
    return owner._replace(device="", slot="") if owner.device in gone else owner


def _compare_table(file: dict[Any, Any], stored: dict[Any, Any]) -> TableDiff:
    diff = TableDiff()
    for key, row in file.items():
        if key not in stored:
            diff.created.append(key)
        elif stored[key] != row:
            diff.changed.append(key)
        else:
            diff.unchanged += 1
    diff.missing = [key for key in stored if key not in file]
    return diff


def _give_way(file: FleetRows, stored: Stored, kept: set[tuple[str, str]]) -> None:
    """What the file knows less of than the database.

    A provisioned machine stays active; a feed of which the file has only the name keeps its size; ports on kept
    adapters, and a boot MAC on one, stay as they are.
    """
    for name, feed in file.power_feeds.items():
        if feed == bare_feed(name):
            file.power_feeds[name] = stored.rows.power_feeds.get(name, feed)
    for name, device in file.devices.items():
        before = stored.rows.devices.get(name)
        if before and device.status == "planned" and before.status == "active":
            file.devices[name] = device._replace(status="active")
    if not kept:
        return
    for key, port in file.ports.items():
        held = stored.rows.ports.get(key)
        if held and (port.device, port.slot) in kept:
            machine, before_machine = file.machines.get(port.device), stored.rows.machines.get(port.device)
            if machine and before_machine and port.mac and machine.boot_mac == port.mac:
                file.machines[port.device] = machine._replace(boot_mac=before_machine.boot_mac)
            file.ports[key] = port._replace(guid=held.guid, mac=held.mac)


# ---- parts ----


def _compare_parts(
    file: FleetRows, stored: Stored, known: dict[tuple[str, str, str], Owner]
) -> tuple[TableDiff, list[Kept], dict[tuple[str, str], int]]:
    diff = TableDiff()
    swaps: dict[tuple[str, str], PartRow] = {}
    kept: dict[tuple[str, str], Kept] = {}
    for key, part in file.parts.items():
        there = stored.rows.parts.get(key)
        if there is None:
            swaps[key] = part
            continue
        same, made = _same_part(part, there, known), stored.installed[key]
        by_hand = made.by != FLEET_FILE
        if same and _adds_nothing(part, there):
            diff.unchanged += 1
        elif by_hand and (not same or there.identity is None):
            reason = f"installed by {made.by or 'somebody'}" + (f" for {made.ticket}" if made.ticket else "")
            kept[key] = Kept(part.device, part.slot, part.serial, there.serial, reason, made.since)
        elif same:
            diff.changed.append(key)
        else:
            swaps[key] = part
    reused = _settle(swaps, kept, stored, known)
    for key in swaps:
        (diff.changed if key in stored.rows.parts else diff.created).append(key)
    return diff, list(kept.values()), reused


def _same_part(part: PartRow, there: PartRow, known: dict[tuple[str, str, str], Owner]) -> bool:
    """The same serial; or a serial that only now becomes known for the part that is there."""
    if there.identity is None:
        return part.identity is None or part.identity not in known
    return part.identity == there.identity


def _adds_nothing(part: PartRow, there: PartRow) -> bool:
    """The file says nothing that is not stored; attributes only the database has are left there."""
    same = (part.kind, part.identity) == (there.kind, there.identity)
    if part.identity is None:
        same = same and part[3:5] == there[3:5]
    return same and all(there.attributes.get(name) == value for name, value in part.attributes.items())


def _settle(
    swaps: dict[tuple[str, str], PartRow],
    kept: dict[tuple[str, str], Kept],
    stored: Stored,
    known: dict[tuple[str, str, str], Owner],
) -> dict[tuple[str, str], int]:
    """Drop swaps whose part sits in a slot that keeps it, until none is left; returns the known parts to reuse."""
    while True:
        stuck = []
        for key, part in swaps.items():
            owner = known.get(part.identity) if part.identity else None
            if owner and owner.device and (owner.device, owner.slot) not in swaps:
                stuck.append((key, part, owner))
        if not stuck:
            break
        for key, part, owner in stuck:
            del swaps[key]
            there = stored.rows.parts.get(key)
            reason = f"serial {part.serial} is installed in {owner.device} {owner.slot}"
            kept[key] = Kept(part.device, part.slot, part.serial, there.serial if there else "", reason)
    found = {key: known.get(part.identity) for key, part in swaps.items() if part.identity}
    return {key: owner.component for key, owner in found.items() if owner}
