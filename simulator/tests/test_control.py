"""The hall's own REST interface and its commands."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from django.core.management import CommandError, call_command

from simulator.control import Control
from simulator.faults import CATALOGUE
from simulator.hall import Hall

pytestmark = pytest.mark.asyncio


class Client:
    def __init__(self, access: dict[str, str], session: aiohttp.ClientSession) -> None:
        self.url = access["url"]
        self._headers = {"Authorization": f"Bearer {access['token']}"}
        self._session = session

    async def __call__(self, method: str, path: str, **options: Any) -> tuple[int, Any]:
        async with self._session.request(method, self.url + path, headers=self._headers, **options) as answer:
            return answer.status, await answer.json() if answer.content_type == "application/json" else answer.status


@pytest_asyncio.fixture
async def control(hall: Hall) -> AsyncIterator[Client]:
    running = Control(hall)
    await running.start()
    path = hall.folder / "control.json"
    assert path.stat().st_mode & 0o077 == 0, "only the owner may read the token"
    async with aiohttp.ClientSession() as session:
        yield Client(json.loads(path.read_text()), session)
    await running.stop()


async def test_without_the_token_nothing_is_told(control: Client) -> None:
    async with aiohttp.ClientSession() as session:
        for headers in ({}, {"Authorization": "Bearer wrong"}):
            async with session.get(control.url + "/machines", headers=headers) as answer:
                assert answer.status == 401


async def test_the_token_stays_valid_over_a_restart(hall: Hall, control: Client) -> None:
    again = Control(hall)
    await again.start()
    token = json.loads((hall.folder / "control.json").read_text())["token"]
    await again.stop()
    assert f"Bearer {token}" == control._headers["Authorization"]


async def test_machines_are_listed_with_where_they_answer(hall: Hall, control: Client) -> None:
    status, body = await control("GET", "/machines")
    assert status == 200
    assert [machine["name"] for machine in body["machines"]] == ["gpu0001", "gpu0002", "gpu0003"]
    assert [machine["phase"] for machine in body["machines"]] == ["up", "up", "off"]
    assert body["machines"][0]["ssh_port"] == hall.machines["gpu0001"].state.ssh_port
    _, endpoints = await control("GET", "/endpoints")
    assert endpoints == json.loads((hall.folder / "endpoints.json").read_text()) == hall.endpoints()


async def test_a_fault_is_injected_seen_and_cleared(control: Client) -> None:
    body = {"fault": "nvlink_down", "slot": "GPU 4", "link": 9}
    status, fault = await control("POST", "/machines/gpu0001/faults", json=body)
    assert (status, fault["params"]) == (201, {"link": 9})
    _, one = await control("GET", "/machines/gpu0001")
    assert [fault["fault"] for fault in one["faults"]] == ["nvlink_down"]
    assert "NVLink: fatal error detected on link 9" in one["kernel_log"][-1]
    _, gone = await control("DELETE", "/machines/gpu0001/faults/nvlink_down")
    assert len(gone["cleared"]) == 1
    assert (await control("GET", "/machines/gpu0001"))[1]["faults"] == []


async def test_a_replaced_gpu_has_another_serial_and_no_fault(hall: Hall, control: Client) -> None:
    await control("POST", "/machines/gpu0001/faults", json={"fault": "gpu_off_bus", "slot": "GPU 4"})
    _, before = await control("GET", "/machines/gpu0001")
    status, part = await control("POST", "/machines/gpu0001/replace", json={"slot": "GPU 4"})
    assert status == 201
    assert part["serial"] != before["parts"]["GPU 4"]["serial"]
    _, after = await control("GET", "/machines/gpu0001")
    assert after["parts"]["GPU 4"] == {"serial": part["serial"], "uuid": part["uuid"]}
    assert after["faults"] == []
    status, part = await control("POST", "/machines/gpu0001/replace", json={"slot": "PSU 1", "serial": "MINE"})
    assert (status, part["serial"]) == (201, "MINE")


async def test_power_in_plain_words(hall: Hall, control: Client) -> None:
    _, brief = await control("POST", "/machines/gpu0001/power", json={"action": "off"})
    assert (brief["power"], brief["phase"]) == ("off", "off")
    _, brief = await control("POST", "/machines/gpu0001/power", json={"action": "on"})
    assert brief["phase"] == "booting"
    _, brief = await control("POST", "/machines/gpu0001/power", json={"action": "ForceOff"})
    assert brief["phase"] == "off"


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/machines/nobody", None, 404),
        ("POST", "/machines/gpu0001/faults", {"fault": "nosuch"}, 400),
        ("POST", "/machines/gpu0001/replace", {"slot": "GPU 77"}, 404),
        ("POST", "/machines/gpu0001/power", {"action": "explode"}, 400),
        ("POST", "/machines/gpu0001/power", ["on"], 400),
        ("GET", "/nowhere", None, 404),
    ],
)
async def test_a_wrong_request_is_told_why(control: Client, method: str, path: str, body: Any, status: int) -> None:
    got, answer = await control(method, path, json=body)
    assert got == status
    assert answer["error"]


async def test_the_catalogue_lists_every_fault(control: Client) -> None:
    _, body = await control("GET", "/faults")
    assert [row["fault"] for row in body["faults"]] == list(CATALOGUE)
    assert all(row["title"] and row["shows"] for row in body["faults"])


async def test_metrics_count_machines_and_faults(hall: Hall, control: Client) -> None:
    hall.inject(hall.machines["gpu0001"], "docker_dead")
    async with aiohttp.ClientSession(headers=control._headers) as session:
        text = await (await session.get(control.url + "/metrics")).text()
    assert 'hall_machines{phase="up"} 2\n' in text
    assert 'hall_faults{fault="docker_dead"} 1\n' in text


async def test_hall_fault_injects_lists_and_clears(hall: Hall, control: Client) -> None:
    async def command(*words: str) -> str:
        out = io.StringIO()
        await asyncio.to_thread(call_command, "hall_fault", *words, f"--data={hall.folder}", stdout=out)
        return out.getvalue()

    assert await command("gpu0001", "nvlink_down", "--slot=GPU 4", "--set=link=3") == "gpu0001: nvlink_down GPU 4\n"
    assert hall.machines["gpu0001"].state.faults[0].params == {"link": 3}
    assert await command("gpu0001", "--clear") == "cleared: nvlink_down GPU 4\n"
    assert await command("gpu0001", "--clear") == "cleared: nothing was there\n"
    assert "gpu_off_bus" in await command()
    with pytest.raises(CommandError, match="needs a slot"):
        await command("gpu0001", "gpu_off_bus")


async def test_hall_fault_replaces_a_part_and_finds_the_hall_by_itself(
    hall: Hall, control: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RACKSIDE_HALL_FOLDER", str(hall.folder))
    out = io.StringIO()
    words = ("gpu0001", "--slot=GPU 4", "--replace=1659900000055")
    await asyncio.to_thread(call_command, "hall_fault", *words, stdout=out)
    assert out.getvalue() == "gpu0001: GPU 4 is now 1659900000055\n"
    assert hall.machines["gpu0001"].state.parts["GPU 4"].serial == "1659900000055"


async def test_hall_fault_without_a_hall_says_so(tmp_path: Any) -> None:
    with pytest.raises(CommandError, match="no hall has run"):
        await asyncio.to_thread(call_command, "hall_fault", f"--data={tmp_path}")
