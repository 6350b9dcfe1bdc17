"""A vendor of BMCs added as docs/how-to-add.md says, by data alone, and one of its machines driven over real HTTPS."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

import drivers.dialects
from drivers.dialects import Dialect
from drivers.redfish import RedfishClient
from drivers.redfish_logs import read_logs
from health.checks.bmc_log import message_ids
from health.checks.parsers.bmc import parse_bmc
from simulator.hall import Hall
from simulator.plan import sample_plan
from simulator.redfish.styles import STYLES, Log, Style
from simulator.tests.conftest import FAST, free_slice

ROOT = Path(__file__).resolve().parents[1]
ACME = Dialect(
    slug="acme",
    vendor="Acme",
    bmc="AcmeBMC",
    source="an example",
    vendors=("acme",),
    names=((r"AcmeBMC (\d+)", r"AcmeBMC \1"),),
    serial=("SKU",),
    logs=(("system", "Hardware"),),
    light_on="Lit",
    boot_mode="UEFI",
    cd_target="UsbCd",
    media_slot="Remote[0-9]",
    media_protocol=True,
)
STYLE = Style(
    root={"Vendor": "Acme"},
    manufacturer="Acme",
    system_id="node",
    manager_id="mc",
    manager_model="AcmeBMC 4",
    resets=("On", "ForceOff"),
    light_words=("Lit", "Off"),
    boot_targets=("None", "Pxe", "UsbCd"),
    etag=True,
    logs=(Log("manager", "Event", "Who logged in", "lifecycle"), Log("system", "Hardware", "Hardware log", "sel")),
    media=(("Local1", ("CD",)), ("Remote1", ("CD", "DVD"))),
    transfer=True,
    cd_boots=("UsbCd",),
)
ISO = "https://10.0.0.1/boot.iso"


@pytest_asyncio.fixture
async def hall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Hall]:
    monkeypatch.setitem(STYLES, "Acme", STYLE)
    plan = sample_plan(1, slice_number=free_slice() + 2, ssh_port=0, redfish_port=0)
    machine = replace(plan.machines[0], facts=replace(plan.machines[0].facts, vendor="Acme"))
    running = Hall(replace(plan, machines=(machine,)).with_access((), "root", "pw"), tmp_path / "hall", timing=FAST)
    await running.start()
    yield running
    await running.stop()


@pytest.mark.asyncio
async def test_a_vendor_added_by_data_drives_its_machine(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    (machine,) = hall.machines.values()
    base = f"https://{machine.plan.address}:{machine.state.redfish_port}"
    async with RedfishClient(base, "root", "pw", poll_s=0.02) as bmc:
        before = await bmc.report()
    assert before.dialect == "standard"
    assert parse_bmc(before.system, manager=before.manager, vendor=before.vendor).bmc == (
        "plain Redfish: no dialect for Acme"
    )
    monkeypatch.setattr(drivers.dialects, "DIALECTS", (*drivers.dialects.DIALECTS, ACME))
    async with RedfishClient(base, "root", "pw", poll_s=0.02) as bmc:
        assert await bmc.dialect() is ACME
        answers = await bmc.report()
        assert (answers.dialect, ACME.name_of(answers.manager)) == ("acme", "AcmeBMC 4")
        wanted = (await bmc.dialect()).logs
        (log,) = await read_logs(bmc, answers.manager, answers.system, {}, wanted=wanted)
        assert log.path == "/redfish/v1/Systems/node/LogServices/Hardware/Entries"
        await bmc.set_indicator(True)
        assert machine.state.led == "Lit"
        await bmc.boot_from_media(ISO)
        assert machine.state.media == {"Remote1": ISO}
        assert (machine.state.boot_override.target, machine.state.boot_override.mode) == ("UsbCd", "UEFI")
        await bmc.set_boot_once("Pxe")
        assert machine.state.boot_override.target == "Pxe"
        booted: list[str] = []
        monkeypatch.setattr(hall, "_network_boot", lambda started: booted.append(started.plan.name))
        await bmc.power("cycle", wait_s=5)
        assert booted == [machine.plan.name]


def test_a_file_of_message_ids_is_all_that_a_vendors_ids_take(tmp_path: Path) -> None:
    for name, ids in (("dell", "PSU0003"), ("acme", "ACM-17|ACM-18")):
        (tmp_path / f"{name}.csv").write_text(f"# a comment\nrule,ids\npsu.input,{ids}\n")
    assert message_ids(tmp_path) == {"psu.input": "ACM-17|ACM-18|PSU0003"}


def test_only_the_dialect_of_a_vendor_names_it_among_the_drivers() -> None:
    """What a vendor does in its own way stands in its module: the client knows none by name."""
    names = re.compile(r"(?i)\b(?:dell|idrac|hpe|ilo|lenovo|xcc|supermicro|openbmc)\b")
    for name in ("redfish.py", "redfish_connection.py", "access/bmc.py"):
        path = ROOT / name if "/" in name else ROOT / "drivers" / name
        assert not names.findall(path.read_text()), name
