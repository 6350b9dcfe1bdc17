"""The meters of a running hall, asked as a stranger asks them: SNMP by pysnmp, Redfish over HTTPS, Modbus over TCP."""

from __future__ import annotations

import asyncio
import io
import json
import socket
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from django.core.management import CommandError, call_command
from pymodbus.client import AsyncModbusTcpClient
from pysnmp.hlapi.v3arch.asyncio import (
    CommunityData,
    ContextData,
    ObjectIdentity,
    ObjectType,
    SnmpEngine,
    UdpTransportTarget,
    UsmUserData,
    bulk_cmd,
    get_cmd,
    usmAesCfb128Protocol,
    usmHMACSHAAuthProtocol,
)
from pysnmp.proto.rfc1902 import Null, ObjectName
from pysnmp.proto.rfc1905 import EndOfMibView

from simulator.control import Control
from simulator.hall import Hall
from simulator.heat.plan import VENDORS, HeatPlan, PduPlan
from simulator.heat.sample import sample_heat
from simulator.meters.agents import Agents, SnmpAccess
from simulator.meters.doors import MeterDoors, MeterRow, meter_rows
from simulator.meters.tables import Rows
from simulator.plan import HallPlan, sample_plan
from simulator.tests.conftest import FAST, PASSWORD, Bmc, any_certificate, basic, free_slice

V2C = CommunityData("metering", mpModel=1)
V3 = UsmUserData("rackside", "hall-measures", "hall-measures", usmHMACSHAAuthProtocol, usmAesCfb128Protocol)
TREES = {
    "apc": "1.3.6.1.4.1.318.1.1.26", "raritan": "1.3.6.1.4.1.13742.6", "sentry": "1.3.6.1.4.1.1718.4.1",
    "eaton": "1.3.6.1.4.1.534.6.6.7", "vertiv": "1.3.6.1.4.1.21239.5.2",
}  # fmt: skip
OUTLET_W = {"apc": "9.4.3.1.7.{}", "raritan": "5.4.3.1.4.1.{}.5", "sentry": "8.3.1.7.1.1.{}", "eaton": "6.5.1.3.0.{}",
            "vertiv": "3.6.1.12.{}"}  # fmt: skip
"""Where each maker tells what an outlet carries, in W."""
CDU = "/redfish/v1/ThermalEquipment/CDUs/1"


@pytest.fixture
def plan() -> HallPlan:
    """Nine machines in three racks: with two PDUs each all five makers are there."""
    return sample_plan(9, slice_number=free_slice(), ssh_port=0, redfish_port=0)


class Clock:
    """The time of the hall: real, and put forward by tests."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return time.time() + self.ahead


@pytest_asyncio.fixture
async def hall(plan: HallPlan, tmp_path: Path) -> AsyncIterator[Hall]:
    running = Hall(plan, tmp_path / "hall", timing=FAST, heat=sample_heat(plan), clock=Clock())
    await running.start()
    yield running
    await running.stop()


def later(hall: Hall, seconds: float) -> None:
    assert isinstance(hall.clock, Clock) and hall.heat is not None
    for _ in range(int(seconds / 20)):
        hall.clock.ahead += 20
        hall.heat.tick()


def meter(hall: Hall, name: str) -> MeterRow:
    return next(row for row in hall.meters() if row.name == name)


async def walk(row: MeterRow, base: str, access: Any = V2C, *, timeout_s: float = 3.0) -> dict[str, Any]:
    """All below an identifier; raises AssertionError with the error of the agent or its silence."""
    engine = SnmpEngine()
    target = await UdpTransportTarget.create((row.host, row.port), timeout=timeout_s, retries=0)
    found: dict[str, Any] = {}
    at = base
    try:
        while True:
            asked = (ObjectName(at), Null(""))
            failed, status, _, rows = await bulk_cmd(
                engine, access, target, ContextData(), 0, 25, asked, lookupMib=False
            )
            assert not failed and not status, str(failed or status)
            for name, value in rows:
                at = str(name)
                if isinstance(value, EndOfMibView) or not at.startswith(base + "."):
                    return found
                assert at not in found
                found[at] = value
    finally:
        engine.close_dispatcher()


# ---- PDUs ----


@pytest.mark.parametrize("vendor", VENDORS)
@pytest.mark.asyncio
async def test_a_pdu_of_each_maker_tells_what_its_outlets_carry(hall: Hall, vendor: str) -> None:
    assert hall.heat is not None
    pdu = next(pdu for pdu in hall.heat.room.plan.pdus if pdu.vendor == vendor)
    rows = await walk(meter(hall, pdu.name), TREES[vendor])
    watts = [int(rows[f"{TREES[vendor]}.{OUTLET_W[vendor].format(n)}"]) for n in range(1, len(pdu.outlets) + 1)]
    assert watts == pytest.approx(hall.heat.room.pdus[pdu.name].watts, rel=0.02, abs=1)
    assert sum(watts) > 800


@pytest.mark.asyncio
async def test_version_3_is_answered_and_a_stranger_is_not(hall: Hall) -> None:
    row = meter(hall, "pdu-r01-a")
    signed = await walk(row, f"{TREES['apc']}.6.3", V3)
    plain = await walk(row, f"{TREES['apc']}.6.3")
    assert signed.keys() == plain.keys() and len(signed) == 3 * 6
    with pytest.raises(AssertionError, match=r"timeout|No SNMP response"):
        await walk(row, TREES["apc"], CommunityData("public", mpModel=1), timeout_s=0.3)
    with pytest.raises(AssertionError, match=r"[Uu]nknown"):
        await walk(row, TREES["apc"], UsmUserData("nobody", "hall-measures", "hall-measures"))


@pytest.mark.asyncio
async def test_an_agent_says_what_it_is_and_how_long_it_runs(hall: Hall) -> None:
    row, engine = meter(hall, "pdu-r01-b"), SnmpEngine()
    target = await UdpTransportTarget.create((row.host, row.port))
    asked = [ObjectType(ObjectIdentity(f"1.3.6.1.2.1.1.{n}.0")) for n in (1, 2, 3, 9)]
    failed, _, _, rows = await get_cmd(engine, V2C, target, ContextData(), *asked)
    engine.close_dispatcher()
    assert not failed
    said = [value.prettyPrint() for _, value in rows]
    assert said[0].startswith("PX3") and "13742.6" in said[1] and int(said[2]) >= 0
    assert type(rows[3][1]).__name__ == "NoSuchInstance"


@pytest.mark.asyncio
async def test_a_dead_feed_silences_its_pdus_unless_their_agents_have_power_from_elsewhere(hall: Hall) -> None:
    assert hall.heat is not None
    row = meter(hall, "pdu-r01-a")
    hall.heat.inject("feed_off", "r01-a", {})
    with pytest.raises(AssertionError, match=r"timeout|No SNMP response"):
        await walk(row, TREES["apc"], timeout_s=0.3)
    hall.heat.inject("feed_off", "r01-a", {"agents_stay": True})
    phases = await walk(row, f"{TREES['apc']}.6.3.1.5")
    assert [int(value) for value in phases.values()] == [0, 0, 0]


@pytest.mark.asyncio
async def test_frozen_values_stay_while_the_load_changes_and_move_again_once_cleared(hall: Hall) -> None:
    assert hall.heat is not None
    row, power = meter(hall, "pdu-r01-a"), f"{TREES['apc']}.9.4.3.1.7"
    before = await walk(row, power)
    hall.heat.inject("values_frozen", "pdu-r01-a", {})
    frozen = await walk(row, power)
    hall.heat.inject("load", "gpu0001", {})
    assert await walk(row, power) == frozen
    assert int(frozen[f"{power}.1"]) == pytest.approx(int(before[f"{power}.1"]), rel=0.05)
    hall.heat.clear(name="values_frozen")
    assert int((await walk(row, power))[f"{power}.1"]) > 3 * int(frozen[f"{power}.1"])


@pytest.mark.asyncio
async def test_room_sensors_tell_both_aisles(hall: Hall) -> None:
    row = meter(hall, "sensors Hall 1")
    told = await walk(row, "1.3.6.1.2.1.99.1.1.1.4")
    names = await walk(row, "1.3.6.1.2.1.47.1.1.1.1.7")
    cold, _, hot, _ = (int(value) / 10 for value in told.values())
    assert [str(name) for name in names.values()] == ["Row R cold aisle"] * 2 + ["Row R hot aisle"] * 2
    assert 18 < cold < 24 < hot < 40


@pytest.mark.asyncio
async def test_270_pdus_share_one_engine_that_begins_with_the_first_question(tmp_path: Path) -> None:
    agents = Agents(SnmpAccess(), time.time)
    rows: Rows = {(1, 3, 6, 1, 4, 1, 318, n): n for n in range(1, 100)}
    began = time.perf_counter()
    ports = [agents.open(f"pdu-{n}", "127.0.0.1", 0, lambda: dict(rows)) for n in range(270)]
    assert time.perf_counter() - began < 1
    assert agents._engine is None
    for port in ports[::90]:
        found = await walk(MeterRow("snmp_pdu", "", "", "", "", "127.0.0.1", port, "snmp"), "1.3.6.1.4.1.318")
        assert len(found) == 99
    agents.close()


@pytest.mark.asyncio
async def test_junk_is_not_answered_and_ends_nothing(hall: Hall) -> None:
    row = meter(hall, "pdu-r01-a")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        for junk in (b"", b"\x00" * 40, b"\x30\x82\xff\xff", b"GET / HTTP/1.1\r\n\r\n"):
            stranger.sendto(junk, (row.host, row.port))
    assert await walk(row, f"{TREES['apc']}.4.3")


# ---- the cooling unit ----


@pytest_asyncio.fixture
async def cdu(hall: Hall) -> AsyncIterator[Callable[[str], Any]]:
    row = meter(hall, "cdu-1")
    connector = aiohttp.TCPConnector(ssl=any_certificate())
    async with aiohttp.ClientSession(headers=basic("root", PASSWORD), connector=connector) as session:

        async def get(path: str) -> Any:
            async with session.get(f"https://{row.host}:{row.port}{path}") as answer:
                return await answer.json()

        yield get


@pytest.mark.asyncio
async def test_every_link_of_the_cooling_unit_leads_somewhere(cdu: Callable[[str], Any]) -> None:
    seen: set[str] = set()
    waiting = ["/redfish/v1"]
    while waiting:
        path = waiting.pop()
        if path in seen or "SessionService" in path:
            continue
        seen.add(path)
        body = await cdu(path)
        assert body.get("@odata.id") == path and body["Name"]
        waiting += [link for link in _links(body) if link != path]
    assert len(seen) > 25


def _links(body: Any) -> list[str]:
    if isinstance(body, dict):
        found = [body["@odata.id"]] if "@odata.id" in body else []
        return found + [link for value in body.values() for link in _links(value)]
    return [link for value in body for link in _links(value)] if isinstance(body, list) else []


@pytest.mark.asyncio
async def test_a_closed_valve_and_a_leak_show_at_the_cooling_unit(hall: Hall, cdu: Callable[[str], Any]) -> None:
    assert hall.heat is not None
    hall.heat.inject("valve_closed", "cdu-1", {"manifold": "R02"})
    hall.heat.inject("leak", "cdu-1", {"detector": "R02"})
    manifold = await cdu(f"{CDU}/SecondaryCoolantConnectors/R02")
    assert manifold["FlowLitersPerMinute"]["Reading"] == 0 and manifold["ValvePositionPercent"]["Reading"] == 0
    detectors = (await cdu(f"{CDU}/LeakDetection/LeakDetectors?$expand=.($levels=1)"))["Members"]
    assert {each["Name"]: each["DetectorState"] for each in detectors} == {
        "Tray": "OK", "R01": "OK", "R02": "Critical", "R03": "OK",
    }  # fmt: skip
    assert (await cdu(CDU))["Status"]["Health"] == "Critical"


@pytest.mark.asyncio
async def test_pumps_filter_and_dew_point_are_told(hall: Hall, cdu: Callable[[str], Any]) -> None:
    assert hall.heat is not None
    hall.heat.inject("pump_failed", "cdu-1", {"pump": 1})
    pumps = [await cdu(f"{CDU}/Pumps/{n}") for n in (1, 2)]
    assert [pump["PumpSpeedPercent"]["Reading"] for pump in pumps] == [0, 100]
    sensors = (await cdu("/redfish/v1/Chassis/1/Sensors?$expand=."))["Members"]
    assert {each["ReadingType"]: each["Reading"] for each in sensors} == {"PressurekPa": 15.0, "Valve": 100}
    air = await cdu(f"{CDU}/EnvironmentMetrics")
    supply = await cdu(f"{CDU}/SecondaryCoolantConnectors/1")
    assert air["DewPointCelsius"]["Reading"] < supply["SupplyTemperatureCelsius"]["Reading"]


@pytest.mark.asyncio
async def test_the_cooling_unit_wants_a_login(hall: Hall) -> None:
    row = meter(hall, "cdu-1")
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=any_certificate())) as session:
        base = f"https://{row.host}:{row.port}"
        async with session.get(f"{base}/redfish/v1/") as root, session.get(f"{base}{CDU}") as refused:
            assert root.status == 200 and refused.status == 401
        login = {"UserName": "root", "Password": PASSWORD}
        async with session.post(f"{base}/redfish/v1/SessionService/Sessions", json=login) as opened:
            token = opened.headers["X-Auth-Token"]
        async with session.get(f"{base}{CDU}", headers={"X-Auth-Token": token}) as answered:
            assert answered.status == 200


# ---- the site's meter ----


@pytest.mark.asyncio
async def test_the_meter_of_the_site_tells_it_and_total_power(hall: Hall) -> None:
    assert hall.heat is not None
    row = meter(hall, "site")
    client = AsyncModbusTcpClient(row.host, port=row.port, timeout=3)
    assert await client.connect()
    told: dict[tuple[str, str], Any] = {}
    for register in row.options["registers"]:
        kind = client.DATATYPE[register["type"].upper()]
        answer = await client.read_holding_registers(register["address"], count=kind.value[1], device_id=1)
        told[register["name"], register["quantity"]] = client.convert_from_registers(answer.registers, kind)
    hall.heat.inject("meter_silent", "site", {})
    refused = await client.read_holding_registers(0, count=2, device_id=1)
    client.close()
    it = sum(body.now.total_w for body in hall.heat.room.bodies.values())
    assert told["it", "power_w"] == pytest.approx(it, rel=0.02)
    assert 1.1 < told["site", "power_w"] / told["it", "power_w"] < 1.35
    assert told["site", "energy_kwh"] > 0
    assert refused.isError()


# ---- machines ----


@pytest.mark.asyncio
async def test_bmc_and_gpu_tools_tell_the_same_heat(hall: Hall, bmc: Callable[[str], Bmc]) -> None:
    assert hall.heat is not None
    hall.heat.inject("load", "gpu0001", {})
    hall.heat.inject("supply_warm", "cdu-1", {"celsius": 6})
    later(hall, 2400)
    chassis = "/redfish/v1/Chassis/System.Embedded.1"
    _, thermal, _ = await bmc("gpu0001")("GET", f"{chassis}/Thermal")
    _, power, _ = await bmc("gpu0001")("GET", f"{chassis}/Power")
    inlet, exhaust = (row["ReadingCelsius"] for row in thermal["Temperatures"][:2])
    assert 26 <= inlet <= 29 and exhaust > inlet + 10
    assert thermal["Fans"][0]["Reading"] > 15_000
    draw = power["PowerControl"][0]["PowerConsumedWatts"]
    assert 9000 < draw < 10_200
    assert sum(psu["PowerInputWatts"] for psu in power["PowerSupplies"]) == pytest.approx(draw, rel=0.02)
    reply = hall.execute(
        hall.machines["gpu0001"],
        "nvidia-smi --query-gpu=power.draw,temperature.gpu,clocks.sm --format=csv,noheader,nounits",
    )
    watts, celsius, mhz = (float(cell) for cell in reply.text.splitlines()[0].split(","))
    assert 650 < watts <= 700 and 70 < celsius < 80 and mhz == 1755


@pytest.mark.asyncio
async def test_the_newer_trees_of_a_bmc_tell_what_the_older_do(hall: Hall, bmc: Callable[[str], Bmc]) -> None:
    at = "/redfish/v1/Chassis/System.Embedded.1"
    _, chassis, _ = await bmc("gpu0001")("GET", at)
    _, environment, _ = await bmc("gpu0001")("GET", chassis["EnvironmentMetrics"]["@odata.id"])
    _, power, _ = await bmc("gpu0001")("GET", f"{at}/Power")
    _, sensors, _ = await bmc("gpu0001")("GET", f"{at}/Sensors?$expand=.($levels=1)")
    _, metrics, _ = await bmc("gpu0001")("GET", f"{at}/PowerSubsystem/PowerSupplies/PSU.Slot.1/Metrics")
    _, fan, _ = await bmc("gpu0001")("GET", f"{at}/ThermalSubsystem/Fans/Fan1")
    draw = power["PowerControl"][0]["PowerConsumedWatts"]
    assert environment["PowerWatts"]["Reading"] == pytest.approx(draw, rel=0.02)
    assert metrics["InputPowerWatts"]["Reading"] == pytest.approx(draw / 6, rel=0.05)
    assert {each["Name"] for each in sensors["Members"]} >= {"System Board Inlet Temp", "System Board Exhaust Temp"}
    assert 4000 < fan["SpeedPercent"]["SpeedRPM"] < 8000


@pytest.mark.asyncio
async def test_a_brake_a_cap_and_heat_are_their_own_reasons(hall: Hall) -> None:
    assert hall.heat is not None
    for name in ("gpu0001", "gpu0002"):
        hall.heat.inject("load", name, {})
    hall.heat.inject("power_brake", "gpu0001", {})
    hall.heat.inject("power_capped", "gpu0002", {"watts": 400})
    braked = hall.execute(hall.machines["gpu0001"], "nvidia-smi -q -x").text
    capped = hall.execute(hall.machines["gpu0002"], "nvidia-smi -q -x").text
    healthy = hall.execute(hall.machines["gpu0003"], "nvidia-smi -q -x").text
    for text, reasons in ((braked, (8, 8, 0)), (capped, (0, 0, 8)), (healthy, (0, 0, 0))):
        names = ("hw_power_brake_slowdown", "hw_slowdown", "sw_power_cap")
        active = [text.count(f"<clocks_event_reason_{name}>Active<") for name in names]
        assert tuple(active) == reasons
    assert capped.count("<current_power_limit>400.00 W<") == 8 and "<gpu_util>100 %<" in capped
    assert "<clocks_event_reason_gpu_idle>Active<" in healthy


@pytest.mark.asyncio
async def test_a_dead_feed_is_told_by_the_bmc_and_two_of_them_take_it_away(
    hall: Hall, bmc: Callable[[str], Bmc]
) -> None:
    assert hall.heat is not None
    machine = hall.machines["gpu0001"]
    hall.heat.inject("feed_off", "r01-a", {})
    _, power, _ = await bmc("gpu0001")("GET", "/redfish/v1/Chassis/System.Embedded.1/Power")
    assert [psu["Status"]["Health"] for psu in power["PowerSupplies"]] == ["Critical"] * 3 + ["OK"] * 3
    assert [psu["LineInputVoltage"] > 200 for psu in power["PowerSupplies"]] == [False] * 3 + [True] * 3
    assert sum(row["id"] == "PSU0003" for row in machine.state.sel) == 3
    hall.heat.inject("feed_off", "r01-b", {})
    assert machine.state.power == "off"
    with pytest.raises(aiohttp.ClientConnectionError):
        await bmc("gpu0001")("GET", "/redfish/v1")
    hall.heat.clear(target="r01-a")
    hall.heat.clear(target="r01-b")
    assert machine.state.power == "on"
    assert (await bmc("gpu0001")("GET", "/redfish/v1"))[0] == 200


@pytest.mark.asyncio
async def test_a_hall_that_was_stopped_goes_on_with_its_faults(plan: HallPlan, tmp_path: Path) -> None:
    for turn in range(2):
        hall = Hall(plan, tmp_path / "hall", timing=FAST, heat=sample_heat(plan))
        await hall.start()
        assert hall.heat is not None
        if turn == 0:
            for feed in ("r01-a", "r01-b"):
                hall.heat.inject("feed_off", feed, {})
        assert hall.heat.dark("gpu0001") and hall.machines["gpu0001"].state.power == "off"
        assert not hall._redfish_doors["gpu0001"].is_open and hall._redfish_doors["gpu0009"].is_open
        await hall.stop()


# ---- the control interface ----


@pytest.mark.asyncio
async def test_faults_are_given_and_taken_over_the_control_interface(hall: Hall) -> None:
    control = Control(hall)
    await control.start()
    token = json.loads((hall.folder / "control.json").read_text())["token"]
    async with aiohttp.ClientSession(control.url, headers={"Authorization": f"Bearer {token}"}) as session:

        async def call(method: str, path: str, **options: Any) -> tuple[int, Any]:
            async with session.request(method, path, **options) as answer:
                return answer.status, await answer.json()

        body = {"fault": "gap_open", "target": "R01", "params": {"from_u": 1, "to_u": 4}}
        assert (await call("POST", "/heat/faults", json=body))[0] == 201
        later(hall, 1200)
        _, rack = await call("GET", "/heat/racks/R01")
        assert rack["devices"]["gpu0001"]["from_behind"] > 0.3
        assert rack["devices"]["gpu0001"]["gpu_c"] < 50
        assert (await call("POST", "/heat/faults", json={"fault": "load", "target": "gpu0001"}))[0] == 201
        assert (await call("POST", "/heat/go_on", json={"seconds": 1800}))[0] == 200
        _, rack = await call("GET", "/heat/racks/R01")
        assert rack["devices"]["gpu0001"]["gpu_c"] > 60
        for wrong in ({}, {"seconds": 0}, {"seconds": "60"}, {"seconds": 1e9}, [60]):
            assert (await call("POST", "/heat/go_on", json=wrong))[0] == 400
        assert (await call("POST", "/heat/faults", json={**body, "target": "R9"}))[0] == 400
        assert (await call("GET", "/heat/racks/R9"))[0] == 404
        names = {row["fault"] for row in (await call("GET", "/faults"))[1]["faults"]}
        assert {"gap_open", "valve_closed", "gpu_off_bus"} <= names
        _, cleared = await call("DELETE", "/heat/faults", params={"fault": "gap_open", "target": "R01"})
        assert len(cleared["cleared"]) == 1
        _, told = await call("GET", "/heat/meters")
        kinds = [row["kind"] for row in told["meters"]]
        assert kinds == ["snmp_pdu"] * 6 + ["snmp_sensors", "redfish_cooling", "modbus"]
        _, pdu = await call("GET", "/heat/pdus/pdu-r01-a")
        assert pdu["outlets"][0]["number"] == 1 and pdu["outlets"][0]["name"] == "C19 1"
    await control.stop()
    assert json.loads((hall.folder / "meters.json").read_text()) == told["meters"]


@pytest.mark.asyncio
async def test_hall_fault_gives_and_takes_what_concerns_racks_and_supplies(hall: Hall) -> None:
    control = Control(hall)
    await control.start()

    async def command(*words: str) -> str:
        out = io.StringIO()
        await asyncio.to_thread(call_command, "hall_fault", *words, f"--data={hall.folder}", stdout=out)
        return out.getvalue()

    assert hall.heat is not None
    assert await command("R01", "gap_open", "--set=from_u=1", "--set=to_u=4") == "R01: gap_open\n"
    assert await command("gpu0001", "supply_idle", "--slot=PSU 2") == "gpu0001: supply_idle\n"
    assert await command("gpu0001", "docker_dead") == "gpu0001: docker_dead\n"
    assert [fault.params for fault in hall.heat.room.faults] == [{"from_u": 1, "to_u": 4}, {"supply": "PSU 2"}]
    assert await command("R01", "gap_open", "--clear") == "cleared: gap_open R01\n"
    assert await command("gpu0001", "--clear") == "cleared: supply_idle gpu0001\ncleared: docker_dead\n"
    assert await command("R01", "--clear") == "cleared: nothing was there\n"
    assert "valve_closed" in await command()
    with pytest.raises(CommandError, match="there is none named 'R09'"):
        await command("R09", "gap_open")
    await control.stop()


def test_meters_of_a_slice_have_addresses_of_their_own() -> None:
    doors = MeterDoors.in_slice(7)
    at = [*map(doors.pdu, range(750)), *map(doors.unit, range(200)), *map(doors.sensors, range(50)), doors.site()]
    assert len(set(at)) == len(at)
    assert at[0] == "127.7.250.1" and doors.pdu(270) == "127.7.251.21"


def test_where_meters_answer_is_known_before_the_hall_runs() -> None:
    rows = meter_rows(sample_heat(sample_plan(4)), MeterDoors.in_slice(7))
    assert [(row.kind, row.name, row.device, row.rack, row.host, row.port) for row in rows] == [
        ("snmp_pdu", "pdu-r01-a", "pdu-r01-a", "R01", "127.7.250.1", 1161),
        ("snmp_pdu", "pdu-r01-b", "pdu-r01-b", "R01", "127.7.250.2", 1161),
        ("snmp_sensors", "sensors Hall 1", "", "", "127.7.253.201", 1161),
        ("redfish_cooling", "cdu-1", "", "", "127.7.253.1", 8443),
        ("modbus", "site", "", "", "127.7.253.251", 1502),
    ]


def test_no_pdu_of_the_plan_is_of_an_unknown_maker() -> None:
    plan: HeatPlan = sample_heat(sample_plan(12))
    assert {pdu.vendor for pdu in plan.pdus} == set(VENDORS)
    assert PduPlan("p", "r", "f", outlets=("C13 1", "C13 2")).numbers == {"C13 1": 0, "C13 2": 1}
