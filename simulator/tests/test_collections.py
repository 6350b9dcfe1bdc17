"""A vendor's own collection, ordered, followed and fetched over real HTTPS: an iDRAC, an iLO, and a BMC without one."""

from __future__ import annotations

import asyncio
import io
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from drivers.bmc.collections import NoCollection, follow, order
from drivers.redfish import RedfishClient, RedfishError
from simulator.hall import Hall
from simulator.plan import HallPlan
from simulator.tests.conftest import FAST, PASSWORD

pytestmark = pytest.mark.asyncio
TODAY = date(2026, 3, 1)
MOST = 1 << 20


@asynccontextmanager
async def bmc_of(plan: HallPlan, vendor: str, folder: Path) -> AsyncIterator[RedfishClient]:
    machines = tuple(replace(each, facts=replace(each.facts, vendor=vendor)) for each in plan.machines[:1])
    hall = Hall(replace(plan, machines=machines), folder / "hall", timing=replace(FAST, collect_s=0.2))
    await hall.start()
    try:
        machine = hall.machines[machines[0].name]
        base = f"https://{machine.plan.address}:{machine.state.redfish_port}"
        async with RedfishClient(base, "root", PASSWORD, timeout_s=5, poll_s=0.02) as client:
            yield client
    finally:
        await hall.stop()


async def test_a_support_assist_collection_is_followed_to_its_zip(plan: HallPlan, tmp_path: Path) -> None:
    async with bmc_of(plan, "Dell", tmp_path) as client:
        ordered = await order(client, TODAY)
        first = await follow(client, ordered.task)
        assert not first.over
        with pytest.raises(RedfishError, match="running already"):
            await order(client, TODAY)
        while not (stand := await follow(client, ordered.task)).over:
            await asyncio.sleep(0.05)
        assert stand.well
        content = await client.download(stand.place, MOST)
        assert "tsr/metadata.json" in zipfile.ZipFile(io.BytesIO(content)).namelist()
        with pytest.raises(RedfishError, match="larger than 10 bytes"):
            await client.download(stand.place, 10)


async def test_a_job_that_the_bmc_forgot_ended_badly(plan: HallPlan, tmp_path: Path) -> None:
    async with bmc_of(plan, "Dell", tmp_path) as client:
        stand = await follow(client, "/redfish/v1/TaskService/Tasks/JID_1")
        assert (stand.over, stand.well) == (True, False)


async def test_an_active_health_system_log_lies_there_already(plan: HallPlan, tmp_path: Path) -> None:
    async with bmc_of(plan, "HPE", tmp_path) as client:
        ordered = await order(client, TODAY)
        assert ordered.task == ""
        assert "from=2026-02-22&&to=2026-03-01" in ordered.place
        assert (await client.download(ordered.place, MOST)).startswith(b"HPE AHS")


async def test_a_bmc_without_one_says_so(plan: HallPlan, tmp_path: Path) -> None:
    async with bmc_of(plan, "Example", tmp_path) as client:
        with pytest.raises(NoCollection, match="no collection"):
            await order(client, TODAY)
