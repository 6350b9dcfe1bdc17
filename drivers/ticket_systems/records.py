"""What both ticket systems have, in words of ours: plain values, and how one is asked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from drivers.https import Answer, BadStatus, HttpsSession, sorted_out


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


class System(ABC):
    """One system. Use as an async context manager. Every method raises ApplianceError's family or Wrong."""

    api: ClassVar[str]
    """Path of its REST API."""

    def __init__(self, https: HttpsSession) -> None:
        self._https = https

    async def __aenter__(self) -> Self:
        await self._https.__aenter__()
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self._https.__aexit__(*exc_info)

    async def _send(self, method: str, path: str, **more: Any) -> Answer:
        try:
            return await self._https.send(method, self.api + path, **more)
        except BadStatus as error:
            if error.status == 400:
                raise Wrong(self.said(error.body) or str(error)) from error
            raise sorted_out(error) from error

    @staticmethod
    @abstractmethod
    def said(body: Any) -> str:
        """Why it refuses, in its own words; empty where it gives none."""

    @abstractmethod
    async def myself(self) -> str:
        """How it names our account."""

    @abstractmethod
    async def find(self, mark: str) -> Record | None:
        """The record that carries our mark, such as REP-2041: one that was made before its answer was lost."""

    @abstractmethod
    async def create(self, mark: str, fields: dict[str, Any]) -> Record: ...

    @abstractmethod
    async def comment(self, record: str, text: str) -> str:
        """Add a comment; its id, empty where the system gives none."""

    @abstractmethod
    async def remarks(self, record: str) -> Sequence[Remark]:
        """All comments, oldest first."""

    @abstractmethod
    async def state(self, record: str) -> str:
        """The status it has now, as its API names it."""

    @abstractmethod
    async def move(self, record: str, status: str, fields: dict[str, Any]) -> None:
        """Bring it to a status. One that it has already is no error."""

    @abstractmethod
    async def problems(self, fields: dict[str, Any], statuses: Sequence[str]) -> list[str]:
        """What of a map it does not have, a sentence each."""
