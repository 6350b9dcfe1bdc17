"""Label sheets, read back from the PDF: texts, places on the sheet, and codes module by module."""

from __future__ import annotations

import time

import pytest
from reportlab.lib.units import mm
from reportlab.pdfbase.pdfmetrics import stringWidth

from inventory.papers.labels import LAYOUTS, QUIET_MODULES, cable_labels, device_label, fit, pdf, printable, rack_label
from inventory.papers.tests.pdf import pages
from inventory.papers.tests.rows import cable, device, plug, switch

MACHINE, LEAF = device(), switch()
L4731 = LAYOUTS["avery-l4731"]


@pytest.fixture(autouse=True)
def address(settings: object) -> None:
    settings.PUBLIC_URL = "https://rackside.example.net"  # type: ignore[attr-defined]


def test_a_cable_has_a_label_for_each_end_with_what_is_here_and_what_is_there() -> None:
    row = cable("IB-0042", (plug("A", 1, MACHINE, "mlx5_0"),), (plug("B", 1, LEAF, "p21", "p22", cage=11),))
    here, there = cable_labels([row])
    assert here.lines == (
        "IB-0042", "hgx-a17-03 mlx5_0", "Hall 1 · A17 · U17–22",
        "to leaf-1 p21 (cage 11 lower) + p22 (cage 11 upper)", "Hall 1 · N01 · U17–22",
    )  # fmt: skip
    assert there.lines[1].startswith("leaf-1 p21") and there.lines[3] == "to hgx-a17-03 mlx5_0"
    (page,) = pages(pdf([here, there], LAYOUTS["avery-5160"], title="Cable labels"))
    assert page.texts.count("IB-0042") == 2
    assert "hgx-a17-03 mlx5_0" in page.texts and "to hgx-a17-03 mlx5_0" in page.texts
    assert all(code.says("https://rackside.example.net/cables/7") for code in page.codes) and len(page.codes) == 2


def test_every_plug_of_a_breakout_has_a_label_of_its_own() -> None:
    many = tuple(plug("B", number, device(id=number, name=f"m{number}"), "eth0") for number in (1, 2, 3, 4))
    labels = cable_labels([cable("BRK-1", (plug("A", 1, LEAF, "p1"),), many)])
    assert [label.lines[0] for label in labels] == ["BRK-1 A1", "BRK-1 B1", "BRK-1 B2", "BRK-1 B3", "BRK-1 B4"]
    assert labels[0].lines[3] == "to m1 eth0, m2 eth0, m3 eth0, m4 eth0" and labels[2].lines[3] == "to leaf-1 p1"


def test_an_end_that_is_not_planned_says_so() -> None:
    here, there = cable_labels([cable("X", (plug("A", 1, MACHINE, "mlx5_0"),), (plug("B", 1, None),))])
    assert here.lines[3] == "to not planned" and there.lines[1] == "not planned"


def test_a_machines_label_names_it_and_opens_its_page() -> None:
    (page,) = pages(pdf([device_label(device(asset_tag="A-99"))], LAYOUTS["roll-62"], title="x"))
    assert page.texts == ["hgx-a17-03", "S/N SN1", "asset A-99", "Hall 1 · A17 · U17–22", "HGX H100"]
    assert page.codes[0].says("https://rackside.example.net/machines/12")
    assert (page.width, page.height) == pytest.approx((62 * mm, 29 * mm), abs=0.01)


def test_a_racks_label_opens_its_page() -> None:
    label = rack_label("A17", "Hall 1", "A", "North", "https://rackside.example.net/racks/5")
    (page,) = pages(pdf([label], LAYOUTS["avery-l7160"], title="x"))
    assert page.texts == ["A17", "row A", "Hall 1", "North"] and page.codes[0].says(label.url)


def test_a_code_of_another_address_is_told_apart() -> None:
    (page,) = pages(pdf([device_label(MACHINE)], L4731, title="x"))
    assert not page.codes[0].says("https://rackside.example.net/machines/13")


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=lambda layout: layout.name)
def test_every_label_stays_on_its_place_of_the_sheet_with_a_quiet_zone_around_the_code(layout: object) -> None:
    assert isinstance(layout, type(L4731))
    labels = [device_label(device(id=n)) for n in range(1, layout.per_page + 1)]
    (page,) = pages(pdf(labels, layout, title="x"))
    assert len(page.codes) == layout.per_page
    for at, code in enumerate(page.codes):
        column, row = at % layout.columns, at // layout.columns
        left = (layout.left + column * layout.step[0]) * mm
        top = page.height - (layout.top + row * layout.step[1]) * mm
        size, quiet = len(code.modules) * code.module, QUIET_MODULES * code.module
        assert left <= code.left - quiet + 0.01 and code.left + size + quiet <= left + layout.label[0] * mm + 0.01
        assert top - layout.label[1] * mm <= code.bottom - quiet + 0.01 and code.bottom + size + quiet <= top + 0.01
        assert code.module / mm > 0.25  # what a 600 dpi printer and a telephone can do
    assert left + layout.label[0] * mm <= page.width + 0.01 and top - layout.label[1] * mm >= -0.01


def test_labels_begin_where_the_first_sheet_is_still_unused() -> None:
    labels = [device_label(device(id=n)) for n in range(1, 4)]
    first, second = pages(pdf(labels, L4731, start=188, title="x"))
    assert (len(first.codes), len(second.codes)) == (2, 1)
    assert first.codes[0].left > first.codes[0].module and second.codes[0].says(labels[2].url)
    whole = pdf([device_label(device(id=n)) for n in range(1, 380)], L4731, title="x")
    assert [len(page.codes) for page in pages(whole)] == [189, 189, 1]


def test_no_labels_make_a_page_that_says_so() -> None:
    (page,) = pages(pdf([], L4731, title="x"))
    assert page.texts == ["Nothing to label."]


def test_a_text_too_long_is_set_smaller_and_then_cut_in_its_middle() -> None:
    assert fit("short", "Helvetica", 8, 100) == ("short", 8)
    text, size = fit("a-rather-long-name", "Helvetica", 8, 50)
    assert text == "a-rather-long-name" and 4 < size < 8
    text, size = fit("machine-with-a-name-beyond-all-reason-0042", "Helvetica", 8, 40)
    assert text.startswith("mach") and text.endswith("42") and "…" in text
    assert stringWidth(text, "Helvetica", size) <= 40.1


def test_letters_the_fonts_lack_lose_their_accents_or_become_a_question_mark() -> None:
    assert printable("Größe › 5 – ß") == "Größe › 5 – ß"
    assert printable("Łódź ř 東") == "?ódz r ?"


@pytest.mark.slow
@pytest.mark.services
def test_five_hundred_labels_take_less_than_two_seconds() -> None:
    labels = [device_label(device(id=n, name=f"hgx-{n}")) for n in range(1000, 1500)]
    started = time.process_time()
    pdf(labels, L4731, title="x")
    assert time.process_time() - started < 2
