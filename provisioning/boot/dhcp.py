"""The configuration of a DHCP server for network boot, for dnsmasq 2.80 or newer. Pure text.

Firmware that is not iPXE yet is given iPXE, by TFTP or, where it asks for HTTP boot (UEFI 2.5, architecture 16), by
HTTP; iPXE says so in option 175 and is given the address of its boot script. Beside a site's own DHCP server dnsmasq
gives no addresses and only says what to boot (proxy DHCP), which its manual calls `dhcp-range=NETWORK,proxy`.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

SCRIPT = "${net0/mac:hexhyp}?serial=${serial}&uuid=${uuid}"
"""iPXE fills it in itself."""
ARCHITECTURES = (("efi64", 7), ("efi64", 9), ("http64", 16))
"""Of option 93: RFC 4578 and its registry. What is none of them is a BIOS."""
_WORD = re.compile(r"[A-Za-z0-9._:/-]+")


class Mode(StrEnum):
    DHCP = "dhcp"
    """dnsmasq gives the addresses of the inventory."""
    PROXY = "proxy"
    """Another server gives addresses; dnsmasq only says what to boot."""


@dataclass(frozen=True, slots=True)
class Host:
    """A machine that boots: `address` as planned."""

    name: str
    mac: str
    address: str


@dataclass(frozen=True, slots=True)
class Wanted:
    """`network` such as 10.20.0.0/16; `boot_url` is where machines ask, without a slash at its end; `router` and
    `resolver` may be empty, and then the options are left to dnsmasq."""

    network: str
    boot_url: str
    mode: Mode = Mode.DHCP
    tftp_root: str = "/srv/tftp"
    interface: str = ""
    router: str = ""
    resolver: str = ""
    log_file: str = ""
    """Where dnsmasq writes its log; empty: to the system's."""


class BadNetwork(ValueError):
    """A value of `Wanted` that dnsmasq would misread; the text names it."""


def dnsmasq(wanted: Wanted, hosts: Iterable[Host]) -> str:
    """The whole file. Raises BadNetwork. Machines outside the network, or without an address, are left out by name."""
    return "\n".join(_lines(wanted, hosts)) + "\n"


def _lines(wanted: Wanted, hosts: Iterable[Host]) -> Iterator[str]:
    network = _checked(wanted)
    known, left_out = _of(network, hosts)
    yield "# Network boot by Rackside; made from the inventory."
    yield "port=0"
    if wanted.interface:
        yield f"interface={wanted.interface}"
        yield "bind-interfaces"
    yield "log-dhcp"
    if wanted.log_file:
        yield f"log-facility={wanted.log_file}"
    if wanted.mode is Mode.PROXY:
        yield f"dhcp-range={network.network_address},proxy,{network.netmask}"
    else:
        yield f"dhcp-range={network.network_address},static,{network.netmask}"
        yield "dhcp-authoritative"
        for option, value in (("router", wanted.router), ("dns-server", wanted.resolver)):
            if value:
                yield f"dhcp-option=option:{option},{value}"
        yield from (f"dhcp-host={host.mac},{host.address},{host.name}" for host in known)
    yield from (f"# left out: {name}" for name in left_out)
    yield f"enable-tftp\ntftp-root={wanted.tftp_root}\ndhcp-match=set:ipxe,175"
    yield from (f"dhcp-match=set:{name},option:client-arch,{number}" for name, number in ARCHITECTURES)
    yield from _boots(wanted)


def _boots(wanted: Wanted) -> Iterator[str]:
    url = f"{wanted.boot_url}/boot/{SCRIPT}"
    if wanted.mode is Mode.PROXY:
        for kind, file in (("x86PC", "undionly.kpxe"), ("X86-64_EFI", "ipxe.efi"), ("BC_EFI", "ipxe.efi")):
            yield f'pxe-service=tag:!ipxe,{kind},"Rackside",{file}'
            yield f'pxe-service=tag:ipxe,{kind},"Rackside",{url}'
        return
    yield f"dhcp-boot=tag:ipxe,{url}"
    yield "dhcp-option-force=tag:http64,tag:!ipxe,60,HTTPClient"
    yield f"dhcp-boot=tag:http64,tag:!ipxe,{wanted.boot_url}/boot-images/ipxe.efi"
    yield "dhcp-boot=tag:efi64,tag:!ipxe,ipxe.efi"
    yield "dhcp-boot=tag:!efi64,tag:!http64,tag:!ipxe,undionly.kpxe"


def _checked(wanted: Wanted) -> ipaddress.IPv4Network:
    try:
        network = ipaddress.IPv4Network(wanted.network)
    except ValueError as error:
        raise BadNetwork(f"network: {error}") from error
    for name in ("router", "resolver"):
        value = getattr(wanted, name)
        try:
            _ = value and ipaddress.IPv4Address(value)
        except ValueError as error:
            raise BadNetwork(f"{name}: {error}") from error
    for name in ("boot_url", "tftp_root", "interface", "log_file"):
        if (value := getattr(wanted, name)) and not _WORD.fullmatch(value):
            raise BadNetwork(f"{name}: letters, digits and . _ : / - only")
    return network


def _of(network: ipaddress.IPv4Network, hosts: Iterable[Host]) -> tuple[list[Host], list[str]]:
    known, left_out = [], []
    for host in hosts:
        if host.address and ipaddress.ip_address(host.address) in network:
            known.append(host)
        else:
            left_out.append(f"{host.name}, {f'{host.address} is not in {network}' if host.address else 'no address'}")
    return known, left_out
