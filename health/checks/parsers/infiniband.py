"""`ibstat`, `ibstatus` and `ibv_devinfo`: RDMA devices, their firmware and their ports."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from health.checks.parsers import LONGEST_LINE, ParseError

IBSTAT = "ibstat"
IBSTATUS = "ibstatus"
DEVINFO = "ibv_devinfo"

_CA = re.compile(r"^CA '([^']+)'\s*$")
_PAIR = re.compile(r"^\s+([A-Z][^:]*):\s*(.*?)\s*$")
_PORT = re.compile(r"^\s+Port (\d+):\s*$")
# infiniband-diags, ibstat.c: `ibpanic: [PID] main: stat of IB device 'mlx5_3' failed: Input/output error`.
_PANIC = re.compile(r"IB device '(\S+?)' failed")
_STATUS_HEAD = re.compile(r"^Infiniband device '([^']+)' port (\d+) status:\s*$")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


@dataclass(frozen=True)
class IbPort:
    """A port: state such as Active or Initializing, physical state such as LinkUp or Polling, rate in Gb/s."""

    number: int
    state: str | None
    physical_state: str | None
    rate_gbps: float | None
    link_layer: str | None
    guid: str | None = None
    lid: str | None = None


@dataclass(frozen=True)
class IbDevice:
    """A device such as mlx5_3."""

    name: str
    ports: tuple[IbPort, ...]
    type: str | None = None
    firmware: str | None = None
    node_guid: str | None = None


@dataclass(frozen=True)
class IbReport:
    """All devices listed. `trouble` is what the tool said when it stopped early; then absent devices are unknown, but
    for those it names as the cause (`failed`). `cut`: the output ends within a device. `has_links` is False of a tool
    that tells whether a port is Active, and neither its rate nor its physical state."""

    devices: tuple[IbDevice, ...]
    trouble: str = ""
    has_firmware: bool = True
    failed: frozenset[str] = frozenset()
    cut: bool = False
    has_links: bool = True

    @cached_property
    def _by_name(self) -> dict[str, IbDevice]:
        return {device.name: device for device in reversed(self.devices)}

    def device(self, name: str) -> IbDevice | None:
        """The first of that name."""
        return self._by_name.get(name)


def parse_ibstat(text: str) -> IbReport:
    devices: list[IbDevice] = []
    trouble = ""
    for block in _blocks(text, _CA):
        name, lines = block
        device: dict[str, str] = {}
        ports: list[tuple[int, dict[str, str]]] = []
        for line in lines:
            number, pair = _read(line[:LONGEST_LINE])
            if number is not None:
                ports.append((number, {}))
            elif pair:
                (ports[-1][1] if ports else device).setdefault(*pair)
            elif line.strip() and not line[0].isspace():
                trouble = line.strip()[:200]
        devices.append(
            IbDevice(
                name=name,
                ports=tuple(_port(number, values) for number, values in ports),
                type=device.get("CA type"),
                firmware=device.get("Firmware version"),
                node_guid=device.get("Node GUID"),
            )
        )
    if not devices:
        first = next((line.strip() for line in text.splitlines() if line.strip()), "no output")
        if failed := frozenset(_PANIC.findall(text)):
            return IbReport((), first[:200], failed=failed)
        raise ParseError(IBSTAT, f"no CA in the output: {first[:200]}")
    last = devices[-1]
    cut = not trouble and not (last.ports and last.ports[-1].link_layer)
    trouble = f"the output ends within {last.name}" if cut else trouble
    return IbReport(tuple(devices), trouble, failed=frozenset(_PANIC.findall(text)), cut=cut)


@lru_cache(maxsize=4096)
def _read(line: str) -> tuple[int | None, tuple[str, str] | None]:
    """The number of a port whose lines begin, or a name with its value."""
    if port := _PORT.match(line):
        return int(port.group(1)), None
    pair = _PAIR.match(line)
    return None, (pair.group(1), pair.group(2)) if pair else None


def _blocks(text: str, head: re.Pattern[str]) -> list[tuple[str, list[str]]]:
    blocks: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if found := head.match(line):
            blocks.append((found.group(1), []))
        elif blocks:
            blocks[-1][1].append(line)
    return blocks


def _port(number: int, values: dict[str, str]) -> IbPort:
    return IbPort(
        number=number,
        state=values.get("State") or None,
        physical_state=values.get("Physical state") or None,
        rate_gbps=_number(values.get("Rate")),
        link_layer=values.get("Link layer") or None,
        guid=values.get("Port GUID"),
        lid=values.get("Base lid"),
    )


def _number(text: str | None) -> float | None:
    found = _NUMBER.match(text or "")
    return float(found.group()) if found else None


_STATES = {
    "ACTIVE": "Active",
    "DOWN": "Down",
    "INIT": "Initializing",
    "ARMED": "Armed",
}


def parse_ibstatus(text: str) -> IbReport:
    """The same facts from `ibstatus`, which knows no firmware."""
    devices: dict[str, list[IbPort]] = {}
    for line_block in re.split(r"\n(?=Infiniband device)", text):
        lines = line_block.splitlines()
        head = next((found for line in lines if (found := _STATUS_HEAD.match(line))), None)
        if head is None:
            continue
        values = {
            pair.group(1).strip(): pair.group(2)
            for line in lines
            if (pair := re.match(r"^\s+([^:]+):\s+(.*?)\s*$", line))
        }
        state = values.get("state", "").rpartition(" ")[2].upper()
        devices.setdefault(head.group(1), []).append(
            IbPort(
                number=int(head.group(2)),
                state=_STATES.get(state) or state.capitalize() or None,
                physical_state=values.get("phys state", "").rpartition(": ")[2] or None,
                rate_gbps=_number(values.get("rate")),
                link_layer=values.get("link_layer") or None,
                lid=values.get("base lid"),
            )
        )
    if not devices:
        raise ParseError(IBSTATUS, "no device in the output")
    return IbReport(tuple(IbDevice(name, tuple(ports)) for name, ports in devices.items()), has_firmware=False)


_DEVINFO_HEAD = re.compile(r"^hca_id:\s+(\S+)\s*$")
_DEVINFO_PAIR = re.compile(r"^\s+(\w+):\s*(.*?)\s*$")


def parse_devinfo(text: str) -> IbReport:
    """`ibv_devinfo`, with and without -v. It knows states and firmware; a rate it tells with -v only, as a width and a
    speed of one lane (`4X (2)`, `100.0 Gbps (128)`), and a physical state never."""
    devices: list[IbDevice] = []
    for name, lines in _blocks(text, _DEVINFO_HEAD):
        device: dict[str, str] = {}
        ports: list[dict[str, str]] = []
        for line in lines:
            if pair := _DEVINFO_PAIR.match(line[:LONGEST_LINE]):
                if pair.group(1) == "port":
                    ports.append({"port": pair.group(2)})
                (ports[-1] if ports else device).setdefault(pair.group(1), pair.group(2))
        devices.append(
            IbDevice(
                name,
                tuple(_devinfo_port(values) for values in ports if values["port"].isdecimal()),
                f"MT{device['vendor_part_id']}" if device.get("vendor_part_id", "").isdecimal() else None,
                device.get("fw_ver"),
                "0x" + device["node_guid"].replace(":", "") if "node_guid" in device else None,
            )
        )
    if not devices:
        first = next((line.strip() for line in text.splitlines() if line.strip()), "no output")
        raise ParseError(DEVINFO, f"no device in the output: {first[:200]}")
    last = devices[-1]
    cut = not (last.ports and last.ports[-1].link_layer)
    told = any(port.rate_gbps is not None for device in devices for port in device.ports)
    return IbReport(tuple(devices), f"the output ends within {last.name}" if cut else "", cut=cut, has_links=told)


def _devinfo_port(values: dict[str, str]) -> IbPort:
    state = values.get("state", "").partition(" ")[0].removeprefix("PORT_")
    lanes, speed = _number(values.get("active_width")), _number(values.get("active_speed"))
    physical = "".join(word.capitalize() for word in values.get("phys_state", "").partition(" ")[0].split("_"))
    return IbPort(
        number=int(values["port"]),
        state=_STATES.get(state) or state.capitalize() or None,
        physical_state=physical or None,
        rate_gbps=lanes * speed if lanes and speed else None,
        link_layer=values.get("link_layer") or None,
        lid=values.get("port_lid"),
    )
