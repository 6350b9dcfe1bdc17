"""The only place that decrypts credentials: a login is given together with the gate of the one host it is for."""

from __future__ import annotations

from dataclasses import dataclass, field

import structlog
from cryptography.fernet import InvalidToken

from core.models import Credential
from core.outgoing.binding import Binding, Purpose, Refused, check_kind
from core.outgoing.gate import Gate
from core.outgoing.permits import binding_of, permit

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Login:
    """Who signs in at one host; a driver asks the gate for the address of every connection."""

    username: str
    secret: str = field(repr=False)
    gate: Gate


@dataclass(frozen=True, slots=True)
class Opened:
    """A credential that one kind of service at one site may use; `at` gives its login for a host."""

    binding: Binding
    purpose: Purpose
    username: str
    site: int | None
    _secret: str = field(repr=False)

    def at(self, address: str, *, of_inventory: bool = False) -> Login:
        """For HOST, HOST:PORT or an URL. Raises Refused for one that the credential is not for."""
        gate = permit(self.binding, self.purpose, address, site=self.site, of_inventory=of_inventory)
        return Login(self.username, self._secret, gate)


def opened(credential: Credential, purpose: Purpose, *, site: int | None) -> Opened:
    """Raises Refused for a credential of another kind or site, and when no configured key decrypts it."""
    binding = binding_of(credential)
    check_kind(binding, purpose, site)
    try:
        secret = credential.reveal()
    except InvalidToken:
        log.error("credential_cannot_be_decrypted", credential=credential.name)
        raise Refused(f"No configured key decrypts the credential {credential.name}.") from None
    return Opened(binding, purpose, credential.username, site, secret)


def opened_by_id(credential_id: int | None, purpose: Purpose, *, site: int | None) -> Opened:
    """The same by id. Raises Refused also when there is none."""
    credential = Credential.objects.filter(pk=credential_id).first() if credential_id is not None else None
    if credential is None:
        raise Refused(f"A credential for {purpose.words} is needed.")
    return opened(credential, purpose, site=site)


def closed(reason: str) -> Login:
    """A login that reaches nothing, so that one machine fails with the reason and the others go on."""
    return Login("", "", Gate(refusal=reason))
