"""The main pages on the narrowest phone, and what must not move while one reads."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import DESK, Demo
from tests.browser.narrow import NARROW, misfits

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

PAGES = [
    "/", "/?view=table", "/machines", "/machines/MACHINE", "/machines/MACHINE?tab=parts", "/tickets", "/checks",
    "/training", "/automation", "/reliability", "/racks", "/racks/1", "/fabric", "/provisioning",
    "/provisioning/images", "/provisioning/stages", "/provisioning/intake", "/provisioning/discovery",
    "/provisioning/software", "/history", "/tables",
]  # fmt: skip

MAIN = ["/", "/machines/MACHINE", "/tickets", "/checks", "/racks/1", "/provisioning", "/tables"]
"""Each is laid out in a way of its own; with `--all` every page is looked at."""

LEFTS = "() => [...document.querySelectorAll('main .seg > *')].map((each) => each.getBoundingClientRect().left)"


@pytest.mark.target(36)
@pytest.mark.parametrize(
    ("pages", "type_size"),
    [
        pytest.param(PAGES, 100, marks=pytest.mark.slow, id="100"),
        pytest.param(PAGES, 200, marks=pytest.mark.slow, id="200"),
        pytest.param(MAIN, 200, id="main-200"),
    ],
)
def test_at_320_pixels_no_page_scrolls_sideways_and_no_control_is_cut_off(
    pages: list[str], type_size: int, demo: Demo, enter: Callable
) -> None:
    page = enter("admin", NARROW).page
    machine = str(demo.api("/api/machines/?page_size=1")["results"][0]["id"])
    found = []
    for path in pages:
        page.goto(demo.url + path.replace("MACHINE", machine))
        expect(page.locator(".stage > *").first).to_be_visible()
        found += [(path, fault) for fault in misfits(page, type_size)]
    assert found == []


def test_every_area_has_its_word_beside_its_icon_at_a_desk(demo: Demo, enter: Callable) -> None:
    page = enter("viewer", DESK, at="/").page
    links = page.get_by_role("navigation", name="Main").get_by_role("link")
    expect(links).to_have_count(12)
    for link in links.all():
        rail, word = link.bounding_box(), link.locator(".word").bounding_box()
        assert rail and word and word["width"] > 20 and word["height"] > 8
        assert rail["x"] <= word["x"] and word["x"] + word["width"] <= rail["x"] + rail["width"]


@pytest.mark.slow
def test_tabs_do_not_shift_when_one_is_chosen(demo: Demo, enter: Callable) -> None:
    page = enter("viewer", DESK).page
    page.goto(f"{demo.url}/tickets")
    expect(page.locator("main .seg > button").first).to_be_visible()
    before = page.evaluate(LEFTS)
    for name in ("Mine", "Verifying", "Closed"):
        page.get_by_role("button", name=name, exact=True).click()
        expect(page.get_by_role("button", name=name, exact=True)).to_have_attribute("aria-pressed", "true")
        assert page.evaluate(LEFTS) == before
