"""Who a machine is and what it is made of, out of the Redfish resources of its BMC. Pure.

Sources: DSP2046, ComputerSystem, Processor, Memory, Drive, NetworkAdapter, PowerSupply, Manager, Port.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from drivers.discovery.hardware import BmcHardware
from provisioning.boot.files import normal_mac

MOST_PARTS = 256
MOST_FIRMWARE = 200
_NOT_TOLD = {"", "n/a", "na", "none", "null", "unknown", "not specified", "to be filled by o.e.m.", "0"}
_CARDS = re.compile(r"mellanox|nvidia|connectx|bluefield", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Part:
    """One component. `names` are what the BMC calls the place it sits in, best first."""

    kind: str
    names: tuple[str, ...]
    serial: str = ""
    vendor: str = ""
    part_number: str = ""
    model: str = ""
    firmware: str = ""

    @property
    def name(self) -> str:
        return self.names[0] if self.names else self.kind


@dataclass(frozen=True, slots=True)
class Machine:
    """Who a BMC says its machine is. Empty where it does not tell.

    `macs` are those of the machine's own ports, `switch` and `switch_port` what the BMC hears of its neighbour by LLDP.
    """

    serial: str = ""
    uuid: str = ""
    vendor: str = ""
    model: str = ""
    bmc_mac: str = ""
    macs: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    firmware: tuple[tuple[str, str], ...] = ()
    switch: str = ""
    switch_port: str = ""

    def document(self) -> dict[str, Any]:
        """As it is stored."""
        return asdict(self)

    @classmethod
    def of_document(cls, told: Mapping[str, Any]) -> Machine:
        parts = tuple(Part(**{**part, "names": tuple(part["names"])}) for part in told.get("parts", ()))
        firmware = tuple((name, version) for name, version in told.get("firmware", ()))
        return cls(**{**told, "macs": tuple(told.get("macs", ())), "parts": parts, "firmware": firmware})


def of_root(root: Mapping[str, Any]) -> Machine:
    """What the service root tells whoever asks: UUID and vendor, of Dell the service tag as well."""
    dell = _at(root, "Oem", "Dell")
    return Machine(
        serial=_text(dell.get("ServiceTag")).upper(), uuid=uuid_of(root.get("UUID")), vendor=_text(root.get("Vendor")),
        bmc_mac=normal_mac(_text(dell.get("ManagerMACAddress"))) or "",
    )  # fmt: skip


def machine_of(hardware: BmcHardware, *, lease_mac: str = "") -> Machine:
    """`lease_mac` is what the DHCP server knows the BMC by; it says which of its ports is meant."""
    system, root = hardware.system, of_root(hardware.root)
    own = list(_macs(hardware.manager_interfaces))
    neighbour = next(_neighbours(hardware.manager_ports), ("", ""))
    return Machine(
        serial=_text(hardware.serial).upper() or root.serial,
        uuid=uuid_of(system.get("UUID")) or root.uuid,
        vendor=_text(system.get("Manufacturer")) or root.vendor,
        model=_text(system.get("Model")),
        bmc_mac=lease_mac or root.bmc_mac or next(iter(own), ""),
        macs=tuple(dict.fromkeys(mac for mac in _machine_macs(hardware) if mac not in own)),
        parts=tuple(_parts(hardware))[:MOST_PARTS],
        firmware=tuple(_firmware(hardware))[:MOST_FIRMWARE],
        switch=neighbour[0],
        switch_port=neighbour[1],
    )


def uuid_of(value: Any) -> str:
    """The UUID as text; empty for none, and for one of zeros or ones, which boards without one tell."""
    try:
        found = UUID(_text(value))
    except ValueError:
        return ""
    return "" if found.int in (0, 2**128 - 1) else str(found)


def _parts(hardware: BmcHardware) -> Iterator[Part]:
    for row in _present(hardware.processors):
        kind = {"GPU": "gpu", "CPU": "cpu"}.get(_text(row.get("ProcessorType")))
        if kind:
            yield _part(kind, row)
    for row in _present(hardware.memory):
        if row.get("CapacityMiB") != 0:
            yield _part("dimm", row, _text(row.get("DeviceLocator")))
    for row in _present(hardware.drives):
        if "nvme" in f"{row.get('Protocol')} {row.get('Model')}".lower():
            yield _part("nvme", row)
    for row in _present(hardware.adapters):
        if _CARDS.search(f"{row.get('Manufacturer')} {row.get('Model')} {row.get('Name')}"):
            yield _part("hca", row)
    for row in _present(hardware.supplies):
        yield _part("psu", row)


def _part(kind: str, row: Mapping[str, Any], *names: str) -> Part:
    label = _text(_at(row, "PhysicalLocation", "PartLocation").get("ServiceLabel")) or _text(
        _at(row, "Location", "PartLocation").get("ServiceLabel")
    )
    told = (label, *names, _text(row.get("Id")) or _text(row.get("MemberId")), _text(row.get("Name")))
    return Part(
        kind=kind,
        names=tuple(dict.fromkeys(name[:80] for name in told if name)),
        serial=_text(row.get("SerialNumber"))[:64],
        vendor=_text(row.get("Manufacturer"))[:60],
        part_number=_text(row.get("PartNumber"))[:60],
        model=_text(row.get("Model"))[:120],
        firmware=_firmware_of(row)[:60],
    )


def _firmware_of(row: Mapping[str, Any]) -> str:
    controllers = row.get("Controllers")
    first = controllers[0] if isinstance(controllers, list) and controllers else {}
    told = (row.get("FirmwareVersion"), row.get("Revision"))
    package = first.get("FirmwarePackageVersion") if isinstance(first, Mapping) else None
    return next((text for value in (*told, package) if (text := _text(value))), "")


def _present(rows: Iterable[Mapping[str, Any]] | None) -> Iterator[Mapping[str, Any]]:
    return (row for row in rows or () if _text(_at(row, "Status").get("State")) != "Absent")


def _machine_macs(hardware: BmcHardware) -> Iterator[str]:
    yield from _macs(hardware.interfaces)
    for adapter in hardware.adapters or ():
        controllers = adapter.get("Controllers")
        for controller in controllers if isinstance(controllers, list) else ():
            identifiers = controller.get("Identifiers") if isinstance(controller, Mapping) else None
            for each in identifiers if isinstance(identifiers, list) else ():
                mac = normal_mac(_text(each.get("DurableName"))) if isinstance(each, Mapping) else None
                if mac:
                    yield mac


def _macs(rows: Iterable[Mapping[str, Any]] | None) -> Iterator[str]:
    """The address that is burnt in before one that was given to the port."""
    for row in rows or ():
        told = (normal_mac(_text(row.get(key))) for key in ("PermanentMACAddress", "MACAddress"))
        mac = next((mac for mac in told if mac and mac != "00:00:00:00:00:00"), None)
        if mac:
            yield mac


def _neighbours(ports: Iterable[Mapping[str, Any]] | None) -> Iterator[tuple[str, str]]:
    for port in ports or ():
        heard = _at(port, "Ethernet", "LLDPReceive")
        switch = _text(heard.get("SystemName")) or _text(heard.get("ChassisId"))
        if switch and _text(heard.get("PortId")):
            yield switch[:110], _text(heard.get("PortId"))[:60]


def _firmware(hardware: BmcHardware) -> Iterator[tuple[str, str]]:
    """Names with versions; of a name that stands there several times, what is installed and not what was before."""
    found = {"BMC": _text(hardware.manager.get("FirmwareVersion")), "BIOS": _text(hardware.system.get("BiosVersion"))}
    for row in hardware.firmware or ():
        if not _text(row.get("Id")).startswith(("Previous", "Available")):
            found.setdefault(_text(row.get("Name"))[:80] or _text(row.get("Id"))[:80], _text(row.get("Version"))[:60])
    return ((name, version) for name, version in found.items() if name and version)


def _at(row: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    found: Any = row
    for name in names:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _text(value: Any) -> str:
    """Without what firmware writes where it knows nothing."""
    text = " ".join(str(value).split()).replace("\0", "") if isinstance(value, str | int) else ""
    return "" if text.lower() in _NOT_TOLD else text
