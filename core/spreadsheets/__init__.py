"""Tables that people open in a spreadsheet, as CSV: rows in, bytes out. Pure. Workbooks: `workbooks` beside it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from decimal import Decimal

Value = str | int | Decimal | None
CSV_TYPE = "text/csv; charset=utf-8"
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
