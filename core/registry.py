"""What a package offers to those below it: it registers itself at start-up, so that nobody imports upwards.

Each room lists its registrations in one place, its `registrations.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Offered(Generic[T]):
    """One thing that exactly one package above does. `what` says in words what is missing where nobody registered."""

    def __init__(self, what: str) -> None:
        self.what = what
        self._value: T | None = None

    def register(self, value: T) -> None:
        self._value = value

    def __call__(self) -> T:
        """What was registered. Raises LookupError where nothing was."""
        if self._value is None:
            raise LookupError(f"nobody registered {self.what}")
        return self._value


class AllOffered(Generic[T]):
    """What any number of packages above do, in the order in which they registered; each counts once."""

    def __init__(self) -> None:
        self._values: list[T] = []

    def register(self, *values: T) -> None:
        self._values += [value for value in values if value not in self._values]

    def __iter__(self) -> Iterator[T]:
        return iter(self._values)
