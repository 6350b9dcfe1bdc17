"""Docker, systemd units, the clock and the uptime of a machine."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from health.checks.parsers import ParseError

DOCKER = "docker info"
DOCKER_RUN = "docker run"
IS_ACTIVE = "systemctl is-active"
CHRONY = "chronyc tracking"
NTPQ = "ntpq -p"
TIMEDATECTL = "timedatectl"
UPTIME = "/proc/uptime"

_UNIT_STATES = frozenset(
    {"active", "reloading", "inactive", "failed", "activating", "deactivating", "maintenance", "unknown"}
)
_SYSTEM_TIME = re.compile(r"^System time\s*:\s*(\d+(?:\.\d+)?) seconds (fast|slow) of NTP time", re.MULTILINE)
_LEAP = re.compile(r"^Leap status\s*:\s*(.+?)\s*$", re.MULTILINE)
_NTPQ_ROW = re.compile(r"^[ *o+#.x-]\S+\s+\S+\s+\d+\s+[a-zA-Z-]\s")
# systemd writes a span as `1min 2.204s`, its units from years down.
_TIMESYNC_OFFSET = re.compile(r"^\s*Offset: ([+-]?)((?:\d+(?:\.\d+)?[a-z]+ ?)+)\s*$", re.MULTILINE)
_SPAN = re.compile(r"(\d+(?:\.\d+)?)([a-z]+)")
_TIMESYNC_PACKETS = re.compile(r"^\s*Packet count: (\d+)\s*$", re.MULTILINE)
_SYNCHRONISED = re.compile(r"^\s*(?:NTPSynchronized=|(?:System clock|NTP) synchronized: )(yes|no)\s*$", re.MULTILINE)
# Of several lines about a container that was refused, the one that says what is wrong with its GPUs.
_OF_GPUS = ("nvidia-container-cli", "could not select device driver", "device handle for", "GPU is lost")
_SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0,
            "month": 2_629_800.0, "y": 31_557_600.0}  # fmt: skip
# A clock that is its own source: chrony's `local`, ntpd's driver 1 (127.127.1.x).
_OWN_CLOCK = re.compile(r"^Reference ID\s*:\s*7F7F01", re.MULTILINE)
_TEXT_FIELD = re.compile(r"^\s*(Server Version|Runtimes|Storage Driver|Cgroup Version):\s*(.*?)\s*$", re.MULTILINE)
_TEXT_ERROR = re.compile(
    r"^(?:ERROR: |errors pretty printing info|.*)(Cannot connect to the Docker daemon.*)$", re.MULTILINE
)


@dataclass(frozen=True)
class DockerInfo:
    """`errors` are the daemon's; `runtimes` is None where the output does not tell them."""

    server_version: str | None
    runtimes: frozenset[str] | None
    errors: tuple[str, ...] = ()
    storage_driver: str | None = None
    cgroup_version: str | None = None


def parse_docker(text: str) -> DockerInfo:
    """`docker info` as JSON or as text. A daemon that is down is a result, not an error."""
    start = text.find("{")
    if start < 0:
        return _docker_text(text)
    try:
        data, _ = json.JSONDecoder().raw_decode(text[start:])
    except (ValueError, RecursionError) as error:
        if "Cannot connect" in text:
            return _docker_text(text)
        raise ParseError(DOCKER, "not JSON, or cut off") from error
    if not isinstance(data, dict) or not {"ServerErrors", "ServerVersion", "ID", "ClientInfo"} & data.keys():
        raise ParseError(DOCKER, "JSON, but not the answer of docker info")
    errors, runtimes = data.get("ServerErrors") or [], data.get("Runtimes")
    return DockerInfo(
        server_version=str(data["ServerVersion"]) if data.get("ServerVersion") else None,
        runtimes=frozenset(map(str, runtimes)) if isinstance(runtimes, dict) else None,
        errors=tuple(str(item) for item in errors) if isinstance(errors, list) else (str(errors),),
        storage_driver=str(data["Driver"]) if data.get("Driver") else None,
        cgroup_version=str(data["CgroupVersion"]) if data.get("CgroupVersion") else None,
    )


def _docker_text(text: str) -> DockerInfo:
    failed = _TEXT_ERROR.search(text)
    values = dict(_TEXT_FIELD.findall(text))
    if not failed and "Server Version" not in values:
        first = next((line.strip() for line in text.splitlines() if line.strip()), "no output")
        raise ParseError(DOCKER, f"neither a server nor an error in the answer: {first[:200]}")
    runtimes = values.get("Runtimes")
    return DockerInfo(
        server_version=values.get("Server Version") or None,
        runtimes=frozenset(runtimes.split()) if runtimes is not None else None,
        errors=(failed.group(1),) if failed else (),
        storage_driver=values.get("Storage Driver") or None,
        cgroup_version=values.get("Cgroup Version") or None,
    )


def parse_container_gpus(text: str) -> int:
    """How many GPUs `nvidia-smi -L` lists in a container."""
    listed = len(re.findall(r"^GPU \d+: .*\(UUID: GPU-[0-9a-fA-F-]{36}\)\s*$", text, re.MULTILINE))
    if not listed:
        lines = text.splitlines()
        told = next((line for line in lines if any(sign in line for sign in _OF_GPUS)), None)
        wrong = told or next((line for line in lines if "rror" in line), text.strip())
        raise ParseError(DOCKER_RUN, wrong.strip()[:300] or "no output")
    return listed


def parse_unit_state(text: str) -> str:
    """The one word of `systemctl is-active UNIT`."""
    words = text.split()
    if not words or words[-1] not in _UNIT_STATES:
        raise ParseError(IS_ACTIVE, f"no unit state in the answer: {text.strip()[:100] or 'no output'}")
    return words[-1]


@dataclass(frozen=True)
class Clock:
    """Seconds the system clock is ahead of NTP time (negative: behind; None: not told); whether it is kept in step."""

    offset_s: float | None
    synchronised: bool


def parse_chrony(text: str) -> Clock:
    offset, leap = _SYSTEM_TIME.search(text), _LEAP.search(text)
    if not offset or not leap:
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        first = next((line for line in lines if "Cannot talk" in line), lines[0] if lines else "no output")
        raise ParseError(CHRONY, f"no offset in the answer: {first[:200]}")
    seconds = float(offset.group(1))
    kept = not leap.group(1).startswith("Not") and not _OWN_CLOCK.search(text)
    return Clock(seconds if offset.group(2) == "fast" else -seconds, kept)


def parse_ntpq(text: str) -> Clock:
    """`ntpq -p`: the offset of the source that ntpd follows, marked `*` or `o`; without one the clock runs free."""
    rows = [line.split() for line in text.splitlines() if _NTPQ_ROW.match(line)]
    if "refid" not in text or not rows:
        raise ParseError(NTPQ, f"no list of sources in the answer: {text.strip()[:200] or 'no output'}")
    followed = next((row for row in rows if row[0][0] in "*o"), None)
    if followed is None or followed[0][1:].startswith(("127.127.1.", "LOCAL(")):
        return Clock(None, synchronised=False)
    try:
        return Clock(-float(followed[8]) / 1000, synchronised=True)
    except (IndexError, ValueError) as error:
        raise ParseError(NTPQ, f"no offset of {followed[0]}") from error


def parse_timedatectl(text: str) -> Clock:
    """`timedatectl timesync-status` with its offset; `timedatectl` and `timedatectl show`, which only tell whether."""
    offset, packets = _TIMESYNC_OFFSET.search(text), _TIMESYNC_PACKETS.search(text)
    if packets:
        seconds = _span(offset.group(2)) if offset else None
        ahead = None if offset is None or seconds is None else seconds if offset.group(1) == "-" else -seconds
        return Clock(ahead, synchronised=ahead is not None and packets.group(1) != "0")
    told = _SYNCHRONISED.search(text)
    if not told:
        raise ParseError(TIMEDATECTL, f"no synchronisation in the answer: {text.strip()[:200] or 'no output'}")
    return Clock(None, told.group(1) == "yes")


def _span(text: str) -> float | None:
    parts = _SPAN.findall(text)
    return (
        sum(float(number) * _SECONDS[unit] for number, unit in parts) if all(u in _SECONDS for _, u in parts) else None
    )


def parse_uptime(text: str) -> float:
    """Seconds since boot from /proc/uptime."""
    word = text.split()[:1]
    try:
        seconds = float(word[0])
    except (IndexError, ValueError) as error:
        raise ParseError(UPTIME, "no number in the answer") from error
    if not 0 <= seconds < 1e10:
        raise ParseError(UPTIME, f"{seconds} is no uptime")
    return seconds
