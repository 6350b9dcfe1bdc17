"""At the desk: the palette, shortcuts, the past. Numbers are those of the dashboard's targets (docs/shift.md)."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.axe import violations
from tests.browser.conftest import DESK, PHONE, Demo, available, machines
from tests.browser.pictures import picture

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]


def palette(page: Page, text: str) -> None:
    page.keyboard.press("Control+k")
    page.get_by_test_id("palette-input").fill(text)


def commands(page: Page, group: str) -> list[str]:
    return page.locator(f"[data-testid=command][data-group={group}]").all_inner_texts()


@pytest.mark.target(51)
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


@pytest.mark.slow
@pytest.mark.target(51)
def test_51_a_pasted_serial_and_enter_jump_straight(demo: Demo, enter: Callable) -> None:
    machine = available(demo)[0]
    serial = demo.api(f"/api/machines/{machine['id']}/")["serial"]
    page = enter("viewer", at="/tickets").page
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    palette(page, serial)
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/machines/{machine['id']}")


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_search_is_not_lost_when_its_key_is_pressed_before_the_field_is_there(demo: Demo, enter: Callable) -> None:
    page = enter("viewer").page
    bar = re.compile(r"/assets/bar-[\w-]+\.js")
    held: list[Route] = []  # the file of what stands in the bar of a desk
    page.route(bar, lambda route: held.append(route))  # noqa: PLW0108  (Playwright takes no method of a list)
    with page.expect_request(bar):
        page.goto(demo.url + "/tickets")
    expect(page.get_by_role("heading", name="Tickets")).to_be_visible()
    page.keyboard.press("/")
    for route in held:
        route.continue_()
    expect(page.get_by_test_id("search-input")).to_be_focused()


@pytest.mark.parametrize("size", [DESK, pytest.param(PHONE, marks=pytest.mark.slow)], ids=["desk", "phone"])
def test_the_wall_board_has_counts_and_tickets_and_nothing_around_them(
    size: dict[str, int], demo: Demo, enter: Callable, tmp_path: Path
) -> None:
    page = enter("viewer", size, at="/wall").page
    expect(page.get_by_test_id("floor-canvas")).to_be_visible()
    expect(page.get_by_role("navigation", name="Main")).to_be_hidden()
    ready = len(machines(demo, cell="available"))
    expect(page.get_by_test_id("wall-available")).to_have_attribute("data-count", str(ready))
    tickets = demo.api("/api/tickets/?active=true")
    expect(page.get_by_test_id("wall-ticket")).to_have_count(min(tickets["count"], 12))
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        picture(page, tmp_path / f"wall-{scheme}.png")
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(page.get_by_role("navigation", name="Main")).to_be_visible()


@pytest.mark.target(54)
@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.target(17)
def test_17_the_strip_shows_the_floor_as_it_was_and_says_that_it_is_past(demo: Demo, enter: Callable) -> None:
    page = enter("operator", at="/").page
    strip = page.get_by_test_id("day-strip")
    moment = strip.get_by_role("slider", name="Moment shown on the floor")
    expect(moment).to_have_attribute("aria-valuetext", "now")
    assert page.get_by_test_id("past-label").count() == 0
    moment.focus()
    page.keyboard.press("Shift+ArrowLeft")
    label = page.get_by_test_id("past-label")
    expect(label).to_contain_text("Past · ")
    expect(page).to_have_url(re.compile(r"time=20\d\d-"))
    # An hour ago the demo was not there: nobody had recorded anything, so nothing is shown as well.
    chip = page.get_by_test_id("chip-available")
    expect(chip).to_have_attribute("data-count", "0")
    page.reload()
    expect(label).to_contain_text("Past · ")
    moment.focus()
    page.keyboard.press("Escape")
    expect(label).to_have_count(0)
    expect(page).not_to_have_url(re.compile("time="))
    expect(chip).not_to_have_attribute("data-count", "0")


@pytest.mark.target(17)
@pytest.mark.slow
def test_17_a_rack_and_a_machine_as_they_were(demo: Demo, enter: Callable) -> None:
    machine = available(demo)[0]
    now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    page = enter("viewer", at=f"/?time={now}&rack={machine['rack']}").page
    row = page.get_by_test_id("past-machine").filter(has_text=machine["name"])
    row.get_by_role("button").click()
    expect(page.get_by_test_id("machine-then")).to_contain_text("Ready")
    expect(page.get_by_test_id("machine-then")).to_contain_text("parts in its slots")
    assert page.get_by_test_id("past-rack").get_by_role("button", name=re.compile("Hold|Return|Check now")).count() == 0


@pytest.mark.target(50)
def test_50_a_saved_view_keeps_the_state_in_its_address_and_is_shared(demo: Demo, enter: Callable) -> None:
    page = enter("technician", at="/tickets?filter=closed").page
    expect(page.get_by_role("heading", level=1, name="Tickets")).to_be_visible()
    page.get_by_test_id("saved").click()
    menu = page.get_by_test_id("saved-menu")
    menu.get_by_label("Name").fill("Closed ones")
    menu.get_by_role("combobox").select_option(index=1)
    menu.get_by_role("button", name="Save view").click()
    expect(page.get_by_text("The view “Closed ones” is saved and shared.")).to_be_visible()
    other = enter("viewer", at="/").page
    other.get_by_test_id("saved").click()
    other.get_by_test_id("saved-menu").get_by_role("link", name="Closed ones").click()
    other.wait_for_url("**/tickets?filter=closed")


@pytest.mark.slow
def test_a_starred_machine_is_in_the_palette_after_a_reload(demo: Demo, enter: Callable) -> None:
    machine = available(demo)[0]
    page = enter("viewer", at=f"/machines/{machine['id']}").page
    expect(page.get_by_test_id("machine-header")).to_be_visible()
    page.get_by_test_id("star").click()
    expect(page.get_by_text(f"{machine['name']} is a favourite.")).to_be_visible()
    page.goto(f"{demo.url}/tickets")
    expect(page.get_by_role("heading", level=1, name="Tickets")).to_be_visible()
    page.keyboard.press("Control+k")
    kept = page.locator("[data-testid=command][data-group=Go]").first
    expect(kept).to_contain_text(machine["name"])
    kept.click()
    page.wait_for_url(f"**/machines/{machine['id']}")
    page.get_by_test_id("star").click()
    expect(page.get_by_test_id("star")).to_have_attribute("aria-pressed", "false")


@pytest.mark.slow
def test_a_note_waits_for_the_next_shift_until_somebody_acknowledges_it(enter: Callable) -> None:
    page = enter("technician", at="/hand-over").page
    page.get_by_label("Write to the next shift").fill("Badge of the Dell engineer lies at the gate.")
    page.get_by_role("button", name="Leave the note").click()
    note = page.get_by_test_id("shift-note").filter(has_text="Badge of the Dell engineer")
    expect(note).to_be_visible()
    other = enter("operator", at="/hand-over").page
    theirs = other.get_by_test_id("shift-note").filter(has_text="Badge of the Dell engineer")
    theirs.get_by_role("button", name="Acknowledge").click()
    expect(theirs).to_have_count(0)
    page.reload()
    expect(page.get_by_role("heading", level=1, name="Hand-over")).to_be_visible()
    expect(note).to_have_count(0)
