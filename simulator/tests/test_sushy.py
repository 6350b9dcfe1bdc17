"""A Redfish client nobody here wrote, sushy, works with a BMC of the virtual hall."""

from __future__ import annotations

import asyncio
import time

import pytest
import sushy

from simulator.hall import Hall

pytestmark = pytest.mark.asyncio


def connected(url: str) -> sushy.Sushy:
    return sushy.Sushy(url, auth=sushy.auth.BasicAuth("root", "calvin"), verify=False)


def work(url: str) -> tuple[list[str], str, str, int, int]:
    """What somebody with sushy does: read, cycle the power, boot from the network once, read the sensors."""
    [system] = connected(url).get_system_collection().get_members()
    seen = [system.power_state.value]
    system.reset_system(sushy.ResetType.FORCE_OFF)
    seen.append(settled(system, sushy.PowerState.OFF))
    system.set_system_boot_options(target=sushy.BootSource.PXE, enabled=sushy.BootSourceOverrideEnabled.ONCE)
    system.refresh(force=True)
    target = system.boot["target"].value
    system.reset_system(sushy.ResetType.ON)
    seen.append(settled(system, sushy.PowerState.ON))
    [chassis] = system.chassis
    supplies, fans = chassis.power.power_supplies, chassis.thermal.fans
    return seen, target, system.sku, len(supplies), len(fans)


def settled(system: sushy.resources.system.system.System, wanted: sushy.PowerState) -> str:
    deadline = time.monotonic() + 20
    while system.power_state != wanted and time.monotonic() < deadline:
        time.sleep(0.1)
        system.refresh(force=True)
    return str(system.power_state.value)


@pytest.mark.slow
async def test_another_client_reads_cycles_and_boots_a_machine_of_the_hall(hall: Hall) -> None:
    machine = hall.machines["gpu0001"]
    url = f"https://{machine.plan.address}:{machine.state.redfish_port}"
    seen, target, sku, supplies, fans = await asyncio.to_thread(work, url)
    assert seen == ["On", "Off", "On"]
    assert target == "Pxe"
    assert sku == machine.plan.serial
    assert supplies == 6
    assert fans > 0
