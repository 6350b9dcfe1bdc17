"""The connection to a NetBox, as this room sees it. A room above makes it: only those talk to the outside world."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

from core.outgoing.gate import Gate


class SourceError(Exception):
    """NetBox gave no usable answer; the text says what and where."""


class SourceDenied(SourceError):
    """The token may not read this list, or this NetBox has none such."""


class Page(Protocol):
    """Rows in the order of their ids; `remaining` is how many follow, `last_id` where to continue."""

    @property
    def rows(self) -> list[dict[str, Any]]: ...
    @property
    def remaining(self) -> int: ...
    @property
    def last_id(self) -> int: ...


class Source(Protocol):
    """One NetBox. Every method raises SourceError's family."""

    def version(self) -> str: ...
    def page(self, endpoint: str, filters: Mapping[str, Any], after_id: int) -> Page: ...
    def count(self, endpoint: str, filters: Mapping[str, Any]) -> int: ...


@dataclass(frozen=True)
class Address:
    """Where a NetBox is and how to get in. The token is for this use only and is never kept."""

    url: str
    token: str = field(repr=False)
    ca_file: str | None = None
    verify: bool = True
    timeout_s: float = 60
    retries: int = 5
    page_size: int = 500
    gate: Gate | None = None
    """Decides about the address of every connection."""


Connect = Callable[[Address], AbstractContextManager[Source]]
_connect: list[Connect] = []


def register(connect: Connect) -> None:
    """Say how to connect; called once, by a room above, when the service starts."""
    _connect[:] = [connect]


def connect(address: Address) -> AbstractContextManager[Source]:
    """Raises SourceError, also for an address or token that cannot be one."""
    return _connect[0](address)
