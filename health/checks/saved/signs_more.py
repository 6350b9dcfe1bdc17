"""Signs of outputs about the present state, AMD GPUs, links, clusters and other keepers of errors."""

from __future__ import annotations

import re

from health.checks.probes.site import AMD_LINKS, AMD_METRIC, AMD_PAGES, AMD_STATIC, CRI, IMEX, KUBELET
from health.checks.probes.state import REMOTE_MOUNTS

BONDING = "cat /proc/net/bonding/"
# (regular expression over the text, command), in order; before the signs of other outputs.
MORE_BY_CONTENT: tuple[tuple[str, str], ...] = (
    (r"^/proc/buddyinfo:", "grep -sH . /proc/buddyinfo"),
    (r"^Node \d+, zone\s+\w+", "cat /proc/buddyinfo"),
    (r"^Personalities :", "cat /proc/mdstat"),
    (r"^CPU\(s\):\s+\d+[\s\S]*^\s*On-line CPU\(s\) list:", "lscpu"),
    (r"^mc\d+: .*\d+ (?:Unc|C)orrected Errors|^edac-util: ", "edac-util -v"),
    (r"^Ethernet Channel Bonding Driver:", BONDING),
    (r"^Settings for \S+:\s*$", "ethtool"),
    (r"^/dev/md\w+:\s*$[\s\S]*^\s*Raid Level :", "mdadm --detail"),
    (r"^\s+LnkSta:\s", "lspci -vv"),
    (r"^end of remote mounts", REMOTE_MOUNTS),
    (r"^Operational Info\s*\n-{3,}\s*$", "mlxlink"),
    (r"^\d+: [\w.@-]+: <[A-Z,_-]*> mtu \d+ |^[\w.@-]+\s+(?:UP|DOWN|UNKNOWN)\s+.*<[A-Z,_-]+>\s*$", "ip link"),
    (r"^NIC statistics:", "ethtool -S"),
    (r"^\s+Identifier\s+: 0x[0-9a-f]{2} \(", "ethtool -m"),
    (r"^(?:Memory controller events summary:|No Memory errors\.)", "ras-mc-ctl --summary"),
    (r"^Smart Log for NVME device|^SMART/Health Information \(NVMe Log", "nvme smart-log"),
    (r"^Node\s+(?:Generic\s+)?SN\s+Model\s", "nvme list"),
    (r"^Connectivity Table Legend:|^Domain State: ", IMEX),
    (r"^[^|\n]+ \| [^|\n]+ \| (?:ok|ns|nc|cr|nr)\s*$", "ipmitool sdr"),
    (
        r"^[^|\n]+ \| (?:na|-?[\d.]+|0x[0-9a-f]+) *\|[^|\n]*\| *(?:ok|ns|nc|cr|nr|na|0x[0-9a-f]{4}) *\|",
        "ipmitool sensor",
    ),
    (r"^[^|\n]+ \| [0-9A-F]{2}h \| (?:ok|ns|nc|cr|nr)\s+\| ", "ipmitool sdr elist"),
    (r"\A(?:active|inactive|failed|activating)\n.* \d{3}\s*\Z", KUBELET),
    (r"\A\s*\[\s*\{\s*\"gpu\": \d+, \"bdf\"", AMD_LINKS),
    (r"\A\s*\[\s*\{\s*\"gpu\": \d+,\s*\"retired\"", AMD_PAGES),
    (r"^(?:MLNX_OFED_LINUX|OFED|DOCA)[\w.-]*-\d[\w.-]*:?\s*$|^[\w.+-]+(?::\w+)?\t\d[\w.+:~-]*\s*$", "dpkg-query -W"),
)

MORE_BY_NAME: tuple[tuple[str, str], ...] = (
    (r"mlxlink", "mlxlink"),
    (r"ethtool[-_. ]+s\b", "ethtool -S"),
    (r"ethtool[-_. ]+m\b", "ethtool -m"),
    (r"mdstat", "cat /proc/mdstat"),
    (r"buddyinfo", "cat /proc/buddyinfo"),
    (r"lspci[-_. ]*vv", "lspci -vv"),
    (r"\bsdr\b", "ipmitool sdr"),
    (r"ras[-_. ]mc[-_. ]ctl|rasdaemon", "ras-mc-ctl --summary"),
    (r"crictl", CRI),
    (r"imex", IMEX),
    (r"dpkg|packages", "dpkg-query -W"),
)
_PORT_IN_NAME = re.compile(r"(mlx5_\d+)")
_INTERFACE_IN_NAME = re.compile(r"ethtool[-_. ]+(?:[sm][-_. ]+)?([a-z][\w@]*?)(?=\.|$)")
_BOND_IN_NAME = re.compile(r"(bond\w*)")


def more_json_command(text: str, name: str) -> str | None:
    """The command behind a JSON document, by its keys; a port's tool by the port in the file's name."""
    if '"Operational Info"' in text:
        found = _PORT_IN_NAME.search(name.lower())
        return f"mlxlink -d {found.group(1)} --json" if found else "mlxlink --json"
    for sign, command in (
        (r'"RuntimeReady"', CRI),
        (r'"nodes"\s*:[\s\S]*"connections"', IMEX),
        (r'"link_status"', AMD_LINKS),
        (r'"(?:retired|un_res)"\s*:', AMD_PAGES),
        (r'"(?:ecc_blocks|total_uncorrectable_count)"', AMD_METRIC),
        (r'"gpu_data"[\s\S]*"(?:asic|bdf)"', AMD_STATIC),
        (r'"card\d+"\s*:\s*\{', "rocm-smi --json"),
    ):
        if re.search(sign, text):
            return command
    return None


def named_interface(command: str, name: str) -> str:
    """`ethtool -S` of the interface, or the file of the bond, that the file's name says, as in `ethtool-S-eth2.txt`."""
    if command.endswith("/"):
        bond = _BOND_IN_NAME.search(name.lower())
        return f"{command}{bond.group(1) if bond else '?'}"
    found = _INTERFACE_IN_NAME.search(name.lower())
    return f"{command} {found.group(1) if found else '?'}"
