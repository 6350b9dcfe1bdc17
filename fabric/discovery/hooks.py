"""What becomes of what was read. The package above registers it in `fabric/registrations.py`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from django.db.models import QuerySet

from core.registry import AllOffered, Offered
from fabric.discovery.models.sources import Discovery, FabricSource
from fabric.discovery.services.readers import Look


class Comparison(Protocol):
    """What was read beside the plan."""

    def compare(self, source: FabricSource, look: Look, *, believed: bool = False) -> Any: ...
    def store(self, source: FabricSource, discovery: Discovery, outcome: Any) -> None: ...
    def diagnosis_of(self, discovery: Discovery) -> dict[str, Any]: ...
    def still_evidence(self) -> QuerySet[Discovery]: ...


@dataclass(frozen=True)
class Use:
    """What the packages above do with a source: why it cannot be removed now (empty: it can), and what goes with it."""

    in_the_way: Callable[[FabricSource], str]
    forget: Callable[[FabricSource], None]


comparison = Offered[Comparison]("the comparison with the plan")
uses = AllOffered[Use]()
