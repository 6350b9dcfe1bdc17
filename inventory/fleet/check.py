"""What no site may contain: two devices in one place, two cables in one port, one identity twice.

PostgreSQL refuses the same; here it is told with the line it stands on. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from inventory.cabling.fit import misfit
from inventory.fleet.expansion import Expansion
from inventory.fleet.problems import Origin
from inventory.fleet.rows import PlacementRow


def check_rows(expansion: Expansion) -> None:
    _check_places(expansion)
    _check_parents(expansion)
    _check_identities(expansion)
    _check_cables(expansion)


def describe_place(placement: PlacementRow) -> str:
    if placement.half_units is None:
        return f"{placement.side_slot} of rack {placement.rack}"
    low, high = placement.half_units
    first, last = (low + 1) / 2, (high - 1) / 2
    units = f"U{first:g}" if last <= first else f"U{first:g}–{last:g}"
    return f"{units} of rack {placement.rack}"


def _check_places(expansion: Expansion) -> None:
    taken: dict[tuple[Any, ...], PlacementRow] = {}
    for key, placement in expansion.rows.placements.items():
        for cell in placement_cells(placement):
            other = taken.setdefault(cell, placement)
            if other is not placement:
                first = expansion.origins["placements", other.what]
                expansion.problems.add(
                    expansion.origins["placements", key],
                    f"{_name(placement)} at {describe_place(placement)} is in the place of "
                    f"{_name(other)} at {describe_place(other)} ({first})",
                )
                break


def _name(placement: PlacementRow) -> str:
    return placement.what if placement.kind == "device" else f"a {placement.kind} span"


def placement_cells(placement: PlacementRow) -> Iterable[tuple[Any, ...]]:
    if placement.half_units is None or placement.faces is None or placement.columns is None:
        yield placement.room, placement.rack, placement.side_slot
        return
    for half_unit in range(*placement.half_units):
        for face in range(*placement.faces):
            for column in range(*placement.columns):
                yield placement.room, placement.rack, half_unit, face, column


def _check_parents(expansion: Expansion) -> None:
    bays: dict[tuple[str, str], str] = {}
    for name, device in expansion.rows.devices.items():
        if not device.parent:
            continue
        origin = expansion.origins["devices", name]
        if device.parent not in expansion.rows.devices or device.parent == name:
            expansion.problems.add(origin, f"{name}: there is no parent device {device.parent!r}")
        elif expansion.rows.devices[device.parent].parent:
            expansion.problems.add(origin, f"{name}: its parent {device.parent} sits in a bay itself")
        other = bays.setdefault((device.parent, device.bay), name)
        if other != name:
            expansion.problems.add(origin, f"{name} and {other} sit in one bay, {device.bay} of {device.parent}")


def _check_identities(expansion: Expansion) -> None:
    rows, origins = expansion.rows, expansion.origins

    def device_origin(key: Any) -> Origin:
        return origins["devices", key[0] if isinstance(key, tuple) else key]

    def part_origin(key: Any) -> Origin:
        return origins.get(key) or device_origin(key)

    def once(what: str, pairs: Iterable[tuple[Any, Any]], origin_of: Callable[[Any], Origin]) -> None:
        first: dict[Any, Any] = {}
        for key, value in pairs:
            other = first.setdefault(value, key) if value else key
            if other != key:
                text = " ".join(value) if isinstance(value, tuple) else value
                names = [name if isinstance(name, str) else " ".join(name) for name in (key, other)]
                expansion.problems.add(
                    origin_of(key), f"{names[0]}: {what} {text} is also that of {names[1]} ({origin_of(other)})"
                )

    once("serial", ((k, (r.model, r.serial) if r.serial else None) for k, r in rows.devices.items()), device_origin)
    once("asset tag", ((k, r.asset_tag) for k, r in rows.devices.items()), device_origin)
    once("BMC MAC", ((k, r.bmc_mac) for k, r in rows.machines.items()), device_origin)
    once("boot MAC", ((k, r.boot_mac) for k, r in rows.machines.items()), device_origin)
    once("system UUID", ((k, r.system_uuid) for k, r in rows.machines.items()), device_origin)
    once("primary IP", ((k, r.primary_ip) for k, r in rows.machines.items()), device_origin)
    once("BMC IP", ((k, r.bmc_ip) for k, r in rows.machines.items()), device_origin)
    once("node GUID", ((k, r.node_guid) for k, r in rows.switches.items()), device_origin)
    once("serial", ((k, r.identity) for k, r in rows.parts.items()), part_origin)


def _check_cables(expansion: Expansion) -> None:
    used: dict[tuple[str, str], str] = {}
    ports, devices = expansion.rows.ports, expansion.rows.devices
    for label, cable in expansion.rows.cables.items():
        origin = expansion.origins["cables", label]
        sides: dict[str, list[str]] = {"A": [], "B": []}
        for end in cable.ends:
            key = (end.device, end.port)
            port = ports.get(key)
            if port is None:
                lost = f"{end.device} has no port {end.port!r}"
                if end.device not in devices:
                    lost = f"there is no device {end.device!r}"
                expansion.problems.add(origin, f"cable {label}: {lost}")
                continue
            sides[end.side].append(port.kind)
            other = used.setdefault(key, label)
            if other != label:
                first = expansion.origins["cables", other]
                expansion.problems.add(
                    origin, f"cable {label}: {end.device} {end.port} already has cable {other} ({first})"
                )
        if len({(end.device, end.port) for end in cable.ends}) < len(cable.ends):
            expansion.problems.add(origin, f"cable {label} goes from a port to itself")
        reason = misfit(sides["A"], sides["B"])
        if reason:
            expansion.problems.add(origin, f"cable {label}: {reason}")
