"""Interfaces by the tools for people: `ethtool INTERFACE` and `cat /proc/net/bonding/BOND`. Each tells only its own."""

from __future__ import annotations

import re
from dataclasses import replace

from health.parsers import ParseError
from health.parsers.state_files import Interface, StateFiles

SETTINGS, BONDING = "ethtool", "/proc/net/bonding"

_OF = re.compile(r"^Settings for (\S+):\s*$", re.MULTILINE)
_LINK = re.compile(r"^\s*Link detected: (yes|no)\b", re.MULTILINE)
_SPEED = re.compile(r"^\s*Speed: (\d{1,9}) ?Mb(?:/s|ps)\s*$", re.MULTILINE)
_DUPLEX = re.compile(r"^\s*Duplex: (Full|Half)\s*$", re.MULTILINE | re.IGNORECASE)
_BOND_IN_COMMAND = re.compile(r"bonding/([\w.-]+)")
_MII = re.compile(r"^MII Status: (.+?)\s*$", re.MULTILINE)
_MEMBER = re.compile(r"^Slave Interface: (\S+)\s*$", re.MULTILINE)


def parse_settings(text: str) -> StateFiles:
    """`ethtool INTERFACE` (5.x, 6.x), of one interface or several. Raises ParseError where one does not tell its link:
    without rights, or where the interface is not there, the tool prints the rest or an error."""
    blocks = _OF.split(text)[1:]
    found = {}
    for name, said in zip(blocks[::2], blocks[1::2], strict=True):
        link = _LINK.search(said)
        if not link:
            raise ParseError(SETTINGS, f"{name} does not tell whether it has a link: {said.strip()[:200]}")
        found[name] = _interface(name, "up" if link.group(1) == "yes" else "down", said)
    if not found:
        raise ParseError(SETTINGS, f"no interface in the output: {text.strip()[:200] or 'no output'}")
    return StateFiles(interfaces=found, of_one_part=True)


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
    return StateFiles(interfaces=found, of_one_part=True)


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
