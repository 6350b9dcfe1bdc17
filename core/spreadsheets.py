"""Tables that people open in a spreadsheet, as CSV and as a workbook: rows in, bytes out. Pure."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from openpyxl import Workbook
from openpyxl.cell import Cell, WriteOnlyCell
from openpyxl.styles import Alignment, Font, PatternFill
from openpyxl.utils import get_column_letter
from openpyxl.worksheet._write_only import WriteOnlyWorksheet

Value = str | int | Decimal | None
USUAL_WIDTH = 11
BROKEN = dict.fromkeys([*range(9), 11, 12, *range(14, 32)])  # control characters, which XML cannot hold

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def is_formula(text: str) -> bool:
    """Whether a spreadsheet would compute the text instead of showing it."""
    return text.startswith(FORMULA_STARTS)


def safe_cell(text: str) -> str:
    """The text for a cell of a CSV: what would be computed begins with an apostrophe, which makes it a text."""
    return f"'{text}" if is_formula(text) else text


def as_csv(columns: Sequence[str], lines: Iterable[Sequence[Value]]) -> bytes:
    """UTF-8 with the mark that makes spreadsheets read it as such. A cell that would be a formula begins with '."""
    target = io.StringIO()
    writer = csv.writer(target)
    writer.writerow(columns)
    writer.writerows([_plain(value) for value in line] for line in lines)
    return target.getvalue().encode("utf-8-sig")


def _plain(value: Value) -> str:
    if value is None:
        return ""
    return f"{value:f}" if isinstance(value, Decimal) else safe_cell(str(value))


def as_xlsx(
    title: str, columns: Sequence[str], lines: Iterable[Sequence[Value]], widths: Mapping[str, int] | None = None
) -> bytes:
    """A workbook with the header frozen, filters, and every text a text, whatever it looks like.

    `widths` in characters, by column or by the last word of its name.
    """
    book = Workbook(write_only=True)
    sheet = book.create_sheet(title)
    sheet.freeze_panes = "B2"  # type: ignore[assignment]
    for number, name in enumerate(columns, start=1):
        wide = (widths or {}).get(name.split()[-1], USUAL_WIDTH)
        sheet.column_dimensions[get_column_letter(number)].width = wide
    sheet.append(_header(sheet, columns))
    count = 1
    for line in lines:
        sheet.append([_cell(sheet, value) for value in line])
        count += 1
    sheet.auto_filter.ref = f"A1:{get_column_letter(len(columns))}{count}"
    sheet.print_title_rows = "1:1"
    sheet.page_setup.orientation = "landscape"
    sheet.page_setup.fitToHeight = 0
    sheet.sheet_properties.pageSetUpPr.fitToPage = True  # type: ignore[union-attr]
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


def _header(sheet: WriteOnlyWorksheet, columns: Sequence[str]) -> list[Cell]:
    cells = []
    for name in columns:
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
