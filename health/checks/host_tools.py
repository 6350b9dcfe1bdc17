"""The commands that tell of the operating system, its hardware, its services and its BMC's log."""

from __future__ import annotations

from health.checks.parsers import file_systems, hardware, slurm, system
from health.checks.parsers.bmc_log import parse_bmc_log
from health.checks.parsers.kernel_files import parse_kernel_files
from health.checks.parsers.leftovers import parse_leftovers
from health.checks.parsers.redfish import parse_redfish
from health.checks.parsers.services import parse_container_gpus, parse_unit_state
from health.checks.tool import any_status, of_text, tool

HOST_TOOLS = (
    tool("grep -s . /sys/...", "kernel_files", r"^grep (?:-\w+ )+\. /", of_text(parse_kernel_files),
         whole=any_status),  # grep's, of files that not every kernel has; the last file tells the end
    tool("ps, stat", "leftovers", r"^ps -eo state,pid,etimes,comm\b", of_text(parse_leftovers)),
    tool("cat /proc/meminfo", "memory", r"^(?:cat /proc/meminfo$|free\b)",
         lambda output: system.parse_meminfo(output.text, output.command)),
    tool("swapon --show", "memory", r"^(?:swapon (?:.*\s)?(?:--show|-s)\b|cat /proc/swaps$)",
         of_text(system.parse_swapon), may_be_silent=True),
    tool("cat /proc/mounts", "mount_table",
         r"^(?:cat /(?:proc|etc)/(?:self/)?(?:mounts|mtab)|mount|findmnt(?: -[rnlA]+)*)$",
         of_text(file_systems.parse_mount_table)),
    tool("uname -r, os-release", "release",
         r"^(?:uname\b|lsb_release\b|cat (?:/proc/sys/kernel/osrelease ?)?(?:/etc/os-release|/usr/lib/os-release)?$)",
         of_text(system.parse_release)),
    tool("systemctl --failed", "failed_units", r"^systemctl (?:list-units )?(?:.*\s)?(?:--failed|--state=failed)\b",
         of_text(system.parse_failed_units)),
    tool("systemctl is-active slurmd", "slurmd", r"^systemctl is-active slurmd(?:\.service)?$",
         of_text(parse_unit_state)),
    tool("systemctl is-active", "units", r"^systemctl is-active (?!(?:.*\s)?nvidia-fabricmanager)",
         lambda output: system.parse_unit_states(output.text, output.command),
         explains=lambda states, _: any(state != "active" for state in states.values())),
    tool("docker run", "docker_gpus", r"^docker (?:container )?run\b.*nvidia-smi\b", of_text(parse_container_gpus)),
    tool("scontrol show node", "slurm", r"^scontrol (?:-\w+ )*show nodes?\b", of_text(slurm.parse_nodes)),
    tool("sinfo -R", "slurm", r"^sinfo (?:.*\s)?(?:-\w*R|--list-reasons)\b", of_text(slurm.parse_reasons)),
    tool("sinfo -N -l", "slurm", r"^sinfo\b(?=.*\s(?:-\w*N|--Node))(?=.*\s(?:-\w*l|--long))",
         of_text(slurm.parse_sinfo)),
    tool("racadm lclog view", "bmc_log",
         r"^(?:racadm (?:.*\s)?(?:lclog|getsel)\b|ipmitool (?:.*\s)?sel (?:e?list)\b|Redfish log\b)",
         of_text(parse_bmc_log)),
    tool("Redfish", "redfish", r"^(?:Redfish\b|curl .*/redfish/)", of_text(parse_redfish)),
    tool("curl", "mirrors", r"^for u in \S.*\bcurl\b", of_text(system.parse_mirrors)),
    tool("zpool status", "zpool", r"^zpool (?:status|list)\b", of_text(file_systems.parse_zpool)),
    tool("lsblk -J", "block_devices", r"^lsblk (?:.*\s)?-\w*J", of_text(file_systems.parse_lsblk)),
    tool("dmidecode", "dmi", r"^dmidecode\b", of_text(hardware.parse_dmidecode)),
    tool("lspci -nn", "pci", r"^lspci(?!.*-[a-uw-z]*v)\b", of_text(hardware.parse_lspci)),
    tool("lsmod", "modules", r"^lsmod\b", of_text(hardware.parse_lsmod)),
)  # fmt: skip
