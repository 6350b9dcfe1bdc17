"""Interfaces by the tools for people: `ethtool INTERFACE`, `cat /proc/net/bonding/BOND` and `ip link`."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import replace

from health.checks.parsers import ParseError
from health.checks.parsers.state_files import Interface, StateFiles

SETTINGS, BONDING, IP_LINK = "ethtool", "/proc/net/bonding", "ip link"

_OF = re.compile(r"^Settings for (\S+):\s*$", re.MULTILINE)
_LINK = re.compile(r"^\s*Link detected: (yes|no)\b", re.MULTILINE)
_SPEED = re.compile(r"^\s*Speed: (\d{1,9}) ?Mb(?:/s|ps)\s*$", re.MULTILINE)
_DUPLEX = re.compile(r"^\s*Duplex: (Full|Half)\s*$", re.MULTILINE | re.IGNORECASE)
_BOND_IN_COMMAND = re.compile(r"bonding/([\w.-]+)")
_MII = re.compile(r"^MII Status: (.+?)\s*$", re.MULTILINE)
_IP_ROW = re.compile(r"^\d+: ([\w.-]+)(?:@\S+)?: <([A-Z0-9,_-]*)> mtu (\d+) (.*)$", re.MULTILINE)
_BRIEF = re.compile(r"^([\w.-]+)(?:@\S+)?\s+([A-Z]+)\s+.*<([A-Z0-9,_-]+)>\s*$", re.MULTILINE)
_MEMBER = re.compile(r"^Slave Interface: (\S+)\s*$", re.MULTILINE)


def parse_settings(text: str) -> StateFiles:
    """`ethtool INTERFACE` (5.x, 6.x), of one interface or several. Raises ParseError where one does not tell its link:
    without rights, or where the interface is not there, the tool prints the rest or an error."""
    blocks = _OF.split(text)[1:]
    found = {}
    for name, said in zip(blocks[::2], blocks[1::2], strict=True):
        link = _LINK.search(said)
        if not link:
            raise ParseError(SETTINGS, f"{name} does not report whether it has a link: {said.strip()[:200]}")
        found[name] = _interface(name, "up" if link.group(1) == "yes" else "down", said)
    if not found:
        raise ParseError(SETTINGS, f"no interface in the output: {text.strip()[:200] or 'no output'}")
    return StateFiles(interfaces=found, of_one_part=True, untold=frozenset({"mtu"}))


def parse_bonding(text: str, command: str) -> StateFiles:
    """The file of a bond with its members (Linux drivers/net/bonding/bond_procfs.c). Raises ParseError."""
    head, *members = _MEMBER.split(text)
    state = _MII.search(head)
    if not head.lstrip().startswith("Ethernet Channel Bonding Driver:") or not state:
        raise ParseError(BONDING, f"no bond in the output: {text.strip()[:200] or 'no output'}")
    named = _BOND_IN_COMMAND.search(command)
    bond = named.group(1) if named else "the bond"
    found = {bond: _interface(bond, state.group(1), head)}
    for name, said in zip(members[::2], members[1::2], strict=True):
        mii = _MII.search(said)
        found[name] = _interface(name, mii.group(1) if mii else None, said, master=bond)
    found[bond] = replace(found[bond], speed_mbps=_speed_of_bond(head, [each.speed_mbps for each in found.values()]))
    return StateFiles(interfaces=found, of_one_part=True, untold=frozenset({"mtu"}))


def _speed_of_bond(head: str, speeds: list[int | None]) -> int | None:
    """Of one member where only one is active, else of all together, as the kernel has it; None where none is told."""
    told = [speed for speed in speeds if speed is not None]
    return (max(told) if "active-backup" in head else sum(told)) if told else None


def _interface(name: str, state: str | None, said: str, master: str = "") -> Interface:
    speed, duplex = _SPEED.search(said), _DUPLEX.search(said)
    return Interface(
        name,
        state=state,
        carrier=None if state not in ("up", "down") else state == "up",
        speed_mbps=int(speed.group(1)) if speed else None,
        duplex=duplex.group(1).lower() if duplex else None,
        master=master,
    )


def parse_ip_link(text: str) -> StateFiles:
    """`ip link` of iproute2, as text, brief (`-br`) or JSON (`-j`): all interfaces where the loopback is among them,
    else those that were asked for. Raises ParseError."""
    if text.lstrip().startswith("["):
        found = _of_json(text)
    else:
        found = [
            _listed(name, flags.split(","), _word(rest, "state"), _word(rest, "master"), int(mtu))
            for name, flags, mtu, rest in _IP_ROW.findall(text)
        ] or [_listed(name, flags.split(","), state) for name, state, flags in _BRIEF.findall(text)]
    if not found:
        raise ParseError(IP_LINK, f"no interface in the output: {text.strip()[:200] or 'no output'}")
    interfaces = {each.name: each for each in found}
    brief = all(each.mtu is None for each in found)
    untold = frozenset({"speed", "members", "mtu"} if brief else {"speed"})
    return StateFiles(interfaces=interfaces, of_one_part="lo" not in interfaces, untold=untold)


def _of_json(text: str) -> list[Interface]:
    try:
        return [
            _listed(row["ifname"], row["flags"], row["operstate"], row.get("master", ""), int(row["mtu"]))
            for row in json.loads(text)
            if row  # an interface that a filter left out is an empty object
        ]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ParseError(IP_LINK, f"not the JSON of ip link: {error}") from error


def _word(text: str, name: str) -> str:
    """The word behind this name, or nothing."""
    words = text.split()
    return words[words.index(name) + 1] if name in words[:-1] else ""


def _listed(name: str, flags: Collection[str], state: str, master: str = "", mtu: int | None = None) -> Interface:
    """The flag SLAVE stands for a member of a bond; a port of a bridge has a master as well, and no such flag."""
    carrier = True if "LOWER_UP" in flags else False if "NO-CARRIER" in flags else None
    return Interface(name, state.lower(), carrier, mtu=mtu, master=master if "SLAVE" in flags else "")
