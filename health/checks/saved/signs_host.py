"""Signs of outputs about the operating system, its hardware, its services and its BMC's log."""

from __future__ import annotations

import re

from health.checks.probes.host import FAILED_UNITS, KERNEL_FILES, LEFTOVERS, MEMORY, MOUNT_TABLE, RELEASE

# (regular expression over the text, command), in order.
HOST_BY_CONTENT: tuple[tuple[str, str], ...] = (
    (r"^/(?:sys/devices/system/cpu|proc/sys/kernel/osrelease)[^ :]*:", KERNEL_FILES),
    (r"^S\s+PID\s+ELAPSED\s+COMMAND\s*$|^btime \d{10}\s*\Z", LEFTOVERS),
    (r"^MemTotal:\s+\d+ kB", MEMORY),
    (r"\A\s+total\s+used\s+free\s", "free"),
    (r"\A(?:NAME\s+TYPE\s+SIZE|Filename\s+Type\s+Size)\b", "swapon --show"),
    (r"\A/\S+\s+(?:file|partition)\s+[\d.]+[KMGT]?\s", "swapon --show"),
    (r"^\S+ /\S* (?:ext[234]|xfs|btrfs|tmpfs|proc|sysfs|zfs|nfs4?) (?:rw|ro)[\w,=./:-]* \d \d$", MOUNT_TABLE),
    (r"^\S+ on / type \w+ \(r[ow][,)]", "mount"),
    (r"\ATARGET\s+SOURCE\s+FSTYPE\s+OPTIONS", "findmnt"),
    (r'^PRETTY_NAME="|^Distributor ID:', RELEASE),
    (r"\A(?:Linux \S+ )?\d+\.\d+\.\d+[\w.+~-]*(?: #.*)?\s*\Z", "uname -r"),
    (r"^\d+ loaded units? listed", FAILED_UNITS),
    (r"^ *pool: \S+\s*$|^no pools available", "zpool status"),
    (r"^# dmidecode \d|^Handle 0x[0-9A-F]+, DMI type \d+", "dmidecode"),
    (r"\AModule\s+Size\s+Used by|\A(?:\w+\s+\d{4,}\s+\d+(?:\s+\S+)?\n)+\Z", "lsmod"),
    (r"^(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] .* \[[0-9a-f]{4}\]: ", "lspci -nn"),
    (r"(?:^|\n)NodeName=\S+ +Arch=|^NodeName=\S+ ", "scontrol show node"),
    (r"^NODELIST\s+NODES\s+PARTITION\s+STATE", "sinfo -N -l"),
    (r"^REASON\s+USER\s+TIMESTAMP", "sinfo -R"),
    (r"^SeqNumber\s+=|^Record:\s+\d+\s*$", "racadm lclog view"),
    (r"^\s*[0-9a-f]+ \| [\d/]+ \| [\d:]+[^|]*\| ", "ipmitool sel elist"),
    (r"^SEL has no entries", "ipmitool sel elist"),
    (r"^\d+,\d+,\d+,[^;\n]{1,200};", "dmesg"),
    (r"^https?://\S+ \d{3}\s*$", "for u in $urls; do curl $u; done"),
)

HOST_BY_NAME: tuple[tuple[str, str], ...] = (
    (r"swapon|\bswap", "swapon --show"),
    (r"scontrol", "scontrol show node"),
    (r"sinfo[-_. ]*r\b", "sinfo -R"),
    (r"sinfo", "sinfo -N -l"),
    (r"lclog|getsel|\bsel\b", "racadm lclog view"),
    (r"redfish", "Redfish"),
    (r"docker[-_. ](?:run|gpus?)\b", "docker run --gpus all nvidia-smi -L"),
    (r"zpool", "zpool status"),
    (r"lsblk", "lsblk -J"),
    (r"lsmod", "lsmod"),
    (r"lspci", "lspci -nn"),
    (r"dmidecode", "dmidecode"),
    (r"meminfo", MEMORY),
    (r"(?:proc[-_. ])?mounts?\b", MOUNT_TABLE),
    (r"uname|os[-_. ]release|lsb[-_. ]release", RELEASE),
    (r"failed[-_. ]units|systemctl[-_. ]+failed", FAILED_UNITS),
)
_UNIT_IN_NAME = re.compile(r"is[-_. ]active[-_. ]+([a-z][\w@-]*?)(?=\.(?:service|txt|out|log|rc\d)|$)")


def unit_command(name: str) -> str | None:
    """`systemctl is-active UNIT` for a file whose name says which, as in `systemctl-is-active-docker.txt`."""
    found = _UNIT_IN_NAME.search(name.lower())
    return f"systemctl is-active {found.group(1)}" if found else None


def host_json_command(text: str) -> str | None:
    """The command behind a JSON document about the machine, by its keys."""
    if re.search(r'"(?:__REALTIME_TIMESTAMP|__MONOTONIC_TIMESTAMP|_TRANSPORT)"\s*:|"dmesg"\s*:\s*\[', text):
        return "dmesg"
    if re.search(r'"(?:MessageId|EntryType)"\s*:', text):
        return "Redfish log"
    if re.search(
        r'"@odata\.(?:id|type)"|"(?:PowerSupplies|PowerControl|Temperatures|ChassisType|PowerState)"\s*:', text
    ):
        return "Redfish"
    if re.search(r'"blockdevices"\s*:', text):
        return "lsblk -J"
    return None
