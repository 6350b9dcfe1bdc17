"""The scheduler: jobs, queue, partitions, nodes and history, a job's page, the floor by job, who a drain hurts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import needs_axe, walk
from tests.browser.conftest import DESK, Demo, desk_and_phone, wait_for
from tests.browser.pictures import picture

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

JOBS = """
from datetime import timedelta
from django.utils import timezone
from core.models import Site
from health.models import (MachineHealth, SchedulerChange, SchedulerJob, SchedulerMachine, SchedulerPartition,
    SchedulerReservation, SchedulerSource, WaitingJob)
now = timezone.now()
SchedulerSource.objects.all().delete()
source = SchedulerSource.objects.create(
    site=Site.objects.first(), kind="slurm", local=True, period_s=3600, stale_after_s=86400, state="good",
    tried_at=now, last_read_at=now,
)
healths = list(MachineHealth.objects.exclude(state__in=["new", "retired"]).select_related("machine__device"))
ids = sorted(each.pk for each in healths)
for each in healths[:-1]:
    SchedulerMachine.objects.create(
        source=source, machine=each.machine, name=each.machine.device.name, state="allocated", words="ALLOCATED",
        closed=False, answers=True, jobs=1, gpus=8, since=now - timedelta(hours=3),
    )
half = len(ids) // 2
def job(number, name, user, account, machines, **more):
    fields = dict(label=str(number), name=name, user=user, account=account, partition="main", state="running",
        started_at=now - timedelta(hours=5), submitted_at=now - timedelta(hours=7), time_limit_s=8 * 3600,
        gpus=8 * len(machines), machine_count=len(machines), machine_ids=machines)
    return SchedulerJob.objects.create(source=source, job_id=str(number), **(fields | more))
began = now - timedelta(hours=5)
step = dict(started_at=began.isoformat(), ended_at=(began + timedelta(minutes=1)).isoformat(), exit_status=0,
    signal=None, machines=half, gpus=8 * half)
big = job(88213, "kestrel-7b", "mk", "nlp", ids[:half], steps=[
    dict(step, id="0", name="check-nodes", state="completed"),
    dict(step, id="1", name="train", state="running", ended_at=None, exit_status=None)])
job(88213, "kestrel-7b", "mk", "nlp", ids[:half], state="requeued", started_at=now - timedelta(hours=30),
    ended_at=now - timedelta(hours=6))
job(88214, "vision-eval", "ann", "vision", ids[half:half + 1], time_limit_s=None,
    started_at=now - timedelta(hours=6))
job(88200, "broken", "ann", "vision", ids[:1], state="node_fail", started_at=now - timedelta(hours=9),
    ended_at=now - timedelta(hours=8), exit_status=1)
SchedulerChange.objects.create(machine_id=ids[0], at=now - timedelta(hours=1), kind="drained", ours=False,
    reason="looks odd")
WaitingJob.objects.create(source=source, job_id="88220", label="88220_[1-9]", name="sweep", user="mk", account="nlp",
    partition="main", priority=4294901700, why="Resources", machine_count=4, gpus=32,
    submitted_at=now - timedelta(hours=2), expected_at=now + timedelta(hours=3), time_limit_s=3600)
WaitingJob.objects.create(source=source, job_id="88221", label="88221", name="late", priority=1, why="Priority")
SchedulerPartition.objects.create(source=source, name="main", state="up", default=True, max_time_s=604800,
    machine_count=len(ids), machine_ids=ids)
SchedulerPartition.objects.create(source=source, name="night", state="down", machine_count=1, machine_ids=ids[:1])
SchedulerReservation.objects.create(source=source, name="kernel", holders="root", starts_at=now - timedelta(hours=1),
    ends_at=now + timedelta(hours=5), machine_count=2, machine_ids=ids[:2])
print(big.pk, ids[0], ids[half])
"""
NONE = """
from health.models import SchedulerSource
SchedulerSource.objects.all().delete()
"""
PAGES = {
    "jobs": ("/scheduler", "[data-testid=job]"),
    "queue": ("/scheduler/queue", "[data-testid=waiting-job]"),
    "partitions": ("/scheduler/partitions", "[data-testid=partition]"),
    "nodes": ("/scheduler/nodes", "[data-testid=node]"),
    "past jobs": ("/scheduler/history", "[data-testid=job]"),
    "floor by job": ("/?layer=job", "[data-testid=group-chip]"),
}


@pytest.fixture(scope="module")
def told(demo: Demo) -> Iterator[tuple[int, int, int]]:
    """The large job, a machine of it, and the machine of the other."""
    big, first, other = (int(word) for word in demo.python(JOBS).split()[-3:])
    yield big, first, other
    demo.python(NONE)


def pictured(page: Page, place: Path, name: str) -> None:
    """In both themes."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        picture(page, place / f"{name}-{scheme}.png", full_page=True)
    page.emulate_media(color_scheme="light")


@desk_and_phone
def test_jobs_queue_partitions_nodes_and_history_are_pages(
    size: dict[str, int], demo: Demo, enter: Callable, told: tuple[int, int, int], tmp_path: Path
) -> None:
    page = enter("operator", size, at="/scheduler").page
    jobs = page.get_by_test_id("job")
    expect(jobs).to_have_count(2)
    expect(jobs.first).to_contain_text("kestrel-7b")
    expect(jobs.first).to_contain_text("mk")
    expect(jobs.first).to_contain_text("2 h 5")
    pictured(page, tmp_path, "jobs")
    page.get_by_test_id("job-search").fill("vision")
    page.get_by_test_id("job-search").press("Enter")
    expect(jobs).to_have_count(1)
    tabs = page.get_by_role("navigation", name="Training")
    tabs.get_by_role("link", name="Queue").click()
    waiting = page.get_by_test_id("waiting-job")
    expect(waiting).to_have_count(2)
    expect(waiting.first).to_contain_text("Not enough free machines")
    expect(waiting.first).to_contain_text("32 GPUs")
    expect(waiting.last).to_contain_text("Others come first")
    pictured(page, tmp_path, "queue")
    tabs.get_by_role("link", name="Partitions").click()
    expect(page.get_by_test_id("partition")).to_have_count(2)
    expect(page.get_by_test_id("reservation")).to_contain_text("kernel")
    pictured(page, tmp_path, "partitions")
    tabs.get_by_role("link", name="Nodes").click()
    expect(page.get_by_test_id("node").first).to_contain_text("Allocated")
    tabs.get_by_role("link", name="History").click()
    expect(page.get_by_test_id("job").first).to_contain_text("kestrel-7b")
    expect(page.locator("[data-testid=job][data-state=node_fail]")).to_contain_text("Machine failed")
    pictured(page, tmp_path, "history")


@pytest.mark.slow
@desk_and_phone
def test_a_job_shows_its_machines_on_the_floor_its_rails_and_its_history(
    size: dict[str, int], demo: Demo, enter: Callable, told: tuple[int, int, int], tmp_path: Path
) -> None:
    page = enter("operator", size, at=f"/scheduler/jobs/{told[0]}").page
    expect(page.get_by_test_id("job-state")).to_have_text("Running")
    expect(page.get_by_test_id("job-user")).to_have_text("mk")
    machines = demo.api(f"/api/scheduler/jobs/{told[0]}/machines/")["results"]
    drawn = [each for each in machines if each["room"] == machines[0]["room"]]
    expect(page.get_by_test_id("job-map-machine")).to_have_count(len(drawn))
    rails = demo.api(f"/api/scheduler/jobs/{told[0]}/rails/")["results"]
    assert len(rails) == 8 and all(rail["leaves"] for rail in rails)
    expect(page.get_by_test_id("job-rail")).to_have_count(8)
    expect(page.get_by_test_id("job-leaves")).to_contain_text("8 rails")
    expect(page.get_by_test_id("job-run")).to_have_count(2)
    steps = page.get_by_test_id("job-step")
    expect(steps).to_have_count(2)
    expect(steps.first).to_contain_text("check-nodes")
    expect(steps.last).to_contain_text("Running")
    expect(page.get_by_test_id("job-change")).to_contain_text("looks odd")
    pictured(page, tmp_path, "job")
    page.get_by_test_id("job-machines").get_by_role("link").first.click()
    expect(page.get_by_test_id("machine-header")).to_be_visible()


@pytest.mark.slow
def test_who_may_not_read_users_sees_none(demo: Demo, enter: Callable, told: tuple[int, int, int]) -> None:
    page = enter("viewer", DESK, at=f"/scheduler/jobs/{told[0]}").page
    expect(page.get_by_test_id("job-user")).to_have_text("not shown to you")


@pytest.mark.slow
def test_the_floor_is_coloured_by_job_account_and_partition(
    demo: Demo, enter: Callable, told: tuple[int, int, int], tmp_path: Path
) -> None:
    page = enter("operator", DESK, at="/").page
    page.get_by_test_id("layer-job").click()
    chips = page.get_by_test_id("group-chip")
    expect(chips).to_have_count(2)
    expect(chips.first).to_contain_text("88213 kestrel-7b")
    expect(chips.first).to_have_attribute("data-number", "1")
    name = next(row["name"] for row in demo.api("/api/machines/?page_size=200")["results"] if row["id"] == told[1])
    wait_for(lambda: page.evaluate("name => window.__rackside.shownOf(name)", name) == "available", 10, "the layer")
    pictured(page, tmp_path, "floor-job")
    chips.first.click()
    expect(page).to_have_url(f"{demo.url}/?layer=job&groups={demo.python(FIRST).split()[-1]}")
    page.get_by_test_id("layer-account").click()
    expect(chips.first).to_contain_text("nlp")
    page.get_by_test_id("layer-partition").click()
    expect(chips.filter(has_text="night")).to_have_attribute("data-count", "1")
    page.get_by_test_id("layer-state").click()
    expect(page.get_by_test_id("chip-failed")).to_be_visible()


FIRST = """
from health.models import SchedulerJob
print(SchedulerJob.objects.get(job_id="88213", ended_at=None).pk)
"""


@desk_and_phone
def test_who_is_hurt_by_a_drain_is_named_before_it_is_pressed(
    size: dict[str, int], demo: Demo, enter: Callable, told: tuple[int, int, int], tmp_path: Path
) -> None:
    page = enter("operator", size, at=f"/machines/{told[1]}").page
    for button in ("Hold…", "Maintenance…"):
        page.get_by_role("button", name=button).click()
        hurt = page.get_by_test_id("hurt-job").filter(has_text="kestrel-7b")
        expect(hurt).to_have_count(1)
        expect(hurt).to_contain_text("mk (nlp)")
        expect(hurt).to_contain_text("GPUs")
        expect(hurt).to_contain_text("left")
        picture(page, tmp_path / "hurt.png")
        page.get_by_role("button", name="Cancel").click()
    page.goto(f"{demo.url}/machines/{told[2]}")
    page.get_by_role("button", name="Hold…").click()
    expect(page.get_by_test_id("hurt-job").filter(has_text="no time limit")).to_have_count(1)


@pytest.mark.slow
@needs_axe
@desk_and_phone
def test_axe_finds_nothing(size: dict[str, int], demo: Demo, enter: Callable, told: tuple[int, int, int]) -> None:
    page = enter("operator", size).page
    pages = PAGES | {"job": (f"/scheduler/jobs/{told[0]}", "[data-testid=job-rail]")}
    found = walk(page, demo.url, pages)
    assert not found, found


@pytest.mark.slow
def test_a_site_without_a_scheduler_says_what_to_do(
    demo: Demo, enter: Callable, told: tuple[int, int, int], tmp_path: Path
) -> None:
    """The last of the file: what was there is gone after it."""
    demo.python(NONE)
    page = enter("operator", DESK, at="/scheduler").page
    empty = page.get_by_test_id("no-scheduler")
    expect(empty).to_contain_text("No scheduler is read at this site")
    expect(empty.get_by_role("link")).to_have_attribute("href", "/automation/scheduler")
    picture(page, tmp_path / "none.png")
    page.goto(f"{demo.url}/?layer=job")
    expect(page.get_by_text("No scheduler is read at this site")).to_be_visible()
    page.goto(f"{demo.url}/machines/{told[1]}")
    page.get_by_role("button", name="Hold…").click()
    expect(page.get_by_test_id("hurt")).to_contain_text("more may run than is listed here")
