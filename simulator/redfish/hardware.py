"""What a BMC shows of the parts: processors, memory, drives and network adapters, by the schemas of DSP2046.

As iDRAC 9 shows them on an XE9680 (Dell Redfish API guide): GPUs among the processors, a resource for each DIMM, drives
by their bays. Collections are expanded where they are asked to be.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from simulator.plan import HcaPlan
from simulator.redfish.styles import Style
from simulator.state import Machine

OK = {"Health": "OK", "State": "Enabled"}
_CARDS = {"InfiniBand": ("ConnectX-7", "MCX75310AAS-NEAT"), "Ethernet": ("ConnectX-6 Dx", "MCX623106AN-CDAT")}
Rows = dict[str, dict[str, Any]]


def links(own: Style, part: str) -> dict[str, Any]:
    """What the system, or the chassis, says of where these are."""
    if part == "system":
        return {name: {"@odata.id": f"{own.system}/{name}"} for name in ("Processors", "Memory", "Storage")}
    return {"NetworkAdapters": {"@odata.id": f"{own.chassis}/NetworkAdapters"}}


def resource_at(machine: Machine, own: Style, path: str, *, expand: bool) -> dict[str, Any] | None:
    """The collection or the member at a path; None where there is none."""
    for base, (kind, members) in _trees(machine, own).items():
        if path == base:
            return collection_of(base, kind, members, expand=expand)
        parent, _, name = path.rpartition("/")
        if parent == base and name in members:
            return members[name]
    return None


def _trees(machine: Machine, own: Style) -> dict[str, tuple[str, Rows]]:
    storage = f"{own.system}/Storage"
    drives = rows_of(f"{storage}/CPU.1/Drives", "Drive.v1_17_0.Drive", _drives(machine))
    holder: Rows = {
        "CPU.1": {"Name": "CPU.1", "Status": OK, "Drives": [{"@odata.id": row["@odata.id"]} for row in drives.values()]}
    }
    trees: dict[str, tuple[str, str, Callable[[Machine], Rows]]] = {
        f"{own.system}/Processors": ("Processor", "Processor.v1_19_0.Processor", _processors),
        f"{own.system}/Memory": ("Memory", "Memory.v1_19_0.Memory", _memory),
        f"{own.chassis}/NetworkAdapters": ("NetworkAdapter", "NetworkAdapter.v1_11_0.NetworkAdapter", _adapters),
    }
    found = {base: (kind, rows_of(base, version, rows(machine))) for base, (kind, version, rows) in trees.items()}
    return found | {
        storage: ("Storage", rows_of(storage, "Storage.v1_15_0.Storage", holder)),
        f"{storage}/CPU.1/Drives": ("Drive", drives),
    }


def rows_of(base: str, version: str, members: Rows) -> Rows:
    return {
        name: {"@odata.id": f"{base}/{name}", "@odata.type": f"#{version}", "Id": name, **fields}
        for name, fields in members.items()
    }


def collection_of(base: str, kind: str, members: Rows, *, expand: bool) -> dict[str, Any]:
    rows = list(members.values()) if expand else [{"@odata.id": row["@odata.id"]} for row in members.values()]
    return {
        "@odata.id": base, "@odata.type": f"#{kind}Collection.{kind}Collection", "Name": f"{kind} Collection",
        "Members": rows, "Members@odata.count": len(rows),
    }  # fmt: skip


def _place(label: str) -> dict[str, Any]:
    return {"PartLocation": {"ServiceLabel": label, "LocationType": "Slot"}}


def _processors(machine: Machine) -> Rows:
    found: Rows = {
        f"CPU.Socket.{number}": {
            "Name": f"CPU {number}", "ProcessorType": "CPU", "Manufacturer": "Intel", "Status": OK,
            "Model": "Intel(R) Xeon(R) Platinum 8470", "TotalCores": 52, "TotalThreads": 104,
            "Location": _place(f"CPU {number}"),
        }
        for number in (1, 2)
    }  # fmt: skip
    for number, gpu in enumerate(machine.plan.gpus, start=1):
        if not machine.fault("gpu_off_bus", gpu.slot):
            found[f"Video.Slot.{20 + number}-1"] = {
                "Name": machine.plan.facts.gpu_type, "ProcessorType": "GPU", "Model": machine.plan.facts.gpu_type,
                "Manufacturer": "NVIDIA Corporation", "SerialNumber": machine.part(gpu.slot).serial,
                "PartNumber": gpu.part_number, "FirmwareVersion": gpu.vbios, "Status": OK,
                "Location": _place(gpu.slot),
            }  # fmt: skip
    return found


def _memory(machine: Machine) -> Rows:
    """Half of the DIMMs at each processor. Without serials: the hall's plan has none, and one made up here would be
    another than the inventory's."""
    half = max(1, machine.plan.dimms // 2)
    places = [f"{'AB'[number // half]}{number % half + 1}" for number in range(machine.plan.dimms) if number < 2 * half]
    return {
        f"DIMM.Socket.{place}": {
            "Name": f"DIMM {place}", "DeviceLocator": f"DIMM {place}", "MemoryDeviceType": "DDR5",
            "CapacityMiB": 65_536, "Manufacturer": "Samsung", "PartNumber": "M321R8GA0BB0-CQKZJ",
            "Status": OK,
        }
        for place in places
    }  # fmt: skip


def _drives(machine: Machine) -> Rows:
    return {
        f"Disk.Bay.{number}": {
            "Name": f"PCIe SSD in Slot {number}", "Protocol": "NVMe", "MediaType": "SSD", "Manufacturer": "Samsung",
            "Model": drive.model, "SerialNumber": machine.part(drive.slot).serial, "Status": OK,
            "PhysicalLocation": _place(drive.slot),
        }
        for number, drive in enumerate(machine.plan.nvmes)
    }  # fmt: skip


def _adapters(machine: Machine) -> Rows:
    """One a card: the ports of one share it."""
    cards: dict[str, HcaPlan] = {}
    for hca in machine.plan.hcas:
        cards.setdefault(hca.pci.rpartition(".")[0], hca)
    found: Rows = {}
    for number, hca in enumerate(cards.values(), start=1):
        model, part_number = _CARDS.get(hca.link_layer, _CARDS["InfiniBand"])
        found[f"NIC.Slot.{30 + number}"] = {
            "Name": f"NVIDIA {model}", "Manufacturer": "Mellanox Technologies", "Model": model, "Status": OK,
            "PartNumber": part_number, "SerialNumber": machine.part(hca.slot).serial, "Location": _place(hca.slot),
            "Controllers": [{"FirmwarePackageVersion": hca.firmware}],
        }  # fmt: skip
    return found
