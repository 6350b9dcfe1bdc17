"""Custom fields: values of a record's `custom` column, checked against what staff declared for its kind."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

from inventory.kinds.batch import Batch, Line, unknown_field
from inventory.models import CustomField

MAX_TEXT = 2000


def merged(before: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Only what is given changes; null takes a value away."""
    return {name: value for name, value in (before | given).items() if value is not None}


def declared(kind: str) -> dict[str, CustomField]:
    return {field.name: field for field in CustomField.objects.filter(kinds__contains=[kind])}


def check(batch: Batch) -> None:
    """Every given value fits its field, and required ones are there. One query."""
    lines = [line for line in batch.good if line.new or "custom" in line.given]
    if not lines or batch.mode == "delete":
        return
    fields = declared(batch.kind.name)
    for line in lines:
        given = line.given.get("custom") or {}
        for name, value in given.items():
            if name not in fields:
                line.refuse(f"cf_{name}", unknown_field(name, fields), "unknown_field")
            elif value is not None:
                _check_value(line, fields[name], value)
        for name, field in fields.items():
            if field.required and line.after.get("custom", {}).get(name) in (None, "", []):
                line.refuse(f"cf_{name}", "this field is required", "required")


def _check_value(line: Line, field: CustomField, value: Any) -> None:
    try:
        normal = CHECKS[field.type](field, value)
    except (ValueError, ArithmeticError) as error:
        line.refuse(f"cf_{field.name}", str(error), "invalid")
        return
    line.after["custom"][field.name] = normal


def _text(field: CustomField, value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("a text")
    if len(value) > MAX_TEXT:
        raise ValueError(f"at most {MAX_TEXT} letters")
    if field.pattern and not re.fullmatch(field.pattern, value):
        raise ValueError(f"must look like {field.pattern}")
    return value


def _integer(field: CustomField, value: Any) -> int:
    if isinstance(value, str) and re.fullmatch(r"[+-]?\d{1,18}", value):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError("a whole number")
    _bounds(field, Decimal(value))
    return value


def _number(field: CustomField, value: Any) -> float | int:
    if isinstance(value, str):
        try:
            number = float(value)
        except ValueError:
            raise ValueError("a number") from None
        value = int(number) if number.is_integer() else number
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value or abs(value) > 1e300:
        raise ValueError("a number")
    _bounds(field, Decimal(str(value)))
    return value


def _bounds(field: CustomField, value: Decimal) -> None:
    if field.minimum is not None and value < field.minimum:
        raise ValueError(f"at least {field.minimum.normalize():f}")
    if field.maximum is not None and value > field.maximum:
        raise ValueError(f"at most {field.maximum.normalize():f}")


def _boolean(field: CustomField, value: Any) -> bool:
    words = {"true": True, "false": False, "yes": True, "no": False}
    if isinstance(value, str) and value.lower() in words:
        return words[value.lower()]
    if not isinstance(value, bool):
        raise ValueError("true or false")
    return value


def _date(field: CustomField, value: Any) -> str:
    if isinstance(value, date):
        return value.isoformat()
    try:
        return date.fromisoformat(value).isoformat()
    except (TypeError, ValueError):
        raise ValueError("a date such as 2026-03-31") from None


def _url(field: CustomField, value: Any) -> str:
    text = _text(field, value)
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ValueError("an address that begins with http:// or https://")
    return text


def _choice(field: CustomField, value: Any) -> str:
    if value not in field.choices:
        raise ValueError(f"one of {', '.join(field.choices)}")
    return str(value)


def _choices(field: CustomField, value: Any) -> list[str]:
    values = [word.strip() for word in value.split(",")] if isinstance(value, str) else value
    if not isinstance(values, list) or any(each not in field.choices for each in values):
        raise ValueError(f"some of {', '.join(field.choices)}")
    return sorted(set(values))


CHECKS: dict[str, Callable[[CustomField, Any], Any]] = {
    "text": _text,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "date": _date,
    "url": _url,
    "choice": _choice,
    "choices": _choices,
}
