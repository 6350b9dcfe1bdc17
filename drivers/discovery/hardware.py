"""What a machine is made of, as its BMC shows it over Redfish: read once, nothing is written.

    hardware = await read_hardware(client)

Sources: DSP2046 (Redfish Resource and Schema Guide): ComputerSystem with Processors, Memory, Storage and
EthernetInterfaces, Chassis with NetworkAdapters, Power or PowerSubsystem, Manager with EthernetInterfaces and
DedicatedNetworkPorts (1.16), whose Port tells its neighbour in Ethernet.LLDPReceive (1.4).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from drivers.redfish import RedfishClient
from drivers.redfish_connection import RedfishStatus, link, members

MOST_STORAGES = 16
Rows = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class BmcHardware:
    """Resources of one BMC as it gave them; a list is empty where it has no such resource, or shows none."""

    root: dict[str, Any]
    system: dict[str, Any]
    manager: dict[str, Any]
    serial: str
    """The number on the label, which stands where the vendor's dialect says."""
    processors: Rows
    memory: Rows
    drives: Rows
    adapters: Rows
    supplies: Rows
    interfaces: Rows
    manager_interfaces: Rows
    manager_ports: Rows
    firmware: Rows


async def read_hardware(client: RedfishClient) -> BmcHardware:
    """Raises RedfishError's family. A tree that the BMC refuses or does not have costs the others nothing."""
    root, system = await client.root(), await client.system()
    answers = await client.report()
    chassis, manager = answers.chassis or {}, answers.manager or {}
    return BmcHardware(
        root=root,
        system=system,
        manager=manager,
        serial=(await client.dialect()).serial_of(system),
        processors=await _processors(client, system),
        memory=await _rows(client, link(system, "Memory")),
        drives=await _drives(client, system),
        adapters=await _rows(client, link(chassis, "NetworkAdapters")),
        supplies=_listed(answers.power) or _listed(answers.power_subsystem),
        interfaces=await _rows(client, link(system, "EthernetInterfaces")),
        manager_interfaces=await _rows(client, link(manager, "EthernetInterfaces")),
        manager_ports=await _rows(client, link(manager, "DedicatedNetworkPorts")),
        firmware=await _firmware(client, root),
    )


async def _rows(client: RedfishClient, path: str | None) -> Rows:
    try:
        return await client.all_of(path) or []
    except RedfishStatus:
        return []


async def _processors(client: RedfishClient, system: dict[str, Any]) -> Rows:
    """Those of the host and of GPU boards, which are systems of their own."""
    found = await _rows(client, link(system, "Processors"))
    for board in await client.boards():
        try:
            found += await _rows(client, link(await client.get(board), "Processors"))
        except RedfishStatus:
            continue
    return found


async def _drives(client: RedfishClient, system: dict[str, Any]) -> Rows:
    """A storage lists its drives by their paths, each a resource of its own."""
    found: Rows = []
    for storage in (await _rows(client, link(system, "Storage")))[:MOST_STORAGES]:
        for path in members({"Members": storage.get("Drives")}):
            try:
                found.append(await client.get(path))
            except RedfishStatus:
                continue
    return found


async def _firmware(client: RedfishClient, root: dict[str, Any]) -> Rows:
    service = link(root, "UpdateService")
    if service is None:
        return []
    try:
        return await _rows(client, link(await client.get(service), "FirmwareInventory"))
    except RedfishStatus:
        return []


def _listed(resource: dict[str, Any] | None) -> Rows:
    rows = (resource or {}).get("PowerSupplies")
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
