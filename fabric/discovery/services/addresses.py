"""Where a source's login is sent: one table, for what is stored and for what is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from access.logins import Opened, opened_by_id
from core.models import Credential
from core.outgoing.binding import Purpose, Refused
from core.outgoing.permits import permit
from fabric.discovery.models.sources import FabricSource
from fabric.discovery.services.readers import SourceUnreadable

Kind = FabricSource.Kind
PURPOSES: Mapping[str, Purpose] = {
    Kind.IBDIAGS: Purpose.SSH, Kind.UFM: Purpose.UFM, Kind.EAPI: Purpose.SWITCH, Kind.NVUE: Purpose.SWITCH,
}  # fmt: skip
"""The other kinds send no credential of their own."""


def addresses_named(kind: str, address: str, options: Mapping[str, Any]) -> list[str]:
    """The addresses that a source with these settings calls, as far as they do not come from the inventory."""
    if kind in (Kind.EAPI, Kind.NVUE):
        named = options.get("switches")
        return [each for each in named if isinstance(each, str)] if isinstance(named, list) else []
    return [address] if address else []


def permit_calls(kind: str, address: str, options: Mapping[str, Any], credential: Credential | None, site: int) -> None:
    """Raises Refused for a credential of another kind, and for an address that it, or anybody, must not be sent to."""
    for each in addresses_named(kind, address, options):
        permit(credential, PURPOSES.get(kind), each, site=site)


def opened_of(source: FabricSource) -> Opened:
    """The login of a source. Raises SourceUnreadable with the reason why there is none."""
    try:
        return opened_by_id(source.credential_id, PURPOSES[source.kind], site=source.site_id)
    except Refused as error:
        raise SourceUnreadable(str(error)) from error
