"""The board of stages in the browser: bare machines stand in their column, a run moves one on, a failure is stuck."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.axe import needs_axe, walk
from tests.browser.conftest import Demo, desk_and_phone, machines, walked

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
PAGES = {"stages": ("/provisioning/stages", "[data-testid=stage-machine]")}


@desk_and_phone
def test_bare_machines_stand_at_their_stage_and_a_stage_lists_its_machines(
    size: dict[str, int], demo: Demo, enter: Callable, tmp_path: Path
) -> None:
    new = [row for row in machines(demo) if row["state"] == "new"]
    assert new, "the demo has bare machines"
    page = enter("operator", size, at="/provisioning").page
    page.get_by_role("link", name="Stages", exact=True).click()
    board = demo.api("/api/provisioning/stages/")
    column = page.locator("[data-testid=stage][data-stage=racked]")
    racked = next(stage["count"] for stage in board["stages"] if stage["stage"] == "racked")
    expect(column.locator(".count b")).to_have_text(str(racked))
    column.get_by_role("button").click()
    rows = page.get_by_test_id("stage-machine")
    expect(rows.filter(has_text=new[0]["name"])).to_contain_text("Racked")
    page.reload()
    expect(column.get_by_role("button")).to_have_attribute("aria-pressed", "true")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.screenshot(path=tmp_path / f"stages-{scheme}.png", full_page=True)


@pytest.mark.slow
@needs_axe
@walked
def test_axe_finds_nothing_and_the_board_does_not_scroll_sideways(
    size: dict[str, int], demo: Demo, enter: Callable
) -> None:
    assert not (found := walk(enter("operator", size).page, demo.url, PAGES)), found
