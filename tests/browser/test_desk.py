"""At the desk: the palette, shortcuts, the past. Numbers are those of the dashboard's targets (docs/desk.md)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, Demo, available

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]


def palette(page: Page, text: str) -> None:
    page.keyboard.press("Control+k")
    page.get_by_test_id("palette-input").fill(text)


def commands(page: Page, group: str) -> list[str]:
    return page.locator(f"[data-testid=command][data-group={group}]").all_inner_texts()


def test_51_the_palette_goes_to_pages_and_finds_what_is_meant(demo: Demo, enter: Callable) -> None:
    page = enter("viewer", at="/").page
    expect(page.get_by_test_id("floor-canvas")).to_be_visible()
    palette(page, "spares")
    page.keyboard.press("Enter")
    page.wait_for_url("**/spares")
    name = available(demo)[0]["name"]
    palette(page, f"{name.removeprefix('hgx-')} gpu")
    found = page.locator("[data-testid=command][data-group=Find]")
    expect(found.filter(has_text=f"{name} · ").first).to_contain_text("GPU")
    room = demo.api("/api/floor/")["room"]
    page.get_by_test_id("palette-input").fill(room["name"].lower())
    expect(found.first).to_contain_text(room["name"])
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/?room={room['id']}")


def test_51_a_pasted_serial_and_enter_jump_straight(demo: Demo, enter: Callable) -> None:
    machine = available(demo)[0]
    serial = demo.api(f"/api/machines/{machine['id']}/")["serial"]
    page = enter("viewer", at="/tickets").page
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    palette(page, serial)
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/machines/{machine['id']}")


def test_the_palette_does_what_the_role_allows_and_says_so(demo: Demo, enter: Callable) -> None:
    machine = available(demo)[0]
    page = enter("operator", at=f"/machines/{machine['id']}").page
    expect(page.get_by_test_id("machine-header")).to_be_visible()
    palette(page, "check hgx")
    expect(page.locator("[data-testid=command][data-group=Do]").first).to_contain_text(f"Check {machine['name']}")
    page.get_by_text(f"Check {machine['name']}").click()
    expect(page.get_by_text(f"A check of {machine['name']} is queued.")).to_be_visible()
    other = enter("viewer", at=f"/machines/{machine['id']}").page
    expect(other.get_by_test_id("machine-header")).to_be_visible()
    palette(other, "")
    expect(other.get_by_test_id("command").first).to_be_visible()
    assert not any(text.startswith("Check") for text in commands(other, "Do"))


def test_shortcuts_are_told_by_the_sheet_and_can_be_turned_off(enter: Callable) -> None:
    page = enter("viewer", at="/").page
    expect(page.get_by_test_id("floor-canvas")).to_be_visible()
    page.keyboard.press("g")
    page.keyboard.press("t")
    page.wait_for_url("**/tickets")
    page.keyboard.press("?")
    sheet = page.get_by_role("dialog", name="Shortcuts")
    expect(sheet).to_contain_text("Zoom in")
    sheet.get_by_label("Shortcuts without Ctrl").uncheck()
    page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)
    page.keyboard.press("g")
    page.keyboard.press("f")
    page.keyboard.press("?")
    expect(sheet).to_have_count(0)
    assert page.url.endswith("/tickets")
    page.keyboard.press("Control+k")
    expect(page.get_by_test_id("palette")).to_be_visible()


def test_54_the_palette_is_fetched_when_it_is_asked_for(demo: Demo, enter: Callable) -> None:
    page = enter("viewer", PHONE).page
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url))
    page.goto(demo.url)
    expect(page.get_by_test_id("floor-canvas")).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert not any("Palette" in url or "ShortcutSheet" in url for url in fetched)
    page.keyboard.press("Control+k")
    expect(page.get_by_test_id("palette")).to_be_visible()
    assert any("Palette" in url for url in fetched)
