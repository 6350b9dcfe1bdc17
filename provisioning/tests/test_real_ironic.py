"""The engine over a real Ironic 39, whose BMC is sushy-tools' emulator, and over its own fake hardware.

The install data arrives on a config drive that Ironic makes; nobody boots it here, so what the machine itself does is
left out: it would phone home.
"""

from __future__ import annotations

import asyncio
import base64
import gzip
import hashlib
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
import pytest_asyncio

from access.queries import BmcTarget
from core.outgoing.gate import Gate
from drivers.https import NoSuchRecord
from drivers.ironic.client import IronicClient
from drivers.ironic.shapes import Node
from drivers.ironic.states import Means
from drivers.tests import ironic_real
from drivers.tests.ironic_agent import booted
from drivers.tests.ironic_real import RealIronic
from drivers.tests.test_ironic import settled, unlocked
from provisioning.engines import ENGINES
from provisioning.engines.contract import Again, Broken, Finished, Job
from provisioning.ironic.queries import IronicTarget
from provisioning.steps import FailureClass, StepName

pytestmark = [pytest.mark.slow, pytest.mark.services, pytest.mark.timeout(420)]
ENGINE = ENGINES["ironic"]
STEP_S = 90
DATA = "#cloud-config\nhostname: gpu-1\n"


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealIronic]:
    folder = tmp_path_factory.mktemp("ironic")
    with ironic_real.running(folder) as made:
        (folder / "http" / "boot.iso").write_bytes(bytes(64 * 1024))
        yield made


@pytest.fixture
def target(real: RealIronic) -> IronicTarget:
    return IronicTarget(
        1, real.url, ironic_real.USER, ironic_real.PASSWORD, "", Gate(local=True), image=f"{real.images}/boot.iso",
        deploy_interface="ramdisk", inspects=False, automated_clean=False, enrolls=True, verifies_bmc=False,
    )  # fmt: skip


@pytest_asyncio.fixture
async def ironic(target: IronicTarget) -> AsyncIterator[IronicClient]:
    async with target.client() as client:
        yield client


def job(real: RealIronic, target: IronicTarget, name: str, mac: str, **login: Any) -> Job:
    async def data() -> str:
        return DATA

    bmc = BmcTarget(
        1, name, "127.0.0.1", real.bmc_port, ironic_real.BMC_USER, ironic_real.BMC_PASSWORD, None, Gate(local=True)
    )
    bmc = replace(bmc, **login)
    return Job(1, name, "", UUID(real.systems[0]), mac, bmc, deployer=target, install_data=data)


async def walked(job: Job, step: StepName) -> tuple[Job, Finished | Broken]:
    """One step to its end, as the workers look at it."""
    job, end = replace(job, data={}), time.monotonic() + STEP_S
    while time.monotonic() < end:
        looked = await ENGINE.perform(step, job)
        if looked.met_record is not None:
            met = looked.met_record
            job = replace(job, deployer=replace(job.deployer, uuid=met.uuid, name=met.name))
        outcome = looked.outcome
        if isinstance(outcome, Finished | Broken):
            return job, outcome
        assert isinstance(outcome, Again), outcome
        if outcome.data is not None:
            job = replace(job, data=outcome.data)
        await asyncio.sleep(0.3)
    raise AssertionError(f"{step} does not end: {outcome}")


async def fake(ironic: IronicClient, name: str, mac: str) -> Node:
    """A node whose hardware Ironic plays itself."""
    await ironic._https.send("POST", "/v1/nodes", body={"name": name, "driver": "fake-hardware"})
    node = await ironic.node(name)
    await ironic.add_port(node.uuid, mac)
    return node


@pytest.mark.asyncio
async def test_a_bare_machine_is_enrolled_with_its_bmc_and_deployed_by_virtual_media(
    real: RealIronic, target: IronicTarget, ironic: IronicClient
) -> None:
    todo = job(real, target, "gpu-1", "02:00:00:00:00:01")
    for step in ENGINE.way.steps:
        if step not in ENGINE.performs:
            break
        todo, outcome = await walked(todo, step)
        assert isinstance(outcome, Finished), f"{step}: {outcome.detail}\n{real.log[-3000:]}"
    node = await settled(ironic, "gpu-1")
    assert (node.means, node.power_state) == (Means.RUNS, "power on")
    assert await ironic.owners("02:00:00:00:00:01") == [node.uuid]
    inserted = (real.folder / "bmc.log").read_text()
    assert "VirtualMedia.InsertMedia" in inserted and "ComputerSystem.Reset" in inserted, "it was really switched"
    assert list((real.folder / "http").rglob("*.iso")), "Ironic published what it inserted"
    # and again, from what runs: undeployed through the locks that a power change leaves
    _, outcome = await walked(todo, StepName.INSPECT)
    assert isinstance(outcome, Finished) and (await settled(ironic, "gpu-1")).means is Means.FREE
    await unlocked(lambda: ironic.set_maintenance(node.uuid, "Rackside: REP-1"))
    assert (await ironic.node("gpu-1")).maintenance


@pytest.mark.asyncio
async def test_fake_hardware_is_inspected_cleaned_and_deployed_and_once_more(
    real: RealIronic, target: IronicTarget, ironic: IronicClient
) -> None:
    await fake(ironic, "fake-1", "02:00:00:00:00:11")
    inspects = replace(target, inspects=True, automated_clean=True, deploy_interface="", image="http://images/a.qcow2")
    todo = replace(job(real, inspects, "fake-1", "02:00:00:00:00:11"), system_uuid=None)
    for _ in range(2):
        for step in (StepName.IRONIC_NODE, StepName.INSPECT, StepName.HARDWARE, StepName.CLEAN, StepName.DEPLOY):
            todo, outcome = await walked(todo, step)
            assert isinstance(outcome, Finished), f"{step}: {outcome.detail}"
    history = [event.text for event in await ironic.history(todo.deployer.uuid)]
    assert len([text for text in history if text.startswith("Starting deployment")]) == 2, history


@pytest.mark.asyncio
async def test_the_agent_erases_the_disks_by_order_and_writes_the_image_with_our_data(
    real: RealIronic, target: IronicTarget, ironic: IronicClient, tmp_path: Path
) -> None:
    """The deploy interface `direct`, with a stand-in for the agent that a machine would boot, as far as the disk."""
    image, mac = b"the image" * 1000, "02:00:00:00:00:41"
    (real.folder / "http" / "disk.img").write_bytes(image)
    direct = replace(
        target, image=f"{real.images}/disk.img", checksum=hashlib.sha256(image).hexdigest(), deploy_interface="direct",
        erases=("erase_devices_metadata",),
    )  # fmt: skip
    todo = job(real, direct, "gpu-direct", mac)
    async with booted(real.url, mac, tmp_path / "disk") as agent:
        todo, outcome = await walked(todo, StepName.IRONIC_NODE)
        assert isinstance(outcome, Finished), outcome
        uuid = todo.deployer.uuid
        # What a site sets in Ironic once: what its machines boot for the agent.
        await unlocked(lambda: ironic.change(uuid, {"driver_info/deploy_iso": f"{real.images}/boot.iso"}))
        for step in (StepName.INSPECT, StepName.CLEAN):
            todo, outcome = await walked(todo, step)
            assert isinstance(outcome, Finished), f"{step}: {outcome.detail}\n{real.log[-6000:]}"
        assert agent.steps == ["erase_devices_metadata"]
        deploying = asyncio.create_task(walked(todo, StepName.DEPLOY))
        try:
            async with asyncio.timeout(STEP_S):
                while not agent.drive:
                    await asyncio.sleep(0.2)
        finally:
            deploying.cancel()
        assert (tmp_path / "disk").read_bytes() == image, "the agent compared it with the checksum of the site"
        assert b"hostname: gpu-1" in gzip.decompress(base64.b64decode(agent.drive)), "on the config drive"


@pytest.mark.asyncio
async def test_an_inspection_that_fails_is_named_with_what_ironic_says(
    real: RealIronic, target: IronicTarget, ironic: IronicClient
) -> None:
    """The emulator has no processors, which Ironic needs."""
    todo = job(real, replace(target, inspects=True), "gpu-odd", "02:00:00:00:00:21")
    todo, outcome = await walked(todo, StepName.IRONIC_NODE)
    assert isinstance(outcome, Finished)
    _, outcome = await walked(todo, StepName.INSPECT)
    assert isinstance(outcome, Broken) and outcome.failure is FailureClass.INSPECTION_FAILED
    assert "Processors" in outcome.detail


@pytest.mark.asyncio
async def test_a_bmc_that_refuses_ironics_password_is_named_so_and_no_password_is_told(
    real: RealIronic, target: IronicTarget
) -> None:
    todo = job(real, target, "gpu-refused", "02:00:00:00:00:31", password="calvin-wrong")
    todo, _ = await walked(todo, StepName.IRONIC_NODE)
    _, outcome = await walked(todo, StepName.INSPECT)
    assert isinstance(outcome, Broken) and outcome.failure is FailureClass.BMC_REFUSES, outcome
    assert "calvin-wrong" not in outcome.detail


@pytest.mark.asyncio
async def test_a_node_that_is_renamed_or_deleted_outside_ends_the_step_at_once(
    real: RealIronic, target: IronicTarget, ironic: IronicClient
) -> None:
    node = await fake(ironic, "fake-2", "02:00:00:00:00:12")
    todo = replace(job(real, target, "fake-2", "02:00:00:00:00:12"), system_uuid=None)
    todo, _ = await walked(todo, StepName.IRONIC_NODE)
    await ironic.change(node.uuid, {"name": "storage-7"})
    _, outcome = await walked(todo, StepName.INSPECT)
    assert isinstance(outcome, Broken) and "renamed from fake-2 to storage-7" in outcome.detail
    await unlocked(lambda: _delete(ironic, node.uuid))
    _, outcome = await walked(todo, StepName.INSPECT)
    assert isinstance(outcome, Broken) and outcome.failure is FailureClass.RECORD_LOST
    with pytest.raises(NoSuchRecord):
        await ironic.node(node.uuid)


async def _delete(ironic: IronicClient, uuid: str) -> None:
    await ironic._send("DELETE", f"/v1/nodes/{uuid}")
