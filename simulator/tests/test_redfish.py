"""The BMCs over real HTTPS."""

from __future__ import annotations

import asyncio
import hashlib
import ssl
from collections.abc import Callable
from pathlib import Path

import aiohttp
import pytest

from simulator.hall import Hall
from simulator.plan import HallPlan
from simulator.redfish.styles import ROOT, STYLES
from simulator.tests.conftest import FAST, Bmc, Connect, any_certificate, basic

pytestmark = pytest.mark.asyncio
DELL = STYLES["Dell"]
SYSTEM, CHASSIS, MANAGER = DELL.system, DELL.chassis, DELL.manager
GetBmc = Callable[..., Bmc]


async def fingerprint(hall: Hall, name: str) -> str:
    machine = hall.machines[name]
    _, writer = await asyncio.open_connection(
        machine.plan.address, machine.state.redfish_port, ssl=any_certificate(), server_hostname=""
    )
    tls: ssl.SSLObject = writer.get_extra_info("ssl_object")
    found = hashlib.sha256(tls.getpeercert(binary_form=True) or b"").hexdigest()
    writer.close()
    return found


async def test_every_bmc_has_a_certificate_of_its_own_that_survives_a_restart(plan: HallPlan, tmp_path: Path) -> None:
    seen = []
    for _ in range(2):
        hall = Hall(plan, tmp_path / "hall", timing=FAST)
        await hall.start()
        seen.append([await fingerprint(hall, name) for name in ("gpu0001", "gpu0002")])
        await hall.stop()
    assert seen[0] == seen[1]
    assert len(set(seen[0])) == 2


async def test_the_service_root_needs_no_password_and_nothing_else_does_without(hall: Hall) -> None:
    machine = hall.machines["gpu0001"]
    base = f"https://{machine.plan.address}:{machine.state.redfish_port}"
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=any_certificate())) as session:
        for path, status in (("/redfish", 200), (ROOT, 200), (ROOT + "/", 200), (SYSTEM, 401), (CHASSIS, 401)):
            async with session.get(base + path) as answer:
                assert answer.status == status, path
        async with session.get(base + SYSTEM, headers=basic("root", "wrong")) as answer:
            assert answer.status == 401
            assert "WWW-Authenticate" in answer.headers
            assert (await answer.json())["error"]["@Message.ExtendedInfo"]


async def test_a_session_can_be_opened_used_and_closed(hall: Hall) -> None:
    machine = hall.machines["gpu0001"]
    base = f"https://{machine.plan.address}:{machine.state.redfish_port}"
    sessions = f"{base}{ROOT}/SessionService/Sessions"
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=any_certificate())) as client:
        async with client.post(sessions, json={"UserName": "root", "Password": "no"}) as answer:
            assert answer.status == 401
        async with client.post(sessions, json={"UserName": "root", "Password": "calvin"}) as answer:
            assert answer.status == 201
            token, place = {"X-Auth-Token": answer.headers["X-Auth-Token"]}, answer.headers["Location"]
        async with client.get(base + SYSTEM, headers=token) as answer:
            assert answer.status == 200
        other = hall.machines["gpu0002"]
        elsewhere = f"https://{other.plan.address}:{other.state.redfish_port}{SYSTEM}"
        async with client.get(elsewhere, headers=token) as answer:
            assert answer.status == 401, "a session is one BMC's"
        async with client.delete(base + place, headers=token) as answer:
            assert answer.status == 200
        async with client.get(base + SYSTEM, headers=token) as answer:
            assert answer.status == 401


async def test_the_system_is_who_the_plan_says(hall: Hall, bmc: GetBmc) -> None:
    plan = hall.machines["gpu0002"].plan
    _, system, _ = await bmc("gpu0002")("GET", SYSTEM)
    assert (system["SKU"], system["UUID"], system["PowerState"]) == (plan.serial, plan.system_uuid, "On")
    _, nic, _ = await bmc("gpu0002")("GET", f"{SYSTEM}/EthernetInterfaces/NIC.Embedded.1-1-1")
    assert (nic["MACAddress"], nic["LinkStatus"]) == (plan.boot_mac, "LinkUp")
    _, nic, _ = await bmc("gpu0002")("GET", f"{MANAGER}/EthernetInterfaces/NIC.1")
    assert nic["MACAddress"] == plan.bmc_mac


async def test_every_link_leads_somewhere(bmc: GetBmc) -> None:
    """Walk the whole tree from the service root, as a client that knows no path would."""
    ask, seen, todo = bmc(), set[str](), [ROOT]

    def links(value: object) -> list[str]:
        if isinstance(value, dict):
            own = [value["@odata.id"]] if isinstance(value.get("@odata.id"), str) else []
            return own + [link for inner in value.values() for link in links(inner)]
        return [link for inner in value for link in links(inner)] if isinstance(value, list) else []

    while todo:
        path = todo.pop()
        status, body, _ = await ask("GET", path)
        assert status == 200, path
        assert body["@odata.id"].partition("?")[0] == path.partition("?")[0]
        found = {link.partition("#")[0] for link in links(body)}
        entries = {link for link in found if "/Entries/" in link}
        seen.add(path)
        todo.extend(found - entries - seen - set(todo))
    assert {SYSTEM, CHASSIS, MANAGER, f"{CHASSIS}/Thermal", f"{CHASSIS}/Power"} <= seen
    assert len(seen) > 40


async def test_power_off_makes_ssh_go_away_and_power_on_brings_it_back(
    hall: Hall, bmc: GetBmc, connect: Connect
) -> None:
    ask, reset = bmc(), f"{SYSTEM}/Actions/ComputerSystem.Reset"
    assert (await ask("POST", reset, json={"ResetType": "ForceOff"}))[0] == 204
    assert (await ask("GET", SYSTEM))[1]["PowerState"] == "Off"
    with pytest.raises(ConnectionRefusedError):
        await connect()
    assert (await ask("POST", reset, json={"ResetType": "ForceOff"}))[0] == 409, "it is off already"
    assert (await ask("POST", reset, json={"ResetType": "On"}))[0] == 204
    assert (await ask("GET", SYSTEM))[1]["PowerState"] == "On"
    await asyncio.sleep(FAST.boot_s + 0.1)
    async with connect() as session:
        assert (await session.run("hostname")).stdout == "gpu0001\n"
    assert (await ask("POST", reset, json={"ResetType": "On"}))[0] == 409, "it is on already"
    assert (await ask("POST", reset, json={"ResetType": "Explode"}))[0] == 400


@pytest.mark.parametrize("action", ["ForceRestart", "GracefulRestart", "PowerCycle"])
async def test_every_kind_of_restart_is_a_new_boot(hall: Hall, bmc: GetBmc, action: str) -> None:
    before = hall.machines["gpu0001"].state.boot_id
    await bmc()("POST", f"{SYSTEM}/Actions/ComputerSystem.Reset", json={"ResetType": action})
    assert hall.machines["gpu0001"].state.boot_id != before
    assert hall.machines["gpu0001"].state.power == "on"


async def test_the_boot_override_honours_etags(bmc: GetBmc) -> None:
    ask = bmc()
    body = {"Boot": {"BootSourceOverrideTarget": "Pxe", "BootSourceOverrideEnabled": "Once"}}
    _, _, headers = await ask("GET", SYSTEM)
    assert (await ask("PATCH", SYSTEM, json=body, headers={"If-Match": headers["ETag"]}))[0] == 200
    _, system, later = await ask("GET", SYSTEM)
    assert system["Boot"]["BootSourceOverrideTarget"] == "Pxe"
    assert system["Boot"]["BootSourceOverrideEnabled"] == "Once"
    assert (await ask("PATCH", SYSTEM, json=body, headers={"If-Match": headers["ETag"]}))[0] == 412
    assert (await ask("PATCH", SYSTEM, json=body, headers={"If-Match": later["ETag"]}))[0] == 200
    assert (await ask("PATCH", SYSTEM, json=body))[0] == 200
    wrong = {"Boot": {"BootSourceOverrideTarget": "Punchcard"}}
    assert (await ask("PATCH", SYSTEM, json=wrong))[0] == 400


async def test_the_locator_light_is_kept(hall: Hall, bmc: GetBmc) -> None:
    ask = bmc()
    await ask("PATCH", SYSTEM, json={"LocationIndicatorActive": True})
    assert (await ask("GET", SYSTEM))[1]["IndicatorLED"] == "Blinking"
    assert (await ask("GET", CHASSIS))[1]["LocationIndicatorActive"] is True
    await ask("PATCH", SYSTEM, json={"IndicatorLED": "Off"})
    assert (await ask("GET", SYSTEM))[1]["LocationIndicatorActive"] is False
    assert (await ask("PATCH", CHASSIS, json={"IndicatorLED": "Green"}))[0] == 400
    assert hall.machines["gpu0001"].state.led == "Off"


async def test_thermal_and_power_show_inlet_fans_and_supplies(bmc: GetBmc) -> None:
    _, thermal, _ = await bmc()("GET", f"{CHASSIS}/Thermal")
    inlet = next(row for row in thermal["Temperatures"] if row["Name"] == "System Board Inlet Temp")
    assert 15 < inlet["ReadingCelsius"] < 35
    assert all(fan["Reading"] > 5000 and fan["Status"]["Health"] == "OK" for fan in thermal["Fans"])
    _, power, _ = await bmc()("GET", f"{CHASSIS}/Power")
    assert [row["MemberId"] for row in power["PowerSupplies"]] == [f"PSU.Slot.{n}" for n in range(1, 7)]


async def test_the_lifecycle_log_comes_in_pages_newest_first(hall: Hall, bmc: GetBmc) -> None:
    ask, path = bmc(), f"{MANAGER}/LogServices/Lclog/Entries"
    hall.inject(hall.machines["gpu0001"], "psu_lost", slot="PSU 2")
    entries = []
    while path:
        _, page, _ = await ask("GET", path)
        entries += page["Members"]
        path = page.get("Members@odata.nextLink", "")
        assert len(page["Members"]) <= 100
    assert len(entries) == page["Members@odata.count"] > 100
    assert [int(row["Id"]) for row in entries] == list(range(len(entries), 0, -1))
    assert entries[0]["Message"] == "Power supply redundancy is lost."
    _, one, _ = await ask("GET", f"{MANAGER}/LogServices/Lclog/Entries?$top=1&$skip=1")
    assert one["Members"] == [entries[1]]
    assert (await ask("GET", f"{MANAGER}/LogServices/Lclog/Entries?$skip=x"))[0] == 400


async def test_the_event_log_can_be_cleared(hall: Hall, bmc: GetBmc) -> None:
    hall.inject(hall.machines["gpu0001"], "psu_lost", slot="PSU 2")
    ask, sel = bmc(), f"{MANAGER}/LogServices/Sel"
    assert (await ask("GET", f"{sel}/Entries"))[1]["Members@odata.count"] == 2
    assert (await ask("POST", f"{sel}/Actions/LogService.ClearLog", json={}))[0] == 204
    assert (await ask("GET", f"{sel}/Entries"))[1]["Members"] == []


async def test_what_is_not_there_is_404_and_junk_is_400(bmc: GetBmc) -> None:
    ask = bmc()
    status, body, _ = await ask("GET", f"{ROOT}/Systems/Nobody")
    assert (status, "was not found" in str(body)) == (404, True)
    assert (await ask("PATCH", SYSTEM, data=b"{"))[0] == 400
    assert (await ask("DELETE", SYSTEM))[0] == 405


async def test_a_dead_bmc_refuses_and_another_identity_is_shown(hall: Hall, bmc: GetBmc) -> None:
    ask = bmc()
    assert (await ask("GET", ROOT))[0] == 200
    hall.inject(hall.machines["gpu0001"], "bmc_dead")
    for _ in range(2):  # the connection that was open, then a new one
        with pytest.raises(aiohttp.ClientError):
            await ask("GET", ROOT)
    hall.inject(hall.machines["gpu0002"], "wrong_identity", params={"serial": "OTHER77"})
    assert (await bmc("gpu0002")("GET", SYSTEM))[1]["SKU"] == "OTHER77"
