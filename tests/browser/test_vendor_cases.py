"""A failed part and its vendor: the case on the ticket's page, and all cases on the page RMA, at desk and phone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import needs_axe, sideways, violations
from tests.browser.conftest import DESK, PHONE, Demo, machines, write

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]


def go(page: Page, event: str, state: str, **fields: str) -> None:
    page.get_by_test_id(f"case-{event}").click()
    for name, value in fields.items():
        page.locator(f"dialog [name={name}]").fill(value)
    page.get_by_test_id("case-move-save").click()
    expect(page.get_by_test_id("vendor-case")).to_have_attribute("data-state", state)


@needs_axe
def test_a_part_is_asked_for_comes_and_is_owed(demo: Demo, enter: Callable) -> None:
    machine = machines(demo, state="ready")[-1]
    site = demo.api(f"/api/machines/{machine['id']}/")["site"]["id"]
    contact = {"person": "Olga", "phone": "+31 20 1234567", "mail": "olga@example.org", "return_days": 3}
    write(demo, "POST", "/api/vendor-contacts/", {"site": site, "vendor": "generic", **contact}, "admin")
    ticket = write(demo, "POST", "/api/tickets/", {"machine": machine["id"], "text": "The fan rattles."})
    page = enter("operator", DESK, at=f"/tickets/{ticket['key']}").page
    page.get_by_label("Vendor", exact=True).select_option("generic")
    page.get_by_test_id("open-case").click()
    expect(page.get_by_test_id("vendor-case")).to_have_attribute("data-state", "draft")
    page.get_by_test_id("case-bundle").click()
    expect(page.get_by_test_id("bundle")).to_have_attribute("data-status", "done", timeout=180_000)
    go(page, "send", "sent", number="RMA-77")
    go(page, "ship", "shipped", carrier="UPS", tracking="1Z9")
    assert not violations(page)

    for screen, width in ((DESK, "desk"), (PHONE, "phone")):
        board = enter("operator", screen, at="/rma").page
        card = board.get_by_test_id("case-card").filter(has_text="RMA-77").first
        expect(card).to_contain_text("back in 3 days")
        card.click()
        expect(board.get_by_test_id("vendor-case")).to_contain_text("1Z9")
        assert not violations(board), width
        assert sideways(board) == 0, width
