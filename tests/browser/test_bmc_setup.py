"""BMC set-up in the browser: a profile is made, the BMCs are read beside it, and a run is followed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.axe import needs_axe, walk
from tests.browser.conftest import Demo, walked
from tests.browser.pictures import picture

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
DESK = {"width": 1440, "height": 900}
PAGE = "/provisioning/bmc"


@pytest.mark.slow
def test_a_profile_is_made_and_its_differences_are_shown_before_a_dry_run(
    demo: Demo, enter: Callable, tmp_path: Path
) -> None:
    page = enter("admin", DESK, at="/provisioning").page
    page.get_by_role("link", name="BMC set-up", exact=True).click()
    page.locator("[data-testid=bmc-row] a").first.click()
    page.get_by_test_id("bmc-edit").click()
    page.get_by_test_id("bmc-setting-add").click()
    page.get_by_test_id("bmc-setting-name").last.fill("SriovGlobalEnable")
    page.get_by_test_id("bmc-setting-value").last.fill("Enabled")
    page.get_by_test_id("bmc-firmware-add").click()
    page.get_by_test_id("bmc-component").last.fill("BIOS")
    page.get_by_test_id("bmc-version").last.fill("2.4.4")
    picture(page, tmp_path / "edit.png")
    page.get_by_test_id("bmc-profile-save").click()
    expect(page.get_by_test_id("bmc-wanted").first).to_contain_text("SriovGlobalEnable")

    machine = page.get_by_test_id("bmc-machine")
    expect(machine.first).to_be_visible(timeout=120_000)
    machine.first.get_by_role("button").click()
    difference = page.get_by_test_id("bmc-difference")
    expect(difference.first).to_contain_text("SriovGlobalEnable")
    expect(difference.first).to_contain_text("Disabled")
    picture(page, tmp_path / "differences.png", full_page=True)

    page.get_by_test_id("bmc-new").click()
    page.get_by_test_id("bmc-action-password").check()
    expect(page.get_by_test_id("bmc-dry-run")).to_be_checked()
    picture(page, tmp_path / "start.png")
    page.get_by_test_id("bmc-start").click()
    expect(page.get_by_test_id("bmc-run")).to_contain_text("Dry run")
    expect(page.get_by_test_id("bmc-run-machine").first).to_contain_text("password of its own", timeout=120_000)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        picture(page, tmp_path / f"bmc-{scheme}.png", full_page=True)


@pytest.mark.slow
@needs_axe
@walked
def test_axe_finds_nothing_and_bmc_set_up_does_not_scroll_sideways(
    size: dict[str, int], demo: Demo, enter: Callable, tmp_path: Path
) -> None:
    model = demo.api("/api/provisioning/bmc/profiles/")["results"][0]["slug"]
    pages = {
        "BMC set-up": (PAGE, "[data-testid=bmc-row]"),
        "a model": (f"{PAGE}?model={model}", "[data-testid=bmc-model]"),
        "its profile": (f"{PAGE}?model={model}&edit=1", "[data-testid=bmc-profile-save]"),
        "a new run": (f"{PAGE}?model={model}&new=password", "[data-testid=bmc-start]"),
    }
    if found := demo.api("/api/provisioning/bmc/runs/")["results"]:
        pages["a run"] = (f"{PAGE}?run={found[0]['id']}", "[data-testid=bmc-run-machine]")
    page = enter("admin", size).page
    assert not (faults := walk(page, demo.url, pages)), faults
    page.goto(f"{demo.url}{PAGE}?model={model}")
    page.get_by_test_id("bmc-model").wait_for()
    picture(page, tmp_path / f"model-{size['width']}.png", full_page=True)
