"""The desk: the list with its keys and many at once, the board, saved filters, and what a ticket says of its cost."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.axe import needs_axe, walk
from tests.browser.conftest import DESK, PHONE, Demo, Enter, available, walked, write

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def tickets(demo: Demo) -> Iterator[list[str]]:
    """Three tickets that an operator opened; they are closed at the end."""
    keys = [
        write(demo, "POST", "/api/tickets/", {"machine": row["id"], "part": f"DIMM {at}", "text": "a dent"})["key"]
        for at, row in enumerate(available(demo, 3)[:3], 1)
    ]
    yield keys
    write(demo, "POST", "/api/tickets/bulk/", {"keys": keys, "action": "close", "reason": "end of the test"})


def test_many_tickets_are_selected_and_moved_with_the_keys_alone(demo: Demo, tickets: list[str], enter: Enter) -> None:
    page = enter("operator", DESK).page
    page.goto(f"{demo.url}/tickets?search=DIMM")
    cards = page.get_by_test_id("ticket-card")
    expect(cards).to_have_count(3)
    page.keyboard.press("j")
    expect(cards.nth(0)).to_be_focused()
    page.keyboard.press("x")
    page.keyboard.press("j")
    page.keyboard.press("x")
    bar = page.get_by_test_id("bulk-bar")
    expect(bar).to_contain_text("2 tickets selected")
    page.keyboard.press("a")
    expect(page.get_by_test_id("toast")).to_contain_text("Acknowledged: 2 tickets")
    expect(cards.nth(0)).to_contain_text("Seen by")
    bar.get_by_role("button", name="Queue").click()
    page.get_by_role("dialog").get_by_label("Queue").select_option("vendor")
    page.get_by_role("dialog").get_by_label("Reason").fill("under warranty")
    page.get_by_role("button", name="Move").click()
    expect(bar).to_have_count(0)
    expect(cards.filter(has_text="Vendor")).to_have_count(2)
    page.keyboard.press("k")
    expect(cards.nth(0)).to_be_focused()


@pytest.mark.slow
def test_what_is_refused_among_many_says_why(demo: Demo, tickets: list[str], enter: Enter) -> None:
    write(demo, "POST", f"/api/tickets/{tickets[2]}/close/", {"reason": "seen by a colleague"})
    page = enter("operator", DESK).page
    page.goto(f"{demo.url}/tickets?search=DIMM&filter=all")  # closed ones too
    for key in tickets[1:]:
        page.get_by_label(f"Select {key}").check()
    page.get_by_test_id("bulk-bar").get_by_role("button", name="Acknowledge").click()
    refused = page.get_by_test_id("bulk-refused")
    expect(refused).to_contain_text(f"{tickets[2]} is closed.")
    expect(refused.get_by_role("listitem")).to_have_count(1)
    expect(page.get_by_test_id("bulk-bar")).to_contain_text("1 ticket selected")  # the one that is not done
    write(demo, "POST", f"/api/tickets/{tickets[2]}/reopen/", {"reason": "not yet"})


def test_a_board_shows_each_queue_and_a_filter_is_saved_for_the_next_time(
    demo: Demo, tickets: list[str], enter: Enter
) -> None:
    page = enter("technician", DESK).page
    page.goto(f"{demo.url}/tickets?search=DIMM&view=board")
    columns = page.get_by_test_id("board-column")
    expect(columns).to_have_count(4)
    expect(columns.nth(0).get_by_role("heading")).to_contain_text("Hands on site")
    expect(page.get_by_test_id("board-card")).to_have_count(3)
    page.get_by_role("group", name="Columns").get_by_role("button", name="Status").click()
    expect(columns).to_have_count(3)
    page.get_by_role("button", name="Save this filter").click()
    page.get_by_label("Name").fill("Dented")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_test_id("saved-filter")).to_contain_text("Dented")
    page.goto(f"{demo.url}/tickets")
    page.get_by_test_id("saved-filter").get_by_role("link", name="Dented").click()
    expect(page.get_by_label("Search tickets")).to_have_value("DIMM")
    page.get_by_role("button", name="Remove the filter Dented").click()
    expect(page.get_by_test_id("saved-filter")).to_have_count(0)


@pytest.mark.slow
def test_a_technician_sees_the_cost_and_snoozes_on_a_phone(demo: Demo, tickets: list[str], enter: Enter) -> None:
    page = enter("technician", PHONE).page
    page.goto(f"{demo.url}/tickets/{tickets[0]}")
    expect(page.get_by_test_id("cost-line")).to_have_text(re.compile(r"^P\d: .*GPU"))
    expect(page.get_by_test_id("ticket-due")).to_contain_text("Due")
    box = page.get_by_test_id("desk-box")
    box.get_by_role("button", name="Snooze").click()
    page.get_by_role("button", name="4 hours").click()
    page.get_by_role("button", name="Waits for a part").click()
    page.get_by_role("dialog").get_by_role("button", name="Snooze").click()
    expect(page.get_by_test_id("snoozed")).to_contain_text("Waits for a part")
    box.get_by_role("button", name="End the snooze").click()
    expect(page.get_by_test_id("snoozed")).to_have_count(0)
    page.get_by_label("New sub-task").fill("Order a DIMM")
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_label("Order a DIMM").first.check()
    expect(page.get_by_test_id("sub-tasks")).to_contain_text("1 of 1 done")


@pytest.mark.slow
@needs_axe
@walked
def test_the_desk_has_no_finding_of_axe(size: dict[str, int], demo: Demo, tickets: list[str], enter: Enter) -> None:
    pages = {
        "list": ("/tickets?search=DIMM", "[data-testid=ticket-card]"),
        "board": ("/tickets?view=board", "[data-testid=board-card]"),
        "ticket": (f"/tickets/{tickets[1]}", "[data-testid=desk-box]"),
    }
    assert not (found := walk(enter("operator", size).page, demo.url, pages)), found
