"""What the comparison asks of the packages above. They register it in `fabric/registrations.py`."""

from __future__ import annotations

from collections.abc import Callable

from core.registry import Offered
from fabric.discovery.models.sources import FabricSource
from fabric.facts import SeenPort

disabled_links = Offered[Callable[[FabricSource], set[frozenset[SeenPort]]]]("disabled links")
"""Both ends of every link of a source that was disabled on purpose. One query."""
