"""The floor and a machine as they were: what was recorded by then, nothing of later, unknown where nothing was."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from core.models import Role, Site
from core.services import ensure_user
from health.models import Fault, LifecycleChange, LifecycleTransition, MachineHealth, Sample
from health.overview import past
from health.tests import factories as make
from inventory.models import Component, Installation, Placement, Rack

T = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
STEP = timedelta(minutes=5)


def minutes(count: float) -> datetime:
    return T + timedelta(minutes=count)


# ---- pure ----


def test_a_machine_without_a_recorded_state_or_answer_has_no_signal() -> None:
    assert past.cell_then(past.Moment(None), "reachable") == "no_signal"
    assert past.cell_then(past.Moment("ready", worst="ok"), "unreachable") == "no_signal"
    assert past.cell_then(past.Moment("ready", T, "ok"), "reachable") == "available"
    assert past.cell_then(past.Moment("ready", T, "ok", allocated=True), "reachable") == "allocated"
    assert past.reachability(None, lambda at: "reachable") == "unreachable"


def test_placements_are_rewound_from_the_newest_change_to_the_oldest() -> None:
    now = {
        1: {"device_id": 10, "rack_id": 3, "half_units": "[1,13)"},
        2: {"device_id": 11, "rack_id": 3, "half_units": "[13,25)"},
    }
    changes: list[tuple[str, dict[str, Any]]] = [
        ("changed", {"id": 1, "before": {"rack_id": 2}}),
        ("changed", {"id": 1, "before": {"rack_id": 1, "half_units": "[25,37)"}}),
        ("created", {"id": 2, "before": None}),
        ("deleted", {"id": 3, "before": {"device_id": 12, "rack_id": 1, "half_units": "[1,13)"}}),
        ("deleted", {"id": 4, "before": {"device_id": None, "rack_id": 1, "half_units": "[1,13)"}}),
    ]
    assert past.rewound(now, changes) == [past.Standing(10, 1, 25, 37), past.Standing(12, 1, 1, 13)]


def test_the_strip_counts_every_machine_from_the_step_at_which_it_was_out() -> None:
    courses = [
        past.Course("ready", [(minutes(7), "draining"), (minutes(12), "repair"), (minutes(20), "ready")]),
        past.Course("ready", faults=[(minutes(5), minutes(15))]),
        past.Course(None, [(minutes(10), "new"), (minutes(16), "provisioning")]),
    ]
    rows = past.strip(courses, T, minutes(20), STEP)
    assert [row[0] for row in rows] == [minutes(0), minutes(5), minutes(10), minutes(15), minutes(20)]
    of = {word: [row[1 + at] for row in rows] for at, word in enumerate((*past.OUT, "no_signal"))}
    assert of["failed"] == [0, 1, 1, 0, 0]
    assert of["drained"] == [0, 0, 1, 0, 0]
    assert of["repair"] == [0, 0, 0, 1, 0]
    assert of["provisioning"] == [0, 0, 0, 0, 1]
    assert of["no_signal"] == [1, 1, 0, 0, 0]


def test_the_strip_says_at_each_step_what_the_cell_says() -> None:
    """The same course, step by step."""
    course = past.Course("drained", [(minutes(9), "repair"), (minutes(31), "verifying")], [(minutes(3), minutes(40))])
    (row, *_) = rows = past.strip([course], T, minutes(60), STEP)
    assert row[1:] == [0, 0, 1, 0, 0]
    for at, *counts in rows:
        state = next((after for when, after in reversed(course.changes) if when <= at), course.begin)
        confirmed = any(since <= at < (until or at) for since, until in course.faults)
        word = past.cell_then(past.Moment(state, at, "ok", confirmed=confirmed), "reachable")
        assert dict(zip((*past.OUT, "no_signal"), counts, strict=True))[word] == 1, at


# ---- read from rows ----


@pytest.fixture
def client(db: Any) -> Client:
    user, _ = ensure_user("vera", role=Role.VIEWER)
    found = Client()
    found.force_login(user)
    return found


def changed(machine: Any, at: datetime, before: str, event: str) -> None:
    transition = LifecycleTransition.objects.get(from_state=before, event=event)
    LifecycleChange.objects.create(machine=machine, transition=transition, at=at, actor="ada", reason="test")


def looked(machine: Any, at: datetime, *, heard: bool = True, worst: int = 0) -> None:
    Sample.objects.create(
        machine_id=machine.pk, at=at, layout_id=1, heard=heard, worst=worst, fail=0, unknown=0, warn=0, verdicts=b""
    )


def rows_at(client: Client, at: datetime, **query: Any) -> dict[str, dict[str, Any]]:
    answer = client.get("/api/floor/at/", {"at": at.isoformat(), **query})
    assert answer.status_code == 200, answer.content
    table = answer.json()["machines"]
    rows = [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]
    assert sum(answer.json()["totals"].values()) == len(rows)
    return {row["name"]: row for row in rows}


@pytest.mark.django_db
def test_the_floor_shows_what_was_recorded_by_then_and_nothing_later(client: Client) -> None:
    one, two = make.make_machines(2)
    now = timezone.now()
    hour = timedelta(hours=1)
    logged(now - 10 * hour)
    LifecycleChange.objects.filter(machine__in=[one, two]).delete()
    MachineHealth.objects.update(state="ready", state_since=now - 8 * hour)
    changed(one, now - 3 * hour, "ready", "drain")
    changed(one, now - 2 * hour, "draining", "drained")
    Fault.objects.create(
        machine=one, slot="GPU 5", fault_class="gpu.gone", precedence=0, kind="level", status="cleared",
        message="gone", opened_at=now - 4 * hour, seen_at=now - 4 * hour, confirmed_at=now - 3 * hour,
        cleared_at=now - hour, response="drain",
    )  # fmt: skip
    for machine in (one, two):
        for ago in (7, 3.5, 2.5, 1.5):
            looked(machine, now - ago * hour - timedelta(seconds=5))
    name = one.device.name
    at = rows_at(client, now - 3.5 * hour)
    assert (at[name]["cell"], at[name]["state"], at[name]["faults"]) == ("suspect", "ready", 1)
    assert at[two.device.name]["cell"] == "available"
    at = rows_at(client, now - 2.5 * hour)
    assert (at[name]["cell"], at[name]["state"]) == ("failed", "draining")
    assert rows_at(client, now - 1.5 * hour)[name]["state"] == "drained"
    assert rows_at(client, now - 6 * hour)[two.device.name]["cell"] == "no_signal", "no answer for an hour"
    early = rows_at(client, now - 9 * hour)
    assert early[two.device.name]["state"] == "unknown" and early[two.device.name]["cell"] == "no_signal"
    assert rows_at(client, now - 11 * hour) == {}, "they were not in the inventory yet"


@pytest.mark.django_db
def test_a_machine_that_was_moved_stands_where_it_stood(client: Client) -> None:
    (machine,) = make.make_machines(1)
    now = timezone.now()
    logged(now - timedelta(hours=9))
    placement = Placement.objects.get(device=machine.device)
    old = placement.rack
    other = Rack.objects.create(room=old.room, name="Z99", height_u=old.height_u, x_mm=9_000, y_mm=9_000)
    Placement.objects.filter(pk=placement.pk).update(rack=other)
    logged(now - timedelta(hours=1), newest=True)
    assert rows_at(client, now)[machine.device.name]["rack"] == other.pk
    assert rows_at(client, now - timedelta(hours=2))[machine.device.name]["rack"] == old.pk


def logged(at: datetime, *, newest: bool = False) -> None:
    """What the log holds, or only its newest entry, happened then: a test is one transaction, at one time."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")  # the log itself refuses to be changed
        if newest:
            cursor.execute(
                "INSERT INTO core_auditchange (at, actor, kind, source, request_id, note) VALUES "
                "(%s, 'ada', 'person', '', '', '') RETURNING id",
                [at],
            )
            cursor.execute(
                "UPDATE core_auditentry SET change_id = %s WHERE id = (SELECT max(id) FROM core_auditentry "
                "WHERE table_name = 'inventory_placement')",
                [cursor.fetchone()[0]],
            )
        else:
            cursor.execute("UPDATE core_auditchange SET at = %s", [at])
        cursor.execute("SET LOCAL session_replication_role = origin")


@pytest.mark.django_db
def test_the_number_of_statements_does_not_grow_with_the_machines(client: Client) -> None:
    counts: dict[str, set[int]] = {"/api/floor/at/": set(), "/api/floor/strip/": set()}
    for more in (2, 5):
        make.make_machines(more)
        for path, found in counts.items():
            client.get(path)
            with CaptureQueriesContext(connection) as captured:
                assert client.get(path).status_code == 200
            found.add(len(captured))
    assert all(len(found) == 1 for found in counts.values()), counts


@pytest.mark.django_db
def test_a_machine_as_it_was(client: Client) -> None:
    (machine,) = make.make_machines(1)
    now = timezone.now()
    part = Component.objects.create(site=machine.device.site, kind="gpu", serial="S1")
    gone = (now - timedelta(hours=3), now - timedelta(hours=1))
    Installation.objects.create(component=part, device=machine.device, slot="GPU 1", during=gone, by="tina")
    then = client.get(f"/api/machines/{machine.pk}/at/", {"at": (now - timedelta(hours=2)).isoformat()}).json()
    assert [each["serial"] for each in then["parts"]] == ["S1"]
    assert then["checked_at"] is None and then["checks"] == []
    now_ = client.get(f"/api/machines/{machine.pk}/at/").json()
    assert "S1" not in [each["serial"] for each in now_["parts"]]
    assert now_["state"] == machine.health.state


@pytest.mark.django_db
def test_the_past_of_another_site_is_not_shown() -> None:
    (machine,) = make.make_machines(1)
    other = Site.objects.create(slug="other", name="Other")
    user, _ = ensure_user("olga", role=Role.VIEWER, site=other)
    stranger = Client()
    stranger.force_login(user)
    room = machine.device.placement.rack.room_id
    assert stranger.get("/api/floor/at/", {"room": room}).status_code == 404
    assert stranger.get("/api/floor/strip/", {"room": room}).status_code == 404
    assert stranger.get(f"/api/machines/{machine.pk}/at/").status_code == 404


@pytest.mark.parametrize("path", ["/api/floor/at/", "/api/floor/strip/", "/api/machines/1/at/"])
@pytest.mark.django_db
def test_the_past_is_only_read(path: str) -> None:
    user, _ = ensure_user("root", role=Role.ADMIN)
    admin = Client()
    admin.force_login(user)
    assert {getattr(admin, method)(path).status_code for method in ("post", "put", "patch", "delete")} == {405}


@pytest.mark.slow
@pytest.mark.django_db
def test_the_floor_of_511_machines_a_day_ago_comes_within_150_ms(client: Client) -> None:
    make.make_machines(511)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO health_sample (machine_id, at, layout_id, heard, worst, fail, unknown, warn, verdicts) "
            "SELECT h.machine_id, t, 1, true, 0, 0, 0, 0, '' FROM health_machinehealth h, "
            "generate_series(now() - interval '2 days', now(), interval '5 minutes') t"
        )
        cursor.execute("ANALYZE health_sample")
    at = (timezone.now() - timedelta(days=1)).isoformat()
    took = []
    for _ in range(7):
        began = time.perf_counter()
        assert client.get("/api/floor/at/", {"at": at}).status_code == 200
        took.append(time.perf_counter() - began)
    assert min(took) < 0.15, took
