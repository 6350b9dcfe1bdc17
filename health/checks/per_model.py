"""What is worked out once for each device model and kept: the same is asked of every machine, every sweep."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from inventory.specs.device_model import DeviceModelSpec

MOST_KEPT = 128
T = TypeVar("T")


def per_model(make: Callable[[DeviceModelSpec], T]) -> Callable[[DeviceModelSpec], T]:
    """`make`, called once per device model. A spec never changes but cannot be hashed, so it is known by identity."""
    kept: dict[int, tuple[DeviceModelSpec, T]] = {}

    @wraps(make)
    def made(spec: DeviceModelSpec) -> T:
        found = kept.get(id(spec))
        if found is None:  # the spec is kept beside what was made of it, so its id is nobody else's
            if len(kept) >= MOST_KEPT:
                kept.clear()
            found = kept[id(spec)] = (spec, make(spec))
        return found[1]

    return made
