"""The fabric's pages, from a capture dropped in the browser to the work order on a phone.

Most of it is about a fabric of our own making: its plan comes as a contractor's, its captures as files sent by hand, so
that the tests decide what was seen and when. What needs counters, ports to touch or machines to run on is done with the
fabric of the demo's virtual hall, read through its UFM.
"""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import expect

from fabric.tests.made import Made, Shape, made
from fabric.tests.made_faults import inject, inject_all
from fabric.tests.made_texts import ibnetdiscover, plan_csv
from tests.browser.axe import hidden_below, needs_axe, sideways, walk
from tests.browser.conftest import Demo, available, machines, wait_for, walked

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

NARROW = {"width": 360, "height": 780}
SHAPE = Shape(machines=16, rails=4, radix=16, seed=7)
INKED = """plot => {
  const canvas = plot.querySelector("canvas");
  const probe = plot.appendChild(document.createElement("i"));
  const colours = ["accent", "cell-repair"].map(name => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color.match(/\\d+/g).slice(0, 3).join();
  });
  probe.remove();
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 250 && colours.includes([data[i], data[i + 1], data[i + 2]].join())) return true;
  return false;
}"""  # noqa: E501
"""Whether a chart has drawn a line or a dot in the colour of its first two series."""


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
    """A made fabric with a swapped pair, a missing cable and a switch that has no name yet; looked at twice."""
    fabric = made(SHAPE)
    assert len(inject_all(fabric, ["swap", "missing"])) == 2 and inject(fabric, "factory_names", count=1)
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


@dataclass
class HallLink:
    """A link between two switches of the virtual hall, with an optic that is going bad."""

    demo: Demo
    source: int
    key: str

    @property
    def told(self) -> dict[str, Any]:
        return dict(self.demo.api(f"/api/fabric/links/{self.key}/"))

    @property
    def name(self) -> str:
        link = self.told
        return " – ".join(f"{end['device']} {end['port']}" for end in (link["a"], link["b"]))


def discover(demo: Demo, source: int) -> None:
    """A look that begins now and its end. One that the period of the source began is waited for first."""

    def begun() -> Any:
        try:
            return write(demo, "POST", f"/api/fabric/sources/{source}/discover/", {})
        except urllib.error.HTTPError as error:
            if error.code != 409:
                raise
            return None

    looks: list[Any] = []
    wait_for(lambda: looks.append(begun()) or looks[-1], 60, "the look of the period to end")
    look = looks[-1]["id"]
    wait_for(lambda: demo.api(f"/api/fabric/discoveries/{look}/")["finished_at"], 60, "the end of the look")


@pytest.fixture(scope="module")
def hall_link(demo: Demo) -> Iterator[HallLink]:
    """The last link between two switches, read twice since its optic began to fail; the optic is good afterwards."""
    (source,) = [each["id"] for each in demo.api("/api/fabric/sources/")["results"] if each["kind"] == "ufm"]
    discover(demo, source)
    path = f"/api/fabric/links/?source={source}&device=spine&page_size=200"
    wait_for(lambda: demo.api(path)["count"], 60, "links with counters")
    link = next(each for each in demo.api(path)["results"] if each["tier"] == "leaf-spine")
    port = {"port": f"{link['a']['guid']}_{link['a']['port']}"}
    demo.hall.call("POST", "/fabric/degrade", {**port, "errors_per_hour": {"SymbolErrorCounter": 2_000_000}})
    found = HallLink(demo, source, link["key"])
    for _ in range(2):
        discover(demo, source)
    wait_for(lambda: found.told["quality"] == "bad", 60, "the link to be judged")
    yield found
    demo.hall.call("POST", "/fabric/cure", port)


@pytest.fixture
def idle(demo: Demo) -> Iterator[list[str]]:
    """Two machines that somebody holds out of service: what else may a burn-in use? They return afterwards."""
    # Not the last ones: those may be bare machines that another test provisioned, which have no cables.
    chosen = available(demo, 8)[6:8]
    state = {row["id"]: f"/api/machines/{row['id']}/" for row in chosen}
    for path in state.values():
        write(demo, "POST", f"{path}holds/", {"reason": "burn-in"})
    yield [row["name"] for row in chosen]
    for path in state.values():
        write(demo, "DELETE", f"{path}holds/person:admin/", {})
        write(demo, "POST", f"{path}return/", {"reason": "the burn-in is over"})


def test_a_capture_dropped_on_a_source_is_read_with_progress(lab: Lab, enter: Callable) -> None:
    page = enter("operator").page
    page.goto(f"{lab.demo.url}/fabric/sources/{lab.source}")
    expect(page.get_by_test_id("source-state")).to_have_text("OK")
    expect(page.get_by_test_id("discovery").first).to_be_visible()
    before = page.get_by_test_id("discovery").count()
    page.get_by_test_id("drop-files").locator("input").set_input_files(
        {"name": "ibnetdiscover.txt", "mimeType": "text/plain", "buffer": ibnetdiscover(lab.fabric.seen()).encode()}
    )
    expect(page.get_by_test_id("discovery-progress")).to_have_attribute("data-status", "done", timeout=60_000)
    expect(page.get_by_test_id("discovery")).to_have_count(before + 1)


@pytest.mark.slow
def test_a_capture_that_breaks_off_is_told_and_opens_nothing(lab: Lab, enter: Callable) -> None:
    page = enter("operator").page
    known = {finding["id"] for finding in lab.findings()}
    text = ibnetdiscover(lab.fabric.seen())
    page.goto(f"{lab.demo.url}/fabric/sources/{lab.source}")
    page.get_by_test_id("drop-files").locator("input").set_input_files(
        {"name": "ibnetdiscover.txt", "mimeType": "text/plain", "buffer": text[: len(text) // 3].encode()}
    )
    expect(page.get_by_test_id("source-state")).to_have_text(
        re.compile("Truncated|Rejected by the guard|Partial"), timeout=60_000
    )
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


@pytest.mark.slow
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


@pytest.mark.slow
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
    expect(page.get_by_test_id("source-state")).to_have_text("Never discovered")


@pytest.mark.slow
def test_what_changed_between_two_times_is_listed(lab: Lab, enter: Callable) -> None:
    page = enter("technician").page
    page.goto(f"{lab.demo.url}/fabric/changes")
    expect(page.get_by_test_id("change").first).to_be_visible()


@pytest.mark.slow
def test_findings_are_a_layer_of_the_floor(lab: Lab, enter: Callable) -> None:
    page = enter("technician").page
    page.goto(lab.demo.url)
    page.get_by_test_id("layer-fabric").click()
    expect(page).to_have_url(re.compile("layer=fabric"))
    counts = page.locator("[data-testid^=fabric-chip-]")
    expect(counts.first).to_be_visible()
    shown = counts.evaluate_all("chips => chips.reduce((sum, chip) => sum + Number(chip.dataset.count), 0)")
    assert shown == len(machines(lab.demo))
    page.get_by_test_id("layer-state").click()
    expect(page.get_by_test_id("chip-failed")).to_be_visible()


@pytest.mark.target(32)
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
    expect(primary).to_have_attribute("data-action", "step")
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
    assert sideways(page) == 0
    assert hidden_below(page) == 0


@pytest.mark.slow
def test_an_order_that_was_planned_again_is_not_followed_from_memory(lab: Lab, enter: Callable) -> None:
    """While somebody works on the order before, one of its cables turns up in a third cable's port."""
    finding = lab.findings(state="open", kind="swapped_pair")[0]
    key = lab.demo.api(f"/api/fabric/findings/{finding['id']}/")["ticket"]["key"]
    page = enter("technician", NARROW).page
    page.goto(f"{lab.demo.url}/tickets/{key}")
    expect(page.get_by_test_id("ticket-step").first).to_be_visible()
    expect(page.get_by_test_id("replanned")).to_have_count(0)
    before = lab.demo.api(f"/api/tickets/{key}/")["order"]["version"]
    turn_into_a_cycle(lab.fabric)
    upload(lab, ibnetdiscover(lab.fabric.seen()))
    notice = page.get_by_test_id("replanned")
    expect(notice).to_be_visible(timeout=30_000)
    notice.get_by_role("button").click()
    expect(notice).to_have_count(0)
    expect(page.get_by_test_id("plan-version")).to_contain_text(f"Plan {before + 1}")
    moves = [step for step in lab.demo.api(f"/api/tickets/{key}/")["steps"] if step["kind"] == "move"]
    assert len(moves) == 4, "three cables in a circle: one hangs, two move, the one that hangs goes in"
    expect(page.locator("[data-testid=ticket-step][data-kind=move]")).to_have_count(len(moves))


def turn_into_a_cycle(fabric: Made) -> None:
    """Exchange one cable of the swapped pair with one that was right, on the same switch."""
    one, _ = sorted(next(fault for fault in fabric.faults if fault.kind == "swap").cables)
    wrong, socket = next(
        (plug, at)
        for plug in fabric.bodies[one]
        if (at := fabric.plugs[plug]) and fabric.planned_at[at[0]].label != one
    )
    switch = socket[0].device
    right, other = next(
        (plug, at) for plug, at in fabric.plugs.items()
        if at and at[0].device == switch and plug[0] not in fabric.touched and plug[0] > one
    )  # fmt: skip
    fabric.put(wrong, None)
    fabric.put(right, socket)
    fabric.put(wrong, other)


@pytest.mark.slow
def test_a_name_that_the_wiring_tells_is_approved_and_stands_in_the_file(lab: Lab, enter: Callable) -> None:
    page = enter("operator").page
    page.goto(f"{lab.demo.url}/fabric/names")
    row = page.locator("[data-testid=name][data-state=proposed]").first
    name = row.get_attribute("data-proposed")
    expect(page.get_by_test_id("approve")).to_be_disabled()
    row.get_by_role("checkbox").check()
    page.get_by_test_id("approve").click()
    expect(page.locator(f"[data-testid=name][data-proposed='{name}']")).to_have_count(0)
    page.get_by_label("State").select_option("approved")
    expect(page.locator(f"[data-testid=name][data-proposed='{name}']")).to_have_attribute("data-state", "approved")
    with page.expect_download() as file:
        page.get_by_test_id("name-map").filter(has_text="Files of the contractor").click()
    assert f'"{name}"' in file.value.path().read_text()


@pytest.mark.slow
def test_the_worst_link_leads_to_its_page_with_values_to_read(hall_link: HallLink, enter: Callable) -> None:
    page = enter("technician").page
    page.goto(f"{hall_link.demo.url}/fabric/links")
    worst = page.get_by_test_id("link").first
    expect(worst).to_have_attribute("data-state", "bad")
    worst.get_by_role("link").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(hall_link.name)
    expect(page.get_by_test_id("link-state")).to_have_text("Bad")
    expect(page.get_by_test_id("measure").first).to_contain_text(re.compile("Bit error rate|Symbol errors"))
    chart = page.get_by_test_id("chart").filter(has_text="Symbol errors")
    drawn = chart.get_by_role("img")
    page.wait_for_function(INKED, arg=drawn.element_handle())
    drawn.focus()
    drawn.press("ArrowLeft")
    expect(chart.locator(".reading b")).to_be_visible()
    drawn.press("+")
    expect(drawn).to_have_attribute("data-zoomed", "true")
    chart.get_by_role("button", name="Whole span").click()
    expect(drawn).to_have_attribute("data-zoomed", "false")
    chart.get_by_text("Values as a table").click()
    told = hall_link.demo.api(f"/api/fabric/links/{hall_link.key}/history/")["charts"]
    times = {
        time
        for each in told
        if each["name"] == "symbol_errors"
        for line in each["series"]
        for time, _ in line["points"]
    }
    assert len(times) >= 2
    assert chart.locator("tbody tr").count() >= len(times) - 1, "a look may have come between"
    expect(page.get_by_test_id("quiet-charts")).to_contain_text("losses of the link")


@pytest.mark.slow
def test_a_link_is_proposed_approved_and_given_back_on_paper_only(hall_link: HallLink, enter: Callable) -> None:
    page = enter("operator").page
    page.goto(f"{hall_link.demo.url}/fabric/links/{hall_link.key}")
    page.get_by_test_id("isolate").click()
    page.get_by_label("Reason").fill("Loses data since this morning")
    page.get_by_role("dialog").get_by_role("button", name="Propose").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.goto(f"{hall_link.demo.url}/fabric/disabled")
    expect(page.get_by_test_id("port-policy")).to_contain_text("Dry run")
    action = page.get_by_test_id("port-action").filter(has_text="Loses data since this morning")
    expect(action).to_have_attribute("data-state", "proposed")
    action.get_by_test_id("port-approve").click()
    expect(action).to_have_attribute("data-state", "dry_run")
    assert not hall_link.demo.hall.call("GET", "/fabric")["isolated"]
    action.get_by_test_id("port-enable").click()
    page.get_by_label("Reason").fill("The optic was swapped")
    page.get_by_role("dialog").get_by_role("button", name="Re-enable").click()
    expect(action).to_have_count(0)
    page.get_by_role("button", name="Ended").click()
    expect(action).to_have_attribute("data-state", "free")


@pytest.mark.slow
def test_a_burn_in_is_planned_tried_dry_and_asks_before_it_runs(
    hall_link: HallLink, idle: list[str], enter: Callable
) -> None:
    page = enter("operator").page
    for real in (False, True):
        page.goto(f"{hall_link.demo.url}/fabric/burn-in")
        source = page.get_by_label("Fabric as reported by")
        expect(page.get_by_test_id("burnin-plan")).to_be_visible()
        if source.count():
            source.select_option(str(hall_link.source))
        page.get_by_test_id("burnin-plan").click()
        expect(page.get_by_test_id("burnin-status")).to_have_text("Planned", timeout=30_000)
        expect(page.get_by_test_id("uncovered").first).to_be_visible()
        pairs = page.get_by_test_id("burnin-pair")
        expect(pairs.first).to_contain_text(re.compile("|".join(map(re.escape, idle))))
        if not real:
            page.get_by_test_id("burnin-dry").click()
            expect(page.get_by_test_id("burnin-status")).to_have_text("Done", timeout=30_000)
            expect(page.get_by_text("Dry run", exact=True)).to_be_visible()
            assert {row.get_attribute("data-verdict") for row in pairs.all()} <= {"waiting", "unknown"}
            continue
        page.get_by_test_id("burnin-start").click()
        page.get_by_test_id("burnin-real").click()
        expect(page.get_by_test_id("burnin-status")).to_have_text("Running", timeout=30_000)
        page.get_by_role("button", name="Stop").click()
        expect(page.get_by_test_id("burnin-status")).to_have_text(re.compile("Stopping|Stopped"))


PAGES = {
    "overview": ("/fabric", "[data-testid=source-card]"),
    "findings": ("/fabric/findings", "[data-testid=finding]"),
    "finding": ("/fabric/findings/{finding}", "[data-testid=finding-text]"),
    "links": ("/fabric/links", "[data-testid=link]"),
    "link": ("/fabric/links/{link}", "[data-testid=chart]"),
    "heat": ("/fabric/heat", "[data-testid=warm]"),
    "events": ("/fabric/events", "h1"),
    "disabled ports": ("/fabric/disabled", "[data-testid=port-policy]"),
    "burn-ins": ("/fabric/burn-in", "[data-testid=burnin]"),
    "burn-in": ("/fabric/burn-in/{run}", "[data-testid=burnin-status]"),
    "names": ("/fabric/names", "h1"),
    "misplaced": ("/fabric/names?view=misplaced", "h1"),
    "changes": ("/fabric/changes", "[data-testid=change]"),
    "sources": ("/fabric/sources", "[data-testid=source]"),
    "source": ("/fabric/sources/{source}", "[data-testid=discovery]"),
    "spare ports": ("/fabric/plan", "h1"),
    "lengths": ("/fabric/plan?view=lengths", "h1"),
    "plans": ("/fabric/plan?view=plans", "[data-testid=plan]"),
    "floor": ("/?layer=fabric", "[data-testid=fabric-chip-failed]"),
    "work order": ("/tickets/{ticket}", "[data-testid=ticket-step]"),
}


def ids_of(lab: Lab, hall_link: HallLink) -> dict[str, Any]:
    """Of an order with moves and pictures, its finding, a link with a history, and a burn-in."""
    runs = lab.demo.api("/api/fabric/burn-ins/")["results"]
    run = runs[0] if runs else write(lab.demo, "POST", "/api/fabric/burn-ins/", {"source": hall_link.source})
    finding = next(each for each in lab.findings(state="open") if each["move_count"])["id"]
    ticket = lab.demo.api(f"/api/fabric/findings/{finding}/")["ticket"]["key"]
    return {"finding": finding, "ticket": ticket, "source": lab.source, "link": hall_link.key, "run": run["id"]}


@pytest.mark.slow
@needs_axe
@walked
def test_axe_finds_nothing_in_either_theme_and_no_page_scrolls_sideways(
    size: dict[str, int], lab: Lab, hall_link: HallLink, enter: Callable
) -> None:
    ids = ids_of(lab, hall_link)
    pages = {name: (path.format(**ids), landmark) for name, (path, landmark) in PAGES.items()}
    assert not (found := walk(enter("operator", size).page, lab.demo.url, pages)), found
