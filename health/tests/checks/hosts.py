"""Hosts of several kinds for the corpus (health/checks/samples/corpus): a model, and what its tools print when well.

They are made from the samples of the small machine, a block repeated and its words replaced per GPU or card.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import yaml

from health.checks.probes.host import (
    FAILED_UNITS,
    FIRMWARE_TABLES,
    KERNEL_FILES,
    LEFTOVERS,
    MEMORY,
    MOUNT_TABLE,
    RELEASE,
)
from health.checks.probes.script import FILE_SYSTEMS, INODES, KERNEL_LOG
from health.checks.probes.state import REMOTE_MOUNTS, state_files
from health.tests.checks.samples import HEALTHY, SAMPLES, healthy, sample
from inventory.specs.device_model import DeviceModelSpec

SMI = "nvidia-smi -q -x"
CSV = "nvidia-smi --query-gpu=index,pci.bus_id,name,uuid,temperature.gpu,driver_version,ecc.errors.uncorrected.volatile.total,reset_status.reset_required --format=csv"  # noqa: E501


@dataclass(frozen=True)
class Host:
    """`texts` are the healthy outputs by command; `bmc` the BMC's resources; `whole`: every reading a sweep asks for is
    there, so that all checks are judged and not only those that are fed."""

    model: DeviceModelSpec
    texts: dict[str, str]
    bmc: dict[str, Any] | None = None
    whole: bool = False
    names: dict[str, str] = field(default_factory=dict)


def _of(word: str) -> str:
    return next(command for command, file in HEALTHY.items() if file == word)


# What a case calls an output -> its command, and the sample it is where the host has none of its own.
OUTPUTS: dict[str, tuple[str, str]] = {
    "smi": (SMI, "gpus.xml"),
    "nvlink": ("nvidia-smi nvlink -s", "nvlinks.txt"),
    "nvlink_errors": ("nvidia-smi nvlink -e", "nvlink_errors.txt"),
    "topo": ("nvidia-smi topo -m", "topology.txt"),
    "peers": (_of("peers.txt"), "peers.txt"),
    "fm": ("systemctl is-active nvidia-fabricmanager", "fabric_manager.txt"),
    "ibstat": ("ibstat", "ibstat.txt"),
    "pci_links": (_of("pci_links.txt"), "pci_links.txt"),
    "card_files": (_of("card_files.txt"), "card_files.txt"),
    "ib_counters": (_of("ib_counters.txt"), "ib_counters.txt"),
    "dmesg": (KERNEL_LOG, "kernel.log"),
    "df": (FILE_SYSTEMS, "df.txt"),
    "inodes": (INODES, "df_inodes.txt"),
    "mount_table": (MOUNT_TABLE, "mounts.txt"),
    "docker": ("docker info --format json", "docker_info.json"),
    "chrony": ("chronyc -n tracking", "chrony.txt"),
    "kernel_files": (KERNEL_FILES, "kernel_files.txt"),
    "meminfo": (MEMORY, "meminfo.txt"),
    "failed_units": (FAILED_UNITS, "failed_units.txt"),
    "dmi": (FIRMWARE_TABLES, "dmidecode.txt"),
    "nvme_list": ("nvme list -o json", "nvme_list.json"),
    "lsblk": ("lsblk -J -b", "lsblk.json"),
    "smart": ("nvme smart-log -o json /dev/nvme0", "nvme0_smart.json"),
    "lspci": (_of("lspci.txt"), "lspci.txt"),
    "release": (RELEASE, "release.txt"),
    "leftovers": (LEFTOVERS, "leftovers.txt"),
    "remote": (REMOTE_MOUNTS, "remote_mounts.txt"),
    "packages": (_of("packages.txt"), "packages.txt"),
    "state": (_of("state_files.txt"), "state_files.txt"),
    # asked for by some models only
    "diag": ("dcgmi diag -j -r 1", "dcgm_diag.json"),
    "self_test": ("hca_self_test.ofed", "hca_self_test.txt"),
    "write_bw": ("ib_write_bw --report_gbits -d mlx5_0 -b", "ib_write_bw.txt"),
    "zpool": ("zpool status", "zpool.txt"),
    "docker_gpus": (
        "docker run --rm --pull never --gpus all registry.example/cuda:12 nvidia-smi -L",
        "docker_gpus.txt",
    ),
    "docker_unit": ("systemctl is-active docker", "is-active-docker.txt"),
    "slurmd": ("systemctl is-active slurmd", "is-active-slurmd.txt"),
    "scontrol": ("scontrol show node", "scontrol_node.txt"),
    "lclog": ("racadm lclog view", "lclog.txt"),
    # of links, and of GPUs of AMD
    "mlxlink": ("mlxlink -d mlx5_1 --json", "mlxlink_mlx5_1.json"),
    "ethtool_s": ("ethtool -S eth2", "ethtool_statistics.txt"),
    "ethtool_m": ("ethtool -m eth2", "ethtool_module.txt"),
    "lspci_vv": ("lspci -vv", "bridges.txt"),
    "amd_static": ("amd-smi static --json", "amd_static.json"),
    "amd_metric": ("amd-smi metric --json", "amd_metric.json"),
    "amd_pages": ("amd-smi bad-pages --json", "amd_pages.json"),
    "amd_links": ("amd-smi xgmi --link-status --json", "amd_links.json"),
    # other forms of an output above
    "ibstatus": ("ibstatus", "ibstat.txt"),
    "ibv_devinfo": ("ibv_devinfo", "ibv_devinfo.txt"),
    "csv": (CSV, "corpus/gpus.csv"),
    "text": ("nvidia-smi -q", "corpus/gpus.txt"),
    "smartctl": ("smartctl -a -j /dev/nvme0", "corpus/smartctl.json"),
}
INSTEAD = {"csv": SMI, "text": SMI, "smartctl": "nvme smart-log -o json /dev/nvme0"}


def _small_model(**more: Any) -> dict[str, Any]:
    model: dict[str, Any] = yaml.safe_load((SAMPLES / "model.yaml").read_text(encoding="utf-8"))
    return {**model, **more}


def _small() -> Host:
    return Host(DeviceModelSpec.load(SAMPLES / "model.yaml"), healthy(), json.loads(sample("bmc.json")), whole=True)


ROCE_INTERFACES = "".join(
    f"/sys/class/infiniband/{card}/device/net/{name}/{what}\n"
    for card, name in (("mlx5_0", "ens1np0"), ("mlx5_1", "ens2np0"))
    for what in ("operstate:up", "carrier:1", "speed:400000", "duplex:full", "carrier_changes:1", "mtu:9000")
)


def _roce() -> Host:
    """Rails of ConnectX-7 and a front card of ConnectX-6 Dx, all Ethernet; limits per kind of card."""
    model = _small_model(model="sample-roce")
    for slot in model["slots"]:
        if slot.get("rail") and slot["kind"] == "hca":
            slot["link_layer"] = "Ethernet"
    model["expected"] = {
        **model["expected"],
        "hca_firmware": {"ConnectX-7": "28.39.1002", "ConnectX-6 Dx": "22.36.1010"},
        "hca_pcie": {"ConnectX-7": {"width": 16, "gen": 5}, "ConnectX-6 Dx": {"width": 16, "gen": 4}},
    }
    texts = {
        command: text.replace("Link layer: InfiniBand", "Link layer: Ethernet") for command, text in healthy().items()
    }
    spec = DeviceModelSpec.model_validate(model)
    texts[state_files(spec)] = texts.pop(state_files(DeviceModelSpec.load(SAMPLES / "model.yaml"))).replace(
        "/proc/sys/kernel/ostype", f"{ROCE_INTERFACES}/proc/sys/kernel/ostype"
    )
    texts[OUTPUTS["card_files"][0]] = texts[OUTPUTS["card_files"][0]].replace("InfiniBand", "Ethernet")
    return Host(spec, texts, json.loads(sample("bmc.json")), whole=True)


def _silent(policy: str = "") -> Host:
    """A model that names no firmware; `policy` what a card out of line with its kind is."""
    model = _small_model(model="sample-silent")
    del model["expected"]["hca_firmware"]
    if policy:
        model["expected"]["firmware_out_of_line"] = policy
    return Host(DeviceModelSpec.model_validate(model), healthy(), json.loads(sample("bmc.json")), whole=True)


def _required() -> Host:
    """A storage card that must be up, and the PCIe link of an NVSwitch."""
    model = _small_model(model="sample-required")
    for slot in model["slots"]:
        if slot["name"] == "HCA mlx5_2":
            slot["required"] = True
    model["slots"].append(
        {"name": "NVSwitch 0", "kind": "other", "pci": "0000:83:00.0", "pcie": {"width": 2, "gen": 4}}
    )
    spec = DeviceModelSpec.model_validate(model)
    texts = healthy()
    texts["ibstat"] = texts["ibstat"].replace(
        "State: Down\n\t\tPhysical state: Disabled\n\t\tRate: 40",
        "State: Active\n\t\tPhysical state: LinkUp\n\t\tRate: 100",
    )
    links = texts.pop(OUTPUTS["pci_links"][0])
    links += "".join(
        f"/sys/bus/pci/devices/0000:83:00.0/{kind}_link_speed:16.0 GT/s PCIe\n"
        f"/sys/bus/pci/devices/0000:83:00.0/{kind}_link_width:2\n"
        for kind in ("current", "max")
    )
    texts[OUTPUTS["pci_links"][0]] = links
    return Host(spec, texts, json.loads(sample("bmc.json")), whole=False)


def _pool() -> Host:
    model = _small_model(model="sample-pool")
    model["expected"]["zpool"] = {"tank": {"drives": 3}}
    return Host(DeviceModelSpec.model_validate(model), {"zpool status": sample("zpool.txt")})


def _new_bmc() -> Host:
    model = DeviceModelSpec.model_validate(_small_model(model="sample-newer-bmc"))
    return Host(model, {}, json.loads(sample("corpus/bmc_new.json")))


_BLOCK = re.compile(r'(?s)\t<gpu id="00000000:21.*?</gpu>\n')
ADDRESSES = ("19", "3b", "4c", "5d", "9b", "bb", "cb", "db")


def _gpus(addresses: tuple[str, ...], words: dict[str, str]) -> str:
    """nvidia-smi -q -x of as many GPUs of one kind."""
    text = sample("gpus.xml")
    block = _BLOCK.search(text)
    assert block
    one = block.group()
    for old, new in words.items():
        assert old in one, old
        one = one.replace(old, new)
    blocks = [
        re.sub(r"(?<=<minor_number>)0", str(n), one)
        .replace("00000000:21:", f"00000000:{address.upper()}:")
        .replace("00000021-", f"000000{address}-")
        .replace("1600000000021", f"16000000000{n:02}")
        for n, address in enumerate(addresses)
    ]
    head = text[: block.start()].replace("<attached_gpus>2", f"<attached_gpus>{len(addresses)}")
    head = head.replace("550.90.07", words.get("550.90.07", "550.90.07"))
    return head + "".join(blocks) + "</nvidia_smi_log>\n"


def _eight(name: str, gpu: dict[str, Any], words: dict[str, str]) -> Host:
    model = _small_model(model=name, gpu=gpu, expected={})
    model["slots"] = [
        {"name": f"GPU {n}", "kind": "gpu", "label": f"SXM {n + 1}", "pci": f"0000:{address}:00.0"}
        for n, address in enumerate(ADDRESSES)
    ]
    return Host(DeviceModelSpec.model_validate(model), {SMI: _gpus(ADDRESSES, words)})


_FABRIC = "<state>Completed</state>\n\t\t\t<status>Success</status>\n"
_HEALTH = (
    _FABRIC
    + "\t\t\t<cliqueId>32766</cliqueId>\n\t\t\t<clusterUuid>0f5b3d4e-0000-4000-8000-0000000000cc</clusterUuid>\n"
    "\t\t\t<health>\n\t\t\t\t<bandwidth>Full</bandwidth>\n"
    "\t\t\t\t<route_recovery_in_progress>False</route_recovery_in_progress>\n"
    "\t\t\t\t<route_unhealthy>False</route_unhealthy>\n"
    "\t\t\t\t<access_timeout_recovery>False</access_timeout_recovery>\n\t\t\t</health>\n"
)


def _h100() -> Host:
    gpu = {"count": 8, "type": "NVIDIA H100 80GB HBM3", "memory_mib": 81559, "pcie_gen": 5, "pcie_width": 16}
    return _eight("sample-h100", gpu, {})


def _b200() -> Host:
    """Driver 570 and later: fabric health, recovery action, repairs pending."""
    gpu = {"count": 8, "type": "NVIDIA B200", "memory_mib": 183359, "pcie_gen": 5, "pcie_width": 16}
    return _eight("sample-b200", gpu, {
        "550.90.07": "570.124.06", "Hopper": "Blackwell", "NVIDIA H100 80GB HBM3": "NVIDIA B200",
        "81559 MiB": "183359 MiB", "700.00 W": "1000.00 W", _FABRIC: _HEALTH,
        "<gpu_reset_status>": "<gpu_recovery_action>None</gpu_recovery_action>\n\t\t<gpu_reset_status>",
        "</ecc_errors>": "\t<channel_repair_pending>No</channel_repair_pending>\n"
        "\t\t\t<tpc_repair_pending>No</tpc_repair_pending>\n\t\t</ecc_errors>",
    })  # fmt: skip


def _a100() -> Host:
    gpu = {"count": 8, "type": "NVIDIA A100-SXM4-80GB", "memory_mib": 81920, "pcie_gen": 4, "pcie_width": 16}
    return _eight("sample-a100", gpu, {
        "550.90.07": "535.183.01", "Hopper": "Ampere", "NVIDIA H100 80GB HBM3": "NVIDIA A100-SXM4-80GB",
        "81559 MiB": "81920 MiB", "link_gen>5": "link_gen>4", "700.00 W": "400.00 W",
        "<state>Completed": "<state>N/A", "<status>Success": "<status>N/A",
        "<gpu_temp_tlimit>50 C": "<gpu_temp_tlimit>N/A", "_tlimit_threshold>-2 C": "_tlimit_threshold>N/A",
        "<sram_threshold_exceeded>No": "<sram_threshold_exceeded>N/A",
        "1980 MHz": "1410 MHz",
    })  # fmt: skip


def _l40s() -> Host:
    """PCIe cards: no NVLink, no fabric, no HBM sensor; ECC over GDDR6."""
    gpu = {"count": 4, "type": "NVIDIA L40S", "memory_mib": 46068, "pcie_gen": 4, "pcie_width": 16}
    host = _eight("sample-l40s", {**gpu, "count": 8}, {
        "Hopper": "Ada Lovelace", "NVIDIA H100 80GB HBM3": "NVIDIA L40S", "81559 MiB": "46068 MiB",
        "link_gen>5": "link_gen>4", "700.00 W": "350.00 W", "<state>Completed": "<state>N/A",
        "<status>Success": "<status>N/A", "<memory_temp>40 C": "<memory_temp>N/A", "1980 MHz": "2520 MHz",
    })  # fmt: skip
    return host


def _amd() -> Host:
    """Accelerators of AMD: as `amd-smi` tells them."""
    gpu = {"count": 2, "type": "AMD Instinct MI300X", "memory_mib": 196288, "pcie_gen": 5, "pcie_width": 16}
    tools = ("amd_static", "amd_metric", "amd_pages", "amd_links")
    texts = {OUTPUTS[tool][0]: sample(OUTPUTS[tool][1]) for tool in tools}
    return Host(DeviceModelSpec.model_validate(_small_model(model="sample-amd", gpu=gpu, expected={})), texts)


HOSTS: dict[str, Callable[[], Host]] = {
    "small": _small,
    "roce": _roce,
    "silent": _silent,
    "lenient": lambda: _silent("warn"),
    "required": _required,
    "pool": _pool,
    "newbmc": _new_bmc,
    "eight": _h100,
    "b200": _b200,
    "a100": _a100,
    "l40s": _l40s,
    "amd": _amd,
}


@cache
def host(name: str) -> Host:
    return HOSTS[name]()
