"""One look at a BMC that is set up: what it says now, and the one next thing that is done there.

No database in here: an `Order` has all that is needed, a `Look` all that came of it. What is begun is in `data` first,
and the caller writes that down before the next look does it; so a worker that is lost repeats one harmless step. A
restart is none: it is written down as given (`taken`) before it is given.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from access.bmc import BmcResult, failed
from access.queries import BmcTarget
from drivers.bmc.firmware import open_task, read_firmware, start_update, task
from drivers.bmc.settings import SettingsRead, read_settings, write_settings
from drivers.redfish import CertificateChanged, RedfishAuthError, RedfishClient, RedfishError, RedfishStatus
from provisioning.bmc import updates
from provisioning.bmc.comparison import (
    SCHEMES,
    Baseline,
    Component,
    FirmwareDifference,
    Setting,
    SettingDifference,
    firmware_beside,
    nested,
    settings_beside,
    text_of,
)
from provisioning.bmc.words import BmcAction, Comparison
from provisioning.waves.policy import MachineState

REQUEST_S = 20.0
LOOK_S = 120.0
"""For all requests of one look; pushing an image has its own time in it."""
READ_BACK_S = 60.0
"""How long a BMC may take to tell a value that it took."""
SILENT_LOOKS = 3
SHOWN = 4


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be done at one BMC; `data` is what the last look left."""

    target: BmcTarget
    action: BmcAction
    now: float
    dry_run: bool = True
    restart: bool = False
    settings: tuple[Setting, ...] = ()
    firmware: tuple[Baseline, ...] = ()
    data: dict[str, Any] = field(default_factory=dict)
    folder: Path | None = None
    scale: float = 1.0


@dataclass(frozen=True, slots=True)
class Told:
    """What the BMC told at this look; None: not asked."""

    settings: SettingsRead | None = None
    firmware: tuple[Component, ...] | None = None


@dataclass(frozen=True, slots=True)
class Look:
    """`RUNNING`: it goes on with `data` at the next look."""

    state: MachineState
    message: str
    data: dict[str, Any] = field(default_factory=dict)
    told: Told = Told()
    met: BmcResult | None = None
    """How the BMC met us, for `access`."""


Work = Callable[[RedfishClient, Order], Awaitable[Look]]


async def look(order: Order) -> Look:
    """Settings or firmware of one machine. Never raises for the BMC."""
    work = {BmcAction.SETTINGS: settings, BmcAction.FIRMWARE: firmware}[order.action]
    if not order.target.address:
        return Look(MachineState.FAILED, "no BMC address is known for this machine")
    client = order.target.client(REQUEST_S)
    try:
        async with client:
            found = await work(client, order)
    except (CertificateChanged, RedfishAuthError) as error:
        return Look(MachineState.FAILED, str(error), met=failed(order.target, client, error))
    except RedfishError as error:
        if isinstance(error, RedfishStatus) and error.status < 500 and "moved_at" not in order.data:
            return Look(MachineState.FAILED, f"the BMC refuses it: {error}", order.data)
        return _silent(order, error)
    return replace(found, met=BmcResult(order.target, fingerprint=client.fingerprint))


def _silent(order: Order, error: RedfishError) -> Look:
    """A BMC that writes its own firmware is away for minutes; any other gets three looks."""
    data = {**order.data, "silent": int(order.data.get("silent", 0)) + 1}
    if (since := data.get("moved_at")) is not None:
        if order.now - since < updates.GONE_S * order.scale:
            return Look(MachineState.RUNNING, f"the BMC gives no answer, it may be restarting: {error}", data)
    elif data["silent"] < SILENT_LOOKS:
        return Look(MachineState.RUNNING, f"the BMC gave no usable answer: {error}", data)
    return Look(MachineState.UNREACHABLE, f"the BMC gave no usable answer: {error}", data)


# ---- settings ----


async def settings(client: RedfishClient, order: Order) -> Look:
    """Written, read again; and where asked for the machine is restarted, so that what waits is in force."""
    read = await read_settings(client)
    told = Told(settings=read)
    rows = settings_beside(order.settings, read.found, read.pending)
    phase = str(order.data.get("phase", ""))
    if not rows:
        return Look(MachineState.OK, "set and read again" if phase else "as the profile wants it", told=told)
    if missing := [row for row in rows if row.comparison is Comparison.MISSING]:
        return Look(MachineState.FAILED, f"the BMC does not tell {_named(missing)}", told=told)
    if order.dry_run:
        return Look(MachineState.OK, f"would change {_changes(rows)}", told=told)
    differ = [row for row in rows if row.comparison is Comparison.DIFFERS]
    if not phase and differ:
        return Look(MachineState.RUNNING, f"writes {_changes(differ)}", {"phase": "write"}, told)
    if phase == "write" and differ:
        await write_settings(client, nested([Setting(row.area, row.name, row.wanted) for row in differ]))
        return Look(MachineState.RUNNING, f"written: {_named(differ)}", {"phase": "written", "at": order.now}, told)
    if phase == "written" and differ:
        if order.now - order.data["at"] < READ_BACK_S * order.scale:
            return Look(MachineState.RUNNING, f"not read back yet: {_named(differ)}", order.data, told)
        return Look(MachineState.FAILED, f"reads back otherwise: {_changes(differ)}", told=told)
    return await _after_a_start(client, order, told, f"{_changes(rows)} at its next start", rows=_named(rows))


async def _after_a_start(client: RedfishClient, order: Order, told: Told, waits: str, *, rows: str) -> Look:
    """What is written waits for a start of the machine: restart it where that was asked for, and look again."""
    phase, data = str(order.data.get("phase", "")), order.data
    if not order.restart:
        return Look(MachineState.OK, waits, data, told)
    if phase == "restart":
        state = await client.power_state()
        after, said = taken(data, order.now), "the machine is restarted"
        try:
            await client.power("on" if state == "off" else "reset")
        except RedfishError as error:
            if isinstance(error, RedfishStatus) and error.status < 500:
                raise
            said = f"the restart may have been taken, its answer was lost: {error}"
        return Look(MachineState.RUNNING, said, after, told)
    if phase != "restarted":
        return Look(MachineState.RUNNING, "the machine is to be restarted", {**data, "phase": "restart"}, told)
    if order.now - data["at"] < updates.START_S * order.scale:
        return Look(MachineState.RUNNING, f"waits for the machine's start: {rows}", data, told)
    waited = f"{round((order.now - data['at']) / 60)} minutes after the restart"
    return Look(MachineState.FAILED, f"not in force {waited}: {rows}", data, told)


def taken(data: dict[str, Any], now: float) -> dict[str, Any]:
    """What is written down before a look that gives an order which must not be given twice, as a restart: with it the
    order counts as given, so that a worker that is lost in between leaves nobody to repeat it. Other data as it is."""
    if data.get("phase") != "restart":
        return data
    return {**data, "phase": "restarted", "at": now, "moved_at": now}


def _named(rows: list[SettingDifference]) -> str:
    more = f" and {len(rows) - SHOWN} more" if len(rows) > SHOWN else ""
    return ", ".join(row.name for row in rows[:SHOWN]) + more


def _changes(rows: list[SettingDifference]) -> str:
    more = f" and {len(rows) - SHOWN} more" if len(rows) > SHOWN else ""
    return ", ".join(f"{row.name} {text_of(row.found)} → {text_of(row.wanted)}" for row in rows[:SHOWN]) + more


# ---- firmware ----


async def firmware(client: RedfishClient, order: Order) -> Look:
    """One component after the other: written, its task followed, and the version read from the inventory."""
    components = tuple(Component(each.id, each.name, each.version, each.path) for each in await read_firmware(client))
    told = Told(firmware=components)
    rows = firmware_beside(order.firmware, components)
    if order.data.get("phase") == "task":
        return await _follow(client, order, told, rows)
    if not rows:
        return Look(MachineState.OK, "updated" if order.data else "every version is the wanted one", told=told)
    if lacks := [row for row in rows if row.comparison is Comparison.MISSING]:
        return Look(MachineState.FAILED, f"the inventory names nothing {lacks[0].wanted.component}", told=told)
    versions = ", ".join(_step(row) for row in rows[:SHOWN])
    if order.dry_run:
        return Look(MachineState.OK, f"would update {versions}", told=told)
    written = order.data.get("written", [])
    left = [(row.wanted, each) for row in rows for each in row.found if each.id not in written]
    if not left:
        return await _after_a_start(
            client, order, told, f"written, in force at its next start: {versions}", rows=versions
        )
    baseline, component = left[0]
    if not baseline.image:
        return Look(MachineState.FAILED, f"the baseline has no image for {component.name or component.id}", told=told)
    if order.data.get("phase") != "start":
        began = {**order.data, "phase": "start", "component": component.id}
        return Look(MachineState.RUNNING, f"updates {component.name} to {baseline.version}", began, told)
    return await _start(client, order, told, baseline, component)


def _step(row: FirmwareDifference) -> str:
    return f"{row.found[0].name or row.found[0].id} {row.found[0].version} → {row.wanted.version}"


async def _start(client: RedfishClient, order: Order, told: Told, baseline: Baseline, component: Component) -> Look:
    """An update that was begun before this worker had it, and never written down, is found by its task."""
    begun = await open_task(client)
    if begun is None:
        image = baseline.image if baseline.image.startswith(SCHEMES) else _file(order.folder, baseline.image)
        if image is None:
            return Look(MachineState.FAILED, f"there is no file {baseline.image} in the folder of firmware", told=told)
        begun = await start_update(client, image, component.path)
    data = {
        **order.data, "phase": "task", "component": component.id, "task": begun.path, "state": begun.state,
        "percent": begun.percent, "moved_at": order.now,
    }  # fmt: skip
    return Look(MachineState.RUNNING, f"{component.name}: the update is under way", data, told)


def _file(folder: Path | None, name: str) -> Path | None:
    path = folder / name if folder is not None else None
    return path if path is not None and path.is_file() else None


async def _follow(client: RedfishClient, order: Order, told: Told, rows: list[FirmwareDifference]) -> Look:
    data = order.data
    seen = await task(client, data["task"])
    state, percent = (seen.state, seen.percent) if seen else (None, None)
    if (state, percent) != (data["state"], data["percent"]):
        data = {**data, "state": state, "percent": percent, "moved_at": order.now}
    in_force = all(each.id != data["component"] for row in rows for each in row.found)
    came = updates.follow(
        state, percent, seen.message if seen else "", in_force=in_force, still_s=order.now - data["moved_at"],
        starts=order.restart, scale=order.scale,
    )  # fmt: skip
    match came:
        case updates.Going(text):
            return Look(MachineState.RUNNING, text, data, told)
        case updates.Broken(text):
            return Look(MachineState.FAILED, text, data, told)
    written = [*data.get("written", []), data["component"]]
    return Look(MachineState.RUNNING, "written", {"phase": "next", "written": written}, told)
