"""Records as a file that can be imported again. Rows are read in pieces, so memory does not grow with the fleet."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from tempfile import SpooledTemporaryFile
from typing import Any

import orjson
import yaml
from django.db.models import QuerySet

from inventory.kinds import KINDS, Kind
from inventory.kinds.custom import declared
from inventory.kinds.values import complete, select, shown
from inventory.transfer.cells import SIDES, columns_of, escaped, is_side, to_cells

IN_MEMORY_BYTES, PIECE_BYTES = 8 * 1024 * 1024, 65536
PIECE = 5000  # rows between two looks at the extras
Record = dict[str, Any]


def natural_records(kind: Kind, rows: QuerySet) -> Iterator[Record]:
    """Records by natural names. One query, and one for each extra and piece."""
    names = ["id"]
    for name, field in kind.fields.items():
        names.append(f"{name}_name" if field.references else name)
    extra = set(kind.extra_names)
    columns = [name for name in names if name not in extra]
    piece: list[Record] = []
    for values in select(kind, rows, columns).iterator(chunk_size=PIECE):
        piece.append(dict(zip(columns, values, strict=True)))
        if len(piece) == PIECE:
            yield from (_natural(kind, row) for row in complete(kind, piece, names))
            piece = []
    yield from (_natural(kind, row) for row in complete(kind, piece, names))


def _natural(kind: Kind, row: Record) -> Record:
    record: Record = {}
    for name, field in kind.fields.items():
        value = row[f"{name}_name" if field.references else name]
        if is_side(kind, name):
            value = [_plug(plug) for plug in value or ()]
        record[name] = shown(value)
    return record


def _plug(plug: Mapping[str, Any]) -> Record:
    told = {
        "device": plug["device_name"],
        "port": plug["port_name"],
        "connector": plug["connector"],
        "lane": plug["lane"],
    }
    return told | ({"serial": plug["serial"]} if plug["serial"] else {})


def without_empty(kind: Kind, record: Record) -> Record:
    """A record as one would write it: without what is as in a new record anyway."""
    return {
        name: value for name, value in record.items()
        if kind.fields[name].required or (value not in (None, "", [], {}) and value != kind.fields[name].default)
        or (name in SIDES and is_side(kind, name))
    }  # fmt: skip


# ---- the formats: each gives pieces of bytes ----


def as_csv(kind: Kind, records: Iterable[Record]) -> Iterator[bytes]:
    columns = columns_of(kind, custom_names(kind))
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer)
    writer.writerow(columns)
    for number, record in enumerate(records, start=1):
        cells = to_cells(kind, record)
        values = (cells.get(name) for name in columns)
        writer.writerow([escaped(value) if isinstance(value, str) else value for value in values])
        if number % 500 == 0:
            yield _taken(buffer)
    yield _taken(buffer)


def _taken(buffer: io.StringIO) -> bytes:
    text = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    return text.encode()


class _Dumper(yaml.CSafeDumper):
    """Writes texts in quotes where any reader of YAML could take them for something else."""


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    plain = value.replace("-", "").replace("_", "").replace(" ", "").isalpha() and value.lower() not in _ODD
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=None if plain else '"')


_ODD = {"yes", "no", "on", "off", "true", "false", "null", "y", "n"}
_Dumper.add_representer(str, _text)  # type: ignore[arg-type]


def as_yaml(kind: Kind, records: Iterable[Record]) -> Iterator[bytes]:
    wrote = False
    for record in records:
        wrote = True
        yield yaml.dump(
            [without_empty(kind, record)], Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110
        ).encode()
    if not wrote:
        yield b"[]\n"


def as_json(kind: Kind, records: Iterable[Record]) -> Iterator[bytes]:
    separator = b"[\n"
    for record in records:
        yield separator + orjson.dumps(without_empty(kind, record))
        separator = b",\n"
    yield b"[]\n" if separator == b"[\n" else b"\n]\n"


def as_xlsx(kind: Kind, records: Iterable[Record]) -> Iterator[bytes]:
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    columns = columns_of(kind, custom_names(kind))
    book = Workbook(write_only=True)
    sheet = book.create_sheet(kind.title[:31])
    sheet.freeze_panes = "A2"
    sheet.append(columns)
    for record in records:
        cells = to_cells(kind, record)
        line = []
        for name in columns:
            value = cells.get(name)
            if isinstance(value, str):
                value = ILLEGAL_CHARACTERS_RE.sub("", value)  # control characters, which XML cannot hold
            cell = WriteOnlyCell(sheet, value=value)
            if isinstance(value, str):
                cell.data_type = "s"  # a text, whatever it begins with
            line.append(cell)
        sheet.append(line)
    with SpooledTemporaryFile(IN_MEMORY_BYTES) as file:  # a workbook is complete only at its end
        book.save(file)
        file.seek(0)
        while piece := file.read(PIECE_BYTES):
            yield piece


def custom_names(kind: Kind) -> list[str]:
    return [each.name for each in declared(kind.name)] if kind.custom else []


FORMATS: dict[str, tuple[str, Callable[[Kind, Iterable[Record]], Iterator[bytes]]]] = {
    "csv": ("text/csv; charset=utf-8", as_csv),
    "yaml": ("application/yaml", as_yaml),
    "json": ("application/json", as_json),
    "xlsx": ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", as_xlsx),
}


def export(kind: Kind | str, file_format: str, rows: QuerySet | None = None) -> Iterator[bytes]:
    """A file of these rows, in their order (all of the kind, unless told)."""
    kind = KINDS[kind] if isinstance(kind, str) else kind
    chosen = kind.queryset().order_by(*kind.order) if rows is None else rows
    return FORMATS[file_format][1](kind, natural_records(kind, chosen))
