"""Discovery in the browser: addresses are asked while one watches, and what matches is accepted."""

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
def test_addresses_are_asked_and_a_bmc_is_shown_beside_the_plan(
    size: dict[str, int], demo: Demo, enter: Callable, tmp_path: Path
) -> None:
    machine = [row for row in machines(demo) if row["state"] == "ready"][0 if size["width"] > 1000 else 1]
    ends = demo.api(f"/api/endpoints/?machine={machine['id']}&kind=redfish")["results"]
    page = enter("operator", size, at="/provisioning").page
    page.get_by_role("link", name="Discovery", exact=True).click()
    page.get_by_test_id("ranges").fill("10.0.0.0/8")
    page.get_by_test_id("start-send").click()
    expect(page.get_by_role("alert")).to_contain_text("more than 8,192 addresses")

    page.get_by_test_id("ranges").fill(ends[0]["address"])
    page.get_by_label("Port").fill(str(ends[0]["port"]))
    page.get_by_test_id("start-send").click()
    expect(page.get_by_test_id("progress")).to_contain_text("1 of 1 address asked", timeout=60_000)
    row = page.get_by_test_id("bmc")
    expect(row).to_contain_text(machine["name"])
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        picture(page, tmp_path / f"discovery-{scheme}.png", full_page=True)
