"""axe-core finds nothing on any page: WCAG 2.2 A and AA and axe's best practice, both themes, desk and phone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import faults_of, needs_axe
from tests.browser.conftest import Demo, desk_and_phone, machines, wait_for

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600), needs_axe]


@pytest.fixture(scope="module")
def ticket(demo: Demo) -> dict[str, Any]:
    """A ticket with evidence, about a GPU that has fallen off the bus."""
    # The last one: other tests of this folder take theirs from the front.
    machine = machines(demo, state="ready")[-1]
    demo.hall.inject(machine["name"], "gpu_off_bus", "GPU 4")

    def opened() -> list[dict[str, Any]]:
        return list(demo.api(f"/api/tickets/?active=true&machine={machine['id']}")["results"])

    wait_for(opened, 180, "the fault's ticket")
    return opened()[0]


@pytest.fixture(scope="module")
def rack(demo: Demo) -> int:
    """The first rack on the floor, which holds machines."""
    table = demo.api("/api/floor/")["racks"]
    return int(table["rows"][0][table["columns"].index("id")])


def open_page(name: str, page: Page, demo: Demo, ticket: dict[str, Any], rack: int) -> None:
    """Go there and wait until what the page is about stands on it."""
    paths = {
        "floor": ("/", "[data-testid=floor-canvas]"),
        "floor table": ("/?view=table", "tbody tr"),
        "rack panel": (f"/?rack={rack}", "[data-testid=rack-panel] svg a"),
        "machines": ("/machines", "tbody tr"),
        "machine": (f"/machines/{ticket['machine']['id']}", "[data-testid=verdict-row]"),
        "components": (f"/machines/{ticket['machine']['id']}?tab=parts", "tbody tr"),
        "cables": (f"/machines/{ticket['machine']['id']}?tab=cables", "tbody tr"),
        "history": (f"/machines/{ticket['machine']['id']}?tab=history", "[data-testid=machine-header]"),
        "tickets": ("/tickets", "[data-testid=ticket-card]"),
        "ticket": (f"/tickets/{ticket['key']}", "[data-testid=ticket-primary]"),
        "provisioning": ("/provisioning", "[data-testid=run-new]"),
        "stages": ("/provisioning/stages", "[data-testid=stage]"),
        "intake": ("/provisioning/intake", "[data-testid=take-in]"),
        "returns": ("/provisioning/returns", "main .card"),
        "bmc discovery": ("/provisioning/discovery", "[data-testid=start]"),
        "images": ("/provisioning/images", "[data-testid=image]"),
        "software": ("/provisioning/software", "[data-testid=software-new]"),
        "new run": ("/provisioning", "[data-testid=run-new]"),
        "search": ("/", "[data-testid=floor-canvas]"),
    }
    path, landmark = paths[name]
    page.goto(demo.url + path)
    expect(page.locator(landmark).first).to_be_visible()
    if name == "search":
        page.keyboard.press("/")
        if not page.get_by_test_id("search-input").is_visible():
            page.get_by_role("button", name="Search").click()
        page.get_by_test_id("search-input").fill(ticket["machine"]["name"])
        expect(page.get_by_test_id("search-result").first).to_be_visible()
    if name == "new run":
        page.get_by_test_id("run-new").click()
        expect(page.get_by_test_id("run-start")).to_be_visible()
        expect(page.get_by_role("checkbox").first).to_be_visible()


MAIN = ["floor", "machine", "ticket", "new run"]
OTHERS = [
    "floor table", "rack panel", "machines", "components", "cables", "history", "tickets", "provisioning", "stages",
    "intake", "bmc discovery", "returns", "images", "software", "search",
]  # fmt: skip


@pytest.mark.target(48)
@pytest.mark.parametrize("names", [MAIN, pytest.param(OTHERS, marks=pytest.mark.slow)], ids=["main", "others"])
@desk_and_phone
def test_axe_finds_nothing_on_any_page(
    size: dict[str, int], names: list[str], demo: Demo, enter: Callable, ticket: dict[str, Any], rack: int
) -> None:
    page = enter("operator", size).page
    found: dict[str, list[str]] = {}
    for name in names:
        open_page(name, page, demo, ticket, rack)
        if problems := faults_of(page):
            found[name] = problems
    assert not found, "\n".join(f"{name}: {problem}" for name, problems in found.items() for problem in problems)
