"""Two machines beside each other: what is done to one shows as what differs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.axe import violations
from tests.browser.conftest import Demo, Enter, available, desk_and_phone, wait_for, write
from tests.browser.pictures import picture

pytestmark = pytest.mark.browser


@desk_and_phone
def test_two_machines_of_a_kind_do_not_differ_until_one_of_them_is_in_maintenance(
    demo: Demo, enter: Enter, size: dict[str, int], tmp_path: Path
) -> None:
    one, other = available(demo, 4)[-3:-1]
    page = enter("viewer", size, at=f"/machines/{one['id']}").page
    page.get_by_role("link", name="Compare…").click()
    page.get_by_label("With").fill(other["name"])
    page.get_by_role("option", name=other["name"]).click()
    expect(page.get_by_test_id("compare-count")).to_contain_text("No difference")
    row = page.get_by_test_id("compare-row").filter(has_text="State")
    until = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    write(demo, "POST", f"/api/machines/{other['id']}/maintenance/", {"reason": "a look inside", "until": until})
    try:
        expect(row).to_contain_text("In repair")
        expect(page.get_by_test_id("compare-count")).to_contain_text("1 difference")
        page.get_by_role("button", name="Everything").click()
        expect(page.get_by_role("region", name="Components").get_by_test_id("compare-row").first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            picture(page, tmp_path / f"compare-{scheme}.png")
        assert violations(page) == []
    finally:
        write(demo, "POST", f"/api/machines/{other['id']}/return/", {"reason": "seen"})
    wait_for(lambda: len(available(demo, 4)) >= 4, 90, "the machine to be well again")
