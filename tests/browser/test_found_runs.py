"""A training run that nobody reports: processes in the hall, a sweep, and the page with its ranks and their places."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import DESK, Demo, available, desk_and_phone, wait_for
from tests.browser.pictures import picture

# In every change the same is read over the API: runs/tests/test_found_runs.py. Here two sweeps are waited for.
pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(600)]
JOB = "90417"


@pytest.fixture(scope="module")
def found(demo: Demo) -> Iterator[dict[str, Any]]:
    """Sixteen ranks of a job of twenty on two machines, one of them there twice, found by the sweep alone."""
    one, two = (machine["name"] for machine in available(demo, 2)[:2])
    big = {"job": JOB, "world": 20, "master": one}
    for name, first in ((one, 0), (two, 7)):
        params = {"runs": [{**big, "first_rank": first}]}
        demo.hall.call("POST", f"/machines/{name}/faults", {"fault": "training", "params": params})

    def run() -> dict[str, Any] | None:
        rows = [run for run in demo.api(f"/api/runs/?job={JOB}")["results"] if run["ranks"] == 15]
        return rows[0] if rows else None

    wait_for(run, 240, "the run to be found")
    yield (run() or {}) | {"names": [one, two]}
    for name in (one, two):  # nothing can be tested where processes hold the GPUs
        demo.hall.call("DELETE", f"/machines/{name}/faults/training")


@desk_and_phone
def test_a_run_without_a_report_says_how_it_was_found_and_which_ranks_are_missing(
    size: dict[str, int], demo: Demo, enter: Callable, found: dict[str, Any], tmp_path: Path
) -> None:
    page = enter("operator", size, at="/training").page
    row = page.get_by_test_id("training-run").filter(has_text=JOB)
    expect(row).to_have_attribute("data-state", "running")
    expect(row).to_contain_text("mk")
    picture(page, tmp_path / "training.png", full_page=True)
    row.click()
    roll = page.get_by_test_id("roll-call")
    expect(page.get_by_test_id("found-by")).to_have_text("Found by processes")
    expect(roll).to_contain_text("15 of 20 ranks seen")
    expect(roll).to_contain_text("Ranks 15 to 19 are missing")
    expect(roll).to_contain_text("Rank 7 is there 2 times: ")
    for name, gpu in zip(found["names"], (7, 0), strict=True):
        expect(roll).to_contain_text(f"{name} GPU {gpu}")
    cells = page.get_by_test_id("rank-grid").get_by_role("button")
    expect(cells).to_have_count(15)
    page.goto(f"{demo.url}/training/{found['id']}?rank=3")
    chain = page.get_by_test_id("rank-chain")
    expect(chain).to_contain_text("GPU 3")
    expect(chain).to_contain_text("leaf")
    expect(chain.get_by_role("link", name=found["names"][0])).to_be_visible()
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        picture(page, tmp_path / f"run-{scheme}.png", full_page=True)


def test_a_viewer_is_not_shown_whose_run_it_is(demo: Demo, enter: Callable, found: dict[str, Any]) -> None:
    page = enter("viewer", DESK, at="/training").page
    row = page.get_by_test_id("training-run").filter(has_text=JOB)
    expect(row).to_be_visible()
    expect(row).not_to_contain_text("mk")
