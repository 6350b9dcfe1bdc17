"""The pages of checks: the matrix, the catalogue and what people decide, sweeps, kernel lines, a machine's timeline."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.axe import needs_axe, walk
from tests.browser.conftest import PHONE, Demo, desk_and_phone, machines, wait_for, walked
from tests.browser.test_fabric import write

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

CHECK = "disk.space"
KERNEL_LINES = """
from django.utils import timezone
from health.models import KernelImage, KernelLine, KernelSighting
from inventory.models import Machine
machine = Machine.objects.select_related("device").order_by("pk").first()
where = {"site_id": machine.device.site_id, "model_id": machine.device.model_id}
image, _ = KernelImage.objects.get_or_create(image="Test OS", **where)
now = timezone.now()
new = {"first_seen": now, "last_seen": now, "state": "new", "expires_at": None, "decided_at": None}
new |= dict.fromkeys(("verdict", "reason", "owner", "decided_by"), "")
for word in ("first", "second", "third"):
    text = f"{word} thing happened"
    line, _ = KernelLine.objects.update_or_create(
        image=image, shape=f"oddmod #: {text}", defaults={"example": f"oddmod 3: {text}", **new}
    )
    KernelSighting.objects.get_or_create(line=line, machine=machine)
"""


def failing(demo: Demo, check: str) -> list[int]:
    """Machines at which the check fails, by the matrix."""
    found = demo.api("/api/health/matrix/")
    column = next(at for at, each in enumerate(found["checks"]) if each["id"] == check)
    return [machine["id"] for machine in found["machines"] if machine["cells"][column : column + 1] == "f"]


@pytest.fixture(scope="module")
def full(demo: Demo) -> dict[str, Any]:
    """A machine whose file system is full, as the checks have said already."""
    machine = [row for row in machines(demo) if row["state"] == "ready"][-2]
    demo.hall.inject(machine["name"], "disk_full")
    wait_for(lambda: machine["id"] in failing(demo, CHECK), 180, "the check to fail")
    return machine


@pytest.fixture
def undecided(demo: Demo) -> Iterator[None]:
    """No decision is left in force, before and after."""

    def clear() -> None:
        for kind in ("overrides", "silences", "audit-mode"):
            for row in demo.api(f"/api/health/{kind}/?active=true")["results"]:
                write(demo, "DELETE", f"/api/health/{kind}/{row['id']}/", {})

    clear()
    yield
    clear()


@pytest.fixture
def kernel_lines(demo: Demo) -> None:
    demo.python(KERNEL_LINES)


def live(page: Page) -> None:
    expect(page.get_by_test_id("live-indicator")).to_have_attribute("data-status", "live", timeout=20_000)


def test_the_matrix_tells_machine_check_and_message_and_leads_to_the_machine(
    demo: Demo, full: dict[str, Any], enter: Callable
) -> None:
    page = enter("viewer").page
    page.goto(f"{demo.url}/checks?search={full['name']}&only=bad")
    grid = page.get_by_test_id("matrix")
    expect(page.get_by_test_id("matrix-row")).to_have_text([full["name"]])
    column = grid.get_by_role("columnheader").filter(has_text=CHECK)
    head, row = column.bounding_box(), page.get_by_test_id("matrix-row").bounding_box()
    assert head and row
    page.mouse.move(head["x"] + head["width"] / 2, row["y"] + row["height"] / 2)
    tip = page.get_by_test_id("matrix-tip")
    expect(tip).to_contain_text(full["name"])
    expect(tip).to_contain_text("Fail")
    message = next(
        each["message"]
        for each in demo.api(f"/api/machines/{full['id']}/verdicts/")["results"]
        if each["check"] == CHECK and each["verdict"] == "fail"
    )
    expect(tip).to_contain_text(message)
    page.mouse.click(head["x"] + head["width"] / 2, row["y"] + row["height"] / 2)
    expect(page).to_have_url(re.compile(f"/machines/{full['id']}"))


@pytest.mark.slow
def test_the_matrix_is_walked_by_keys_and_keeps_its_filters_in_the_address(
    demo: Demo, full: dict[str, Any], enter: Callable
) -> None:
    page = enter("viewer").page
    page.goto(f"{demo.url}/checks")
    expect(page.get_by_test_id("matrix-row").first).to_be_visible()
    page.get_by_label("Family").select_option("disk space")
    page.get_by_test_id("only-bad").click()
    expect(page.get_by_test_id("matrix-row").filter(has_text=full["name"])).to_be_visible()
    page.reload()
    expect(page.get_by_test_id("only-bad")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_label("Family")).to_have_value("disk space")
    page.goto(f"{demo.url}/checks?search={full['name']}")
    page.get_by_test_id("matrix").focus()
    square = page.locator("#matrix-square")
    first = square.get_attribute("aria-label")
    page.keyboard.press("ArrowRight")
    expect(square).not_to_have_attribute("aria-label", first or "")
    expect(square).to_have_attribute("aria-label", re.compile(full["name"]))
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"/machines/{full['id']}"))


@pytest.mark.slow
def test_the_matrix_as_a_file_has_a_row_for_each_machine(demo: Demo, enter: Callable) -> None:
    page = enter("viewer").page
    page.goto(f"{demo.url}/checks")
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    text = download.value.path().read_text()
    head, *rows = text.strip().splitlines()
    assert head.split(",")[:2] == ["machine", "state"] and CHECK in head
    assert len(rows) == demo.api("/api/health/matrix/")["count"]


@pytest.mark.slow
def test_on_a_phone_the_matrix_is_a_list_of_what_is_bad(demo: Demo, full: dict[str, Any], enter: Callable) -> None:
    page = enter("viewer", PHONE).page
    page.goto(f"{demo.url}/checks")
    card = page.locator(f"[data-testid=bad-check][data-check='{CHECK}']")
    expect(card).to_be_visible()
    expect(page.get_by_test_id("matrix-canvas")).not_to_be_visible()
    card.get_by_role("link", name=full["name"]).click()
    expect(page).to_have_url(re.compile(f"/machines/{full['id']}"))


@pytest.mark.slow
def test_the_catalogue_shows_what_fails_now_and_each_check_its_samples_and_machines(
    demo: Demo, full: dict[str, Any], enter: Callable
) -> None:
    page = enter("viewer").page
    page.goto(f"{demo.url}/checks/catalogue")
    page.get_by_test_id("show-failing").click()
    page.locator(f"[data-testid=check][data-check='{CHECK}'] a").click()
    expect(page).to_have_url(re.compile(CHECK))
    machine = page.get_by_test_id("failing-machine").filter(has_text=full["name"])
    expect(machine).to_have_attribute("data-verdict", "fail")
    bad = page.locator("[data-testid=sample]:not([data-verdict=ok])").first
    bad.locator("summary").click()
    expect(bad.locator("pre")).not_to_be_empty()
    expect(page.locator("[data-testid=sample][data-verdict=ok]").first).to_be_visible()
    expect(page.get_by_test_id("add-silence")).to_have_count(0)  # a viewer decides nothing
    machine.click()
    expect(page).to_have_url(re.compile(f"/machines/{full['id']}"))


def choose_machine(page: Page, name: str) -> None:
    field = page.get_by_role("combobox", name="Machine")
    field.fill(name)
    page.get_by_role("option", name=name).click()


@desk_and_phone
def test_an_operator_silences_a_check_at_a_machine_ends_it_and_takes_that_back(
    size: dict[str, int], demo: Demo, full: dict[str, Any], undecided: None, enter: Callable
) -> None:
    page = enter("operator", size).page
    page.goto(f"{demo.url}/checks/catalogue/{CHECK}")
    page.get_by_test_id("add-silence").click()
    expect(page.get_by_test_id("decision-save")).to_be_disabled()
    field = page.get_by_role("combobox", name="Machine")
    field.click()
    expect(page.get_by_role("option").first).to_be_visible()
    field.press("Escape")
    expect(page.get_by_role("option")).to_have_count(0)
    expect(page.get_by_role("dialog")).to_be_visible()
    choose_machine(page, full["name"])
    page.get_by_label("Reason").fill("Logs are being moved")
    page.get_by_role("button", name="1 day").click()
    page.get_by_test_id("decision-save").click()
    silence = page.get_by_test_id("decision")
    expect(silence).to_contain_text(full["name"])
    (row,) = demo.api("/api/health/silences/?active=true")["results"]
    assert (row["check"], row["machine"], row["owner"]) == (CHECK, full["id"], "operator")

    page.goto(f"{demo.url}/checks/muted")
    soon = page.get_by_role("region", name="Ends within three days")
    expect(soon.get_by_test_id("decision")).to_contain_text("Logs are being moved")
    soon.get_by_test_id("decision-end").click()
    expect(page.get_by_test_id("decision")).to_have_count(0)
    assert demo.api("/api/health/silences/?active=true")["count"] == 0
    page.get_by_test_id("toast").get_by_role("button", name="Undo").click()
    expect(page.get_by_test_id("decision")).to_contain_text(full["name"])
    (again,) = demo.api("/api/health/silences/?active=true")["results"]
    assert (again["machine"], again["reason"]) == (full["id"], "Logs are being moved")


@pytest.mark.slow
def test_other_limits_are_set_and_changed_and_a_refusal_keeps_what_was_typed(
    demo: Demo, undecided: None, enter: Callable
) -> None:
    page = enter("operator").page
    page.goto(f"{demo.url}/checks/catalogue/{CHECK}")
    (name, *_) = demo.api(f"/api/health/catalogue/{CHECK}/")["thresholds"]
    page.get_by_test_id("add-override").click()
    page.get_by_role("button", name="Site", exact=True).click()
    page.get_by_label(name.replace("_", " ")).fill("97")
    page.get_by_label("Reason").fill("Small root file systems")
    page.get_by_label("Who answers for it").fill("nobody-of-that-name")
    page.get_by_test_id("decision-save").click()
    expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("owner")
    expect(page.get_by_label("Reason")).to_have_value("Small root file systems")
    page.get_by_label("Who answers for it").fill("operator")
    page.get_by_test_id("decision-save").click()
    expect(page.get_by_test_id("decision")).to_contain_text("97")
    page.get_by_test_id("decision").get_by_role("button", name="Change").click()
    page.get_by_label(name.replace("_", " ")).fill("98")
    page.get_by_test_id("decision-save").click()
    expect(page.get_by_test_id("decision")).to_contain_text("98")
    (row,) = demo.api("/api/health/overrides/?active=true")["results"]
    assert row["thresholds"] == {name: 98.0} and row["expires_at"] is None


@pytest.mark.slow
def test_what_somebody_else_decides_appears_by_itself(demo: Demo, undecided: None, enter: Callable) -> None:
    page = enter("viewer").page
    page.goto(f"{demo.url}/checks/muted")
    live(page)
    site = demo.api("/api/sites/")["results"][0]["id"]
    write(demo, "POST", "/api/health/audit-mode/", {"check": CHECK, "site": site, "reason": "New limits"})
    row = page.get_by_test_id("decision")
    expect(row).to_contain_text("New limits", timeout=15_000)
    expect(row.get_by_test_id("decision-end")).to_have_count(0)


@desk_and_phone
def test_a_sweep_on_request_is_followed_to_its_end(size: dict[str, int], demo: Demo, enter: Callable) -> None:
    page = enter("operator", size).page
    page.goto(f"{demo.url}/checks/sweeps")
    live(page)
    expect(page.get_by_test_id("sweep").first).to_be_visible()
    page.get_by_test_id("sweep-now").click()
    expect(page.get_by_test_id("toast")).to_contain_text("machines now")
    number = re.search(r"Sweep (\d+)", page.get_by_test_id("toast").inner_text())
    assert number
    sweep = page.get_by_test_id("sweep").filter(has=page.get_by_role("link", name=number[1], exact=True))
    expect(sweep).to_have_attribute("data-status", "finished", timeout=60_000)
    sweep.get_by_role("link").first.click()
    expect(page.get_by_test_id("sweep-status")).to_have_text("Finished")
    expect(page.get_by_test_id("shard").first).to_have_attribute("data-status", "done")
    told = demo.api(f"/api/sweeps/{number[1]}/")
    expect(page.get_by_test_id("sweep-bar")).to_have_attribute("aria-valuenow", str(told["checked"]))
    assert told["checked"] == told["machines"]


@pytest.mark.slow
def test_a_viewer_starts_no_sweep(demo: Demo, enter: Callable) -> None:
    page = enter("viewer").page
    page.goto(f"{demo.url}/checks/sweeps")
    expect(page.get_by_test_id("sweep").first).to_be_visible()
    expect(page.get_by_test_id("sweep-now")).to_have_count(0)


def odd(page: Page, word: str) -> Locator:
    return page.get_by_test_id("kernel-line").filter(has_text=f"{word} thing happened")


@pytest.mark.slow
def test_kernel_lines_are_judged_by_keys_and_taken_back(demo: Demo, kernel_lines: None, enter: Callable) -> None:
    page = enter("operator").page
    page.goto(f"{demo.url}/checks/kernel-lines?search=oddmod")
    expect(page.get_by_test_id("kernel-line")).to_have_count(3)
    odd(page, "second").focus()
    page.keyboard.press("a")
    page.get_by_label("Reason").fill("Harmless, the vendor says")
    page.get_by_test_id("judge-save").click()
    expect(odd(page, "second")).to_have_count(0)
    path = "/api/health/kernel-lines/?search=second+thing"
    assert [line["state"] for line in demo.api(path)["results"]] == ["accepted"]
    page.get_by_test_id("toast").get_by_role("button", name="Undo").click()
    expect(odd(page, "second")).to_be_visible()
    assert [line["state"] for line in demo.api(path)["results"]] == ["new"]


def test_a_kernel_line_is_marked_as_bad_on_a_phone_and_judged_anew(
    demo: Demo, kernel_lines: None, enter: Callable
) -> None:
    page = enter("operator", PHONE).page
    page.goto(f"{demo.url}/checks/kernel-lines?search=oddmod")
    odd(page, "third").get_by_test_id("judge-bad").click()
    page.get_by_role("button", name="Warning").click()
    page.get_by_label("Reason").fill("Comes before the card dies")
    page.get_by_test_id("judge-save").click()
    expect(odd(page, "third")).to_have_count(0)
    page.get_by_role("button", name="Bad", exact=True).click()
    expect(odd(page, "third")).to_contain_text("Comes before the card dies")
    odd(page, "third").get_by_test_id("judge-reopen").click()
    expect(odd(page, "third")).to_have_count(0)
    assert demo.api("/api/health/kernel-lines/?search=third+thing")["results"][0]["state"] == "new"


@pytest.mark.slow
@desk_and_phone
def test_a_machines_timeline_shows_what_happened_and_lists_it(
    size: dict[str, int], demo: Demo, full: dict[str, Any], enter: Callable
) -> None:
    page = enter("viewer", size).page
    page.goto(f"{demo.url}/machines/{full['id']}")
    page.get_by_role("navigation", name="About this machine").get_by_role("link", name="Timeline").click()
    mark = page.get_by_test_id("lane-verdicts").get_by_role("button").last
    expect(mark).to_be_visible()
    listed = page.get_by_test_id("timeline-item").filter(has_text=CHECK)
    expect(listed.first).to_be_visible()
    page.get_by_test_id("range-30d").click()
    expect(page).to_have_url(re.compile("range=30d"))
    expect(page.get_by_test_id("range-30d")).to_have_attribute("aria-pressed", "true")
    mark = page.get_by_test_id("lane-verdicts").get_by_role("button").last
    mark.focus()
    expect(page.get_by_test_id("timeline").get_by_role("tooltip")).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(page.locator(":focus")).to_have_attribute("data-at", re.compile("^1/"))
    page.get_by_label("Only").select_option("states")
    expect(page.locator("[data-testid=timeline-item]:not([data-lane=states])")).to_have_count(0)


PAGES = {
    "matrix": ("/checks", "[data-testid=matrix-row], [data-testid=bad-check]"),
    "bad list": ("/checks?view=list", "[data-testid=bad-check]"),
    "catalogue": ("/checks/catalogue", "[data-testid=check]"),
    "check": (f"/checks/catalogue/{CHECK}", "[data-testid=sample]"),
    "sweeps": ("/checks/sweeps", "[data-testid=sweep]"),
    "kernel lines": ("/checks/kernel-lines", "[data-testid=kernel-line]"),
    "muted": ("/checks/muted", "[data-testid=decision]"),
}


@pytest.mark.slow
@needs_axe
@walked
def test_axe_finds_nothing_and_no_page_of_the_checks_scrolls_sideways(
    size: dict[str, int], demo: Demo, full: dict[str, Any], undecided: None, kernel_lines: None, enter: Callable
) -> None:
    site = demo.api("/api/sites/")["results"][0]["id"]
    write(demo, "POST", "/api/health/audit-mode/", {"check": CHECK, "site": site, "reason": "New limits"})
    sweep = demo.api("/api/sweeps/?status=finished&page_size=1")["results"][0]["id"]
    more = {
        "sweep": (f"/checks/sweeps/{sweep}", "[data-testid=shard]"),
        "timeline": (f"/machines/{full['id']}?tab=timeline&range=7d", "[data-testid=timeline-item]"),
    }
    assert not (found := walk(enter("operator", size).page, demo.url, PAGES | more)), found
