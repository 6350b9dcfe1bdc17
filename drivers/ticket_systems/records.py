"""What both ticket systems have, in words of ours. Plain values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self


class Wrong(Exception):
    """The system refuses what it was sent: a field, a value or a status that it does not have. Trying it again as it is
    changes nothing; the text is the system's own."""


@dataclass(frozen=True)
class Record:
    """A ticket there. `id` is what its API takes, `key` what people read."""

    id: str
    key: str
    status: str = ""


@dataclass(frozen=True)
class Remark:
    """A comment there; `author` as its API names accounts."""

    id: str
    text: str
    author: str


class System(Protocol):
    """One system. Use as an async context manager. Every method raises ApplianceError's family or Wrong."""

    async def __aenter__(self) -> Self: ...

    async def __aexit__(self, *exc_info: object) -> None: ...

    async def myself(self) -> str:
        """How it names our account."""
        ...

    async def find(self, mark: str) -> Record | None:
        """The record that carries our mark, such as REP-2041: one that was made before its answer was lost."""
        ...

    async def create(self, mark: str, fields: dict[str, Any]) -> Record: ...

    async def comment(self, record: str, text: str) -> str:
        """Add a comment; its id, empty where the system gives none."""
        ...

    async def remarks(self, record: str) -> Sequence[Remark]:
        """All comments, oldest first."""
        ...

    async def move(self, record: str, status: str, fields: dict[str, Any]) -> None:
        """Bring it to a status. One that it has already is no error."""
        ...

    async def problems(self, fields: dict[str, Any], statuses: Sequence[str]) -> list[str]:
        """What of a map it does not have, a sentence each."""
        ...
