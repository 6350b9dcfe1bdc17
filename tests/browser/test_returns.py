"""A machine whose installation fails: the run says at what and whose work it is, and it goes back to its vendor."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import needs_axe, sideways, violations
from tests.browser.conftest import DESK, PHONE, Demo, machines, write
from tests.browser.pictures import picture

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]


def looked_at(page: Page, folder: Path, name: str) -> None:
    """Pictures in both themes; nothing is cut off."""
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        picture(page, folder / f"{name}-{scheme}.png", full_page=True)
    assert sideways(page) == 0


@pytest.mark.slow
@needs_axe
def test_a_machine_that_cannot_be_installed_goes_back_to_its_vendor(
    demo: Demo, enter: Callable, tmp_path: Path
) -> None:
    rows = [row for row in machines(demo) if row["state"] == "new"][:2]
    for row in rows:
        demo.hall.inject(row["name"], "install_fails", at="disk")
    body = {"machines": [row["id"] for row in rows], "name": "row of the returns"}
    run = write(demo, "POST", "/api/provisioning/runs/", body)
    page = enter("operator", DESK, at=f"/provisioning/{run['id']}").page
    expect(page.get_by_test_id("step-strip").get_by_role("button")).to_have_count(2)
    expect(page.get_by_test_id("run-status")).to_have_text("Failed", timeout=120_000)
    first = page.get_by_test_id("run-row").first
    expect(first).to_contain_text("Install failed at the disks")
    expect(first).to_contain_text("Vendor")
    page.get_by_test_id("step-strip").get_by_role("button").first.click()
    evidence = page.locator("[data-testid=run-evidence-text][data-kind=installer]")
    expect(evidence).to_contain_text("no disk with serial or path was found")
    assert not violations(page)
    looked_at(page, tmp_path, "run")

    page.goto(f"{demo.url}/provisioning/stages")
    page.locator("[data-testid=stuck][data-failure=install_disk]").get_by_test_id("send-back").click()
    back = page.get_by_test_id("return")
    expect(back).to_have_attribute("data-status", "open")
    expect(page.get_by_test_id("returned-machine")).to_have_count(2)
    with page.expect_download() as download:
        page.get_by_test_id("return-table").click()
    assert re.fullmatch(r"return-\d+\.xlsx", download.value.suggested_filename)
    page.get_by_label("The vendor's number").fill("RMA-2041")
    page.get_by_test_id("return-send").click()
    expect(back).to_have_attribute("data-status", "sent")
    page.get_by_role("checkbox", name=rows[0]["name"]).check()
    page.get_by_label("What was done").fill("New boot drives")
    page.get_by_test_id("return-answer").click()
    expect(page.locator("[data-testid=returned-machine][data-outcome=repaired]")).to_contain_text("New boot drives")
    assert not violations(page)
    looked_at(page, tmp_path, "return")
    page.get_by_role("button", name="Choose all").click()
    page.get_by_test_id("return-answer").click()
    expect(back).to_have_attribute("data-status", "closed")

    for path, name in (("returns", "returns-phone"), (str(run["id"]), "run-phone")):
        phone = enter("operator", PHONE, at=f"/provisioning/{path}").page
        expect(phone.locator("main .card").first).to_be_visible()
        looked_at(phone, tmp_path, name)
    for row in rows:
        demo.hall.clear(row["name"], "install_fails")
