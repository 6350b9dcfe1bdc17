"""Files as rows for the engine. Pure: bytes in, rows or FileRefused out. Names are natural keys, never ids."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping
from typing import Any

import orjson
import yaml

from core.counts import counted
from inventory.device_types import device_model_from_netbox_type, looks_like_netbox_type
from inventory.kinds.batch import unknown_field
from inventory.kinds.kind import Kind
from inventory.kinds.report import FieldError
from inventory.transfer.cells import CUSTOM, columns_of, from_cells, is_formula, is_side, unescaped
from inventory.transfer.problems import FileRefused, refused

FORMATS = ("csv", "yaml", "json")
MAX_ROWS = 300_000
MAX_COLUMNS = 300
MAX_DEPTH = 12
MAX_TOLD = 1000
# What a file may hold, whatever its form: a value of two bytes takes a hundred in memory, half a thousand as YAML.
MAX_CELLS = 6_000_000
MAX_JSON_VALUES = 6_000_000
MAX_YAML_VALUES = 1_000_000
UTF16 = (b"\xff\xfe", b"\xfe\xff")
Row = dict[str, Any]


def format_of(filename: str) -> str:
    """By the end of the name. Raises FileRefused."""
    ending = filename.lower().rpartition(".")[2]
    found = {"csv": "csv", "txt": "csv", "yaml": "yaml", "yml": "yaml", "json": "json"}.get(ending)
    if found is None:
        raise refused(f"{filename}: a file ends in .csv, .yaml or .json", "unknown_format")
    return found


def read_rows(kind: Kind, content: bytes, file_format: str, custom: Iterable[str] = ()) -> list[Row]:
    """The rows of a file, in order. Raises FileRefused."""
    text = decode(content)
    if file_format == "csv":
        return read_csv(kind, text, custom)
    document = read_yaml(text) if file_format == "yaml" else read_json(text)
    return records(kind, document)


def decode(content: bytes) -> str:
    """UTF-8 with or without a byte order mark; everything else is refused by name."""
    if content.startswith(UTF16):
        raise refused("the file is UTF-16: save it as UTF-8", "encoding")
    at = content.find(b"\0")
    if at >= 0:
        line = content.count(b"\n", 0, at) + 1
        raise refused(f"there is a NUL byte in line {line}: this is no text file", "encoding")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise refused(
            f"line {line} is not UTF-8 (byte 0x{content[error.start]:02x}; Latin-1 or Windows-1252?): save it as UTF-8",
            "encoding",
        ) from None


# ---- CSV ----


def delimiter_of(header: str) -> str:
    """Comma, semicolon or tab: whichever stands most often between the names of the columns."""
    return max(",;\t", key=header.count)


def read_csv(kind: Kind, text: str, custom: Iterable[str] = ()) -> list[Row]:
    first = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter_of(first), strict=True)
    try:
        header = [name.strip() for name in next(reader, [])]
        check_header(kind, header, custom)
        return _csv_rows(kind, header, reader)
    except csv.Error as error:
        raise refused(f"line {reader.line_num}: {error}", "syntax") from None


def check_header(kind: Kind, header: list[str], custom: Iterable[str]) -> None:
    """Every column is known, none stands twice, and those that name the record are there."""
    if not any(header):
        raise refused("the file is empty", "empty")
    if len(header) > MAX_COLUMNS:
        raise refused(f"more than {MAX_COLUMNS} columns", "too_large")
    known = columns_of(kind, custom)
    problems = [
        FieldError(name or "(no name)", f"column {at}: {unknown_field(name, known)}", "unknown_field")
        for at, name in enumerate(header, start=1)
        if name not in known
    ]
    problems += [
        FieldError(name, "this column stands twice", "duplicate")
        for at, name in enumerate(header)
        if name in header[:at]
    ]
    needed = [name for name in kind.key if kind.fields[name].required and kind.fields[name].references != "sites"]
    problems += [FieldError(name, f"column {name} is missing", "required") for name in needed if name not in header]
    if problems:
        raise FileRefused([(0, problem) for problem in problems])


def _csv_rows(kind: Kind, header: list[str], reader: Iterable[list[str]]) -> list[Row]:
    rows: list[Row] = []
    problems: list[tuple[int, FieldError]] = []
    for cells in reader:
        if not any(cells):
            continue  # an empty line
        number = len(rows) + 1
        if number > MAX_ROWS:
            raise refused(f"more than {MAX_ROWS} rows: split the file", "too_large")
        if number * len(header) > MAX_CELLS:
            raise refused(f"more than {MAX_CELLS} cells: split the file, or leave empty columns out", "too_large")
        if len(cells) != len(header):
            words = f"{counted(len(cells), 'cell')}, but the header has {len(header)}"
            problems.append((number, FieldError("row", words, "syntax")))
        formulas = [name for name, text in zip(header, cells, strict=False) if is_formula(text)]
        problems += [
            (number, FieldError(name, "a formula: put an apostrophe before it if it is a text", "formula"))
            for name in formulas
        ]
        rows.append(from_cells(kind, {n: unescaped(t.strip()) for n, t in zip(header, cells, strict=False)}))
        if len(problems) > MAX_TOLD:
            break
    if problems:
        raise FileRefused(problems)
    if not rows:
        raise refused("the file has a header and no rows", "empty")
    return rows


# ---- YAML and JSON ----


class PlainLoader(yaml.CSafeLoader):
    """YAML without its surprises: no dates, no sexagesimal numbers (a MAC is text), `no` is a word, 007 is a text."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012  (as PyYAML has it)


for tag, pattern, first_letters in (
    ("tag:yaml.org,2002:bool", r"^(?:true|True|false|False)$", "tTfF"),
    ("tag:yaml.org,2002:int", r"^[-+]?(?:0|[1-9][0-9]*)$", "-+0123456789"),
    ("tag:yaml.org,2002:float", r"^[-+]?(?:0|[1-9][0-9]*)(?:\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?$", "-+0123456789"),
    ("tag:yaml.org,2002:null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ("tag:yaml.org,2002:merge", r"^<<$", "<"),
):
    PlainLoader.add_implicit_resolver(tag, re.compile(pattern), list(first_letters))


def read_yaml(text: str) -> Any:
    """Raises FileRefused: no YAML, aliases (a small file could stand for gigabytes), too deep, too many values."""
    try:
        depth = 0
        for number, event in enumerate(yaml.parse(text, Loader=PlainLoader)):
            if number > MAX_YAML_VALUES:
                raise refused(f"more than {MAX_YAML_VALUES} values: use CSV or JSON, or split the file", "too_large")
            if isinstance(event, yaml.AliasEvent):
                raise refused(f"{line_of(event)}: aliases (*{event.anchor}) are not read", "syntax")
            if isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
                depth += 1
                if depth > MAX_DEPTH:
                    raise refused(f"{line_of(event)}: nested more than {MAX_DEPTH} deep", "syntax")
            elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
                depth -= 1
        return yaml.load(text, Loader=PlainLoader)  # noqa: S506  (a safe loader with fewer types)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        if isinstance(error, FileRefused):
            raise
        raise refused(f"not YAML: {' '.join(str(error).split())[:300]}", "syntax") from None


def line_of(event: yaml.Event) -> str:
    return f"line {event.start_mark.line + 1}" if event.start_mark else "somewhere"


def read_json(text: str) -> Any:
    """Raises FileRefused: no JSON, too many values. What separates values is counted before any is made."""
    if text.count(",") + text.count("[") + text.count("{") > MAX_JSON_VALUES:
        raise refused(f"more than {MAX_JSON_VALUES} values: split the file", "too_large")
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise refused(f"line {error.lineno}: not JSON: {error.msg}", "syntax") from None


def device_model_rows(document: Any) -> Any:
    """Device model files as they are, one or a list of them: ours, or types of NetBox's library."""
    files = document if isinstance(document, list) else [document]
    rows, problems = [], []
    for number, file in enumerate(files, start=1):
        if looks_like_netbox_type(file):
            found = device_model_from_netbox_type(file)
            problems += [(number, FieldError(remark.field, remark.reason, "invalid")) for remark in found.problems]
            rows.append({"spec": found.model})
        elif isinstance(file, Mapping) and "model" in file and "spec" not in file:
            rows.append({"spec": dict(file)})
        else:
            rows.append(file)
    if problems:
        raise FileRefused(problems)
    return rows


def records(kind: Kind, document: Any) -> list[Row]:
    """A list of mappings, or the kind's name over one. References are names, also where they look like numbers."""
    if isinstance(document, Mapping) and set(document) == {kind.name}:
        document = document[kind.name]
    if kind.name == "device-models":
        document = device_model_rows(document)
    if not isinstance(document, list):
        raise refused(f"a list of {kind.title} is needed", "syntax")
    if not document:
        raise refused("the file has no rows", "empty")
    if len(document) > MAX_ROWS:
        raise refused(f"more than {MAX_ROWS} rows: split the file", "too_large")
    rows = []
    for number, row in enumerate(document, start=1):
        if not isinstance(row, Mapping):
            raise refused(f"a mapping of fields is needed, not {type(row).__name__}", "syntax", row=number, field="row")
        rows.append(_natural(kind, {str(name): value for name, value in row.items()}))
    return rows


def _natural(kind: Kind, row: Row) -> Row:
    for name, value in list(row.items()):
        field = kind.fields.get(name)
        if name.startswith(CUSTOM):
            row.setdefault("custom", {})[name.removeprefix(CUSTOM)] = row.pop(name)
        elif field is not None and field.references:
            row[name] = _as_name(value)
        elif is_side(kind, name):
            row[name] = [_named_plug(plug) for plug in (value if isinstance(value, list) else [value])]
    return row


def _as_name(value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, Mapping):
        return {str(name): _as_name(each) for name, each in value.items()}
    return value


def _named_plug(plug: Any) -> Any:
    if not isinstance(plug, Mapping):
        return plug
    return {name: _as_name(value) if name in ("device", "port") else value for name, value in plug.items()}
