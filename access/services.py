"""Writes of access: endpoints, identities met and changed. Targets are read through `access.queries`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone

from access.bmc import BmcResult
from access.models import AccessKind, BmcRefusal, Endpoint, IdentityChange, KnownHost, PinnedCertificate, Source
from access.queries import default_credential
from access.refusals import counted
from core.models import Credential
from core.outgoing.binding import Purpose
from drivers.ssh import SshFailureKind, SshResult, key_fingerprint
from inventory.models import Machine

__all__ = [
    "EndpointRow",
    "EndpointsRefused",
    "accept_change",
    "ask_bmcs_again",
    "delete_endpoint",
    "install_host_key",
    "load_endpoints",
    "own_bmc_login",
    "record_bmc_identities",
    "record_certificate_change",
    "record_host_key_change",
    "record_identities",
    "save_endpoint",
]


class EndpointsRefused(Exception):
    """An endpoints file names something that does not exist; nothing was changed."""


@dataclass(frozen=True, slots=True)
class EndpointRow:
    """One override: the machine's name, the kind, and what differs from the default."""

    machine: str
    kind: str
    address: str | None = None
    port: int | None = None
    credential: str | None = None


# ---- identities ----


def _record_first_keys(keys: Mapping[int, str], actor: str) -> None:
    """Keep these host keys where none is known. Another worker may have been first: then its key stays."""
    known = set(KnownHost.objects.filter(machine_id__in=keys, replaced_at=None).values_list("machine_id", flat=True))
    rows = [
        KnownHost(
            machine_id=machine_id,
            key=key,
            fingerprint=key_fingerprint(key),
            source=Source.FIRST_CONTACT,
            recorded_by=actor,
        )
        for machine_id, key in sorted(keys.items())
        if machine_id not in known
    ]
    KnownHost.objects.bulk_create(rows, ignore_conflicts=True)


@transaction.atomic
def record_host_key_change(machine_id: int, presented_key: str) -> IdentityChange | None:
    """Note that a machine presented another host key than the known one. The known one stays in force.

    Returns None when the key in force is this one after all: it was installed while the other contact was under way.
    """
    known = KnownHost.objects.filter(machine_id=machine_id, replaced_at=None).first()
    if known is None or known.key == presented_key:
        return None
    return _note_change(machine_id, AccessKind.SSH, known.fingerprint, presented_key, key_fingerprint(presented_key))


@transaction.atomic
def record_certificate_change(machine_id: int, presented: bytes) -> IdentityChange | None:
    """Note that a BMC presented another certificate than the pinned one, which stays in force."""
    pinned = PinnedCertificate.objects.filter(machine_id=machine_id, replaced_at=None).first()
    if pinned is None or pinned.fingerprint == presented.hex():
        return None
    return _note_change(machine_id, AccessKind.REDFISH, pinned.fingerprint, presented.hex(), presented.hex())


def _note_change(machine_id: int, kind: str, known: str, presented: str, fingerprint: str) -> IdentityChange:
    now = timezone.now()
    change, created = IdentityChange.objects.select_for_update().get_or_create(
        machine_id=machine_id,
        kind=kind,
        presented_fingerprint=fingerprint,
        resolved_at=None,
        defaults={"known": known, "presented": presented, "first_seen_at": now, "last_seen_at": now},
    )
    if not created:
        change.times_seen += 1
        change.last_seen_at = now
        change.save(update_fields=["times_seen", "last_seen_at"])
    return change


def record_identities(results: Iterable[SshResult], *, actor: str = "sweep") -> None:
    """Record every first contact and every changed key among the results of one shard."""
    first: dict[int, str] = {}
    for result in results:
        machine_id, key = result.target.machine_id, result.presented_key
        if machine_id is None or key is None:
            continue
        if result.first_contact:
            first[machine_id] = key
        elif result.failure is not None and result.failure.kind == SshFailureKind.HOST_KEY_CHANGED:
            record_host_key_change(machine_id, key)
    if first:
        _record_first_keys(first, actor)


def record_bmc_identities(results: Iterable[BmcResult], *, actor: str = "sweep") -> None:
    """Pin every BMC certificate met for the first time, and note every changed one and every refused login."""
    results = list(results)
    _record_refusals(results)
    first: dict[int, bytes] = {}
    for result in results:
        if result.changed_to is not None:
            record_certificate_change(result.target.machine_id, result.changed_to)
        elif result.target.pinned is None and result.fingerprint is not None:
            first[result.target.machine_id] = result.fingerprint
    if not first:
        return
    live = PinnedCertificate.objects.filter(machine_id__in=first, replaced_at=None)
    known = set(live.values_list("machine_id", flat=True))
    rows = [
        PinnedCertificate(
            machine_id=machine_id, fingerprint=digest.hex(), source=Source.FIRST_CONTACT, recorded_by=actor
        )
        for machine_id, digest in sorted(first.items())
        if machine_id not in known
    ]
    PinnedCertificate.objects.bulk_create(rows, ignore_conflicts=True)


def _record_refusals(results: Iterable[BmcResult]) -> None:
    """No statement where nobody refuses anything and nobody did. One who lets us in is no longer known for it."""
    now = timezone.now()
    rows = [
        BmcRefusal(
            machine_id=each.target.machine_id, credential_id=each.target.sent.credential,
            address=each.target.sent.address, times=counted(each.target.refusal, each.target.sent), refused_at=now,
        )
        for each in results
        if each.refused and each.target.sent is not None
    ]  # fmt: skip
    if rows:
        columns = ["credential", "address", "times", "refused_at"]
        BmcRefusal.objects.bulk_create(
            sorted(rows, key=lambda row: row.machine_id), update_conflicts=True, unique_fields=["machine"],
            update_fields=columns,
        )  # fmt: skip
    let_in = [each.target.machine_id for each in results if each.target.refusal and each.fingerprint is not None]
    if let_in:
        ask_bmcs_again(let_in)


def ask_bmcs_again(machine_ids: Iterable[int]) -> None:
    """Somebody wants these BMCs asked: what they refused is sent once more."""
    BmcRefusal.objects.filter(machine_id__in=list(machine_ids)).delete()


def install_host_key(machine_id: int, public_key: str, *, actor: str, source: Source = Source.INSTALLED) -> KnownHost:
    """Make this the machine's host key, in the caller's transaction; the old one becomes history."""
    with transaction.atomic():
        Machine.objects.select_for_update().get(pk=machine_id)
        key = " ".join(public_key.split()[:2])
        now = timezone.now()
        KnownHost.objects.filter(machine_id=machine_id, replaced_at=None).update(replaced_at=now)
        _overtake(machine_id, AccessKind.SSH, actor)
        return KnownHost.objects.create(
            machine_id=machine_id, key=key, fingerprint=key_fingerprint(key), source=source, recorded_by=actor
        )


def _overtake(machine_id: int, kind: str, actor: str) -> None:
    IdentityChange.objects.filter(machine_id=machine_id, kind=kind, resolved_at=None).update(
        resolved_at=timezone.now(), resolved_by=actor, resolution=IdentityChange.Resolution.OVERTAKEN
    )


@transaction.atomic
def accept_change(change_id: int, *, actor: str) -> IdentityChange:
    """A person trusts the presented identity: it replaces the one in force. Raises IdentityChange.DoesNotExist."""
    change = IdentityChange.objects.select_for_update().get(pk=change_id, resolved_at=None)
    change.resolved_at, change.resolved_by = timezone.now(), actor
    change.resolution = IdentityChange.Resolution.ACCEPTED
    change.save(update_fields=["resolved_at", "resolved_by", "resolution"])
    if change.kind == AccessKind.SSH:
        install_host_key(change.machine_id, change.presented, actor=actor, source=Source.ACCEPTED)
        return change
    Machine.objects.select_for_update().get(pk=change.machine_id)
    PinnedCertificate.objects.filter(machine_id=change.machine_id, replaced_at=None).update(replaced_at=timezone.now())
    _overtake(change.machine_id, AccessKind.REDFISH, actor)
    PinnedCertificate.objects.create(
        machine_id=change.machine_id, fingerprint=change.presented, source=Source.ACCEPTED, recorded_by=actor
    )
    return change


# ---- endpoints ----


@transaction.atomic
def load_endpoints(rows: Iterable[EndpointRow], *, site_slug: str) -> int:
    """Create or replace the endpoints of machines of one site, in bulk; returns how many. Raises EndpointsRefused."""
    wanted = list(rows)
    machines = dict(Machine.objects.filter(device__site__slug=site_slug).values_list("device__name", "pk"))
    credentials = dict(Credential.objects.values_list("name", "pk"))
    problems = []
    for row in wanted:
        if row.machine not in machines:
            problems.append(f"no machine {row.machine} at site {site_slug}")
        if row.kind not in AccessKind.values:
            problems.append(f"{row.machine}: unknown kind {row.kind}")
        if row.credential is not None and row.credential not in credentials:
            problems.append(f"{row.machine}: no credential {row.credential}")
    if problems:
        raise EndpointsRefused("; ".join(problems[:10]))
    Endpoint.objects.bulk_create(
        [
            Endpoint(
                machine_id=machines[row.machine],
                kind=row.kind,
                address=row.address,
                port=row.port,
                credential_id=credentials[row.credential] if row.credential else None,
            )
            for row in wanted
        ],
        update_conflicts=True,
        unique_fields=["machine", "kind"],
        update_fields=["address", "port", "credential"],
    )
    return len(wanted)


@transaction.atomic
def own_bmc_login(machine_id: int, *, username: str, password: str) -> Credential:
    """Let one BMC be signed in to with a password of its own from now on, at the hosts of its login from before.

    Only its secret changes where it has one already.
    """
    machine = Machine.objects.select_for_update(of=("self",)).select_related("device").get(pk=machine_id)
    endpoint, _ = Endpoint.objects.get_or_create(machine=machine, kind=AccessKind.REDFISH)
    before = endpoint.credential or default_credential(AccessKind.REDFISH)
    name = f"bmc of machine {machine_id}"
    own = Credential.objects.filter(name=name).first() or Credential(
        name=name, kind=Credential.Kind.PASSWORD, purpose=Purpose.BMC.value, site_id=machine.device.site_id,
        hosts=(before.hosts if before else []) or [str(endpoint.address or machine.bmc_ip)],
    )  # fmt: skip
    own.username = username
    own.set_secret(password)
    own.save()
    if endpoint.credential_id != own.pk:
        endpoint.credential = own
        endpoint.save(update_fields=["credential"])
    return own


@transaction.atomic
def save_endpoint(endpoint: Endpoint | None, fields: Mapping[str, Any]) -> Endpoint:
    """Create or change one endpoint."""
    endpoint = endpoint or Endpoint()
    for name, value in fields.items():
        setattr(endpoint, name, value)
    endpoint.save()
    return endpoint


def delete_endpoint(endpoint: Endpoint) -> None:
    """Go back to the defaults for this machine."""
    endpoint.delete()
