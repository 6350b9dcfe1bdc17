"""What the kernel of a machine says: the log, the boot id, the uptime, the clock."""

from __future__ import annotations

import time
from datetime import UTC, datetime

from simulator.state import Machine

KERNEL = "6.5.0-1007-nvidia"


def boot_lines(machine: Machine) -> list[tuple[float, str]]:
    """The log of a start of this machine, the same every time but for what the parts say of themselves."""
    plan, driver = machine.plan, machine.plan.facts.driver_version
    built = "(buildd@lcy02-amd64-008) (x86_64-linux-gnu-gcc-11 (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0)"
    ipmi = "The BMC does not support setting the recv irq bit, compensating, but the BMC needs to be fixed."
    lines = [
        (0.0, f"Linux version {KERNEL} {built} #7-Ubuntu SMP PREEMPT_DYNAMIC"),
        (0.0, f"Command line: BOOT_IMAGE=/vmlinuz-{KERNEL} root=/dev/nvme0n1p2 ro iommu=pt console=ttyS0,115200n8"),
        (0.0, "DMI: Dell Inc. PowerEdge XE9680/0KK0RG, BIOS 1.7.6 01/11/2024"),
        (0.412345, "ACPI Error: No handler for Region [SYSI] (00000000d1a2b3c4) [IPMI] (20230331/evregion-130)"),
        (6.102231, f"ipmi_si IPI0001:00: {ipmi}"),
        (9.882101, "mlx_compat: loading out-of-tree module taints kernel."),
    ]
    for number, nvme in enumerate(plan.nvmes):
        lines.append((4.2 + number / 100, f"nvme nvme{number}: 128/0/0 default/read/poll queues ({nvme.model})"))
    stamp = 11.401190
    for hca in sorted(plan.hcas, key=lambda hca: hca.pci):
        lines.append((stamp, f"mlx5_core {hca.pci}: firmware version: {hca.firmware}"))
        bandwidth = "504.112 Gb/s available PCIe bandwidth (32.0 GT/s PCIe x16 link)"
        lines.append((stamp + 1.2e-5, f"mlx5_core {hca.pci}: {bandwidth}"))
        stamp += 0.21
    lines.append((21.600451, "nvidia: module license 'NVIDIA' taints kernel."))
    lines.append((21.618820, f"NVRM: loading NVIDIA UNIX x86_64 Kernel Module  {driver}  Thu Oct 19 18:56:32 UTC 2023"))
    lines.extend((25.551 + n / 100, f"nvidia-nvswitch{n}: open (major=236)") for n in range(4 if plan.gpus else 0))
    lines.append((31.1, "docker0: port 1(veth1a2b3c4) entered blocking state"))
    return sorted(lines)


def log(machine: Machine, now: float) -> list[tuple[float, str]]:
    """The whole ring buffer: (seconds since the start, line). Lines of the start not reached yet are absent."""
    reached = machine.uptime_s(now)
    return [row for row in boot_lines(machine) if row[0] <= reached] + machine.state.dmesg


def dmesg(machine: Machine, now: float, arguments: list[str]) -> str:
    """`dmesg` with monotonic stamps, or with -T, --time-format=iso, -r or -x."""
    words = " ".join(arguments)
    prefix = "<4>" if "-r" in arguments or "--raw" in arguments else ""
    decode = "kern  :warn  : " if {"-x", "--decode"} & set(arguments) else ""
    started = machine.wall_clock(now) - machine.uptime_s(now)

    def stamped(stamp: float) -> str:
        if "iso" in words:
            return datetime.fromtimestamp(started + stamp, UTC).isoformat(timespec="microseconds").replace(".", ",")
        if "-T" in arguments or "ctime" in words:
            return time.strftime("[%a %b %e %H:%M:%S %Y]", time.gmtime(started + stamp))
        return f"[{stamp:12.6f}]"

    return "".join(f"{prefix}{decode}{stamped(stamp)} {line}\n" for stamp, line in log(machine, now))


def uptime_file(machine: Machine, now: float) -> str:
    """/proc/uptime: seconds up, and idle seconds summed over 208 CPUs."""
    seconds = machine.uptime_s(now)
    return f"{seconds:.2f} {seconds * 203.7:.2f}\n"


def uptime(machine: Machine, now: float) -> str:
    minutes = int(machine.uptime_s(now) // 60)
    days, rest = divmod(minutes, 1440)
    clock = time.strftime("%H:%M:%S", time.gmtime(machine.wall_clock(now)))
    spent = f"{rest // 60:>2}:{rest % 60:02d}" if rest >= 60 else f"{rest} min"
    up = f"{days} day{'s' if days != 1 else ''}, {spent}" if days else spent
    return f" {clock} up {up},  1 user,  load average: 0.52, 0.58, 0.59\n"


def date(machine: Machine, now: float, arguments: list[str]) -> str:
    wall = machine.wall_clock(now)
    form = next((a[1:] for a in arguments if a.startswith("+")), "%a %b %e %H:%M:%S UTC %Y")
    form = form.replace("%s", str(int(wall))).replace("%N", f"{int(wall % 1 * 1e9):09d}")
    return time.strftime(form, time.gmtime(wall)) + "\n"


def processes(machine: Machine, now: float) -> str:
    """`ps -eo state,pid,etimes,comm`, in short: the first process, and one that is stuck."""
    rows = [("S", 1, machine.uptime_s(now), "systemd")]
    if stuck := machine.fault("process_stuck"):
        rows.append(("D", 51822, now - stuck.since + 600, str(stuck.params["name"])))
    return "S     PID ELAPSED COMMAND\n" + "".join(f"{s} {pid:7} {int(age):7} {name}\n" for s, pid, age, name in rows)


def stat(machine: Machine, args: list[str]) -> tuple[int, str]:
    """`stat -c %Y:%n PATH...` of the places where a crash leaves its record."""
    there = {"/sys/fs/pstore": machine.state.booted_at}
    found = [path for path in args[2:] if path in there]
    lost = [path for path in args[2:] if path not in there]
    text = "".join(f"{int(there[path])}:{path}\n" for path in found)
    if machine.fault("kernel_crashed") and "/sys/fs/pstore/*" in lost:
        lost.remove("/sys/fs/pstore/*")
        at = int(machine.state.booted_at) - 40
        text += f"{at}:/sys/fs/pstore/dmesg-efi-{at}01001\n"
    return int(bool(lost)), text + "".join(f"stat: cannot statx '{path}': No such file or directory\n" for path in lost)
