"""A passkey is added, signs in by itself and is removed; a key of Chromium's own takes the place of a finger."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.axe import violations
from tests.browser.conftest import DESK, PHONE, Demo
from tests.browser.pictures import picture

pytestmark = pytest.mark.browser
KEY = {
    "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
    "isUserVerified": True, "automaticPresenceSimulation": True,
}  # fmt: skip


@pytest.mark.parametrize("size", [PHONE, pytest.param(DESK, marks=pytest.mark.slow)], ids=["phone", "desk"])
def test_a_passkey_is_added_signs_in_without_a_password_and_is_removed(
    size: dict[str, int], demo: Demo, chromium: Browser, tmp_path: Path
) -> None:
    url = demo.url.replace("127.0.0.1", "localhost")  # keys belong to names, not to addresses
    context = chromium.new_context(viewport=size)
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    devtools = context.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": KEY})
    page.goto(f"{url}/accounts/login/?next=/accounts/2fa/")
    assert violations(page) == []
    page.get_by_label("User name or e-mail").fill("technician")
    page.get_by_label("Password").fill(demo.password)
    page.get_by_role("button", name="Sign in", exact=True).click()
    picture(page, tmp_path / "second-factor.png", full_page=True)
    assert violations(page) == []
    page.locator("section").filter(has_text="Security Keys").get_by_role("link", name="Add").click()
    page.get_by_label("Password").fill(demo.password)  # once more, however short ago
    picture(page, tmp_path / "again.png", full_page=True)
    page.get_by_role("button", name="Confirm").click()
    page.get_by_label("Name").fill("phone")
    page.get_by_label("Passwordless").check()
    picture(page, tmp_path / "add-key.png", full_page=True)
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_text("Recovery Codes").first).to_be_visible()
    picture(page, tmp_path / "recovery-codes.png", full_page=True)
    context.clear_cookies()
    page.goto(f"{url}/accounts/login/")
    page.get_by_role("button", name="Use a passkey").click()
    page.wait_for_url(f"{url}/")
    page.goto(f"{url}/accounts/2fa/webauthn/")
    expect(page.locator(".keys li")).to_contain_text("phone")
    picture(page, tmp_path / "keys.png", full_page=True)
    assert violations(page) == []
    page.get_by_role("link", name="Remove").click()
    page.get_by_label("Password").fill(demo.password)
    page.get_by_role("button", name="Confirm").click()
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_text("No security keys have been added.")).to_be_visible()
    context.close()
    assert errors == [], "a script failed"
