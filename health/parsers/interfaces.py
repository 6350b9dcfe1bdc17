"""Network interfaces as the kernel shows them: files of /sys/class/net, one value a line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from health.parsers import ParseError
from health.probe_cards import LAST_CARD_FILE

WHERE = "/sys/class/net"
_LINE = re.compile(
    r"^/sys/class/net/([^/:=\s]+)/(operstate|speed|mtu|bonding/slaves|bonding_slave/mii_status)[:=](.*)$", re.MULTILINE
)


@dataclass
class Interface:
    """One interface. `state` is the kernel's operstate (up, down, unknown); `speed_mbps` None where it tells none;
    `slaves` those of a bond, `in_bond` the bond's word on a slave (up, down)."""

    state: str | None = None
    speed_mbps: int | None = None
    mtu: int | None = None
    slaves: tuple[str, ...] | None = None
    in_bond: str | None = None


def parse_interfaces(text: str) -> Mapping[str, Interface]:
    """By name. Raises ParseError unless the last file is there: what stands before it would be cut off."""
    lines = text.rstrip("\n").split("\n")
    if not re.fullmatch(rf"{LAST_CARD_FILE}[:=]\w+", lines[-1]):
        first = next((line.strip() for line in lines if line.strip()), "no output")
        raise ParseError(WHERE, f"the list of files is not whole: {first[:200]}")
    found: dict[str, Interface] = {}
    for name, what, value in _LINE.findall(text):
        _take(found.setdefault(name, Interface()), what, value.strip())
    if not found:
        raise ParseError(WHERE, "no network interface in the output")
    return found


def _take(interface: Interface, what: str, value: str) -> None:
    number = int(value) if value.isdecimal() and len(value) < 10 else None
    if what == "operstate":
        interface.state = value
    elif what == "speed":
        interface.speed_mbps = number  # -1 where it is down or has none, as IPoIB
    elif what == "mtu":
        interface.mtu = number
    elif what == "bonding/slaves":
        interface.slaves = tuple(value.split())
    else:
        interface.in_bond = value
