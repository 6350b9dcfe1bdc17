"""The cable list for a contractor, as CSV and as a workbook. Pure: rows in, bytes out."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from decimal import Decimal

from openpyxl import Workbook
from openpyxl.cell import Cell, WriteOnlyCell
from openpyxl.styles import Alignment, Font, PatternFill
from openpyxl.utils import get_column_letter
from openpyxl.worksheet._write_only import WriteOnlyWorksheet

from core.spreadsheets import is_formula, safe_cell
from inventory.papers.cables import CableRow, Plug

Value = str | Decimal | None
END = ("room", "row", "rack", "U", "device", "port", "cage", "lane")
COLUMNS = (
    "label", "connectors", "type", "length_m", "colour", "status", "bundle", "vendor", "part_number",
    *(f"A {name}" for name in END), *(f"B {name}" for name in END),
)  # fmt: skip
WIDTHS = {"label": 16, "type": 14, "bundle": 14, "part_number": 18, "device": 22, "port": 18, "room": 14}
BROKEN = dict.fromkeys([*range(9), 11, 12, *range(14, 32)])  # control characters, which XML cannot hold


def cable_lines(cables: Iterable[CableRow]) -> Iterator[list[Value]]:
    """A line per pair of connectors, in the order of COLUMNS; `connectors` tells those of a breakout apart (A1–B3)."""
    for cable in cables:
        several = len(cable.a) > 1 or len(cable.b) > 1
        for a, b in list(cable.pairs()) or [(None, None)]:
            numbers = "–".join(f"{plug.side}{plug.number}" for plug in (a, b) if plug) if several else ""
            yield [
                cable.label, numbers, cable.type, cable.length_m, cable.colour, cable.status, cable.bundle,
                cable.vendor, cable.part_number, *_end(a), *_end(b),
            ]  # fmt: skip


def _end(plug: Plug | None) -> list[Value]:
    if plug is None or plug.device is None:
        return [""] * len(END)
    at = plug.device
    return [at.room, at.row, at.rack, at.units, at.name, plug.port, plug.cage, plug.lane]


def as_csv(lines: Iterable[list[Value]]) -> bytes:
    """UTF-8 with the mark that makes spreadsheets read it as such. A cell that would be a formula begins with '."""
    target = io.StringIO()
    writer = csv.writer(target)
    writer.writerow(COLUMNS)
    writer.writerows([_plain(value) for value in line] for line in lines)
    return target.getvalue().encode("utf-8-sig")


def _plain(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, Decimal):
        return f"{value:f}"
    return safe_cell(value)


def as_xlsx(lines: Iterable[list[Value]]) -> bytes:
    """A workbook with the header frozen, filters, and every text a text, whatever it looks like."""
    book = Workbook(write_only=True)
    sheet = book.create_sheet("Cables")
    sheet.freeze_panes = "B2"  # type: ignore[assignment]
    for number, name in enumerate(COLUMNS, start=1):
        sheet.column_dimensions[get_column_letter(number)].width = WIDTHS.get(name.split()[-1], 11)
    sheet.append(_header(sheet))
    count = 1
    for line in lines:
        sheet.append([_cell(sheet, value) for value in line])
        count += 1
    sheet.auto_filter.ref = f"A1:{get_column_letter(len(COLUMNS))}{count}"
    sheet.print_title_rows = "1:1"
    sheet.page_setup.orientation = "landscape"
    sheet.page_setup.fitToHeight = 0
    sheet.sheet_properties.pageSetUpPr.fitToPage = True  # type: ignore[union-attr]
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


def _header(sheet: WriteOnlyWorksheet) -> list[Cell]:
    cells = []
    for name in COLUMNS:
        cell = WriteOnlyCell(sheet, value=name)
        cell.font, cell.alignment = Font(bold=True), Alignment(vertical="top")
        cell.fill = PatternFill("solid", fgColor="FFE3E8EE")
        cells.append(cell)
    return cells


def _cell(sheet: WriteOnlyWorksheet, value: Value) -> Cell | Value:
    if not isinstance(value, str):
        return value
    value = value.translate(BROKEN)
    if not is_formula(value):
        return value
    cell = WriteOnlyCell(sheet, value=value)
    cell.data_type = "s"
    cell.quotePrefix = True
    return cell
