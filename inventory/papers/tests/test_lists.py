"""The cable list, read back with Python's csv and with openpyxl."""

from __future__ import annotations

import csv
import io
from decimal import Decimal
from typing import Any

import openpyxl
import pytest

from inventory.papers.lists import COLUMNS, as_csv, as_xlsx, cable_lines
from inventory.papers.tests.rows import cable, device, plug, switch

MACHINE, LEAF = device(), switch()
PLAIN = cable("IB-0042", (plug("A", 1, MACHINE, "mlx5_0"),), (plug("B", 1, LEAF, "p21", "p22", cage=11),))
BAD = '=HYPERLINK("http://evil")'


def read_csv(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))


def sheet_of(content: bytes) -> Any:
    return openpyxl.load_workbook(io.BytesIO(content)).active


def test_a_line_tells_both_ends_with_room_rack_u_port_cage_and_lane() -> None:
    (line,) = read_csv(as_csv(cable_lines([PLAIN])))
    assert list(line) == list(COLUMNS)
    assert line["label"] == "IB-0042" and line["length_m"] == "15.00" and line["connectors"] == ""
    assert [line[f"A {name}"] for name in ("room", "row", "rack", "U", "device", "port", "cage", "lane")] == [
        "Hall 1", "A", "A17", "U17–22", "hgx-a17-03", "mlx5_0", "", "",
    ]  # fmt: skip
    assert [line[f"B {name}"] for name in ("rack", "port", "cage", "lane")] == [
        "N01", "p21 + p22", "11", "lower + upper",
    ]  # fmt: skip


def test_each_plug_of_a_breakout_has_a_line_and_the_lines_are_told_apart() -> None:
    many = tuple(plug("B", n, device(id=n, name=f"m{n}"), "eth0") for n in (1, 2, 3, 4))
    lines = read_csv(as_csv(cable_lines([cable("BRK-1", (plug("A", 1, LEAF, "p1"),), many)])))
    assert [line["connectors"] for line in lines] == ["A1–B1", "A1–B2", "A1–B3", "A1–B4"]
    assert {line["A device"] for line in lines} == {"leaf-1"}
    assert [line["B device"] for line in lines] == ["m1", "m2", "m3", "m4"]


def test_a_cable_without_ends_has_a_line_all_the_same() -> None:
    lines = read_csv(as_csv(cable_lines([cable("X", (), (), length_m=None), cable("Y", (plug("A", 1, None),), ())])))
    assert [(line["label"], line["A device"], line["length_m"]) for line in lines] == [
        ("X", "", ""),
        ("Y", "", "15.00"),
    ]


def test_a_cell_that_would_be_a_formula_stays_a_text() -> None:
    rows = [cable(start + "1+1", (), (), colour=BAD) for start in ("=", "+", "-", "@", "\t")]
    for line in read_csv(as_csv(cable_lines(rows))):
        assert line["label"].startswith("'") and line["colour"] == f"'{BAD}"
    sheet = sheet_of(as_xlsx(cable_lines(rows)))
    for cells in sheet.iter_rows(min_row=2):
        assert all(cell.data_type != "f" for cell in cells)
    assert [cell.value for cell in sheet["E"]][1:] == [BAD] * 5
    assert sheet["E2"].quotePrefix


def test_the_workbook_has_a_frozen_header_filters_widths_and_texts_as_texts() -> None:
    sheet = sheet_of(as_xlsx(cable_lines([PLAIN, cable("0012", (), ())])))
    assert [cell.value for cell in sheet[1]] == list(COLUMNS) and sheet["A1"].font.bold
    assert sheet.freeze_panes == "B2" and sheet.auto_filter.ref == "A1:Y3"
    assert sheet.column_dimensions["A"].width == 16
    assert sheet["A3"].value == "0012" and sheet["A3"].data_type == "s"
    assert sheet["D2"].value == 15 and sheet["D2"].data_type == "n"


def test_control_characters_do_not_break_the_workbook() -> None:
    assert sheet_of(as_xlsx(cable_lines([cable("a\x07b", (), ())])))["A2"].value == "ab"


@pytest.mark.slow
def test_every_cable_of_a_long_list_has_its_line() -> None:
    rows = [cable(f"IB-{n:05}", PLAIN.a, PLAIN.b, length_m=Decimal(n)) for n in range(1200)]
    sheet = sheet_of(as_xlsx(cable_lines(rows)))
    assert sheet.max_row == 1201 and sheet["A1201"].value == "IB-01199"
