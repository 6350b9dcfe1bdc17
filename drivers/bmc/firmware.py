"""Firmware of a machine: the inventory, an update, and its task (DSP0266 12.6)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiohttp import FormData

from drivers.bmc.settings import needed
from drivers.redfish import RedfishClient, RedfishError, link, mapping, members


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
            answer, at = await client.order(needed(path if isinstance(path, str) else "", "way to push firmware"), form)
    else:
        action = mapping(mapping(service, "Actions"), "#UpdateService.SimpleUpdate").get("target")
        body = {"ImageURI": image, "TransferProtocol": image.partition(":")[0].upper(), "Targets": [target]}
        answer, at = await client.order(needed(str(action or ""), "way to fetch firmware"), body)
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
