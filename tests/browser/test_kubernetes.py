"""A cluster of Kubernetes behind the running service: its workers read a stand-in API server and cordon its nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from drivers.tests.kubernetes import StandIn
from drivers.tests.kubernetes_objects import end
from tests.browser.conftest import DESK, PHONE, Demo, available, machines, wait_for, write
from tests.browser.pictures import picture

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
TOKEN = """
from core.services import set_credential
set_credential("cluster", kind="password", username="rackside", secret={token!r}, purpose="kubernetes",
    hosts=["127.0.0.1"])
"""
OWNER = ("kubeflow.org/v1", "PyTorchJob", "llama-70b", "3f6c2d5e-0000-4000-8000-000000000001")


@pytest.fixture(scope="module")
def cluster(demo: Demo) -> Iterator[StandIn]:
    names = sorted(each["name"].partition(".")[0] for each in machines(demo))
    with StandIn(names) as running:
        demo.python(TOKEN.format(token=running.token))
        source = write(
            demo, "POST", "/api/health/schedulers/",
            {"site": demo.api("/api/sites/")["results"][0]["id"], "kind": "kubernetes", "url": running.url,
             "ca": running.ca, "credential": "cluster", "period_s": 5, "settle_s": 0},
            user="admin",
        )  # fmt: skip
        yield running
        write(demo, "DELETE", f"/api/health/schedulers/{source['id']}/", user="admin")


def pictured(page: Page, place: Path, name: str) -> None:
    """At desk and phone, in both themes."""
    for size, viewport in (("desk", DESK), ("phone", PHONE)):
        page.set_viewport_size(viewport)  # type: ignore[arg-type]
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            picture(page, place / f"{name}-{size}-{scheme}.png", full_page=True)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(DESK)  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_machine_that_leaves_service_is_cordoned_and_comes_back(
    demo: Demo, cluster: StandIn, enter: Callable, tmp_path: Path
) -> None:
    first, second = available(demo, 2)[:2]
    pods = [
        cluster.run(f"llama-70b-worker-{rank}", each["name"], owner=OWNER) for rank, each in enumerate((first, second))
    ]
    cluster.run("later-0", owner=("batch/v1", "Job", "later", "uid-later"))
    page = enter("operator", DESK, at="/scheduler").page
    expect(page.get_by_test_id("job")).to_contain_text("llama-70b", timeout=30_000)
    expect(page.get_by_test_id("job")).to_contain_text("16 GPUs")
    pictured(page, tmp_path, "jobs")
    page.goto(f"{demo.url}/scheduler/queue")
    expect(page.get_by_test_id("waiting-job")).to_contain_text("No machine has room for it")
    pictured(page, tmp_path, "queue")

    until = (datetime.now(UTC) + timedelta(hours=2)).isoformat()
    write(demo, "POST", f"/api/machines/{first['id']}/maintenance/", {"reason": "new riser", "until": until})
    wait_for(lambda: cluster.is_cordoned(first["name"]), 30, "the cordon")
    assert cluster.reason(first["name"]).startswith("rackside: ")
    page.goto(f"{demo.url}/scheduler/nodes?q={first['name']}")
    expect(page.get_by_test_id("node")).to_contain_text("Allocated, cordoned", timeout=30_000)
    assert "deletionTimestamp" not in pods[0]["metadata"]
    for each in pods:
        end(each)
    expect(page.get_by_test_id("node")).to_contain_text("Cordoned", timeout=30_000)
    expect(page.get_by_test_id("node")).to_contain_text("new riser")
    pictured(page, tmp_path, "nodes")
    page.goto(f"{demo.url}/automation/scheduler?q={first['name']}")
    expect(page.get_by_text("Kubernetes", exact=True)).to_be_visible()
    pictured(page, tmp_path, "scheduler")

    wait_for(lambda: machines(demo, state="maintenance"), 60, "the machine in maintenance")
    write(demo, "POST", f"/api/machines/{first['id']}/return/", {"reason": "done"})
    wait_for(lambda: not cluster.is_cordoned(first["name"]), 30, "the cordon to be lifted")
    assert cluster.reason(first["name"]) == ""
