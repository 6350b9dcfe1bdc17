"""The floor coloured by a value of each machine, and machines selected on the map or in the list."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import violations
from tests.browser.conftest import Demo, at_rest, available, desk_and_phone, machines, wait_for
from tests.browser.pictures import picture

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
ANY_CHIP = "[data-testid=group-chip], [data-testid=value-absent]"


def counted(page: Page) -> int:
    chips = page.locator(ANY_CHIP)
    expect(chips.first).to_be_visible()
    return sum(int(chips.nth(at).get_attribute("data-count") or 0) for at in range(chips.count()))


@pytest.mark.slow
@pytest.mark.target(10)
@desk_and_phone
def test_the_floor_is_coloured_by_temperature_version_or_ticket(
    size: dict[str, int], demo: Demo, enter: Callable, tmp_path: Path
) -> None:
    page = enter("viewer", size, at="/").page
    menu = page.get_by_test_id("layer-more")
    for key in ("temperature", "fact:driver", "tickets", "age"):
        menu.select_option(key)
        expect(page.locator(ANY_CHIP).first).to_be_visible(timeout=15_000)
        assert f"layer={key}" in page.url.replace("%3A", ":")
        assert counted(page) == len(machines(demo))
        if key != "tickets":  # none may be open
            expect(page.get_by_test_id("group-chip").first).to_be_visible(timeout=60_000)  # with the first sweep
        picture(page, tmp_path / f"{key.replace(':', '-')}.png")
    assert violations(page) == []
    chip = page.get_by_test_id("group-chip").first
    chip.click()
    expect(chip).to_have_attribute("aria-pressed", "true")
    page.reload()
    expect(page.get_by_test_id("group-chip").first).to_have_attribute("aria-pressed", "true")
    expect(menu).to_have_value("age")
    menu.select_option("")
    expect(page.get_by_test_id("group-chip")).to_have_count(0)
    expect(page.get_by_test_id("layer-state")).to_have_attribute("aria-pressed", "true")


def test_machines_drawn_around_on_the_map_go_to_maintenance_together(
    demo: Demo, enter: Callable, tmp_path: Path
) -> None:
    available(demo, 8)
    page = enter("operator", at="/").page
    expect(page.get_by_test_id("mark")).to_be_visible()
    place = at_rest(page, "() => window.__rackside?.rackAt('A02') ?? null")
    page.get_by_test_id("mark").click()
    page.mouse.move(place["x"] - 25, place["y"] - 90)
    page.mouse.down()
    page.mouse.move(place["x"] + 25, place["y"] + 90, steps=4)
    page.mouse.up()
    bar = page.get_by_test_id("marked-bar")
    expect(bar).to_contain_text(re.compile(r"[2-4] machines selected"))
    count = int(bar.inner_text().split()[0])
    picture(page, tmp_path / "marked.png")
    assert violations(page) == []
    bar.get_by_role("button", name="Maintenance…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Reason").fill("new busbar")
    dialog.get_by_label(re.compile("Until")).fill("2099-01-01T00:00")
    picture(page, tmp_path / "maintenance.png")
    dialog.get_by_role("button", name="Start maintenance").click()
    expect(dialog).to_be_hidden()
    wait_for(lambda: len(machines(demo, state="maintenance")) == count, 15, "all of them in maintenance")
    bar.get_by_role("button", name="Return to service…").click()
    dialog.get_by_label("Reason").fill("done")
    dialog.get_by_role("button", name="Return").click()
    expect(dialog).to_be_hidden()
    wait_for(lambda: not machines(demo, state="maintenance"), 15, "all of them back")
    page.get_by_test_id("floor-canvas").press("Escape")
    expect(bar).to_be_hidden()
    expect(page.get_by_test_id("mark")).to_have_attribute("aria-pressed", "false")


@pytest.mark.slow
def test_a_viewer_selects_nothing(enter: Callable) -> None:
    page = enter("viewer", at="/").page
    expect(page.get_by_test_id("layer-more")).to_be_visible()
    expect(page.get_by_test_id("mark")).to_have_count(0)


@pytest.mark.slow
@desk_and_phone
def test_machines_selected_in_the_list_are_checked_together(
    size: dict[str, int], demo: Demo, enter: Callable, tmp_path: Path
) -> None:
    first, second = (each["name"] for each in available(demo, 2)[:2])
    page = enter("operator", size).page
    page.goto(f"{demo.url}/machines")
    for name in (first, second):
        page.get_by_role("checkbox", name=f"Select {name}").check()
    bar = page.get_by_test_id("marked-bar")
    expect(bar).to_contain_text("2 machines selected")
    picture(page, tmp_path / "list.png")
    assert violations(page) == []
    bar.get_by_role("button", name="Check now").click()
    expect(page.get_by_text("Checked now: 2 machines")).to_be_visible()
    bar.get_by_role("button", name="Clear").click()
    expect(page.get_by_role("checkbox", name=f"Select {first}")).not_to_be_checked()
