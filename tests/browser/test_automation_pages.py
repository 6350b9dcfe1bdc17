"""The pages of automation: what stops it, what it may do and did, incidents, active checks, the scheduler."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from tests.browser import stories
from tests.browser.axe import faults_of, needs_axe, walk
from tests.browser.conftest import PHONE, Demo, desk_and_phone, machines, wait_for, walked
from tests.browser.narrow import NARROW, misfits
from tests.browser.test_checks_pages import live
from tests.browser.test_fabric import write

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

CHECK, REMEDY = "gpu.count", "reset_gpu"


@pytest.fixture(scope="module")
def site(demo: Demo) -> int:
    return int(demo.api("/api/sites/")["results"][0]["id"])


@pytest.fixture
def running(demo: Demo, site: int) -> Iterator[None]:
    """Automation is neither stopped nor its breaker open, before and after."""

    def go() -> None:
        write(demo, "POST", "/api/health/automation/release/", {"site": site, "reason": "test"})
        write(demo, "POST", "/api/health/automation/close-breaker/", {"site": site, "reason": "test"})

    go()
    yield
    go()


@pytest.fixture(scope="module")
def broken(demo: Demo) -> dict[str, Any]:
    """A machine without one of its GPUs, with its confirmed fault."""
    machine = [row for row in machines(demo) if row["state"] == "ready"][-3]
    demo.hall.inject(machine["name"], "gpu_off_bus", "GPU 2")
    path = f"/api/machines/{machine['id']}/faults/?status=confirmed"
    wait_for(lambda: demo.api(f"/api/tickets/?active=true&machine={machine['id']}")["results"], 180, path)
    return machine


@pytest.fixture
def tried(demo: Demo, broken: dict[str, Any]) -> int:
    """Automation tried its remedies on the broken machine; of the last nobody knows what came of it. The incident."""
    return int(demo.python(stories.ACTIONS.format(machine=broken["name"])).split()[-1])


def reason(page: Page, text: str, action: str) -> None:
    page.get_by_label("Reason").fill(text)
    page.get_by_role("dialog").get_by_role("button", name=action, exact=True).click()
    expect(page.get_by_role("dialog")).to_have_count(0)


# ---- stopping ----


@pytest.mark.slow
@desk_and_phone
def test_automation_is_stopped_and_let_go_on_and_said_on_floor_and_machine(
    size: dict[str, int], demo: Demo, site: int, running: None, enter: Callable
) -> None:
    page = enter("admin", size).page
    page.goto(f"{demo.url}/automation")
    page.get_by_test_id("kill").click()
    reason(page, "Work on the power feeds", "Stop automation")
    expect(page.get_by_test_id("killed")).to_contain_text("Work on the power feeds")
    assert demo.api(f"/api/health/automation/?site={site}")["killed"]
    for path in ("/", f"/machines/{machines(demo)[0]['id']}"):
        page.goto(demo.url + path)
        expect(page.get_by_test_id("automation-stopped")).to_have_text("Automation is stopped")
    page.get_by_test_id("automation-stopped").click()
    page.get_by_test_id("release").click()
    reason(page, "The feeds are back", "Let it go on")
    expect(page.get_by_test_id("automation-state")).to_have_text("Running")
    assert not demo.api(f"/api/health/automation/?site={site}")["killed"]


def test_an_operator_stops_automation_and_only_an_administrator_lets_it_go_on(
    demo: Demo, site: int, running: None, enter: Callable
) -> None:
    page = enter("operator").page
    page.goto(f"{demo.url}/automation")
    live(page)
    write(demo, "POST", "/api/health/automation/kill/", {"site": site, "reason": "Somebody else did"})
    expect(page.get_by_test_id("killed")).to_contain_text("Somebody else did", timeout=15_000)
    expect(page.get_by_test_id("release")).to_have_count(0)
    viewer = enter("viewer").page
    write(demo, "POST", "/api/health/automation/release/", {"site": site, "reason": "test"})
    viewer.goto(f"{demo.url}/automation")
    expect(viewer.get_by_test_id("automation-state")).to_have_text("Running")
    expect(viewer.get_by_test_id("kill")).to_have_count(0)


@pytest.mark.slow
@desk_and_phone
def test_the_breaker_is_closed_by_a_person_with_a_reason(
    size: dict[str, int], demo: Demo, site: int, running: None, enter: Callable
) -> None:
    demo.python(stories.BREAKER)
    page = enter("admin", size).page
    page.goto(f"{demo.url}/automation")
    expect(page.get_by_test_id("breaker")).to_contain_text("3 verifications")
    page.get_by_test_id("breaker-close").click()
    reason(page, "Checked all three", "Close it")
    expect(page.get_by_test_id("breaker")).to_have_count(0)
    told = demo.api(f"/api/health/automation/?site={site}")["breaker"]
    assert not told["open"] and told["close_reason"] == "Checked all three"


# ---- rules ----


@pytest.mark.slow
@desk_and_phone
def test_a_remedy_is_turned_on_for_a_check_and_off_again(
    size: dict[str, int], demo: Demo, site: int, enter: Callable
) -> None:
    for row in demo.api("/api/health/remedy-switches/")["results"]:
        write(demo, "DELETE", f"/api/health/remedy-switches/{row['id']}/", {})
    page = enter("admin", size).page
    page.goto(f"{demo.url}/automation/rules")
    page.get_by_test_id("switch-new").click()
    page.get_by_label("Check", exact=True).fill("no.such.check")
    page.get_by_role("dialog").get_by_role("combobox", name="Remedy").select_option(REMEDY)
    page.get_by_label("Reason").fill("Tried on ten machines")
    page.get_by_role("button", name="Turn it on").click()
    expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("check")
    page.get_by_label("Check", exact=True).fill(CHECK)
    page.get_by_role("button", name="Turn it on").click()
    row = page.get_by_test_id("switch")
    expect(row).to_contain_text("Tried on ten machines")
    expect(row).to_have_attribute("data-mode", "on")
    (switch,) = demo.api("/api/health/remedy-switches/")["results"]
    assert (switch["check"], switch["remedy"], switch["site"]) == (CHECK, REMEDY, site)
    row.get_by_role("button", name="Back to dry run").click()
    expect(row).to_have_count(0)
    assert demo.api("/api/health/remedy-switches/")["results"] == []


@pytest.mark.slow
def test_limits_and_hours_are_changed(demo: Demo, site: int, enter: Callable) -> None:
    page = enter("admin").page
    page.goto(f"{demo.url}/automation/rules")
    before = demo.api(f"/api/health/automation/?site={site}")["limits"]["power_1h"]
    page.get_by_test_id("limits-change").click()
    page.get_by_label("Power actions of the site in an hour").fill(str(before + 1))
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_test_id("limit-power_1h")).to_have_text(str(before + 1))
    write(demo, "PATCH", "/api/health/automation/limits/", {"site": site, "power_1h": before})
    expect(page.get_by_test_id("limit-power_1h")).to_have_text(str(before), timeout=15_000)
    page.get_by_role("button", name="Add hours").click()
    page.get_by_label("Reason").fill("Nobody works then")
    page.get_by_role("button", name="Add", exact=True).click()
    hours = page.get_by_test_id("hours")
    expect(hours).to_contain_text("Sat, Sun 22:00 to 06:00")
    hours.get_by_role("button", name="Remove").click()
    expect(hours).to_have_count(0)


@pytest.mark.slow
def test_who_may_not_change_the_rules_reads_them(demo: Demo, enter: Callable) -> None:
    page = enter("operator").page
    page.goto(f"{demo.url}/automation/rules")
    expect(page.get_by_test_id("remedy").first).to_be_visible()
    for control in ("switch-new", "limits-change"):
        expect(page.get_by_test_id(control)).to_have_count(0)


# ---- incidents and actions ----


@pytest.mark.slow
@desk_and_phone
def test_an_ambiguous_action_is_decided_by_a_person(
    size: dict[str, int], demo: Demo, broken: dict[str, Any], tried: int, enter: Callable
) -> None:
    page = enter("operator", size).page
    page.goto(f"{demo.url}/automation/actions?state=ambiguous")
    row = page.get_by_test_id("action").filter(has_text=broken["name"])
    expect(row).to_contain_text("Nobody knows")
    row.get_by_test_id("resolve").click()
    page.get_by_label("It had no effect").check()
    reason(page, "Its uptime is two weeks", "Say so")
    expect(row).to_have_count(0)
    (action,) = demo.api(f"/api/health/actions/?incident={tried}&remedy=power_cycle")["results"]
    assert action["state"] == "failed" and "Its uptime is two weeks" in action["result"]
    page.get_by_label("State").select_option("failed")
    expect(page).to_have_url(re.compile("state=failed"))
    expect(row.first).to_contain_text("Had no effect")


@pytest.mark.slow
def test_what_automation_did_is_found_from_the_machine_and_its_ticket(
    demo: Demo, broken: dict[str, Any], tried: int, enter: Callable
) -> None:
    page = enter("operator").page
    page.goto(f"{demo.url}/machines/{broken['id']}")
    box = page.get_by_test_id("machine-automation")
    expect(box.get_by_test_id("machine-action").first).to_contain_text("Nobody knows")
    box.get_by_test_id("machine-action").first.get_by_role("link").click()
    expect(page).to_have_url(re.compile(f"/automation/incidents/{tried}$"))
    expect(page.get_by_test_id("action")).to_have_count(3)
    ticket = demo.api(f"/api/tickets/?active=true&machine={broken['id']}")["results"][0]["key"]
    page.goto(f"{demo.url}/tickets/{ticket}")
    expect(page.get_by_test_id("machine-action").first).to_be_visible()


@pytest.mark.slow
@desk_and_phone
def test_an_incident_is_closed_with_a_reason(
    size: dict[str, int], demo: Demo, broken: dict[str, Any], tried: int, enter: Callable
) -> None:
    page = enter("operator", size).page
    page.goto(f"{demo.url}/automation/incidents")
    page.locator(f"[data-testid=incident] a[href='/automation/incidents/{tried}']").click()
    expect(page.get_by_test_id("incident-state")).to_have_text("Open")
    expect(page.get_by_test_id("incident-fault").filter(has_text=broken["name"]).first).to_be_visible()
    page.get_by_test_id("incident-close").click()
    reason(page, "We swap the board", "Close it")
    expect(page.get_by_test_id("incident-state")).to_have_text("Closed")
    expect(page.locator("main")).to_contain_text("We swap the board")
    told = demo.api(f"/api/health/incidents/{tried}/")
    assert told["closed_by"] == "operator" and told["close_reason"] == "We swap the board"


# ---- active checks ----


@pytest.fixture
def idle(demo: Demo) -> Iterator[dict[str, Any]]:
    """A machine that is out of service, so that nothing runs on it."""
    machine = next(row for row in machines(demo) if row["state"] == "ready")
    write(demo, "POST", f"/api/machines/{machine['id']}/holds/", {"reason": "Tests"})
    wait_for(lambda: state_of(demo, machine["id"]) == "drained", 60, "the machine to be drained")
    yield machine
    for hold in demo.api(f"/api/machines/{machine['id']}/")["health"]["holds"]:
        write(demo, "DELETE", f"/api/machines/{machine['id']}/holds/{quote(hold['owner'])}/", {})
    if state_of(demo, machine["id"]) != "ready":  # a remedy that helped put it back already
        write(demo, "POST", f"/api/machines/{machine['id']}/return/", {"reason": "Tests are over"})


def state_of(demo: Demo, machine: int) -> str:
    return str(demo.api(f"/api/machines/{machine}/")["health"]["state"])


@pytest.mark.slow
@desk_and_phone
def test_a_machine_is_tested_after_a_look_at_the_plan_and_the_test_is_stopped(
    size: dict[str, int], demo: Demo, idle: dict[str, Any], enter: Callable
) -> None:
    page = enter("operator", size).page
    page.goto(f"{demo.url}/machines/{idle['id']}")
    page.get_by_test_id("test-machine").click()
    page.get_by_test_id("active-kind").select_option("stress")
    expect(page.get_by_label("This machine")).to_be_checked()
    page.get_by_test_id("active-look").click()
    expect(page.get_by_test_id("active-plan")).to_contain_text("1 machine")
    page.get_by_label("Reason").fill("Odd sums")
    page.get_by_test_id("active-start").click()
    expect(page).to_have_url(re.compile(r"/automation/tests/\d+$"))
    expect(page.get_by_test_id("active-state")).to_have_text(re.compile("Waiting|Running|Done"))
    stop = page.get_by_test_id("active-cancel")
    if stop.is_visible():
        stop.click()
    expect(page.get_by_test_id("active-state")).to_have_text(re.compile("Cancelled|Done"), timeout=30_000)
    run = demo.api(f"/api/health/active-runs/{page.url.rsplit('/', 1)[1]}/")
    assert (run["machine_names"], run["reason"], run["kind"]) == ([idle["name"]], "Odd sums", "stress")
    wait_for(lambda: demo.api(f"/api/health/active-runs/{run['id']}/")["state"] in ("done", "cancelled"), 60, "its end")


@pytest.mark.slow
def test_machines_that_may_not_be_tested_are_named_with_the_reason(demo: Demo, enter: Callable) -> None:
    machine = [row for row in machines(demo) if row["state"] == "ready"][1]
    page = enter("operator").page
    page.goto(f"{demo.url}/automation/tests?new=1")
    page.get_by_label("By name").check()
    page.get_by_label("Names of machines").fill("no-such-machine")
    page.get_by_test_id("active-look").click()
    expect(page.get_by_role("alert")).to_contain_text("no-such-machine")
    page.get_by_label("Names of machines").fill(machine["name"])
    page.get_by_test_id("active-look").click()
    plan = page.get_by_test_id("active-plan")
    plan.get_by_text("left out").click()
    expect(plan).to_contain_text(f"{machine['name']}: ")
    expect(page.get_by_test_id("active-start")).to_be_disabled()


@pytest.mark.slow
@desk_and_phone
def test_a_run_says_in_words_what_is_bad(size: dict[str, int], demo: Demo, enter: Callable) -> None:
    run = demo.python(stories.RUN).split()[-1]
    page = enter("viewer", size).page
    page.goto(f"{demo.url}/automation/tests")
    page.locator(f"[data-testid=active-run] a[href='/automation/tests/{run}']").click()
    told = page.get_by_test_id("active-conclusion")
    expect(told).to_contain_text("is bad: it fails with others that pass without it.")
    expect(told).to_contain_text("The switch leaf-2 is bad")
    expect(told).to_contain_text("is not decided: its tests gave no result.")
    expect(told).to_contain_text("Bandwidth over mlx5_3 and mlx5_4")
    failed = page.locator("[data-testid=active-step][data-verdict=fail]").first
    failed.get_by_text("Evidence").click()
    expect(failed.locator("pre")).to_be_visible()
    expect(page.get_by_test_id("active-cancel")).to_have_count(0)


@pytest.mark.slow
@desk_and_phone
def test_a_window_of_the_burn_in_is_added_switched_off_removed_and_taken_back(
    size: dict[str, int], demo: Demo, enter: Callable
) -> None:
    for row in demo.api("/api/health/active-windows/")["results"]:
        write(demo, "DELETE", f"/api/health/active-windows/{row['id']}/", {})
    page = enter("operator", size).page
    page.goto(f"{demo.url}/automation/tests")
    page.get_by_role("button", name="Add a window").click()
    page.get_by_label("Day").select_option("Sunday")
    page.get_by_label("DCGM diagnostic").check()
    page.get_by_role("button", name="Add", exact=True).click()
    window = page.get_by_test_id("burnin-window")
    expect(window).to_contain_text("Sundays 22:00 to 06:00 the next day (UTC)")
    window.get_by_role("button", name="Switch off").click()
    expect(window.get_by_role("button", name="Switch on")).to_be_visible()
    window.get_by_role("button", name="Remove").click()
    expect(window).to_have_count(0)
    page.get_by_test_id("toast").get_by_role("button", name="Undo").click()
    expect(window).to_contain_text("DCGM diagnostic")
    (row,) = demo.api("/api/health/active-windows/")["results"]
    assert (row["weekday"], row["kinds"], row["enabled"]) == (6, ["diagnostic"], False)
    write(demo, "DELETE", f"/api/health/active-windows/{row['id']}/", {})


# ---- a remedy by hand ----


@desk_and_phone
def test_a_remedy_is_started_by_hand_and_followed_until_it_is_verified(
    size: dict[str, int], demo: Demo, idle: dict[str, Any], enter: Callable
) -> None:
    page = enter("operator", size).page
    page.goto(f"{demo.url}/machines/{idle['id']}")
    page.get_by_test_id("remedies-of-machine").click()
    service = page.locator("[data-testid=remedy][data-remedy=restart_service]")
    service.get_by_role("button").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("A last check of the machine and its scheduler")
    start = dialog.get_by_role("button", name="Start now")
    expect(start).to_be_disabled()
    dialog.get_by_label("To what").select_option("docker")
    assert not (found := faults_of(page)), found
    reason(page, "It leaks", "Start now")
    box = page.get_by_test_id("last-action")
    expect(box).to_have_attribute("data-state", re.compile("granted|sent|confirmed"))
    (action,) = demo.api(f"/api/health/actions/?machine={idle['id']}&page_size=1")["results"]
    assert (action["planned_by"], action["remedy"], action["params"]) == (
        "operator",
        "restart_service",
        {"service": "docker"},
    )
    expect(box.locator("[data-testid=action-step][data-stands=done]")).to_have_count(4, timeout=90_000)
    expect(page.get_by_test_id("action-says")).to_have_text("The verification passed.")
    box.get_by_role("link").first.click()
    expect(page).to_have_url(re.compile(f"/automation/incidents/{action['incident']}$"))


@pytest.mark.slow
def test_a_remedy_that_may_not_begin_says_why_and_a_viewer_is_offered_none(demo: Demo, enter: Callable) -> None:
    machine = [row for row in machines(demo) if row["state"] == "ready"][2]
    page = enter("operator").page
    page.goto(f"{demo.url}/machines/{machine['id']}?tab=remedies")
    reboot = page.locator("[data-testid=remedy][data-remedy=reboot]")
    expect(reboot).to_contain_text("it is ready. It can be done when it is drained.")
    expect(reboot.get_by_role("button")).to_be_disabled()
    viewer = enter("viewer").page
    viewer.goto(f"{demo.url}/machines/{machine['id']}?tab=remedies")
    expect(viewer.get_by_text("Operators start remedies")).to_be_visible()
    for control in ("remedies", "remedies-of-machine"):
        expect(viewer.get_by_test_id(control)).to_have_count(0)


# ---- scheduler ----


@pytest.fixture
def scheduler(demo: Demo) -> Iterator[None]:
    demo.python(stories.SCHEDULER)
    yield
    demo.python(stories.NO_SCHEDULER)


@pytest.mark.slow
@desk_and_phone
def test_where_the_scheduler_and_we_differ_is_listed_in_words(
    size: dict[str, int], demo: Demo, scheduler: None, enter: Callable
) -> None:
    page = enter("operator", size).page
    page.goto(f"{demo.url}/automation/scheduler")
    told = demo.api("/api/health/scheduler/disagreements/")["results"]
    assert {row["kind"] for row in told} >= {"drained_without_ticket", "unknown_machine", "missing_machine"}
    expect(page.get_by_test_id("disagreement")).to_have_count(len(told))
    drained = page.locator("[data-testid=disagreement][data-kind=drained_without_ticket]")
    expect(drained).to_contain_text("looks odd")
    page.get_by_label("Find by name or reason").fill("login")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("scheduler-machine")).to_have_count(1)
    page.get_by_role("button", name="Read it now").click()
    expect(page.get_by_test_id("scheduler-state")).to_have_text("Stale", timeout=30_000)


# ---- the bar of a phone ----


@pytest.mark.slow
def test_the_bar_of_a_phone_holds_four_and_a_sheet_the_rest(demo: Demo, enter: Callable) -> None:
    page = enter("viewer", PHONE).page
    page.goto(f"{demo.url}/automation")
    bar = page.get_by_role("navigation", name="Main")
    expect(bar.get_by_role("link")).to_have_count(4)
    more = page.get_by_test_id("nav-more")
    expect(more).to_have_accessible_name(re.compile("More.*Automation is shown"))
    more.focus()
    page.keyboard.press("Enter")
    sheet = page.get_by_role("dialog", name="More")
    expect(sheet.get_by_role("link", name="Automation")).to_have_attribute("aria-current", "page")
    page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)
    expect(more).to_be_focused()
    more.click()
    sheet.get_by_role("link", name="Reliability").click()
    expect(page).to_have_url(re.compile("/reliability$"))
    expect(sheet).to_have_count(0)
    inside = "nav => [...nav.children].filter(e => e.offsetWidth).every(e => e.scrollWidth <= e.clientWidth)"
    assert bar.evaluate(inside), "a word of the bar is cut"


@pytest.mark.slow
def test_at_a_desk_every_part_is_in_sight_in_a_low_window(demo: Demo, enter: Callable) -> None:
    page = enter("viewer", {"width": 1280, "height": 700}, at="/").page
    links = page.get_by_role("navigation", name="Main").get_by_role("link")
    expect(links).to_have_count(12)
    box = links.last.bounding_box()
    assert box and box["y"] + box["height"] <= 700
    expect(page.get_by_test_id("nav-more")).to_be_hidden()


# ---- every page ----


PAGES = {
    "overview": ("/automation", "[data-testid=plan-row]"),
    "incidents": ("/automation/incidents", "[data-testid=incident]"),
    "actions": ("/automation/actions", "[data-testid=action]"),
    "rules": ("/automation/rules", "[data-testid=remedy]"),
    "tests": ("/automation/tests", "[data-testid=active-run]"),
    "new test": ("/automation/tests?new=1", "[data-testid=active-look]"),
    "scheduler": ("/automation/scheduler", "[data-testid=scheduler-machine]"),
}


@pytest.mark.slow
@needs_axe
@walked
def test_axe_finds_nothing_and_no_page_of_automation_scrolls_sideways(
    size: dict[str, int], demo: Demo, broken: dict[str, Any], tried: int, scheduler: None, running: None,
    enter: Callable,
) -> None:  # fmt: skip
    run = demo.python(stories.RUN).split()[-1]
    demo.python(stories.BREAKER)
    page = enter("admin", size).page
    more = {
        "incident": (f"/automation/incidents/{tried}", "[data-testid=action]"),
        "run": (f"/automation/tests/{run}", "[data-testid=active-step]"),
        "machine": (f"/machines/{broken['id']}", "[data-testid=machine-action]"),
        "remedies": (f"/machines/{broken['id']}?tab=remedies", "[data-testid=last-action]"),
    }
    assert not (found := walk(page, demo.url, PAGES | more)), found


@pytest.mark.slow
@pytest.mark.parametrize("type_size", [pytest.param(100, marks=pytest.mark.slow), 200])
def test_with_incidents_and_tickets_nothing_is_cut_off_on_the_narrowest_phone(
    type_size: int, demo: Demo, broken: dict[str, Any], tried: int, running: None, enter: Callable
) -> None:
    page = enter("admin", NARROW).page
    ticket = demo.api(f"/api/tickets/?active=true&machine={broken['id']}")["results"][0]["key"]
    shown = {name: PAGES[name] for name in ("overview", "incidents", "actions", "rules")} | {
        "incident": (f"/automation/incidents/{tried}", "[data-testid=action]"),
        "tickets": ("/tickets", "[data-testid=ticket-card]"),
        "ticket": (f"/tickets/{ticket}", "[data-testid=ticket-primary]"),
        "machine": (f"/machines/{broken['id']}", "[data-testid=machine-action]"),
    }
    found = []
    for name, (path, landmark) in shown.items():
        page.goto(demo.url + path)
        expect(page.locator(landmark).locator("visible=true").first, name).to_be_visible()
        found += [(name, fault) for fault in misfits(page, type_size)]
    assert found == []
