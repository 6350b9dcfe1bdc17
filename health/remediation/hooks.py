"""What the rooms above add to automation. They register it at start-up."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime

from core.registry import AllOffered

supply_in_doubt = AllOffered[Callable[[int, Collection[int], datetime], set[int]]]()
"""Each says of these machines of a site on which of their feeds something does not tell now, or tells that it carries
nothing: a supply that fails there may be the feed's."""
