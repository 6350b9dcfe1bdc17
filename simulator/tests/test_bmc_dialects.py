"""Every dialect drives a BMC of its vendor over real HTTPS: sweep, logs, power cycle, light, boot override, virtual CD.

The requests that reach the BMC are compared word for word; the BMCs refuse what those of the vendor refuse.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from drivers.dialects import DIALECTS
from drivers.redfish import RedfishClient, RedfishError
from drivers.redfish_logs import read_logs
from health.checks.parsers.bmc import parse_bmc
from simulator.faults import inject
from simulator.hall import Hall
from simulator.plan import HallPlan
from simulator.redfish import server
from simulator.redfish.styles import STANDARD, STYLES, Style
from simulator.state import Machine
from simulator.tests.conftest import FAST, PASSWORD

pytestmark = pytest.mark.asyncio
ISO = "http://10.0.0.1/boot.iso"
VENDORS = [*STYLES, "Example"]
RESET = "Actions/ComputerSystem.Reset"


@dataclass(frozen=True)
class Said:
    """What a BMC of one vendor is told, as (method, path below /redfish/v1, body)."""

    bmc: str
    log: str
    cycle: list[Any]
    light: list[Any]
    pxe: list[Any]
    cd: list[Any]
    eject: list[Any]


def once(target: str, **more: str) -> dict[str, Any]:
    return {"Boot": {"BootSourceOverrideTarget": target, "BootSourceOverrideEnabled": "Once", **more}}


def off_on(system: str) -> list[Any]:
    return [("POST", f"{system}/{RESET}", {"ResetType": word}) for word in ("ForceOff", "On")]


def cycle(system: str) -> list[Any]:
    return [("POST", f"{system}/{RESET}", {"ResetType": "PowerCycle"})]


def action(media: str, name: str, body: dict[str, Any]) -> tuple[str, str, Any]:
    return ("POST", f"{media}/Actions/VirtualMedia.{name}Media", body)


UEFI = {"BootSourceOverrideMode": "UEFI"}
TRANSFER = {"TransferProtocolType": "HTTP", "TransferMethod": "Stream"}
_DELL, _HOST = "/Systems/System.Embedded.1", "/Systems/1"
_IDRAC = "/Managers/iDRAC.Embedded.1/Oem/Dell/DellAttributes/iDRAC.Embedded.1"
_VCD = {"Attributes": {"ServerBoot.1.BootOnce": "Enabled", "ServerBoot.1.FirstBootDevice": "VCD-DVD"}}
_CD = "/Managers/1/VirtualMedia"
EXPECTED = {
    "Dell": Said(
        bmc="iDRAC 9", log="/Managers/iDRAC.Embedded.1/LogServices/Sel/Entries", cycle=cycle(_DELL),
        light=[("PATCH", _DELL, {"LocationIndicatorActive": True})], pxe=[("PATCH", _DELL, once("Pxe"))],
        cd=[action(f"{_DELL}/VirtualMedia/1", "Insert", {"Image": ISO}), ("PATCH", _IDRAC, _VCD)],
        eject=[action(f"{_DELL}/VirtualMedia/1", "Eject", {})],
    ),
    "HPE": Said(
        bmc="iLO 6", log="/Systems/1/LogServices/IML/Entries", cycle=off_on(_HOST),
        light=[("PATCH", _HOST, {"IndicatorLED": "Lit"})], pxe=[("PATCH", _HOST, once("Pxe"))],
        cd=[action(f"{_CD}/2", "Insert", {"Image": ISO}),
            ("PATCH", f"{_CD}/2", {"Oem": {"Hpe": {"BootOnNextServerReset": True}}})],
        eject=[action(f"{_CD}/2", "Eject", {})],
    ),
    "Lenovo": Said(
        bmc="XCC 2", log="/Systems/1/LogServices/PlatformLog/Entries", cycle=off_on(_HOST),
        light=[("PATCH", _HOST, {"IndicatorLED": "Blinking"})], pxe=[("PATCH", _HOST, once("Pxe"))],
        cd=[("PATCH", f"{_CD}/EXT1", {"Image": ISO, "Inserted": True, "WriteProtected": True}),
            ("PATCH", _HOST, once("Cd"))],
        eject=[("PATCH", f"{_CD}/EXT1", {"Image": None, "Inserted": False})],
    ),
    "Supermicro": Said(
        bmc="Supermicro BMC", log="/Systems/1/LogServices/Log1/Entries", cycle=cycle(_HOST),
        light=[("PATCH", _HOST, {"IndicatorLED": "Blinking"})], pxe=[("PATCH", _HOST, once("Pxe", **UEFI))],
        cd=[action(f"{_CD}/CD1", "Insert", {"Image": ISO}), ("PATCH", _HOST, once("UsbCd", **UEFI))],
        eject=[action(f"{_CD}/CD1", "Eject", {})],
    ),
    "NVIDIA": Said(
        bmc="NVIDIA BMC", log="/Managers/BMC/LogServices/SEL/Entries", cycle=off_on("/Systems/DGX"),
        light=[("PATCH", "/Systems/DGX", {"IndicatorLED": "Blinking"})],
        pxe=[("PATCH", "/Systems/DGX/SD", once("Pxe", **UEFI))],
        cd=[action("/Managers/BMC/VirtualMedia/CD1", "Insert", {"Image": ISO, **TRANSFER}),
            ("PATCH", "/Systems/DGX/SD", once("Cd", **UEFI))],
        eject=[action("/Managers/BMC/VirtualMedia/CD1", "Eject", {})],
    ),
    "Example": Said(
        bmc="plain Redfish: no dialect for Example", log="/Managers/1/LogServices/Event/Entries", cycle=cycle(_HOST),
        light=[("PATCH", _HOST, {"LocationIndicatorActive": True})], pxe=[("PATCH", _HOST, once("Pxe"))],
        cd=[action(f"{_CD}/CD1", "Insert", {"Image": ISO}), ("PATCH", _HOST, once("Cd"))],
        eject=[action(f"{_CD}/CD1", "Eject", {})],
    ),
}  # fmt: skip


class Driven:
    """One machine of the hall, a client of its BMC, and the writes that reached it."""

    def __init__(self, hall: Hall, machine: Machine, client: RedfishClient, writes: list[Any]) -> None:
        self.hall, self.machine, self.client, self.writes = hall, machine, client, writes

    def told(self) -> list[Any]:
        """The writes since the last time."""
        found, self.writes[:] = list(self.writes), []
        return found


@asynccontextmanager
async def driving(plan: HallPlan, vendor: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Driven]:
    machines = tuple(replace(each, facts=replace(each.facts, vendor=vendor)) for each in plan.machines[:1])
    writes: list[Any] = []
    kept = server._body

    async def body_of(request: Any) -> Any:
        body = await kept(request)
        writes.append((request.method, request.path.removeprefix("/redfish/v1"), body))
        return body

    monkeypatch.setattr(server, "_body", body_of)
    hall = Hall(replace(plan, machines=machines), folder / "hall", timing=FAST)
    await hall.start()
    try:
        machine = hall.machines[machines[0].name]
        base = f"https://{machine.plan.address}:{machine.state.redfish_port}"
        async with RedfishClient(base, "root", PASSWORD, timeout_s=5, poll_s=0.02) as client:
            yield Driven(hall, machine, client, writes)
    finally:
        await hall.stop()


@pytest_asyncio.fixture
async def driven(
    plan: HallPlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> AsyncIterator[Driven]:
    async with driving(plan, request.param, tmp_path, monkeypatch) as found:
        yield found


async def test_every_dialect_is_driven() -> None:
    """OpenBMC without a name of its own speaks as plain Redfish does; what differs is in its record."""
    assert {each.vendor for each in DIALECTS} - {"OpenBMC"} == set(STYLES)
    assert set(VENDORS) == set(EXPECTED)


@pytest.mark.parametrize("driven", VENDORS, indirect=True)
async def test_a_sweep_reads_the_machine_its_serial_its_logs_and_what_its_bmc_is(
    driven: Driven, request: pytest.FixtureRequest
) -> None:
    vendor = request.node.callspec.params["driven"]
    said, machine = EXPECTED[vendor], driven.machine
    inject(machine, "psu_lost", driven.hall.clock(), slot="PSU 1")
    answers = await driven.client.report()
    report = parse_bmc(
        answers.system, answers.chassis, answers.thermal, answers.power, answers.manager,
        board=answers.board, dialect=answers.dialect, vendor=answers.vendor,
    )  # fmt: skip
    assert (report.bmc, report.serial, report.power) == (said.bmc, machine.plan.serial, "on")
    assert report.supplies is not None and report.supplies[0].health == "Critical"
    assert report.board_firmware == ("HGX-22.10-1-rc67" if vendor == "NVIDIA" else None)
    wanted, boards = (await driven.client.dialect()).logs, await driven.client.boards()
    logs = await read_logs(driven.client, answers.manager, answers.system, {}, wanted=wanted, boards=boards)
    hardware = next(log for log in logs if log.path.removeprefix("/redfish/v1") == said.log)
    assert any("power supply 1 is lost" in row["Message"] for row in hardware.rows)
    again = await read_logs(driven.client, answers.manager, answers.system, {hardware.path: hardware.newest},
                            wanted=wanted, boards=boards)  # fmt: skip
    assert [log.rows for log in again] == [()], "the cursor saves looking for the log, and nothing is new"


@pytest.mark.parametrize("driven", VENDORS, indirect=True)
async def test_a_power_cycle_is_the_one_the_bmc_offers(driven: Driven, request: pytest.FixtureRequest) -> None:
    said = EXPECTED[request.node.callspec.params["driven"]]
    boot_id = driven.machine.state.boot_id
    await driven.client.power("cycle", wait_s=5)
    assert driven.told() == said.cycle
    assert driven.machine.state.power == "on" and driven.machine.state.boot_id != boot_id


@pytest.mark.parametrize("driven", VENDORS, indirect=True)
async def test_the_light_goes_on_in_a_word_that_the_bmc_takes_and_off_again(
    driven: Driven, request: pytest.FixtureRequest
) -> None:
    said = EXPECTED[request.node.callspec.params["driven"]]
    await driven.client.set_indicator(True)
    assert driven.told() == said.light
    assert driven.machine.state.led != "Off"
    await driven.client.set_indicator(False)
    assert driven.machine.state.led == "Off"


@pytest.mark.parametrize("driven", VENDORS, indirect=True)
async def test_the_next_start_comes_from_the_network_where_the_bmc_takes_the_override(
    driven: Driven, request: pytest.FixtureRequest
) -> None:
    said = EXPECTED[request.node.callspec.params["driven"]]
    await driven.client.set_boot_once("Pxe")
    assert driven.told() == said.pxe
    assert await driven.client.boot_override() == "Pxe"
    assert (driven.machine.state.boot_override.enabled, driven.machine.state.boot_override.target) == ("Once", "Pxe")


@pytest.mark.parametrize("driven", VENDORS, indirect=True)
async def test_the_next_start_comes_from_an_image_in_the_virtual_cd(
    driven: Driven, request: pytest.FixtureRequest
) -> None:
    vendor = request.node.callspec.params["driven"]
    said, style, state = EXPECTED[vendor], STYLES.get(vendor, STANDARD), driven.machine.state
    await driven.client.boot_from_media(ISO)
    assert driven.told() == said.cd
    assert list(state.media.values()) == [ISO]
    assert state.boot_override.target in style.cd_boots, "a target from which this vendor's machine starts the image"
    await driven.client.boot_from_media(ISO)
    assert driven.told() == said.cd[1:], "an image that is in is left in"
    booted: list[str] = []
    driven.hall._network_boot = lambda machine: booted.append(machine.plan.name)  # type: ignore[method-assign]
    await driven.client.power("cycle", wait_s=5)
    assert booted == [driven.machine.plan.name]


@pytest.mark.parametrize("driven", VENDORS, indirect=True)
async def test_another_image_goes_into_a_free_virtual_cd_else_in_the_place_of_the_first(
    driven: Driven, request: pytest.FixtureRequest
) -> None:
    vendor = request.node.callspec.params["driven"]
    places = [
        name for name, _ in STYLES.get(vendor, STANDARD).media if name not in ("RDOC1", "1" if vendor == "HPE" else "")
    ]
    for number, _ in enumerate(places):
        await driven.client.insert_media(f"{ISO}?{number}")
    assert list(driven.machine.state.media) == places
    driven.told()
    await driven.client.insert_media(f"{ISO}?other")
    assert driven.told()[:1] == EXPECTED[vendor].eject
    assert driven.machine.state.media[places[0]] == f"{ISO}?other"


@pytest.mark.parametrize("driven", ["Example"], indirect=True)
async def test_a_bmc_of_nobody_that_wants_the_transfer_named_is_told_it_at_the_second_try(
    driven: Driven, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(STYLES, "Example", replace(STANDARD, transfer=True))
    await driven.client.insert_media(ISO)
    bodies = [body for _, _, body in driven.told()]
    assert bodies == [{"Image": ISO}, {"Image": ISO, **TRANSFER}]


@pytest.mark.parametrize("driven", ["Example"], indirect=True)
async def test_a_bmc_without_a_virtual_cd_says_so(driven: Driven, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(STYLES, "Example", replace(STANDARD, media=(("USB1", ("USBStick",)),)))
    with pytest.raises(RedfishError, match="no virtual CD"):
        await driven.client.boot_from_media(ISO)


@pytest.mark.parametrize("driven", ["HPE"], indirect=True)
async def test_the_log_that_was_read_before_the_dialect_was_known_gives_way_to_the_one_of_the_hardware(
    driven: Driven,
) -> None:
    answers = await driven.client.report()
    old = "/redfish/v1/Managers/1/LogServices/IEL/Entries"
    wanted = (await driven.client.dialect()).logs
    logs = await read_logs(driven.client, answers.manager, answers.system, {old: "3"}, wanted=wanted)
    assert [log.path for log in logs] == ["/redfish/v1/Systems/1/LogServices/IML/Entries"]


@pytest.mark.parametrize("vendor", VENDORS)
async def test_every_link_that_a_bmc_of_the_hall_shows_leads_somewhere(
    vendor: str, plan: HallPlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def links(value: object) -> list[str]:
        if isinstance(value, dict):
            own = [value["@odata.id"]] if isinstance(value.get("@odata.id"), str) else []
            return own + [each for inner in value.values() for each in links(inner)]
        return [each for inner in value for each in links(inner)] if isinstance(value, list) else []

    async with driving(plan, vendor, tmp_path, monkeypatch) as driven:
        seen: set[str] = set()
        todo = {"/redfish/v1"}
        while todo:
            path = todo.pop()
            seen.add(path)
            found = {each.partition("#")[0] for each in links(await driven.client.get(path))}
            todo |= {each for each in found if "/Entries/" not in each} - seen
    own: Style = STYLES.get(vendor, STANDARD)
    assert {own.system, own.chassis, own.manager} <= seen


REFUSED = [
    ("HPE", "PATCH", _HOST, {"IndicatorLED": "Blinking"}),
    ("HPE", "POST", f"{_HOST}/{RESET}", {"ResetType": "PowerCycle"}),
    ("Lenovo", "PATCH", f"{_CD}/RDOC1", {"Image": ISO, "Inserted": True}),
    ("Supermicro", "POST", f"{_CD}/CD1/Actions/VirtualMedia.InsertMedia", {"Image": ISO, "WriteProtected": True}),
    ("NVIDIA", "PATCH", "/Systems/DGX", once("Pxe")),
    ("NVIDIA", "POST", "/Managers/BMC/VirtualMedia/CD1/Actions/VirtualMedia.InsertMedia", {"Image": ISO}),
]


@pytest.mark.parametrize(("driven", "method", "path", "body"), REFUSED, indirect=["driven"])
async def test_the_hall_refuses_what_the_vendor_refuses(driven: Driven, method: str, path: str, body: Any) -> None:
    """It is no mirror of our driver: a client without the dialect fails here."""
    client = driven.client
    with pytest.raises(RedfishError, match=r"answered 40[05]"):
        if method == "PATCH":
            await client.patch(f"/redfish/v1{path}", body)
        else:
            await client._request(method, f"/redfish/v1{path}", body)
