"""Which command feeds which reading, and how: the one place that knows the tools' command lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, TypeVar

from health.checks.card_tools import CARD_TOOLS
from health.checks.host_tools import HOST_TOOLS
from health.checks.more_tools import MORE_TOOLS
from health.checks.parsers import ParseError, gpu_forms, infiniband, nvlink, topology
from health.checks.parsers.disks import Mount, parse_df
from health.checks.parsers.gpu_plight import gpus_to_reset, lost_gpus
from health.checks.parsers.gpu_processes import parse_gpu_processes
from health.checks.parsers.gpu_table import parse_list, parse_table
from health.checks.parsers.gpus import GpuReport
from health.checks.parsers.host_reports import parse_smart
from health.checks.parsers.kernel_log import parse_kernel_log
from health.checks.parsers.nvme_list import parse_nvme_list
from health.checks.parsers.services import (
    parse_chrony,
    parse_docker,
    parse_ntpq,
    parse_timedatectl,
    parse_unit_state,
    parse_uptime,
)
from health.checks.probes.script import NOT_FOUND, TIMED_OUT, Output
from health.checks.tool import Tool, of_text, tool

HUNG = "the command hung and was stopped"
T = TypeVar("T")


@dataclass(frozen=True)
class Reading:
    """One output, read; `trouble` says why there is no `data`, `doubt` why what is fine in it is not believed."""

    name: str
    command: str
    exit_status: int | None = None
    data: Any = None
    trouble: str = ""
    text: str = ""
    doubt: str = ""

    @cached_property
    def is_mangled(self) -> bool:
        """Whether some bytes of the output were no text: what was seen stands, that nothing was seen does not."""
        return "\ufffd" in self.text or "\x00" in self.text

    def told(self, ask: Callable[[Any], T]) -> T:
        """What a function finds in the data, and nowhere else; the same output tells the same."""
        return ask(self.data)


def _names_trouble(report: GpuReport, text: str) -> bool:
    return report.names_trouble


def _names_gpus(data: Any, text: str) -> bool:
    return bool(lost_gpus(text) or gpus_to_reset(text))


def _names_mounts(mounts: Sequence[Mount], text: str) -> bool:
    return any(mount.error for mount in mounts)


def _smartctl_is_whole(status: int) -> bool:
    """Bits of smartctl(8): 0 to 2 mean that the command line, the device or a command failed; the others are what the
    drive says, which stands in the output as well."""
    return not status & 0b111


TOOLS = (
    tool("nvidia-smi --query-compute-apps", "gpu_processes",
         r"^nvidia-smi --query-compute-apps=\S+ \S+ \| \{ : rackside",
         of_text(parse_gpu_processes)),
    tool(
        "nvidia-smi -q -x",
        "gpus",
        r"^nvidia-smi (?=.*(?:-q\b|--query\b|-qx|-xq))(?=.*(?:-x\b|--xml-format|-qx|-xq))",
        of_text(gpu_forms.parse_xml),
        explains=_names_trouble,
    ),
    tool(
        "nvidia-smi --query-gpu=...",
        "gpus",
        r"^nvidia-smi .*--query-gpu",
        lambda output: gpu_forms.parse_csv(output.text, output.command),
        explains=_names_trouble,
    ),
    tool("nvidia-smi -q", "gpus", r"^nvidia-smi (?:.*\s)?(?:-q\b|--query\b)", of_text(gpu_forms.parse_text),
         explains=_names_trouble),
    tool("nvidia-smi", "gpus", r"^nvidia-smi$", of_text(parse_table), explains=_names_trouble),
    tool("nvidia-smi -L", "gpus", r"^nvidia-smi (?:-L|--list-gpus)$", of_text(parse_list), explains=_names_trouble),
    tool("nvidia-smi topo -m", "topology", r"^nvidia-smi topo (?:.*\s)?(?:-m|--matrix)\b",
          of_text(topology.parse_topology), explains=_names_gpus),
    tool("nvidia-smi nvlink -s", "nvlinks", r"^nvidia-smi nvlink (?:.*\s)?(?:-s|--status)\b",
          of_text(nvlink.parse_links), explains=_names_gpus),
    tool("nvidia-smi nvlink -e", "nvlink_errors", r"^nvidia-smi nvlink (?:.*\s)?(?:-e|--errorcounters)\b",
          of_text(nvlink.parse_link_errors), explains=_names_gpus),
    tool("ibstat", "infiniband", r"^ibstat\b", of_text(infiniband.parse_ibstat),
         explains=lambda found, _: bool(found.trouble) and not found.cut),
    tool("ibstatus", "infiniband", r"^ibstatus\b", of_text(infiniband.parse_ibstatus)),
    tool("ibv_devinfo", "infiniband", r"^ibv_devinfo\b", of_text(infiniband.parse_devinfo)),
    tool("dmesg", "kernel_log",
          r"^(?:dmesg\b|journalctl\b.*(?:-k\b|--dmesg|_TRANSPORT=kernel)|"
          r"cat /(?:dev/kmsg|var/log/(?:kern|dmesg|syslog)))",
          of_text(parse_kernel_log)),
    tool("df -i", "inodes", r"^df (?:.*\s)?(?:-[A-Za-z]*i[A-Za-z]*\b|--inodes)", of_text(parse_df),
         explains=_names_mounts),
    tool("df", "mounts", r"^df\b", of_text(parse_df), explains=_names_mounts),
    tool("docker info", "docker", r"^docker (?:info|system info)\b", of_text(parse_docker),
         explains=lambda found, _: bool(found.errors)),
    tool("systemctl is-active nvidia-fabricmanager", "fabric_manager",
          r"^systemctl is-active (?:.*\s)?nvidia-fabricmanager", of_text(parse_unit_state)),
    tool("chronyc tracking", "clock", r"^chronyc (?:.*\s)?tracking\b", of_text(parse_chrony)),
    tool("ntpq -p", "clock", r"^ntpq (?:.*\s)?-\w*p", of_text(parse_ntpq)),
    tool("timedatectl", "clock", r"^timedatectl(?:\s|$)", of_text(parse_timedatectl)),
    tool("nvme list -o json", "drives", r"^nvme list\b", of_text(parse_nvme_list)),
    tool("nvme smart-log -o json", "drive", r"^nvme smart-log\b", of_text(parse_smart)),
    tool("smartctl -a -j", "drive", r"^smartctl\b", of_text(parse_smart), whole=_smartctl_is_whole),
    tool("cat /proc/uptime", "uptime", r"^cat /proc/uptime$", of_text(parse_uptime)),
    *MORE_TOOLS,
    *CARD_TOOLS,  # before the wider patterns of the host's
    *HOST_TOOLS,
)  # fmt: skip

_PREFIX = re.compile(r"^(?:sudo(?: -n)?\s+|(?:/usr)?(?:/local)?/s?bin/|LC_ALL=\S+\s+|env\s+)+")
_DRIVE = re.compile(r"/dev/nvme(\d+)")
# A disk that is no NVMe drive, and behind a RAID controller which one of it (`-d megaraid,4 /dev/sda`).
_DISK = re.compile(r"^(?=(?:.*\s-d (\S+))?).*/dev/(\S+)")


@lru_cache(maxsize=512)
def identify(command: str) -> Tool | None:
    """The tool behind a command line, or None."""
    plain = _PREFIX.sub("", " ".join(command.split()))
    return next((each for each in TOOLS if each.matches.search(plain)), None)


def drive_reading(number: int | str) -> str:
    """The reading of the drive behind /dev/nvmeN."""
    return f"drive:{number}"


def _drive_of(command: str) -> str:
    """The number of an NVMe drive, or the name of another disk as the command has it."""
    if found := _DRIVE.search(command):
        return found.group(1)
    disk = _DISK.match(command)
    return " ".join(word for word in (disk.group(2), disk.group(1)) if word) if disk else "?"


def read(known: Tool, output: Output) -> Reading:
    """Parse one output. Never raises: what cannot be read becomes a reading with `trouble`."""
    name = known.reading
    if name == "drive":
        name = drive_reading(_drive_of(output.command))
    trouble, data, doubt = _excuse(known, output), None, ""
    if not trouble:
        try:
            data = known.parse(output)
            doubt = known.doubt(output.exit_status, data, output.text)
        except ParseError as error:
            trouble = error.reason if error.where == known.name else str(error)
            if output.exit_status:
                trouble = f"exit status {output.exit_status}: {trouble}"
        except Exception as error:  # a parser must not cost the machine its other readings
            trouble = f"the output could not be read ({type(error).__name__})"
    return Reading(name, output.command, output.exit_status, data, trouble, output.text, doubt)


def _excuse(known: Tool, output: Output) -> str:
    """Why there can be no data in this output, or nothing."""
    if output.exit_status == TIMED_OUT:
        return HUNG
    if output.exit_status == NOT_FOUND:
        return "the command is not installed"
    if not output.text.strip() and not (known.may_be_silent and output.exit_status == 0):
        return f"exit status {output.exit_status} and no output" if output.exit_status else "no output"
    return ""
