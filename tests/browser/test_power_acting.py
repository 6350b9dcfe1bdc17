"""A feed that dies: one ticket, and the steps against it, done to the machines of the hall and taken back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Demo, wait_for, write
from tests.browser.pictures import picture
from tests.browser.warm_hall import findings, judged_now, measured, mend, mended, meter, provoke, until

__all__ = ["measured", "mended"]

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900), pytest.mark.slow]

FEED = "a05-b"
GO_ON = "from facility.proposals.services import carry_out_left\ncarry_out_left()"
"""What a worker does once a minute."""
CHECKED_NOW = """
from django.utils import timezone
from health.models import MachineHealth
from health.monitoring.services.verifications import end_due_maintenance
MachineHealth.objects.filter(machine__device__name__startswith="hgx-a05", state="maintenance").update(
    maintenance_until=timezone.now())
end_due_maintenance()
"""


def active_tickets(demo: Demo) -> list[dict[str, Any]]:
    rows = demo.api("/api/tickets/?page_size=200")["results"]
    return [row for row in rows if row["status"] in ("open", "in_work", "verifying")]


def proposal(page: Page) -> Locator:
    """Others name the feed as what is switched off last."""
    return page.locator("[data-testid=proposal]").filter(has_text=f"{FEED}, 4 machines")


def step(page: Page, word: str) -> Locator:
    return proposal(page).get_by_test_id("proposal-step").filter(has_text=word)


def is_state(page: Page, demo: Demo, word: str, state: str) -> None:
    """A worker goes on once a minute; here it goes on now."""

    def there() -> bool:
        demo.python(GO_ON)
        return step(page, word).get_attribute("data-state") == state

    wait_for(there, 180, f"{word}: {state}")


def test_a_dead_feed_is_one_ticket_and_its_steps_are_done_to_machines_and_taken_back(
    measured: Demo, mended: None, enter: Callable, tmp_path: Path
) -> None:
    demo = measured
    policy = "/api/facility/policies/1/"
    write(demo, "PATCH", policy, {"acting": True, "emergency_gpu_percent": 60, "shut_down_at_once": 2}, user="admin")
    silent = f"/api/facility/meters/{meter(demo, f'pdu-{FEED}')['id']}/"
    write(demo, "PATCH", silent, {"period_s": 10}, user="admin")
    before = {row["key"] for row in active_tickets(demo)}
    judged_now(demo)
    provoke(demo, "feed_off", FEED)
    until(demo, lambda: findings(demo, kind="feed.lost"), 120, "the dead feed")

    def incident() -> dict[str, Any] | None:
        rows = demo.api("/api/health/incidents/?kind=shared")["results"]
        return next((row for row in rows if row["cause"] == FEED and row["closed_at"] is None), None)

    wait_for(incident, 60, "the incident of the feed")
    found = incident()
    assert found is not None and found["cause_kind"] == "feed" and found["cause_stands"]

    def all_on_it() -> bool:
        return len(demo.api(f"/api/health/incidents/{found['id']}/")["machines"]) == 4

    wait_for(all_on_it, 240, "the supplies of all four machines on its ticket")
    (ticket,) = [row for row in active_tickets(demo) if row["key"] not in before]
    assert ticket["title"] == f"Feed {FEED} carries nothing: 4 machines"

    page = enter("admin", at=f"/tickets/{ticket['key']}").page
    expect(page.get_by_text(f"Check power feed {FEED}")).to_be_visible()
    picture(page, tmp_path / "ticket.png", full_page=True)
    page.goto(f"{demo.url}/power/proposals")
    proposal(page).get_by_test_id("proposal-approve").click()
    page.get_by_test_id("proposal-confirm").click()
    is_state(page, demo, "No new jobs", "done")
    is_state(page, demo, "to 420 W", "done")
    expect(step(page, "to 420 W")).to_contain_text("4 of 4 machines have their GPUs limited")
    expect(step(page, "Shut down")).to_have_attribute("data-state", "offered")
    step(page, "Shut down").get_by_test_id("step-begin").click()
    expect(page.get_by_role("dialog")).to_contain_text("What still runs on them ends")
    page.get_by_test_id("step-confirm").click()
    is_state(page, demo, "Shut down", "done")
    expect(step(page, "Shut down")).to_contain_text("4 of 4 machines are off")
    picture(page, tmp_path / "done.png")

    mend(demo, fault="feed_off", target=FEED)
    proposal(page).get_by_test_id("proposal-undo").click()
    for word in ("Shut down", "to 420 W", "No new jobs"):
        is_state(page, demo, word, "undone")
    until(demo, lambda: not findings(demo, kind="feed.lost"), 120, "the feed")
    demo.python(CHECKED_NOW)
    for word in ("take", "verify"):
        write(demo, "POST", f"/api/tickets/{ticket['key']}/{word}/", user="admin")
    wait_for(lambda: incident() is None, 240, "the machines to pass")
    assert not [row for row in active_tickets(demo) if row["key"] not in before]
    write(demo, "PATCH", policy, {"acting": False, "emergency_gpu_percent": None}, user="admin")
    write(demo, "PATCH", silent, {"period_s": 60}, user="admin")
