"""What is set up at a BMC over Redfish: its account's password, settings of BIOS and BMC, firmware.

Settings have an *area*: `bios` (attributes that wait for the next start), `system` (ComputerSystem), `ntp`
(ManagerNetworkProtocol) and `bmc` (a vendor's attributes of the BMC, where its dialect has them). Rules: DSP0266 9.10
(settings resources), 12.6 (updates), 13.3 (accounts); DSP0268 for the schemas.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import FormData

from drivers.dialects import Dialect
from drivers.redfish import RedfishClient, RedfishError, RedfishStatus, first_link, link, mapping, members
from drivers.redfish_connection import SERVICE_ROOT, PasswordChangeRequired

AREAS = ("bios", "system", "ntp", "bmc")
SYSTEM_SETTINGS = ("PowerRestorePolicy", "BootOrder")
NTP_SETTINGS = ("ProtocolEnabled", "NTPServers")
MOST_ACCOUNTS = 32
Settings = dict[str, dict[str, Any]]
"""{area: {name: value}}"""


@dataclass(frozen=True, slots=True)
class Account:
    """The account that we sign in with, and what the BMC demands of its password; 0: it says nothing."""

    path: str
    shortest: int = 0
    longest: int = 0
    locks_after: int = 0
    """Wrong passwords in a row that lock it."""


@dataclass(frozen=True, slots=True)
class SettingsRead:
    """What is in force, and what waits for the next start of the machine. An area that the BMC lacks is not there."""

    found: Settings
    pending: Settings = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Firmware:
    """One member of the firmware inventory."""

    path: str
    id: str
    name: str
    version: str


@dataclass(frozen=True, slots=True)
class Task:
    """How far an update is, in the words of TaskState."""

    path: str
    state: str
    percent: int | None
    message: str = ""


# ---- the account ----


async def account(client: RedfishClient, username: str) -> Account:
    """Raises RedfishError where no account has this name; PasswordChangeRequired is answered with where it is told."""
    try:
        service_path = link(await client.root(), "AccountService") or f"{SERVICE_ROOT}AccountService"
        service = await client.get(service_path)
    except PasswordChangeRequired as error:
        if not error.account:
            raise
        return Account(error.account)
    accounts = members(await client.get(link(service, "Accounts") or f"{service_path}/Accounts"))
    for path in accounts[:MOST_ACCOUNTS]:
        if (await client.get(path)).get("UserName") == username:
            return Account(
                path, _count(service, "MinPasswordLength"), _count(service, "MaxPasswordLength"),
                _count(service, "AccountLockoutThreshold"),
            )  # fmt: skip
    raise RedfishError(f"the BMC lists no account {username}")


def _count(resource: Mapping[str, Any], name: str) -> int:
    value = resource.get(name)
    return value if isinstance(value, int) and value > 0 else 0


async def set_password(client: RedfishClient, path: str, password: str) -> None:
    await client.patch(path, {"Password": password})


# ---- settings ----


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
        bios = await client.get(_needed(link(system, "Bios"), "BIOS attributes"))
        path = _needed(_settings_of(bios), "settings of the BIOS for the next start")
        times = mapping(bios, "@Redfish.Settings").get("SupportedApplyTimes")
        when = {"@Redfish.SettingsApplyTime": {"ApplyTime": "OnReset"}} if times and "OnReset" in times else {}
        await client.patch(path, {"Attributes": values, **when})
    if values := wanted.get("system"):
        await _write_system(client, system, values)
    manager_path = _needed(first_link(system, "ManagedBy"), "manager")
    manager = await client.get(manager_path)
    if values := wanted.get("ntp"):
        await client.patch(_needed(link(manager, "NetworkProtocol"), "time servers"), {"NTP": values})
    if values := wanted.get("bmc"):
        path = attributes_path(await client.dialect(), manager_path, manager)
        await client.patch(_needed(path, "attributes of the BMC"), {"Attributes": values})


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


def _needed(path: str | None, what: str) -> str:
    if not path:
        raise RedfishError(f"the BMC has no {what}")
    return path


# ---- firmware ----


async def read_firmware(client: RedfishClient) -> list[Firmware]:
    """The firmware inventory, without what a BMC keeps of earlier and future versions. Raises RedfishError."""
    service = await _update_service(client)
    rows = await client.all_of(link(service, "FirmwareInventory"))
    if rows is None:
        raise RedfishError("the BMC lists no firmware")
    told = [
        Firmware(str(row.get("@odata.id") or ""), *(str(row.get(key) or "") for key in ("Id", "Name", "Version")))
        for row in rows
    ]
    return [each for each in told if not each.id.startswith(("Previous", "Available"))]


async def _update_service(client: RedfishClient) -> dict[str, Any]:
    path = link(await client.root(), "UpdateService")
    service = await client.get_or_none(path)
    if service is None:
        raise RedfishError("the BMC has no UpdateService")
    return service


async def start_update(client: RedfishClient, image: str | Path, target: str) -> Task:
    """Let the BMC fetch an image from its address, or push a file to it. Raises RedfishError."""
    service = await _update_service(client)
    if isinstance(image, Path):
        path = service.get("MultipartHttpPushUri")
        with image.open("rb") as file:
            form = FormData()
            parameters = json.dumps({"Targets": [target], "@Redfish.OperationApplyTime": "Immediate"})
            form.add_field("UpdateParameters", parameters, content_type="application/json")
            form.add_field("UpdateFile", file, filename=image.name, content_type="application/octet-stream")
            answer, at = await client.order(
                _needed(path if isinstance(path, str) else "", "way to push firmware"), form
            )
    else:
        action = mapping(mapping(service, "Actions"), "#UpdateService.SimpleUpdate").get("target")
        body = {"ImageURI": image, "TransferProtocol": image.partition(":")[0].upper(), "Targets": [target]}
        answer, at = await client.order(_needed(str(action or ""), "way to fetch firmware"), body)
    task = _task(at or str(answer.get("@odata.id") or ""), answer)
    if not task.path:
        raise RedfishError("the BMC took the update and named no task to follow")
    return task


async def task(client: RedfishClient, path: str) -> Task | None:
    """How far it is; None where the BMC does not know the task any more."""
    answer = await client.get_or_none(path)
    return None if answer is None else _task(path, answer)


async def open_task(client: RedfishClient) -> Task | None:
    """The task that is under way, by which an update is found whose start nobody wrote down."""
    service = await client.get_or_none(link(await client.root(), "Tasks")) or {}
    for path in reversed(members(await client.get_or_none(link(service, "Tasks")) or {})):
        found = await task(client, path)
        if found is not None and found.state in ("New", "Starting", "Running", "Pending"):
            return found
    return None


def _task(path: str, answer: Mapping[str, Any]) -> Task:
    percent = answer.get("PercentComplete")
    messages = answer.get("Messages")
    said = [str(each.get("Message") or "") for each in messages or () if isinstance(each, Mapping)]
    return Task(
        path, str(answer.get("TaskState") or ""), percent if isinstance(percent, int) else None,
        next((text for text in reversed(said) if text), ""),
    )  # fmt: skip
