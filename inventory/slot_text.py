"""How a part is called wherever people read it. Pure.

    slot_text("GPU 2", "SXM 1")     SXM 1 (GPU 2)
    slot_text("NVMe 3", "Bay 3")    Bay 3 (NVMe 3)
    slot_text("PSU 2", "PSU 2")     PSU 2
    slot_text("DIMM A1", "A1")      DIMM A1

What is printed on the chassis comes first, because hands go there; the system's own name follows, because commands
take it. `frontend/src/text.ts` has the same rule, and both are tested on the same examples.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def slot_text(name: str, label: str = "") -> str:
    """The name of a slot for people, from its name in findings and what is printed at it."""
    label = label.strip()
    if not label or name == label or name.endswith(f" {label}"):
        return name
    return f"{label} ({name})"


def about(part: str, message: str) -> str:
    """A message in a line of its own, with the part as people read it before it: `SXM 6 (GPU 5): no links`. One of
    the whole machine, or that names its part itself, stands alone."""
    return message if part in ("", "machine") or message.startswith(part) else f"{part}: {message}"


def slot_texts(spec: Mapping[str, Any] | None) -> dict[str, str]:
    """The same for every slot of a device model's stored specification, by name; what is malformed is left out."""
    slots = spec.get("slots") if isinstance(spec, Mapping) else None
    rows = [row for row in slots if isinstance(row, Mapping)] if isinstance(slots, list | tuple) else []
    return {
        row["name"]: slot_text(row["name"], str(row.get("label") or ""))
        for row in rows
        if isinstance(row.get("name"), str)
    }
