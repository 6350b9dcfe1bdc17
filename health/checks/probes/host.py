"""The probe's commands about the operating system and its hardware, for what a machine of a model has."""

from __future__ import annotations

from typing import Any

from drivers import shell
from inventory.specs.device_model import DeviceModelSpec

_CPU = "/sys/devices/system/cpu"
_EDAC = "/sys/devices/system/edac/mc"
# The last file is on every machine: an output that does not end with it was cut off.
LAST_KERNEL_FILE = "/proc/sys/kernel/osrelease"
KERNEL_FILES = " ".join(
    (
        "grep -s .",
        f"{_CPU}/online {_CPU}/present",
        f"{_CPU}/cpu*/cpufreq/scaling_governor {_CPU}/cpu*/cpufreq/scaling_max_freq",
        f"{_CPU}/cpu0/cpufreq/cpuinfo_max_freq {_CPU}/cpu[0-7]/cpufreq/scaling_cur_freq",
        f"{_CPU}/cpu*/thermal_throttle/package_throttle_count",
        "/sys/devices/system/clocksource/clocksource0/current_clocksource",
        f"{_EDAC}/mc*/dimm*/dimm_label {_EDAC}/mc*/dimm*/dimm_ce_count {_EDAC}/mc*/dimm*/dimm_ue_count",
        f"{_EDAC}/mc*/ce_count {_EDAC}/mc*/ue_count",
        "/proc/sys/fs/file-nr /proc/sys/kernel/pid_max /proc/sys/kernel/threads-max /proc/loadavg /proc/uptime",
        "/proc/cmdline",
        LAST_KERNEL_FILE,
    )
)
# Only what is dead or blocked of the processes; records of a crash that the firmware, systemd or kdump keep; last the
# time of the start, which every machine tells: an output that does not end with it was cut off.
LEFTOVERS = (
    "ps -eo state,pid,etimes,comm | grep -e PID -e ^[DZ]; stat -c %Y:%n /sys/fs/pstore /sys/fs/pstore/* "
    "/var/lib/systemd/pstore/*/* /var/crash/*/dmesg* /var/crash/*/vmcore*; grep btime /proc/stat"
)
MEMORY = "cat /proc/meminfo"
MOUNT_TABLE = "cat /proc/mounts"
RELEASE = "cat /proc/sys/kernel/osrelease /etc/os-release"
FAILED_UNITS = "systemctl --failed --plain --no-pager"
FIRMWARE_TABLES = "dmidecode -t bios -t system -t memory"
POOLS = "zpool status"


def host_commands(spec: DeviceModelSpec) -> list[tuple[int, str]]:
    """(seconds, command). What only some sites have is asked for where the model's `expected` speaks of it."""
    commands = [
        (5, KERNEL_FILES),
        (5, LEFTOVERS),
        (5, MEMORY),
        (5, MOUNT_TABLE),
        (5, RELEASE),
        (10, FAILED_UNITS),
        (10, FIRMWARE_TABLES),
    ]
    if spec.expected.get("zpool"):
        commands.append((10, POOLS))
    if spec.expected.get("slurm"):
        commands += [(5, "systemctl is-active slurmd"), (10, "scontrol show node $(hostname -s)")]
    if spec.expected.get("ipmi"):
        commands.append((30, "ipmitool sel elist"))
    if image := (spec.expected.get("docker") or {}).get("gpu_image"):
        commands.append((60, f"docker run --rm --pull never --gpus all {shell.operand(image)} nvidia-smi -L"))
    if units := _operands(spec.expected.get("services")):
        commands.append((5, f"systemctl is-active {' '.join(units)}"))
    if urls := _operands(spec.expected.get("mirrors")):
        ask = 'curl -s -o /dev/null -m 5 -w %{http_code} "$u"'
        commands.append((5 * len(urls) + 1, f'for u in {" ".join(urls)}; do echo "$u" $({ask}); done'))
    return commands


def _operands(words: Any) -> list[str]:
    return [shell.operand(each) for each in words or ()]
