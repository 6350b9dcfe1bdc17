"""A vendor's own collection of logs at its BMC: ordered, followed to its end, fetched.

    ordered = await order(client)                 # what to follow, or where it lies already
    stand = await follow(client, ordered.task)
    content = await client.download(stand.place, most_bytes)

Dell: SupportAssist collection (TSR) to a local share, as dell/iDRAC-Redfish-Scripting does it
(SupportAssistCollectionLocalREDFISH.py). HPE: Active Health System log, as the iLO Redfish reference and
HewlettPackard/python-redfish-utility (serverlogs) fetch it. Others: LogService.CollectDiagnosticData (DMTF DSP2046).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from drivers.redfish import RedfishClient, RedfishError, link, mapping, members

AHS_DAYS = 7
_ENDED = ("Completed", "CompletedOK", "Exception", "Killed", "Cancelled", "CompletedWithErrors", "Interrupted")
_WELL = ("Completed", "CompletedOK", "CompletedWithErrors")


class NoCollection(RedfishError):
    """The BMC offers none."""


@dataclass(frozen=True, slots=True)
class Ordered:
    """`task` is to be followed; without one it lies at `place` already. `name` of the file it becomes."""

    name: str
    task: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class Stand:
    """How far a task is: `place` where its file lies once it ended well."""

    over: bool
    well: bool
    percent: int | None
    place: str = ""
    message: str = ""


async def order(client: RedfishClient, today: date) -> Ordered:
    """Let the BMC collect, in its vendor's way. Raises NoCollection, RedfishError."""
    slug = (await client.dialect()).slug
    manager = await client.manager()
    if slug == "dell":
        return await _dell(client, manager)
    if slug == "hpe":
        return await _hpe(client, manager, today)
    return await _standard(client, manager)


async def _dell(client: RedfishClient, manager: Mapping[str, Any]) -> Ordered:
    links: Any = mapping(mapping(mapping(manager, "Links"), "Oem"), "Dell")
    service = await client.get_or_none(link(links, "DellLCService"))
    target = _target(service or {}, "#DellLCService.SupportAssistCollection")
    if not target:
        raise NoCollection("the BMC offers no SupportAssist collection")
    # `Filter` leaves out what identifies users and networks.
    body = {"ShareType": "Local", "DataSelectorArrayIn": ["HWData", "DebugLogs"], "Filter": "Yes"}
    _, task = await client.order(target, body)
    if not task:
        raise RedfishError("the BMC took the order for a SupportAssist collection and named no job to follow")
    return Ordered("vendor/tsr.zip", task)


async def _hpe(client: RedfishClient, manager: Mapping[str, Any], today: date) -> Ordered:
    links = mapping(mapping(mapping(manager, "Oem"), "Hpe"), "Links")
    health = await client.get_or_none(link(links, "ActiveHealthSystem"))
    place = mapping(mapping(health or {}, "Links"), "AHSLocation").get("extref")
    if not isinstance(place, str) or not place.startswith("/"):
        raise NoCollection("the iLO offers no Active Health System log")
    since = today - timedelta(days=AHS_DAYS)
    return Ordered("vendor/active-health-system.ahs", place=f"{place}?from={since}&&to={today}")


async def _standard(client: RedfishClient, manager: Mapping[str, Any]) -> Ordered:
    services = members(await client.get_or_none(link(manager, "LogServices")) or {})
    for path in services:
        target = _target(await client.get_or_none(path) or {}, "#LogService.CollectDiagnosticData")
        if target:
            _, task = await client.order(target, {"DiagnosticDataType": "Manager"})
            if not task:
                raise RedfishError("the BMC took the order for diagnostic data and named no task to follow")
            return Ordered("vendor/diagnostic-data.bin", task)
    raise NoCollection("the BMC offers no collection of diagnostic data")


def _target(resource: Mapping[str, Any], action: str) -> str:
    found = mapping(mapping(resource, "Actions"), action).get("target")
    return found if isinstance(found, str) else ""


async def follow(client: RedfishClient, task: str) -> Stand:
    """How far it is. A task that the BMC does not know any more ended badly. Raises RedfishError."""
    if await client.get_or_none(task) is None:
        return Stand(True, False, None, message="the BMC does not know the job any more")
    answer, place = await client.get_with_place(task)
    state, percent = str(answer.get("TaskState") or ""), answer.get("PercentComplete")
    said = [str(each.get("Message") or "") for each in answer.get("Messages") or () if isinstance(each, Mapping)]
    message = next((text for text in reversed(said) if text), state)
    well = state in _WELL
    if well and place and not place.endswith((".zip", ".bin", ".tar.gz", ".tar.xz")):
        # The standard's task leads to an entry of the log, and that to the data.
        place = str((await client.get_or_none(place) or {}).get("AdditionalDataURI") or "")
    if well and not place:
        return Stand(True, False, None, message="the job ended well and named no file")
    return Stand(state in _ENDED, well, percent if isinstance(percent, int) else None, place, message)
