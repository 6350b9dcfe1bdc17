"""A run whose machines boot from a medium of their own in the virtual CD, and what goes wrong with it."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
import pytest_asyncio
import yaml
from django.utils import timezone

from access.queries import BmcTarget
from core.outgoing.gate import Gate
from provisioning import services
from provisioning.engines import ENGINES
from provisioning.engines.contract import Finished, Job
from provisioning.engines.media import is_ours
from provisioning.media import images, tidy
from provisioning.models import BootMedium, BootToken, RunMachine, Step
from provisioning.services import media
from provisioning.steps import FailureClass, StepName
from provisioning.tests.world import BareMachine, Pump
from simulator.hall import Hall
from simulator.plan import sample_plan
from simulator.tests.conftest import FAST, free_slice

ISO = "http://10.0.0.1/boot/media/0123456789abcdef0123/rackside.iso"
THEIRS = "http://images.example/rescue.iso"


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
async def test_each_vendors_machine_starts_from_its_medium_once_and_has_it_no_more(hall: Hall) -> None:
    async def address() -> str:
        return ISO

    engine = ENGINES["virtual_media"]
    for number, machine in enumerate(hall.machines.values(), 1):
        plan = machine.plan
        target = BmcTarget(number, plan.name, plan.address, machine.state.redfish_port, "root", "calvin", None,
                           Gate(local=True))  # fmt: skip
        job = Job(number, plan.name, plan.serial, UUID(plan.system_uuid), plan.boot_mac, target, boot_medium=address)
        looked = await engine.perform(StepName.INSERT_MEDIA, job)
        assert isinstance(looked.outcome, Finished), looked.outcome
        assert ISO in machine.state.media.values() and machine.state.boot_override.enabled == "Once"
        looked = await engine.perform(StepName.EJECT_MEDIA, job)
        assert isinstance(looked.outcome, Finished) and ISO not in machine.state.media.values()


# ---- through a run ----


transactional = pytest.mark.django_db(transaction=True)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any) -> Path:
    """With an image as `prepare` leaves it; what is in it is nothing that boots."""
    settings.PUBLIC_URL = "http://rackside.example"
    slots = {path: (2048 * number * 50, length) for number, (path, length) in enumerate(
        {images.GRUB: 8192, **images.LAYOUTS[0].slots}.items(), 1)}  # fmt: skip
    (tmp_path / "ubuntu-24.04-0123456789ab.iso").write_bytes(b"base" * 300_000)
    card = {"name": "ubuntu-24.04", "family": "ubuntu", "file": "ubuntu-24.04-0123456789ab.iso", "size": 1_200_000}
    (tmp_path / "ubuntu-24.04.json").write_text(json.dumps({**card, "slots": slots}))
    monkeypatch.setenv("RACKSIDE_BOOT_IMAGES", str(tmp_path))
    media._served.clear()
    return tmp_path


@pytest.fixture
def machine(bare_machine: Callable[..., BareMachine], folder: Path) -> BareMachine:
    made = bare_machine()
    made.bmc.media = {"CD": ""}
    return made


def start(machine: BareMachine, pump: Pump) -> RunMachine:
    services.create_run([machine.row.pk], actor="a test", engine="virtual_media")
    pump.run()
    return machine.run_machine


def in_the_cd(machine: BareMachine) -> str:
    return str((machine.bmc.media or {})["CD"]).removeprefix("http://rackside.example")


def data_of(machine: BareMachine) -> dict[str, Any]:
    """The autoinstall data on its medium."""
    text = b"".join(machine.get(in_the_cd(machine)))
    found = re.search(rb"#cloud-config\nautoinstall:.*?\n\n", text, re.S)
    assert found
    return dict(yaml.safe_load(found[0])["autoinstall"])


@transactional
def test_from_the_medium_to_the_phone_home_and_nothing_of_it_is_left(machine: BareMachine, pump: Pump) -> None:
    row = start(machine, pump)
    assert row.step == "install_data" and machine.bmc.boot["BootSourceOverrideTarget"] == "Cd"
    path = in_the_cd(machine)
    part = machine.client.get(path, headers={"Range": "bytes=0-9"})
    assert (part.status_code, b"".join(part), part["Content-Range"]) == (
        206, b"basebaseba", "bytes 0-9/1200000")  # fmt: skip
    assert machine.client.head(path)["Content-Length"] == "1200000"
    assert machine.client.get(path, headers={"Range": "bytes=1200000-"}).status_code == 416
    install = data_of(machine)
    private = install["user-data"]["ssh_keys"]["ed25519_private"]
    assert private.encode() not in bytes(BootMedium.objects.get().content), "encrypted at rest"
    endpoint = install["reporting"]["rackside"]["endpoint"].removeprefix("http://rackside.example")
    event = {"name": "subiquity/Install/install", "event_type": "start", "description": "installing"}
    assert machine.client.post(endpoint, event, content_type="application/json").status_code == 200
    assert machine.run_machine.step == "phone_home"
    given = install["user-data"]
    machine.answer_ssh(private)
    home = given["phone_home"]["url"].removeprefix("http://rackside.example")
    assert machine.client.post(home, {"pub_key_ed25519": given["ssh_keys"]["ed25519_public"]}).status_code == 200
    assert bytes(BootMedium.objects.get().content) == b"" and machine.run_machine.step == "eject_media"
    media._served.clear()
    assert machine.get(path).status_code == 404
    pump.run()
    assert machine.bmc.media == {"CD": ""} and machine.run_machine.step == "checks"


@transactional
def test_a_cancelled_run_serves_nothing_and_its_medium_is_taken_out(machine: BareMachine, pump: Pump) -> None:
    row = start(machine, pump)
    services.cancel_machine(row.pk, actor="a test")
    media._served.clear()
    assert machine.get(in_the_cd(machine)).status_code == 404
    machine.bmc.keeps_media = True
    assert tidy.tidy() == 0 and BootMedium.objects.get().tries == 1, "it is tried again"
    assert tidy.tidy() == 0 and BootMedium.objects.get().tries == 1, "later"
    machine.bmc.keeps_media = False
    BootMedium.objects.update(next_at=timezone.now())
    assert tidy.tidy() == 1
    assert machine.bmc.media == {"CD": ""} and BootMedium.objects.get().ended_at


@pytest.mark.slow
@transactional
def test_the_tidying_leaves_the_medium_of_a_newer_run(machine: BareMachine, pump: Pump) -> None:
    first = start(machine, pump)
    services.cancel_machine(first.pk, actor="a test")
    second = start(machine, pump)
    assert second.pk != first.pk and second.step == "install_data", "the old one of ours gave way"
    newer = in_the_cd(machine)
    assert tidy.tidy() == 0 and in_the_cd(machine) == newer


@pytest.mark.slow
@transactional
@pytest.mark.parametrize(
    ("change", "failure"),
    [
        ({"media": None}, "no_media"),
        ({"media": {"CD": THEIRS}}, "media_in_use"),
        ({"licensed": False}, "media_unlicensed"),
    ],
    ids=["none", "in use", "no licence"],
)
def test_a_bmc_that_cannot_take_it_is_named_and_keeps_what_it_has(
    machine: BareMachine, pump: Pump, change: dict[str, Any], failure: str
) -> None:
    for name, value in change.items():
        setattr(machine.bmc, name, value)
    row = start(machine, pump)
    assert (row.status, row.step, row.failure_class) == ("failed", "insert_media", failure)
    assert not BootToken.objects.filter(revoked_at=None).exists()
    assert machine.bmc.media == change.get("media", {"CD": ""}) and not machine.bmc.boot


@transactional
def test_another_slot_is_taken_where_one_is_in_use(machine: BareMachine, pump: Pump) -> None:
    machine.bmc.media, machine.bmc.media_of_system = {"CD1": THEIRS, "CD2": ""}, True
    assert start(machine, pump).step == "install_data"
    assert machine.bmc.media["CD1"] == THEIRS and machine.bmc.media["CD2"].endswith(images.FILE)


def late(machine: BareMachine, pump: Pump) -> RunMachine:
    """Its time is over, and nothing was heard of it."""
    Step.objects.filter(run_machine=machine.run_machine, status="running").update(
        deadline_at=timezone.now() - timedelta(seconds=1), looks=9
    )
    RunMachine.objects.filter(pk=machine.run_machine.pk).update(next_at=timezone.now(), lease=None)
    services.look()
    return machine.run_machine


@pytest.mark.slow
@transactional
@pytest.mark.parametrize("what", ["old disk", "taken out", "never read"])
def test_what_started_in_its_place_is_never_taken_for_an_installation(
    machine: BareMachine, pump: Pump, what: str
) -> None:
    start(machine, pump)
    machine.bmc.progress = "OSRunning"
    if what != "never read":
        machine.get(in_the_cd(machine))
    if what == "taken out":
        machine.bmc.media = {"CD": ""}
    row = late(machine, pump)
    expected = FailureClass.NO_MEDIA if what == "never read" else FailureClass.BOOTED_ELSEWHERE
    assert (row.status, row.failure_class) == ("failed", expected.value), row.failure_text


@pytest.mark.slow
@transactional
def test_a_medium_that_does_not_come_out_ends_the_run_after_the_installation(machine: BareMachine, pump: Pump) -> None:
    start(machine, pump)
    given = data_of(machine)["user-data"]
    home = given["phone_home"]["url"].removeprefix("http://rackside.example")
    assert machine.client.post(home, {"pub_key_ed25519": given["ssh_keys"]["ed25519_public"]}).status_code == 200
    machine.bmc.keeps_media = True
    row = late(machine, pump)
    assert (row.status, row.failure_class) == ("failed", "media_stuck")
    machine.bmc.keeps_media = False
    machine.answer_ssh(given["ssh_keys"]["ed25519_private"])
    services.retry_machine(row.pk, actor="a test")
    pump.run()
    assert machine.run_machine.step == "checks", "the installation stands: it went on from the medium"


@transactional
def test_a_boot_script_is_nothing_for_a_machine_that_is_to_start_from_its_medium(
    machine: BareMachine, pump: Pump
) -> None:
    start(machine, pump)
    assert machine.ask_for_script().status_code == 404 and machine.run_machine.step == "install_data"


@transactional
def test_by_network_boot_a_template_with_an_unknown_name_ends_the_attempt_and_says_which(
    bare_machine: Callable[..., BareMachine], pump: Pump, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "preseed").write_text("$hostnme")
    for name, value in (("DEBIAN_KERNEL_URL", "http://i/linux"), ("DEBIAN_INITRD_URL", "http://i/initrd.gz"),
                        ("PRESEED_FILE", str(tmp_path / "preseed"))):  # fmt: skip
        monkeypatch.setenv(f"RACKSIDE_{name}", value)
    machine = bare_machine()
    services.create_run([machine.row.pk], actor="a test", image="debian")
    pump.run()
    script = machine.ask_for_script().content.decode()
    found = re.search(r"auto=true priority=critical url=http://[^/]+(\S+preseed\.cfg)", script)
    assert found, script
    assert machine.get(found[1]).status_code == 404
    row = machine.run_machine
    assert row.failure_class == "install_failed" and "$hostnme is none of" in row.failure_text


@pytest.mark.django_db
def test_a_run_is_refused_until_an_image_is_prepared_and_for_one_that_is_not(
    bare_machine: Callable[..., BareMachine], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = bare_machine()
    with pytest.raises(services.RunRefused, match=r"there is no image debian; there are: ubuntu-24\.04"):
        services.create_run([machine.row.pk], actor="a test", engine="virtual_media", image="debian")
    monkeypatch.delenv("RACKSIDE_BOOT_IMAGES")
    with pytest.raises(services.RunRefused, match="RACKSIDE_BOOT_IMAGES"):
        services.create_run([1], actor="a test", engine="virtual_media")
    with pytest.raises(services.RunRefused, match="there is no engine"):
        services.create_run([1], actor="a test", engine="floppy")


def test_one_of_ours_is_known_by_its_address_or_where_a_bmc_shows_no_more_by_its_name() -> None:
    assert is_ours({"Image": ISO}) and is_ours({"ImageName": images.FILE, "Image": None})
    assert not is_ours({"Image": THEIRS}) and not is_ours({})
