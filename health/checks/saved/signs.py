"""Which command made a saved output: by what stands in it, else by the file's name."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import PurePath

from health.checks.probes.cards import BRIDGES, CARD_FILES, GPU_PEERS
from health.checks.saved.signs_host import HOST_BY_CONTENT, HOST_BY_NAME, host_json_command, unit_command
from health.checks.saved.signs_more import BONDING, MORE_BY_CONTENT, MORE_BY_NAME, more_json_command, named_interface

_XML, _TEXT, _CSV = "nvidia-smi -q -x", "nvidia-smi -q", "nvidia-smi --query-gpu"
_STAMPED = re.compile(
    r"^(?:<\d+>|\w+\s*:\w+\s*:\s*)?(?:\[\s*\d+\.\d{6}\]|\[\w{3} \w{3} +\d+ [\d:]{8} \d{4}\]|[\dT:,.+-]{20,40} )", re.M
)
_HEAD_CHARS = 200_000
_SCRIPTS = (
    ('"nvbandwidth"', "nvbandwidth -j"),
    ('"rackside_gpu_stress"', "gpu_stress"),
    ('"rackside_training"', "train.py"),
)


def _has(*signs: str) -> Callable[[str], bool]:
    return lambda text: all(sign in text for sign in signs)


def _matches(pattern: str) -> Callable[[str], bool]:
    compiled = cache(lambda: re.compile(pattern, re.MULTILINE))  # once an output is asked that none before it knew
    return lambda text: compiled().search(text) is not None


def _is_kernel_log(text: str) -> bool:
    if "NVRM: " in text or re.search(r"\bkernel: ", text):
        return True
    lines = [line for line in text.splitlines()[:200] if line.strip()]
    return bool(lines) and len([line for line in lines if _STAMPED.match(line)]) * 2 > len(lines)


# In order: the first that fits. Signs are chosen to survive a cut at the end of the file.
_BY_CONTENT: tuple[tuple[Callable[[str], bool], str], ...] = (
    *((_matches(pattern), command) for pattern, command in MORE_BY_CONTENT),
    (_matches(r"<nvidia_smi_log|<!DOCTYPE nvidia_smi_log"), _XML),
    (_has("=NVSMI LOG="), _TEXT),
    (_matches(r"^GPU [0-9A-Fa-f]{8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d\s*$"), _TEXT),
    (_has("NVIDIA-SMI has failed"), _XML),
    (_matches(r"^\| NVIDIA-SMI \S+ .*Driver Version:|^\| GPU +Name .*\| Bus-Id "), "nvidia-smi"),
    (_matches(r"^\s*Link \d+: (?:Replay|Recovery|CRC|Data|Flit|Tx|Rx)"), "nvidia-smi nvlink -e"),
    (_matches(r"^GPU \d+: .*\(UUID: GPU-[^)]*\)\s*\n\s*(?:Link \d+:|.*all links are)"), "nvidia-smi nvlink -s"),
    (_matches(r"^\s*CNS\s+= Chipset|^\s*GPU\d+(?:\s+(?:X|OK|CNS|GNS|TNS|NS|DR|U))+\s*$"), GPU_PEERS),
    (_matches(r"^\s*(?:GPU0\s.*\bCPU Affinity|GPU0\tGPU1|GPU0\s+X\s)"), "nvidia-smi topo -m"),
    (_matches(r"Adapter Device Self Test|^Number of CAs Detected \.\.\."), "hca_self_test.ofed"),
    (_matches(r"^CARD: \S+\s*$|^Image type: +FS\d|^FW Version: +\d+\.\d+\.\d+"), "flint query"),
    (_matches(r"^MST modules:"), "mst status"),
    (_matches(r"^/sys/class/infiniband_(?:verbs|mad)/"), CARD_FILES),
    (_matches(r"^\s*ACSCtl:"), BRIDGES),
    (_matches(r"/ports/\d+/(?:hw_)?counters/\w+[:=]\d"), "grep . /sys/class/infiniband/*/ports/*/counters"),
    (_matches(r"/(?:current|max)_link_(?:speed|width)[:=]"), "grep . /sys/bus/pci/devices/*/*_link_*"),
    (_matches(r"^\s*RDMA_Write (?:Bidirectional )?BW Test"), "ib_write_bw"),
    (_matches(r"^\s*RDMA_Write Latency Test"), "ib_write_lat"),
    (_matches(r"\"DCGM (?:GPU )?Diagnostic\"|[Uu]nable to connect to host engine"), "dcgmi diag -j"),
    (_matches(r"^\|\s*Diagnostic\s*\|\s*Result\s*\|"), "dcgmi diag -j"),
    (_matches(r"^Running \w+_memcpy_\w+\.|^nvbandwidth Version"), "nvbandwidth"),
    (_matches(r"^# nThread \d+ nGpus|^#\s+size\s+count\s+type\s+redop"), "all_reduce_perf"),
    (_matches(r"^CA '\S+'\s*$"), "ibstat"),
    (_matches(r"^Infiniband device '\S+' port \d+ status:"), "ibstatus"),
    (_matches(r"^hca_id:\s+\S+"), "ibv_devinfo"),
    (_matches(r"^(?:Filesystem.*IUse%|IUse%).*Mounted on"), "df -i"),
    (_matches(r"^(?:Filesystem.*(?:Use%|Capacity)|Use%|Capacity).*Mounted on"), "df"),
    (_matches(r"^Reference ID\s*:"), "chronyc tracking"),
    (_matches(r"^\s*index, |^(?:\d+, ){2}(?:Enabled|Disabled|\[N/A\]), (?:Enabled|Disabled|\[N/A\])\s*$"), _CSV),
    (_matches(r"^Cannot connect to the Docker daemon|^Server:\s*$"), "docker info"),
    (_matches(r"\A\s*(?:No devices were found|Unable to determine the device handle for GPU)"), _XML),
    *((_matches(pattern), command) for pattern, command in HOST_BY_CONTENT),
    (_matches(r"\A\s*(?:active|inactive|failed|activating)\s*\Z"), "systemctl is-active nvidia-fabricmanager"),
    (_is_kernel_log, "dmesg"),
)

_BY_NAME: tuple[tuple[Callable[[str], bool], str], ...] = tuple(
    (_matches(pattern), command)
    for pattern, command in (
        *MORE_BY_NAME,
        (r"nvlink[-_. ]*(?:e\b|error)", "nvidia-smi nvlink -e"),
        (r"nvlink", "nvidia-smi nvlink -s"),
        (r"\btopo", "nvidia-smi topo -m"),
        (r"q[-_. ]?x\b|smi.*\.xml$|^q\.xml$", _XML),
        (r"query[-_. ]?(?:gpu|ecc)|smi.*\.csv$", _CSV),
        (r"\bq[-_. ]text|smi[-_. ]+q\b", _TEXT),
        (r"hca[-_. ]?self[-_. ]?test", "hca_self_test.ofed"),
        (r"\bflint", "flint query"),
        (r"ib[-_. ]?write[-_. ]?bw", "ib_write_bw"),
        (r"ib[-_. ]?write[-_. ]?lat", "ib_write_lat"),
        (r"dcgm|\bdiag[-_. ]", "dcgmi diag -j"),
        (r"\bmst\b", "mst status"),
        (r"ibstatus", "ibstatus"),
        (r"ibv_devinfo", "ibv_devinfo"),
        (r"ibstat", "ibstat"),
        (r"dmesg|journalctl|kern(?:el)?[-_. ]?log|\bkern\b", "dmesg"),
        (r"\bdf[-_. ]*i\b|inodes", "df -i"),
        (r"\bdf\b", "df"),
        *HOST_BY_NAME,
        (r"docker[-_. ]?info|\bdocker\b", "docker info"),
        (r"fabric[-_. ]?manager(?!.*\.log$)", "systemctl is-active nvidia-fabricmanager"),
        (r"chrony|tracking", "chronyc tracking"),
        (r"nvme[-_. ]list", "nvme list -o json"),
        (r"nvme[-_. ]?smart|smart[-_. ]?(?:log|ctl)", "nvme smart-log"),
        (r"^uptime|proc[-_. ]uptime", "cat /proc/uptime"),
    )
)
_EXIT_IN_NAME = re.compile(r"(?:^|[.\-_])(?:rc|exit)[-_]?(\d{1,3})(?:[.\-_]|$)")
_DRIVE_IN_NAME = re.compile(r"nvme[-_. ]?(\d+)")


def command_of(name: str, text: str) -> str | None:
    """The command behind a saved output, or None. What it holds counts more than how it is named."""
    unit = unit_command(PurePath(name).name)
    if unit and len(text.split()) <= 1:
        return unit
    found = _by_content(text[:_HEAD_CHARS], name) or _by_name(PurePath(name).name.lower()) or _list_of_gpus(text)
    if found in ("ethtool", "ethtool -S", "ethtool -m", BONDING):
        return named_interface(found, PurePath(name).name)
    if found == "nvme smart-log":
        number = re.search(r"^Smart Log for NVME device:\s*nvme(\d+)", text, re.MULTILINE)
        number = number or _DRIVE_IN_NAME.search(PurePath(name).name.lower())
        return f"{found} /dev/nvme{number.group(1)}" if number else found
    return found


def exit_status_of(name: str) -> int | None:
    """The exit status that a name carries, as in `ibstat.rc255.txt`."""
    found = _EXIT_IN_NAME.search(PurePath(name).name.lower())
    return int(found.group(1)) if found else None


def _by_content(text: str, name: str) -> str | None:
    if text.lstrip().startswith("{"):
        return _json_command(text, name)
    if '"ifname"' in text and '"operstate"' in text:
        return "ip -j link"
    return next((command for fits, command in _BY_CONTENT if fits(text)), None)


def _json_command(text: str, name: str) -> str | None:
    """JSON by its keys; the drive's number from the document, else from the file's name."""
    if re.search(r'"(?:critical_warning|nvme_smart_health_information_log)"', text):
        number = re.search(r'"name"\s*:\s*"/dev/nvme(\d+)', text) or _DRIVE_IN_NAME.search(PurePath(name).name.lower())
        return f"nvme smart-log -o json /dev/nvme{number.group(1)}" if number else "nvme smart-log -o json"
    if re.search(r'"DCGM (?:GPU )?Diagnostic"', text):
        return "dcgmi diag -j"
    for sign, command in _SCRIPTS:
        if sign in text:
            return command
    if re.search(r'"(?:ServerErrors|ServerVersion|DockerRootDir)"', text):
        return "docker info --format json"
    if re.search(r'"Devices"\s*:\s*\[\s*(?:\]|\{\s*"(?:NameSpace|DevicePath|HostNQN|Namespace))', text):
        return "nvme list -o json"
    return more_json_command(text, PurePath(name).name) or host_json_command(text)


def _by_name(name: str) -> str | None:
    return next((command for fits, command in _BY_NAME if fits(name)), None)


def _list_of_gpus(text: str) -> str | None:
    """Of `nvidia-smi -L` on the machine, unless the name says that it came out of a container."""
    return "nvidia-smi -L" if re.search(r"^GPU \d+: .*\(UUID: GPU-[^)]*\)\s*$", text, re.MULTILINE) else None


def manifest_entries(text: str) -> list[tuple[str, str | None, int | None]]:
    """(file, command or None, exit status or None) of a manifest. Raises ValueError with the reason."""
    try:
        rows = json.loads(text)["files"]
        return [(str(row["file"]), row.get("command"), row.get("exit_status")) for row in rows]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f'a manifest is {{"files": [{{"file", "command", "exit_status"}}]}}: {error}') from error
