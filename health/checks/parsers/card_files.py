"""What the kernel shows of network cards besides their counters: device nodes, partition keys, interfaces."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from health.checks.parsers import ParseError
from health.checks.probes.cards import LAST_CARD_FILE

WHERE = "card files"
_NODE = re.compile(r"^/sys/class/infiniband_(verbs|mad)/(?:uverbs|umad)\d+/ibdev[:=](\w+)$")
_PLACE = re.compile(r"^/sys/bus/pci/devices/([0-9a-f:]+\.[0-7])/infiniband/(\w+)/node_type[:=]", re.IGNORECASE)
_PORT = re.compile(r"^/sys/class/infiniband/(\w+)/ports/(\d+)/(link_layer|pkeys/\d+)[:=](\w+)$")
_INTERFACE = re.compile(r"^/sys/class/infiniband/(\w+)/device/net/([\w.-]+)/(?:mtu[:=](\d{1,6})|operstate[:=](\w+))$")


@dataclass
class CardFiles:
    """One card: its PCI address, whether programs can open it (`verbs`) and tools can ask its ports (`mad`), the
    partition keys in the first places of its first port (None: not told), the MTU of each of its network interfaces
    in bytes, and which of these are down."""

    link_layer: str | None = None
    pci: str | None = None
    verbs: bool = False
    mad: bool = False
    pkeys: tuple[int, ...] | None = None
    mtus: dict[str, int] = field(default_factory=dict)
    down: set[str] = field(default_factory=set)

    @property
    def mtus_in_use(self) -> dict[str, int]:
        return {name: mtu for name, mtu in self.mtus.items() if name not in self.down}


def parse_card_files(text: str) -> Mapping[str, CardFiles]:
    """By device name. Raises ParseError unless the last file is there: what stands before it would be cut off."""
    lines = text.rstrip("\n").split("\n")
    if not re.fullmatch(rf"{LAST_CARD_FILE}[:=]\w+", lines[-1]):
        first = next((line.strip() for line in lines if line.strip()), "no output")
        raise ParseError(WHERE, f"the list of files is not whole: {first[:200]}")
    cards: dict[str, CardFiles] = {}
    for line in lines[:-1]:
        if found := _PORT.match(line):  # most lines are
            _port(cards.setdefault(found.group(1), CardFiles()), *found.group(2, 3, 4))
        elif found := _INTERFACE.match(line):
            _interface(cards.setdefault(found.group(1), CardFiles()), *found.group(2, 3, 4))
        elif found := _NODE.match(line):
            card = cards.setdefault(found.group(2), CardFiles())
            card.verbs, card.mad = card.verbs or found.group(1) == "verbs", card.mad or found.group(1) == "mad"
        elif found := _PLACE.match(line):
            cards.setdefault(found.group(2), CardFiles()).pci = found.group(1).lower()
    if not any(card.link_layer for card in cards.values()):
        raise ParseError(WHERE, "no network card in the output")
    return cards


def _port(card: CardFiles, port: str, what: str, value: str) -> None:
    if port != "1":
        return
    if what == "link_layer":
        card.link_layer = value
        return
    try:
        key = int(value, 16)
    except ValueError:
        return
    card.pkeys = (*(card.pkeys or ()), *([key] if key else []))


def _interface(card: CardFiles, name: str, mtu: str | None, state: str | None) -> None:
    if mtu is not None:
        card.mtus[name] = int(mtu)
    elif state in ("down", "lowerlayerdown", "notpresent"):
        card.down.add(name)
