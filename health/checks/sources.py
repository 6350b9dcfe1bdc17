"""Which command feeds which reading, and how: the one place that knows the tools' command lines."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from health.parsers import ParseError, gpu_forms, infiniband, nvlink, topology
from health.parsers.disks import parse_df, parse_nvme_health, parse_nvme_list
from health.parsers.kernel_log import parse_kernel_log
from health.parsers.services import parse_chrony, parse_docker, parse_unit_state, parse_uptime
from health.probe import NOT_FOUND, TIMED_OUT, Output

Parser = Callable[[Output], Any]
HUNG = "the command hung and was stopped"


@dataclass(frozen=True)
class Tool:
    """A command we can read. `data_despite_error`: its non-zero exit may come with a usable answer."""

    name: str
    reading: str
    matches: re.Pattern[str]
    parse: Parser
    data_despite_error: bool = True


@dataclass(frozen=True)
class Reading:
    """One output, read; `trouble` says why there is no `data`."""

    name: str
    command: str
    exit_status: int | None = None
    data: Any = None
    trouble: str = ""
    text: str = ""


def _of_text(parse: Callable[[str], Any]) -> Parser:
    return lambda output: parse(output.text)


def _tool(name: str, reading: str, pattern: str, parse: Parser) -> Tool:
    return Tool(name, reading, re.compile(pattern), parse)


TOOLS = (
    _tool(
        "nvidia-smi -q -x",
        "gpus",
        r"^nvidia-smi (?=.*(?:-q\b|--query\b|-qx|-xq))(?=.*(?:-x\b|--xml-format|-qx|-xq))",
        _of_text(gpu_forms.parse_xml),
    ),
    _tool(
        "nvidia-smi --query-gpu=...",
        "gpus",
        r"^nvidia-smi .*--query-gpu",
        lambda output: gpu_forms.parse_csv(output.text, output.command),
    ),
    _tool("nvidia-smi -q", "gpus", r"^nvidia-smi (?:.*\s)?(?:-q\b|--query\b)", _of_text(gpu_forms.parse_text)),
    _tool("nvidia-smi topo -m", "topology", r"^nvidia-smi topo (?:.*\s)?(?:-m|--matrix)\b",
          _of_text(topology.parse_topology)),
    _tool("nvidia-smi nvlink -s", "nvlinks", r"^nvidia-smi nvlink (?:.*\s)?(?:-s|--status)\b",
          _of_text(nvlink.parse_links)),
    _tool("nvidia-smi nvlink -e", "nvlink_errors", r"^nvidia-smi nvlink (?:.*\s)?(?:-e|--errorcounters)\b",
          _of_text(nvlink.parse_link_errors)),
    _tool("ibstat", "infiniband", r"^ibstat\b", _of_text(infiniband.parse_ibstat)),
    _tool("ibstatus", "infiniband", r"^ibstatus\b", _of_text(infiniband.parse_ibstatus)),
    _tool("dmesg", "kernel_log",
          r"^(?:dmesg\b|journalctl\b.*(?:-k\b|--dmesg|_TRANSPORT=kernel)|cat /var/log/(?:kern|dmesg|syslog))",
          _of_text(parse_kernel_log)),
    _tool("df -i", "inodes", r"^df (?:.*\s)?(?:-[A-Za-z]*i[A-Za-z]*\b|--inodes)", _of_text(parse_df)),
    _tool("df", "mounts", r"^df\b", _of_text(parse_df)),
    _tool("docker info", "docker", r"^docker (?:info|system info)\b", _of_text(parse_docker)),
    _tool("systemctl is-active nvidia-fabricmanager", "fabric_manager",
          r"^systemctl is-active (?:.*\s)?nvidia-fabricmanager", _of_text(parse_unit_state)),
    _tool("chronyc tracking", "clock", r"^chronyc (?:.*\s)?tracking\b", _of_text(parse_chrony)),
    _tool("nvme list -o json", "drives", r"^nvme list\b", _of_text(parse_nvme_list)),
    _tool("nvme smart-log -o json", "drive", r"^(?:nvme smart-log|smartctl)\b", _of_text(parse_nvme_health)),
    _tool("cat /proc/uptime", "uptime", r"^cat /proc/uptime$", _of_text(parse_uptime)),
)  # fmt: skip

_PREFIX = re.compile(r"^(?:sudo(?: -n)?\s+|(?:/usr)?(?:/local)?/s?bin/|LC_ALL=\S+\s+|env\s+)+")
_DRIVE = re.compile(r"/dev/nvme(\d+)")


@lru_cache(maxsize=512)
def identify(command: str) -> Tool | None:
    """The tool behind a command line, or None."""
    plain = _PREFIX.sub("", " ".join(command.split()))
    return next((tool for tool in TOOLS if tool.matches.search(plain)), None)


def drive_reading(number: int | str) -> str:
    """The reading of the drive behind /dev/nvmeN."""
    return f"drive:{number}"


def read(tool: Tool, output: Output) -> Reading:
    """Parse one output. Never raises: what cannot be read becomes a reading with `trouble`."""
    name = tool.reading
    if name == "drive":
        found = _DRIVE.search(output.command)
        name = drive_reading(found.group(1) if found else "?")
    trouble, data = _excuse(output), None
    if not trouble:
        try:
            data = tool.parse(output)
        except ParseError as error:
            trouble = error.reason if error.where == tool.name else str(error)
            if output.exit_status:
                trouble = f"exit status {output.exit_status}: {trouble}"
        except Exception as error:  # a parser must not cost the machine its other readings
            trouble = f"the output could not be read ({type(error).__name__})"
    return Reading(name, output.command, output.exit_status, data, trouble, output.text)


def _excuse(output: Output) -> str:
    """Why there can be no data in this output, or nothing."""
    if output.exit_status == TIMED_OUT:
        return HUNG
    if output.exit_status == NOT_FOUND:
        return "the command is not installed"
    if not output.text.strip():
        return f"exit status {output.exit_status} and no output" if output.exit_status else "no output"
    return ""
