"""What failures cost: the method on plain values, and the report."""

from __future__ import annotations

import csv
import io
from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from core.models import Role, Site
from health.tests import factories as make
from health.tests.test_api import signed_in
from runs.losses.rules import (
    Loss,
    Run,
    Slowed,
    dearest,
    gpus_of,
    loss_of,
    loss_of_slowed,
    summed,
    week_of,
    weeks_between,
)
from runs.models import RunRank, StepPiece, TrainingRun

MONDAY = datetime(2026, 11, 2, tzinfo=UTC)
END = MONDAY + timedelta(days=3)


def minutes(count: float) -> timedelta:
    return timedelta(minutes=count)


def failed(**change: object) -> Run:
    told = Run(1, "kestrel", 16, END - minutes(600), END - minutes(30), END - minutes(90), END, "gpu-lost", "hardware")
    return told._replace(**change)  # type: ignore[arg-type]


# ---- pure ----
def test_a_failure_costs_from_the_last_checkpoint_to_the_end() -> None:
    loss = loss_of(failed())
    assert (loss.repeated, loss.standing, loss.slow, loss.total) == (16.0, 8.0, 0.0, 24.0)
    assert (loss.week, loss.cause, loss.owner) == (MONDAY, "gpu-lost", "hardware")


def test_without_a_checkpoint_it_costs_from_the_last_step_and_without_a_step_from_the_start() -> None:
    assert loss_of(failed(checkpoint_at=None)).total == 8.0
    assert loss_of(failed(checkpoint_at=None, last_step_at=None)).total == 160.0


def test_a_cause_that_is_not_known_has_no_owner() -> None:
    assert [loss_of(failed(cause=cause)).owner for cause in (None, "none")] == [None, None]


def test_a_slow_run_costs_its_share_and_not_in_the_name_of_what_ended_it() -> None:
    slow = Slowed(1, "kestrel", 16, MONDAY, 3600.0, "slow-throttle", "hardware")
    assert (loss_of_slowed(slow).slow, loss_of_slowed(slow).cause) == (16.0, "slow-throttle")
    assert loss_of_slowed(slow._replace(cause="user-error", owner="user")).cause is None


def test_gpus_are_counted_once_where_two_ranks_share_one_and_by_world_where_few_report() -> None:
    assert gpus_of(16, 16, 16, 8) == 8
    assert gpus_of(16, 16, 12, 12) == 16
    assert gpus_of(4088, 1, 1, 1) == 4088
    assert gpus_of(0, 8, 0, 0) == 8


@given(st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC)), st.integers(0, 60))
def test_every_moment_is_in_one_week_of_a_span(begin: datetime, days: int) -> None:
    end = begin + timedelta(days=days, seconds=1)
    weeks = weeks_between(begin, end)
    assert weeks[0] <= begin < weeks[0] + timedelta(days=7)
    assert week_of(end - timedelta(seconds=1)) == weeks[-1]
    assert all(week.weekday() == 0 for week in weeks)


@given(st.lists(st.builds(
    Loss, st.integers(1, 4), st.just("r"), st.sampled_from([MONDAY, MONDAY + timedelta(days=7)]),
    st.sampled_from(["gpu-lost", None]), st.just("hardware"), *[st.integers(0, 9).map(float)] * 3,
)))  # fmt: skip
def test_sums_and_the_dearest_lose_nothing(losses: list[Loss]) -> None:
    total = sum(loss.total for loss in losses)
    assert sum(one.total for one in summed(losses)) == total
    found = dearest(losses, 10)
    assert sum(loss.total for loss in found) == total
    assert [loss.total for loss in found] == sorted((loss.total for loss in found), reverse=True)


# ---- the report ----
NOW = timezone.now()


def run(site: Site, number: int, state: str = "failed", **more: object) -> TrainingRun:
    ended = NOW - timedelta(hours=2)
    told: dict[str, object] = {
        "started_at": ended - timedelta(hours=9), "ended_at": None if state in TrainingRun.LIVE else ended, "last_report_at": ended,
        "last_step_at": ended - timedelta(hours=1), "world_size": 8, "name": f"run-{number}",
        "verdict": {"class": "gpu-lost", "owner": "hardware"},
    }  # fmt: skip
    made = TrainingRun.objects.create(site=site, key=str(number), state=state, **told | more)
    RunRank.objects.create(run=made, rank=0, machine_name="gpu-1")
    return made


@pytest.fixture
def site(db: None) -> Site:
    make.make_machines(1)
    return Site.objects.get()


def test_the_report_sums_failed_hung_and_slow_runs_by_week_cause_and_owner(site: Site) -> None:
    run(site, 1)
    run(site, 2, verdict=None)
    run(site, 3, "completed")
    run(site, 4, "hung", verdict=None, last_step_at=timezone.now() - timedelta(hours=1))
    slow = run(site, 5, "running", baseline_s=2.0, verdict={"class": "slow-throttle", "owner": "hardware"})
    for number, median_s in enumerate([2.05, 3.0]):  # within 5 %: no loss
        StepPiece.objects.create(
            run=slow, number=number, count=900, first_step=0, last_step=900, started_at=NOW - timedelta(hours=4),
            ended_at=NOW - timedelta(hours=3), median_s=median_s, least_s=2.0, most_s=3.0, packed=b"",
        )  # fmt: skip

    answer = signed_in(Role.VIEWER).get("/api/runs/losses/")

    assert answer.status_code == 200, answer.content
    found = answer.json()
    of: defaultdict[tuple[str | None, str | None], Counter[str]] = defaultdict(Counter)
    for row in found["rows"]:  # on a Monday morning they are of two weeks
        of[row["cause"], row["owner"]].update({name: row[name] for name in ("gpu_hours", "slow", "runs")})
    assert of["gpu-lost", "hardware"]["gpu_hours"] == 8.0
    assert of[None, None]["gpu_hours"] == pytest.approx(16.0, abs=0.1)
    assert (of["slow-throttle", "hardware"]["slow"], of["slow-throttle", "hardware"]["runs"]) == (2.0, 1)
    assert found["gpu_hours"] == pytest.approx(26.0, abs=0.1) and found["runs"] == 4
    assert len(found["weeks"]) in (12, 13)
    assert {row["week"] for row in found["rows"]} <= set(found["weeks"])
    assert found["dearest"][-1]["name"] == "run-5"
    assert "checkpoint" in found["method"]


def test_a_span_that_ends_before_now_has_no_run_that_hangs_now(site: Site) -> None:
    run(site, 4, "hung", verdict=None)
    until = (NOW - timedelta(days=8)).isoformat()
    found = signed_in(Role.VIEWER).get("/api/runs/losses/", {"to": until}).json()
    assert (found["rows"], found["gpu_hours"], found["dearest"]) == ([], 0.0, [])


def test_the_table_has_the_same_numbers(site: Site) -> None:
    run(site, 1)
    answer = signed_in(Role.VIEWER).get("/api/runs/losses.csv")
    assert answer["Content-Type"].startswith("text/csv")
    (row,) = csv.DictReader(io.StringIO(answer.content.decode()))
    assert (row["cause"], row["owner"], row["runs"], row["gpu_hours"], row["standing"]) == (
        "gpu-lost", "hardware", "1", "8.0", "8.0",
    )  # fmt: skip


def test_runs_of_another_site_cost_nothing_here(site: Site) -> None:
    run(Site.objects.create(slug="fra1", name="FRA1"), 1)
    viewer = signed_in(Role.VIEWER)
    assert viewer.get("/api/runs/losses/", {"site": site.pk}).json()["rows"] == []


def test_it_takes_two_statements_for_one_run_as_for_ten(site: Site) -> None:
    def cost() -> int:
        client = signed_in(Role.VIEWER)
        with CaptureQueriesContext(connection) as captured:
            assert client.get("/api/runs/losses/").status_code == 200
        return len(captured)

    run(site, 1)
    one = cost()
    for number in range(2, 11):
        run(site, number, "hung" if number % 2 else "failed")
    assert cost() == one
