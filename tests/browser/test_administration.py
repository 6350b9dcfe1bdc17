"""What an administrator does in the dashboard: pools and their budget, webhooks, identities that changed."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Demo, Enter, Visitor, desk_and_phone, machines

pytestmark = pytest.mark.browser

CHANGED = """
from core.audit.actor import Actor, acting
from django.utils import timezone
from access.models import IdentityChange, KnownHost
with acting(Actor("a test", "command")):
    host = KnownHost.objects.filter(machine__device__name={name!r}, replaced_at=None).get()
    IdentityChange.objects.create(machine=host.machine, kind="ssh", known=host.fingerprint, presented=host.key,
        presented_fingerprint=host.fingerprint, first_seen_at=timezone.now(), last_seen_at=timezone.now())
"""
"""The machine's own key as if it were another one: to trust it leaves the machine as it is."""


def opened(enter: Enter, demo: Demo, path: str, user: str = "admin", size: dict[str, int] | None = None) -> Visitor:
    visitor = enter(user, size) if size else enter(user)
    visitor.page.goto(demo.url + path)
    return visitor


def machines_of(row: Locator) -> int:
    """How many machines the pool has: other stories install bare ones."""
    said = re.search(r" of (\d+) unavailable", row.get_by_role("img").get_attribute("aria-label") or "")
    assert said
    return int(said[1])


@pytest.mark.slow
@desk_and_phone
def test_an_administrator_changes_the_budget_of_a_pool_and_sees_what_is_left(
    demo: Demo, enter: Enter, size: dict[str, int]
) -> None:
    page = opened(enter, demo, "/automation/pools", size=size).page
    row = page.get_by_test_id("pool-row").first
    row.get_by_role("button", name="Change").click()
    share = page.get_by_label("Percent of the pool that may be out")
    before = share.input_value()
    share.fill("50")
    page.get_by_role("button", name="Save").click()
    expect(row).to_contain_text("50 %")
    expect(row.get_by_role("img")).to_have_accessible_name(re.compile(f", {machines_of(row) // 2} may be"))
    row.get_by_role("button", name="Change").click()
    page.get_by_label("Percent of the pool that may be out").fill(before)
    page.get_by_role("button", name="Save").click()
    expect(row).not_to_contain_text("50 %")


@pytest.mark.slow
def test_a_webhook_is_made_tested_turned_off_and_deleted(demo: Demo, enter: Enter) -> None:
    page = opened(enter, demo, "/administration/webhooks").page
    page.get_by_role("button", name="New webhook").click()
    page.get_by_label("Name").fill("repair chat")
    page.get_by_label("Address").fill("http://127.0.0.1:9/hook")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_text("is refused")).to_be_visible()
    page.get_by_label("Address").fill("https://hooks.invalid/rackside")
    page.get_by_role("button", name="machine.changed").click()
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_test_id("secret")).to_have_text(re.compile("^whsec_"))
    page.get_by_role("button", name="I have stored it").click()
    page.get_by_role("button", name="Send a test").click()
    message = page.get_by_test_id("delivery").first
    expect(message).to_contain_text("Pending", timeout=20_000)
    message.get_by_role("button", name="Details").click()
    expect(page.locator("pre").first).to_contain_text("type")
    page.get_by_role("button", name="Turn off").click()
    expect(page.get_by_role("button", name="Turn on")).to_be_visible()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("No webhook yet")).to_be_visible()


@pytest.mark.slow
def test_a_new_identity_is_seen_by_all_and_trusted_by_an_administrator(demo: Demo, enter: Enter) -> None:
    machine = machines(demo, state="ready")[-1]
    name = str(machine["name"])
    demo.python(CHANGED.format(name=name))
    of_machine = opened(enter, demo, f"/machines/{machine['id']}", "viewer").page
    expect(of_machine.get_by_test_id("identity-changed")).to_contain_text("Nothing logs in until an administrator")
    seen = opened(enter, demo, "/administration/identities", "viewer").page
    expect(seen.get_by_test_id("identity")).to_contain_text(name)
    expect(seen.get_by_role("button", name="Trust it…")).to_have_count(0)
    page = opened(enter, demo, "/administration/identities").page
    page.get_by_role("button", name="Trust it…").click()
    page.get_by_role("dialog").get_by_role("button", name="Trust it").click()
    expect(page.get_by_text("Every machine and BMC is who it was")).to_be_visible()
    page.get_by_role("link", name="Show past changes").click()
    expect(page.get_by_test_id("identity")).to_contain_text("Trusted")
    of_machine.reload()
    expect(of_machine.get_by_test_id("machine-header")).to_contain_text(name)
    expect(of_machine.get_by_test_id("identity-changed")).to_have_count(0)
