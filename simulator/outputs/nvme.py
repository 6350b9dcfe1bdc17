"""`nvme smart-log` and `nvme list`. Temperatures in JSON are kelvin, as nvme-cli gives them."""

from __future__ import annotations

import json

from simulator.plan import NvmePlan
from simulator.state import Machine


def smart_log(machine: Machine, nvme: NvmePlan, now: float) -> str:
    """`nvme smart-log -o json /dev/nvmeN` of nvme-cli 1.16."""
    failing = machine.fault("nvme_failing", nvme.slot) is not None
    number = int(nvme.slot.split(" ")[1])
    seed = machine.plan.seed + 97 * number
    hours = 4000 + seed % 9000
    kelvin = 308 + seed % 7 + int(now / 600) % 3
    return json.dumps(
        {
            "critical_warning": 5 if failing else 0,
            "temperature": kelvin + 9 * failing,
            "avail_spare": 3 if failing else 100,
            "spare_thresh": 10,
            "percent_used": 98 if failing else 1 + seed % 4,
            "endurance_grp_critical_warning_summary": 0,
            "data_units_read": 3_895_000 + seed % 100_000,
            "data_units_written": 79_295_600 + 11 * (seed % 100_000),
            "host_read_commands": 257_156_000 + seed % 1_000_000,
            "host_write_commands": 3_779_064_000 + seed % 1_000_000,
            "controller_busy_time": 300 + seed % 500,
            "power_cycles": 29 + seed % 11,
            "power_on_hours": hours,
            "unsafe_shutdowns": seed % 9,
            "media_errors": 312 if failing else 0,
            "num_err_log_entries": 312 if failing else 0,
            "warning_temp_time": 0,
            "critical_comp_time": 0,
            "temperature_sensor_1": kelvin,
            "temperature_sensor_2": kelvin + 6,
            "thm_temp1_trans_count": 0,
            "thm_temp2_trans_count": 0,
            "thm_temp1_total_time": 0,
            "thm_temp2_total_time": 0,
        },
        indent=2,
    ) + "\n"  # fmt: skip


def drive(machine: Machine, device: str) -> NvmePlan | None:
    """The drive behind /dev/nvmeN or /dev/nvmeNn1."""
    number = device.removeprefix("/dev/nvme").split("n")[0]
    return next((nvme for nvme in machine.plan.nvmes if nvme.slot == f"NVMe {number}"), None)


def listing(machine: Machine) -> str:
    """`nvme list -o json`."""
    devices = [
        {
            "NameSpace": 1,
            "DevicePath": f"/dev/nvme{number}n1",
            "Firmware": "OPPA3B5Q",
            "Index": number,
            "ModelNumber": nvme.model,
            "ProductName": "Non-Volatile memory controller: Samsung Electronics Co Ltd",
            "SerialNumber": machine.part(nvme.slot).serial,
            "UsedBytes": 1_575_000_000_000,
            "MaximumLBA": 7_501_476_528,
            "PhysicalSize": 3_840_755_982_336,
            "SectorSize": 512,
        }
        for number, nvme in enumerate(machine.plan.nvmes)
    ]
    return json.dumps({"Devices": devices}, indent=2) + "\n"
