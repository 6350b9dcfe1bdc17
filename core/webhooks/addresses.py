"""Which addresses a webhook may reach: the receiver's, not this machine's own services nor a cloud's metadata.

Checked on the address that is connected to, after the name was resolved: a name that changes its address between a
check and a connection gains nothing.
"""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
METADATA = (ipaddress.ip_address("fd00:ec2::254"), ipaddress.ip_address("100.100.100.200"))
"""Metadata services that are not link-local, as most are."""


class ForbiddenAddress(OSError):
    """The address is one that webhooks do not go to."""


def plain(address: Address) -> Address:
    """The IPv4 address inside an IPv6 one (mapped, 6to4, NAT64); otherwise the address itself."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if inner is None and address in NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        return inner or address
    return address


def reason_against(text: str) -> str:
    """Why this address is refused; empty when it may be reached. Private networks may: receivers stand there."""
    address = plain(ipaddress.ip_address(text.partition("%")[0]))
    if address in METADATA or address.is_link_local:
        return "link-local or metadata address"
    if address.is_loopback or address.is_unspecified:
        return "address of this machine itself"
    if address.is_multicast or (address.is_reserved and address.version == 4):
        return "address of no single machine"
    return ""


def check(text: str, *, allow_local: bool) -> None:
    """Raises ForbiddenAddress."""
    reason = "" if allow_local else reason_against(text)
    if reason:
        raise ForbiddenAddress(f"{text} is refused: {reason}")


def problem_of_url(url: str, *, allow_local: bool) -> str:
    """What is wrong with a URL as far as can be told without resolving it; empty when nothing is."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return "This is not a URL."
    if parts.scheme not in ("http", "https") or not host or port == 0 or any(c.isspace() for c in url):
        return "A URL with http or https and the name of a machine."
    if parts.username is not None or parts.password is not None or parts.fragment:
        return "A URL without a user, a password or a fragment: the signature proves who sends."
    try:
        reason = "" if allow_local else reason_against(host)
    except ValueError:  # a name; it is resolved when something is sent
        reason = "name of this machine itself" if host == "localhost" and not allow_local else ""
    return f"{host} is refused: {reason}." if reason else ""
