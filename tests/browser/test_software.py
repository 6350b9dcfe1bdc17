"""Base software in the browser: a dry run is started, goes on before one's eyes, and the log of a machine says why."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.axe import needs_axe, walk
from tests.browser.conftest import Demo, desk_and_phone, machines, walked
from tests.browser.pictures import picture

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]


@pytest.mark.slow
@desk_and_phone
def test_a_dry_run_is_started_and_its_machine_read(
    size: dict[str, int], demo: Demo, enter: Callable, tmp_path: Path
) -> None:
    """The machines of the virtual hall have no Python: the run ends with what Ansible says of that."""
    machine = [row for row in machines(demo) if row["state"] == "ready"][0 if size["width"] > 1000 else 1]
    page = enter("operator", size, at="/provisioning").page
    page.get_by_role("link", name="Base software", exact=True).click()
    page.get_by_test_id("software-new").click()
    page.get_by_label("Time", exact=True).check()
    page.get_by_label("Filter machines").fill(machine["name"])
    page.locator("li").get_by_label(machine["name"]).check()
    expect(page.get_by_test_id("software-dry-run")).to_be_checked()
    picture(page, tmp_path / "start.png")
    page.get_by_test_id("software-start").click()
    run = page.get_by_test_id("software-run")
    expect(run).to_contain_text("Dry run")
    expect(page.get_by_test_id("software-status")).not_to_have_text("Waits", timeout=60_000)
    row = page.get_by_test_id("software-machine")
    expect(row).to_contain_text("Failed", timeout=90_000)
    page.get_by_role("button", name=machine["name"]).click()
    expect(page.get_by_test_id("software-log")).to_contain_text("Gathering Facts")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        picture(page, tmp_path / f"software-{scheme}.png", full_page=True)


@pytest.mark.slow
@needs_axe
@walked
def test_axe_finds_nothing_and_base_software_does_not_scroll_sideways(
    size: dict[str, int], demo: Demo, enter: Callable
) -> None:
    pages = {
        "software": ("/provisioning/software", "[data-testid=software-new]"),
        "new software run": ("/provisioning/software?new=1", "[data-testid=software-start]"),
    }
    if found := demo.api("/api/provisioning/software/runs/")["results"]:
        pages["software run"] = (f"/provisioning/software?run={found[0]['id']}", "[data-testid=software-machine]")
    assert not (faults := walk(enter("operator", size).page, demo.url, pages)), faults
