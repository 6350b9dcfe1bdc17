"""The limits of a site in the browser: who waits for which, at the run and on their page, and how they are set."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import needs_axe, walk
from tests.browser.conftest import Demo, desk_and_phone, walked, write
from tests.browser.pictures import picture

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
HELD = """
from datetime import timedelta
from django.utils import timezone
from inventory.models import Machine
from provisioning.models import Run
first, second = Machine.objects.filter(health__state="new", run_machines=None).order_by("pk")[:2]
run = Run.objects.create(site=first.device.site, name="Row E", limit=1, status="running", created_by="olga")
run.machines.create(machine=first, status="running", step="boot_script", next_at=timezone.now() + timedelta(days=1))
run.machines.create(machine=second)
print(run.pk, second.device.name)
"""
"""A run of which one machine is under way, and nobody looks at it before tomorrow; the other one waits for it."""
PAGES = {"limits": ("/provisioning/limits", "[data-testid=limits-form]")}


@pytest.fixture
def held(demo: Demo) -> Iterator[tuple[int, str]]:
    """The run and the name of its machine that waits."""
    run, name = demo.python(HELD).split()
    yield int(run), name
    demo.python(f"from provisioning.models import Run\nRun.objects.filter(pk={run}).delete()")
    site = demo.api("/api/provisioning/limits/")["results"][0]["site"]
    stages = [{"stage": "racked", "seconds": None}]
    write(demo, "PATCH", f"/api/provisioning/limits/{site}/", {"a_mirror": None, "stages": stages}, user="admin")


def photograph(page: Page, folder: Path, name: str) -> None:
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        picture(page, folder / f"{name}-{scheme}.png", full_page=True)


@pytest.mark.slow
@desk_and_phone
def test_who_waits_is_told_the_limit_at_its_run_and_an_administrator_changes_the_limits(
    size: dict[str, int], demo: Demo, enter: Callable, held: tuple[int, str], tmp_path: Path
) -> None:
    run, name = held
    page = enter("admin", size, at=f"/provisioning/{run}").page
    row = page.get_by_test_id("run-row").filter(has_text=name)
    expect(row.get_by_test_id("waits-for")).to_have_text("the run is full (1 of 1)")
    row.get_by_test_id("waits-for").get_by_role("link").click()
    limit = page.locator("[data-testid=limit][data-kind=run]")
    expect(limit).to_have_attribute("data-full", "true")
    expect(limit).to_contain_text(name)

    page.get_by_test_id("limit-mirror").fill("1")
    page.locator("[data-testid=limit-stage][data-stage=racked]").fill("0.001")
    page.get_by_test_id("limits-save").click()
    assert page.get_by_test_id("limits-form").evaluate("form => !form.checkValidity()"), "less than a minute"
    page.locator("[data-testid=limit-stage][data-stage=racked]").fill("48")
    page.get_by_test_id("limits-save").click()
    expect(page.get_by_test_id("limits-form")).to_contain_text("Saved")
    mirror = page.locator("[data-testid=limit][data-kind=mirror]")
    expect(mirror).to_contain_text("1 of 1")
    expect(mirror).to_contain_text(name)
    page.reload()
    expect(page.get_by_test_id("limit-mirror")).to_have_value("1")
    expect(page.locator("[data-testid=limit-stage][data-stage=racked]")).to_have_value("48")
    photograph(page, tmp_path, "limits")
    page.get_by_test_id("limits-save").scroll_into_view_if_needed()
    photograph(page, tmp_path, "limits-form")

    page.goto(f"{demo.url}/provisioning/{run}")
    waits = page.get_by_test_id("run-row").filter(has_text=name).get_by_test_id("waits-for")
    expect(waits).to_have_text("the run is full (1 of 1), the boot server is full (1 of 1)")
    photograph(page, tmp_path, "run")
    page.goto(f"{demo.url}/provisioning?new=1")
    expect(page.get_by_role("dialog").get_by_role("listitem").first).to_be_visible()
    photograph(page, tmp_path, "new-run")


@pytest.mark.slow
def test_who_is_no_administrator_sees_the_limits_and_changes_nothing(demo: Demo, enter: Callable) -> None:
    page = enter("operator", at="/provisioning/stages").page
    page.get_by_role("navigation", name="Provisioning").get_by_role("link", name="Limits").click()
    expect(page.get_by_test_id("limit-rack")).to_be_disabled()
    expect(page.get_by_test_id("limits-save")).to_have_count(0)


@pytest.mark.slow
@needs_axe
@walked
def test_axe_finds_nothing_on_the_page_of_limits(
    size: dict[str, int], demo: Demo, enter: Callable, held: tuple[int, str]
) -> None:
    assert not (found := walk(enter("admin", size).page, demo.url, PAGES)), found
