"""Runbooks in the browser: one is edited beside its preview, published, compared, and taken back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.axe import needs_axe, sideways, violations
from tests.browser.conftest import DESK, PHONE, Demo, write
from tests.browser.pictures import picture

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]


@needs_axe
def test_a_runbook_is_edited_published_and_taken_back(demo: Demo, enter: Callable, tmp_path: Path) -> None:
    page = enter("operator", DESK, at="/runbooks/swap-psu").page
    expect(page.get_by_role("heading", level=1)).to_contain_text("power supply", ignore_case=True)
    page.get_by_test_id("runbook-edit").click()
    steps = page.get_by_test_id("runbook-step")
    steps.first.get_by_label("Text").fill("Go to {{ nowhere }}.")
    expect(steps.first.get_by_role("alert")).to_contain_text("'nowhere' is no word")
    expect(page.get_by_test_id("runbook-publish")).to_be_disabled()
    steps.first.get_by_label("Text").fill("Go to **{{ machine }}** with a torch.")
    expect(page.get_by_label("Preview").locator("strong").first).to_be_visible()
    page.get_by_test_id("runbook-save").click()
    expect(page.get_by_text("draft of operator")).to_be_visible()
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        picture(page, tmp_path / f"runbook-{scheme}.png", full_page=True)
    assert not violations(page) and sideways(page) == 0

    # Somebody else saves the same draft: publishing says so, and does it when it is asked for again.
    site = demo.api("/api/floor/")["site"]["id"]
    draft = demo.api(f"/api/runbooks/swap-psu/?site={site}")["draft"]
    theirs = {"site": site, "document": draft["document"] | {"minutes": 33}, "version": draft["version"]}
    write(demo, "PUT", "/api/runbooks/swap-psu/draft/", theirs, "admin")
    page.get_by_test_id("runbook-publish").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Reason").fill("It is dark there")
    dialog.get_by_role("button", name="Publish").click()
    expect(dialog).to_contain_text("admin saved a draft since you read it")
    dialog.get_by_role("button", name="Publish").click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_text("own, version 2")).to_be_visible()
    newest = page.get_by_test_id("runbook-version").first
    expect(newest).to_contain_text("It is dark there")
    newest.get_by_role("button").click()
    expect(page.get_by_test_id("runbook-differences")).to_contain_text("with a torch")

    page.get_by_role("button", name="Back to shipped").click()
    dialog.get_by_label("Reason").fill("There is light now")
    dialog.get_by_role("button", name="Back to shipped").click()
    expect(page.get_by_text("as shipped", exact=True)).to_be_visible()


@pytest.mark.slow
def test_a_draft_is_discarded_on_a_phone(demo: Demo, enter: Callable) -> None:
    page = enter("operator", PHONE, at="/runbooks/swap-fan").page
    page.get_by_test_id("runbook-edit").click()
    page.get_by_test_id("runbook-minutes").fill("7")
    page.get_by_test_id("runbook-save").click()
    expect(page.get_by_text("draft of operator")).to_be_visible()
    assert sideways(page) == 0
    page.get_by_role("button", name="Discard").click()
    expect(page.get_by_text("draft of operator")).to_have_count(0)
    expect(page.get_by_test_id("runbook-edit")).to_be_visible()
