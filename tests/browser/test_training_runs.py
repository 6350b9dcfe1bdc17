"""Training runs from real processes that report over HTTP to the page that says why one stopped."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import DESK, Demo, available, desk_and_phone, wait_for, write
from tests.browser.pictures import picture

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
IMAGE = "registry.example/team/llm:7"
CONTRIB = Path(__file__).parents[2] / "contrib"
RANK = """
import sys, time
sys.path.insert(0, sys.argv[1])
from rackside_run import Run
rank, fails = int(sys.argv[2]), int(sys.argv[3])
run = Run(send_every_s=0.5)
for step in range(90):
    time.sleep(0.02)
    run.step(step, loss=2.5 - step / 100, tokens=4096, compute=0.015, wait=0.005)
if rank == fails:
    raise KeyError("input_ids")
if fails >= 0:
    time.sleep(0.5)
    raise RuntimeError("[../gloo/transport/tcp/pair.cc:598] Connection closed by peer [127.0.0.1]:41234")
run.end()
"""


def train(demo: Demo, token: str, job: str, machine: str, *, fails: int = -1) -> None:
    """Four ranks of one machine, each a process of its own, as a launcher starts them."""
    ranks = []
    for rank in range(4):
        told = {
            "PATH": os.environ["PATH"], "RACKSIDE_URL": demo.url, "RACKSIDE_TOKEN": token, "RANK": str(rank),
            "LOCAL_RANK": str(rank), "WORLD_SIZE": "4", "SLURM_JOB_ID": job, "SLURM_JOB_NAME": f"kestrel-{job}",
            "SLURM_JOB_USER": "mk", "SLURMD_NODENAME": machine, "RACKSIDE_RUN_IMAGE": IMAGE,
        }  # fmt: skip
        words = [sys.executable, "-c", RANK, str(CONTRIB), str(rank), str(fails)]
        ranks.append(subprocess.Popen(words, env=told, stderr=subprocess.DEVNULL))
    assert [rank.wait(60) for rank in ranks] == [0 if fails < 0 else 1] * 4


@pytest.fixture(scope="module")
def runs(demo: Demo) -> dict[str, Any]:
    """One that failed and one that completed, by job."""
    site = demo.api("/api/sites/")["results"][0]["id"]
    made = write(demo, "POST", "/api/health/report-sources/", {"site": site, "name": "trainer"}, user="admin")
    machine = available(demo)[0]["name"]  # others have faults that would explain the end of a run
    train(demo, made["token"], "88213", machine, fails=2)
    train(demo, made["token"], "88214", machine)

    def done() -> dict[str, Any] | None:
        listed = demo.api("/api/runs/")["results"]  # other tests leave runs of theirs
        found = {run["job"]: run for run in listed if run["name"].startswith("kestrel-8821")}
        ended = {job: run["state"] for job, run in found.items()} == {"88213": "failed", "88214": "completed"}
        return found if ended else None

    wait_for(done, 60, "both runs to end")
    return (done() or {}) | {"machine": machine}


@desk_and_phone
def test_a_failed_run_names_the_rank_and_the_way_to_it(
    size: dict[str, int], demo: Demo, enter: Callable, runs: dict[str, Any], tmp_path: Path
) -> None:
    page = enter("viewer", size, at="/training").page
    row = page.get_by_test_id("training-run").filter(has_text="kestrel-88213")
    expect(row).to_have_attribute("data-state", "failed")
    expect(row).to_contain_text("Rank 2")
    picture(page, tmp_path / "training.png", full_page=True)
    row.click()

    verdict = page.get_by_test_id("training-verdict")
    expect(verdict).to_contain_text("KeyError: 'input_ids'")
    expect(verdict).to_contain_text("User's code")
    chain = page.get_by_test_id("rank-chain")
    expect(chain).to_contain_text("rank 2")
    expect(chain.get_by_role("link", name=runs["machine"])).to_be_visible()
    expect(chain).to_contain_text("GPU 2")
    expect(chain).to_contain_text("leaf")
    cells = page.get_by_test_id("rank-grid").get_by_role("button")
    expect(cells).to_have_count(4)
    expect(cells.first).to_have_attribute("data-mark", "cause")
    expect(page.get_by_test_id("chart").first).to_be_visible()
    picture(page, tmp_path / "run.png", full_page=True)

    cells.first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(chain).not_to_contain_text("rank 2")
    page.go_back()
    expect(page).to_have_url(f"{demo.url}/training")


@pytest.mark.slow
def test_a_list_is_narrowed_by_state_and_by_words(demo: Demo, enter: Callable, runs: dict[str, Any]) -> None:
    page = enter("viewer", DESK, at="/training").page
    rows = page.get_by_test_id("training-run").filter(has_text="kestrel-8821")
    expect(rows).to_have_count(2)
    page.get_by_role("button", name="Completed").click()
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("kestrel-88214")
    page.get_by_role("button", name="Completed").click()
    page.get_by_test_id("training-search").fill("88213")
    page.get_by_test_id("training-search").press("Enter")
    expect(rows).to_have_count(1)
    page.get_by_test_id("training-search").fill("nothing")
    page.get_by_test_id("training-search").press("Enter")
    expect(page.get_by_text("No run like this")).to_be_visible()


@pytest.mark.slow
@desk_and_phone
def test_the_image_of_a_run_is_placed_on_the_machines_of_that_run(
    size: dict[str, int], demo: Demo, enter: Callable, runs: dict[str, Any]
) -> None:
    page = enter("operator", size, at=f"/training/{runs['88214']['id']}").page
    page.get_by_test_id("place-image-of-run").click()
    expect(page.get_by_test_id("placement-image")).to_have_value(IMAGE)
    expect(page.locator("li").get_by_label(runs["machine"])).to_be_checked()
    expect(page.get_by_test_id("placement-dry-run")).to_be_checked()
    page.get_by_test_id("placement-digest").fill(f"sha256:{'7' * 64}")
    page.get_by_test_id("placement-start").click()
    expect(page.get_by_test_id("placement")).to_contain_text(IMAGE.rsplit("/", 1)[-1])
    expect(page.get_by_test_id("placed")).to_have_count(1)
    expect(page.get_by_test_id("placed")).to_contain_text(runs["machine"])
