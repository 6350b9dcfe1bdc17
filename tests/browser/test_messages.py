"""Channels, rules, on call and one's own messages in the dashboard, at a desk and on a phone."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.axe import violations
from tests.browser.conftest import Demo, Enter, desk_and_phone

pytestmark = pytest.mark.browser


@desk_and_phone
def test_a_channel_is_made_tested_given_a_rule_and_deleted(demo: Demo, enter: Enter, size: dict[str, int]) -> None:
    page = enter("admin", size).page
    page.goto(f"{demo.url}/administration/channels")
    page.get_by_role("button", name="New channel").click()
    page.get_by_label("Name").fill("repair chat")
    page.get_by_label("Kind").select_option("slack")
    page.get_by_label("Address").fill("https://chat.example.invalid/hooks/s3cret")
    page.get_by_role("button", name="Create").click()
    row = page.get_by_test_id("channel").filter(has_text="repair chat")
    expect(row).to_contain_text("chat.example.invalid")
    assert "s3cret" not in page.content()
    row.get_by_role("button", name="Send a test message").click()
    expect(row).to_contain_text("1")
    page.get_by_role("button", name="New rule").click()
    page.get_by_label("P1").check()
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_test_id("rule")).to_contain_text("P1")
    assert violations(page) == []
    page.goto(f"{demo.url}/administration/messages")
    expect(page.get_by_test_id("message").first).to_contain_text("Test message from Rackside")
    assert violations(page) == []
    page.goto(f"{demo.url}/administration/channels")
    row.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(row).to_have_count(0)


@pytest.mark.slow
@desk_and_phone
def test_a_technician_keeps_quiet_hours_and_a_rule(demo: Demo, enter: Enter, size: dict[str, int]) -> None:
    page = enter("technician", size).page
    page.goto(f"{demo.url}/account/messages")
    page.get_by_role("button", name="Add a rule").click()
    page.get_by_label("Leave me in peace").check()
    page.get_by_label("From").fill("21:30")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    page.reload()
    expect(page.get_by_label("From")).to_have_value("21:30")
    expect(page.get_by_test_id("own-rule")).to_have_count(1)
    assert violations(page) == []
    page.get_by_role("button", name="Remove the rule").click()
    page.get_by_label("Leave me in peace").uncheck()
    page.get_by_role("button", name="Save").click()


@pytest.mark.slow
@desk_and_phone
def test_a_rota_that_was_never_read_says_that_nobody_is_on_call(demo: Demo, enter: Enter, size: dict[str, int]) -> None:
    page = enter("admin", size).page
    page.goto(f"{demo.url}/administration/on-call")
    page.get_by_role("button", name="New rota").click()
    page.get_by_label("Name", exact=True).fill("hands")
    page.get_by_label("Address of the calendar").fill("https://calendar.example.invalid/s3cret.ics")
    page.get_by_role("button", name="Create").click()
    row = page.get_by_test_id("rota").filter(has_text="hands")
    expect(row).to_contain_text("Nobody")
    page.get_by_role("button", name="New escalation").click()
    page.get_by_label("Name", exact=True).fill("night")
    page.get_by_role("button", name="Create").click()
    policy = page.get_by_test_id("policy").filter(has_text="night")
    expect(policy).to_contain_text("10 min: First on call of hands")
    expect(policy).to_contain_text("Off")
    assert violations(page) == []
    policy.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(policy).to_have_count(0)
    row.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(row).to_have_count(0)
