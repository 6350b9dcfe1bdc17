"""`permit`: may this server connect there, with that credential? Asked by every route and before every call."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from rest_framework.exceptions import ValidationError

from core.models import Credential
from core.outgoing import addresses
from core.outgoing.binding import Binding, Purpose, Refused, decide
from core.outgoing.gate import Gate


def binding_of(credential: Credential) -> Binding:
    return Binding(
        credential.name,
        credential.purpose,
        tuple(credential.hosts),
        credential.site_id,
        key=credential.kind == Credential.Kind.SSH_KEY,
    )


def permit(
    credential: Credential | Binding | None,
    purpose: Purpose | None,
    address: str,
    *,
    site: int | None,
    of_inventory: bool = False,
    local: bool | None = None,
) -> Gate:
    """The gate for a call to `address` (HOST, HOST:PORT or an URL). Raises Refused with a sentence.

    Nothing is resolved here: the gate decides on the address that is connected to. `local` is the setting
    LOCAL_ADDRESSES unless the caller has one of its own.
    """
    try:
        host, _ = addresses.split(address, 0)
    except ValueError as error:
        raise Refused(f"{error}.") from error
    return decide(
        binding_of(credential) if isinstance(credential, Credential) else credential,
        purpose,
        host,
        site=site,
        of_inventory=of_inventory,
        local=settings.LOCAL_ADDRESSES if local is None else local,
        services=tuple(settings.OWN_SERVICES),
    )


def open_gate(*, local: bool) -> Gate:
    """The gate of calls without a stored credential, whose hosts were permitted one by one when they were stored."""
    return Gate(local=local, services=tuple(settings.OWN_SERVICES))


def permit_field(field: str, *args: Any, **options: Any) -> Gate:
    """`permit` for a serializer: a refusal is the problem of this field."""
    try:
        return permit(*args, **options)
    except Refused as error:
        raise ValidationError({field: [str(error)]}) from error
