"""Which passwords an address may be sent: those meant for it, two at most, and none that it refused before."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from ipaddress import ip_network

from django.db.models import Q

from access.logins import Opened, opened
from access.models import AccessKind, Endpoint, PinnedCertificate
from access.queries import DEFAULT_CREDENTIAL
from core.models import Credential
from core.outgoing.binding import Purpose, Refused
from core.outgoing.permits import permit
from inventory.models import Machine
from provisioning.discovery.models import DiscoveredBmc
from provisioning.discovery.probe import MOST_LOGINS, Door


def doors(site_id: int, port: int, rows: Sequence[DiscoveredBmc]) -> dict[int, Door]:
    """Of each row, by its id. Six statements, whatever the number of rows."""
    addresses = [row.address for row in rows]
    machines = _machines(site_id, addresses)
    bound, default = _credentials(site_id, machines)
    refused = _refused(addresses)
    pinned = _pinned(machines)

    @cache
    def login_of(credential: Credential) -> Opened | str:
        try:
            return opened(credential, Purpose.BMC, site=site_id)
        except Refused as error:
            return str(error)

    def door(row: DiscoveredBmc) -> Door:
        where = f"[{row.address}]:{port}" if ":" in row.address else f"{row.address}:{port}"
        try:
            gate = permit(None, None, where, site=site_id)
        except Refused as error:
            return Door(row.address, port, row.mac, None, (), str(error))
        why = f"There is no credential named {DEFAULT_CREDENTIAL[AccessKind.REDFISH]}." if default is None else ""
        logins = []
        for credential in dict.fromkeys([*bound.get(row.address, ()), *([default] if default else [])]):
            if credential.pk in row.refused or refused.get((row.address, credential.pk), _NEVER) > _stamp(credential):
                why = f"It refused the credential {credential.name} before, which was not changed since."
                continue
            found = login_of(credential)
            try:
                logins += [(credential.pk, found.at(where))] if isinstance(found, Opened) else []
                why = found if isinstance(found, str) else why
            except Refused as error:
                why = str(error)
        left = max(0, MOST_LOGINS - row.logins)
        machine = machines.get(row.address)
        return Door(row.address, port, row.mac, gate, tuple(logins[:left]), why, pinned.get(machine or 0))

    return {row.pk: door(row) for row in rows}


_NEVER = 0.0


def _stamp(credential: Credential) -> float:
    return credential.changed_at.timestamp()


def _machines(site_id: int, addresses: Iterable[str]) -> dict[str, int]:
    """The machine whose BMC the plan has at an address; of an address that is overridden, that one."""
    wanted = list(addresses)
    planned = Machine.objects.filter(device__site_id=site_id, bmc_ip__in=wanted).values_list("bmc_ip", "pk")
    override = Endpoint.objects.filter(
        machine__device__site_id=site_id, kind=AccessKind.REDFISH, address__in=wanted
    ).values_list("address", "machine_id")
    return {str(address): pk for address, pk in (*planned, *override)}


def _credentials(site_id: int, machines: Mapping[str, int]) -> tuple[dict[str, list[Credential]], Credential | None]:
    """Those bound to a BMC, by its address: of its machine's endpoint, or with exactly this address as host."""
    own = dict(
        Endpoint.objects.filter(machine_id__in=machines.values(), kind=AccessKind.REDFISH)
        .exclude(credential=None)
        .values_list("machine_id", "credential_id")
    )
    name = DEFAULT_CREDENTIAL[AccessKind.REDFISH]
    of_site = Q(purpose=Purpose.BMC.value) & (Q(site=site_id) | Q(site=None))
    stored = {row.pk: row for row in Credential.objects.filter(Q(pk__in=own.values()) | Q(name=name) | of_site)}
    found: dict[str, list[Credential]] = defaultdict(list)
    for address, machine in machines.items():
        if machine in own and own[machine] in stored:
            found[address].append(stored[own[machine]])
    for row in stored.values():
        for host in row.hosts:
            if (address := _single(host)) and row.name != name:
                found[address].append(row)
    return found, next((row for row in stored.values() if row.name == name), None)


def _single(host: str) -> str:
    """The address of a host that is one; empty for a network or a name."""
    try:
        network = ip_network(host)
    except ValueError:
        return ""
    return str(network.network_address) if network.num_addresses == 1 else ""


def _refused(addresses: Iterable[str]) -> dict[tuple[str, int], float]:
    """When an address last refused which credential, in any discovery that is kept."""
    rows = DiscoveredBmc.objects.filter(address__in=list(addresses)).exclude(refused=[]).exclude(asked_at=None)
    found: dict[tuple[str, int], float] = {}
    for address, refused, at in rows.values_list("address", "refused", "asked_at"):
        when = at.timestamp() if at else _NEVER
        for credential in refused:
            found[address, credential] = max(found.get((address, credential), _NEVER), when)
    return found


def _pinned(machines: Mapping[str, int]) -> dict[int, bytes]:
    rows = PinnedCertificate.objects.filter(machine_id__in=machines.values(), replaced_at=None)
    return {machine: bytes.fromhex(digest) for machine, digest in rows.values_list("machine_id", "fingerprint")}
