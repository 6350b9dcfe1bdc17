"""A tool's exit status and complaints count: whatever a tool printed, one that failed never reads as well.

One row per tool of `health/checks/sources.py`: a command of it, and what it prints when all is well.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from health.checks import Expectation, Finding, catalogue, readings_of
from health.checks.context import Context
from health.checks.engine import judge
from health.checks.probes.script import TIMED_OUT, Output, ProbeReport
from health.checks.sources import TOOLS, identify
from health.checks.verdicts import Verdict
from health.tests.checks.hosts import CSV, OUTPUTS
from health.tests.checks.samples import BOOT, CASES, MODEL, REPORT_TIME, sample

_IBSTATUS = """Infiniband device 'mlx5_0' port 1 status:
\tdefault gid:\t fe80:0000:0000:0000:a088:c203:0000:0022
\tbase lid:\t 0xc
\tsm lid:\t\t 0x1
\tstate:\t\t 4: ACTIVE
\tphys state:\t 5: LinkUp
\trate:\t\t 400 Gb/sec (4X NDR)
\tlink_layer:\t InfiniBand
"""
_NTPQ = """     remote           refid      st t when poll reach   delay   offset  jitter
==============================================================================
*10.0.0.1        .GPS.            1 u   33   64  377    0.211    0.012   0.004
"""
_SINFO = """REASON               USER      TIMESTAMP           NODELIST
"""
_NODES = """NODELIST   NODES PARTITION       STATE CPUS    S:C:T MEMORY TMP_DISK WEIGHT AVAIL_FE REASON
sample1        1     train        idle 4       2:2:1 512000        0      1     h100 none
"""
# What holds the GPUs is told to the training runs (test_gpu_processes.py), and so are the images that lie on a machine
# (test_container_images.py).
OF_NO_CHECK = {
    "nvidia-smi --query-compute-apps",
    "docker image ls",
    "ctr images ls",
    "find of Enroot's images",
}
# Tools that no case of a check or output of a host stands for, and forms of one.


def _lines_of(file: str) -> str:
    """What one file says among the state files."""
    return "".join(
        line.removeprefix(file) for line in sample("state_files.txt").splitlines(True) if line.startswith(file)
    )


SMI = """| NVIDIA-SMI 550.90.07      Driver Version: 550.90.07      CUDA Version: 12.4     |
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
|=========================================+========================+======================|
|   0  NVIDIA H100 80GB HBM3           On |   00000000:21:00.0 Off |                    0 |
| N/A   31C    P0             72W /  700W |        1MiB / 81559MiB |      0%      Default |
|   1  NVIDIA H100 80GB HBM3           On |   00000000:A1:00.0 Off |                    0 |
| N/A   31C    P0             72W /  700W |        1MiB / 81559MiB |      0%      Default |
+-----------------------------------------+------------------------+----------------------+
| Processes:                                                                              |
"""
IP_LINK = """1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN mode DEFAULT group default
2: eth0: <BROADCAST,SLAVE,UP,LOWER_UP> mtu 9000 qdisc mq master bond0 state UP mode DEFAULT group default
3: eth1: <BROADCAST,SLAVE,UP,LOWER_UP> mtu 9000 qdisc mq master bond0 state UP mode DEFAULT group default
4: bond0: <BROADCAST,MASTER,UP,LOWER_UP> mtu 9000 qdisc noqueue state UP mode DEFAULT group default
"""
MDADM = """/dev/md0:
        Raid Level : raid1
      Raid Devices : 2
             State : clean
    Active Devices : 2
"""
BOND = """Ethernet Channel Bonding Driver: v6.8.0-40-generic

Bonding Mode: IEEE 802.3ad Dynamic link aggregation
MII Status: up

Slave Interface: eth0
MII Status: up
Speed: 100000 Mbps
Duplex: full

Slave Interface: eth1
MII Status: up
Speed: 100000 Mbps
Duplex: full
"""

_MORE = {
    "nvidia-smi --query-gpu=...": (CSV, sample("corpus/gpus.csv")),
    "nvidia-smi -q": ("nvidia-smi -q", sample("corpus/gpus.txt")),
    "smartctl -a -j": ("smartctl -a -j /dev/nvme0", sample("corpus/smartctl.json")),
    "ibstatus": ("ibstatus", _IBSTATUS),
    "ntpq -p": ("ntpq -pn", _NTPQ),
    "timedatectl": ("timedatectl show", "NTPSynchronized=yes\n"),
    "swapon --show": ("swapon --show", "NAME TYPE SIZE USED PRIO\n"),
    "sinfo -R": ("sinfo -R", _SINFO),
    "sinfo -N -l": ("sinfo -N -l", _NODES),
    "Redfish": ("curl -s https://bmc/redfish/v1/Systems/1", '{"PowerState": "On", "Status": {"Health": "OK"}}'),
    "zpool status": ("zpool status", sample("zpool.txt")),
    "cat /proc/buddyinfo": ("cat /proc/buddyinfo", _lines_of("/proc/buddyinfo:")),
    "cat /proc/mdstat": ("cat /proc/mdstat", _lines_of("/proc/mdstat:")),
    "amd-smi static --json": ("amd-smi static --json", sample("amd_static.json")),
    "amd-smi bad-pages --json": ("amd-smi bad-pages --json", sample("amd_pages.json")),
    "nvidia-smi": ("nvidia-smi", SMI),
    "nvidia-smi -L": (
        "nvidia-smi -L",
        "".join(f"GPU {n}: NVIDIA H100 80GB HBM3 (UUID: GPU-{n}a7c)\n" for n in range(2)),
    ),
    "ip link": ("ip link", IP_LINK),
    "mdadm --detail": ("mdadm --detail /dev/md0", MDADM),
    "lscpu": ("lscpu", "CPU(s):                  4\n  On-line CPU(s) list:   0-3\n"),
    "edac-util": ("edac-util -v", "mc0: csrow0: 0 Uncorrected Errors\nmc0: csrow0: ch0: 0 Corrected Errors\n"),
    "ethtool": ("ethtool eth0", "Settings for eth0:\n\tSpeed: 25000Mb/s\n\tDuplex: Full\n\tLink detected: yes\n"),
    "cat /proc/net/bonding/...": ("cat /proc/net/bonding/bond0", BOND),
    "rocm-smi --json": ("rocm-smi -a --json", '{"card0": {"PCI Bus": "0000:21:00.0"}}'),
}
# Their status says nothing of the output (grep's of files that may be absent, a loop's last); what stands in it does.
SAYS_NOTHING = {
    "flint query",
    "grep . /sys/class/infiniband_verbs/...",
    "grep . /sys/class/infiniband/...",
    "grep . /sys/class/net/...",
    "grep . /sys/bus/pci/devices/...",
    "grep -s . /sys/...",
}
# Every line of these is a fact of its own, so what stands in the lines that came may be well. What a probe cuts at its
# limit ends with a status other than 0, and then nothing is; of a log, what did not come cannot be told at all.
TELLS_BY_LINE = SAYS_NOTHING | {
    "nvidia-smi -q", "nvidia-smi topo -p2p", "ibstat", "ibstatus", "ibv_devinfo", "mst status", "lsmod",
    "nvidia-smi", "nvidia-smi -L", "ip link", "edac-util", "ethtool", "cat /proc/net/bonding/...", "mdadm --detail",
    "cat /proc/meminfo", "swapon --show", "dmidecode", "uname -r, os-release", "cat /proc/uptime", "dmesg",
    "racadm lclog view", "ipmitool sdr", "cat /proc/buddyinfo",
}  # fmt: skip
# Put together to one report of the BMC by its own reader; of other GPUs than this machine has.
NOT_JUDGED = {"Redfish", "amd-smi static --json", "amd-smi bad-pages --json", "rocm-smi --json"}


def _table() -> Iterator[tuple[str, tuple[str, str]]]:
    told = dict(_MORE)
    for command, text in (
        *((each["command"], sample(each["sample"])) for each in CASES.values() if each["command"] != "bmc"),
        *((command, sample(name)) for command, name in OUTPUTS.values() if name.partition(".")[0] != "corpus"),
    ):
        if known := identify(command):
            told.setdefault(known.name, (command, text))
    yield from told.items()


TABLE = dict(_table())
ROWS = [pytest.param(name, *row, id=name) for name, row in TABLE.items() if name not in NOT_JUDGED]


def said_of(command: str, text: str, status: int) -> list[Finding]:
    """What the checks say of one output alone."""
    report = ProbeReport(BOOT, 86_400.0, REPORT_TIME, {command: Output(command, status, 5, text)})
    readings = readings_of(report)
    assert readings
    x = Context(Expectation(MODEL), readings, boot_id=BOOT, machine_time=REPORT_TIME)
    return [finding for each in catalogue() for finding in judge(each, x, fed_only=True)]


def well(findings: list[Finding]) -> list[tuple[str, str, str]]:
    return [(f.check, f.part, f.message) for f in findings if f.verdict in (Verdict.OK, Verdict.INFO)]


def test_every_tool_stands_in_the_table() -> None:
    assert TABLE.keys() == {each.name for each in TOOLS} - OF_NO_CHECK


@pytest.mark.parametrize(("name", "command", "text"), ROWS)
def test_the_healthy_output_of_a_tool_is_well(name: str, command: str, text: str) -> None:
    assert well(said_of(command, text, 0)) or name == "cat /proc/uptime"


@pytest.mark.parametrize("status", [1, 2, 255])
@pytest.mark.parametrize(("name", "command", "text"), ROWS)
def test_a_status_without_output_is_never_well(name: str, command: str, text: str, status: int) -> None:
    assert not well(said_of(command, "", status))


@pytest.mark.parametrize(("name", "command", "text"), ROWS)
def test_a_tool_that_failed_is_never_well_though_it_printed_all(name: str, command: str, text: str) -> None:
    if name not in SAYS_NOTHING:
        assert not well(said_of(command, text, 255))


@pytest.mark.parametrize("status", [0, 1, 255])
@pytest.mark.parametrize(
    "said", ["sh: 1: cannot execute: Input/output error", "Segmentation fault (core dumped)", "Permission denied"]
)
@pytest.mark.parametrize(("name", "command", "text"), ROWS)
def test_a_complaint_alone_is_never_well(name: str, command: str, text: str, said: str, status: int) -> None:
    assert not well(said_of(command, f"{said}\n", status))


@pytest.mark.parametrize(("name", "command", "text"), ROWS)
def test_half_an_output_of_a_tool_that_failed_is_never_well(name: str, command: str, text: str) -> None:
    if name not in SAYS_NOTHING:
        assert not well(said_of(command, text[: len(text) // 2], 1))


@pytest.mark.parametrize(("name", "command", "text"), ROWS)
def test_a_tool_that_was_stopped_is_never_well(name: str, command: str, text: str) -> None:
    assert not well(said_of(command, text, TIMED_OUT))


@pytest.mark.parametrize(("name", "command", "text"), ROWS)
def test_the_first_third_of_an_output_is_never_well_for_a_part_it_does_not_name(
    name: str, command: str, text: str
) -> None:
    """Whatever the status: a part is well only by lines that are there."""
    whole = {(check, part) for check, part, _ in well(said_of(command, text, 0))}
    third = text[: len(text) // 3]
    heard = {(check, part) for check, part, _ in well(said_of(command, third, 0))}
    assert heard <= whole
    assert not heard or name in TELLS_BY_LINE
