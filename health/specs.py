"""Device models as stored in the inventory, parsed once per process."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import orjson

from inventory.spec import DeviceModelSpec


@lru_cache(maxsize=128)
def _parsed(serialized: bytes) -> DeviceModelSpec:
    return DeviceModelSpec.from_dict(orjson.loads(serialized))


def spec_of(stored: dict[str, Any]) -> DeviceModelSpec:
    """The device model of a `DeviceModel.spec` column. Raises DeviceModelError."""
    return _parsed(orjson.dumps(stored, option=orjson.OPT_SORT_KEYS))
