"""Settings of BIOS and BMC, by area: read, and written where the BMC takes them (DSP0266 9.10; DSP0268).

`bios` are attributes that wait for the next start, `system` is ComputerSystem, `ntp` ManagerNetworkProtocol, and `bmc`
a vendor's attributes of the BMC, where its dialect has them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from drivers.dialects import Dialect
from drivers.redfish import RedfishClient, RedfishError, RedfishStatus, first_link, link, mapping

AREAS = ("bios", "system", "ntp", "bmc")
SYSTEM_SETTINGS = ("PowerRestorePolicy", "BootOrder")
NTP_SETTINGS = ("ProtocolEnabled", "NTPServers")
Settings = dict[str, dict[str, Any]]
"""{area: {name: value}}"""


@dataclass(frozen=True, slots=True)
class SettingsRead:
    """What is in force, and what waits for the next start of the machine. An area that the BMC lacks is not there."""

    found: Settings
    pending: Settings = field(default_factory=dict)


def needed(path: str | None, what: str) -> str:
    """The path, or RedfishError where the BMC has none."""
    if not path:
        raise RedfishError(f"the BMC has no {what}")
    return path


async def read_settings(client: RedfishClient) -> SettingsRead:
    """Every area that the BMC has; being unreachable or locked out raises, a missing resource does not."""
    system = await client.system()
    found: Settings = {"system": _system(system)}
    pending: Settings = {}
    if bios := await client.get_or_none(link(system, "Bios")):
        found["bios"] = dict(mapping(bios, "Attributes"))
        waiting = await client.get_or_none(_settings_of(bios)) or {}
        now = found["bios"]
        pending["bios"] = {k: v for k, v in mapping(waiting, "Attributes").items() if k in now and now[k] != v}
    manager_path = first_link(system, "ManagedBy")
    manager = await client.get_or_none(manager_path) or {}
    if protocols := await client.get_or_none(link(manager, "NetworkProtocol")):
        found["ntp"] = {name: v for name, v in mapping(protocols, "NTP").items() if name in NTP_SETTINGS}
    dialect = await client.dialect()
    if path := attributes_path(dialect, manager_path, manager):
        attributes = await client.get_or_none(path) or {}
        found["bmc"] = dict(mapping(attributes, "Attributes"))
    return SettingsRead(found, {area: values for area, values in pending.items() if values})


def _system(system: Mapping[str, Any]) -> dict[str, Any]:
    values = {
        "PowerRestorePolicy": system.get("PowerRestorePolicy"),
        "BootOrder": mapping(system, "Boot").get("BootOrder"),
    }
    return {name: value for name, value in values.items() if value is not None}


def _settings_of(resource: Mapping[str, Any]) -> str | None:
    return link(mapping(resource, "@Redfish.Settings"), "SettingsObject")


def attributes_path(dialect: Dialect, manager_path: str | None, manager: Mapping[str, Any]) -> str:
    return dialect.attributes_at({"@odata.id": manager_path, **manager}) if manager_path else ""


async def write_settings(client: RedfishClient, wanted: Settings) -> None:
    """Write these values; those of `bios` are in force after the next start. Raises RedfishError, and RedfishStatus
    with the BMC's words for a value that it refuses; what was written before it stays written."""
    system = await client.system()
    if values := wanted.get("bios"):
        bios = await client.get(needed(link(system, "Bios"), "BIOS attributes"))
        path = needed(_settings_of(bios), "settings of the BIOS for the next start")
        times = mapping(bios, "@Redfish.Settings").get("SupportedApplyTimes")
        when = {"@Redfish.SettingsApplyTime": {"ApplyTime": "OnReset"}} if times and "OnReset" in times else {}
        await client.patch(path, {"Attributes": values, **when})
    if values := wanted.get("system"):
        await _write_system(client, system, values)
    manager_path = needed(first_link(system, "ManagedBy"), "manager")
    manager = await client.get(manager_path)
    if values := wanted.get("ntp"):
        await client.patch(needed(link(manager, "NetworkProtocol"), "time servers"), {"NTP": values})
    if values := wanted.get("bmc"):
        path = attributes_path(await client.dialect(), manager_path, manager)
        await client.patch(needed(path, "attributes of the BMC"), {"Attributes": values})


async def _write_system(client: RedfishClient, system: Mapping[str, Any], values: Mapping[str, Any]) -> None:
    path = await client.system_path()
    if "PowerRestorePolicy" in values:
        await client.patch(path, {"PowerRestorePolicy": values["PowerRestorePolicy"]})
    if "BootOrder" in values:
        order = {"Boot": {"BootOrder": values["BootOrder"]}}
        try:
            await client.patch(path, order)
        except RedfishStatus as error:
            settings = _settings_of(system)
            if error.status not in (400, 405) or settings is None:
                raise
            await client.patch(settings, order)
