"""Intake in the browser: a vendor's list is compared with the plan, what fits is taken over, a bad list is named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.axe import needs_axe, walk
from tests.browser.conftest import Demo, desk_and_phone, machines, walked
from tests.browser.pictures import picture

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]


@desk_and_phone
def test_a_list_is_compared_with_the_plan_and_what_fits_is_taken_over(
    size: dict[str, int], demo: Demo, enter: Callable, tmp_path: Path
) -> None:
    machine = [row for row in machines(demo) if row["state"] == "new"][0 if size["width"] > 1000 else 1]
    serial = demo.api(f"/api/devices/{machine['id']}/")["serial"]
    order = f"PO-{size['width']}"
    path = tmp_path / "delivery.csv"
    page = enter("operator", size, at="/provisioning").page
    page.get_by_role("link", name="Intake", exact=True).click()
    path.write_text("Service Tag,Rack,U\nNOT A TAG,A01,\n")
    page.get_by_test_id("delivery-file").locator("input").set_input_files(path)
    page.get_by_label("Purchase order").fill(order)
    page.get_by_test_id("take-in-send").click()
    expect(page.get_by_role("alert")).to_contain_text("row 1, service_tag")

    path.write_text(f"Service Tag,Model\n{serial},PowerEdge XE9680\nNEVERSEEN1,PowerEdge XE9680\n")
    page.get_by_test_id("delivery-file").locator("input").set_input_files(path)
    page.get_by_test_id("take-in-send").click()
    rows = page.get_by_test_id("delivery-item")
    expect(rows.filter(has_text="NEVERSEEN1")).to_contain_text("Not planned")
    expect(rows.filter(has_text=serial)).to_contain_text(machine["name"])
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        picture(page, tmp_path / f"intake-{scheme}.png", full_page=True)
    page.get_by_test_id("accept-all").click()
    expect(rows.filter(has_text=serial)).to_contain_text("Taken over")
    page.get_by_role("link", name="Stages", exact=True).last.click()
    expect(page.get_by_test_id("stages-delivery").locator("option:checked")).to_contain_text(order)
    expect(page.get_by_test_id("stage-machine")).to_have_count(1)


@pytest.mark.slow
@needs_axe
@walked
def test_axe_finds_nothing_and_the_intake_does_not_scroll_sideways(
    size: dict[str, int], demo: Demo, enter: Callable
) -> None:
    pages = {"intake": ("/provisioning/intake", "[data-testid=take-in]")}
    if found := demo.api("/api/provisioning/deliveries/")["results"]:
        pages["delivery"] = (f"/provisioning/intake?delivery={found[0]['id']}", "[data-testid=delivery-item]")
    assert not (faults := walk(enter("operator", size).page, demo.url, pages)), faults
