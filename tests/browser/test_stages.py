"""The board of stages in the browser: bare machines stand in their column, a run moves one on, a failure is stuck."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.axe import needs_axe, walk
from tests.browser.conftest import Demo, desk_and_phone, machines, walked
from tests.browser.pictures import picture

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
DELIVERED = """
from inventory.models import Machine
from provisioning.models import Delivery
machine = Machine.objects.filter(health__state="new", delivery_items=None).order_by("-pk")[0]
found = Delivery.objects.create(
    site=machine.device.site, order="PO-7731", vendor="Northern Systems", filename="list.csv", received_by="olga"
)
found.items.create(number=1, service_tag="4GMPN72", machine=machine)
print(machine.device.name, found.pk)
"""
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
        picture(page, tmp_path / f"stages-{scheme}.png", full_page=True)


@pytest.mark.slow
@desk_and_phone
def test_deliveries_stand_side_by_side_and_one_opens_its_own_board(
    size: dict[str, int], demo: Demo, enter: Callable, tmp_path: Path
) -> None:
    name, delivery = demo.python(DELIVERED).split()
    try:
        page = enter("operator", size, at="/provisioning/stages").page
        row = page.get_by_test_id("batch").filter(has_text="PO-7731")
        expect(row).to_contain_text("Northern Systems")
        expect(row).to_contain_text("none yet")
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            picture(page, tmp_path / f"deliveries-{scheme}.png", full_page=True)
        row.get_by_role("link").click()
        expect(page).to_have_url(f"{demo.url}/provisioning/stages?delivery={delivery}")
        expect(page.get_by_test_id("stage-machine")).to_have_count(1)
        expect(page.get_by_test_id("stage-machine")).to_contain_text(name)
        expect(row).to_have_attribute("aria-current", "true")
    finally:
        demo.python(f"from provisioning.models import Delivery\nDelivery.objects.filter(pk={delivery}).delete()")


@pytest.mark.slow
@needs_axe
@walked
def test_axe_finds_nothing_and_the_board_does_not_scroll_sideways(
    size: dict[str, int], demo: Demo, enter: Callable
) -> None:
    assert not (found := walk(enter("operator", size).page, demo.url, PAGES)), found
