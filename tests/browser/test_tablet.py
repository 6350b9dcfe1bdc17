"""A tablet that people share: an operator shares it, a technician opens it with a PIN, works and locks it again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.axe import sideways, violations
from tests.browser.conftest import PHONE, Demo
from tests.browser.pictures import picture

pytestmark = pytest.mark.browser
TABLET = {"width": 820, "height": 1180}
PIN = "4071"
LEFT_BEHIND = "from core.models import Pin, Tablet; Pin.objects.all().delete(); Tablet.objects.all().delete()"


@pytest.fixture
def fresh(demo: Demo, chromium: Browser) -> Iterator[Page]:
    """A browser of its own: who shares it is signed out, and the sessions of other stories must not end."""
    context = chromium.new_context(viewport=TABLET, has_touch=True)  # type: ignore[arg-type]
    yield context.new_page()
    context.close()
    demo.python(LEFT_BEHIND)


def enter_as(page: Page, demo: Demo, user: str, path: str) -> None:
    """Sign in and give the password once more, as before every page about signing in."""
    page.goto(f"{demo.url}/accounts/login/?next={path}")
    page.get_by_label("User name or e-mail").fill(user)
    page.get_by_label("Password").fill(demo.password)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_label("Password").fill(demo.password)
    page.get_by_role("button", name="Confirm").click()


def test_a_tablet_is_shared_opened_with_a_pin_and_locked(demo: Demo, fresh: Page, tmp_path: Path) -> None:
    page = fresh
    enter_as(page, demo, "technician", "/accounts/pin/")
    expect(page.get_by_role("heading", name="PIN for shared tablets")).to_be_visible()
    page.get_by_label("New PIN").fill("1234")
    page.get_by_label("The same again").fill("1234")
    page.get_by_role("button", name="Set PIN").click()
    expect(page.get_by_role("alert")).to_contain_text("guessed at once")
    page.get_by_label("New PIN").fill(PIN)
    page.get_by_label("The same again").fill(PIN)
    picture(page, tmp_path / "pin.png")
    page.get_by_role("button", name="Set PIN").click()
    expect(page.get_by_role("status")).to_contain_text("Your PIN is set")
    assert violations(page) == []
    page.context.clear_cookies()

    enter_as(page, demo, "operator", "/accounts/tablets/")
    page.get_by_label("Name, as on its label").fill("Aisle A")
    picture(page, tmp_path / "share.png")
    assert violations(page) == []
    page.get_by_role("button", name="Share this device").click()
    expect(page.get_by_role("heading", name="Aisle A")).to_be_visible()

    page.goto(f"{demo.url}/tickets")
    page.wait_for_url("**/accounts/tablet/**")
    picture(page, tmp_path / "lock.png")
    assert violations(page) == []
    page.get_by_role("button", name="Technician").click()
    page.get_by_label("PIN").fill("9999")
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_role("alert")).to_contain_text("4 more tries")
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    assert sideways(page) == 0
    picture(page, tmp_path / "wrong.png")
    page.set_viewport_size(TABLET)  # type: ignore[arg-type]
    page.get_by_label("PIN").fill(PIN)
    page.get_by_role("button", name="Open").click()
    page.wait_for_url("**/tickets")

    page.get_by_role("button", name="account of Technician").click()
    expect(page.get_by_role("link", name="API tokens")).to_be_hidden()
    picture(page, tmp_path / "menu.png")
    page.get_by_role("button", name="Lock").click()
    page.wait_for_url("**/accounts/tablet/**")
    page.get_by_role("button", name="Technician").click()
    page.get_by_label("PIN").fill(PIN)
    page.get_by_role("button", name="Open").click()
    page.wait_for_url("**/tickets")
