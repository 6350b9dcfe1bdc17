"""Connects the import from NetBox to the driver: the inventory itself talks to nobody outside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from drivers.netbox import NetBoxAuthError, NetBoxClient, NetBoxError, NetBoxStatus, Page
from inventory.netbox.source import Address, Source, SourceDenied, SourceError


class Connection:
    """A NetBox as the inventory sees it."""

    def __init__(self, client: NetBoxClient) -> None:
        self.client = client

    def version(self) -> str:
        with _translated():
            return self.client.status().version

    def page(self, endpoint: str, filters: Mapping[str, Any], after_id: int) -> Page:
        with _translated():
            return self.client.page(endpoint, filters, after_id=after_id)

    def count(self, endpoint: str, filters: Mapping[str, Any]) -> int:
        with _translated():
            return self.client.count(endpoint, filters)


@contextmanager
def connect(address: Address) -> Iterator[Source]:
    """Raises SourceError, also for an address or token that cannot be one."""
    with _translated():
        client = NetBoxClient(
            address.url,
            address.token,
            timeout_s=address.timeout_s,
            retries=address.retries,
            page_size=address.page_size,
            verify=address.verify,
            ca_file=address.ca_file,
            gate=address.gate,
        )
    with client:
        yield Connection(client)


@contextmanager
def _translated() -> Iterator[None]:
    """The driver's errors as the inventory's."""
    try:
        yield
    except NetBoxAuthError as error:
        raise (SourceDenied if error.about_rights else SourceError)(str(error)) from error
    except NetBoxStatus as error:
        raise (SourceDenied if error.status == 404 else SourceError)(str(error)) from error
    except NetBoxError as error:
        raise SourceError(str(error)) from error
