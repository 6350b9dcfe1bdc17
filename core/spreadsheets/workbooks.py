"""Tables as workbooks: rows in, bytes out. Pure.

Apart from `core.spreadsheets`, which every process imports: openpyxl is large, and only who makes a workbook needs it.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence

from openpyxl import Workbook
from openpyxl.cell import Cell, WriteOnlyCell
from openpyxl.styles import Alignment, Font, PatternFill
from openpyxl.utils import get_column_letter
from openpyxl.worksheet._write_only import WriteOnlyWorksheet

from core.spreadsheets import Value, is_formula

XLSX_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
USUAL_WIDTH = 11
BROKEN = dict.fromkeys([*range(9), 11, 12, *range(14, 32)])  # control characters, which XML cannot hold


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
