"""Which addresses nobody connects to, and what an address or URL names. Plain values; nothing is resolved here."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
THIS_NETWORK = ipaddress.IPv4Network("0.0.0.0/8")
METADATA = (ipaddress.ip_address("fd00:ec2::254"), ipaddress.ip_address("100.100.100.200"))
"""Metadata services that are not link-local, as most are."""
PORTS = {"http": 80, "https": 443}


def plain(address: Address) -> Address:
    """The IPv4 address inside an IPv6 one (mapped, compatible, 6to4, NAT64); otherwise the address itself."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if inner is None and (address in NAT64 or 1 < int(address) <= 0xFFFFFFFF):
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        return inner or address
    return address


def parsed(text: str) -> Address:
    """The address that a text writes, without its zone. Raises ValueError for a name."""
    return plain(ipaddress.ip_address(text.partition("%")[0]))


def reason_against(text: str, *, local: bool = False) -> str:
    """Why nobody connects to this address; empty when it may be reached. Private networks may: fleets live there.

    `local` opens loopback, where a demo and the tests have their machines, and nothing else.
    """
    address = parsed(text)
    if address in METADATA or address.is_link_local:
        return "link-local or metadata address"
    if address.is_loopback:
        return "" if local else "address of this machine itself"
    if address.is_unspecified or (address.version == 4 and address in THIS_NETWORK):
        return "address of this machine itself"
    if address.is_multicast or (address.is_reserved and address.version == 4):
        return "address of no single machine"
    return ""


def reason_against_host(host: str, *, local: bool = False) -> str:
    """The same of a name or an address, as far as can be told without resolving it."""
    try:
        return reason_against(host, local=local)
    except ValueError:
        name = host.rstrip(".").lower()
        of_here = name == "localhost" or name.endswith(".localhost")
        return "name of this machine itself" if of_here and not local else ""


def split(address: str, port: int) -> tuple[str, int]:
    """Host and port of `HOST`, `HOST:PORT`, `[V6]:PORT`, a bare IPv6 address or an URL; `port` where none is named.

    Raises ValueError with a sentence.
    """
    text = address.strip()
    try:
        if "://" not in text:
            ipaddress.ip_address(text.partition("%")[0])
            return text, port
    except ValueError:
        pass
    try:
        parts = urlsplit(text if "://" in text else f"//{text}")
        host, named = parts.hostname, parts.port
    except ValueError as error:
        raise ValueError(f"{address} names no machine that can be reached: {error}") from error
    if not host or named == 0 or parts.username is not None or any(sign.isspace() or sign == "\0" for sign in text):
        raise ValueError(f"{address} is not an address such as 10.0.0.5, ufm.example.org:8443 or https://10.0.0.5")
    return host, named or PORTS.get(parts.scheme, port)


def problem_of_url(url: str) -> str:
    """What is wrong with the URL of a receiver, its host aside; empty when nothing is."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return "This is not a URL."
    if parts.scheme not in PORTS or not host or port == 0 or any(c.isspace() for c in url):
        return "A URL with http or https and the name of a machine."
    if parts.username is not None or parts.password is not None or parts.fragment:
        return "A URL without a user, a password or a fragment: the signature proves who sends."
    return ""
