"""A vendor's delivery list, CSV or XLSX, as rows. Pure: bytes in, rows or ListRefused out."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from openpyxl import load_workbook

from inventory.transfer.problems import FileRefused
from inventory.transfer.readers import decode, delimiter_of
from provisioning.boot.files import normal_mac

MOST_BYTES = 5 * 1024 * 1024
MOST_UNPACKED = 64 * 1024 * 1024
MOST_ROWS = 5_000
MOST_PROBLEMS = 200
MOST_MACS = 32
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "service_tag": ("service tag", "servicetag", "svc tag", "serial", "serial number", "serial no", "s/n", "sn"),
    "model": ("model", "model name", "product"),
    "bmc_mac": ("bmc mac", "bmc mac address", "idrac mac", "idrac mac address", "ilo mac", "ipmi mac"),
    "macs": ("mac", "macs", "mac address", "mac addresses", "boot mac", "nic mac", "lom mac"),
    "bmc_password": ("bmc password", "idrac password", "ilo password", "default password", "password"),
    "rack": ("rack", "rack name", "cabinet"),
    "u": ("u", "ru", "unit", "rack unit", "position", "rack position"),
}
"""How vendors name the columns that are read; other columns are left alone, and named in the answer."""
_TAG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_UNIT = re.compile(r"[Uu]?(\d{1,3}(?:\.[05])?)")
_BETWEEN = re.compile(r"[\s,;|]+")


class Problem(NamedTuple):
    """Row 0 is the list as a whole; 1 is the first row below the heading."""

    row: int
    field: str
    reason: str


class ListRefused(ValueError):
    """The list cannot be taken; nothing of it was."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(problems[0].reason)
        self.problems = list(problems)


@dataclass(frozen=True, slots=True)
class Item:
    """One machine of the list. `u` is its lowest unit; without a rack it is None."""

    number: int
    service_tag: str
    model: str = ""
    bmc_mac: str = ""
    macs: tuple[str, ...] = ()
    rack: str = ""
    u: float | None = None
    bmc_password: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class DeliveryList:
    items: tuple[Item, ...]
    not_read: tuple[str, ...] = ()
    """Columns that nobody here knows."""


def read_list(filename: str, content: bytes) -> DeliveryList:
    """Raises ListRefused with every problem of every row, up to MOST_PROBLEMS."""
    if len(content) > MOST_BYTES:
        raise _refused(f"the list has {len(content) / 1024**2:.0f} MB, at most {MOST_BYTES // 1024**2} MB are read")
    rows = _of_workbook(content) if filename.lower().endswith(".xlsx") else _of_csv(content)
    heading, *body = rows or [[]]
    columns, not_read = _columns(heading)
    if len(body) > MOST_ROWS:
        raise _refused(f"more than {MOST_ROWS:,} rows: split the list")
    items: list[Item] = []
    problems: list[Problem] = []
    for number, cells in enumerate(body, start=1):
        if not any(cells):
            continue
        told = {name: cells[at].strip() for name, at in columns.items() if at < len(cells)}
        item, wrong = _item(number, told)
        problems += wrong
        items.append(item)
    problems += _twice(items)
    if not items:
        raise _refused("the list has a heading and no rows")
    if problems:
        raise ListRefused(sorted(problems)[:MOST_PROBLEMS])
    return DeliveryList(tuple(items), not_read)


def _refused(reason: str) -> ListRefused:
    return ListRefused([Problem(0, "file", reason)])


# ---- cells ----


def _of_csv(content: bytes) -> list[list[str]]:
    try:
        text = decode(content)
    except FileRefused as error:
        raise _refused(str(error)) from None
    first = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter_of(first), strict=True)
    try:
        return [row for row, _ in zip(reader, range(MOST_ROWS + 2), strict=False)]
    except csv.Error as error:
        raise _refused(f"line {reader.line_num}: {error}") from None


def _of_workbook(content: bytes) -> list[list[str]]:
    """The first sheet. A workbook is a zip: what it unpacks to is bounded before it is."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            if sum(entry.file_size for entry in packed.infolist()) > MOST_UNPACKED:
                raise _refused(f"it unpacks to more than {MOST_UNPACKED // 1024**2} MB")
        book = load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        rows = book.worksheets[0].iter_rows(max_row=MOST_ROWS + 2, max_col=100, values_only=True)
        return [[_cell(value) for value in row] for row in rows]
    except ListRefused:
        raise
    except Exception as error:  # whatever a broken workbook makes of its reader is said of the workbook
        raise _refused(f"this is no workbook that can be read ({type(error).__name__})") from None


def _cell(value: object) -> str:
    """A number that is whole has no `.0`, as people see it."""
    if value is None:
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _columns(heading: Sequence[str]) -> tuple[dict[str, int], tuple[str, ...]]:
    """Where each field stands, and the names of the other columns. Raises ListRefused."""
    known = {alias: name for name, aliases in COLUMNS.items() for alias in (*aliases, name)}
    found: dict[str, int] = {}
    others: list[str] = []
    for at, title in enumerate(heading):
        name = known.get(" ".join(title.lower().replace("_", " ").split())) or known.get(title.strip().lower())
        if name is None:
            others += [title.strip()[:60]] if title.strip() else []
        elif name in found:
            raise ListRefused([Problem(0, name, f"two columns are the {_word(name)}: {heading[found[name]]}, {title}")])
        else:
            found[name] = at
    if "service_tag" not in found:
        raise ListRefused([Problem(0, "service_tag", "no column is called Service tag or Serial number")])
    return found, tuple(others)


def _word(name: str) -> str:
    return COLUMNS[name][0]


# ---- rows ----


def _item(number: int, told: Mapping[str, str]) -> tuple[Item, list[Problem]]:
    problems: list[Problem] = []

    def wrong(name: str, reason: str) -> None:
        problems.append(Problem(number, name, reason))

    tag = told.get("service_tag", "")
    if not tag:
        wrong("service_tag", "it is empty")
    elif not _TAG.fullmatch(tag):
        wrong("service_tag", f"{tag[:40]!r} is no service tag: letters, digits, dots and hyphens")
    macs = {name: [each for each in _BETWEEN.split(told.get(name, "")) if each] for name in ("bmc_mac", "macs")}
    if len(macs["bmc_mac"]) > 1 or len(macs["macs"]) > MOST_MACS:
        wrong("macs", f"more than one address of the BMC, or more than {MOST_MACS} others")
    for name, texts in macs.items():
        for each in texts[:MOST_MACS]:
            if normal_mac(each) is None:
                wrong(name, f"{each[:40]!r} is no MAC address")
    rack, text = told.get("rack", "")[:40], told.get("u", "")
    unit = _UNIT.fullmatch(text)
    if text and (unit is None or not 1 <= float(unit[1]) <= 100):
        wrong("u", f"{text[:20]!r} is no rack unit, such as 12 or U12")
    if bool(rack) != bool(text):
        wrong("u" if rack else "rack", "rack and unit belong together")
    password = told.get("bmc_password", "")
    if len(password) > 200:
        wrong("bmc_password", "longer than 200 characters")
    u = float(unit[1]) if unit and rack else None
    known = {name: tuple(filter(None, map(normal_mac, texts))) for name, texts in macs.items()}
    bmc_mac = known["bmc_mac"][0] if known["bmc_mac"] else ""
    found = Item(number, tag.upper(), told.get("model", "")[:120], bmc_mac, known["macs"], rack, u, password)
    return found, problems


def _twice(items: Iterable[Item]) -> list[Problem]:
    """What must not stand in two rows: a service tag, a MAC address, a place."""
    seen: dict[tuple[str, object], int] = {}
    problems = []
    for item in items:
        keys: list[tuple[str, object]] = [("service_tag", item.service_tag)]
        keys += [("bmc_mac", item.bmc_mac)] if item.bmc_mac else []
        keys += [("u", (item.rack.lower(), item.u))] if item.u is not None else []
        for name, value in keys:
            if (first := seen.setdefault((name, value), item.number)) != item.number:
                problems.append(Problem(item.number, name, f"row {first} has the same"))
    return problems
