"""Which DHCP servers answer on a network: one DHCPDISCOVER, and every offer that comes back (RFC 2131).

No address is taken: an offer that nobody requests is free again. Asked with a MAC address of our own making, so that a
server that only serves the machines it knows (as ours does) says nothing.
"""

from __future__ import annotations

import os
import socket
import struct
import time
from dataclasses import dataclass
from ipaddress import IPv4Address

CLIENT, SERVER = 68, 67
COOKIE = b"\x63\x82\x53\x63"
DISCOVER, OFFER = 1, 2
_FIXED = struct.Struct("!BBBBIHH4s4s4s4s16s64s128s")
BROADCAST_ANSWER = 0x8000
OPTION_MESSAGE, OPTION_SERVER, OPTION_CLASS, OPTION_END = 53, 54, 60, 255
CLASS = b"PXEClient:Arch:00007:UNDI:003016"
"""Asked as a UEFI machine asks, so that proxy servers answer as well."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What one server offers. `address` is empty for a proxy server, which only says what to boot."""

    server: str
    address: str
    boot_file: str


def discover(transaction: int, mac: bytes) -> bytes:
    fixed = _FIXED.pack(
        1, 1, 6, 0, transaction, 0, BROADCAST_ANSWER, b"", b"", b"", b"", mac, b"", b""
    )  # fmt: skip
    options = bytes((OPTION_MESSAGE, 1, DISCOVER, OPTION_CLASS, len(CLASS))) + CLASS
    options += bytes((55, 5, 1, 3, OPTION_SERVER, 66, 67)) + bytes((93, 2, 0, 7, 94, 3, 1, 3, 16))
    return fixed + COOKIE + options + bytes((97, 17, 0)) + mac.ljust(16, b"\0") + bytes((OPTION_END,))


def offer_of(packet: bytes, transaction: int) -> Offer | None:
    """None for what is no offer to this question, or is cut off."""
    if len(packet) < _FIXED.size + len(COOKIE):
        return None
    kind, *_, answered = _FIXED.unpack_from(packet)[:5]
    if kind != 2 or answered != transaction or packet[_FIXED.size : _FIXED.size + 4] != COOKIE:
        return None
    _, yours, next_server, _, _, _, file = _FIXED.unpack_from(packet)[7:]
    options = _options(packet[_FIXED.size + 4 :])
    if options.get(OPTION_MESSAGE) != bytes((OFFER,)):
        return None
    told = options.get(OPTION_SERVER, b"")
    server = IPv4Address(told if len(told) == 4 else next_server)
    boot_file = options.get(67) or file
    address = "" if yours == bytes(4) else str(IPv4Address(yours))
    return Offer(str(server), address, boot_file.split(b"\0")[0].decode("ascii", "replace"))


def _options(text: bytes) -> dict[int, bytes]:
    found: dict[int, bytes] = {}
    at = 0
    while at < len(text) and text[at] != OPTION_END:
        if text[at] == 0:
            at += 1
            continue
        length = text[at + 1] if at + 1 < len(text) else 0
        found[text[at]] = text[at + 2 : at + 2 + length]
        at += 2 + length
    return found


def ask(interface: str, seconds: float) -> list[Offer]:
    """Every offer that arrives at this interface within so many seconds, one a server. Needs root. Raises OSError."""
    transaction = int.from_bytes(os.urandom(4))
    mac = b"\x02" + os.urandom(5)  # locally administered: no card has it
    found: dict[str, Offer] = {}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as there:
        for option in (socket.SO_REUSEADDR, socket.SO_BROADCAST):
            there.setsockopt(socket.SOL_SOCKET, option, 1)
        there.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, interface.encode())
        there.bind(("", CLIENT))
        ends = time.monotonic() + seconds
        asks_again = 0.0
        while (left := ends - time.monotonic()) > 0:
            if time.monotonic() >= asks_again:  # a broadcast may be lost
                there.sendto(discover(transaction, mac), ("255.255.255.255", SERVER))
                asks_again = time.monotonic() + 2
            there.settimeout(max(0.01, min(left, asks_again - time.monotonic())))
            try:
                packet, _ = there.recvfrom(4096)
            except TimeoutError:
                continue
            if (offer := offer_of(packet, transaction)) is not None:
                found.setdefault(offer.server, offer)
    return sorted(found.values(), key=lambda each: IPv4Address(each.server))
