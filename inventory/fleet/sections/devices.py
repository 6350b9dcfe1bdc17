"""Devices of a fleet file: where they stand, who they are, their ports and parts."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from typing import Any

from inventory.fleet.expansion import Expansion
from inventory.fleet.format import DeviceGroup, PartKind
from inventory.fleet.patterns import PatternError, fill, u_positions
from inventory.fleet.problems import Origin
from inventory.fleet.rows import (
    DeviceRow,
    MachineRow,
    ModelRow,
    PartRow,
    PassThroughRow,
    PduRow,
    PlacementRow,
    PortRow,
    RackRow,
    Span,
    SwitchRow,
    reservation_name,
)
from inventory.fleet.sections import derive
from inventory.fleet.sections.power import feed_of_pdu
from inventory.specs.device_model import DeviceModelError, DeviceModelSpec, Slot

COLUMNS: dict[str, Span] = {"full": (0, 2), "left": (0, 1), "right": (1, 2)}
FACES: dict[str, Span] = {"both": (0, 2), "front": (0, 1), "rear": (1, 2)}
MAX_NAME = 64


def expand_devices(expansion: Expansion, groups: list[tuple[Origin, DeviceGroup]]) -> None:
    for origin, group in groups:
        spec = _spec(expansion, group.model, origin)
        if spec is not None:
            _expand_group(expansion, group, spec, origin)
    _expand_reservations(expansion)
    for name, lines in expansion.listed.items():
        if name not in expansion.rows.devices:
            expansion.problems.add(lines[0][0], f"there is no device {name!r}")


def _spec(expansion: Expansion, name: str, origin: Origin) -> DeviceModelSpec | None:
    if name not in expansion.specs:
        try:
            if "/" in name or name.endswith((".yaml", ".yml")):
                raise DeviceModelError(f"{name!r} is a file: list it under device_models and use its name here")
            expansion.specs[name] = DeviceModelSpec.load(name)
        except DeviceModelError as error:
            expansion.problems.add(origin, str(error))
            return None
    spec = expansion.specs[name]
    expansion.rows.models.setdefault(name, model_row(spec))
    return spec


def model_row(spec: DeviceModelSpec) -> ModelRow:
    return ModelRow(
        spec.model,
        spec.vendor,
        spec.name,
        spec.kind,
        int(spec.u_height * 2),
        spec.full_depth,
        spec.airflow,
        spec.air_class,
        spec.power_w,
        spec.gpu.count if spec.gpu else 0,
        spec.gpu.type if spec.gpu else "",
        spec.psu_count,
        spec.model_dump(mode="json"),
    )


# ---- places ----


def _places(expansion: Expansion, group: DeviceGroup, origin: Origin) -> Iterator[tuple[RackRow | None, float | None]]:
    """Rack and U of every device of a group, rack by rack and upwards."""
    if group.parent is not None:
        yield None, None
        return
    try:
        positions: list[float] = [] if group.u is None else u_positions(group.u)
    except PatternError as error:
        expansion.problems.add(origin, str(error))
        return
    for name in expansion.names(group.racks or [], origin):
        rack = expansion.rack(name, group.room, origin)
        if rack is not None:
            yield from ((rack, u) for u in positions)
            if not positions:
                yield rack, None


def _expand_group(expansion: Expansion, group: DeviceGroup, spec: DeviceModelSpec, origin: Origin) -> None:
    without = set(expansion.names(group.without, origin))
    dropped: set[str] = set()
    in_rack = 0
    last: RackRow | None = None
    for index, (rack, u) in enumerate(_places(expansion, group, origin), start=1):
        in_rack = in_rack + 1 if rack is last and index > 1 else 1
        last = rack
        words: dict[str, str | int] = {"rack": rack.name.lower() if rack else "", "n": in_rack, "i": index}
        try:
            filled = _Filled(group, words)
        except PatternError as error:
            expansion.problems.add(origin, str(error))
            return
        if filled.name in without:
            dropped.add(filled.name)
        elif _name_is_good(expansion, filled.name, origin):
            _add_device(expansion, group, filled, spec, rack, u, index, origin)
    for lost in sorted(without - dropped):
        expansion.problems.add(origin, f"without: the group has no device {lost!r}")


class _Filled:
    """The texts of a group with the words of one device filled in."""

    def __init__(self, group: DeviceGroup, words: dict[str, str | int]) -> None:
        self.name = fill(group.name, words)
        self.serial = fill(group.serial, words)
        self.asset_tag = fill(group.asset_tag, words)
        self.feed = fill(group.feed, words)


def _name_is_good(expansion: Expansion, name: str, origin: Origin) -> bool:
    if len(name) > MAX_NAME or any(letter.isspace() or letter == "/" for letter in name):
        expansion.problems.add(origin, f"{name!r} is no device name: at most {MAX_NAME} letters, no blank, no slash")
        return False
    return True


def _add_device(
    expansion: Expansion,
    group: DeviceGroup,
    filled: _Filled,
    spec: DeviceModelSpec,
    rack: RackRow | None,
    u: float | None,
    index: int,
    origin: Origin,
) -> None:
    name = filled.name
    serial = filled.serial
    if not serial and group.derive:
        serial = expansion.deriver.take(_serial_form(spec), name)
    row = DeviceRow(name, spec.model, spec.kind, group.status, serial, filled.asset_tag, group.parent or "", group.bay)
    if not expansion.add("devices", name, row, origin, f"device {name!r}"):
        return
    placement = _placement(expansion, group, name, spec, rack, u, origin)
    if placement is not None:
        expansion.add("placements", name, placement, origin, f"device {name!r}")
    parts = _parts(expansion, group, name, spec)
    ports = _ports(name, spec, parts)
    for port in ports:
        expansion.rows.ports[name, port.name] = port
    for front, rear, position in spec.pass_throughs():
        expansion.rows.passes[name, front] = PassThroughRow(name, front, rear, position)
    _add_kind(expansion, group, name, spec, serial, filled.feed, ports, index, origin)


def _serial_form(spec: DeviceModelSpec) -> Any:
    if spec.kind == "machine":
        return derive.service_tag
    return derive.mellanox_serial if spec.vendor == "NVIDIA" else derive.generic_serial


def _placement(
    expansion: Expansion,
    group: DeviceGroup,
    name: str,
    spec: DeviceModelSpec,
    rack: RackRow | None,
    u: float | None,
    origin: Origin,
) -> PlacementRow | None:
    if rack is None:
        return None
    head = (name, "device", rack.room, rack.name, rack.height_u)
    if (spec.u_height == 0) != (group.side is not None):
        how = "a zero-U model needs side, not u" if spec.u_height == 0 else f"{spec.model} needs u, not side"
        expansion.problems.add(origin, f"{name}: {how}")
        return None
    if u is None:
        return PlacementRow(*head, None, None, None, group.side or "", "")
    half_units = _span(u, spec.u_height)
    if half_units[1] > 2 * rack.height_u + 1:
        top = u + spec.u_height - 1
        expansion.problems.add(
            origin, f"{name}: {spec.u_height:g}U at U{u:g} reaches U{top:g}, but rack {rack.name} has {rack.height_u}U"
        )
        return None
    faces = FACES["both"] if spec.full_depth else FACES[group.face]
    return PlacementRow(*head, half_units, faces, COLUMNS[group.column], "", "")


def _span(u: float, height_u: float) -> Span:
    low = int(2 * u - 1)
    return low, low + int(2 * height_u)


def _expand_reservations(expansion: Expansion) -> None:
    for at, line in enumerate(expansion.file.reserved):
        origin = expansion.document.origin("reserved", at)
        rack = expansion.rack(line.rack, line.room, origin)
        try:
            units = u_positions(line.u)
        except PatternError as error:
            expansion.problems.add(origin, str(error))
            continue
        if rack is None:
            continue
        span = _span(units[0], units[-1] - units[0] + 1)
        if span[1] > 2 * rack.height_u + 1:
            expansion.problems.add(origin, f"U{units[-1]:g} is above rack {rack.name}, which has {rack.height_u}U")
            continue
        faces = FACES[line.face]
        columns = COLUMNS[line.column]
        name = reservation_name(rack.room, rack.name, span, faces, columns)
        row = PlacementRow(
            name, line.kind, rack.room, rack.name, rack.height_u, span, faces, columns, "", line.reason, line.owner
        )
        expansion.add("placements", name, row, origin, "this reservation")


# ---- parts and ports ----


def _parts(expansion: Expansion, group: DeviceGroup, name: str, spec: DeviceModelSpec) -> dict[str, PartRow]:
    """Parts of a device by slot: derived ones, then the listed ones over them."""
    parts: dict[str, PartRow] = {}
    if group.derive and spec.kind == "machine":
        cards: dict[str, str] = {}
        for slot in spec.slots:
            parts[slot.name] = _derived_part(expansion, name, slot, cards)
    for origin, line in expansion.listed.get(name, ()):
        slot_of_line = spec.slot(line.slot)
        if slot_of_line is None:
            expansion.problems.add(origin, f"{spec.model} has no slot {line.slot!r}")
            continue
        key = (name, line.slot)
        if key in expansion.origins:
            expansion.problems.add(origin, f"{name} {line.slot} is listed twice, first at {expansion.origins[key]}")
            continue
        expansion.origins[key] = origin
        parts[line.slot] = PartRow(
            name, line.slot, slot_of_line.kind, line.vendor, line.part_number, line.serial, line.attributes
        )
    for slot_name, part in parts.items():
        expansion.rows.parts[name, slot_name] = part
    return parts


def _derived_part(expansion: Expansion, name: str, slot: Slot, cards: dict[str, str]) -> PartRow:
    """One part; `cards` keeps the GUID of each adapter card, whose further ports carry no serial of their own."""
    take = expansion.deriver.take
    about = expansion.file.parts.get(slot.kind, _NO_PART)
    attributes = dict(about.attributes)
    serial: str | None = None
    if slot.kind == "gpu":
        attributes["uuid"] = take(derive.gpu_uuid, name, slot.name)
    elif slot.kind == "hca":
        card, _, function = (slot.pci or slot.name).rpartition(".")
        if card in cards:
            serial = ""
        else:
            cards[card] = take(derive.hca_guid, name, card)
        attributes["guid"] = derive.guid_plus(cards[card], int(function, 16) if serial == "" else 0)
        if slot.link_layer == "Ethernet":
            attributes["mac"] = derive.mac_of_guid(attributes["guid"])
    if serial is None:
        serial = take(derive.PART_SERIALS.get(slot.kind, derive.generic_serial), name, slot.name)
    return PartRow(name, slot.name, slot.kind, about.vendor, about.part_number, serial, attributes)


_NO_PART = PartKind()


def _ports(name: str, spec: DeviceModelSpec, parts: dict[str, PartRow]) -> list[PortRow]:
    """The ports of a model; a port on an adapter carries that adapter's GUID and MAC."""
    ports = []
    for port in spec.ports:
        attributes = parts[port.slot].attributes if port.slot in parts else {}
        slot = spec.slot(port.slot)
        ports.append(
            PortRow(
                name,
                port.name,
                port.kind,
                port.speed_gbps,
                port.cage,
                port.lane,
                port.slot,
                port.face,
                attributes.get("guid", ""),
                attributes.get("mac", ""),
                port.positions,
                slot.rail if slot else None,
            )
        )
    return ports


# ---- what only one kind of device has ----


def _add_kind(
    expansion: Expansion,
    group: DeviceGroup,
    name: str,
    spec: DeviceModelSpec,
    serial: str,
    feed: str,
    ports: list[PortRow],
    index: int,
    origin: Origin,
) -> None:
    if spec.kind == "machine":
        derived = group.derive
        uuid = group.system_uuid or (derive.system_uuid(serial) if derived and len(serial) == 7 else "")
        bmc_mac = group.bmc_mac or (expansion.deriver.take(derive.bmc_mac, name) if derived else "")
        boot_mac = group.boot_mac or next((port.mac for port in ports if port.mac), "")
        addresses = (_address(group.primary_ip, index), _address(group.bmc_ip, index))
        expansion.rows.machines[name] = MachineRow(name, group.role, uuid, *addresses, bmc_mac, boot_mac)
    elif spec.kind == "switch":
        if group.fabric is None:
            expansion.problems.add(origin, f"{name}: fabric is missing: infiniband, ethernet or management")
            return
        guid = group.node_guid
        if not guid and group.derive and group.fabric == "infiniband":
            guid = expansion.deriver.take(derive.switch_guid, name)
        expansion.rows.switches[name] = SwitchRow(name, group.fabric, group.tier or "tor", guid)
    elif spec.kind == "pdu":
        if not feed:
            expansion.problems.add(origin, f"{name}: feed is missing, such as A or B")
            return
        feed_of_pdu(expansion, feed, origin)
        expansion.rows.pdus[name] = PduRow(name, feed, group.limit_w)


def _address(pattern: str, index: int) -> str:
    """`10.0.0.1` as it is; `10.0.0.1+` counted up by the device's number in its group."""
    if not pattern.endswith("+"):
        return pattern
    return str(ipaddress.ip_address(pattern[:-1]) + (index - 1))
