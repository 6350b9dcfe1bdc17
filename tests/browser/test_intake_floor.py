"""The floor map of intake in the browser: a rack clicked or reached by the keyboard is the list of that rack."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Demo, desk_and_phone, machines
from tests.browser.pictures import picture

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]


@pytest.mark.slow
@desk_and_phone
def test_the_floor_shows_what_is_not_confirmed_and_a_rack_is_its_list(
    size: dict[str, int], demo: Demo, enter: Callable, tmp_path: Path
) -> None:
    floor = demo.api("/api/floor/")
    table = floor["racks"]
    names = {row[table["columns"].index("id")]: row[table["columns"].index("name")] for row in table["rows"]}
    # Other stories of the same demo take machines over from their lists: those are confirmed.
    places = demo.api(f"/api/provisioning/intake/floor/?site={floor['site']['id']}")["places"]
    open_ = {place["machine"]["id"] for place in places if place["machine"] and not place["shown_by"]}
    machine = next(row for row in machines(demo, state="new") if row["id"] in open_)
    rack, stranger = names[machine["rack"]], f"NOBODYS{size['width']}"
    page = enter("operator", size, at="/provisioning/intake").page
    path = tmp_path / "delivery.csv"
    path.write_text(f"Service Tag,Rack,U\n{stranger},{rack},40\n")
    page.get_by_test_id("delivery-file").locator("input").set_input_files(path)
    page.get_by_label("Purchase order").fill(f"FLOOR-{size['width']}")
    page.get_by_test_id("take-in-send").click()
    expect(page.get_by_test_id("delivery-item")).to_contain_text(stranger)
    page.get_by_role("link", name="Floor map").click()
    rows = page.get_by_test_id("intake-place")
    expect(rows.filter(has_text=stranger)).to_contain_text("Unknown machine")
    expect(rows.filter(has_text=machine["name"])).to_have_count(1)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        picture(page, tmp_path / f"intake-floor-{scheme}.png", full_page=True)

    page.get_by_test_id("place-unknown").click()
    expect(rows.filter(has_text=machine["name"])).to_have_count(0)
    page.get_by_test_id("place-unknown").click()
    page.get_by_test_id("floor-canvas").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("all-racks")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("all-racks")).to_have_count(0)
    at = page.evaluate("name => window.__rackside.rackAt(name)", rack)
    page.mouse.click(at["x"], at["y"])
    expect(page.get_by_test_id("intake-places").get_by_role("heading")).to_contain_text(f"Rack {rack}")
    expect(rows.filter(has_text=machine["name"])).to_have_count(1)
