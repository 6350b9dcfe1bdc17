"""A run that nobody reports: its steps come from a real Prometheus, set up and tried in the browser."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from drivers.tests.ports import free_ports
from drivers.tests.prometheus import PrivatePrometheus
from tests.browser.conftest import DESK, PHONE, Demo, available, wait_for, write
from tests.browser.pictures import picture

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
JOB, GRID, SPAN_S = "93001", 15, 1800
SLOW_GPU = 5


@pytest.fixture(scope="module")
def told(demo: Demo) -> Iterator[dict[str, Any]]:
    """Eight ranks seen on one machine; their counter goes on in Prometheus, and one GPU's clock is low."""
    (machine, *_) = available(demo, 1)
    name, now = machine["name"], int(time.time()) // GRID * GRID
    at = range(now - SPAN_S, now + 1200, GRID)
    samples = [("training_step", {"job_id": JOB}, [(each, float((each - at[0]) // 2)) for each in at])]
    samples += [
        ("DCGM_FI_DEV_SM_CLOCK", {"Hostname": name, "gpu": str(gpu)},
         [(each, 1140.0 if gpu == SLOW_GPU else 1980.0) for each in at])
        for gpu in range(8)
    ]  # fmt: skip
    with PrivatePrometheus(samples) as server:
        params = {"runs": [{"job": JOB, "world": 8, "master": name, "first_rank": 0}]}
        demo.hall.call("POST", f"/machines/{name}/faults", {"fault": "training", "params": params})

        def found() -> Any:
            return next(iter(demo.api(f"/api/runs/?job={JOB}")["results"]), None)

        wait_for(found, 240, "the run to be found")
        yield found() | {"url": server.url, "machine": name}
        write(demo, "PATCH", f"/api/run-metrics-settings/{found()['site']}/", {"enabled": False}, user="admin")
        demo.hall.call("DELETE", f"/machines/{name}/faults/training")


@pytest.mark.slow
def test_an_administrator_tries_a_query_and_the_curve_begins(
    demo: Demo, enter: Callable, told: dict[str, Any], tmp_path: Path
) -> None:
    page = enter("admin", DESK, at=f"/training/{told['id']}").page
    expect(page.get_by_text("Its launcher does not report its steps.")).to_be_visible()
    page.get_by_test_id("metrics-settings").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_test_id("metrics-state")).to_have_attribute("data-state", "never")
    dialog.get_by_label("Address").fill(f"http://127.0.0.1:{free_ports(1)[0]}")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)

    page.get_by_test_id("metrics-settings").click()
    step = dialog.locator("[data-testid=metrics-query][data-kind=step]")
    step.get_by_role("button", name="Try").click()
    expect(step.get_by_test_id("tried")).to_contain_text("Cannot connect")
    dialog.get_by_label("Address").fill(told["url"])
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)

    page.get_by_test_id("metrics-settings").click()
    step.get_by_role("button", name="Try").click()
    expect(step.get_by_test_id("tried")).to_contain_text("1 series with")
    step.get_by_role("textbox").fill("max(training_step{job_id={job}})")
    dialog.get_by_role("button", name="Save").click()
    expect(step.locator(".wrong")).to_contain_text("within quotes")
    step.get_by_role("button", name="Back to the shipped one").click()
    clock = dialog.locator("[data-testid=metrics-query][data-kind=clock_mhz]")
    clock.get_by_role("button", name="Try").click()
    expect(clock.get_by_test_id("tried")).to_contain_text("8 GPUs")
    picture(page, tmp_path / "settings.png")
    page.emulate_media(color_scheme="dark")
    picture(page, tmp_path / "settings-dark.png")
    dialog.get_by_label("Read it").check()
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)
    wait_for(lambda: demo.api(f"/api/runs/{told['id']}/")["steps"] or None, 90, "its steps to be read")
    wait_for(lambda: demo.api(f"/api/runs/{told['id']}/pace/")["outliers"] or None, 90, "its GPUs to be read")
    page.reload()
    expect(page.get_by_test_id("metrics-note")).to_contain_text("Steps are read from Prometheus")
    expect(page.get_by_test_id("pace-outliers")).to_contain_text(f"rank {SLOW_GPU}")
    picture(page, tmp_path / "run.png", full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.slow
def test_on_a_phone_the_settings_fit_and_an_operator_has_none(
    demo: Demo, enter: Callable, told: dict[str, Any], tmp_path: Path
) -> None:
    settings = f"/api/run-metrics-settings/{told['site']}/"
    write(demo, "PATCH", settings, {"url": told["url"], "enabled": True}, user="admin")
    wait_for(lambda: demo.api(f"/api/runs/{told['id']}/")["steps"] or None, 90, "its steps to be read")
    page = enter("admin", PHONE, at=f"/training/{told['id']}").page
    expect(page.get_by_test_id("metrics-note")).to_be_visible()
    picture(page, tmp_path / "run-phone.png", full_page=True)
    page.emulate_media(color_scheme="dark")
    page.get_by_test_id("metrics-settings").click()
    expect(page.get_by_role("dialog").get_by_label("Address")).to_have_value(told["url"])
    picture(page, tmp_path / "phone.png")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    other = enter("operator", DESK, at=f"/training/{told['id']}").page
    expect(other.get_by_test_id("run-evidence")).to_be_visible()
    expect(other.get_by_test_id("metrics-settings")).to_have_count(0)
