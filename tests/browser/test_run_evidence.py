"""A run that hangs: its evidence is fetched from the hall's machines by itself, and the page names the rank."""

from __future__ import annotations

import json
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import DESK, PHONE, Demo, available, wait_for, write
from tests.browser.pictures import picture

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
STACK = """Process {pid}: python3 train.py
Python v3.11.2 (/usr/bin/python3.11)

Thread {pid} (active): "MainThread"
{frames}    train (train.py:88)
    <module> (train.py:120)
"""
WAITS = (
    "    all_reduce (torch/distributed/distributed_c10d.py:2501)\n    finish_grad_sync (param_and_grad_buffer.py:189)\n"
)
SAVES = "    save (checkpoint.py:41)\n"
LOG = """[2026-11-12 03:10:00] iteration 100/ 500 | elapsed time per iteration (ms): 900.0 | lm loss: 2.1
[rank{rank}]:[E1112 03:12:46.000000000 ProcessGroupNCCL.cpp:616] [Rank {rank}] \
Watchdog caught collective operation timeout: WorkNCCL(SeqNum=77, \
OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600021 milliseconds before timing out.
"""
JOB = "90210"


def report(demo: Demo, token: str, body: dict[str, Any]) -> None:
    request = urllib.request.Request(
        f"{demo.url}/api/runs/reports/", json.dumps(body).encode(),
        {"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
    )  # fmt: skip
    with urllib.request.urlopen(request, timeout=20) as answer:
        assert answer.status == 200


@pytest.fixture(scope="module")
def hung(demo: Demo) -> Iterator[dict[str, Any]]:
    """Sixteen ranks on two machines; the steps stopped minutes ago, and rank 11 stands in a checkpoint."""
    site = demo.api("/api/sites/")["results"][0]["id"]
    write(demo, "PATCH", f"/api/run-evidence-settings/{site}/", {"logs": "/logs/{job}/rank_{rank}.log"}, user="admin")
    token = write(demo, "POST", "/api/health/report-sources/", {"site": site, "name": "evidence"}, user="admin")[
        "token"
    ]
    # Not the first: others break those, and this run is said to have begun minutes ago.
    names = [machine["name"] for machine in available(demo, 2)[-2:]]
    now = time.time()
    for at, name in enumerate(names):
        ranks = list(range(at * 8, at * 8 + 8))
        demo.hall.call("POST", f"/machines/{name}/training", {
            "ranks": ranks,
            "variables": {"SLURM_JOB_ID": JOB},
            "stacks": {
                rank: STACK.format(pid=4242 + rank, frames=SAVES if rank == 11 else WAITS) for rank in ranks
            },
            "files": {f"/logs/{JOB}/rank_{rank}.log": LOG.format(rank=rank) for rank in ranks if rank != 11},
        })  # fmt: skip
        report(demo, token, {
            "run": {"id": JOB, "job": JOB, "name": "kestrel-hangs", "user": "mk", "world_size": 16},
            "machine": name,
            "ranks": [{"rank": rank, "local_rank": rank % 8, "gpu": str(rank % 8)} for rank in ranks],
            "steps": [{
                "rank": rank, "step": list(range(90)), "at": [now - 300 - 90 + step for step in range(90)],
                "seconds": [1.0] * 90,
            } for rank in ranks],
        })  # fmt: skip

    def judged() -> Any:
        run = next(each for each in demo.api("/api/runs/")["results"] if each["job"] == JOB)
        return run if run["state"] == "hung" and run["verdict"] else None

    wait_for(judged, 90, "the hang to be explained")
    yield judged() | {"machines_of": names, "token": token}
    for name in names:  # nothing can be tested where processes hold the GPUs
        demo.hall.call("POST", f"/machines/{name}/training", {"ranks": []})


@pytest.mark.parametrize(
    ("scheme", "size"),
    [
        pytest.param("light", DESK, id="light-desk"),
        pytest.param("dark", PHONE, id="dark-phone", marks=pytest.mark.slow),
        pytest.param("dark", DESK, id="dark-desk", marks=pytest.mark.slow),
        pytest.param("light", PHONE, id="light-phone", marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_a_hang_is_explained_by_the_stack_that_differs(
    scheme: str, size: dict[str, int], demo: Demo, enter: Callable, hung: dict[str, Any], tmp_path: Path
) -> None:
    page = enter("operator", size, at=f"/training/{hung['id']}").page
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    verdict = page.get_by_test_id("training-verdict")
    expect(verdict).to_contain_text("Rank 11 stands in save (checkpoint.py:41)")
    expect(verdict).to_contain_text("Deadlock")
    expect(page.get_by_test_id("rank-chain").get_by_role("link", name=hung["machines_of"][1])).to_be_visible()
    evidence = page.get_by_test_id("run-evidence")
    expect(evidence).to_have_attribute("data-state", "done")
    groups = evidence.get_by_test_id("stack-group")
    expect(groups).to_have_count(2)
    expect(groups.first).to_contain_text("save (checkpoint.py:41)")
    expect(groups.first).to_contain_text("Odd")
    expect(groups.first).to_contain_text(f"rank 11 on {hung['machines_of'][1]}")
    expect(groups.nth(1)).to_contain_text("ranks 0–10, 12–15")
    cause = evidence.get_by_test_id("log-cause").first
    expect(cause).to_contain_text("15 lines")
    picture(page, tmp_path / "evidence.png", full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.slow
def test_an_operator_collects_again_and_sees_each_machine(demo: Demo, enter: Callable, hung: dict[str, Any]) -> None:
    page = enter("operator", DESK, at=f"/training/{hung['id']}").page
    evidence = page.get_by_test_id("run-evidence")
    before = demo.api(f"/api/run-collections/?run={hung['id']}")["results"][0]["id"]
    evidence.get_by_role("button", name="Collect again").click()
    expect(evidence).not_to_have_attribute("data-collection", str(before))
    expect(evidence).to_have_attribute("data-state", "done", timeout=30_000)
    evidence.get_by_text("Machines", exact=True).click()
    rows = evidence.get_by_test_id("collected-machines").get_by_role("listitem")
    expect(rows).to_have_count(2)
    with page.expect_download() as download:
        rows.first.get_by_role("link", name="Download").click()
    assert download.value.suggested_filename.endswith(".tar")


@pytest.mark.slow
def test_an_administrator_tells_where_logs_lie_and_a_wrong_pattern_is_kept_with_its_reason(
    demo: Demo, enter: Callable, hung: dict[str, Any]
) -> None:
    page = enter("admin", DESK, at=f"/training/{hung['id']}").page
    page.get_by_test_id("evidence-settings").click()
    dialog = page.get_by_role("dialog")
    logs = dialog.get_by_label("Logs, one pattern a line")
    expect(logs).to_have_value("/logs/{job}/rank_{rank}.log")
    logs.fill("/logs/{job}/rank_{rank}.log\n/scratch/{colour}.log")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("alert")).to_contain_text("{colour} is not known")
    expect(logs).to_have_value("/logs/{job}/rank_{rank}.log\n/scratch/{colour}.log")
    logs.fill("/logs/{job}/rank_{rank}.log\n/scratch/{user}/{job}.log")
    dialog.get_by_label("Lines of logs are shown to").select_option("technician")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)
    path = f"/api/run-evidence-settings/{hung['site']}/"
    kept = demo.api(path)
    assert (kept["logs"].splitlines()[1], kept["log_role"]) == ("/scratch/{user}/{job}.log", "technician")
    before = {"logs": "/logs/{job}/rank_{rank}.log", "log_role": "operator"}
    write(demo, "PATCH", path, before, user="admin")


@pytest.mark.slow
def test_a_viewer_sees_what_was_found_and_no_lines_of_logs(demo: Demo, enter: Callable, hung: dict[str, Any]) -> None:
    evidence = enter("viewer", DESK, at=f"/training/{hung['id']}").page.get_by_test_id("run-evidence")
    expect(evidence.get_by_test_id("stack-group")).to_have_count(2)
    expect(evidence.get_by_test_id("log-causes")).to_contain_text("Lines of logs are for other roles")
    expect(evidence.get_by_role("button", name="Collect again")).to_have_count(0)
    expect(evidence.get_by_test_id("log-cause").first).not_to_contain_text("Watchdog caught")


@pytest.mark.slow
def test_what_the_job_pushes_stands_beside_what_was_collected(
    demo: Demo, enter: Callable, hung: dict[str, Any], tmp_path: Path
) -> None:
    log = tmp_path / "rank_11.log"
    log.write_text(LOG.format(rank=11) + "OSError: [Errno 28] No space left on device\n")
    words = ["-F", f"run={JOB}", "-F", f"machine={hung['machines_of'][1]}", "-F", f"file=@{log}"]
    command = ["curl", "-sS", "--fail-with-body", "-H", f"Authorization: Bearer {hung['token']}", *words]
    page = enter("operator", DESK, at=f"/training/{hung['id']}").page
    evidence = page.get_by_test_id("run-evidence")
    which = evidence.get_by_role("group", name="Which evidence")
    subprocess.run([*command, f"{demo.url}/api/runs/logs/"], check=True, capture_output=True)
    expect(which.get_by_role("button", name="Pushed")).to_have_attribute("aria-pressed", "true", timeout=30_000)
    expect(evidence).to_have_attribute("data-state", "done", timeout=30_000)
    expect(evidence).to_contain_text("pushed by 1 machine")
    expect(evidence.get_by_test_id("log-causes")).to_contain_text("No space left on device")
    picture(evidence, tmp_path / "pushed.png")
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size(PHONE)
    picture(evidence, tmp_path / "pushed-phone.png")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    which.get_by_role("button", name="Collected").or_(which.get_by_role("button", name="At the hang")).first.click()
    expect(evidence.get_by_test_id("stack-group")).to_have_count(2)
