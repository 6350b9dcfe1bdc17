"""Placing an image and the mirrors of a site in the browser: what it takes, progress before one's eyes, who lags."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.axe import needs_axe, walk
from tests.browser.conftest import Demo, available, desk_and_phone, walked

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
IMAGE, DIGEST = "registry.example/team/llm:4", f"sha256:{'4' * 64}"


@desk_and_phone
def test_an_image_is_placed_and_a_machine_that_cannot_pull_says_why(
    size: dict[str, int], demo: Demo, enter: Callable, tmp_path: Path
) -> None:
    good, bad = (row["name"] for row in available(demo, 6)[:2])
    demo.hall.inject(bad, "pull_fails", text="no space left on device", seconds=0)
    page = enter("operator", size, at="/provisioning/images").page
    try:
        page.get_by_test_id("placement-new").click()
        page.get_by_test_id("placement-image").fill(f"{IMAGE}{size['width']}")
        page.get_by_test_id("placement-digest").fill(DIGEST)
        for name in (good, bad):
            page.get_by_label("Filter machines").fill(name)
            page.locator("li").get_by_label(name).check()
        page.get_by_label("Canaries").fill("0")
        page.get_by_text("How long the links take").click()
        page.get_by_test_id("placement-size").fill("30")
        expect(page.get_by_test_id("placement-estimate")).to_contain_text("2 machines over 4 × 100 Gbit/s: about 2 s")
        expect(page.get_by_test_id("placement-dry-run")).to_be_checked()
        page.get_by_test_id("placement-dry-run").uncheck()
        page.screenshot(path=tmp_path / "new.png")
        page.get_by_test_id("placement-start").click()
        placement = page.get_by_test_id("placement")
        failed = placement.locator("[data-status=failed]")
        expect(failed).to_contain_text("no space left on device", timeout=90_000)
        expect(placement.locator("[data-status=ok]")).to_contain_text(DIGEST[7:19], timeout=60_000)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.screenshot(path=tmp_path / f"placement-{scheme}.png", full_page=True)
    finally:
        demo.hall.clear(bad, "pull_fails")
    page.get_by_test_id("placement-retry").click()
    expect(placement.locator("[data-status=ok]")).to_have_count(2, timeout=90_000)


@pytest.mark.slow
@desk_and_phone
def test_a_source_is_added_and_shows_that_it_does_not_answer(
    size: dict[str, int], demo: Demo, enter: Callable, tmp_path: Path
) -> None:
    page = enter("admin", size, at="/provisioning/mirrors").page
    name = f"ubuntu {size['width']}"
    page.get_by_test_id("mirror-new").click()
    page.get_by_test_id("mirror-name").fill(name)
    page.get_by_test_id("mirror-url").fill("http://mirror.invalid/ubuntu")
    page.get_by_test_id("mirror-save").click()
    row = page.get_by_test_id("mirror").filter(has_text=name)
    expect(row).to_contain_text("Not known")
    expect(row).to_have_attribute("data-state", "failed", timeout=200_000)
    row.get_by_role("link").click()
    expect(page.get_by_test_id("mirror-opened")).to_contain_text("mirror.invalid")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.screenshot(path=tmp_path / f"mirrors-{scheme}.png", full_page=True)


@pytest.mark.slow
@needs_axe
@walked
def test_axe_finds_nothing_and_no_page_scrolls_sideways(size: dict[str, int], demo: Demo, enter: Callable) -> None:
    pages = {
        "mirrors": ("/provisioning/mirrors", "[data-testid=mirror-new]"),
        "new placement": ("/provisioning/images?new=place", "[data-testid=placement-start]"),
    }
    if found := demo.api("/api/provisioning/placements/")["results"]:
        pages["placement"] = (f"/provisioning/images?placement={found[0]['id']}", "[data-testid=placed]")
    assert not (faults := walk(enter("admin", size).page, demo.url, pages)), faults
