"""Where and as whom to log in, for many machines in a constant number of queries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import structlog
from cryptography.fernet import InvalidToken

from access.models import AccessKind, Endpoint, KnownHost, PinnedCertificate
from core.models import Credential
from drivers.redfish import RedfishClient
from drivers.ssh import SshTarget
from inventory.models import Machine

log = structlog.get_logger(__name__)
DEFAULT_CREDENTIAL = {AccessKind.SSH: "ssh", AccessKind.REDFISH: "bmc"}
DEFAULT_PORT = {AccessKind.SSH: 22, AccessKind.REDFISH: 443}


@dataclass(frozen=True, slots=True)
class Reach:
    """One machine's address, port and login of one kind. Address and secret may be empty: then it cannot be reached."""

    machine_id: int
    name: str
    address: str
    port: int
    username: str
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class BmcTarget:
    """What a Redfish client of one machine needs."""

    machine_id: int
    name: str
    address: str
    port: int
    username: str
    password: str = field(repr=False)
    pinned: bytes | None = None

    def client(self, timeout_s: float = 10) -> RedfishClient:
        host = f"[{self.address}]" if ":" in self.address else self.address
        return RedfishClient(
            f"https://{host}:{self.port}", self.username, self.password, pinned=self.pinned, timeout_s=timeout_s
        )


def _reach(machine_ids: Iterable[int], kind: AccessKind, address_field: str) -> list[Reach]:
    """In the order of the machine ids. Three queries, and each credential is decrypted once."""
    ids = list(machine_ids)
    machines = Machine.objects.filter(pk__in=ids).values_list("pk", "device__name", address_field)
    found = {pk: (name, address) for pk, name, address in machines}
    endpoints = {row.machine_id: row for row in Endpoint.objects.filter(machine_id__in=ids, kind=kind)}
    wanted = {row.credential_id for row in endpoints.values() if row.credential_id}
    logins: dict[int, tuple[str, str]] = {}
    default = ("", "")
    default_name = DEFAULT_CREDENTIAL[kind]
    for credential in Credential.objects.filter(pk__in=wanted) | Credential.objects.filter(name=default_name):
        logins[credential.pk] = (credential.username, _revealed(credential))
        if credential.name == default_name:
            default = logins[credential.pk]
    reached = []
    for pk in ids:
        if pk not in found:
            continue
        name, address = found[pk]
        row = endpoints.get(pk)
        username, secret = logins[row.credential_id] if row and row.credential_id else default
        reached.append(
            Reach(
                machine_id=pk,
                name=name,
                address=(row.address if row else None) or address or "",
                port=(row.port if row else None) or DEFAULT_PORT[kind],
                username=username,
                secret=secret,
            )
        )
    return reached


def _revealed(credential: Credential) -> str:
    """The secret, or nothing when no key fits: the machines that need it fail with a message, the others go on."""
    try:
        return credential.reveal()
    except InvalidToken:
        log.error("credential_cannot_be_decrypted", credential=credential.name)
        return ""


def credential_login(credential_id: int | None) -> tuple[str, str] | None:
    """User name and secret of a credential; None when it is gone or no configured key fits."""
    credential = Credential.objects.filter(pk=credential_id).first() if credential_id is not None else None
    secret = _revealed(credential) if credential is not None else ""
    return (credential.username, secret) if credential is not None and secret else None


def ssh_targets(machine_ids: Iterable[int]) -> list[SshTarget]:
    """One target per existing machine, in the given order; four queries whatever their number.

    A machine without address or key still gets a target: running on it fails with a message that says so.
    """
    ids = list(machine_ids)
    known = dict(KnownHost.objects.filter(machine_id__in=ids, replaced_at=None).values_list("machine_id", "key"))
    return [
        SshTarget(
            address=reach.address,
            port=reach.port,
            username=reach.username,
            private_key=reach.secret,
            known_host=known.get(reach.machine_id),
            name=reach.name,
            machine_id=reach.machine_id,
        )
        for reach in _reach(ids, AccessKind.SSH, "primary_ip")
    ]


def bmc_targets(machine_ids: Iterable[int]) -> list[BmcTarget]:
    """One target per existing machine, in the given order; four queries whatever their number."""
    ids = list(machine_ids)
    pins = PinnedCertificate.objects.filter(machine_id__in=ids, replaced_at=None)
    pinned = {machine: bytes.fromhex(digest) for machine, digest in pins.values_list("machine_id", "fingerprint")}
    return [
        BmcTarget(
            machine_id=reach.machine_id,
            name=reach.name,
            address=reach.address,
            port=reach.port,
            username=reach.username,
            password=reach.secret,
            pinned=pinned.get(reach.machine_id),
        )
        for reach in _reach(ids, AccessKind.REDFISH, "bmc_ip")
    ]
