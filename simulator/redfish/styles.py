"""How the BMCs of the virtual hall differ by vendor, as data: ids, offers, refusals, logs, virtual media.

Each is written after recordings of that vendor's BMC, not after our driver: NVIDIA/libredfish tests/mockups (dell, hpe,
lenovo, supermicro, nvidia_viking), for virtual media the vendors' documents and what openstack/sushy met.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

ROOT = "/redfish/v1"
MOST_RESETS = ("On", "ForceOff", "ForceRestart", "GracefulRestart", "GracefulShutdown", "PushPowerButton", "Nmi")
RESET_TYPES = (*MOST_RESETS, "PowerCycle")
BOOT_TARGETS = ("None", "Pxe", "Floppy", "Cd", "Hdd", "BiosSetup", "Utilities", "UefiTarget", "SDCard", "UefiHttp")
LED_STATES = ("Lit", "Blinking", "Off")
VIRTUAL_CD = "VirtualCd"
"""A boot target of ours alone: the virtual CD, chosen in a vendor's own way."""


@dataclass(frozen=True)
class Log:
    """A log service: whose it is, its id, its name, and whether it holds the SEL or the everyday log."""

    owner: Literal["manager", "system"]
    id: str
    name: str
    holds: Literal["sel", "lifecycle"]


@dataclass(frozen=True)
class Style:
    """One vendor's BMC.

    `resets_by_info`: the reset types stand in an ActionInfo. `light`: the properties that switch the light.
    `settings`: the id of the resource that alone takes boot overrides; none: the system takes them. `etag`: a PATCH
    without If-Match is refused. `media_by`: how an image is inserted; `transfer`: InsertMedia wants the transfer named.
    `media_refuses`: parameters that InsertMedia refuses. `cd_boots`: the targets that start the virtual CD.
    `board`: it shows the GPU board and its BMC, listed before the host.
    """

    root: dict[str, Any]
    manufacturer: str
    system_id: str = "1"
    chassis_id: str = "1"
    manager_id: str = "1"
    nic_id: str = "1"
    manager_model: str = ""
    firmware: str = "1.00"
    sku: str = ""
    resets: tuple[str, ...] = RESET_TYPES
    resets_by_info: bool = False
    boot_targets: tuple[str, ...] = BOOT_TARGETS
    boot_modes: tuple[str, ...] = ("UEFI", "Legacy")
    settings: str = ""
    etag: bool = False
    light: tuple[str, ...] = ("IndicatorLED",)
    light_words: tuple[str, ...] = LED_STATES
    logs: tuple[Log, ...] = ()
    registry: str = ""
    media_owner: Literal["manager", "system"] = "manager"
    media: tuple[tuple[str, tuple[str, ...]], ...] = (("CD1", ("CD", "DVD")),)
    media_by: Literal["action", "patch"] = "action"
    media_refuses: tuple[str, ...] = ()
    transfer: bool = False
    cd_boots: tuple[str, ...] = ("Cd",)
    board: bool = False

    @property
    def system(self) -> str:
        return f"{ROOT}/Systems/{self.system_id}"

    @property
    def chassis(self) -> str:
        return f"{ROOT}/Chassis/{self.chassis_id}"

    @property
    def manager(self) -> str:
        return f"{ROOT}/Managers/{self.manager_id}"

    @property
    def nic(self) -> str:
        return f"{self.system}/EthernetInterfaces/{self.nic_id}"

    @property
    def other_nic_id(self) -> str:
        """Of the port beside it: `2` after `1`, `NIC.Embedded.2-1-1` after `NIC.Embedded.1-1-1`."""
        return self.nic_id.replace("1", "2", 1)

    @property
    def other_nic(self) -> str:
        return f"{self.system}/EthernetInterfaces/{self.other_nic_id}"

    @property
    def boot_at(self) -> str:
        """The resource that takes boot overrides."""
        return f"{self.system}/{self.settings}" if self.settings else self.system

    def of(self, owner: str) -> str:
        return self.manager if owner == "manager" else self.system


_HOST_CD = ("CD", "DVD")
STANDARD = Style(
    root={"Vendor": "Example"},
    manufacturer="Example",
    manager_model="Example BMC",
    light=("LocationIndicatorActive",),
    logs=(Log("manager", "Event", "Event log", "sel"),),
)
STYLES: dict[str, Style] = {
    "Dell": Style(
        root={"Vendor": "Dell", "Product": "Integrated Dell Remote Access Controller"},
        manufacturer="Dell Inc.",
        system_id="System.Embedded.1",
        chassis_id="System.Embedded.1",
        manager_id="iDRAC.Embedded.1",
        nic_id="NIC.Embedded.1-1-1",
        manager_model="16G Monolithic",
        firmware="7.10.30.00",
        light=("IndicatorLED", "LocationIndicatorActive"),
        logs=(
            Log("manager", "Sel", "SEL Log Service", "sel"),
            Log("manager", "Lclog", "Lifecycle Controller Log Service", "lifecycle"),
        ),
        registry="IDRAC.2.9",
        media_owner="system",
        media=(("1", ("CD", "DVD", "USBStick")), ("2", ("CD", "DVD", "USBStick"))),
        cd_boots=(VIRTUAL_CD,),
    ),
    "HPE": Style(
        root={
            "Vendor": "HPE",
            "Product": "ProLiant XD670",
            "Oem": {"Hpe": {"Manager": [{"ManagerType": "iLO 6", "ManagerFirmwareVersion": "1.58"}]}},
        },
        manufacturer="HPE",
        manager_model="iLO 6",
        firmware="iLO 6 v1.58",
        sku="P54903-B21",
        resets=MOST_RESETS,
        light_words=("Lit", "Off"),
        logs=(
            Log("manager", "IEL", "iLO Event Log", "lifecycle"),
            Log("system", "IML", "Integrated Management Log", "sel"),
        ),
        media=(("1", ("Floppy", "USBStick")), ("2", _HOST_CD)),
        cd_boots=(VIRTUAL_CD,),
    ),
    "Lenovo": Style(
        root={"Vendor": "Lenovo"},
        manufacturer="Lenovo",
        manager_model="Lenovo XClarity Controller 2",
        firmware="ESX320L 3.90 2025-02-11",
        sku="7Z23CTO1WW",
        resets=("On", "Nmi", "GracefulShutdown", "GracefulRestart", "ForceOff", "ForceRestart"),
        boot_modes=("UEFI",),
        etag=True,
        logs=(
            Log("system", "PlatformLog", "Platform log", "sel"),
            Log("system", "AuditLog", "Audit log", "lifecycle"),
        ),
        media=(("RDOC1", _HOST_CD), ("EXT1", (*_HOST_CD, "Floppy", "USBStick")), ("EXT2", _HOST_CD)),
        media_by="patch",
    ),
    "Supermicro": Style(
        root={"Vendor": "Supermicro", "Oem": {"Supermicro": {}}},
        manufacturer="Supermicro",
        manager_model="ASPEED",
        firmware="01.00.15",
        sku="0x1D1415D9",
        resets_by_info=True,
        boot_targets=("None", "Pxe", "Floppy", "Cd", "Usb", "Hdd", "BiosSetup", "UsbCd", "UefiBootNext"),
        logs=(
            Log("manager", "Log1", "Maintenance event log", "lifecycle"),
            Log("system", "Log1", "Health event log", "sel"),
        ),
        media_refuses=("Inserted", "WriteProtected"),
        cd_boots=("UsbCd",),
    ),
    "NVIDIA": Style(
        root={"Vendor": "AMI", "Product": "AMI Redfish Server", "Oem": {"Ami": {"RtpVersion": "13.03"}}},
        manufacturer="NVIDIA",
        system_id="DGX",
        chassis_id="DGX",
        manager_id="BMC",
        manager_model="DGX BMC",
        firmware="24.09.17",
        resets=("ForceOff", "ForceRestart", "GracefulShutdown", "On"),
        resets_by_info=True,
        boot_modes=("UEFI",),
        settings="SD",
        etag=True,
        logs=(
            Log("manager", "AuditLog", "Audit log", "lifecycle"),
            Log("manager", "SEL", "System event log", "sel"),
        ),
        transfer=True,
        board=True,
    ),
}
"""By the vendor of the device model."""


def style_of(vendor: str) -> Style:
    return STYLES.get(vendor, STANDARD)
