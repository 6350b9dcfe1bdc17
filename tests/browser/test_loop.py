"""The whole loop in a real browser: a GPU dies in the hall, and ends as a machine back in service.

Chromium at a desk watches the floor; a second one, phone-sized, belongs to the technician. Everything between them is
real: sweeps over SSH, verdicts, the drain, the ticket, the BMC's LED, the verification.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.axe import violations
from tests.browser.conftest import PHONE, Demo, available, cell_of, machines, wait_for
from tests.browser.pictures import picture
from tests.browser.test_fabric import discover

CELL_LIMIT_S = 60.0
TICKET_LIMIT_S = 90.0
SLOT = "GPU 4"
DEAD_ON_ARRIVAL = "1659900000041"
NEW_SERIAL = "1659900000042"
AGED = """
from datetime import timedelta
from django.db.models import F
from fabric.models import LinkQuality
print(LinkQuality.objects.filter(key="{key}").update(alarm_since=F("alarm_since") - timedelta(minutes=6)))
"""

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]


def a_ready_machine(demo: Demo) -> str:
    return str(available(demo)[0]["name"])


def state_of(demo: Demo, machine: str) -> str:
    return str(machines(demo, name=machine)[0]["state"])


@pytest.mark.target(35, 40)
def test_a_dead_gpu_is_seen_ticketed_replaced_and_the_machine_returns(
    demo: Demo, enter: Callable, capsys: pytest.CaptureFixture[str]
) -> None:
    desk = enter("operator", at="/").page
    expect(desk.get_by_test_id("floor-canvas")).to_be_visible()
    machine = a_ready_machine(demo)
    assert cell_of(desk, machine) == "available"

    # the fault, and how long it takes to be seen
    demo.hall.inject(machine, "gpu_off_bus", SLOT)
    injected = time.monotonic()
    wait_for(lambda: cell_of(desk, machine) in ("suspect", "failed"), CELL_LIMIT_S, "the cell to turn")
    to_cell = time.monotonic() - injected

    def tickets() -> list[dict[str, Any]]:
        return list(demo.api(f"/api/tickets/?active=true&search={machine}")["results"])

    wait_for(tickets, TICKET_LIMIT_S - to_cell, "the ticket to open")
    to_ticket = time.monotonic() - injected
    with capsys.disabled():
        print(f"\ndemo clock: injection to cell {to_cell:.1f} s, to ticket {to_ticket:.1f} s")
    assert to_cell <= CELL_LIMIT_S and to_ticket <= TICKET_LIMIT_S
    wait_for(lambda: cell_of(desk, machine) == "failed", 60, "the cell to say failed")
    # A cell says failed as well of a machine that may not be drained, and that one is never in repair.
    wait_for(lambda: state_of(demo, machine) == "drained", 60, "the machine to be out of service")
    [ticket] = tickets()
    assert ticket["part"] == SLOT

    # the technician, on a phone
    phone = enter("technician", PHONE).page
    phone.goto(f"{demo.url}/tickets")
    phone.get_by_test_id("ticket-card").filter(has_text=machine).first.click()
    phone.wait_for_url(f"**/tickets/{ticket['key']}")
    assert phone.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], "no sideways scrolling"
    primary = phone.get_by_test_id("ticket-primary")
    assert (primary.bounding_box() or {"height": 0})["height"] >= 56
    assert next_action(phone) == "take"
    primary.click()
    wait_for(lambda: cell_of(desk, machine) == "repair", 10, "the desk to see that somebody works on it")
    wait_for(lambda: demo.hall.state(machine)["led"] != "Off", 60, "the machine's LED to be switched on")

    # a replacement that is not seen either: the verification brings the ticket back with new evidence
    work_until_verify(phone, machine, DEAD_ON_ARRIVAL)
    primary.click()
    # A verification may be over before a look at the page: what it left behind is looked at.
    wait_for(
        lambda: verification_of(demo, ticket["key"]) == "failed",
        300,
        "the verification to fail, once the machine has started",
    )
    wait_for(lambda: tickets()[0]["status"] == "in_work", 10, "the failed verification to return the ticket")
    in_sight(phone.get_by_text("Verification failed", exact=True))

    # the second replacement works
    demo.hall.replace(machine, SLOT, NEW_SERIAL)
    work_until_verify(phone, machine, NEW_SERIAL)
    primary.click()
    wait_for(lambda: not tickets(), 300, "the ticket to close by itself")
    expect(phone.get_by_test_id("ticket-status")).to_have_attribute("data-status", "closed", timeout=5000)
    wait_for(lambda: cell_of(desk, machine) == "available", 10, "the cell to be available again")
    wait_for(lambda: demo.hall.state(machine)["led"] == "Off", 60, "the LED to go out")

    # what is left behind
    found = demo.api(f"/api/machines/?search={machine}")["results"][0]
    parts = {row["slot"]: row["serial"] for row in demo.api(f"/api/machines/{found['id']}/components/")["results"]}
    assert parts[SLOT] == NEW_SERIAL
    closed = demo.api(f"/api/tickets/?machine={found['id']}")["results"]
    assert len(closed) == 1, "one dead GPU gave exactly one ticket"


@pytest.mark.slow
def test_a_lost_power_supply_is_replaced_by_its_serial_and_a_wrong_one_comes_back(demo: Demo, enter: Callable) -> None:
    """At 390 pixels, from the round of tickets to the machine in service. The first one that is put in has no input."""
    machine = available(demo)[0]
    slot = next(row["slot"] for row in parts_of(demo, machine["id"]) if row["kind"] == "psu")
    name = str(machine["name"])
    demo.hall.inject(name, "psu_lost", slot)

    def tickets() -> list[dict[str, Any]]:
        return list(demo.api(f"/api/tickets/?active=true&search={name}")["results"])

    wait_for(tickets, TICKET_LIMIT_S, "the ticket to open")
    [ticket] = tickets()
    assert ticket["part"] == slot
    phone = enter("technician", PHONE).page
    phone.goto(f"{demo.url}/tickets")
    phone.get_by_test_id("ticket-card").filter(has_text=name).first.click()
    primary = phone.get_by_test_id("ticket-primary")
    expect(primary).to_have_attribute("data-action", "take")
    primary.click()
    expect(primary).not_to_have_attribute("data-action", "take")
    work_until_verify(phone, name, "CNLOD0WRONG001")
    primary.click()
    wait_for(lambda: verification_of(demo, ticket["key"]) == "failed", 300, "the verification to fail")
    in_sight(phone.get_by_text("Verification failed", exact=True))
    demo.hall.replace(name, slot, "CNLOD0RIGHT002")
    work_until_verify(phone, name, "CNLOD0RIGHT002")
    primary.click()
    wait_for(lambda: not tickets(), 300, "the ticket to close by itself")
    assert phone.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert {row["slot"]: row["serial"] for row in parts_of(demo, machine["id"])}[slot] == "CNLOD0RIGHT002"
    wait_for(lambda: machine["id"] in {row["id"] for row in available(demo)}, 90, "the machine to be in service")


@pytest.mark.slow
def test_a_bad_optic_is_swapped_at_its_end_and_its_link_is_measured_until_it_is_good(
    demo: Demo, enter: Callable, tmp_path: Path
) -> None:
    """At 390 pixels, from the first errors to the closed ticket. The first new optic is as bad as the old one."""
    (source,) = [each["id"] for each in demo.api("/api/fabric/sources/")["results"] if each["kind"] == "ufm"]
    discover(demo, source)
    path = f"/api/fabric/links/?source={source}&device=spine&page_size=200"
    wait_for(lambda: demo.api(path)["count"], 60, "links with counters")
    link = [each for each in demo.api(path)["results"] if each["tier"] == "leaf-spine"][-1]
    label = demo.api(f"/api/fabric/links/{link['key']}/")["cable"]["label"]
    port = {"port": f"{link['b']['guid']}_{link['b']['port']}"}
    demo.hall.call("POST", "/fabric/degrade", {**port, "errors_per_hour": {"SymbolErrorCounter": 2_000_000}})

    def tickets() -> list[dict[str, Any]]:
        rows = demo.api("/api/tickets/?active=true&subject=cable")["results"]
        return [row for row in rows if row["fault_class"] == "fabric.link" and row["subject"]["name"] == label]

    def quality() -> Any:
        return demo.api(f"/api/fabric/links/{link['key']}/")["quality"]

    for _ in range(2):
        discover(demo, source)
    wait_for(lambda: quality() == "bad", 60, "the link to be judged")
    assert demo.python(AGED.format(key=link["key"])).strip() == "1"  # the second window is five minutes after the first
    discover(demo, source)
    wait_for(tickets, 60, "the ticket to open")
    [ticket] = tickets()
    phone = enter("technician", PHONE).page
    phone.goto(f"{demo.url}/tickets")
    phone.get_by_test_id("ticket-card").filter(has_text=ticket["key"]).click()
    primary = phone.get_by_test_id("ticket-primary")
    expect(primary).to_have_attribute("data-action", "take")
    primary.click()
    expect(primary).to_have_attribute("data-action", "scan")
    phone.get_by_test_id("scan-label").fill(label)
    primary.click()
    expect(primary).to_have_attribute("data-action", "blocked")  # traffic still runs over it
    desk = enter("operator", at="/fabric/disabled").page
    action = desk.locator("[data-testid=port-action][data-state=proposed]").first
    action.get_by_test_id("port-approve").click()
    for word in ("Clean", "Reseat"):
        expect(phone.locator("[aria-current=step]")).to_contain_text(word)
        expect(primary).to_have_attribute("data-action", "step")
        primary.click()
    expect(phone.locator("[aria-current=step]")).to_contain_text("Swap the optic")
    picture(phone, tmp_path / "swap-optic.png")
    assert violations(phone) == []
    swap_optic(phone, 1, "MT2544FT00001")
    expect(phone.locator("[aria-current=step]")).to_contain_text("Swap cable")
    leave_out(phone, "The optic was it")
    expect(primary).to_have_attribute("data-action", "verify")
    primary.click()
    wait_for(lambda: tickets()[0]["status"] == "verifying", 15, "the measurement to begin")
    wait_for(lambda: tickets()[0]["status"] == "in_work", 180, "the measurement to bring the ticket back")
    in_sight(phone.get_by_text("Not right yet", exact=True))

    demo.hall.call("POST", "/fabric/cure", port)
    expect(primary).to_have_attribute("data-action", "verify")
    primary.click()
    wait_for(lambda: not tickets(), 180, "the ticket to close by itself")
    expect(phone.get_by_test_id("ticket-status")).to_have_attribute("data-status", "closed")
    assert phone.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    done = demo.api(f"/api/tickets/{ticket['key']}/")
    assert [swap["new_serial"] for swap in done["swaps"]] == ["MT2544FT00001"]
    assert done["order"]["ends"][1]["optic"] == "MT2544FT00001"


def swap_optic(phone: Page, end: int, serial: str) -> None:
    phone.get_by_test_id("swap-end").nth(end).check()
    phone.get_by_test_id("swap-new-serial").fill(serial)
    phone.get_by_test_id("ticket-primary").click()


def leave_out(phone: Page, reason: str) -> None:
    """Go on without the swap that a step asks for."""
    phone.get_by_test_id("swap-skip").click()
    phone.get_by_role("dialog").get_by_role("textbox").fill(reason)
    phone.get_by_role("dialog").get_by_role("button", name=re.compile("Skip|Go on")).click()


def parts_of(demo: Demo, machine: int) -> list[dict[str, Any]]:
    return list(demo.api(f"/api/machines/{machine}/components/")["results"])


def verification_of(demo: Demo, key: str) -> str | None:
    verification = demo.api(f"/api/tickets/{key}/")["verification"]
    return str(verification["status"]) if verification else None


def next_action(phone: Page) -> str:
    return str(phone.get_by_test_id("ticket-primary").get_attribute("data-action"))


def in_sight(what: Locator) -> None:
    """On the screen without scrolling, and under nothing: a gloved hand should not have to look for it."""
    expect(what).to_be_in_viewport(ratio=1)
    on_top = """(it) => { const box = it.getBoundingClientRect();
        return it.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)); }"""
    wait_for(lambda: what.evaluate(on_top), 5, "it to lie under nothing")


def work_until_verify(phone: Page, machine: str, serial: str) -> None:
    """Do as the big button says, step by step, until it offers the verification."""
    for _ in range(20):
        # A step that the machine runs is on its way until it was seen: off and on take as long as its BMC does.
        wait_for(lambda: next_action(phone) != "wait", 180, "the machine to be switched")
        expect(phone.get_by_test_id("ticket-primary")).to_be_enabled()
        action = next_action(phone)
        assert phone.locator("dialog[open]").all_inner_texts() == [], "the machine itself is no conflict"
        if action == "verify":
            return
        if action == "scan":
            in_sight(phone.get_by_test_id("scan-label"))
            phone.get_by_test_id("scan-label").fill(machine)
        elif action == "swap":
            in_sight(phone.get_by_test_id("swap-new-serial"))
            phone.get_by_test_id("swap-new-serial").fill(serial)
        before = phone.get_by_test_id("ticket-primary").inner_text()
        phone.get_by_test_id("ticket-primary").click()
        wait_for(
            lambda before=before: phone.get_by_test_id("ticket-primary").inner_text() != before,
            30,
            f"the step after {before!r}",
        )
    raise AssertionError("the steps never ended")
