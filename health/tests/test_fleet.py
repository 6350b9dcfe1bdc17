"""Lemons, the golden set and spares, drift over the API."""

from __future__ import annotations

from datetime import timedelta
from statistics import median
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.models import Role, Site
from core.services import ensure_user
from health.insights import lemons, services
from health.insights.queries.lemons import lemons as asked
from health.models import (
    Fault,
    GoldenMachine,
    Incident,
    MachineFacts,
    MachineHealth,
    RemediationAction,
    Transition,
    Verification,
)  # fmt: skip
from health.monitoring.services.sweeps import observation_store
from health.tests import factories as make
from inventory.models import Component, Installation, StoragePlace

NOW = timezone.now()


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)


def client_of(role: str, site: str | None = None) -> Client:
    user, _ = ensure_user(f"u-{role}-{site}", role=role, site=Site.objects.get(slug=site) if site else None)
    client = Client()
    client.force_login(user)
    return client


# ---- lemons ----

NAMES = list(lemons.WEIGHTS)
COUNTS = st.tuples(*(st.integers(0, 9) for _ in NAMES)).map(lambda counts: dict(zip(NAMES, counts, strict=True)))


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.sampled_from(["a", "b"]), COUNTS), min_size=1, max_size=9))
def test_a_score_is_the_sum_of_its_terms_and_is_compared_with_its_own_model(
    machines: list[tuple[str, dict[str, int]]],
) -> None:
    fleet = dict(enumerate(machines))
    found = lemons.scores(
        ((pk, model) for pk, (model, _) in fleet.items()), {pk: told for pk, (_, told) in fleet.items()}
    )
    brute = {
        pk: 3 * t.get("failed_verification", 0) + 2 * t.get("remediation", 0) + t.get("incident", 0)
        + t.get("job_failure", 0) + 0.5 * t.get("ecc_storm", 0)
        for pk, (_, t) in fleet.items()
    }  # fmt: skip
    assert {each.machine_id: each.score for each in found} == brute
    assert [each.score for each in found] == sorted(brute.values(), reverse=True)
    for each in found:
        peers = [brute[pk] for pk, (model, _) in fleet.items() if model == each.model]
        middle = median(peers)
        limit = middle + 3 * median(abs(points - middle) for points in peers)
        assert (each.median, each.limit, each.peers) == (middle, limit, len(peers) - 1)
        events = sum(fleet[each.machine_id][1].values())
        assert each.flagged == (each.score > limit and events >= 3)


def test_what_nobody_tells_is_not_nought() -> None:
    (score,) = lemons.scores([(1, "a")], {1: {"incident": 3}}, {1: ["job_failure"]})
    assert score.terms["job_failure"].count is None and score.terms["incident"].points == 3 and score.score == 3
    assert not score.flagged, "one machine is its own median"


def verified(machine: Any, status: str, ago: timedelta = timedelta(days=1)) -> Verification:
    at = timezone.now() - ago
    more = {"requested_at": at, "next_try_at": at, "deadline_at": at, "finished_at": at}
    return Verification.objects.create(machine=machine, owner="t", actor="t", status=status, **more)


@pytest.mark.django_db
def test_the_score_counts_what_happened_in_the_time_and_only_there(django_assert_num_queries: Any) -> None:
    machines = make.make_machines(5)
    lemon, now = machines[0], timezone.now()
    for _ in range(2):
        verified(lemon, "failed")
    verified(lemon, "failed", timedelta(days=40))
    verified(lemon, "passed")
    incident = Incident.objects.create(site=lemon.device.site, kind="machine", machine=lemon, title="x")
    for n, sent_at in enumerate([now, None]):
        RemediationAction.objects.create(
            key=f"k{n}", machine=lemon, incident=incident, check_id="gpu.ecc", rung=2, remedy="reset_gpu", reason="x",
            planned_by="t", sent_at=sent_at, state="confirmed" if sent_at else "cancelled", finished_at=now,
            granted_at=now,
        )  # fmt: skip
    for hour in range(3):
        at = now.replace(hour=12, minute=hour) - timedelta(days=2)
        Transition.objects.create(
            machine_id=lemon.pk,
            at=at,
            check_id="gpu.corrected",
            part="GPU 1",
            from_verdict="ok",
            to_verdict="warn",
            message="",
        )
    with django_assert_num_queries(2):
        found = asked(None, since=now - timedelta(days=30))
    worst = found[0][0]
    assert worst.machine_id == lemon.pk and worst.flagged and len(found) == 5
    assert {name: term.count for name, term in worst.terms.items()} == {
        "failed_verification": 2, "remediation": 1, "incident": 1, "job_failure": None, "ecc_storm": 1,
    }  # fmt: skip
    assert worst.score == 6 + 2 + 1 + 0.5
    answer = client_of(Role.VIEWER).get("/api/health/lemons/?flagged=1").json()
    assert answer["count"] == 1 and answer["results"][0]["machine"]["id"] == lemon.pk
    assert answer["results"][0]["terms"]["remediation"]["points"] == 2
    make.make_machines(1, site="fra1")
    assert client_of(Role.VIEWER, "fra1").get("/api/health/lemons/").json()["count"] == 1
    assert client_of(Role.VIEWER, "fra1").get(f"/api/health/lemons/?site={lemon.device.site_id}").status_code == 404


# ---- the golden set ----


@pytest.fixture
def clean(db: None) -> list[Any]:
    machines = make.make_machines(5)
    observation_store.record([make.look(m, at=timezone.now() - timedelta(seconds=60)) for m in machines])
    MachineHealth.objects.update(state_since=timezone.now() - timedelta(days=20))
    return machines


def test_clean_machines_are_promoted_and_a_fault_demotes(clean: list[Any]) -> None:
    good, recent, failed, silent, faulty = clean
    MachineHealth.objects.filter(pk=recent.pk).update(state_since=timezone.now() - timedelta(days=13))
    verified(failed, "failed")
    MachineHealth.objects.filter(pk=silent.pk).update(reachability="unreachable")
    at = timezone.now() - timedelta(days=10)
    Fault.objects.create(
        machine=faulty, slot="GPU 1", fault_class="gpu.ecc", precedence=3, kind="level", status="cleared",
        message="x", opened_at=at, seen_at=at, confirmed_at=at, cleared_at=at,
    )  # fmt: skip
    assert services.promote_clean() == 1 and services.promote_clean() == 0
    (row,) = GoldenMachine.objects.all()
    assert row.machine_id == good.pk and row.promoted_by == "automation" and "14 days" in row.reason
    observation_store.record([make.look(good, make.xid(), at=timezone.now())])
    row.refresh_from_db()
    assert row.demoted_at is not None and "gpu.bus" in row.demote_reason
    assert services.promote_clean() == 0, "and does not come back at once"


def test_each_site_says_how_long_a_machine_must_be_clean(clean: list[Any]) -> None:
    fra = make.make_machines(1, site="fra1")[0]
    observation_store.record([make.look(fra, at=timezone.now() - timedelta(seconds=60))])
    MachineHealth.objects.filter(pk=fra.pk).update(state_since=timezone.now() - timedelta(days=20))
    admin, site = client_of(Role.ADMIN), clean[0].device.site_id
    limits = "/api/health/automation/limits/"
    assert admin.patch(limits, {"site": site, "golden_days": 0}, "application/json").status_code == 400
    answer = admin.patch(limits, {"site": site, "golden_days": 30}, "application/json")
    assert answer.json()["limits"]["golden_days"] == 30
    assert [each.name for each in services.candidates()] == [fra.device.name]
    assert services.promote_clean() == 1 and GoldenMachine.objects.get().machine_id == fra.pk
    admin.patch(limits, {"site": site, "golden_days": 20}, "application/json")
    assert services.promote_clean() == 5 and GoldenMachine.objects.filter(reason__contains="for 20 days").count() == 5


def test_a_person_promotes_and_demotes_with_a_reason(clean: list[Any]) -> None:
    machine = clean[0]
    base = f"/api/health/golden/{machine.pk}"
    assert client_of(Role.VIEWER).post(f"{base}/promote/", {"reason": "x"}, "application/json").status_code == 403
    make.make_machines(1, site="fra1")
    foreign = client_of(Role.OPERATOR, "fra1").post(f"{base}/promote/", {"reason": "x"}, "application/json")
    assert foreign.status_code == 404
    client = client_of(Role.OPERATOR)
    assert client.post(f"{base}/promote/", {}, "application/json").status_code == 400
    assert (
        client.post(f"{base}/promote/", {"reason": "known good"}, "application/json").json()["reason"] == "known good"
    )
    assert client.post(f"{base}/promote/", {"reason": "again"}, "application/json").status_code == 409
    listed = client.get("/api/health/golden/").json()
    assert [row["machine"]["id"] for row in listed["results"]] == [machine.pk]
    assert machine.pk not in [
        row["machine"]["id"] for row in client.get("/api/health/golden/candidates/").json()["results"]
    ]
    assert client.post(f"{base}/demote/", {"reason": "borrowed"}, "application/json").status_code == 200
    assert client.get("/api/health/golden/").json()["count"] == 0
    assert services.promote_clean() == 4, "who was taken out by hand waits as long again"


def test_spares_are_counted_by_model(clean: list[Any]) -> None:
    site = clean[0].device.site
    part: dict[str, Any] = {"site": site, "kind": "gpu", "vendor": "NVIDIA", "part_number": "P-1"}
    inside = Component.objects.create(**part, serial="A")
    Installation.objects.create(component=inside, device=clean[0].device, slot="GPU 1", during=(NOW, None))
    shelf = StoragePlace.objects.create(site=site, name="Shelf")
    for serial, condition in (("B", "good"), ("C", "good"), ("D", "suspect")):
        Component.objects.create(**part, serial=serial, storage=shelf, condition=condition)
    MachineHealth.objects.filter(pk__in=[clean[0].pk, clean[1].pk]).update(allocation="idle")
    services.promote(clean[0].pk, reason="x", actor="anna")
    (row,) = client_of(Role.VIEWER).get("/api/health/golden/spares/").json()["results"]
    assert (row["machines"], row["golden"], row["spare_machines"], row["not_reported"]) == (5, 1, 2, 3)
    assert row["parts"] == [{"kind": "gpu", "part_number": "P-1", "good": 2}]


# ---- drift ----


@pytest.mark.django_db
def test_drift_names_the_machines_that_differ(django_assert_max_num_queries: Any) -> None:
    machines = make.make_machines(6)
    for number, machine in enumerate(machines):
        told = {"driver": "550.1" if number else "535.9"}
        MachineFacts.objects.create(machine=machine, facts=told, changed_at=timezone.now())
    client = client_of(Role.VIEWER)
    client.get("/api/health/drift/")
    with django_assert_max_num_queries(6):
        answer = client.get("/api/health/drift/?drifting=1").json()
    (row,) = answer["results"]
    assert row["majority"] == "550.1" and row["values"] == {"550.1": 5, "535.9": 1}
    assert row["machines"] == [{"id": machines[0].pk, "name": machines[0].device.name, "value": "535.9"}]
    assert row["golden"] == {}, "none is golden"
    services.promote(machines[0].pk, reason="known good", actor="anna")
    services.promote(machines[1].pk, reason="a slip", actor="anna")
    services.demote(machines[1].pk, reason="a slip", actor="anna")
    (row,) = client.get("/api/health/drift/").json()["results"]
    assert row["golden"] == {"535.9": 1} and row["majority"] == "550.1", "what is best need not be what most have"
    make.make_machines(1, site="fra1")
    assert client_of(Role.VIEWER, "fra1").get("/api/health/drift/").json()["count"] == 0
