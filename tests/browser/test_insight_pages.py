"""The page of insight into repairs: its one range, its numbers, tables and files, rate and shifts, and the report."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.axe import needs_axe, walk
from tests.browser.conftest import Demo, available, desk_and_phone, walked

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

REPAIRS = """
from datetime import timedelta
from core.audit.actor import Actor, acting
from core.models import User
from inventory.models import Machine
from tickets.insights.tests.past_tickets import make_closed
with acting(Actor("story", "command", "story")):
    machine = Machine.objects.select_related("device").get(device__name="{machine}")
    make_closed(machine, 300, every=timedelta(hours=6), took=timedelta(hours=6))
    User.objects.filter(username="operator").update(email="operator@example.org")
"""


@pytest.fixture(scope="module")
def repairs(demo: Demo) -> str:
    """Seventy-five days of repairs on one machine, six hours each."""
    machine = str(available(demo)[0]["name"])
    demo.python(REPAIRS.format(machine=machine))
    return machine


@pytest.mark.target(46)
@desk_and_phone
def test_target_46_insight_states_its_sample_and_marks_a_small_one(
    size: dict[str, int], demo: Demo, repairs: str, enter: Callable
) -> None:
    page = enter("viewer", size).page
    page.goto(f"{demo.url}/insight")
    verified = page.get_by_test_id("figure-verified")
    expect(verified).to_contain_text("6.0 h")
    expect(verified).to_contain_text(re.compile(r"median of \d{3}, 90 % within 6\.0 h"))
    groups = page.get_by_test_id("insight-groups")
    expect(groups.get_by_test_id("chart")).to_be_visible()
    expect(groups.get_by_test_id("insight-group").filter(has_text="gpu.gone")).to_contain_text("6.0 h")
    groups.get_by_role("button", name="Shift").click()
    expect(groups).to_contain_text("This site has no shifts yet")
    groups.get_by_role("button", name="Vendor").click()
    expect(groups.get_by_test_id("insight-group").filter(has_text="Dell")).to_be_visible()
    expect(page).to_have_url(re.compile("by=vendor"))
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page scrolls sideways"


@pytest.mark.slow
def test_one_range_for_the_whole_page_stands_in_the_address(demo: Demo, repairs: str, enter: Callable) -> None:
    page = enter("viewer").page
    page.goto(f"{demo.url}/insight")
    expect(page.get_by_role("button", name="12 weeks")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_test_id("figure-verified")).to_contain_text("median of")  # what was asked for twelve is here
    with page.expect_response(re.compile(r"/api/insight/\?")) as asked:
        page.get_by_role("button", name="4 weeks").click()
    few = asked.value.json()
    expect(page).to_have_url(re.compile("weeks=4"))
    assert 100 <= few["times"]["verified"]["n"] <= 113 and 4 <= len(few["weeks"]) <= 5
    page.reload()
    expect(page.get_by_role("button", name="4 weeks")).to_have_attribute("aria-pressed", "true")
    page.get_by_label("From").fill("2020-01-01")
    page.get_by_label("From").press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("At most 732 days")
    page.go_back()
    expect(page.get_by_test_id("figure-verified")).to_contain_text("median of")


@pytest.mark.slow
@pytest.mark.target(47)
def test_the_charts_of_a_page_are_read_and_zoomed_together(demo: Demo, repairs: str, enter: Callable) -> None:
    page = enter("viewer").page
    page.goto(f"{demo.url}/insight")
    first, second = (page.get_by_test_id("chart").nth(at) for at in (0, 1))
    drawn = first.get_by_role("img")
    drawn.focus()
    drawn.press("ArrowLeft")
    read = first.locator(".reading b")
    expect(read).to_be_visible()
    expect(second.locator(".reading b")).to_have_text(read.inner_text())
    drawn.press("+")
    expect(second.get_by_role("img")).to_have_attribute("data-zoomed", "true")
    expect(page).to_have_url(re.compile(r"zoom=\d+-\d+"))
    page.reload()
    expect(first.get_by_role("img")).to_have_attribute("data-zoomed", "true")
    second.get_by_role("button", name="Whole span").click()
    expect(first.get_by_role("img")).to_have_attribute("data-zoomed", "false")
    expect(page).not_to_have_url(re.compile("zoom="))


@pytest.mark.slow
def test_each_panel_has_its_file(demo: Demo, repairs: str, enter: Callable) -> None:
    page = enter("viewer").page
    page.goto(f"{demo.url}/insight")
    for panel, head in (
        ("groups", "by,name,measure"),
        ("weeks", "week,opened"),
        ("ageing", "age,P1"),
        ("parts", "kind,by"),
    ):
        with page.expect_download() as download:
            page.get_by_test_id(f"insight-{panel}").get_by_role("link", name="CSV").click()
        assert download.value.path().read_text().startswith(head)


@pytest.mark.slow
def test_an_operator_sets_rate_and_shifts_and_money_is_shown(demo: Demo, repairs: str, enter: Callable) -> None:
    page = enter("operator").page
    page.goto(f"{demo.url}/insight?by=shift")
    cost = page.get_by_test_id("figure-cost")
    expect(cost).to_contain_text("week")
    page.get_by_role("button", name="Rate and shifts").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("A GPU-hour is worth").fill("2.5")
    dialog.get_by_label("Currency").fill("eur")
    dialog.get_by_role("button", name="Add a shift").click()
    dialog.get_by_label("Name of shift 1").fill("Day")
    dialog.get_by_label("Begin of shift 1").fill("00:00")
    dialog.get_by_label("End of shift 1").fill("23:59")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_be_hidden()
    expect(cost).to_contain_text("EUR at 2.5 EUR an hour")
    expect(page.get_by_test_id("insight-group").filter(has_text="Day")).to_be_visible()


@pytest.mark.slow
def test_the_report_is_sent_subscribed_to_and_opened_as_pdf(demo: Demo, repairs: str, enter: Callable) -> None:
    entered: Any = enter("operator")
    page = entered.page
    page.goto(f"{demo.url}/insight")
    report = page.get_by_test_id("weekly-report")
    report.get_by_role("button", name="Subscribe").click()
    expect(report).to_contain_text("Subscribed: Operator")
    report.get_by_role("button", name="Send now").click()
    expect(report).to_contain_text(re.compile(r"The last one: (On its way|Sent)"))
    address = report.get_by_role("link", name="Open as PDF").get_attribute("href")
    answer = page.request.get(f"{demo.url}{address}")
    assert answer.ok and answer.body().startswith(b"%PDF") and answer.headers["content-type"] == "application/pdf"
    report.get_by_role("button", name="Unsubscribe").click()
    expect(report).to_contain_text("Nobody is subscribed")


@pytest.mark.slow
@needs_axe
@walked
def test_the_page_is_accessible(size: dict[str, int], demo: Demo, repairs: str, enter: Callable) -> None:
    groups = "[data-testid=insight-groups]"
    pages = {"insight": ("/insight", groups), "by rack": ("/insight?by=rack&measure=acknowledged", groups)}
    assert not (found := walk(enter("operator", size).page, demo.url, pages)), found
