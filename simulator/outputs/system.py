"""Small files of /proc and /sys, the firmware's tables and systemd's list; two sockets with 52 cores each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from simulator.outputs.kernel import KERNEL
from simulator.services import TITLES, dead
from simulator.state import Machine

THREADS = 208
MAX_KHZ = 3_800_000
MEMORY_GIB = 2048
_DIMM_GIB = 64
_CPU_FILE = re.compile(r"^/sys/devices/system/cpu/cpu(\*|\d+|\[\d-\d\])/(\w+/\w+)$")
_DIMM_FILE = re.compile(r"^/sys/devices/system/edac/mc/mc\*/dimm\*/(dimm_\w+)$")
_CONTROLLER_FILE = re.compile(r"^/sys/devices/system/edac/mc/mc\*/(\w+)$")
_PER_CPU: dict[str, Callable[[int], str]] = {
    "cpufreq/scaling_governor": lambda cpu: "performance",
    "cpufreq/scaling_max_freq": lambda cpu: str(MAX_KHZ),
    "cpufreq/cpuinfo_max_freq": lambda cpu: str(MAX_KHZ),
    "cpufreq/scaling_cur_freq": lambda cpu: str(2_000_000 + cpu * 217_013 % 1_799_999),
    "thermal_throttle/package_throttle_count": lambda cpu: "0",
}
_OS_RELEASE = """PRETTY_NAME="Ubuntu 22.04.4 LTS"
NAME="Ubuntu"
VERSION_ID="22.04"
VERSION="22.04.4 LTS (Jammy Jellyfish)"
VERSION_CODENAME=jammy
ID=ubuntu
ID_LIKE=debian
HOME_URL="https://www.ubuntu.com/"
UBUNTU_CODENAME=jammy
"""


def grep_dot(machine: Machine, now: float, files: list[str]) -> tuple[int, str]:
    """`grep -s . FILE...`: every line of the files that are there, with its path before it."""
    text = "".join(f"{path}:{value}\n" for name in files for path, value in _lines(machine, now, name))
    return (0 if text else 2), text


def _lines(machine: Machine, now: float, name: str) -> Iterator[tuple[str, str]]:
    """(path, line) of the file, or of all files where the name is a pattern."""
    if found := _CPU_FILE.match(name):
        which, rest = found.groups()
        value = _PER_CPU.get(rest)
        for cpu in _cpus(which) if value else ():
            yield f"/sys/devices/system/cpu/cpu{cpu}/{rest}", value(cpu)  # type: ignore[misc]
    elif found := _DIMM_FILE.match(name):
        for number in range(machine.plan.dimms):
            socket, channel = divmod(number, 16)
            place = f"mc{socket * 4 + channel // 4}/dimm{channel % 4}"
            label = f"CPU_SrcID#{socket}_MC#{channel // 4}_Chan#{channel % 4 // 2}_DIMM#{channel % 2}"
            value_text = label if found.group(1) == "dimm_label" else "0"
            yield f"/sys/devices/system/edac/mc/{place}/{found.group(1)}", value_text
    elif found := _CONTROLLER_FILE.match(name):
        for controller in range(8 if machine.plan.dimms else 0):
            yield f"/sys/devices/system/edac/mc/mc{controller}/{found.group(1)}", "0"
    elif value_of := FILES.get(name):
        for line in value_of(machine, now).splitlines():
            if line:
                yield name, line


def _cpus(which: str) -> range:
    if which == "*":
        return range(THREADS)
    first, _, last = which.strip("[]").partition("-")
    return range(int(first), int(last or first) + 1)


def meminfo(machine: Machine, now: float) -> str:
    total = MEMORY_GIB * 1024**2 * 985 // 1000
    free = total - 40_000_000 - machine.plan.seed % 1_000_000
    rows = {"MemTotal": total, "MemFree": free, "MemAvailable": free + 9_000_000, "Buffers": 812_344,
            "Cached": 21_348_112, "SwapCached": 0, "SwapTotal": 0, "SwapFree": 0}  # fmt: skip
    return "".join(f"{key + ':':<15}{value:>10} kB\n" for key, value in rows.items())


def mounts(machine: Machine, now: float) -> str:
    """/proc/mounts; a full file system is still mounted for writing."""
    return (
        "sysfs /sys sysfs rw,nosuid,nodev,noexec,relatime 0 0\n"
        "proc /proc proc rw,nosuid,nodev,noexec,relatime 0 0\n"
        "udev /dev devtmpfs rw,nosuid,relatime,size=1056960000k,nr_inodes=264240000,mode=755,inode64 0 0\n"
        "tmpfs /run tmpfs rw,nosuid,nodev,noexec,relatime,size=211392000k,mode=755,inode64 0 0\n"
        "efivarfs /sys/firmware/efi/efivars efivarfs rw,nosuid,nodev,noexec,relatime 0 0\n"
        "/dev/nvme0n1p2 / ext4 rw,relatime 0 0\n"
        "tmpfs /dev/shm tmpfs rw,nosuid,nodev,inode64 0 0\n"
        "/dev/nvme0n1p1 /boot/efi vfat rw,relatime,fmask=0077,dmask=0077,codepage=437,iocharset=iso8859-1 0 0\n"
        "raid /raid zfs rw,relatime,xattr,posixacl,casesensitive 0 0\n"
    )


FILES: dict[str, Callable[[Machine, float], str]] = {
    "/sys/devices/system/cpu/online": lambda m, now: f"0-{THREADS - 1}\n",
    "/sys/devices/system/cpu/present": lambda m, now: f"0-{THREADS - 1}\n",
    "/sys/devices/system/clocksource/clocksource0/current_clocksource": lambda m, now: "tsc\n",
    "/proc/sys/fs/file-nr": lambda m, now: "18944\t0\t9223372036854775807\n",
    "/proc/sys/kernel/pid_max": lambda m, now: "4194304\n",
    "/proc/sys/kernel/threads-max": lambda m, now: "16510243\n",
    "/proc/sys/kernel/osrelease": lambda m, now: f"{KERNEL}\n",
    "/proc/loadavg": lambda m, now: "0.52 0.58 0.59 1/2317 48211\n",
    "/proc/uptime": lambda m, now: f"{m.uptime_s(now):.2f} {m.uptime_s(now) * 203.7:.2f}\n",
    "/proc/cmdline": lambda m, now: (
        f"BOOT_IMAGE=/boot/vmlinuz-{KERNEL} root=UUID={m.plan.system_uuid} ro iommu=pt intel_iommu=on "
        "pci=realloc=off transparent_hugepage=madvise\n"
    ),
    "/proc/meminfo": meminfo,
    "/proc/mounts": mounts,
    "/proc/swaps": lambda m, now: "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n",
    "/etc/os-release": lambda m, now: _OS_RELEASE,
}


def failed_units(machine: Machine) -> str:
    """`systemctl --failed --plain`."""
    failed = sorted(dead(machine))
    if not failed:
        return "  UNIT LOAD ACTIVE SUB DESCRIPTION\n\n0 loaded units listed.\n"
    rows = "".join(f"  {unit}.service loaded failed failed {TITLES[unit]}\n" for unit in failed)
    notes = (
        "LOAD   = Reflects whether the unit definition was properly loaded.\n"
        "ACTIVE = The high-level unit activation state, i.e. generalization of SUB.\n"
        "SUB    = The low-level unit activation state, values depend on unit type.\n"
    )
    return f"  UNIT           LOAD   ACTIVE SUB    DESCRIPTION\n{rows}\n{notes}{len(failed)} loaded units listed.\n"


def dmidecode(machine: Machine) -> str:
    """Types 0, 1 and 17, as `dmidecode -t bios -t system -t memory` prints them in short."""
    plan = machine.plan
    head = (
        "# dmidecode 3.3\nGetting SMBIOS data from sysfs.\nSMBIOS 3.3.0 present.\n\n"
        "Handle 0x0000, DMI type 0, 26 bytes\nBIOS Information\n\tVendor: Dell Inc.\n\tVersion: 1.7.6\n"
        "\tRelease Date: 01/11/2024\n\tROM Size: 64 MB\n\n"
        "Handle 0x0100, DMI type 1, 27 bytes\nSystem Information\n\tManufacturer: Dell Inc.\n"
        f"\tProduct Name: PowerEdge XE9680\n\tVersion: Not Specified\n\tSerial Number: {plan.serial}\n"
        f"\tUUID: {plan.system_uuid}\n\tWake-up Type: Power Switch\n\tFamily: PowerEdge\n"
    )
    return head + "".join(_dimm(machine, number) for number in range(plan.dimms))


def _dimm(machine: Machine, number: int) -> str:
    locator = f"{'AB'[number // 16 % 2]}{number % 16 + 1}"
    serial = f"{(machine.plan.seed * 2_654_435_761 + number * 40_503) % 2**32:08X}"
    return (
        f"\nHandle 0x{0x1100 + number:04X}, DMI type 17, 92 bytes\nMemory Device\n\tArray Handle: 0x1000\n"
        f"\tTotal Width: 80 bits\n\tData Width: 64 bits\n\tSize: {_DIMM_GIB} GB\n\tForm Factor: DIMM\n"
        f"\tSet: {number + 1}\n\tLocator: {locator}\n\tBank Locator: Not Specified\n\tType: DDR5\n"
        "\tType Detail: Synchronous Registered\n"
        f"\tSpeed: 4800 MT/s\n\tManufacturer: 00AD063200AD\n\tSerial Number: {serial}\n\tAsset Tag: 01224231\n"
        "\tPart Number: HMCG94AEBRA109N\n\tRank: 2\n\tConfigured Memory Speed: 4800 MT/s\n"
    )
