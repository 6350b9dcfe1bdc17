"""Values of the fields that a site's staff added: typed, required, one of several, within bounds, of a pattern.

Pure: definitions and values in, values and reasons out. The values that come back are what the `custom` column keeps:
text, numbers, booleans, dates as YYYY-MM-DD, lists of text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

from inventory.patterns import PatternRefused, pattern

MAX_TEXT = 2000
EXACT = 2**53  # integers beyond it lose digits in a browser
YES, NO = frozenset({"true", "yes", "1", "on"}), frozenset({"false", "no", "0", "off"})


@dataclass(frozen=True, slots=True)
class FieldDefinition:
    """What may stand in one custom field. `type` is one of inventory.models.CustomField.Type."""

    name: str
    type: str
    required: bool = False
    choices: tuple[str, ...] = ()
    pattern: str = ""
    minimum: Decimal | None = None
    maximum: Decimal | None = None

    @classmethod
    def of(cls, row: Any) -> FieldDefinition:
        """From anything with these attributes, such as a row of CustomField."""
        return cls(row.name, row.type, row.required, tuple(row.choices), row.pattern, row.minimum, row.maximum)


class _Bad(ValueError):
    """Why a value cannot stand in its field."""


def validate_custom(
    definitions: Sequence[FieldDefinition], given: Mapping[str, Any], current: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, str]]:
    """The values a record has after `given` was written over `current`, and what is wrong with which field.

    Fields that are not given keep their value; None and empty text take one away. Values may be of their type or, as
    from a CSV cell, text (several choices with semicolons between them). A name without a definition is refused; what
    `current` holds of a field that was since abolished is kept as it is. With any error the values are not to be used.
    """
    known = {definition.name: definition for definition in definitions}
    clean, errors = dict(current), {}
    for name, value in given.items():
        definition = known.get(name)
        if definition is None:
            errors[str(name)] = "There is no such custom field here."
            continue
        try:
            made = None if value is None or value in ("", []) else _READERS[definition.type](definition, value)
        except _Bad as bad:
            errors[name] = str(bad)
            continue
        if made is None or made in ("", []):
            clean.pop(name, None)
        else:
            clean[name] = made
    for definition in definitions:
        if definition.required and definition.name not in clean and definition.name not in errors:
            errors[definition.name] = "This field is required."
    return clean, errors


def check_definition(definition: FieldDefinition) -> dict[str, str]:
    """What is wrong with a definition itself, by its field."""
    errors: dict[str, str] = {}
    if definition.type in ("choice", "choices"):
        if not definition.choices:
            errors["choices"] = "A choice needs something to choose from."
        elif len(set(definition.choices)) != len(definition.choices):
            errors["choices"] = "A choice stands here twice."
        elif any(not choice or choice != choice.strip() or ";" in choice for choice in definition.choices):
            errors["choices"] = "A choice is text without semicolons, and without spaces around it."
    elif definition.choices:
        errors["choices"] = "Only choices have them."
    if definition.pattern:
        try:
            pattern(definition.pattern)
        except PatternRefused as refused:
            errors["pattern"] = f"This pattern is {refused}."
        if definition.type != "text":
            errors["pattern"] = "Only text has a pattern."
    low, high = definition.minimum, definition.maximum
    if definition.type not in ("integer", "number"):
        errors |= {
            name: "Only numbers have bounds."
            for name, bound in (("minimum", low), ("maximum", high))
            if bound is not None
        }
    elif low is not None and high is not None and low > high:
        errors["maximum"] = "The maximum is below the minimum."
    return errors


# ---- one reader per type ----


def _text(definition: FieldDefinition, value: Any) -> str:
    if not isinstance(value, str):
        raise _Bad("This is text.")
    value = value.strip()
    if len(value) > MAX_TEXT:
        raise _Bad(f"Text of at most {MAX_TEXT} characters.")
    if "\x00" in value:
        raise _Bad("Text has no null characters.")
    if definition.pattern and value:
        try:
            fits = pattern(definition.pattern).matches(value)
        except PatternRefused as refused:
            raise _Bad(f"The pattern of this field is {refused}.") from refused
        if not fits:
            raise _Bad(f"This does not match {definition.pattern}")
    return value


def _integer(definition: FieldDefinition, value: Any) -> int:
    number = _number(definition, value)
    if number != int(number):
        raise _Bad("This is a whole number.")
    return int(number)


def _number(definition: FieldDefinition, value: Any) -> int | float:
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        raise _Bad("This is a number.")
    if isinstance(value, str) and (len(value) > 40 or "_" in value):
        raise _Bad("This is a number.")
    try:
        number = float(value)
    except (ValueError, OverflowError):
        raise _Bad("This is a number.") from None
    if not math.isfinite(number) or abs(number) > EXACT:
        raise _Bad("This number is too large, or none.")
    if definition.minimum is not None and number < definition.minimum:
        raise _Bad(f"At least {definition.minimum.normalize():f}.")
    if definition.maximum is not None and number > definition.maximum:
        raise _Bad(f"At most {definition.maximum.normalize():f}.")
    return int(number) if number == int(number) else number


def _boolean(definition: FieldDefinition, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    word = value.strip().lower() if isinstance(value, str) else None
    if word not in YES | NO:
        raise _Bad("This is true or false.")
    return word in YES


def _date(definition: FieldDefinition, value: Any) -> str:
    try:
        # A datetime is a date too, but one with more to say than the column keeps: isoformat tells them apart.
        text = value.isoformat() if isinstance(value, date) else str(value).strip()
        if len(text) != len("2026-01-31"):
            raise ValueError
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise _Bad("This is a date, such as 2026-01-31.") from None


def _url(definition: FieldDefinition, value: Any) -> str:
    text = _text(definition, value)
    try:
        parts = urlsplit(text)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and not any(map(str.isspace, text))
    except ValueError:
        usable = False
    if not usable:
        raise _Bad("This is an address that begins with http:// or https://.")
    return text


def _choice(definition: FieldDefinition, value: Any) -> str:
    text = _text(definition, value)
    if text not in definition.choices:
        raise _Bad(f"This is one of {', '.join(definition.choices)}.")
    return text


def _choices(definition: FieldDefinition, value: Any) -> list[str]:
    items = [part for part in value.split(";") if part.strip()] if isinstance(value, str) else value
    if not isinstance(items, list | tuple):
        raise _Bad("This is a list.")
    chosen = {_choice(definition, item) for item in items}
    return [choice for choice in definition.choices if choice in chosen]  # in one order, so that equal is unchanged


_READERS: dict[str, Callable[[FieldDefinition, Any], Any]] = {
    "text": _text,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "date": _date,
    "url": _url,
    "choice": _choice,
    "choices": _choices,
}
