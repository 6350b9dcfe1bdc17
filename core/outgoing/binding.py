"""What a credential is bound to (a kind of service, hosts, a site), and whether a call may use it. Plain values.

The rule, for every route and every call:

1. the credential is of the kind that the call is of, and of its site or of every site;
2. the host is one of its hosts. A password without hosts goes nowhere, an SSH key without them to the addresses of the
   inventory's own devices only: who answers there learns a password, never a key;
3. the address is none that nobody connects to (`addresses`), nor a service of this server itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from ipaddress import ip_network

from core.outgoing.addresses import parsed, reason_against_host
from core.outgoing.gate import Gate, compiled, inside


class Purpose(StrEnum):
    """The kind of service that a credential opens."""

    SSH = "ssh"
    BMC = "bmc"
    SLURM = "slurm"
    KUBERNETES = "kubernetes"
    UFM = "ufm"
    SWITCH = "switch"
    NETBOX = "netbox"
    PROMETHEUS = "prometheus"
    MAAS = "maas"
    IRONIC = "ironic"
    REGISTRY = "registry"
    VENDOR = "vendor"
    METER = "meter"

    @property
    def words(self) -> str:
        return _WORDS[self]


_WORDS = {
    Purpose.SSH: "SSH", Purpose.BMC: "BMCs", Purpose.SLURM: "slurmrestd", Purpose.KUBERNETES: "Kubernetes",
    Purpose.UFM: "UFM", Purpose.SWITCH: "switches (eAPI, NVUE)", Purpose.NETBOX: "NetBox",
    Purpose.PROMETHEUS: "Prometheus", Purpose.MAAS: "MAAS", Purpose.IRONIC: "Ironic",
    Purpose.REGISTRY: "registries of container images", Purpose.VENDOR: "vendors' service desks",
    Purpose.METER: "meters of power and cooling",
}  # fmt: skip
_NAME = re.compile(r"(\*\.)?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", re.ASCII)
_NUMBERS = re.compile(r"[0-9./]+")


class Refused(Exception):
    """A credential or an address that a call must not use; the text is a sentence for a person."""


@dataclass(frozen=True, slots=True)
class Binding:
    """What one credential is bound to. `site` None: every site. `key`: whoever is logged in to does not learn it."""

    name: str
    purpose: str
    hosts: tuple[str, ...] = ()
    site: int | None = None
    key: bool = False


def hosts_from(patterns: Iterable[str]) -> list[str]:
    """Patterns of hosts as they are kept: networks such as 10.0.0.0/8, addresses, names, `*.example.org`.

    Raises ValueError with a sentence for one that is none of these.
    """
    return list(dict.fromkeys(_host_from(text.strip().lower().rstrip(".")) for text in patterns))


def _host_from(text: str) -> str:
    try:
        return str(ip_network(text, strict=False))
    except ValueError:
        pass
    if not text or len(text) > 253 or not _NAME.fullmatch(text) or _NUMBERS.fullmatch(text):
        raise ValueError(f"{text!r} is not a host: 10.0.0.0/8, 10.0.0.5, ufm.example.org and *.example.org are")
    return text


def networks_of(hosts: Iterable[str]) -> tuple[str, ...]:
    return tuple(text for text in hosts if "/" in text)


def decide(
    binding: Binding | None,
    purpose: Purpose | None,
    host: str,
    *,
    site: int | None,
    of_inventory: bool = False,
    local: bool = False,
    services: tuple[tuple[str, int], ...] = (),
) -> Gate:
    """The gate of a call to this host with this credential (None: without one). Raises Refused with the reason.

    `of_inventory`: the address is the one that the inventory has for the device. `site` None: a call about every site.
    """
    if reason := reason_against_host(host, local=local):
        raise Refused(f"{host} is refused: {reason}.")
    if binding is None:
        return Gate(local=local, services=services)
    check_kind(binding, purpose, site)
    return Gate(_networks(binding, host, of_inventory=of_inventory), local=local, services=services)


def check_kind(binding: Binding, purpose: Purpose | None, site: int | None) -> None:
    """Raises Refused for a credential of another kind, of no kind yet, or of another site."""
    wanted = purpose.words if purpose else "this"
    if not binding.purpose:
        raise Refused(f"The credential {binding.name} is bound to no kind of service: store it again with --for.")
    if binding.purpose != purpose:
        raise Refused(f"The credential {binding.name} is for {Purpose(binding.purpose).words}, not for {wanted}.")
    if binding.site is not None and binding.site != site:
        raise Refused(f"The credential {binding.name} belongs to another site.")


def _networks(binding: Binding, host: str, *, of_inventory: bool) -> tuple[str, ...] | None:
    """The networks that the address must be in; None when the host itself is allowed. Raises Refused."""
    if not binding.hosts:
        if not binding.key:
            raise Refused(f"The password {binding.name} has no hosts, so it goes nowhere: bind it with --bind --host.")
        if of_inventory:
            return None
        raise Refused(
            f"The credential {binding.name} has no hosts, so it goes to addresses of the inventory only, not to {host}."
        )
    networks = networks_of(binding.hosts)
    try:
        compiled(networks)
    except ValueError as error:
        raise Refused(
            f"The credential {binding.name} has a host that cannot be read ({error}): bind it again with --bind --host."
        ) from error
    try:
        parsed(host)
    except ValueError:
        name = host.rstrip(".").lower()
        if any(fnmatchcase(name, pattern) for pattern in binding.hosts if "/" not in pattern):
            return None
        if networks:
            return networks  # decided by the address that the name becomes
    else:
        if inside(host, networks):
            return networks
    hosts = ", ".join(binding.hosts)
    raise Refused(f"The credential {binding.name} is not for {host}: its hosts are {hosts}.")
