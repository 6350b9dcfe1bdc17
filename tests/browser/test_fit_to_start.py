"""Fit to start in the browser: a set is named, a machine is left out and replaced, the launch check is run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import DESK, Demo, available, desk_and_phone, wait_for, write
from tests.browser.pictures import picture

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
IDLE = """
from django.utils import timezone
from health.machines.models.machines import MachineHealth, Pool
Pool.objects.update(no_scheduler=True, no_scheduler_by="ada", no_scheduler_at=timezone.now())
MachineHealth.objects.filter(state="ready").update(allocation="idle")
"""
"""The demo has no scheduler that would say so."""


@pytest.fixture(scope="module")
def rows(demo: Demo) -> Iterator[list[dict[str, Any]]]:
    """Machines in service and idle, all of them taken into the golden set by a person; the second is then held."""
    found = sorted(available(demo, 10), key=lambda row: row["name"])
    for row in found:
        write(demo, "POST", f"/api/health/golden/{row['id']}/promote/", {"reason": "clean since it was built"})
    demo.python(IDLE)
    hold(demo, found[1])
    yield found
    for row in found:
        for held in demo.api(f"/api/machines/{row['id']}/")["health"]["holds"]:
            write(demo, "DELETE", f"/api/machines/{row['id']}/holds/{quote(held['owner'])}/", {})
        if demo.api(f"/api/machines/{row['id']}/")["health"]["state"] == "drained":
            write(demo, "POST", f"/api/machines/{row['id']}/return/", {"reason": "Tests are over"})


def hold(demo: Demo, row: dict[str, Any]) -> None:
    write(demo, "POST", f"/api/machines/{row['id']}/holds/", {"reason": "Fan is loud"})

    def drained() -> bool:
        return bool(demo.api(f"/api/machines/{row['id']}/")["health"]["state"] == "drained")

    wait_for(drained, 60, "the machine to be drained")


@pytest.mark.slow
@desk_and_phone
def test_a_machine_is_left_out_and_the_host_list_is_ready_to_copy(
    size: dict[str, int], demo: Demo, enter: Callable, rows: list[dict[str, Any]], tmp_path: Path
) -> None:
    names = [row["name"] for row in rows[:4]]
    visitor = enter("viewer", size, at=f"/training/fit?hosts={quote(','.join(names))}")
    page = visitor.page
    verdict = page.get_by_test_id("fit-verdict")
    expect(verdict).to_have_attribute("data-verdict", "not_fit")
    expect(verdict).to_contain_text(f"1 of 4 machines must stay out. {names[1]}: it is drained")
    out = page.get_by_test_id("fit-out")
    expect(out).to_have_count(1)
    expect(out).to_contain_text(rows[4]["name"])
    expect(out).to_contain_text("Same leaf")
    good = page.locator("[data-testid=fit-criterion][data-state=ok]")
    expect(good.filter(has_text="Links clean and at rate")).to_be_visible()
    expect(page.get_by_test_id("fit-launch-ask")).to_have_count(0)  # a viewer starts nothing

    hosts = page.get_by_test_id("fit-hosts")
    expect(hosts.get_by_role("button", name="Copy 4 machines")).to_be_visible()
    hosts.get_by_role("button", name="MPI").click()
    expect(hosts.locator("pre")).to_have_text(
        "".join(f"{name} slots=8\n" for name in (names[0], rows[4]["name"], *names[2:]))
    )
    page.get_by_test_id("fit-choice-reduced").click()
    expect(page).to_have_url(f"{demo.url}/training/fit?hosts={quote(','.join(names), safe='')}&form=mpi&start=reduced")
    visitor.context.grant_permissions(["clipboard-read", "clipboard-write"])
    hosts.get_by_role("button", name="Copy 3 machines").click()
    expect(hosts.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == "".join(f"{names[at]} slots=8\n" for at in (0, 2, 3))
    page.wait_for_timeout(1_600)
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        picture(page, tmp_path / f"fit-{theme}.png", full_page=True)
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0, "nothing is pushed out of the screen"


@pytest.mark.slow
def test_a_set_is_named_by_the_keyboard_and_kept_in_the_address(
    demo: Demo, enter: Callable, rows: list[dict[str, Any]]
) -> None:
    page = enter("viewer", DESK, at="/training").page
    page.get_by_role("link", name="Fit to start").click()
    expect(page.get_by_text("Which machines shall train?")).to_be_visible()
    page.get_by_test_id("fit-value").focus()
    page.keyboard.type(f"{rows[2]['name']} {rows[3]['name']}")
    page.keyboard.press("Enter")
    verdict = page.get_by_test_id("fit-verdict")
    expect(verdict).to_have_attribute("data-verdict", "fit")
    expect(verdict).to_contain_text("All 2 machines are fit to start.")
    page.get_by_test_id("fit-image").fill("kestrel:2026-11-06")
    page.keyboard.press("Enter")
    expect(verdict).to_have_attribute("data-verdict", "not_fit")
    expect(verdict).to_contain_text("the image is not there")
    page.get_by_test_id("fit-image").fill("registry.example#team/pytorch:25.01")
    page.keyboard.press("Enter")
    expect(verdict).to_have_attribute("data-verdict", "fit")
    page.reload()
    expect(page.locator("[data-testid=fit-criterion][data-id=image]")).to_have_attribute("data-state", "ok")
    page.get_by_test_id("fit-value").fill("hgx-[")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("This is no list of machines")
    page.go_back()
    expect(verdict).to_have_attribute("data-verdict", "fit")


@pytest.mark.slow
def test_a_pool_is_chosen_and_the_set_with_its_replacements_is_checked(
    demo: Demo, enter: Callable, rows: list[dict[str, Any]]
) -> None:
    page = enter("viewer", DESK, at="/training/fit").page
    page.get_by_test_id("fit-by").select_option("pool")
    page.get_by_test_id("fit-value").select_option(index=1)
    page.get_by_test_id("fit-check").click()
    expect(page.get_by_test_id("fit-verdict")).to_contain_text("Pool ")
    page.goto(f"{demo.url}/training/fit?hosts={rows[0]['name']},{rows[1]['name']}")
    page.get_by_test_id("fit-replace").click()
    expect(page.get_by_test_id("fit-verdict")).to_have_attribute("data-verdict", "fit")


@pytest.mark.slow
def test_the_launch_check_is_started_on_the_set_and_its_result_is_shown(
    demo: Demo, enter: Callable, rows: list[dict[str, Any]], tmp_path: Path
) -> None:
    chosen = rows[-3:]
    for row in chosen:
        hold(demo, row)  # nothing runs there for sure
    site = demo.api("/api/sites/")["results"][0]["id"]
    for position, (name, way) in enumerate((("mpirun", "ssh"), ("Slurm job", "srun"))):
        made = {"site": site, "name": name, "way": way, "position": position}
        write(demo, "POST", "/api/health/launch-ways/", made, "admin")
    page = enter("operator", DESK, at=f"/training/fit?hosts={quote(','.join(row['name'] for row in chosen))}").page
    launch = page.get_by_test_id("fit-launch")
    expect(launch).to_contain_text("No all-reduce was run on exactly this set.")
    launch.get_by_test_id("fit-launch-ask").click()
    plan = page.get_by_test_id("fit-launch-plan")
    expect(plan).to_contain_text("halved until the bad machine or switch is named")
    picture(page, tmp_path / "plan.png")
    plan.get_by_test_id("fit-launch-way").select_option("Slurm job")
    expect(plan).to_contain_text("Slurm starts no job there: return it to service, or launch over SSH")
    expect(plan.get_by_test_id("fit-launch-start")).to_be_disabled()
    plan.get_by_test_id("fit-launch-way").select_option("mpirun")
    expect(plan.get_by_test_id("fit-launch-start")).to_be_enabled()
    plan.get_by_test_id("fit-launch-start").click()
    expect(page.get_by_test_id("fit-launch-state")).to_be_visible(timeout=20_000)
    run = demo.api("/api/health/active-runs/?kind=groups")["results"][0]
    assert run["machines"] == 3 and run["reason"] == "launch check"
    expect(page.get_by_test_id("fit-launch-state")).to_have_text("OK", timeout=180_000)
    expect(launch).to_contain_text("GB/s bus bandwidth over 3 machines, 350 is asked")
    measured = launch.get_by_test_id("fit-measured")
    expect(measured.first).to_have_attribute("data-state", "ok")
    expect(measured.last).to_contain_text("us for small messages over 3 machines")
    expect(launch).to_contain_text("mpirun")
    for each in demo.api("/api/health/launch-ways/")["results"]:
        write(demo, "DELETE", f"/api/health/launch-ways/{each['id']}/", {}, "admin")
    picture(page, tmp_path / "launch.png", full_page=True)
