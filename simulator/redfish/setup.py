"""What a BMC lets others set up: its account, BIOS and BMC attributes, time servers, and firmware with its tasks.

BIOS attributes wait in the settings resource for the next start (DSP0266, 9.10). Wrong passwords lock the account for
a while, as AccountService says. A firmware task goes on with the time; the fault `firmware_task` lets it fail, hang at
99 %, or be gone once the BMC itself restarted.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from simulator.redfish import resources as show
from simulator.redfish.styles import ROOT

if TYPE_CHECKING:
    from simulator.state import Machine

LOCKOUT_THRESHOLD = 6
LOCKOUT_S = 60.0
PASSWORD_LENGTHS = (8, 20)
"""Twenty bytes are what IPMI 2.0 has room for."""
ACCOUNT = f"{ROOT}/AccountService/Accounts/2"
UPDATE = f"{ROOT}/UpdateService"
TASKS = f"{ROOT}/TaskService/Tasks"
POLICIES = ("AlwaysOn", "AlwaysOff", "LastState")
BIOS = {
    "ProcVirtualization": "Enabled", "SriovGlobalEnable": "Disabled", "LogicalProc": "Enabled",
    "SysProfile": "PerfPerWattOptimizedDapc", "PxeDev1EnDis": "Enabled", "NumLock": "On", "AcPwrRcvryUserDelay": 60,
}  # fmt: skip
CHOICES: dict[str, tuple[Any, ...]] = {
    "ProcVirtualization": ("Enabled", "Disabled"), "SriovGlobalEnable": ("Enabled", "Disabled"),
    "LogicalProc": ("Enabled", "Disabled"), "PxeDev1EnDis": ("Enabled", "Disabled"),
    "SysProfile": ("PerfPerWattOptimizedDapc", "PerfOptimized", "Custom"), "NumLock": ("On", "Off"),
}  # fmt: skip
BOOT_ORDER = ("Boot0003", "Boot0000")
NTP = {"ProtocolEnabled": False, "NTPServers": ["", "", ""]}
_VERSION = re.compile(r"_(\d[\w.\-]*?)\.(?:bin|fwpkg|exe|d9|pkg)$", re.IGNORECASE)


class Refusal(Exception):
    """An answer 400 with its message id."""

    def __init__(self, message_id: str, text: str) -> None:
        super().__init__(text)
        self.message_id = message_id


# ---- the account ----


def knows(machine: Machine, common: str, password: str, now: float) -> bool:
    """Whether this is the account's password; while it is locked the right one is none either."""
    kept = machine.state.setup
    if now < kept.locked_until:
        return False
    if hmac.compare_digest(password.encode(), (kept.password or common).encode()):
        kept.wrong_logins = 0
        return True
    kept.wrong_logins += 1
    if kept.wrong_logins >= LOCKOUT_THRESHOLD:
        kept.wrong_logins, kept.locked_until = 0, now + LOCKOUT_S
    return False


def must_change(machine: Machine) -> bool:
    return machine.fault("password_expired") is not None and not machine.state.setup.password


def change_account(machine: Machine, body: Mapping[str, Any]) -> None:
    """PATCH of the account. Raises Refusal."""
    password = body.get("Password")
    if not isinstance(password, str):
        raise Refusal("Base.1.18.PropertyMissing", "Only the Password of this account is changed here.")
    least, most = PASSWORD_LENGTHS
    if not least <= len(password) <= most:
        raise Refusal("Base.1.18.PropertyValueFormatError", f"A password has {least} to {most} characters.")
    machine.state.setup.password = password


# ---- settings ----


def bios(machine: Machine) -> dict[str, Any]:
    return {**BIOS, **machine.state.setup.bios}


def change_bios(machine: Machine, body: Mapping[str, Any]) -> None:
    """PATCH of the settings resource: it waits for the next start. Raises Refusal, and then nothing waits."""
    asked = body.get("Attributes")
    if not isinstance(asked, dict):
        raise Refusal("Base.1.18.PropertyMissing", "Attributes is missing.")
    for name, value in asked.items():
        if name not in BIOS:
            raise Refusal("Base.1.18.PropertyUnknown", f"The BIOS has no attribute {name}.")
        if name in CHOICES and value not in CHOICES[name]:
            raise Refusal("Base.1.18.PropertyValueNotInList", f"{value!r} is no value of {name}.")
    machine.state.setup.bios_pending |= asked


def change_system(machine: Machine, body: Mapping[str, Any]) -> None:
    """PowerRestorePolicy and BootOrder. Raises Refusal."""
    kept = machine.state.setup
    if "PowerRestorePolicy" in body:
        if body["PowerRestorePolicy"] not in POLICIES:
            raise Refusal("Base.1.18.PropertyValueNotInList", f"PowerRestorePolicy is one of {', '.join(POLICIES)}.")
        kept.power_restore = body["PowerRestorePolicy"]
    order = (body.get("Boot") or {}).get("BootOrder")
    if order is not None:
        if sorted(order) != sorted(BOOT_ORDER):
            raise Refusal("Base.1.18.PropertyValueNotInList", f"BootOrder has each of {', '.join(BOOT_ORDER)} once.")
        kept.boot_order = list(order)


def change_protocols(machine: Machine, body: Mapping[str, Any]) -> None:
    machine.state.setup.ntp |= {key: value for key, value in (body.get("NTP") or {}).items() if key in NTP}


def change_attributes(machine: Machine, asked: Mapping[str, Any]) -> None:
    """Dell's attributes of the BMC, beside those that choose the next start."""
    machine.state.setup.attributes |= {key: value for key, value in asked.items() if not key.startswith("ServerBoot")}


def started(machine: Machine) -> None:
    """The machine starts: what waited is in force."""
    kept = machine.state.setup
    kept.bios |= kept.bios_pending
    kept.firmware |= kept.firmware_pending
    kept.bios_pending, kept.firmware_pending = {}, {}


# ---- firmware ----


def update(machine: Machine, image: str, targets: list[Any], now: float, takes_s: float) -> str:
    """Begin an update and return the path of its task. Raises Refusal."""
    inventory = show.firmware(machine)
    names = [str(target).rpartition("/")[2] for target in targets]
    found = _VERSION.search(urlsplit(image).path)
    if len(names) != 1 or names[0] not in inventory:
        raise Refusal("Base.1.18.ActionParameterValueError", "Targets is one member of the firmware inventory.")
    if found is None:
        raise Refusal("Update.1.0.VerificationFailed", f"{image} is no image of this machine.")
    if any(_state(machine, task, now)[0] == "Running" for task in machine.state.setup.tasks):
        raise Refusal("Base.1.18.ResourceInUse", "Another update is running.")
    number = str(max((int(task["id"]) for task in machine.state.setup.tasks), default=0) + 1)
    machine.state.setup.tasks.append(
        {"id": number, "began": now, "takes_s": takes_s, "component": names[0].rpartition("__")[2],
         "version": found[1], "done": False}
    )  # fmt: skip
    machine.touch()
    return f"{TASKS}/{number}"


def _state(machine: Machine, task: dict[str, Any], now: float) -> tuple[str, int]:
    """TaskState and percent."""
    fault = machine.fault("firmware_task")
    ends = str(fault.params["ends"]) if fault else "well"
    percent = min(100, int(100 * (now - task["began"]) / max(task["takes_s"], 0.001)))
    if task["done"] or (ends == "well" and percent >= 100):
        return "Completed", 100
    if ends == "failure" and percent >= 50:
        return "Exception", 50
    return "Running", min(percent, 99)


def follow_tasks(machine: Machine, now: float) -> None:
    """What the time brought: an update that is complete is in force, or waits for the next start of the machine."""
    kept, fault = machine.state.setup, machine.fault("firmware_task")
    for task in [task for task in kept.tasks if not task["done"]]:
        lost = fault is not None and fault.params["ends"] == "lost" and now - task["began"] >= task["takes_s"]
        if not lost and _state(machine, task, now)[0] != "Completed":
            continue
        task["done"] = True
        own_bmc = task["component"].startswith(show.style(machine).manager_id)
        (kept.firmware if own_bmc else kept.firmware_pending)[task["component"]] = task["version"]
        if lost:
            kept.tasks.remove(task)
        machine.touch()


def task(machine: Machine, number: str, now: float) -> dict[str, Any] | None:
    found = next((task for task in machine.state.setup.tasks if task["id"] == number), None)
    if found is None:
        return None
    state, percent = _state(machine, found, now)
    failed = state == "Exception"
    message = "The image could not be written." if failed else "The update is running."
    return show.resource(
        f"{TASKS}/{number}", "Task.v1_7_3.Task", Id=number, Name="Update", TaskState=state, PercentComplete=percent,
        TaskStatus="Critical" if failed else "OK",
        Messages=[{"MessageId": "Update.1.0.TransferFailed" if failed else "Update.1.0.UpdateInProgress",
                   "Message": message}],
    )  # fmt: skip


# ---- resources ----


def resources(machine: Machine, user: str, now: float) -> dict[str, dict[str, Any]]:
    """By path, all that is shown of these."""
    own, kept = show.style(machine), machine.state.setup
    least, most = PASSWORD_LENGTHS
    at_bios = f"{own.system}/Bios"
    tasks = [task["id"] for task in kept.tasks]
    return {
        f"{ROOT}/AccountService": show.resource(
            f"{ROOT}/AccountService", "AccountService.v1_15_0.AccountService", Id="AccountService",
            Name="Account Service", MinPasswordLength=least, MaxPasswordLength=most,
            AccountLockoutThreshold=LOCKOUT_THRESHOLD, AccountLockoutDuration=int(LOCKOUT_S),
            Accounts=show.link(f"{ROOT}/AccountService/Accounts"),
        ),
        f"{ROOT}/AccountService/Accounts": show.collection(
            f"{ROOT}/AccountService/Accounts", "ManagerAccount", ["1", "2"]
        ),
        f"{ROOT}/AccountService/Accounts/1": show.resource(
            f"{ROOT}/AccountService/Accounts/1", "ManagerAccount.v1_12_0.ManagerAccount", Id="1", Name="User Account",
            UserName="", Enabled=False, Password=None,
        ),
        ACCOUNT: show.resource(
            ACCOUNT, "ManagerAccount.v1_12_0.ManagerAccount", Id="2", Name="User Account", UserName=user, Enabled=True,
            RoleId="Administrator", Password=None, Locked=now < kept.locked_until,
        ),
        at_bios: show.resource(
            at_bios, "Bios.v1_2_2.Bios", Id="Bios", Name="BIOS", Attributes=bios(machine),
            **{"@Redfish.Settings": {
                "@odata.type": "#Settings.v1_3_5.Settings", "SettingsObject": show.link(f"{at_bios}/Settings"),
                "SupportedApplyTimes": ["OnReset"]}},
        ),
        f"{at_bios}/Settings": show.resource(
            f"{at_bios}/Settings", "Bios.v1_2_2.Bios", Id="Settings", Name="BIOS settings of the next start",
            Attributes=dict(kept.bios_pending),
        ),
        f"{own.manager}/NetworkProtocol": show.resource(
            f"{own.manager}/NetworkProtocol", "ManagerNetworkProtocol.v1_9_1.ManagerNetworkProtocol",
            Id="NetworkProtocol", Name="Network protocols", NTP={**NTP, **kept.ntp},
        ),
        UPDATE: show.resource(
            UPDATE, "UpdateService.v1_14_0.UpdateService", Id="UpdateService", Name="Update Service",
            ServiceEnabled=True, FirmwareInventory=show.link(f"{UPDATE}/FirmwareInventory"),
            MultipartHttpPushUri=f"{UPDATE}/upload",
            Actions={"#UpdateService.SimpleUpdate": {
                "target": f"{UPDATE}/Actions/UpdateService.SimpleUpdate",
                "TransferProtocol@Redfish.AllowableValues": ["HTTP", "HTTPS"]}},
        ),
        f"{ROOT}/TaskService": show.resource(
            f"{ROOT}/TaskService", "TaskService.v1_2_1.TaskService", Id="TaskService", Name="Task Service",
            Tasks=show.link(TASKS),
        ),
        TASKS: show.collection(TASKS, "Task", tasks),
    }  # fmt: skip
