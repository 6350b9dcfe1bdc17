"""Records as flat cells of text and back. Pure.

A reference is its natural key: the name, and where that is not enough the columns beside it (site, room, device). Ends
of cables are columns of their own; several plugs on a side stand in one cell with semicolons between them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from inventory.kinds.kind import Field, Kind

END_COLUMNS = ("device", "port", "connector", "lane", "serial")
SIDES = ("a", "b")
CUSTOM = "cf_"
SEVERAL = "; "

# What a spreadsheet would run. A sign before a plain number or a telephone number is none.
_FORMULA = re.compile(r"^(?:[=@\t\r]|[+-](?![\d\s().,/-]*$))")
_ESCAPED = re.compile(r"^'+(?:[=@\t\r]|[+-])")


def is_formula(text: str) -> bool:
    return bool(_FORMULA.match(text))


def escaped(text: str) -> str:
    """With an apostrophe before what a spreadsheet would run, which `unescaped` takes away again."""
    return f"'{text}" if is_formula(text) or _ESCAPED.match(text) else text


def unescaped(text: str) -> str:
    return text[1:] if _ESCAPED.match(text) else text


def columns_of(kind: Kind, custom: Iterable[str] = ()) -> list[str]:
    """The columns of a file of this kind, in order."""
    names: list[str] = []
    for name in kind.fields:
        if name == "custom":
            continue
        if is_side(kind, name):
            names += [f"{name}_{part}" for part in END_COLUMNS]
        else:
            names.append(name)
    return [*names, *(f"{CUSTOM}{name}" for name in custom)]


def is_side(kind: Kind, name: str) -> bool:
    return kind.name == "cables" and name in SIDES


# ---- out ----


def to_cells(kind: Kind, record: Mapping[str, Any]) -> dict[str, Any]:
    """A record of natural names as cells: text, numbers, or None for empty."""
    cells: dict[str, Any] = {}
    for name, value in record.items():
        if name == "custom":
            cells |= {f"{CUSTOM}{key}": _cell(None, each) for key, each in (value or {}).items()}
        elif is_side(kind, name):
            cells |= _end_cells(name, value or [])
        else:
            cells[name] = _cell(kind.fields[name], value)
    return cells


def _cell(field: Field | None, value: Any) -> Any:
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, date | datetime):
        return value.isoformat()
    if isinstance(value, list | tuple):
        if not value:
            return None
        if field is not None and field.name == "tags":
            return ", ".join(value)
        if field is None and all(isinstance(each, str) for each in value):
            return ";".join(value)
        return json.dumps(list(value), ensure_ascii=False)
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False, sort_keys=True) if value else None
    return value


def _end_cells(side: str, plugs: list[Mapping[str, Any]]) -> dict[str, Any]:
    """A single plug on connector 1, lane 1 needs no numbers."""
    cells: dict[str, Any] = {}
    plain = len(plugs) == 1 and (plugs[0].get("connector"), plugs[0].get("lane")) == (1, 1)
    for part in END_COLUMNS:
        texts = ["" if plug.get(part) is None else str(plug[part]) for plug in plugs]
        empty = not any(texts) or (plain and part in ("connector", "lane"))
        cells[f"{side}_{part}"] = None if empty else SEVERAL.join(texts)
    return cells


# ---- in ----


def from_cells(kind: Kind, cells: Mapping[str, str]) -> dict[str, Any]:
    """A row of texts as the engine takes it: an empty cell is an empty field where that is possible, else not given."""
    row: dict[str, Any] = {}
    custom: dict[str, Any] = {}
    ends: dict[str, dict[str, str]] = {}
    for column, text in cells.items():
        side, _, part = column.partition("_")
        if column.startswith(CUSTOM):
            custom[column.removeprefix(CUSTOM)] = text or None
        elif kind.name == "cables" and side in SIDES and part in END_COLUMNS:
            ends.setdefault(side, {})[part] = text
        else:
            value = _value(kind.fields[column], text)
            if value is not ...:
                row[column] = value
    for side, parts in ends.items():
        row[side] = _plugs(parts)
    if custom:
        row["custom"] = custom
    return row


def _value(field: Field, text: str) -> Any:
    if text == "":
        return field.empty
    if field.type == "list":
        if text.startswith("["):
            return _from_json(text)
        return [word.strip() for word in text.split(",") if word.strip()]
    if field.type == "object":
        return _from_json(text)
    return text


def _from_json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text  # the engine says what is wrong with it


def _plugs(parts: Mapping[str, str]) -> list[dict[str, Any]]:
    several = {name: [each.strip() for each in text.split(";")] for name, text in parts.items() if text}
    count = max((len(each) for each in several.values()), default=0)
    plugs = []
    for at in range(count):
        plug = {name: texts[at] for name, texts in several.items() if at < len(texts) and texts[at]}
        # One device for all of its ports, when only one is named.
        if "device" not in plug and len(several.get("device", ())) == 1:
            plug["device"] = several["device"][0]
        plugs.append(plug)
    return plugs
