"""The dashboard's other paths, at desk and phone size: find, look, lose the connection, provision."""

from __future__ import annotations

import json
import os
import re
import signal
import time
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import DESK, PHONE, Demo, available, cell_of, desk_and_phone, machines, wait_for

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]


def post(demo: Demo, path: str, body: dict[str, Any], method: str = "POST") -> None:
    headers = {"Authorization": f"Token {demo.token('operator')}", "Content-Type": "application/json"}
    request = urllib.request.Request(demo.url + path, json.dumps(body).encode(), headers, method=method)
    urllib.request.urlopen(request, timeout=10).close()


@pytest.mark.target(54)
def test_the_floor_and_a_ticket_fetch_no_library_of_other_pages(demo: Demo, enter: Callable) -> None:
    page = enter("technician", PHONE).page
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url.rpartition("/")[2].partition("-")[0]))
    for path in ("/", "/tickets/none-1"):
        page.goto(demo.url + path)
        page.wait_for_load_state("networkidle")
    assert {"index", "shared", "Floor", "TicketPage"} <= set(fetched)
    assert not {"plot", "rows", "table", "combobox"} & set(fetched)
    page.goto(f"{demo.url}/tables/racks")
    expect(page.get_by_test_id("count")).to_be_visible()
    assert {"rows", "table", "combobox"} <= set(fetched), "these names are no longer those of the files"


@desk_and_phone
def test_what_opens_over_the_page_closes_on_escape_and_gives_the_focus_back(
    size: dict[str, int], demo: Demo, enter: Callable
) -> None:
    page = enter("operator", size, at="/").page
    account = page.get_by_role("button", name=re.compile("account of"))
    account.click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    expect(account).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Sign out")).to_be_hidden()
    expect(account).to_be_focused()
    page.goto(f"{demo.url}/tables/racks")
    columns = page.get_by_role("button", name="Columns")
    columns.click()
    expect(page.get_by_role("dialog", name="Columns")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(columns).to_be_focused()


@pytest.mark.target(51)
@pytest.mark.parametrize(
    "kind", ["name", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("cable", "serial", "gpu"))]
)
def test_search_finds_what_is_printed_on_things(kind: str, demo: Demo, enter: Callable) -> None:
    machine = available(demo)[-1]
    parts = demo.api(f"/api/machines/{machine['id']}/components/")["results"]
    cables = demo.api(f"/api/machines/{machine['id']}/cables/")["results"]
    text = {
        "name": machine["name"],
        "serial": demo.api(f"/api/machines/{machine['id']}/")["serial"],
        "gpu": next(row["serial"] for row in parts if row["slot"] == "GPU 3"),
        "cable": cables[0]["label"],
    }[kind]
    page = enter("viewer", at="/").page
    page.keyboard.press("/")
    page.get_by_test_id("search-input").fill(text)
    first = page.get_by_test_id("search-result").first
    expect(first).to_be_visible()
    first.click()
    page.wait_for_url(lambda url: url.rstrip("/") != demo.url)
    expect(page.locator("main")).to_contain_text(machine["name"])


@pytest.mark.target(12)
def test_a_click_on_the_map_opens_the_rack_and_from_there_the_machine(demo: Demo, enter: Callable) -> None:
    page = enter("viewer", at="/").page
    expect(page.get_by_test_id("floor-canvas")).to_be_visible()
    place = page.evaluate("() => window.__rackside?.rackAt('A01')")
    page.mouse.click(place["x"], place["y"])
    panel = page.get_by_test_id("rack-panel")
    expect(panel).to_be_visible()
    expect(panel).to_contain_text("Front")
    expect(panel).to_contain_text("Rear")
    name = machines(demo)[0]["name"]
    panel.get_by_role("link", name=name).first.click()
    expect(page.get_by_test_id("machine-header")).to_contain_text(name)
    expect(page.get_by_test_id("verdict-row").first).to_be_visible()
    page.go_back()
    expect(page.get_by_test_id("rack-panel")).to_be_visible()


def test_the_machine_page_shows_parts_cables_and_history(demo: Demo, enter: Callable) -> None:
    machine = available(demo)[0]
    page = enter("viewer").page
    page.goto(f"{demo.url}/machines/{machine['id']}")
    about = page.get_by_role("navigation", name="About this machine")
    about.get_by_role("link", name="Components").click()
    parts = demo.api(f"/api/machines/{machine['id']}/components/")["results"]
    expect(page.get_by_text(next(row["serial"] for row in parts if row["slot"] == "GPU 0"))).to_be_visible()
    about.get_by_role("link", name="Cables").click()
    far = next(
        row
        for row in demo.api(f"/api/machines/{machine['id']}/cables/")["results"]
        if row["near"]["kind"] == "infiniband"
    )
    expect(page.get_by_text(far["label"])).to_be_visible()
    expect(page.get_by_text(far["far"]["device"]).first).to_be_visible()
    about.get_by_role("link", name="History").click()
    expect(page.locator("main")).to_contain_text("ready", ignore_case=True)


@pytest.mark.target(4)
def test_a_change_is_on_screen_without_a_reload_and_the_counts_agree(demo: Demo, enter: Callable) -> None:
    machine = available(demo, 2)[1]
    page = enter("viewer", at="/").page
    expect(page.get_by_test_id("live-indicator")).to_contain_text("Live")
    wait_for(lambda: cell_of(page, machine["name"]) == "available", 10, "the floor")
    post(
        demo,
        f"/api/machines/{machine['id']}/maintenance/",
        {"reason": "cable tidy-up", "until": "2099-01-01T00:00:00Z"},
    )
    wait_for(lambda: cell_of(page, machine["name"]) == "repair", 5, "the cell to follow")
    shown = int("".join(filter(str.isdigit, page.get_by_test_id("chip-repair").inner_text())))
    assert shown == demo.api("/api/floor/")["totals"]["repair"]
    post(demo, f"/api/machines/{machine['id']}/return/", {"reason": "done"})


@pytest.mark.slow
@pytest.mark.target(15)
@desk_and_phone
def test_a_frozen_server_is_no_longer_called_live_after_five_seconds(
    size: dict[str, int], demo: Demo, enter: Callable
) -> None:
    """Nothing closes the line: the process is there and does not answer."""
    page = enter("viewer", size, at="/").page
    indicator = page.get_by_test_id("live-indicator")
    expect(indicator).to_have_attribute("data-status", "live", timeout=20_000)
    web = demo.process("config.asgi:application")
    os.kill(web, signal.SIGSTOP)
    try:
        expect(indicator).to_have_attribute("data-status", "silent", timeout=6_000)
        expect(indicator).to_contain_text("No answer")
    finally:
        os.kill(web, signal.SIGCONT)
    expect(indicator).to_have_attribute("data-status", "live", timeout=5_000)


@pytest.mark.target(15)
def test_a_lost_connection_is_said_and_nothing_is_missed_after_it(demo: Demo, enter: Callable) -> None:
    machine = available(demo, 3)[2]
    visitor = enter("viewer", at="/")
    page = visitor.page
    wait_for(lambda: cell_of(page, machine["name"]) == "available", 10, "the floor")
    visitor.context.set_offline(True)
    page.evaluate("() => window.dispatchEvent(new Event('offline'))")
    expect(page.get_by_test_id("live-indicator")).not_to_contain_text("Live ·", timeout=10_000)
    post(
        demo,
        f"/api/machines/{machine['id']}/maintenance/",
        {"reason": "while offline", "until": "2099-01-01T00:00:00Z"},
    )
    visitor.context.set_offline(False)
    wait_for(lambda: cell_of(page, machine["name"]) == "repair", 30, "the browser to catch up")
    expect(page.get_by_test_id("live-indicator")).to_contain_text("Live", timeout=15_000)
    post(demo, f"/api/machines/{machine['id']}/return/", {"reason": "done"})


@pytest.mark.slow
def test_a_part_that_was_lost_on_the_way_is_fetched_with_the_next_reception(demo: Demo, enter: Callable) -> None:
    page = enter("viewer").page
    lost: list[str] = []

    def lose(route: Route) -> None:
        lost.append(route.request.url)
        route.abort("internetdisconnected")

    page.route("**/assets/bar-*.js", lose)
    page.goto(f"{demo.url}/machines")
    wait_for(lambda: bool(lost), 10, "the bar to be asked for")
    expect(page.get_by_test_id("search-input")).to_have_count(0)
    page.unroute("**/assets/bar-*.js", lose)
    page.evaluate("() => window.dispatchEvent(new Event('online'))")
    expect(page.get_by_test_id("search-input")).to_be_visible()


@pytest.mark.slow  # every page at a desk is in a walk with axe, the main ones at 320 pixels in `test_small_screens`
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("path", ["/", "/machines", "/tickets", "/provisioning", "/racks/1"])
def test_a_page_fits_its_screen(path: str, size: dict[str, int], demo: Demo, enter: Callable) -> None:
    page = enter("viewer", size).page
    page.goto(demo.url + path)
    expect(page.locator("main")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"], "no sideways scrolling"


@pytest.mark.target(44, 45)
def test_bare_machines_are_provisioned_and_their_gpus_tested_from_the_browser(demo: Demo, enter: Callable) -> None:
    bare = machines(demo, state="new")[:3]  # one is left for tests that look at the form
    assert len(bare) == 3
    page = enter("operator").page
    page.goto(f"{demo.url}/provisioning")
    page.get_by_test_id("run-new").click()
    for machine in bare:
        page.get_by_role("checkbox", name=machine["name"]).check()
    page.get_by_test_id("run-acceptance").locator("summary").click()
    page.get_by_test_id("run-gpu-tests").select_option("diagnostic")
    expect(page.get_by_test_id("run-acceptance").locator("summary")).to_contain_text("DCGM diagnostic")
    page.get_by_test_id("run-start").click()
    page.wait_for_url("**/provisioning/*")
    names = {machine["name"] for machine in bare}
    started = time.monotonic()
    wait_for(lambda: all_ready(demo, names), 240, "the bare machines to be ready")
    print(f"\nthree bare machines ready in {time.monotonic() - started:.0f} s")
    for machine in bare:
        expect(page.get_by_test_id("run-row").filter(has_text=machine["name"])).to_contain_text(
            "Done", ignore_case=True
        )
    run = demo.api(f"/api/provisioning/runs/{page.url.rpartition('/')[2]}/")
    assert [step["name"] for step in run["way"]][-4:] == ["ssh", "gpu_tests", "checks", "ready"]
    own = demo.api(f"/api/provisioning/runs/{run['id']}/machines/{run['machines'][0]['id']}/")["steps"][-3]
    assert own["detail"].startswith("passed: active run"), own
    a_long_log_is_few_rows_of_the_document(page)


def a_long_log_is_few_rows_of_the_document(page: Page) -> None:
    """No installer here writes so much: only what the server answers is made up."""
    at = "2026-11-29T12:00:00Z"
    lines = [{"n": n, "at": at, "step": "installing", "text": f"line {n} of many"} for n in range(1, 50_001)]
    page.route("**/log/*", lambda route: route.fulfill(json={"lines": lines}))
    page.get_by_test_id("run-row").first.get_by_role("button", name="Log").click()
    log = page.get_by_role("log", name="Log")
    expect(log.get_by_text("line 50000 of many")).to_be_in_viewport()
    assert log.locator("p").count() < 60
    log.evaluate("it => { it.scrollTop = 0; }")
    expect(log.get_by_text("line 1 of many")).to_be_in_viewport()
    assert log.locator("p").count() < 60
    page.unroute("**/log/*")


@pytest.mark.slow
def test_a_run_from_virtual_media_without_an_image_is_refused_and_says_what_to_set(demo: Demo, enter: Callable) -> None:
    page = enter("operator").page
    page.goto(f"{demo.url}/provisioning")
    page.get_by_test_id("run-new").click()
    page.get_by_test_id("run-engine").select_option(label="Virtual media")
    page.get_by_role("checkbox", name=machines(demo, state="new")[-1]["name"]).check()
    page.get_by_test_id("run-start").click()
    expect(page.get_by_role("dialog")).to_contain_text("RACKSIDE_BOOT_IMAGES")
    expect(page.get_by_test_id("run-engine")).to_have_value("virtual_media")


def all_ready(demo: Demo, names: set[str]) -> bool:
    return {row["name"] for row in machines(demo, state="ready")} >= names
