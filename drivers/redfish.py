"""What is asked of a BMC over Redfish, and what it is told to do, in the dialect of its vendor (`drivers.dialects`).

async with RedfishClient("https://10.0.0.5", "root", password, pinned=None) as bmc:
    system = await bmc.system()
    record(bmc.fingerprint)
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from drivers.dialects import BOARD, Dialect, Write, dialect_of, vendor_of
from drivers.redfish_connection import (
    SERVICE_ROOT,
    CertificateChanged,
    RedfishAuthError,
    RedfishConnection,
    RedfishError,
    RedfishStatus,
    RedfishTimedOut,
    RedfishUnlicensed,
    RedfishUnreachable,
    first_link,
    link,
    mapping,
    members,
)

__all__ = [
    "BmcAnswers",
    "CertificateChanged",
    "MediaInUse",
    "NoVirtualCd",
    "RedfishAuthError",
    "RedfishClient",
    "RedfishError",
    "RedfishStatus",
    "RedfishTimedOut",
    "RedfishUnlicensed",
    "RedfishUnreachable",
    "first_link",
    "link",
    "mapping",
    "members",
]

POWER_WORDS = {
    "on": "On",
    "off": "ForceOff",
    "graceful_off": "GracefulShutdown",
    "reset": "ForceRestart",
    "cycle": "PowerCycle",
}
"""What our power actions are called in `ResetType`."""
MOST_MEMBERS = 64
"""Of one collection, where a BMC gives its members only one by one."""
LIGHT_WORDS = ("Blinking", "Lit")
Media = Mapping[str, Any]
"""One virtual medium as its BMC shows it."""


class NoVirtualCd(RedfishError):
    """The BMC has no virtual CD that takes an image from the network."""


class MediaInUse(RedfishError):
    """Every virtual CD holds an image that is not ours to take out."""


def _anybody(media: Media) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class BmcAnswers:
    """Resources of one BMC as it gave them; None where it has no such resource.

    The newer trees are asked where the older tell nothing: in `thermal_subsystem` and `power_subsystem` the members of
    `Fans` and `PowerSupplies` stand in the place of the link, with their `Metrics`; `sensors` is a list.
    `board` is the BMC of the GPU board where there is one. `vendor` is what the BMC calls its vendor.
    """

    system: dict[str, Any]
    chassis: dict[str, Any] | None
    thermal: dict[str, Any] | None
    power: dict[str, Any] | None
    manager: dict[str, Any] | None
    thermal_subsystem: dict[str, Any] | None = None
    power_subsystem: dict[str, Any] | None = None
    environment: dict[str, Any] | None = None
    sensors: list[dict[str, Any]] | None = None
    board: dict[str, Any] | None = None
    dialect: str = ""
    vendor: str = ""


class RedfishClient(RedfishConnection):
    """One BMC, by what a machine's host is: power, boot, virtual media, light, and what the checks read."""

    _dialect: Dialect | None = None
    _root: dict[str, Any] | None = None
    _boards: tuple[str, ...] | None = None

    def _forget(self) -> None:
        self._dialect = self._root = self._boards = None
        self._system_path = self._given_path

    # ---- who it is ----

    async def root(self) -> dict[str, Any]:
        """The service root, asked once."""
        if self._root is None:
            self._root = await self.get(SERVICE_ROOT)
        return self._root

    async def dialect(self) -> Dialect:
        """The dialect of its vendor; system and manager are asked only where the root does not tell."""
        if self._dialect is None:
            root = await self.root()
            found = dialect_of(root)
            if not found.vendors:
                system = await self.system()
                found = dialect_of(root, system, await self.get_or_none(await self._manager_path(system)))
            self._dialect = found
        return self._dialect

    async def _first_member(self, collection: str) -> str:
        """The first member that is the host's; those of a GPU board go by the name of the board."""
        path = link(await self.root(), collection)
        if path is None:
            raise RedfishError(f"the service root lists no {collection}")
        found = members(await self.get(path))
        if not found:
            raise RedfishError(f"the BMC has no member in {collection}")
        boards = tuple(each for each in found if _id_of(each).startswith(BOARD))
        if collection == "Systems":
            self._boards = boards
        return next((each for each in found if each not in boards), found[0])

    async def boards(self) -> tuple[str, ...]:
        """The paths of the systems that are GPU boards with a BMC of their own."""
        if self._boards is None:
            await self._first_member("Systems")
        return self._boards or ()

    async def _manager_path(self, system: Mapping[str, Any]) -> str:
        return first_link(system, "ManagedBy") or await self._first_member("Managers")

    async def manager(self) -> dict[str, Any]:
        """The BMC itself; empty where it does not show itself."""
        return await self.get_or_none(await self._manager_path(await self.system())) or {}

    # ---- the system ----

    async def system_path(self) -> str:
        if self._system_path is None:
            self._system_path = await self._first_member("Systems")
        return self._system_path

    async def system(self) -> dict[str, Any]:
        return await self.get(await self.system_path())

    async def power_state(self) -> str:
        """`on`, `off`, or the BMC's own word in lower case (`poweringon`, ...); `unknown` when it gives none."""
        return str((await self.system()).get("PowerState") or "unknown").lower()

    async def power(self, action: str, *, wait_s: float = 30) -> None:
        """Change the power: `on`, `off`, `graceful_off`, `reset` or `cycle`.

        A BMC without PowerCycle is switched off, waited for (at most `wait_s`) and switched on. The others return when
        the BMC took the order; the state may follow seconds later.
        """
        word = POWER_WORDS[action]
        reset = mapping(mapping(await self.system(), "Actions"), "#ComputerSystem.Reset")
        path = str(reset.get("target") or f"{await self.system_path()}/Actions/ComputerSystem.Reset")
        offered = await self._offered(reset) if action in ("cycle", "graceful_off") else None
        if action == "cycle":
            if offered is None or word in offered:
                try:
                    await self._request("POST", path, {"ResetType": word})
                    return
                except RedfishStatus as error:
                    if error.status not in (400, 404, 405, 409, 501):
                        raise
            await self._off_wait_on(path, wait_s)
            return
        if action == "graceful_off" and offered is not None and word not in offered:
            word = "ForceOff"
        await self._request("POST", path, {"ResetType": word})

    async def _offered(self, reset: Mapping[str, Any]) -> list[Any] | None:
        """The reset types, from the action or from its ActionInfo; None where the BMC lists none."""
        listed = reset.get("ResetType@Redfish.AllowableValues")
        info = reset.get("@Redfish.ActionInfo")
        if not isinstance(listed, list) and isinstance(info, str):
            rows = (await self.get_or_none(info) or {}).get("Parameters")
            of_type = [row for row in rows or () if isinstance(row, Mapping) and row.get("Name") == "ResetType"]
            listed = of_type[0].get("AllowableValues") if of_type else None
        return listed if isinstance(listed, list) else None

    async def _off_wait_on(self, path: str, wait_s: float) -> None:
        if await self.power_state() != "off":
            await self._request("POST", path, {"ResetType": "ForceOff"})
            await self.wait_for_power("off", wait_s)
        await self._request("POST", path, {"ResetType": "On"})

    async def wait_for_power(self, state: str, wait_s: float) -> None:
        """Return when the machine is in this power state. Raises RedfishError after `wait_s`."""
        deadline = time.monotonic() + wait_s
        while (seen := await self.power_state()) != state:
            if time.monotonic() >= deadline:
                raise RedfishError(f"the machine is still {seen} after {wait_s:g} s, wanted {state}")
            await asyncio.sleep(self.poll_s)

    # ---- where it boots from ----

    async def set_boot_once(self, target: str = "Pxe") -> None:
        """Boot from `target` (Pxe, Hdd, Cd, UefiHttp, ...) at the next start only."""
        dialect = await self.dialect()
        path = await self._boot_path() if dialect.boot_settings else await self.system_path()
        await self.patch(path, dialect.boot_override(target))

    async def _boot_path(self) -> str:
        """The settings resource where it takes overrides, else the system itself."""
        path, system = await self.system_path(), await self.system()
        settings = link(mapping(system, "@Redfish.Settings"), "SettingsObject")
        if settings and "BootSourceOverrideTarget" in mapping(await self.get_or_none(settings) or {}, "Boot"):
            return settings
        return path

    async def boot_override(self) -> str:
        """The target of the override that waits for the next start; empty where none is told."""
        return str(mapping(await self.get(await self._boot_path()), "Boot").get("BootSourceOverrideTarget") or "")

    async def insert_media(self, image: str, replaces: Callable[[Media], bool] = _anybody) -> str:
        """Put an image (its http or https address) into a virtual CD; the path of it. One that holds it is left alone.

        The first that is free, else the first whose image may be replaced. Raises NoVirtualCd, MediaInUse and
        RedfishUnlicensed.
        """
        dialect = await self.dialect()
        found = [(path, media) for path, media in await self._media() if dialect.takes_image(media)]
        if not found:
            raise NoVirtualCd("the BMC offers no virtual CD for an image from the network")
        for path, media in found:
            if media.get("Inserted") and media.get("Image") == image:
                return path
        free = [each for each in found if not each[1].get("Inserted")] or [each for each in found if replaces(each[1])]
        if not free:
            raise MediaInUse(f"{', '.join(_id_of(path) for path, _ in found)} holds an image that somebody inserted")
        path, media = free[0]
        if media.get("Inserted"):
            await self._eject(path, media)
        await self._insert(dialect, path, media, image)
        return path

    async def _insert(self, dialect: Dialect, path: str, media: Media, image: str) -> None:
        target = mapping(mapping(media, "Actions"), "#VirtualMedia.InsertMedia").get("target")
        if not isinstance(target, str):
            await self.patch(path, {"Image": image, "Inserted": True, "WriteProtected": True})
            return
        try:
            await self._request("POST", target, dialect.insertion(image, protocol=dialect.media_protocol))
        except RedfishStatus as error:
            if error.status != 400 or dialect.media_protocol:
                raise
            await self._request("POST", target, dialect.insertion(image, protocol=True))

    async def eject_media(self, of: Callable[[Media], bool]) -> list[str]:
        """Take out the images of which this says so; the ids of virtual media that still hold one after it."""
        for path, media in await self._media():
            if media.get("Inserted") and of(media):
                await self._eject(path, media)
        return [_id_of(path) for path, media in await self._media() if media.get("Inserted") and of(media)]

    async def media(self) -> list[Media]:
        """The virtual media, whatever they hold."""
        return [media for _, media in await self._media()]

    async def _eject(self, path: str, media: Mapping[str, Any]) -> None:
        target = mapping(mapping(media, "Actions"), "#VirtualMedia.EjectMedia").get("target")
        if isinstance(target, str):
            await self._request("POST", target, {})
        else:
            await self.patch(path, {"Image": None, "Inserted": False})

    async def boot_from_media(self, image: str, replaces: Callable[[Media], bool] = _anybody) -> None:
        """Let the next start, and only that one, come from this image; raises what `insert_media` does."""
        dialect, path = await self.dialect(), await self.insert_media(image, replaces)
        manager_path = await self._manager_path(await self.system())
        write = dialect.boot_from_media(path, {"@odata.id": manager_path, **await self.get(manager_path)})
        if write is None:
            await self.set_boot_once(dialect.cd_target)
        else:
            await self._send(write)

    async def _send(self, write: Write) -> None:
        if write.method == "PATCH":
            await self.patch(write.path, write.body)
        else:
            await self._request(write.method, write.path, write.body)

    async def _media(self) -> list[tuple[str, dict[str, Any]]]:
        """The virtual media of the system, where it lists them, else those of its manager.

        Since ComputerSystem 1.13 they may stand at the system; a system that has the link and nothing behind it is met.
        """
        system = await self.system()
        paths = members(await self.get_or_none(link(system, "VirtualMedia")) or {})
        if not paths:
            manager = await self.get_or_none(await self._manager_path(system)) or {}
            paths = members(await self.get_or_none(link(manager, "VirtualMedia")) or {})
        paths = paths[:MOST_MEMBERS]
        return [(path, media) for path in paths if (media := await self.get_or_none(path)) is not None]

    # ---- its light ----

    async def set_indicator(self, on: bool) -> None:
        """Switch the machine's locating light. Raises RedfishError when neither system nor chassis has one."""
        dialect, system = await self.dialect(), await self.system()
        places = [(await self.system_path(), system)]
        chassis_path = first_link(system, "Chassis")
        if chassis_path is not None and (chassis := await self.get_or_none(chassis_path)) is not None:
            places.append((chassis_path, chassis))
        for path, resource in places:
            if "LocationIndicatorActive" in resource:
                await self.patch(path, {"LocationIndicatorActive": on})
                return
            if "IndicatorLED" in resource:
                listed = resource.get("IndicatorLED@Redfish.AllowableValues")
                words = [word for word in (dialect.light_on, *LIGHT_WORDS) if not listed or word in listed]
                await self.patch(path, {"IndicatorLED": (words or [dialect.light_on])[0] if on else "Off"})
                return
        raise RedfishError("the BMC offers no indicator light")

    async def ethernet_interfaces(self) -> list[dict[str, Any]]:
        """The machine's own network interfaces as the BMC sees them; empty when it shows none."""
        path = link(await self.system(), "EthernetInterfaces")
        collection = await self.get_or_none(path) or {}
        return [answer for each in members(collection) if (answer := await self.get_or_none(each)) is not None]

    # ---- what the checks read ----

    async def report(self) -> BmcAnswers:
        """System, chassis, thermal, power and manager in one go, as the BMC gives them."""
        system, root = await self.system(), await self.root()
        chassis = await self.get_or_none(first_link(system, "Chassis"))
        manager = await self.get_or_none(await self._manager_path(system))
        self._dialect = dialect_of(root, system, manager)
        answers = BmcAnswers(
            system=system,
            chassis=chassis,
            thermal=await self.get_or_none(link(chassis or {}, "Thermal")),
            power=await self.get_or_none(link(chassis or {}, "Power")),
            manager=manager,
            board=await self._board(),
            dialect=self._dialect.slug,
            vendor=vendor_of(root, system, manager),
        )
        return await self._with_subsystems(answers, chassis or {})

    async def _board(self) -> dict[str, Any] | None:
        """The manager of the first GPU board; None where there is no board, or it names none."""
        boards = await self.boards()
        board = await self.get_or_none(boards[0]) if boards else None
        return await self.get_or_none(first_link(board or {}, "ManagedBy"))

    async def _with_subsystems(self, answers: BmcAnswers, chassis: Mapping[str, Any]) -> BmcAnswers:
        """What ThermalSubsystem, PowerSubsystem, EnvironmentMetrics and Sensors tell where Thermal or Power do not."""
        more: dict[str, Any] = {}
        thermal, power = answers.thermal or {}, answers.power or {}
        if not (thermal.get("Fans") and thermal.get("Temperatures")):
            more["thermal_subsystem"] = await self._with_members(link(chassis, "ThermalSubsystem"), "Fans")
            more["sensors"] = await self.all_of(link(chassis, "Sensors"))
        if not power.get("PowerSupplies"):
            more["power_subsystem"] = await self._with_members(link(chassis, "PowerSubsystem"), "PowerSupplies")
        if not power.get("PowerControl"):
            more["environment"] = await self.get_or_none(link(chassis, "EnvironmentMetrics"))
        return replace(answers, **more)

    async def _with_members(self, path: str | None, name: str) -> dict[str, Any] | None:
        """A resource with the members of its collection `name` in the place of the link, and the metrics of each."""
        resource = await self.get_or_none(path)
        if resource is None:
            return None
        rows = await self.all_of(link(resource, name)) or []
        for row in [resource, *rows]:
            metrics = link(row, "Metrics") or link(row, "ThermalMetrics")
            row["Metrics"] = await self.get_or_none(metrics) or {}
        return {**resource, name: rows}

    async def all_of(self, path: str | None) -> list[dict[str, Any]] | None:
        """The members of a collection: in one answer where the BMC expands it, else one by one, so many at most."""
        if path is None:
            return None
        try:
            collection = await self.get(f"{path}?$expand=.($levels=1)")
        except RedfishStatus:  # a BMC that cannot expand says so in one of many ways
            collection = await self.get_or_none(path) or {}
        rows = collection.get("Members")
        whole = [row for row in rows if isinstance(row, dict) and len(row) > 1] if isinstance(rows, list) else []
        if whole and len(whole) == len(rows or ()):
            return whole
        paths = members(collection)[:MOST_MEMBERS]
        return [await self.get_or_none(each) or _untold(each) for each in paths]


def _id_of(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


def _untold(path: str) -> dict[str, Any]:
    """A member that is listed and cannot be read: there, and nothing known of it."""
    return {"@odata.id": path, "Id": _id_of(path), "Name": _id_of(path)}
