"""`amd-smi` of a machine with AMD GPUs, as ROCm 6.4 prints its JSON."""

from __future__ import annotations

import json
from typing import Any

from simulator.plan import GpuPlan
from simulator.state import Machine


def amd_smi(machine: Machine, args: list[str], now: float) -> tuple[int, str]:
    """`amd-smi static|metric|bad-pages|xgmi --json`: exit status and text."""
    rows = {"static": _static, "metric": _metric, "bad-pages": _pages}
    gpus = [gpu for gpu in machine.plan.gpus if machine.fault("gpu_off_bus", gpu.slot) is None]
    if args[:1] == ["xgmi"]:
        head = [{"gpu": n, "bdf": gpu.pci} for n, gpu in enumerate(gpus)]
        return (
            0,
            f"{json.dumps(head)}\n{json.dumps([_links(machine, n, gpu, len(gpus)) for n, gpu in enumerate(gpus)])}\n",
        )
    if not args or args[0] not in rows:
        return 2, "amd-smi: error: invalid command\n"
    told = [{"gpu": n, **rows[args[0]](machine, gpu, now)} for n, gpu in enumerate(gpus)]
    return 0, json.dumps(told if args[0] == "bad-pages" else {"gpu_data": told}, indent=1) + "\n"


def _unit(value: float, unit: str) -> dict[str, Any]:
    return {"value": value, "unit": unit}


def _static(machine: Machine, gpu: GpuPlan, now: float) -> dict[str, Any]:
    facts = machine.plan.facts
    return {
        "asic": {"market_name": facts.gpu_type, "vendor_id": "0x1002"},
        "bus": {"bdf": gpu.pci, "max_pcie_width": 16, "max_pcie_speed": _unit(32, "GT/s"), "slot_type": "OAM"},
        "vbios": {"version": gpu.vbios},
        "limit": {"max_power": _unit(750, "W"), "socket_power": _unit(750, "W"),
                  "slowdown_hotspot_temperature": _unit(100, "C"), "slowdown_vram_temperature": _unit(105, "C")},
        "driver": {"name": "amdgpu", "version": facts.driver_version},
        "board": {"product_serial": machine.part(gpu.slot).serial},
        "vram": {"type": "HBM", "size": _unit(facts.gpu_memory_mib, "MB")},
    }  # fmt: skip


def _metric(machine: Machine, gpu: GpuPlan, now: float) -> dict[str, Any]:
    hot = machine.fault("gpu_overheat", gpu.slot)
    hotspot = 101 if hot else 46 + machine.plan.seed % 6
    measured = machine.measured(now)
    felt = measured.gpus[gpu.index] if measured and gpu.index < len(measured.gpus) else None
    bad = 1 if machine.fault("gpu_ecc", gpu.slot) else 0
    names = ("prochot", "ppt", "socket_thermal", "vr_thermal", "hbm_thermal")
    active = {f"{name}_violation_status": "NOT ACTIVE" for name in names}
    if hot or (felt and felt.hot):
        active["socket_thermal_violation_status"] = "ACTIVE"
    if felt and felt.braked:
        active["prochot_violation_status"] = "ACTIVE"
    if felt and felt.capped:
        active["ppt_violation_status"] = "ACTIVE"
    if felt and not hot:
        hotspot = round(felt.celsius) + 10
    return {
        "temperature": {"edge": "N/A", "hotspot": _unit(hotspot, "C"),
                        "mem": _unit(41, "C")},
        "pcie": {"width": 16, "speed": _unit(32, "GT/s"), "replay_count": 0},
        "ecc": {"total_correctable_count": 0, "total_uncorrectable_count": bad, "total_deferred_count": 0},
        "ecc_blocks": {"UMC": {"correctable_count": 0, "uncorrectable_count": bad, "deferred_count": 0}},
        "xgmi_err": "N/A",
        "throttle": active,
    }  # fmt: skip


def _pages(machine: Machine, gpu: GpuPlan, now: float) -> dict[str, Any]:
    none = "No bad pages found."
    page = [{"page_address": "0x1f3d2000", "page_size": "0x1000", "status": "PENDING"}]
    return {"retired": none, "pending": page if machine.fault("gpu_ecc", gpu.slot) else none, "un_res": none}


def _links(machine: Machine, number: int, gpu: GpuPlan, count: int) -> dict[str, Any]:
    down = machine.fault("nvlink_down", gpu.slot)
    states = ["X" if other == number else "U" for other in range(count)]
    if down:
        states[(number + 1) % count] = "D"
    return {"gpu": number, "bdf": gpu.pci, "link_status": states}
