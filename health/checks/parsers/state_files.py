"""Small files of the kernel about the machine's present state, as `PATH:VALUE`: interfaces, links, memory blocks, md.

`cat /proc/buddyinfo`, `cat /proc/mdstat` and `lspci -vv` give a part of it; what an output does not tell is None.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from health.checks.parsers import ParseError
from health.checks.probes.state import LAST_STATE_FILE

WHERE = "state files"
MDSTAT, BUDDYINFO = "/proc/mdstat", "/proc/buddyinfo"
_NET = re.compile(r"^/sys/class/(?:net/([^/:]+)|infiniband/(\w+)/device/net/([^/:]+))(?:/lower_([^/:]+))?/(\w+)$")
_NVME = re.compile(r"^/sys/class/nvme/nvme(\d+)/(?:device/)?(address|(?:\.\./)?\w+_link_\w+)$")
_DEVICE = re.compile(r"^/sys/bus/pci/devices/([0-9a-f:]+\.[0-7])/((?:\.\./)?\w+_link_\w+)$", re.IGNORECASE)
_ZONE = re.compile(r"^Node (\d+), zone\s+(\w+)\s+((?:\d+\s*)+)$")
_ARRAY = re.compile(r"^(md\w+) : (\w+)(?: \((?:auto-)?read-only\))? ?(.*)$")
_MEMBERS = re.compile(r"\[(\d+)/(\d+)\] \[([U_]+)\]")
_DETAIL_ROW = re.compile(r"^\s*([A-Z][\w ]*?) : (.*?)\s*$", re.MULTILINE)
_DETAIL_FAILED = re.compile(r"^\s+\d+\s+\d+\s+\d+\s+(?:\d+|-)\s+faulty\s+.*?(/dev/\S+)\s*$", re.MULTILINE)
_WORK = re.compile(r"(recovery|reshape|resync|check)\s*=\s*([\d.]+%|\w+)")
# GT/s of a lane by generation of PCIe.
GENERATIONS = {2.5: 1, 5.0: 2, 8.0: 3, 16.0: 4, 32.0: 5, 64.0: 6}


@dataclass(frozen=True)
class Interface:
    """`speed_mbps` is None where the driver does not know it; `master` names the bond it is a member of and `card` the
    RDMA device it belongs to, both empty otherwise."""

    name: str
    state: str | None = None
    carrier: bool | None = None
    speed_mbps: int | None = None
    duplex: str | None = None
    carrier_changes: int | None = None
    mtu: int | None = None
    master: str = ""
    card: str = ""


@dataclass(frozen=True)
class DeviceLink:
    """Lanes and PCIe generation now, at most, and at most at the port above; None where not told. `what` is the name
    lspci has for the device."""

    width: int | None = None
    generation: int | None = None
    width_max: int | None = None
    generation_max: int | None = None
    width_above: int | None = None
    generation_above: int | None = None
    address: str = ""
    what: str = ""

    @property
    def possible_width(self) -> int | None:
        """What both ends can do; None unless both tell."""
        return min(self.width_max, self.width_above) if self.width_max and self.width_above else None

    @property
    def possible_generation(self) -> int | None:
        return (
            min(self.generation_max, self.generation_above) if self.generation_max and self.generation_above else None
        )


@dataclass(frozen=True)
class Array:
    """A software RAID of Linux: members that work of those it should have, what it is doing about it, who failed."""

    name: str
    state: str
    wanted: int | None = None
    working: int | None = None
    failed: tuple[str, ...] = ()
    work: str = ""


@dataclass(frozen=True)
class StateFiles:
    """`interfaces` and `drives` (by number of the kernel) are None where the output cannot tell of them; `zones` are
    the free blocks of each memory zone by their order: (node, zone) -> counts. `of_one_part`: the output is of the
    interfaces in it, so nothing is said of others. `untold` are fields of an
    interface that this tool never has."""

    interfaces: Mapping[str, Interface] | None = None
    links: Mapping[str, DeviceLink] | None = None
    drives: Mapping[int, DeviceLink] | None = None
    zones: Mapping[tuple[int, str], tuple[int, ...]] | None = None
    arrays: tuple[Array, ...] | None = None
    of_one_part: bool = False
    untold: frozenset[str] = frozenset()


def parse_state_files(text: str) -> StateFiles:
    """The whole list. Raises ParseError unless the last file is there: what stands before it would be cut off."""
    lines = text.rstrip("\n").split("\n")
    if not re.fullmatch(rf"{LAST_STATE_FILE}[:=]\w+", lines[-1]):
        first = next((line.strip() for line in lines if line.strip()), "no output")
        raise ParseError(WHERE, f"the list of files is not whole: {first[:200]}")
    blocks = [line[len(BUDDYINFO) + 1 :] for line in lines if line.startswith(BUDDYINFO)]
    arrays = [line[len(MDSTAT) + 1 :] for line in lines if line.startswith(MDSTAT)]
    if not blocks:  # which every kernel shows: this is another list
        raise ParseError(WHERE, "no free blocks of memory among the files")
    found: dict[str, dict[str, dict[str, Any]]] = {"net": {}, "drive": {}, "device": {}}
    for line in lines:
        if line.startswith("/sys/") and (meaning := _meaning(line)):
            kind, name, told = meaning
            found[kind].setdefault(name, {}).update(told)
    return StateFiles(
        interfaces={name: Interface(name, **told) for name, told in found["net"].items()},
        links={name: DeviceLink(**{"address": name, **told}) for name, told in found["device"].items()},
        drives={int(name): DeviceLink(**told) for name, told in found["drive"].items()},
        zones=_zones(blocks),
        arrays=tuple(_arrays(arrays)),
    )


@lru_cache(maxsize=8192)  # the machines of a model print mostly the same lines
def _meaning(line: str) -> tuple[str, str, dict[str, Any]] | None:
    """Kind of thing, its name, and what this line tells of it."""
    place, _, rest = line.rpartition("/")
    if "_link_speed:" in line:  # its value, as "32.0 GT/s PCIe", has a slash of its own
        place, _, rest = line.partition(" GT/s")[0].rpartition("/")
    what, _, value = rest.partition(":")
    path = f"{place}/{what}"
    if match := _NET.match(path):
        plain, card, of_card, lower, name = match.groups()
        told = _of_interface(name, value.strip())
        return "net", lower or plain or of_card, told | ({"master": plain} if lower else {"card": card} if card else {})
    if match := _NVME.match(path):
        return "drive", match.group(1), _of_link(match.group(2), value)
    if match := _DEVICE.match(path):
        return "device", match.group(1).lower(), _of_link(match.group(2), value)
    return None


def _of_interface(name: str, value: str) -> dict[str, Any]:
    if name == "operstate":
        return {"state": value}
    if name == "duplex":
        return {"duplex": value}
    if name == "carrier" and value in ("0", "1"):
        return {"carrier": value == "1"}
    if name == "speed" and re.fullmatch(r"\d{1,9}", value):  # -1, or all bits, where the driver does not know it
        return {"speed_mbps": int(value)}
    if name in ("carrier_changes", "mtu") and re.fullmatch(r"\d{1,12}", value):
        return {name: int(value)}
    return {}


def _of_link(name: str, value: str) -> dict[str, Any]:
    if name == "address":
        return {"address": value.strip().lower()}
    number = re.match(r"\s*(\d+(?:\.\d+)?)", value)
    speed = name.endswith("speed")
    told = (GENERATIONS.get(float(number.group(1))) if speed else int(float(number.group(1)))) if number else None
    what = "generation" if speed else "width"
    end = "_above" if name.startswith("../") else "" if name.startswith("current") else "_max"
    return {f"{what}{end}": told if told and told <= 32 else None}  # a device that is gone has 255 lanes, or none


def parse_buddyinfo(text: str) -> StateFiles:
    """`cat /proc/buddyinfo`. Raises ParseError."""
    zones = _zones(text.splitlines())
    if not zones:
        raise ParseError(BUDDYINFO, f"no memory zone in the output: {text.strip()[:200] or 'no output'}")
    return StateFiles(zones=zones)


def _zones(lines: list[str]) -> dict[tuple[int, str], tuple[int, ...]]:
    found = {}
    for line in lines:
        if match := _ZONE.match(line.strip()):
            found[int(match.group(1)), match.group(2)] = tuple(map(int, match.group(3).split()))
    return found


def parse_mdstat(text: str) -> StateFiles:
    """`cat /proc/mdstat`. Raises ParseError unless its last line is there."""
    if not re.search(r"^Personalities :", text, re.MULTILINE) or not re.search(r"^unused devices:", text, re.MULTILINE):
        raise ParseError(MDSTAT, f"the list of arrays is not whole: {text.strip()[:200] or 'no output'}")
    return StateFiles(arrays=tuple(_arrays(text.splitlines())))


def parse_mdadm(text: str) -> StateFiles:
    """`mdadm --detail` of one array or several. Raises ParseError where one does not tell its members."""
    found = []
    for block in re.split(r"^(?=/dev/md)", text, flags=re.MULTILINE)[1:]:
        told = dict(_DETAIL_ROW.findall(block))
        state = {word.strip() for word in told.get("State", "").split(",")}
        members = [told.get(name, "") for name in ("Raid Devices", "Active Devices")]
        if not all(number.isdecimal() for number in members) or not told.get("State"):
            raise ParseError("mdadm --detail", f"the state of an array is cut off: {block.strip()[:200]}")
        work = next((f"recovery {told[row]}" for row in ("Rebuild Status", "Recovery Status") if row in told), "")
        found.append(
            Array(
                block.partition(":")[0].rpartition("/")[2],
                "broken" if state & {"FAILED", "broken", "Not Started", "inactive"} else "active",
                wanted=int(members[0]),
                working=int(members[1]),
                failed=tuple(device.rpartition("/")[2] for device in _DETAIL_FAILED.findall(block)),
                work="recovery" if not work and "recovering" in state else work,
            )
        )
    if not found:
        raise ParseError("mdadm --detail", f"no array in the output: {text.strip()[:200] or 'no output'}")
    return StateFiles(arrays=tuple(found))


def _arrays(lines: list[str]) -> Iterator[Array]:
    array: Array | None = None
    for line in lines:
        if match := _ARRAY.match(line):
            if array:
                yield array
            name, state, rest = match.groups()
            array = Array(name, state, failed=tuple(re.findall(r"(\S+)\[\d+\]\(F\)", rest)))
        elif array and (match := _MEMBERS.search(line)):
            array = replace(array, wanted=int(match.group(1)), working=int(match.group(2)))
        if array and (match := _WORK.search(line)):
            array = replace(array, work=f"{match.group(1)} {match.group(2)}")
    if array:
        yield array
