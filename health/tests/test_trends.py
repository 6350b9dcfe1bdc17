"""Trends: sums equal those of brute force, and what is not known is not nought."""

from __future__ import annotations

import csv
import random
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from core.models import Role, Site
from core.services import ensure_user
from health.insights import trends
from health.insights.queries import trends as queries
from health.machines.lifecycle import TRANSITIONS
from health.models import Fault, LifecycleChange, LifecycleTransition, Verification
from health.tests import factories as make

pytestmark = pytest.mark.django_db
BEGIN = datetime(2026, 3, 2, 0, 0, tzinfo=UTC)  # a Monday
DAY = timedelta(days=1)
STEPS = {(str(before), str(after)): str(event) for (before, event), after in TRANSITIONS.items()}


def changed(machine: Any, before: str, after: str, at: datetime) -> None:
    step = LifecycleTransition.objects.get(from_state=before, event=STEPS[before, after], to_state=after)
    LifecycleChange.objects.create(machine=machine, transition=step, at=at, actor="t", reason="t")


def fault(machine: Any, confirmed_at: datetime, cleared_at: datetime | None = None, **more: Any) -> Fault:
    fields = {"slot": "GPU 1", "fault_class": "gpu.gone", "precedence": 0, "kind": "level", "message": "x"} | more
    status = "cleared" if cleared_at else "confirmed"
    times: dict[str, Any] = {"opened_at": confirmed_at, "seen_at": confirmed_at, "announced_at": confirmed_at}
    return Fault.objects.create(
        machine=machine, status=status, confirmed_at=confirmed_at, cleared_at=cleared_at, **fields, **times
    )


@pytest.fixture
def fleet() -> list[Any]:
    machines = make.make_machines(4)
    LifecycleChange.objects.all().delete()  # from now: these tests live in the past
    return machines


@pytest.mark.parametrize("word", ["day", "week"])
@pytest.mark.parametrize("seed", range(4))
def test_sums_equal_brute_force(fleet: list[Any], word: str, seed: int) -> None:
    rolls = random.Random(seed)
    spans: list[tuple[Any, str, datetime, datetime]] = []
    now = timezone.now()
    for machine in fleet[:3]:  # of the fourth nothing is known
        state, at = "new", BEGIN - rolls.random() * 20 * DAY
        began = None
        for _ in range(rolls.randrange(2, 14)):
            after = rolls.choice([to for (before, to) in STEPS if before == state])
            changed(machine, state, after, at)
            if began is not None:
                spans.append((machine, state, began, at))
            state, began = after, at
            at += rolls.random() * 4 * DAY
        assert began is not None
        spans.append((machine, state, began, now))
    end = BEGIN + rolls.random() * 20 * DAY + timedelta(hours=1)
    cut = trends.buckets(BEGIN + rolls.random() * DAY, end, word)
    told = queries.times(cut, None)
    for n, start in enumerate(cut.starts):
        low, high = max(start, cut.begin), min(start + cut.size, cut.end)
        inside = [
            (state, (min(until, high) - max(since, low)).total_seconds())
            for _, state, since, until in spans
            if state not in ("new", "retired") and min(until, high) > max(since, low)
        ]
        assert told.hours[n] * 3600 == pytest.approx(sum(seconds for _, seconds in inside), abs=0.01)
        ready = sum(seconds for state, seconds in inside if state == "ready")
        assert told.ready_hours[n] * 3600 == pytest.approx(ready, abs=0.01)
        assert told.gpu_days[n] * 86_400 == pytest.approx(8 * sum(seconds for _, seconds in inside), abs=0.1)


def test_failures_are_counted_once_for_each_leading_fault_per_thousand_gpu_days(fleet: list[Any]) -> None:
    for machine in fleet:
        changed(machine, "new", "ready", BEGIN)
    lead = fault(fleet[0], BEGIN + 1.5 * DAY)
    fault(fleet[0], BEGIN + 1.5 * DAY, fault_class="nvlink.down", led_by=lead)
    fault(fleet[1], BEGIN + 1.6 * DAY, fault_class="gpu.memory")
    fault(fleet[2], BEGIN + 2.5 * DAY, fault_class="hca.link", slot="HCA 1")
    cut = trends.buckets(BEGIN, BEGIN + 4 * DAY, "day")
    found = {(each.what, each.group): each.points for each in queries.all_series(cut, None)}
    by_part = found["failures_by_part", "gpu"]
    assert [point.count for point in by_part] == [0, 2, 0, 0] and [point.base for point in by_part] == [32] * 4
    assert [point.value for point in by_part] == [0, 62.5, 0, 0]
    assert ("failures_by_class", "nvlink.down") not in found
    assert [p.value for p in found["mtbf", "all"]] == [None, 48, 96, None]
    assert [p.base for p in found["mtbf", "all"]] == [96] * 4


def test_a_time_of_which_nothing_is_known_is_a_gap(fleet: list[Any]) -> None:
    changed(fleet[0], "new", "ready", BEGIN + 2 * DAY)
    fault(fleet[0], BEGIN + 0.5 * DAY)
    cut = trends.buckets(BEGIN, BEGIN + 4 * DAY, "day")
    found = {(each.what, each.group): each.points for each in queries.all_series(cut, None)}
    assert [p.value for p in found["failures_by_part", "gpu"]] == [None, None, 0, 0]
    (availability,) = [points for (what, _), points in found.items() if what == "availability"]
    assert [p.value for p in availability] == [None, None, 1, 1]


def test_a_repair_is_timed_by_its_stages_and_a_dismissed_fault_is_none(fleet: list[Any]) -> None:
    machine, at = fleet[0], BEGIN + 0.25 * DAY
    hour = timedelta(hours=1)
    changed(machine, "new", "ready", BEGIN)
    changed(machine, "ready", "draining", at)
    changed(machine, "draining", "drained", at + 1 * hour)
    changed(machine, "drained", "verifying", at + 4 * hour)
    repaired = fault(machine, at, at + 4.5 * hour)
    fault(fleet[1], at, at + 2 * hour, cleared_by="dismissed by anna")
    asked = {"requested_at": at + 4 * hour, "next_try_at": at, "deadline_at": at, "finished_at": at + 4.5 * hour}
    passed = Verification.objects.create(machine=machine, owner="t", actor="t", status="passed", **asked)
    passed.faults.add(repaired)
    cut = trends.buckets(BEGIN, BEGIN + 2 * DAY, "day")
    found = {each.group: each.points for each in queries.all_series(cut, None) if each.what == "mttr"}
    took = {"drain": 1, "repair": 3, "verify": 0.5, "total": 4.5}
    assert {stage: points[0].value for stage, points in found.items()} == pytest.approx(took)
    assert found["total"][0].base == 1 and found["total"][1].value is None


def client_of(site: Site | None) -> Client:
    user, _ = ensure_user(f"vera-{site}", role=Role.VIEWER, site=site)
    client = Client()
    client.force_login(user)
    return client


def test_the_routes_answer_series_and_tables_of_visible_sites_only(
    fleet: list[Any], django_assert_max_num_queries: Any
) -> None:
    for machine in fleet:
        changed(machine, "new", "ready", BEGIN)
    fault(fleet[0], BEGIN + 0.5 * DAY, fault_class="=1+1")
    span = "from=2026-03-02&to=2026-03-04"
    client = client_of(None)
    client.get(f"/api/health/trends/?{span}")
    with django_assert_max_num_queries(6):
        answer = client.get(f"/api/health/trends/?{span}&bucket=week").json()
    assert answer["from"].startswith("2026-03-02T00:00:00") and answer["bucket"] == "week"
    assert {each["what"] for each in answer["series"]} >= {"failures_by_class", "mtbf", "availability"}
    table = client.get(f"/api/health/trends.csv?{span}&what=failures_by_class")
    assert table["Content-Type"] == "text/csv; charset=utf-8"
    lines = list(csv.reader(table.content.decode().splitlines()))
    assert lines[0] == list(queries.CSV_HEAD) and len(lines) == 3 and lines[1][1] == "'=1+1"
    only = client.get(f"/api/health/availability/?{span}").json()["series"]
    assert [each["what"] for each in only] == ["availability"] and only[0]["points"][0]["value"] == 1
    other = make.make_machines(1, site="fra1")[0]
    LifecycleChange.objects.filter(machine=other).delete()
    mine = client_of(other.device.site)
    assert {each["what"] for each in mine.get(f"/api/health/trends/?{span}").json()["series"]} == {"mtbf"}
    assert mine.get(f"/api/health/trends/?{span}&site={fleet[0].device.site_id}").status_code == 404
    for wrong in ("from=x", "from=2026-03-04&to=2026-03-02", "bucket=hour", "from=2020-01-01&to=2026-03-02", "site=x"):
        assert client.get(f"/api/health/trends/?{wrong}").status_code == 400, wrong
    assert client.get(f"/api/health/trends.csv?{span}&what=x").status_code == 400
