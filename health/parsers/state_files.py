"""Small files of the kernel about the machine's present state, as `PATH:VALUE`: interfaces, links, memory blocks, md.

`cat /proc/buddyinfo`, `cat /proc/mdstat` and `lspci -vv` give a part of it; what an output does not tell is None.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from health.parsers import ParseError
from health.probe_state import LAST_STATE_FILE

WHERE = "state files"
MDSTAT, BUDDYINFO = "/proc/mdstat", "/proc/buddyinfo"
_NET = re.compile(r"^/sys/class/(?:net/([^/:]+)|infiniband/(\w+)/device/net/([^/:]+))(?:/lower_([^/:]+))?/(\w+)$")
_NVME = re.compile(r"^/sys/class/nvme/nvme(\d+)/(?:device/)?(address|(?:\.\./)?\w+_link_\w+)$")
_DEVICE = re.compile(r"^/sys/bus/pci/devices/([0-9a-f:]+\.[0-7])/((?:\.\./)?\w+_link_\w+)$", re.IGNORECASE)
_ZONE = re.compile(r"^Node (\d+), zone\s+(\w+)\s+((?:\d+\s*)+)$")
_ARRAY = re.compile(r"^(md\w+) : (\w+)(?: \((?:auto-)?read-only\))? ?(.*)$")
_MEMBERS = re.compile(r"\[(\d+)/(\d+)\] \[([U_]+)\]")
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
        return min(self.generation_max, self.generation_above) if self.generation_max and self.generation_above else None


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
    the free blocks of each memory zone by their order: (node, zone) -> counts."""

    interfaces: Mapping[str, Interface] | None = None
    links: Mapping[str, DeviceLink] | None = None
    drives: Mapping[int, DeviceLink] | None = None
    zones: Mapping[tuple[int, str], tuple[int, ...]] | None = None
    arrays: tuple[Array, ...] | None = None


@dataclass
class _Found:
    interfaces: dict[str, Interface] = field(default_factory=dict)
    links: dict[str, DeviceLink] = field(default_factory=dict)
    drives: dict[int, DeviceLink] = field(default_factory=dict)
    zones: list[str] = field(default_factory=list)
    arrays: list[str] = field(default_factory=list)


def parse_state_files(text: str) -> StateFiles:
    """The whole list. Raises ParseError unless the last file is there: what stands before it would be cut off."""
    lines = text.rstrip("\n").split("\n")
    if not re.fullmatch(rf"{LAST_STATE_FILE}[:=]\w+", lines[-1]):
        first = next((line.strip() for line in lines if line.strip()), "no output")
        raise ParseError(WHERE, f"the list of files is not whole: {first[:200]}")
    found = _Found()
    for line in lines[:-1]:
        path, value = _split(line)
        if path == BUDDYINFO:
            found.zones.append(value)
        elif path == MDSTAT:
            found.arrays.append(value)
        elif match := _NET.match(path):
            _interface(found.interfaces, match, value)
        elif match := _NVME.match(path):
            number = int(match.group(1))
            found.drives[number] = _with(found.drives.get(number, DeviceLink()), match.group(2), value)
        elif match := _DEVICE.match(path):
            address = match.group(1).lower()
            found.links[address] = _with(found.links.get(address, DeviceLink(address=address)), match.group(2), value)
    if not found.zones:  # which every kernel shows: this is another list
        raise ParseError(WHERE, "no free blocks of memory among the files")
    return StateFiles(
        found.interfaces, found.links, found.drives, _zones(found.zones), tuple(_arrays(found.arrays))
    )


def _split(line: str) -> tuple[str, str]:
    """Path and value; a PCI address in the path has colons of its own."""
    for path in (BUDDYINFO, MDSTAT):
        if line.startswith(path):
            return path, line[len(path) + 1 :]
    head, _, value = line.rpartition("/")
    name, _, value = value.partition(":")
    if line.startswith("/sys/") and "_link_speed:" in line:  # "32.0 GT/s PCIe" has a slash
        before, _, after = line.partition("_link_speed:")
        return f"{before}_link_speed", after
    return f"{head}/{name}", value


def _interface(found: dict[str, Interface], match: re.Match[str], value: str) -> None:
    plain, card, of_card, lower, what = match.groups()
    master = plain if lower else ""
    name = lower or plain or of_card
    known = found.get(name) or Interface(name)
    known = replace(known, master=master or known.master, card=card or known.card)
    if what == "operstate":
        known = replace(known, state=value.strip())
    elif what == "carrier" and value.strip() in ("0", "1"):
        known = replace(known, carrier=value.strip() == "1")
    elif what == "speed" and re.fullmatch(r"\d{1,9}", value.strip()) and value.strip() != "4294967295":
        known = replace(known, speed_mbps=int(value))
    elif what == "duplex":
        known = replace(known, duplex=value.strip())
    elif what == "carrier_changes" and re.fullmatch(r"\d{1,12}", value.strip()):
        known = replace(known, carrier_changes=int(value))
    found[name] = known


def _with(link: DeviceLink, name: str, value: str) -> DeviceLink:
    if name == "address":
        return replace(link, address=value.strip().lower())
    number = re.match(r"\s*(\d+(?:\.\d+)?)", value)
    speed = name.endswith("speed")
    told = (GENERATIONS.get(float(number.group(1))) if speed else int(float(number.group(1)))) if number else None
    told = told if told and told <= 32 else None  # a device that is gone reads as 255 lanes, or as none
    what = "generation" if speed else "width"
    if name.startswith("../"):
        return replace(link, **{f"{what}_above": told})  # type: ignore[arg-type]
    return replace(link, **{what if name.startswith("current") else f"{what}_max": told})  # type: ignore[arg-type]


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
