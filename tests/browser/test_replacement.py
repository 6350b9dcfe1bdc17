"""From a real failed run to its ticket, its replacement, the host list, and what the failure cost."""

from __future__ import annotations

import csv
import io
import os
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from tests.browser.axe import faults_of
from tests.browser.conftest import DESK, Demo, available, desk_and_phone, wait_for, write
from tests.browser.pictures import picture

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
CONTRIB = Path(__file__).parents[2] / "contrib"
RANK = """
import sys, time
sys.path.insert(0, sys.argv[1])
from rackside_run import Run
run = Run(send_every_s=0.5)
for step in range(30):
    time.sleep(0.02)
    run.step(step, loss=2.5)
if sys.argv[2] == "0":
    run.checkpoint(29)
time.sleep(2.0)
if sys.argv[2] == "2":
    raise RuntimeError("CUDA error: uncorrectable ECC error encountered")
time.sleep(0.5)
raise RuntimeError("[../gloo/transport/tcp/pair.cc:598] Connection closed by peer [127.0.0.1]:41234")
"""


@pytest.fixture(scope="module")
def run(demo: Demo) -> dict[str, Any]:
    """Rank 2, on the second machine, had an ECC error; the others lost their peer."""
    site = demo.api("/api/sites/")["results"][0]["id"]
    made = write(demo, "POST", "/api/health/report-sources/", {"site": site, "name": "replacement"}, user="admin")
    first, second = available(demo, 4)[:2]
    ranks = []
    for rank in range(4):
        machine = (first if rank < 2 else second)["name"]
        told = {
            "PATH": os.environ["PATH"], "RACKSIDE_URL": demo.url, "RACKSIDE_TOKEN": made["token"], "RANK": str(rank),
            "LOCAL_RANK": str(rank % 2), "WORLD_SIZE": "4", "SLURM_JOB_ID": "9900", "SLURM_JOB_NAME": "condor",
            "SLURMD_NODENAME": machine,
        }  # fmt: skip
        words = [sys.executable, "-c", RANK, str(CONTRIB), str(rank)]
        ranks.append(subprocess.Popen(words, env=told, stderr=subprocess.DEVNULL))
    assert [rank.wait(60) for rank in ranks] == [1] * 4

    def judged() -> dict[str, Any] | None:
        found = demo.api("/api/runs/?job=9900")["results"]
        return found[0] if found and found[0]["verdict"] else None

    wait_for(judged, 60, "the run to be judged")
    wait_for(lambda: _asked(demo, judged())["fault"]["ticket"], 60, "the ticket of its fault")
    # What tests before took out comes back after its verification.
    wait_for(
        lambda: _asked(demo, judged())["machine"]["taking_out"]["allowed"], 60, "the disruption budget to allow it"
    )
    return (judged() or {}) | {"first": first["name"], "second": second["name"]}


def _asked(demo: Demo, run: dict[str, Any] | None) -> dict[str, Any]:
    assert run is not None
    return dict(demo.api(f"/api/runs/{run['id']}/replacement/"))


@pytest.mark.slow
@desk_and_phone
def test_viewers_see_the_ticket_and_the_replacement_and_may_not_order_it(
    size: dict[str, int], demo: Demo, enter: Callable, run: dict[str, Any], tmp_path: Path
) -> None:
    page = enter("viewer", size, at=f"/training/{run['id']}").page
    card = page.get_by_test_id("replace")
    expect(card).to_contain_text(f"Take out {run['second']}")
    expect(card.get_by_test_id("spare")).to_be_visible()
    expect(card.get_by_test_id("take-out")).to_have_count(0)
    picture(page, tmp_path / "run.png", full_page=True)
    card.get_by_test_id("run-ticket").click()
    expect(page.get_by_text("Training run condor").first).to_be_visible()
    page.get_by_test_id("stopped-runs").get_by_role("link", name="condor").click()
    expect(page).to_have_url(f"{demo.url}/training/{run['id']}")


@pytest.mark.slow
def test_a_refusal_of_a_guard_is_shown_with_its_reason(demo: Demo, enter: Callable, run: dict[str, Any]) -> None:
    """The first machine of the run is in service; its pool may lose none now."""
    page = enter("operator", DESK).page

    def refused(route: Route) -> None:
        answer = {"error": {"code": "refused", "message": "Not taken out: 3 of 3 are out.", "details": None}}
        route.fulfill(status=409, json=answer)

    page.route("**/api/runs/*/hand-overs/", refused)
    page.goto(f"{demo.url}/training/{run['id']}")
    page.get_by_test_id("take-out").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Reason").fill("ECC")
    dialog.get_by_role("button", name="replace", exact=False).last.click()
    expect(dialog).to_contain_text("Not taken out: 3 of 3 are out.")


@pytest.mark.slow
def test_an_operator_replaces_the_machine_and_goes_on_with_a_new_host_list(
    demo: Demo, enter: Callable, run: dict[str, Any], tmp_path: Path
) -> None:
    page = enter("operator", DESK, at=f"/training/{run['id']}").page
    card = page.get_by_test_id("replace")
    spare = _asked(demo, run)["spares"][0]["name"]
    card.get_by_test_id("host-list").click()
    expect(page.get_by_test_id("hosts")).not_to_contain_text(spare)
    page.keyboard.press("Escape")

    card.get_by_test_id("take-out").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(f"Replace {run['second']} by {spare}")
    dialog.get_by_role("button", name="The verdict names its hardware").click()
    picture(page, tmp_path / "dialog.png")
    dialog.get_by_role("button", name="replace", exact=False).last.click()

    noted = page.get_by_test_id("hand-overs")
    expect(noted).to_contain_text(f"{spare} came for it")
    expect(noted).to_contain_text("operator")
    expect(card.get_by_test_id("take-out")).to_have_count(0)
    picture(page, tmp_path / "handed-over.png", full_page=True)
    card.get_by_test_id("host-list").click()
    page.get_by_role("button", name="MPI").click()
    expect(page.get_by_test_id("hosts")).to_have_text(f"{run['first']} slots=2\n{spare} slots=2\n")
    picture(page, tmp_path / "hosts.png")
    page.reload()
    expect(page.get_by_test_id("hand-overs")).to_contain_text(spare)


EARLIER = """
from datetime import timedelta
from django.utils import timezone
from runs.models import TrainingRun
now = timezone.now()
told = TrainingRun.objects.get(job="9900")
TrainingRun.objects.filter(pk=told.pk).update(
    started_at=now - timedelta(hours=9), checkpoint_at=now - timedelta(hours=7), last_step_at=now - timedelta(hours=6))
causes = [("gpu-lost", "hardware"), ("user-error", "user"), ("nccl-net-ib", "network"), (None, None),
          ("slurm-preempt", "scheduler"), ("ckpt-enospc", "storage")]
for number in range(1, 40):
    ended = now - timedelta(days=2 * number)
    cause, owner = causes[number * number % 6]
    TrainingRun.objects.create(
        site=told.site, key=f"earlier-{number}", name=f"condor-{number}", state="failed",
        world_size=128 * (1 + number % 5),
        started_at=ended - timedelta(hours=20), last_step_at=ended - timedelta(minutes=7 * (1 + number % 4)),
        checkpoint_at=ended - timedelta(minutes=60), ended_at=ended, last_report_at=ended,
        verdict=cause and {**told.verdict, "class": cause, "owner": owner})
"""


@desk_and_phone
def test_what_failures_cost_stands_by_week_and_cause_and_as_a_table(
    size: dict[str, int], demo: Demo, enter: Callable, run: dict[str, Any], tmp_path: Path
) -> None:
    if not demo.api("/api/runs/?key=earlier-1")["count"]:
        demo.python(EARLIER)
    page = enter("viewer", size, at="/training").page
    page.get_by_role("link", name="What failures cost").click()
    expect(page.get_by_test_id("losses-total")).not_to_have_text("0")
    row = page.get_by_test_id("loss-cause").filter(has_text="GPU memory error")
    expect(row).to_contain_text("Hardware")
    expect(page.get_by_test_id("loss-run").filter(has_text="condor")).to_have_count(10)
    bars = page.get_by_test_id("loss-bars")
    bars.get_by_role("img").focus()
    page.keyboard.press("ArrowLeft")
    expect(bars).to_contain_text("Week of")
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        picture(page, tmp_path / f"losses-{theme}.png", full_page=True)
    page.emulate_media(color_scheme="light")
    assert faults_of(page) == []
    link = page.get_by_test_id("losses-csv").get_attribute("href")
    request = urllib.request.Request(f"{demo.url}{link}", headers={"Authorization": f"Token {demo.token('viewer')}"})
    with urllib.request.urlopen(request, timeout=20) as answer:
        rows = list(csv.DictReader(io.StringIO(answer.read().decode())))
    assert "cuda-ecc" in {each["cause"] for each in rows}


@pytest.mark.slow
def test_where_nothing_was_lost_the_page_says_so(demo: Demo, enter: Callable) -> None:
    page = enter("viewer", DESK).page

    def without_rows(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, json=answer.json() | {"rows": [], "dearest": [], "gpu_hours": 0, "runs": 0})

    page.route("**/api/runs/losses/?*", without_rows)
    page.goto(f"{demo.url}/training/losses")
    expect(page.get_by_text("No GPU-hour was lost")).to_be_visible()
    page.unroute_all(behavior="ignoreErrors")
