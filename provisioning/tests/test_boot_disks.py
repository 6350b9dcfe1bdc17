"""The system goes onto the disks that the device model names, by serial, whatever order /dev has them in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from inventory.models import Component, Installation
from inventory.specs.expected import BootDisks
from provisioning import services
from provisioning.boot import disks
from provisioning.models import Run
from provisioning.tests.world import BareMachine, Pump, start_run

Make = Callable[..., BareMachine]
MIRROR = {"slots": ["NVMe 8", "NVMe 9"]}


def test_slots_become_serials_and_a_slot_without_one_is_named() -> None:
    serials = {"NVMe 8": "S64HNE0R1", "NVMe 9": "S64HNE0R2", "NVMe 0": "X"}
    assert disks.matches_of(MIRROR, serials) == [{"serial": "*S64HNE0R1*"}, {"serial": "*S64HNE0R2*"}]
    with pytest.raises(disks.NoDisk, match="NVMe 9"):
        disks.matches_of(MIRROR, serials | {"NVMe 9": ""})


def test_a_model_and_a_size_are_matched_as_often_as_disks_are_wanted() -> None:
    rule = {"model": "Dell BOSS*", "size": "smallest", "ssd": True, "count": 2}
    assert disks.matches_of(rule, {}) == [{"model": "Dell BOSS*", "size": "smallest", "ssd": True}] * 2
    assert disks.matches_of({"size": "smallest"}, {}) == [{"size": "smallest"}]


def test_one_disk_is_taken_whole_and_two_mirror_each_other_with_an_efi_partition_each() -> None:
    one = disks.storage([{"serial": "*A*"}])
    assert one == {"layout": {"name": "direct", "match": {"serial": "*A*"}}}
    two = disks.storage([{"serial": "*A*"}, {"serial": "*B*"}])["config"]
    by_id = {each["id"]: each for each in two}
    assert [each["match"]["serial"] for each in two if each["type"] == "disk"] == ["*A*", "*B*"]
    assert by_id["md0"]["raidlevel"] == "raid1" and by_id["md0"]["devices"] == ["half0", "half1"]
    assert all(by_id[name]["grub_device"] and by_id[name]["flag"] == "boot" for name in ("esp0", "esp1"))
    named = {each[key] for each in two for key in ("device", "volume") if key in each}
    assert named <= set(by_id), "everything that is referred to is there"
    assert "/dev/" not in str(two)


@pytest.mark.parametrize(
    "rule",
    [{}, {"count": 2}, {"slots": []}, {"slots": ["a", "b", "c"]}, {"slots": ["NVMe 8"], "count": 2}, {"size": "big"},
     {"model": "x\ny"}],
)  # fmt: skip
def test_a_rule_that_names_no_disk_or_two_ways_is_refused(rule: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        BootDisks.model_validate(rule)


@pytest.fixture
def mirrored(bare_machine: Make) -> BareMachine:
    machine = bare_machine()
    model = machine.row.device.model
    model.spec = {"expected": {"boot_disks": MIRROR}}
    model.save()
    for number in (8, 9):
        drive = Component.objects.create(
            site=machine.row.device.site, kind="nvme", vendor="Samsung", part_number="PM9A3", serial=f"SER{number}"
        )
        Installation.objects.create(
            component=drive, device=machine.row.device, slot=f"NVMe {number}", during=("2026-01-01", None)
        )
    return machine


def storage_given(machine: BareMachine) -> dict[str, Any]:
    answer = machine.get(f"{machine.seed()}user-data")
    assert answer.status_code == 200
    return dict(yaml.safe_load(answer.content)["autoinstall"].get("storage") or {})


@pytest.mark.django_db(transaction=True)
def test_the_installer_is_told_the_serials_of_this_machine(mirrored: BareMachine, pump: Pump) -> None:
    start_run(mirrored)
    pump.run()
    given = storage_given(mirrored)["config"]
    assert [each["match"] for each in given if each["type"] == "disk"] == [{"serial": "*SER8*"}, {"serial": "*SER9*"}]


@pytest.mark.django_db(transaction=True)
def test_what_the_site_says_about_storage_stands(
    mirrored: BareMachine, pump: Pump, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    (tmp_path / "own.yaml").write_text("storage: {layout: {name: lvm}}\n")
    monkeypatch.setenv("RACKSIDE_AUTOINSTALL_FILE", str(tmp_path / "own.yaml"))
    start_run(mirrored)
    pump.run()
    assert storage_given(mirrored) == {"layout": {"name": "lvm"}}


@pytest.mark.django_db(transaction=True)
def test_a_slot_without_a_known_drive_refuses_the_run_and_one_that_lost_it_later_gets_no_data(
    mirrored: BareMachine, pump: Pump
) -> None:
    start_run(mirrored)
    pump.run()
    seed = mirrored.seed()
    Component.objects.filter(serial="SER9").update(serial="")
    assert mirrored.get(f"{seed}user-data").status_code == 404
    row = mirrored.run_machine
    assert (row.status, row.failure_class) == ("failed", "install_disk") and "NVMe 9" in row.failure_text
    Run.objects.all().delete()
    with pytest.raises(services.RunRefused, match="NVMe 9"):
        start_run(mirrored)
