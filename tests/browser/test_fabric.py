"""The fabric's pages, from a capture dropped in the browser to the work order on a phone.

The fabric is one of our own making: its plan comes as a contractor's, its captures as files sent by hand, so that the
tests decide what was seen and when.
"""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from fabric.tests.made import Made, Shape, made
from fabric.tests.made_faults import inject_all
from fabric.tests.made_texts import ibnetdiscover, plan_csv
from tests.browser.conftest import DESK, PHONE, Demo, wait_for
from tests.browser.test_accessibility import AXE, violations

pytestmark = [pytest.mark.browser, pytest.mark.serial, pytest.mark.timeout(600)]

NARROW = {"width": 360, "height": 780}
SHAPE = Shape(machines=16, rails=4, radix=16, seed=7)


@dataclass
class Lab:
    """A source of files with a plan of its own."""

    demo: Demo
    site: int
    plan: int
    source: int
    fabric: Made

    def findings(self, **query: str) -> list[dict[str, Any]]:
        asked = "&".join(f"{name}={value}" for name, value in query.items())
        return list(self.demo.api(f"/api/fabric/findings/?source={self.source}&page_size=200&{asked}")["results"])


def write(demo: Demo, method: str, path: str, body: dict[str, Any]) -> Any:
    request = urllib.request.Request(
        demo.url + path,
        json.dumps(body).encode(),
        {"Authorization": f"Token {demo.token('admin')}", "Content-Type": "application/json"},
        method=method,
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.loads(answer.read() or b"null")


def send(demo: Demo, path: str, fields: dict[str, str], name: str, filename: str, content: str) -> Any:
    """One file with some fields, as a form."""
    border = uuid4().hex
    parts = [
        f'--{border}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}' for key, value in fields.items()
    ]
    head = f'--{border}\r\nContent-Disposition: form-data; name="{name}"; filename="{filename}"'
    parts.append(f"{head}\r\nContent-Type: text/plain\r\n\r\n{content}")
    request = urllib.request.Request(
        demo.url + path,
        ("\r\n".join(parts) + f"\r\n--{border}--\r\n").encode(),
        {"Authorization": f"Token {demo.token('admin')}", "Content-Type": f"multipart/form-data; boundary={border}"},
        method="POST",
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read())


@pytest.fixture(scope="module")
def lab(demo: Demo) -> Lab:
    """A made fabric with a swapped pair and a missing cable; looked at twice."""
    fabric = made(SHAPE)
    assert inject_all(fabric, ["swap", "missing"])
    site = demo.api("/api/sites/")["results"][0]["id"]
    plan = send(
        demo, "/api/fabric/plans/", {"site": str(site), "name": "As built"}, "file", "p.csv", plan_csv(fabric.plan)
    )
    body = {
        "site": site, "name": "Files of the contractor", "kind": "file", "plan": plan["id"], "period_s": 0,
        "confirm_after_s": 0,
    }  # fmt: skip
    source = write(demo, "POST", "/api/fabric/sources/", body)["id"]
    found = Lab(demo, site, plan["id"], source, fabric)
    for _ in range(2):
        upload(found, ibnetdiscover(fabric.seen()))
    wait_for(lambda: found.findings(state="open"), 60, "findings seen twice")
    return found


def upload(lab: Lab, text: str) -> None:
    look = send(lab.demo, f"/api/fabric/sources/{lab.source}/upload/", {}, "files", "ibnetdiscover.txt", text)
    path = f"/api/fabric/discoveries/{look['id']}/"
    wait_for(lambda: lab.demo.api(path)["finished_at"], 120, "the end of the look")


def sideways(page: Page) -> int:
    """How far the page can be pushed to the side, in pixels; parts that scroll by themselves do not count."""
    widest = "Math.max(...[...document.querySelectorAll('.page, html')].map(e => e.scrollWidth - e.clientWidth))"
    return int(page.evaluate(widest))


def test_a_capture_dropped_on_a_source_is_read_with_progress(lab: Lab, enter: Callable) -> None:
    page = enter("operator").page
    page.goto(f"{lab.demo.url}/fabric/sources/{lab.source}")
    expect(page.get_by_test_id("source-state")).to_have_text("OK")
    before = page.get_by_test_id("discovery").count()
    page.get_by_test_id("drop-files").locator("input").set_input_files(
        {"name": "ibnetdiscover.txt", "mimeType": "text/plain", "buffer": ibnetdiscover(lab.fabric.seen()).encode()}
    )
    expect(page.get_by_test_id("discovery-progress")).to_have_attribute("data-status", "done", timeout=60_000)
    expect(page.get_by_test_id("discovery")).to_have_count(before + 1)


def test_a_capture_that_breaks_off_is_told_and_opens_nothing(lab: Lab, enter: Callable) -> None:
    page = enter("operator").page
    known = {finding["id"] for finding in lab.findings()}
    text = ibnetdiscover(lab.fabric.seen())
    page.goto(f"{lab.demo.url}/fabric/sources/{lab.source}")
    page.get_by_test_id("drop-files").locator("input").set_input_files(
        {"name": "ibnetdiscover.txt", "mimeType": "text/plain", "buffer": text[: len(text) // 3].encode()}
    )
    expect(page.get_by_test_id("source-state")).to_have_text(re.compile("Truncated|Held back|Partial"), timeout=60_000)
    assert {finding["id"] for finding in lab.findings()} == known
    upload(lab, text)
    expect(page.get_by_test_id("source-state")).to_have_text("OK", timeout=30_000)


def test_the_overview_says_what_is_wrong_and_leads_to_it(lab: Lab, enter: Callable) -> None:
    page = enter("technician").page
    page.goto(f"{lab.demo.url}/fabric")
    card = page.get_by_test_id("source-card").filter(has_text="Files of the contractor")
    expect(card).to_have_attribute("data-state", "ok")
    expect(page.get_by_test_id("fabric-summary")).not_to_have_text("all links as planned")
    page.locator("[data-testid=kind][data-kind=swapped_pair]").click()
    expect(page).to_have_url(re.compile("kind=swapped_pair"))
    expect(page.get_by_test_id("finding").first).to_have_attribute("data-kind", "swapped_pair")


def test_a_finding_tells_its_moves_one_by_one(lab: Lab, enter: Callable) -> None:
    finding = lab.findings(state="open", kind="swapped_pair")[0]
    detail = lab.demo.api(f"/api/fabric/findings/{finding['id']}/")
    page = enter("technician").page
    page.goto(f"{lab.demo.url}/fabric/findings/{finding['id']}")
    expect(page.get_by_test_id("finding-text")).to_have_text(detail["text"])
    moves = page.get_by_test_id("move")
    expect(moves).to_have_count(len(detail["moves"]))
    for at, move in enumerate(detail["moves"]):
        expect(moves.nth(at)).to_contain_text(move["text"])
        expect(moves.nth(at).get_by_test_id("move-from")).to_have_count(int(move["take_from"] is not None))
        expect(moves.nth(at).get_by_test_id("move-to")).to_have_count(int(move["put_into"] is not None))


def test_an_operator_accepts_a_finding_with_a_reason_and_takes_it_back(lab: Lab, enter: Callable) -> None:
    finding = lab.findings(state="open", kind="missing")[0]
    page = enter("operator").page
    page.goto(f"{lab.demo.url}/fabric/findings/{finding['id']}")
    page.get_by_test_id("accept").click()
    page.get_by_label("Reason").fill("The cable is on order")
    page.get_by_role("dialog").get_by_role("button", name="Accept").click()
    expect(page.get_by_test_id("finding-state")).to_have_text("Accepted")
    expect(page.get_by_text("The cable is on order")).to_be_visible()
    page.get_by_test_id("reopen").click()
    expect(page.get_by_test_id("finding-state")).to_have_text(re.compile("Open|Seen once"))


def test_a_source_is_added_in_the_browser_and_a_refused_one_keeps_what_was_typed(lab: Lab, enter: Callable) -> None:
    page = enter("admin").page
    page.goto(f"{lab.demo.url}/fabric/sources")
    page.get_by_test_id("source-new").click()
    form = page.get_by_role("dialog")
    form.get_by_label("What it is").select_option("file")
    form.get_by_label("Name", exact=True).fill("Files of the contractor")
    page.get_by_test_id("source-save").click()
    expect(form.get_by_role("alert")).to_be_visible()
    name = f"Second look {uuid4().hex[:6]}"
    form.get_by_label("Name", exact=True).fill(name)
    page.get_by_test_id("source-save").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    expect(page.get_by_test_id("source-state")).to_have_text("Never looked")


def test_what_changed_between_two_times_is_listed(lab: Lab, enter: Callable) -> None:
    page = enter("technician").page
    page.goto(f"{lab.demo.url}/fabric/changes")
    expect(page.get_by_test_id("change").first).to_be_visible()


def test_findings_are_a_layer_of_the_floor(lab: Lab, enter: Callable) -> None:
    page = enter("technician").page
    page.goto(lab.demo.url)
    page.get_by_test_id("layer-fabric").click()
    expect(page).to_have_url(re.compile("layer=fabric"))
    counts = page.locator("[data-testid^=fabric-chip-]")
    expect(counts.first).to_be_visible()
    machines = lab.demo.api("/api/floor/")["machines"]["rows"]
    shown = counts.evaluate_all("chips => chips.reduce((sum, chip) => sum + Number(chip.dataset.count), 0)")
    assert shown == len(machines)
    page.get_by_test_id("layer-state").click()
    expect(page.get_by_test_id("chip-failed")).to_be_visible()


def test_a_work_order_is_done_with_one_thumb(lab: Lab, enter: Callable) -> None:
    """Taken, label confirmed by scan, then the move: cable, from and to are on the screen, and the button is wide."""
    finding = lab.findings(state="open", kind="swapped_pair")[0]
    path = f"/api/fabric/findings/{finding['id']}/"
    wait_for(lambda: lab.demo.api(path)["ticket"], 60, "its work order")
    ticket = lab.demo.api(f"/api/tickets/{lab.demo.api(path)['ticket']['key']}/")
    page = enter("technician", NARROW).page
    page.goto(f"{lab.demo.url}/tickets/{ticket['key']}")
    primary = page.get_by_test_id("ticket-primary")
    expect(primary).to_have_attribute("data-action", "take")
    primary.click()
    expect(primary).to_have_attribute("data-action", "scan")
    page.get_by_test_id("scan-label").fill(ticket["subject"]["name"])
    primary.click()
    while primary.get_attribute("data-action") == "step":
        now = page.locator("[data-testid=ticket-step][aria-current=step]")
        if now.get_attribute("data-kind") == "move":
            break
        number = now.get_attribute("data-number")
        primary.click()
        ticked = page.locator(f"[data-testid=ticket-step][data-number='{number}']")
        expect(ticked).to_have_attribute("data-done", "true")
    now = page.locator("[data-testid=ticket-step][aria-current=step]")
    expect(now).to_have_attribute("data-kind", "move")
    move = next(step["move"] for step in ticket["steps"] if step["kind"] == "move")
    expect(now).to_contain_text(move["cable"])
    expect(now.get_by_test_id("move-from")).to_be_in_viewport()
    expect(page.get_by_role("heading", level=1)).to_be_in_viewport()
    box = primary.bounding_box()
    assert box is not None and box["height"] >= 56 and box["width"] >= NARROW["width"] * 0.45
    assert sideways(page) <= 0


PAGES = {
    "overview": ("/fabric", "[data-testid=source-card]"),
    "findings": ("/fabric/findings", "[data-testid=finding]"),
    "finding": ("/fabric/findings/{finding}", "[data-testid=finding-text]"),
    "links": ("/fabric/links", "h1"),
    "heat": ("/fabric/heat", "h1"),
    "events": ("/fabric/events", "h1"),
    "disabled ports": ("/fabric/disabled", "[data-testid=port-policy]"),
    "burn-in": ("/fabric/burn-in", "h1"),
    "names": ("/fabric/names", "h1"),
    "misplaced": ("/fabric/names?view=misplaced", "h1"),
    "changes": ("/fabric/changes", "[data-testid=change]"),
    "sources": ("/fabric/sources", "[data-testid=source]"),
    "source": ("/fabric/sources/{source}", "[data-testid=discovery]"),
    "spare ports": ("/fabric/plan", "h1"),
    "lengths": ("/fabric/plan?view=lengths", "h1"),
    "plans": ("/fabric/plan?view=plans", "[data-testid=plan]"),
    "floor": ("/?layer=fabric", "[data-testid=fabric-chip-failed]"),
}


@pytest.mark.skipif(not AXE.exists(), reason="needs `npm ci` in frontend/")
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_the_fabrics_pages(scheme: str, size: dict[str, int], lab: Lab, enter: Callable) -> None:
    page = enter("operator", size, scheme).page
    finding = lab.findings(state="open")[0]["id"]
    found: dict[str, list[str]] = {}
    for name, (path, landmark) in PAGES.items():
        page.goto(lab.demo.url + path.format(finding=finding, source=lab.source))
        expect(page.locator(landmark).first).to_be_visible()
        if problems := violations(page):
            found[name] = problems
    assert not found, "\n".join(f"{name}: {problem}" for name, problems in found.items() for problem in problems)


def test_no_page_of_the_fabric_scrolls_sideways_at_360_pixels(lab: Lab, enter: Callable) -> None:
    page = enter("operator", NARROW).page
    finding = lab.findings(state="open")[0]["id"]
    wide: dict[str, int] = {}
    for name, (path, landmark) in PAGES.items():
        page.goto(lab.demo.url + path.format(finding=finding, source=lab.source))
        expect(page.locator(landmark).first).to_be_visible()
        if (over := sideways(page)) > 0:
            wide[name] = over
    assert not wide
