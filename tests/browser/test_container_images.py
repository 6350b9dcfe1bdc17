"""Container images in the browser: which there are, and which machines lack one or have another under its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from tests.browser.axe import needs_axe, walk
from tests.browser.conftest import Demo, available, desk_and_phone, wait_for, walked
from tests.browser.pictures import picture

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
TORCH = "registry.example/team/pytorch:25.01"
PAGES = {
    "images": ("/provisioning/images", "[data-testid=image]"),
    "one image": (f"/provisioning/images?image={quote(TORCH)}", "[data-testid=image-group]"),
}


@pytest.fixture(scope="module")
def two(demo: Demo) -> Iterator[tuple[str, str]]:
    """Names of a machine without the image and of one that pulled it before its tag was moved."""
    lacks, old = (row["name"] for row in available(demo, 6)[-2:])
    demo.hall.inject(lacks, "images", missing=[TORCH], stale=[])
    demo.hall.inject(old, "images", missing=[], stale=[TORCH])

    def seen() -> bool:
        found = demo.api(f"/api/health/images/machines/?image={quote(TORCH)}")["machines"]
        return {row["name"]: row["state"] for row in found}.items() >= {lacks: "missing", old: "another"}.items()

    wait_for(seen, 120, "a sweep to see the images")
    yield lacks, old
    for name in (lacks, old):
        demo.hall.clear(name, "images")


@pytest.mark.slow
@desk_and_phone
def test_an_image_shows_who_has_it_who_lacks_it_and_who_has_another_under_its_name(
    size: dict[str, int], demo: Demo, two: tuple[str, str], enter: Callable, tmp_path: Path
) -> None:
    lacks, old = two
    page = enter("viewer", size, at="/provisioning").page
    page.get_by_role("link", name="Images", exact=True).click()
    row = page.get_by_test_id("image").filter(has_text="pytorch:25.01")
    expect(row).to_contain_text("1 with another")
    row.get_by_role("link").click()
    chosen = page.get_by_test_id("image-machines")
    expect(chosen.locator("[data-testid=image-group][data-state=missing]")).to_contain_text(lacks)
    expect(chosen.locator("[data-testid=image-group][data-state=another]")).to_contain_text(old)
    expect(chosen.get_by_role("link", name=f"{lacks}: Missing")).to_be_visible()
    page.reload()
    expect(chosen).to_contain_text("most have")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        picture(page, tmp_path / f"images-{scheme}.png", full_page=True)
    chosen.get_by_role("button", name="Close").click()
    expect(chosen).to_have_count(0)
    search = page.get_by_test_id("image-search")
    search.fill("no-such-image")
    search.press("Enter")
    expect(page.get_by_text("No such image")).to_be_visible()


@pytest.mark.slow
@needs_axe
@walked
def test_axe_finds_nothing_and_no_page_of_images_scrolls_sideways(
    size: dict[str, int], demo: Demo, two: tuple[str, str], enter: Callable
) -> None:
    assert not (found := walk(enter("viewer", size).page, demo.url, PAGES)), found
