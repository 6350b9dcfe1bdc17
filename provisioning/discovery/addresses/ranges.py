"""Addresses that an operator names: `10.0.4.0/24`, `10.0.4.10-10.0.4.80`, `10.0.4.10-80`, `10.0.4.7`. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

MOST_ADDRESSES = 8192
"""Of one discovery: at 20 a second under seven minutes."""
Address = IPv4Address | IPv6Address
_BETWEEN = re.compile(r"[\s,;]+")


class RangeRefused(ValueError):
    """A text that names no addresses, or too many; says which part of it."""


def addresses_of(text: str, *, most: int = MOST_ADDRESSES) -> list[str]:
    """Every address once, in the order named; the network's own and the broadcast address are left out.

    Raises RangeRefused.
    """
    found: dict[str, None] = {}
    parts = [part for part in _BETWEEN.split(re.sub(r"\s*-\s*", "-", text.strip())) if part]
    if not parts:
        raise RangeRefused("no address is named")
    for part in parts:
        first, count = _span(part)
        if len(found) + count > most:
            raise RangeRefused(f"{part}: more than {most:,} addresses; name fewer at once")
        found.update((str(first + step), None) for step in range(count))
    return list(found)


def _span(part: str) -> tuple[Address, int]:
    """The first address and how many follow."""
    try:
        if "/" in part:
            network = ip_network(part, strict=False)
            if network.num_addresses <= 2:
                return network.network_address, network.num_addresses
            ends = 2 if network.version == 4 else 1
            return network.network_address + 1, network.num_addresses - ends
        low, dash, high = part.partition("-")
        first = ip_address(low)
        if not dash:
            return first, 1
        last = ip_address(_completed(low, high))
    except ValueError as error:
        raise RangeRefused(f"{part[:60]!r} is no address, network or range: {error}") from None
    if first.version != last.version or int(last) < int(first):
        raise RangeRefused(f"{part[:60]}: the last address comes before the first")
    return first, int(last) - int(first) + 1


def _completed(low: str, high: str) -> str:
    """`10.0.4.10-80` ends at 10.0.4.80."""
    parts: Sequence[str] = low.split(".")
    return ".".join([*parts[:3], high]) if high.isdigit() and len(parts) == 4 else high
