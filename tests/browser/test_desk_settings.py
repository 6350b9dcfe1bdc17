"""What a site decides for its desk and how it reaches its vendors, at a desk and on a phone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.axe import violations
from tests.browser.conftest import DESK, Demo, Enter, desk_and_phone
from tests.browser.pictures import picture

pytestmark = pytest.mark.browser


@desk_and_phone
def test_due_times_days_off_and_a_queue_rule_are_set_for_a_site(
    demo: Demo, enter: Enter, size: dict[str, int], tmp_path: Path
) -> None:
    page = enter("admin", size, at="/administration/desk").page
    row = page.get_by_test_id("desk-policy").first
    expect(row).to_contain_text("4 h around the clock")
    before = demo.api("/api/desk-policies/")["results"][0]
    row.get_by_role("button", name="Change").click()
    page.get_by_label("Hours of P2").fill("30")
    page.get_by_label("Sat").check()
    page.get_by_label("Days off").fill("25.12.2026")
    page.get_by_role("button", name="Add a rule").click()
    page.get_by_label("Class of fault 1").fill("gpu.*")
    page.get_by_label("Queue 1").select_option("vendor")
    page.get_by_label("Add a technician").select_option("Technician")
    limit = page.get_by_test_id("desk-limit")
    limit.get_by_label("Own team").check()
    limit.get_by_label("Hands on site").uncheck()
    assert violations(page) == []
    picture(page, tmp_path / "desk-policy.png")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("No date: 25.12.2026")
    page.get_by_label("Days off").fill("2026-12-25")
    page.get_by_role("button", name="Save").click()
    expect(row).to_contain_text("30 working hours")
    expect(row).to_contain_text("Mon–Sat")
    expect(row).to_contain_text("1 day off")
    expect(row).to_contain_text("gpu.* → Vendor")
    expect(row).to_contain_text("1 technician of some queues only")
    assert violations(page) == []
    demo.python(f"from tickets.desk.models import DeskPolicy\nDeskPolicy.objects.filter(pk={before['site']}).delete()")


@pytest.mark.slow
@desk_and_phone
def test_a_vendor_contact_is_made_changed_and_deleted(
    demo: Demo, enter: Enter, size: dict[str, int], tmp_path: Path
) -> None:
    page = enter("admin", size, at="/administration/vendors").page
    page.get_by_role("button", name="New vendor contact").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label(re.compile("^Vendor")).select_option("supermicro")
    dialog.get_by_label("Channel").select_option("http")
    dialog.get_by_label("Address", exact=True).fill("https://vendor.example.invalid/cases")
    dialog.get_by_label("Signing secret").fill("whsec_" + "c2VjcmV0LW9mLXRoaXMtc3Rvcnk=")
    dialog.get_by_label("Cases are sent over this channel").check()
    assert violations(page) == []
    picture(page, tmp_path / "vendor-contact.png")
    dialog.get_by_role("button", name="Create").click()
    row = page.get_by_test_id("vendor-contact").filter(has_text="Supermicro")
    expect(row).to_contain_text("vendor.example.invalid")
    expect(row).to_contain_text("Missing")
    assert "whsec_" not in page.content()
    row.get_by_role("button", name="Change").click()
    for label, value in (("Name", "Ada"), ("Phone", "+47 1"), ("Mail address", "ada@example.org")):
        dialog.get_by_label(label, exact=True).fill(value)
    dialog.get_by_role("button", name="Save").click()
    expect(row).to_contain_text("ada@example.org")
    expect(row).to_contain_text("On")
    assert violations(page) == []
    row.get_by_role("button", name="Delete").click()
    dialog.get_by_role("button", name="Delete").click()
    expect(row).to_have_count(0)


@pytest.mark.slow
def test_who_administers_nothing_reads_both(demo: Demo, enter: Enter) -> None:
    page = enter("viewer", DESK, at="/administration/desk").page
    expect(page.get_by_test_id("desk-policy").first).to_be_visible()
    expect(page.get_by_role("button", name="Change")).to_have_count(0)
    page.goto(f"{demo.url}/administration/vendors")
    expect(page.get_by_role("heading", name="Vendors", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="New vendor contact")).to_have_count(0)
