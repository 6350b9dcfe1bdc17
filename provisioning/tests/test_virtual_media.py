"""A run whose machines boot from an image in the virtual CD: the engine against BMCs of the virtual hall."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
import pytest_asyncio

from access.queries import BmcTarget
from core.outgoing.gate import Gate
from provisioning import services
from provisioning.engines import ENGINES
from provisioning.engines.contract import Finished, Job
from provisioning.steps import StepName
from simulator.hall import Hall
from simulator.plan import sample_plan
from simulator.tests.conftest import FAST, free_slice

ISO = "http://10.0.0.1/boot.iso"


@pytest_asyncio.fixture
async def hall(tmp_path: Path) -> AsyncIterator[Hall]:
    """Machines of three vendors."""
    plan = sample_plan(3, slice_number=free_slice() + 1, ssh_port=0, redfish_port=0)
    vendors = ("Dell", "HPE", "Supermicro")
    machines = zip(plan.machines, vendors, strict=True)
    of_vendors = tuple(replace(each, facts=replace(each.facts, vendor=vendor)) for each, vendor in machines)
    running = Hall(replace(plan, machines=of_vendors).with_access((), "root", "calvin"), tmp_path / "hall", timing=FAST)
    await running.start()
    yield running
    await running.stop()


@pytest.mark.asyncio
async def test_each_vendors_machine_is_told_to_start_from_the_image(hall: Hall, settings: Any) -> None:
    settings.BOOT_IMAGE_URL = ISO
    for number, machine in enumerate(hall.machines.values(), 1):
        plan = machine.plan
        target = BmcTarget(number, plan.name, plan.address, machine.state.redfish_port, "root", "calvin", None,
                           Gate(local=True))  # fmt: skip
        job = Job(number, plan.name, plan.serial, UUID(plan.system_uuid), plan.boot_mac, target)
        looked = await ENGINES["virtual_media"].perform(StepName.BOOT_OVERRIDE, job)
        assert isinstance(looked.outcome, Finished), looked.outcome
        assert ISO in machine.state.media.values()
        assert machine.state.boot_override.enabled == "Once"


@pytest.mark.django_db
def test_a_run_from_virtual_media_is_refused_until_an_image_is_configured(settings: Any) -> None:
    settings.BOOT_IMAGE_URL = ""
    with pytest.raises(services.RunRefused, match="RACKSIDE_BOOT_IMAGE_URL"):
        services.create_run([1], actor="a test", engine="virtual_media")
    with pytest.raises(services.RunRefused, match="there is no engine"):
        services.create_run([1], actor="a test", engine="floppy")
