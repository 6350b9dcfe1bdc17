"""Custom fields of the rows of a write, checked against what staff declared for their kind."""

from __future__ import annotations

from typing import Any

from inventory.custom_fields import FieldDefinition, validate_custom
from inventory.kinds.batch import Batch, unknown_field
from inventory.models import CustomField


def declared(kind: str) -> list[FieldDefinition]:
    return [FieldDefinition.of(row) for row in CustomField.objects.filter(kinds__contains=[kind])]


def merged(before: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Only what is given changes; null takes a value away."""
    return {name: value for name, value in (before | given).items() if value is not None}


def check(batch: Batch) -> None:
    """Every given value fits its field, and required ones are there; `after` gets the values in their own type."""
    lines = [line for line in batch.good if line.new or "custom" in line.given]
    if not lines or batch.mode == "delete":
        return
    definitions = declared(batch.kind.part_of or batch.kind.name)
    known = [definition.name for definition in definitions]
    for line in lines:
        given, before = line.given.get("custom") or {}, line.before.get("custom") or {}
        values, errors = validate_custom(definitions, given, before)
        line.after["custom"] = values
        for name, reason in errors.items():
            if name not in known:
                line.refuse(f"cf_{name}", unknown_field(name, known), "unknown_field")
            else:
                line.refuse(f"cf_{name}", reason, "required" if given.get(name) in (None, "", []) else "invalid")
        if not line.new:
            line.changed = [name for name in line.changed if name != "custom"]
            if values != before:
                line.changed.append("custom")
