"""The operating system around the GPUs: file systems, docker, services, time keeping."""

from __future__ import annotations

import json
import time
import uuid
from itertools import pairwise
from typing import Any

from simulator.outputs.kernel import KERNEL
from simulator.services import TITLES, dead, unit_name
from simulator.state import Machine

DOCKER_DOWN = "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?"

# source, type, kB, share used, mount
_FILE_SYSTEMS = (
    ("tmpfs", "tmpfs", 211_392_000, 0.0001, "/run"),
    ("/dev/nvme0n1p2", "ext4", 459_850_824, 0.23, "/"),
    ("tmpfs", "tmpfs", 1_056_960_000, 0.0, "/dev/shm"),
    ("tmpfs", "tmpfs", 5_120, 0.0, "/run/lock"),
    ("efivarfs", "efivarfs", 304, 0.36, "/sys/firmware/efi/efivars"),
    ("/dev/nvme0n1p1", "vfat", 1_098_632, 0.0055, "/boot/efi"),
    ("raid", "zfs", 22_499_352_576, 0.41, "/raid"),
)


def df(machine: Machine, arguments: list[str]) -> str:
    """`df -P`, with -B1, -i, -T, -l and -x TYPE as a person would give them; sizes in kB otherwise."""
    full = machine.fault("disk_full")
    flags = "".join(a[1:] for a in arguments if a.startswith("-") and not a.startswith("--"))
    inodes, types = "i" in flags, "T" in flags
    left_out = _left_out(arguments)
    unit = 1024 if "-B1" in arguments or "--block-size=1" in arguments else 1
    blocks = "1-blocks" if unit == 1024 else "1024-blocks"
    rows = []
    for source, kind, size_kb, usual_share, mount in _FILE_SYSTEMS:
        if kind in left_out:
            continue
        share = 1.0 if full and mount == full.params["mount"] else usual_share
        total = size_kb // 16 if inodes else size_kb * unit
        used = round(total * share * (0.2 if inodes and share < 1 else 1))
        free = total - used
        percent = -(-used * 100 // total) if total else 0
        middle = f" {kind:<8}" if types else ""
        rows.append(f"{source:<15}{middle} {total:>14} {used:>12} {free:>12} {percent:>7}% {mount}\n")
    type_head = " Type    " if types else ""
    if inodes:
        head = f"{'Filesystem':<15}{type_head} {'Inodes':>14} {'IUsed':>12} {'IFree':>12} {'IUse%':>8} Mounted on\n"
    else:
        head = f"{'Filesystem':<15}{type_head} {blocks:>14} {'Used':>12} {'Available':>12} Capacity Mounted on\n"
    return head + "".join(rows)


def _left_out(arguments: list[str]) -> set[str]:
    """The types after -x, --exclude-type or joined to them."""
    out = {a.partition("=")[2] for a in arguments if a.startswith("--exclude-type=")}
    out |= {after for before, after in pairwise(arguments) if before in ("-x", "--exclude-type")}
    return out | {a[2:] for a in arguments if a.startswith("-x") and len(a) > 2}


def docker_info(machine: Machine, now: float) -> tuple[int, dict[str, Any]]:
    """`docker info --format '{{json .}}'`: exit status and document."""
    client = {
        "Debug": False, "Version": "25.0.3", "GitCommit": "4debf41", "GoVersion": "go1.21.6", "Os": "linux",
        "Arch": "amd64", "Context": "default", "Plugins": [], "Warnings": None,
    }  # fmt: skip
    if machine.fault("docker_dead"):
        return 1, {"ID": "", "Containers": 0, "Images": 0, "Driver": "", "ServerErrors": [DOCKER_DOWN],
                   "ClientInfo": client}  # fmt: skip
    return 0, {
        "ID": str(uuid.UUID(int=machine.plan.seed << 64 | 0x6F6C4F0C9A4E2F1C)),
        "Containers": 2, "ContainersRunning": 1, "ContainersPaused": 0, "ContainersStopped": 1, "Images": 14,
        "Driver": "overlay2",
        "DriverStatus": [["Backing Filesystem", "zfs"], ["Supports d_type", "true"], ["Using metacopy", "false"]],
        "MemoryLimit": True, "SwapLimit": True, "PidsLimit": True, "IPv4Forwarding": True,
        "LoggingDriver": "json-file", "CgroupDriver": "systemd", "CgroupVersion": "2", "NEventsListener": 0,
        "SystemTime": time.strftime("%Y-%m-%dT%H:%M:%S.000000000Z", time.gmtime(machine.wall_clock(now))),
        "KernelVersion": KERNEL, "OperatingSystem": "Ubuntu 22.04.4 LTS", "OSVersion": "22.04", "OSType": "linux",
        "Architecture": "x86_64", "NCPU": 208, "MemTotal": 2113920000000, "DockerRootDir": "/raid/docker",
        "Name": machine.hostname, "ServerVersion": "25.0.3",
        "Runtimes": {"io.containerd.runc.v2": {"path": "runc"}, "nvidia": {"path": "nvidia-container-runtime"},
                     "runc": {"path": "runc"}},
        "DefaultRuntime": "runc", "LiveRestoreEnabled": False, "SecurityOptions": ["name=apparmor", "name=cgroupns"],
        "Warnings": None, "ClientInfo": client,
    }  # fmt: skip


def docker_info_json(machine: Machine, now: float) -> tuple[int, str]:
    status, document = docker_info(machine, now)
    return status, json.dumps(document) + "\n"


def docker_info_text(machine: Machine, now: float) -> tuple[int, str]:
    """A short form of what `docker info` prints for people."""
    status, document = docker_info(machine, now)
    if status:
        return status, f"Client: Docker Engine - Community\n Version:    25.0.3\n\nServer:\nERROR: {DOCKER_DOWN}\n"
    rows = ("Containers", "Images", "ServerVersion", "Driver", "KernelVersion", "OperatingSystem", "NCPU", "Name")
    return 0, "Server:\n" + "".join(f" {key}: {document[key]}\n" for key in rows)


SERVICES = (*TITLES, "ssh", "openibd", "slurmd")


def is_active(machine: Machine, units: list[str]) -> tuple[int, str]:
    """`systemctl is-active UNIT...`: exit status 0 when all are active, 3 when one is not."""
    words, gone = [], dead(machine)
    for unit in map(unit_name, units):
        words.append("inactive" if unit not in SERVICES else "failed" if unit in gone else "active")
    return (0 if words and set(words) == {"active"} else 3), "".join(f"{word}\n" for word in words)


def _offset_s(machine: Machine) -> float:
    skew = machine.fault("clock_skew")
    return float(skew.params["seconds"]) if skew else (machine.plan.seed % 900) * 1e-7


def chrony_tracking(machine: Machine, now: float) -> str:
    """`chronyc tracking`; while the clock is skewed the source is lost, or chrony would have stepped it."""
    offset, skewed = _offset_s(machine), machine.fault("clock_skew") is not None
    seen = time.strftime("%a %b %d %H:%M:%S %Y", time.gmtime(now - (86400 if skewed else 37)))
    rows = {
        "Reference ID": "00000000 ()" if skewed else "0A000001 (10.0.0.1)",
        "Stratum": 0 if skewed else 3,
        "Ref time (UTC)": seen,
        "System time": f"{abs(offset):.9f} seconds {'fast' if offset >= 0 else 'slow'} of NTP time",
        "Last offset": f"{offset:+.9f} seconds",
        "RMS offset": f"{abs(offset):.9f} seconds",
        "Frequency": "12.456 ppm slow",
        "Residual freq": "+0.000 ppm",
        "Skew": "0.012 ppm",
        "Root delay": "0.000345678 seconds",
        "Root dispersion": "0.000234567 seconds",
        "Update interval": "64.4 seconds",
        "Leap status": "Not synchronised" if skewed else "Normal",
    }
    return "".join(f"{key:<16}: {value}\n" for key, value in rows.items())


def timedatectl_show(machine: Machine, now: float) -> str:
    synchronised = "no" if machine.fault("clock_skew") else "yes"
    return (
        f"Timezone=Etc/UTC\nLocalRTC=no\nCanNTP=yes\nNTP=yes\nNTPSynchronized={synchronised}\n"
        f"TimeUSec={time.strftime('%a %Y-%m-%d %H:%M:%S UTC', time.gmtime(machine.wall_clock(now)))}\n"
    )
