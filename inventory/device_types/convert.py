"""One device type of NetBox, turned into a device model. Pure: a mapping in, a mapping out.

What a device model has no home for is not thrown away: it stays in the model's `unmapped`, and every such thing is a
remark. Nothing is invented either: what a type does not say (faces of ports, rails, PCI addresses) stays empty.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pydantic import ValidationError

from inventory.device_types import words
from inventory.device_types.format import Component, DeviceType, Interface, InventoryItem, ModuleBay
from inventory.specs.device_model import DeviceModelError, DeviceModelSpec

MAX_NAME = 40
MAX_SLUG = 50
KINDS = ("machine", "switch", "pdu", "panel", "shelf")
MANY_PORTS = 16
"""A box with this many network ports of one kind, and none of a machine's parts, is a switch."""

LISTS = {
    "interfaces": "",
    "power-ports": " (power)",
    "power-outlets": " (outlet)",
    "front-ports": " (front)",
    "rear-ports": " (rear)",
    "console-ports": " (console)",
    "console-server-ports": " (console server)",
}
"""NetBox's lists of sockets, in the order of who keeps a name, and what a second one of that name gets behind it."""

_HALF_WIDTH = re.compile(r"half[- ](?:width|rack)|1/2[- ](?:width|rack)", re.IGNORECASE)
_CAGE = re.compile(r"^\D*(?:\d+/)?(\d+)[./]([012])$")


class Remark(NamedTuple):
    """Something in the file that needs a look: `field` is where it stands, such as `interfaces[3].type`. `lost` says
    that it has no home here and stays in `unmapped`; otherwise it was taken, but not as it stands there."""

    field: str
    reason: str
    lost: bool = False


@dataclass
class Conversion:
    """`model` is what `DeviceModelSpec.from_dict` takes, None when there are `problems`. `remarks` are what was kept
    in `unmapped` or guessed. `port_names` and `slot_names` lead from NetBox's list and name to ours."""

    model: dict[str, Any] | None = None
    problems: list[Remark] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    port_names: dict[tuple[str, str], str] = field(default_factory=dict)
    slot_names: dict[tuple[str, str], str] = field(default_factory=dict)
    blanking: bool = False
    """A panel that only closes a gap: in a rack it is a blanking row, not a device."""


def looks_like_netbox_type(data: Any) -> bool:
    """Whether a mapping is a device type of NetBox rather than a device model of ours."""
    return isinstance(data, Mapping) and "manufacturer" in data and "vendor" not in data


def device_model_from_netbox_type(data: Any, *, kind: str | None = None) -> Conversion:
    """The device model that a NetBox device type describes. `kind` overrides what would be guessed from its parts."""
    conversion = Conversion()
    if not isinstance(data, Mapping):
        conversion.problems.append(Remark("file", "a device type is a mapping of fields"))
        return conversion
    try:
        found = DeviceType.model_validate(dict(data))
    except ValidationError as error:
        conversion.problems += [Remark(_place(e["loc"]), _said(e)) for e in error.errors()]
        return conversion
    builder = _Builder(found, conversion, kind or guess_kind(found))
    model = builder.build()
    try:
        DeviceModelSpec.from_dict(model)
    except DeviceModelError as error:
        conversion.problems.append(Remark("file", str(error).removeprefix("device model: ")))
        return conversion
    conversion.model = model
    conversion.blanking = is_blanking(found)
    return conversion


def is_blanking(found: DeviceType) -> bool:
    return "blank" in f"{found.model} {found.slug}".lower() and not any(_sockets(found).values())


def guess_kind(found: DeviceType) -> str:
    """What a type is, from its parts: outlets make a PDU, pass-through ports a panel, bays for devices a shelf, parts
    of a computer or a BMC a machine, many ports of one kind a switch."""
    network = [each for each in found.interfaces if not each.mgmt_only]
    if found.power_outlets and len(found.power_outlets) > len(network):
        return "pdu"
    if (found.front_ports or found.rear_ports) and not found.interfaces:
        return "panel"
    if found.device_bays or found.subdevice_role == "parent":
        return "shelf"
    parts = Counter(words.slot_kind(each.name, each.label, each.description) for each in _bays(found))
    if parts.keys() & {"gpu", "cpu", "dimm", "nvme"}:
        return "machine"
    of_type = Counter(each.type for each in network)
    if max(of_type.values(), default=0) >= MANY_PORTS or words.is_infiniband_switch(found.manufacturer, found.model):
        return "switch"
    if words.kind_of_role(f"{found.model} {found.description}") == "switch":
        return "switch"
    return "machine" if found.interfaces else ("panel" if "panel" in found.model.lower() else "shelf")


def _bays(found: DeviceType) -> list[ModuleBay | InventoryItem]:
    return [*found.module_bays, *found.inventory_items]


def _sockets(found: DeviceType) -> dict[str, list[Any]]:
    return {name: getattr(found, name.replace("-", "_")) for name in LISTS}


def _place(location: tuple[str | int, ...]) -> str:
    text = ""
    for step in location:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text or "file"


def _said(error: Mapping[str, Any]) -> str:
    if error["type"] == "extra_forbidden":
        return "there is no such key in a device type"
    if error["type"] == "missing":
        return "is missing"
    return str(error["msg"]).removeprefix("Value error, ")


class _Builder:
    """Builds the model of one type, noting on the way what it could not take."""

    def __init__(self, found: DeviceType, conversion: Conversion, kind: str) -> None:
        self.found, self.out, self.kind = found, conversion, kind
        self.unmapped: dict[str, Any] = {}
        self.ports: list[dict[str, Any]] = []
        self.slots: list[dict[str, Any]] = []
        self.infiniband = words.is_infiniband_switch(found.manufacturer, found.model)

    def build(self) -> dict[str, Any]:
        found = self.found
        self._name_ports()
        self._slots()
        self._interfaces()
        self._power()
        self._panel()
        self._consoles()
        self._cages()
        psus = sum(slot["kind"] == "psu" for slot in self.slots)
        gpus = sum(slot["kind"] == "gpu" for slot in self.slots)
        model: dict[str, Any] = {
            "model": self._slug(),
            "vendor": self._short("manufacturer", found.manufacturer, 60),
            "name": found.model,
            "kind": self.kind,
            "u_height": found.u_height,
            "full_depth": found.is_full_depth,
            "airflow": self._short("airflow", found.airflow or "", 20),
            "part_number": found.part_number or "",
            "half_width": self._half_width(),
            "power_w": self._draw_w(),
            "psu_count": psus,
            "slots": self.slots,
            "ports": self.ports,
            "bays": [bay.name for bay in found.device_bays],
        }
        if found.weight is not None:
            model["weight_kg"] = round(found.weight * words.KG[found.weight_unit or "kg"], 3)
        if gpus:
            model["gpu"] = {"count": gpus}
        self._leave_behind()
        model["unmapped"] = self.unmapped
        return model

    # ---- words ----

    def _remark(self, place: str, reason: str) -> None:
        self.out.remarks.append(Remark(place, reason))

    def _keep(self, key: str, value: Any, reason: str, place: str | None = None) -> None:
        """What has no home stays in `unmapped`, under NetBox's key."""
        if isinstance(value, dict):
            self.unmapped.setdefault(key, []).append(value)
        else:
            self.unmapped[key] = value
        self.out.remarks.append(Remark(place or key, reason, lost=True))

    def _slug(self) -> str:
        slug = self.found.slug.replace("_", "-").strip("-")
        if slug != self.found.slug:
            self._remark("slug", f"{self.found.slug!r} became {slug!r}: a model's name has no underscore")
        if len(slug) > MAX_SLUG:
            self._remark("slug", f"cut to {MAX_SLUG} characters")
        return slug[:MAX_SLUG].rstrip("-")

    def _short(self, key: str, text: str, longest: int) -> str:
        if len(text) > longest:
            self._keep(key, text, f"longer than {longest} characters, cut")
        return text[:longest].rstrip()

    def _half_width(self) -> bool:
        said = f"{self.found.model} {self.found.description} {self.found.comments}"
        half = bool(_HALF_WIDTH.search(said))
        if half:
            self._remark("description", "taken as half the width of a rack, as its text says")
        return half

    def _draw_w(self) -> int:
        """Planned draw: what is allocated to the inlets, else their ratings, an upper bound where some are spare."""
        if self.kind in ("pdu", "panel"):
            return 0
        allocated = [port.allocated_draw for port in self.found.power_ports if port.allocated_draw]
        if allocated:
            return sum(allocated)
        rated = [port.maximum_draw for port in self.found.power_ports if port.maximum_draw]
        if rated:
            self._remark("power-ports", "power_w is the sum of the inlets' ratings: no draw is allocated to them")
        return sum(rated)

    # ---- names ----

    def _name_ports(self) -> None:
        """Ports of one device share one list of names here; in NetBox each list has its own."""
        taken: set[str] = set()
        for key, suffix in LISTS.items():
            for at, each in enumerate(_sockets(self.found)[key]):
                name = each.name if each.name not in taken else f"{each.name}{suffix or ' (network)'}"
                place = f"{key}[{at}].name"
                if len(name) > MAX_NAME:
                    self._keep(key, _said_of(each), f"longer than {MAX_NAME} characters", place)
                    continue
                if name in taken:
                    self._keep(key, _said_of(each), f"{each.name} stands there twice", place)
                    continue
                if name != each.name:
                    self._remark(place, f"{each.name!r} is taken by another port and became {name!r}")
                taken.add(name)
                self.out.port_names[key, each.name] = name

    def _port(self, key: str, each: Component, kind: str, **more: Any) -> None:
        name = self.out.port_names.get((key, each.name))
        if name is None:
            return
        said = {"name": name, "kind": kind, "label": each.label, **more}
        self.ports.append({word: value for word, value in said.items() if value not in (None, "")})

    # ---- parts ----

    def _slots(self) -> None:
        taken: set[str] = set()
        for key, bays in (("module-bays", self.found.module_bays), ("inventory-items", self.found.inventory_items)):
            for at, bay in enumerate(bays):
                role = getattr(bay, "role", None) or ""
                part = {word: getattr(bay, word, None) for word in ("manufacturer", "part_id", "parent")}
                if any(part.values()):
                    self._keep(key, _said_of(bay), f"{bay.name}: maker, part number and parent", f"{key}[{at}]")
                if len(bay.name) > MAX_NAME or bay.name in taken:
                    why = "stands there twice" if bay.name in taken else f"longer than {MAX_NAME} characters"
                    self._keep(key, _said_of(bay), f"{bay.name}: {why}", f"{key}[{at}].name")
                    continue
                taken.add(bay.name)
                self.out.slot_names[key, bay.name] = bay.name
                kind = words.slot_kind(bay.name, bay.label, role, bay.description)
                label = bay.label or getattr(bay, "position", "")
                self.slots.append({"name": bay.name, "kind": kind, "label": label})

    def _power(self) -> None:
        psus = [slot["name"] for slot in self.slots if slot["kind"] == "psu"]
        inlets = self.found.power_ports
        if not psus and self.kind in ("machine", "switch", "shelf"):
            for inlet in inlets:
                name = self.out.port_names.get(("power-ports", inlet.name))
                if name and name not in {slot["name"] for slot in self.slots}:
                    self.slots.append({"name": name, "kind": "psu", "label": inlet.label})
                    psus.append(name)
        paired = dict(zip((i.name for i in inlets), psus, strict=True)) if len(psus) == len(inlets) else {}
        for inlet in inlets:
            self._port(
                "power-ports", inlet, "power_in", connector=_connector(inlet.type), slot=paired.get(inlet.name),
                max_draw_w=inlet.maximum_draw,
            )  # fmt: skip
        for outlet in self.found.power_outlets:
            leg = outlet.feed_leg if outlet.feed_leg in ("A", "B", "C") else None
            inlet_name = self.out.port_names.get(("power-ports", outlet.power_port or ""))
            self._port(
                "power-outlets", outlet, "power_outlet", connector=_connector(outlet.type), feed_leg=leg,
                inlet=inlet_name,
            )  # fmt: skip

    # ---- sockets ----

    def _interfaces(self) -> None:
        bmc = self._bmc()
        for at, each in enumerate(self.found.interfaces):
            socket = words.socket_of(each.type or "")
            if isinstance(socket, str):
                self._keep("interfaces", _said_of(each), f"{each.name}: {socket}", f"interfaces[{at}].type")
                self.out.port_names.pop(("interfaces", each.name), None)
                continue
            kind = "bmc" if each is bmc else socket.kind
            if self.infiniband and kind == "ethernet" and (socket.speed_gbps or 0) >= 100 and not each.mgmt_only:
                kind = "infiniband"
            self._port("interfaces", each, kind, speed_gbps=socket.speed_gbps, connector=socket.connector)
            if each.poe_mode or each.rf_role or each.bridge or not each.enabled:
                self._keep("interfaces", _said_of(each), f"{each.name}: PoE, radio, bridge or disabled")
        if self.infiniband and any(port["kind"] == "infiniband" and port.get("connector") for port in self.ports):
            self._remark("interfaces", "taken as InfiniBand, which this product is, though the file says Ethernet")

    def _bmc(self) -> Interface | None:
        """A machine's management interface: the one so named, else the only one for management."""
        if self.kind != "machine":
            return None
        management = [each for each in self.found.interfaces if each.mgmt_only]
        named = [each for each in management or self.found.interfaces if words.is_bmc_name(each.name)]
        if named:
            return named[0]
        return management[0] if len(management) == 1 else None

    def _cages(self) -> None:
        """Twin-port cages, where the names say them: `5/1` and `5/2`, or `P4.0` and `P4.1`."""
        found = {id(port): _CAGE.match(port["name"]) for port in self.ports if port["kind"] == "infiniband"}
        if self.kind != "switch" or not found or not all(found.values()):
            return
        numbers = {key: (int(match[1]), int(match[2])) for key, match in found.items() if match}
        lanes = {lane for _, lane in numbers.values()}
        if len(set(numbers.values())) < len(numbers) or len(lanes) != 2 or len(numbers) < len(lanes) * 4:
            return
        first_cage, first_lane = min(cage for cage, _ in numbers.values()), min(lanes)
        for port in self.ports:
            if id(port) in numbers:
                cage, lane = numbers[id(port)]
                port["cage"] = cage + (1 if first_cage == 0 else 0)
                port["lane"] = lane + 1 - first_lane

    def _panel(self) -> None:
        mapped = {m.front_port: (m.rear_port, m.rear_port_position) for m in reversed(self.found.port_mappings)}
        several = Counter(m.front_port for m in self.found.port_mappings)
        for rear in self.found.rear_ports:
            self._port(
                "rear-ports", rear, "rear", connector=_connector(rear.type), positions=rear.positions, face="rear"
            )
        for at, front in enumerate(self.found.front_ports):
            rear_name, position = mapped.get(front.name, (front.rear_port, front.rear_port_position))
            name = self.out.port_names.get(("rear-ports", rear_name or ""))
            self._port(
                "front-ports", front, "front", connector=_connector(front.type), face="front", rear=name,
                rear_position=position if name else None,
            )  # fmt: skip
            if several[front.name] > 1 or front.positions > 1:
                self._keep(
                    "front-ports", _said_of(front), f"{front.name}: goes to several positions, the first is kept",
                    f"front-ports[{at}]",
                )  # fmt: skip

    def _consoles(self) -> None:
        for key in ("console-ports", "console-server-ports"):
            for each in _sockets(self.found)[key]:
                self._port(key, each, "console", connector=_connector(each.type))

    # ---- what has no home ----

    def _leave_behind(self) -> None:
        found = self.found
        for key in ("description", "comments", "end_of_life", "default_platform", "cooling_method"):
            value = getattr(found, key)
            if value:
                self._keep(key, str(value) if key == "end_of_life" else value, "kept as it is, shown nowhere else")
        for key in ("exclude_from_utilization", "is_powered"):
            if (value := getattr(found, key)) is not None:
                self._keep(key, value, "kept as it is, decides nothing here")
        for key in ("front_image", "rear_image"):
            if getattr(found, key):
                self._keep(key, True, "pictures are not part of the file; attach them to the devices")
        for key in ("cooling-intakes", "cooling-outflows"):
            for row in getattr(found, key.replace("-", "_")):
                self._keep(key, row, "cooling ports have no home here")


def _connector(word: str | None) -> str | None:
    """`c14` of `iec-60320-c14`; other words as they are, as long as they fit."""
    return word.removeprefix("iec-60320-")[:40] if word else None


def _said_of(each: Component) -> dict[str, Any]:
    """A component as the file had it, without what it left out."""
    return each.model_dump(mode="json", by_alias=True, exclude_unset=True)
