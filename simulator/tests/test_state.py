"""What a reset, a reboot and a new part change, and what they do not."""

from __future__ import annotations

import pytest

from simulator.faults import clear, inject
from simulator.outputs import kernel
from simulator.outputs.nvidia import nvidia_smi
from simulator.state import Machine, MachineState, first_state
from simulator.tests.conftest import NOW


def values(machine: Machine, slot: str = "GPU 2") -> dict[str, object]:
    gpu = next(gpu for gpu in machine.plan.gpus if gpu.slot == slot)
    return nvidia_smi.gpu_values(machine, gpu, NOW + 1)


def test_a_gpu_reset_applies_a_pending_remap_and_clears_volatile_counters(machine: Machine) -> None:
    inject(machine, "gpu_ecc", NOW, slot="GPU 2")
    seen = values(machine)
    assert (seen["volatile"], seen["aggregate"], seen["remapped"], seen["remap_pending"]) == (1, 1, 1, "Yes")
    machine.reset_gpus({"GPU 2"})
    seen = values(machine)
    assert (seen["volatile"], seen["aggregate"], seen["remapped"], seen["remap_pending"]) == (0, 1, 1, "No")
    assert "Xid" in kernel.dmesg(machine, NOW, []), "the kernel log stays"


def test_a_gpu_reset_reaches_only_the_gpu_it_names(machine: Machine) -> None:
    inject(machine, "gpu_ecc", NOW, slot="GPU 2")
    machine.reset_gpus({"GPU 3"})
    assert values(machine)["remap_pending"] == "Yes"


def test_a_gpu_off_the_bus_outlives_a_reset_and_a_reboot(machine: Machine) -> None:
    inject(machine, "gpu_off_bus", NOW, slot="GPU 2")
    machine.reset_gpus({"GPU 2"})
    machine.boot(NOW + 10, "second", 5)
    assert [gpu.slot for gpu in machine.listed_gpus()] == [f"GPU {n}" for n in (0, 1, 3, 4, 5, 6, 7)]


def test_a_transient_one_comes_back_with_a_reboot_but_not_with_a_reset(machine: Machine) -> None:
    inject(machine, "gpu_off_bus", NOW, slot="GPU 2", params={"transient": True})
    machine.reset_gpus({"GPU 2"})
    assert len(machine.listed_gpus()) == 7
    machine.boot(NOW + 10, "second", 5)
    assert len(machine.listed_gpus()) == 8


def test_a_reboot_changes_the_boot_id_and_empties_the_kernel_log(machine: Machine) -> None:
    inject(machine, "gpu_off_bus", NOW, slot="GPU 2")
    inject(machine, "machine_hang", NOW)
    inject(machine, "command_hangs", NOW)
    before = machine.state.boot_id
    machine.boot(NOW + 10, "second", 5)
    assert machine.state.boot_id == "second" != before
    assert "Xid" not in kernel.dmesg(machine, NOW + 1000, [])
    assert [fault.name for fault in machine.state.faults] == ["gpu_off_bus"]
    assert machine.uptime_s(NOW + 20) == 10


def test_a_new_gpu_has_a_new_serial_and_uuid_and_no_history(machine: Machine) -> None:
    inject(machine, "gpu_ecc", NOW, slot="GPU 2")
    inject(machine, "gpu_off_bus", NOW, slot="GPU 2")
    old = machine.part("GPU 2")
    new = machine.replace_part("GPU 2")
    assert new.serial != old.serial
    assert new.uuid != old.uuid
    assert values(machine)["aggregate"] == 0
    assert not machine.state.faults
    again = machine.replace_part("GPU 2")
    assert again.serial not in (old.serial, new.serial)


def test_a_new_hca_has_a_new_guid(machine: Machine) -> None:
    from simulator.outputs.ibstat import ibstat

    old = machine.part("HCA mlx5_3")
    new = machine.replace_part("HCA mlx5_3")
    text = ibstat(machine, "mlx5_3")[1]
    assert new.uuid != old.uuid
    assert f"Node GUID: {new.uuid}" in text
    assert old.uuid not in text


def test_a_given_serial_is_taken(machine: Machine) -> None:
    part = machine.replace_part("GPU 2", "1650000000042", "GPU-42")
    assert (part.serial, part.uuid) == ("1650000000042", "GPU-42")
    assert values(machine)["serial"] == "1650000000042"


def test_a_new_part_elsewhere_leaves_a_fault_alone(machine: Machine) -> None:
    inject(machine, "gpu_off_bus", NOW, slot="GPU 2")
    machine.replace_part("GPU 3")
    assert machine.fault("gpu_off_bus", "GPU 2")


def test_a_machine_goes_through_its_phases(machine: Machine) -> None:
    assert machine.phase(NOW) == "up"
    machine.power_off()
    assert machine.phase(NOW) == "off"
    machine.boot(NOW, "second", 5)
    assert machine.phase(NOW + 4) == "booting"
    assert machine.phase(NOW + 5) == "up"


def test_a_bare_machine_is_off_and_without_a_system(machine: Machine) -> None:
    from dataclasses import replace

    bare = replace(machine.plan, bare=True)
    state = first_state(bare, NOW, "x")
    assert Machine(bare, state).phase(NOW) == "off"
    state.power = "on"
    assert Machine(bare, state).phase(NOW) == "no_os"


def test_a_state_survives_json(machine: Machine) -> None:
    import json

    inject(machine, "nvlink_down", NOW, slot="GPU 1", params={"link": 7})
    machine.replace_part("HCA mlx5_3")
    kept = json.loads(json.dumps(machine.state.to_json()))
    assert MachineState.from_json(kept) == machine.state


def test_every_change_raises_the_revision(machine: Machine) -> None:
    seen = [machine.state.revision]
    inject(machine, "gpu_ecc", NOW, slot="GPU 2")
    seen.append(machine.state.revision)
    machine.reset_gpus({"GPU 2"})
    seen.append(machine.state.revision)
    machine.replace_part("GPU 2")
    seen.append(machine.state.revision)
    machine.power_off()
    seen.append(machine.state.revision)
    machine.boot(NOW, "b", 1)
    seen.append(machine.state.revision)
    clear(machine, NOW)
    seen.append(machine.state.revision)
    assert seen == sorted(set(seen))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cure", "mended_by"),
    [("gpu_reset", "reset"), ("reboot", "reboot"), ("power_cycle", "cycle"), ("person", "")],
)
def test_a_cure_names_the_least_step_that_mends(machine: Machine, cure: str, mended_by: str) -> None:
    inject(machine, "nvlink_down", NOW, slot="GPU 2", params={"cure": cure})
    steps = {
        "reset": lambda: machine.reset_gpus({"GPU 2"}),
        "reboot": lambda: (machine.power_off(dark=False), machine.boot(NOW, "b", 1.0)),
        "cycle": lambda: (machine.power_off(), machine.boot(NOW, "c", 1.0)),
    }
    for name, step in steps.items():
        step()
        assert (machine.fault("nvlink_down") is None) == (name == mended_by)
        if name == mended_by:
            return
    assert not mended_by
