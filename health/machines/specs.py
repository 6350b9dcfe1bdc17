"""Device models as stored in the inventory, parsed once per process; one that cannot be used says why.

A stored model may be unusable: written before a rule was made, or past every check. That costs the machines of this
model their verdicts, with the reason, and nobody else anything.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import orjson

from drivers.shell import UnsafeWord
from health.checks.probes.script import probe_script
from inventory.models.stored_json import Unreadable
from inventory.specs.device_model import DeviceModelError, DeviceModelSpec, Slot

MOST_CHARACTERS = 600


@lru_cache(maxsize=256)
def _parsed(serialized: bytes) -> DeviceModelSpec | str:
    """The model, or why it is none: one that is broken is asked for as often as one that is not."""
    try:
        spec = DeviceModelSpec.from_dict(orjson.loads(serialized), source="")
        probe_script(spec)
    except (DeviceModelError, UnsafeWord) as error:
        return str(error).removeprefix(": ")[:MOST_CHARACTERS]
    except Exception as error:  # nothing that a model says may take the machines of other models with it
        return _cannot_be_read(f"{type(error).__name__}: {error}")
    return spec


def _known(stored: Any) -> DeviceModelSpec | str:
    """The model, or why it is none. Never raises: whoever tells the reason must not meet it again."""
    if isinstance(stored, Unreadable):
        return _cannot_be_read(stored.why)
    try:
        serialized = orjson.dumps(stored, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)
    except TypeError as error:  # a number of more than 64 bits, more than 254 levels, a text that is no Unicode
        return _cannot_be_read(f"{type(error).__name__}: {error}")
    return _parsed(serialized)


def _cannot_be_read(why: str) -> str:
    return f"cannot be read ({why})"[:MOST_CHARACTERS]


def spec_of(stored: Any) -> DeviceModelSpec:
    """The device model of a `DeviceModel.spec` column. Raises DeviceModelError."""
    found = _known(stored)
    if isinstance(found, str):
        raise DeviceModelError(found)
    return found


def usable(stored: Any) -> DeviceModelSpec | None:
    """The device model, or None where it cannot be used."""
    found = _known(stored)
    return None if isinstance(found, str) else found


def why_unusable(slug: str, stored: Any) -> str:
    """A sentence that names the model, its field and the reason; empty for a model that can be used."""
    found = _known(stored)
    return f"the device model {slug}'s spec cannot be used: {found}" if isinstance(found, str) else ""


def slot_of(stored: Any, name: str) -> Slot | None:
    """A slot of a device model; None where it has none of that name, or cannot be used."""
    spec = usable(stored)
    return spec.slot(name) if spec is not None else None


def slot_names(stored: Any) -> frozenset[str]:
    """Names of the slots, as far as a model tells them that cannot be used otherwise."""
    if (spec := usable(stored)) is not None:
        return frozenset(slot.name for slot in spec.slots)
    slots = stored.get("slots") if isinstance(stored, dict) else None
    names = [slot.get("name") for slot in slots or () if isinstance(slot, dict)] if isinstance(slots, list) else []
    return frozenset(name for name in names if isinstance(name, str))
