from __future__ import annotations

from pathlib import Path

import pytest

from simulator.plan import HallPlan, PlanError, address_of, sample_plan


def test_no_two_machines_share_an_identity_or_a_part() -> None:
    plan = sample_plan(511)
    for what in ("name", "serial", "system_uuid", "bmc_mac", "boot_mac", "address"):
        assert len({getattr(machine, what) for machine in plan.machines}) == 511, what
    serials = [part.serial for machine in plan.machines for part in machine.parts]
    assert len(set(serials)) == len(serials)
    guids = [hca.guid for machine in plan.machines for hca in machine.hcas]
    assert len(set(guids)) == len(guids)
    assert len({gpu.uuid for machine in plan.machines for gpu in machine.gpus}) == 511 * 8


def test_a_machine_has_every_slot_of_its_device_model() -> None:
    machine = sample_plan(1).machines[0]
    assert machine.slots("gpu") == tuple(f"GPU {n}" for n in range(8))
    assert len(machine.hcas) == 12
    assert machine.slots("nvme") == tuple(f"NVMe {n}" for n in range(8))
    assert machine.slots("psu") == tuple(f"PSU {n}" for n in range(1, 7))
    assert machine.dimms == 32
    assert machine.gpus[4].pci == "0000:9b:00.0"
    assert machine.gpus[4].module == 7, "the label SXM 7 is the module's number"


def test_both_ports_of_a_card_have_neighbouring_guids() -> None:
    hcas = {hca.device: int(hca.guid, 16) for hca in sample_plan(1).machines[0].hcas}
    assert hcas["mlx5_2"] == hcas["mlx5_1"] + 1


def test_a_plan_is_the_same_at_every_start() -> None:
    assert sample_plan(5) == sample_plan(5)


def test_a_plan_survives_its_file(tmp_path: Path) -> None:
    plan = sample_plan(3, bare=1, authorized_keys=("ssh-ed25519 AAAA someone",))
    plan.dump(tmp_path / "plan.json")
    assert HallPlan.load(tmp_path / "plan.json") == plan


def test_a_file_that_is_no_plan_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text("[1]")
    with pytest.raises(PlanError, match=r"other\.json"):
        HallPlan.load(tmp_path / "other.json")


def test_every_instance_has_its_own_slice_of_loopback() -> None:
    assert address_of(9, 0) == "127.9.0.1"
    assert address_of(9, 250) == "127.9.1.1"
    assert len({address_of(9, n) for n in range(2000)}) == 2000
    for wrong in ((0, 0), (255, 0), (9, 254 * 250)):
        with pytest.raises(PlanError):
            address_of(*wrong)


def test_the_password_is_not_printed() -> None:
    assert "calvin" not in repr(sample_plan(1))


def test_a_bare_machine_must_exist() -> None:
    with pytest.raises(PlanError, match="nobody"):
        sample_plan(2).with_access((), "root", "x", bare={"nobody"})
