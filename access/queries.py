"""Where and as whom to log in, for many machines in a constant number of queries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any

from django.db.models import Q
from django.utils import timezone

from access.logins import Login, Opened, closed, opened
from access.models import AccessKind, Endpoint, KnownHost, PinnedCertificate
from access.refusals import Refusal, Sent, standing
from core.models import Credential
from core.outgoing.binding import Purpose, Refused
from core.outgoing.gate import Gate
from drivers.redfish import RedfishClient
from drivers.ssh import SshTarget
from inventory.models import Machine

DEFAULT_CREDENTIAL = {AccessKind.SSH: "ssh", AccessKind.REDFISH: "bmc"}
PURPOSE = {AccessKind.SSH: Purpose.SSH, AccessKind.REDFISH: Purpose.BMC}
CLOSED = Gate(refusal="nobody permitted this call")
DEFAULT_PORT = {AccessKind.SSH: 22, AccessKind.REDFISH: 443}


@dataclass(frozen=True, slots=True)
class Reach:
    """One machine's address, port and login of one kind. Its gate may be closed: then a call says why."""

    machine_id: int
    name: str
    address: str
    port: int
    login: Login
    credential: int | None = None
    changed_at: datetime | None = None
    refusal: Refusal | None = None
    """Of a BMC: the login that it refused last."""


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
    gate: Gate = CLOSED
    """Decides about the address of every connection."""
    sent: Sent | None = None
    refusal: Refusal | None = None
    refused: str = ""
    """Why this login, which the BMC refused, is not sent now: a client of it signs in nowhere."""

    def client(self, timeout_s: float = 10, *, keep: bool = False) -> RedfishClient:
        host = f"[{self.address}]" if ":" in self.address else self.address
        return RedfishClient(
            f"https://{host}:{self.port}",
            self.username,
            self.password,
            pinned=self.pinned,
            timeout_s=timeout_s,
            gate=self.gate,
            keep=keep,
            refused=self.refused,
        )


def default_credential(kind: str) -> Credential | None:
    """What is used where an endpoint names none."""
    return Credential.objects.filter(name=DEFAULT_CREDENTIAL[AccessKind(kind)]).first()


REFUSAL = [f"bmc_refusal__{name}" for name in ("credential_id", "address", "times", "refused_at")]


def _reach(machine_ids: Iterable[int], kind: AccessKind, address_field: str) -> list[Reach]:
    """In the order of the machine ids. Three queries, and each credential is decrypted once for each site."""
    ids = list(machine_ids)
    columns = ["pk", "device__name", "device__site_id", address_field]
    columns += REFUSAL if kind is AccessKind.REDFISH else []
    found = {pk: rest for pk, *rest in Machine.objects.filter(pk__in=ids).values_list(*columns)}
    endpoints = {row.machine_id: row for row in Endpoint.objects.filter(machine_id__in=ids, kind=kind)}
    wanted = {row.credential_id for row in endpoints.values() if row.credential_id}
    name = DEFAULT_CREDENTIAL[kind]
    stored = {row.pk: row for row in Credential.objects.filter(Q(pk__in=wanted) | Q(name=name))}
    default = next((row for row in stored.values() if row.name == name), None)

    @cache
    def login_of(credential: Credential, site: int) -> Opened | Login:
        try:
            return opened(credential, PURPOSE[kind], site=site)
        except Refused as error:
            return closed(str(error))

    reached = []
    for pk in ids:
        if pk not in found:
            continue
        device, site, known, *refused = found[pk]
        row = endpoints.get(pk)
        credential = stored[row.credential_id] if row and row.credential_id else default
        override = (row.address if row else None) or ""
        address = override or known or ""
        reached.append(
            Reach(
                machine_id=pk,
                name=device,
                address=address,
                port=(row.port if row else None) or DEFAULT_PORT[kind],
                login=_at(login_of(credential, site), address, of_inventory=address == (known or ""))
                if credential
                else closed(f"There is no credential named {name}."),
                credential=credential.pk if credential else None,
                changed_at=credential.changed_at if credential else None,
                refusal=_refusal(*refused) if refused else None,
            )
        )
    return reached


def _refusal(credential: int | None, address: str, times: int, at: datetime) -> Refusal | None:
    return None if credential is None else Refusal(Sent(credential, address), times, at)


def _at(login: Opened | Login, address: str, *, of_inventory: bool) -> Login:
    if isinstance(login, Login) or not address:
        return login if isinstance(login, Login) else closed("no address is known")
    try:
        return login.at(address, of_inventory=of_inventory)
    except Refused as error:
        return closed(str(error))


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
            username=reach.login.username,
            private_key=reach.login.secret,
            known_host=known.get(reach.machine_id),
            name=reach.name,
            machine_id=reach.machine_id,
            gate=reach.login.gate,
        )
        for reach in _reach(ids, AccessKind.SSH, "primary_ip")
    ]


def bmc_targets(machine_ids: Iterable[int]) -> list[BmcTarget]:
    """One target per existing machine, in the given order; four queries whatever their number."""
    ids = list(machine_ids)
    pins = PinnedCertificate.objects.filter(machine_id__in=ids, replaced_at=None)
    pinned = {machine: bytes.fromhex(digest) for machine, digest in pins.values_list("machine_id", "fingerprint")}
    now = timezone.now()
    return [
        BmcTarget(
            machine_id=reach.machine_id,
            name=reach.name,
            address=reach.address,
            port=reach.port,
            username=reach.login.username,
            password=reach.login.secret,
            pinned=pinned.get(reach.machine_id),
            gate=reach.login.gate,
            **_told_by_refusals(reach, now),
        )
        for reach in _reach(ids, AccessKind.REDFISH, "bmc_ip")
    ]


def refused_logins(machine_ids: Iterable[int]) -> dict[int, str]:
    """Machines whose BMC refused the login on record, which is therefore not sent now, and why. Four queries."""
    return {target.machine_id: target.refused for target in bmc_targets(machine_ids) if target.refused}


def _told_by_refusals(reach: Reach, now: datetime) -> dict[str, Any]:
    if reach.credential is None or reach.changed_at is None or not reach.address:
        return {}
    sent = Sent(reach.credential, reach.address)
    refused = standing(reach.refusal, sent, reach.changed_at, now)
    return {"sent": sent, "refusal": reach.refusal, "refused": refused}
