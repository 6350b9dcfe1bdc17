"""A vendor's own collection at a BMC: SupportAssist (TSR) of an iDRAC as a job, the Active Health System log of an iLO.

As dell/iDRAC-Redfish-Scripting meets them (SupportAssistCollectionLocalREDFISH.py): the action answers 202 with the
job's task in `Location`, the task that is over has the place of the zip in its own `Location`.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from simulator.redfish import resources as show
from simulator.redfish import setup
from simulator.redfish.styles import ROOT, Style

if TYPE_CHECKING:
    from simulator.state import Machine

ACTION = "DellLCService.SupportAssistCollection"
TSR = f"{ROOT}/Dell/sacollect.zip"
SELECTORS = ("HWData", "OSAppData", "OSAppDataWithoutPII", "TTYLogs", "DebugLogs", "GPULogs")


@dataclass
class Collection:
    """One job, from its order on."""

    number: str
    began: float
    takes_s: float


_OF: WeakKeyDictionary[Machine, Collection] = WeakKeyDictionary()


def lc_service(own: Style) -> str:
    return f"{own.manager}/Oem/Dell/DellLCService"


def health_system(own: Style) -> str:
    return f"{own.manager}/ActiveHealthSystem"


def resources(machine: Machine, now: float) -> dict[str, dict[str, Any]]:
    """By path, all that is shown of these."""
    own = show.style(machine)
    vendor = own.root["Vendor"]
    if vendor == "Dell":
        at = lc_service(own)
        action = {"target": f"{at}/Actions/{ACTION}", "DataSelectorArrayIn@Redfish.AllowableValues": list(SELECTORS),
                  "ShareType@Redfish.AllowableValues": ["Local", "NFS", "CIFS", "HTTP", "HTTPS"]}  # fmt: skip
        found = {at: show.resource(at, "DellLCService.v1_9_0.DellLCService", Id="DellLCService", Name="DellLCService",
                                   Actions={f"#{ACTION}": action})}  # fmt: skip
        job = _OF.get(machine)
        return found | ({f"{setup.TASKS}/{job.number}": _task(machine, job, now)} if job is not None else {})
    if vendor == "HPE":
        at = health_system(own)
        return {
            at: {
                "@odata.id": at, "@odata.type": "#HpeiLOActiveHealthSystem.v2_6_0.HpeiLOActiveHealthSystem",
                "Id": "ActiveHealthSystem", "Name": "Active Health System", "AHSEnabled": True,
                "Links": {"AHSLocation": {"extref": ahs_path(machine)}},
            }
        }  # fmt: skip
    return {}


def order(machine: Machine, body: Mapping[str, Any], now: float, takes_s: float) -> str:
    """Begin a collection and return the path of its task. Raises setup.Refusal."""
    if body.get("ShareType") != "Local":
        raise setup.Refusal("IDRAC.2.9.SYS403", "Unable to complete the operation: only ShareType Local has room here.")
    chosen = body.get("DataSelectorArrayIn")
    if not isinstance(chosen, list) or not chosen or not set(chosen) <= set(SELECTORS):
        raise setup.Refusal("IDRAC.2.9.SYS403", "DataSelectorArrayIn has a value that is not supported.")
    running = _OF.get(machine)
    if running is not None and now - running.began < running.takes_s:
        raise setup.Refusal("IDRAC.2.9.SRV095", "A SupportAssist collection is running already.")
    number = f"JID_{int(now * 1000) % 10**12:012d}"
    _OF[machine] = Collection(number, now, takes_s)
    return f"{setup.TASKS}/{number}"


def _task(machine: Machine, job: Collection, now: float) -> dict[str, Any]:
    over = now - job.began >= job.takes_s
    percent = 100 if over else min(99, int(100 * (now - job.began) / max(job.takes_s, 0.001)))
    message = (
        "The SupportAssist Collection Operation is completed successfully."
        if over else "The SupportAssist collection operation is in progress."
    )  # fmt: skip
    return show.resource(
        f"{setup.TASKS}/{job.number}", "Task.v1_7_3.Task", Id=job.number, Name="SupportAssist Collection",
        TaskState="Completed" if over else "Running", TaskStatus="OK", PercentComplete=percent,
        Messages=[{"MessageId": "IDRAC.2.9.SRV088" if over else "IDRAC.2.9.SRV087", "Message": message}],
    )  # fmt: skip


def place_of(machine: Machine, path: str, now: float) -> str:
    """`Location` of a task that is over; empty otherwise."""
    job = _OF.get(machine)
    if job is None or path != f"{setup.TASKS}/{job.number}" or now - job.began < job.takes_s:
        return ""
    return TSR


def ahs_path(machine: Machine) -> str:
    return f"/ahsdata/HPE_{show.serial(machine)}.ahs"


def content(machine: Machine, path: str, now: float) -> bytes | None:
    """The file at this path, or None."""
    job = _OF.get(machine)
    if path == TSR and job is not None and now - job.began >= job.takes_s:
        return _tsr(machine)
    if path == ahs_path(machine) and show.style(machine).root["Vendor"] == "HPE":
        return b"HPE AHS\0" + json.dumps({"serial": show.serial(machine), "sel": machine.state.sel}).encode()
    return None


def _tsr(machine: Machine) -> bytes:
    """A zip as SupportAssist packs it: the inventory and the lifecycle log, below tsr/."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("tsr/metadata.json", json.dumps({"ServiceTag": show.serial(machine)}))
        inventory = {slot: part.serial for slot, part in machine.state.parts.items()}
        packed.writestr("tsr/hardware/inventory/inventory.json", json.dumps(inventory))
        packed.writestr("tsr/hardware/lclog.json", json.dumps(machine.state.lifecycle_log))
    return target.getvalue()
