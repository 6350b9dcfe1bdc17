"""The control interface moves cables and gives troubles, and refuses what cannot be done."""

from __future__ import annotations

from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from simulator.control import Control
from simulator.fabric.hall import Fabric
from simulator.fabric.plan import End
from simulator.hall import Hall
from simulator.plan import sample_plan

pytestmark = pytest.mark.asyncio


async def order(fabric: Fabric, name: str, body: dict[str, Any]) -> tuple[int, Any]:
    hall = Hall(sample_plan(1), fabric.folder)
    hall.fabric = fabric
    control = Control(hall)
    app: web.Application = control._application()
    async with TestClient(TestServer(app)) as client:
        headers = {"Authorization": f"Bearer {control._token}"}
        answer = await client.post(f"/fabric/{name}", json=body, headers=headers)
        return answer.status, await answer.json()


async def test_a_cable_is_pulled_and_plugged_by_name_and_the_change_is_on_disk(fabric: Fabric) -> None:
    status, done = await order(fabric, "unplug", {"port": "leaf-01-r1/1"})
    assert status == 200
    again = Fabric(fabric.wiring.plan, fabric.folder, seed="seed", clock=fabric.clock)
    assert again.wiring.changes.ends.keys() == {done["cable"]}
    status, port = await order(fabric, "plug", {"port": "leaf-01-r1/1", "cable": done["cable"]})
    assert (status, port["logical"]) == (200, "Active")


async def test_troubles_are_given_and_cured(fabric: Fabric) -> None:
    await order(fabric, "degrade", {"port": "leaf-01-r1/2", "width": "1x", "warmer_c": 30})
    end = End(fabric.wiring.by_name["leaf-01-r1"].guid, 2)
    hot = fabric.wiring.temperature_c(end)
    assert fabric.wiring.port(end).width == "1x" and hot is not None and hot > 70
    await order(fabric, "cure", {"port": end.name})
    assert fabric.wiring.port(end).width == "4x"


@pytest.mark.parametrize(
    ("name", "body", "status"),
    [
        ("unplug", {"port": "nowhere/1"}, 400),
        ("unplug", {}, 400),
        ("plug", {"port": "leaf-01-r1/1", "cable": "C00001"}, 400),
        ("degrade", {"port": "leaf-01-r1/1", "errors_per_hour": {"Nonsense": 1}}, 400),
        ("source", {"source": "ufm", "is": "drunk"}, 400),
        ("fly", {}, 404),
    ],
)
async def test_what_cannot_be_done_is_refused_and_changes_nothing(
    fabric: Fabric, name: str, body: dict[str, Any], status: int
) -> None:
    assert (await order(fabric, name, body))[0] == status
    assert fabric.wiring.changes.revision == 0
