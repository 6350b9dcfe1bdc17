"""What a vendor's BMC does in its own way, as data; the defaults are DMTF Redfish (DSP0266, DSP0268) as it is written.

A vendor is one module here: a `Dialect`, and a class of it only where one answer is not a matter of data. Nothing here
asks anything: `drivers.redfish` reads the resources, follows the links and sends what a dialect says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Write:
    """One request that changes something: PATCH of a resource, or POST to the target of an action."""

    method: str
    path: str
    body: Mapping[str, Any]


@dataclass(frozen=True)
class Dialect:
    """One vendor's BMCs. Names of members are never needed to find a resource: links lead there.

    `vendors`: words (lower case) by which the BMC says whose it is: `Vendor` or a key of `Oem` in the service root,
    `Manufacturer` of the system, `Manufacturer` or `Model` of the manager.
    `names`: a pattern over model and firmware of the manager, and what the vendor calls such a BMC (`\\1` as in `re`).
    `serial`: where the number on the label stands in the system, best first.
    `logs`: the log services that tell of the hardware: whose they are (manager, system, board) and their ids; none:
    those of the manager, else of the system, that any vendor's name fits.
    `log_place`, `log_mended`: in an entry's `Oem.<key>`, the part it is about, and that it is over.
    `light_on`: the word of `IndicatorLED` that a technician sees; `LocationIndicatorActive` goes before it.
    `boot_mode`: sent as `BootSourceOverrideMode` with every override; none: left as it is.
    `boot_settings`: an override goes to `@Redfish.Settings` where that resource lists it, as DSP0266 has it.
    `cd_target`: the boot target that is a virtual CD.
    `media_slot`: ids of the virtual media that take an image from the network; none: every one that takes a CD.
    `media_protocol`: InsertMedia wants `TransferProtocolType` and `TransferMethod`; others are asked first without.
    """

    slug: str
    vendor: str
    bmc: str
    source: str
    vendors: tuple[str, ...] = ()
    names: tuple[tuple[str, str], ...] = ()
    serial: tuple[str, ...] = ("SerialNumber", "SKU")
    logs: tuple[tuple[str, str], ...] = ()
    log_place: tuple[str, str] | None = None
    log_mended: tuple[str, str] | None = None
    light_on: str = "Blinking"
    boot_mode: str = ""
    boot_settings: bool = True
    cd_target: str = "Cd"
    media_slot: str = ""
    media_protocol: bool = False

    def name_of(self, manager: Mapping[str, Any] | None) -> str:
        """What the vendor calls this BMC: `iDRAC 9`, `iLO 6`, `XCC`."""
        told = manager or {}
        text = " ".join(str(told.get(key) or "") for key in ("Model", "FirmwareVersion"))
        for pattern, name in self.names:
            if found := re.search(pattern, text):
                return found.expand(name)
        return self.bmc

    def serial_of(self, system: Mapping[str, Any]) -> str:
        """The number on the machine's label; empty where the BMC gives none."""
        told = (str(system.get(key) or "").strip() for key in self.serial)
        return next((number for number in told if number), "")

    def boot_override(self, target: str) -> dict[str, Any]:
        """The body that lets the next start, and only that one, come from `target`."""
        boot = {"BootSourceOverrideTarget": target, "BootSourceOverrideEnabled": "Once"}
        return {"Boot": {**boot, **({"BootSourceOverrideMode": self.boot_mode} if self.boot_mode else {})}}

    def takes_image(self, media: Mapping[str, Any]) -> bool:
        """Whether a virtual medium is a CD that may hold an image from the network."""
        kinds = media.get("MediaTypes")
        is_cd = isinstance(kinds, list) and bool({"CD", "DVD"} & {str(kind) for kind in kinds})
        return is_cd and bool(re.fullmatch(self.media_slot or ".*", str(media.get("Id") or "")))

    def insertion(self, image: str, *, protocol: bool) -> dict[str, Any]:
        """The body of InsertMedia. `Inserted` and `WriteProtected` are true by default and refused by some."""
        if not protocol:
            return {"Image": image}
        kind = "HTTPS" if image.startswith("https:") else "HTTP"
        return {"Image": image, "TransferProtocolType": kind, "TransferMethod": "Stream"}

    def attributes_at(self, manager: Mapping[str, Any]) -> str:
        """The path of the vendor's own attributes of the BMC at `manager`, which has its `@odata.id`; empty: none."""
        return ""

    def boot_from_media(self, media: str, manager: Mapping[str, Any]) -> Write | None:
        """What lets the next start come from the virtual CD at `media`; None: `boot_override` of `cd_target` does."""
        return None


STANDARD = Dialect(
    slug="standard",
    vendor="",
    bmc="plain Redfish",
    source="DMTF DSP0266 (protocol) and DSP0268 (schemas)",
)
"""What is spoken to a BMC of a vendor that nobody described yet."""
