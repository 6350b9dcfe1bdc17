"""What the file wants but something that stays already has. Pure; PostgreSQL would refuse it without a line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from inventory.fleet.check import describe_place, placement_cells
from inventory.fleet.expansion import Expansion
from inventory.fleet.problems import Origin
from inventory.fleet.rows import FleetRows, Owner, Stored


def check_places(expansion: Expansion, stored: Stored) -> None:
    """A device that is not in the file keeps its place (until the file is loaded with --prune)."""
    file = expansion.rows
    taken: dict[Any, str] = {}
    for key, placement in stored.rows.placements.items():
        if key not in file.placements and key not in file.devices:
            taken |= dict.fromkeys(placement_cells(placement), key)
    for key, placement in file.placements.items():
        holder = next((taken[cell] for cell in placement_cells(placement) if cell in taken), None)
        if holder:
            expansion.problems.add(
                expansion.origins["placements", key],
                f"{key}: {describe_place(placement)} is taken by {holder}, which is not in the file (see --prune)",
            )


def check_ports(expansion: Expansion, stored: Stored) -> None:
    """A cable that is not in the file keeps its ports (until the file is loaded with --prune)."""
    file = expansion.rows
    taken = {
        (end.device, end.port): label
        for label, cable in stored.rows.cables.items()
        if label not in file.cables
        for end in cable.ends
    }
    for label, cable in file.cables.items() if taken else ():
        for end in cable.ends:
            holder = taken.get((end.device, end.port))
            if holder:
                expansion.problems.add(
                    expansion.origins["cables", label],
                    f"cable {label}: {end.device} {end.port} has cable {holder}, not in the file (see --prune)",
                )


def check_identities(
    expansion: Expansion, what: str, wanted: dict[str, str], owners: dict[str, Owner], gone: set[str]
) -> None:
    """`wanted` is identity by device. An owner of this site that gives it up here, or leaves, does not count."""
    site = expansion.site.slug
    for device, value in wanted.items():
        owner = owners.get(value)
        if owner is None or (owner.site, owner.device) == (site, device):
            continue
        if owner.site == site and (owner.device in gone or wanted.get(owner.device, value) != value):
            continue
        where = f" of site {owner.site}" if owner.site != site else ""
        expansion.problems.add(
            expansion.origins["devices", device], f"{device}: {what} {value} is that of {owner.device}{where}"
        )


def check_components(expansion: Expansion, known: dict[tuple[str, str, str], Owner]) -> None:
    for key, part in expansion.rows.parts.items():
        owner = known.get(part.identity) if part.identity else None
        if owner and owner.site != expansion.site.slug:
            expansion.problems.add(
                part_origin(expansion, key), f"{' '.join(key)}: serial {part.serial} belongs to site {owner.site}"
            )


def part_origin(expansion: Expansion, key: tuple[str, str]) -> Origin:
    return expansion.origins.get(key) or expansion.origins["devices", key[0]]


def identities(rows: FleetRows) -> Iterable[tuple[str, str, str]]:
    return (part.identity for part in rows.parts.values() if part.identity)
