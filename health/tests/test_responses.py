"""The severity of a fault decides the action: note, ticket, cordon, drain, drain now; a site may decide otherwise."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st

from config import periodic
from core.models import Role, RoleGrant, User
from health.checks.faults import FAULT_CLASSES, TABLE, read_classes
from health.checks.levels import Severity
from health.checks.responses import IN_SERVICE, Escalation, Response, Rule, Standing, hardest, respond
from health.models import Fault, Hold, Incident, LifecycleChange, Pool, ResponseOverride
from health.monitoring.queries.responses import TABLE as RULES
from health.monitoring.services import decisions, fault_responses, verifications
from health.monitoring.services.sweeps import observation_store
from health.monitoring.tasks import end_expired_responses
from health.remediation.services.drains import drain_waiting
from health.tests import factories as make
from inventory.models import Machine
from live.models import Event

STAYS = ("bmc.unreachable", "bmc.degraded", "psu.lost", "psu.redundancy", "fan.failed", "nvme.gone", "nvme.failing",
         "disk.pool", "inlet.hot", "gpu.thermal", "power.over", "gpu.firmware", "psu.identity")  # fmt: skip
LEAVES = ("gpu.gone", "gpu.bus", "gpu.memory", "nvlink.down", "nvswitch.fatal", "hca.gone", "hca.link", "hca.rate",
          "driver.down", "fabricmanager.down", "memory.uncorrectable", "machine.unreachable")  # fmt: skip


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)


def ago(seconds: float) -> datetime:
    return timezone.now() - timedelta(seconds=seconds)


def bmc_dead() -> make.Finding:
    return make.Finding("bmc.reachable", "machine", "fail", "the BMC does not answer", "", "bmc.unreachable", 0)


def supply(number: int) -> make.Finding:
    return make.Finding("bmc.psu", f"PSU {number}", "fail", f"PSU {number} has no input", "", "psu.lost", 3)


def throttled(gpu: int = 5) -> make.Finding:
    return make.Finding("gpu.ecc", f"GPU {gpu}", "fail", "thermal slowdown", "", "gpu.throttled", 3)


def confirmed(machine: Machine, *findings: make.Finding, start: float = 300) -> None:
    """Two looks, far enough apart, that show the same."""
    for seconds in (start, start - 60):
        observation_store.record([make.look(machine, *findings, at=ago(seconds))])


def fault(fault_class: str) -> Fault:
    return Fault.objects.get(fault_class=fault_class)


# ---- the table ----


def test_every_class_has_a_response() -> None:
    for name, known in FAULT_CLASSES.items():
        assert isinstance(known.response, Response), name


@pytest.mark.parametrize("column", ["response", "severity", "starts_at", "precedence", "hot", "ticket"])
def test_a_class_without_one_of_its_words_is_refused_with_its_name(column: str) -> None:
    lines = [line for line in TABLE.read_text().splitlines() if not line.startswith("#")]
    names = lines[0].split(",")
    row = lines[1].split(",", len(names) - 1)
    row[names.index(column)] = ""
    with pytest.raises(ValueError, match=r"fault_classes.csv, gpu\.gone"):
        read_classes([lines[0], ",".join(row)])


@pytest.mark.parametrize("name", STAYS)
def test_what_costs_no_job_anything_leaves_the_machine_in_service(name: str) -> None:
    assert not FAULT_CLASSES[name].response.takes_out


@pytest.mark.parametrize("name", LEAVES)
def test_what_breaks_jobs_takes_the_machine_out(name: str) -> None:
    assert FAULT_CLASSES[name].response.takes_out


def test_drain_now_is_kept_for_danger_and_its_tickets_are_urgent() -> None:
    now = {name for name, known in FAULT_CLASSES.items() if known.response is Response.DRAIN_NOW}
    assert now == {"leak.detected", "memory.uncorrectable", "disk.error", "kernel.crash"}
    assert {FAULT_CLASSES[name].priority for name in now} == {"P1"}


CLASSES = st.sampled_from(sorted(RULES))
STANDING = st.builds(Standing, st.sampled_from(["A", "B", "C"]), CLASSES, st.booleans())


@given(st.lists(STANDING, max_size=8, unique_by=lambda fault: fault.key))
@settings(max_examples=300, deadline=None)
def test_one_more_confirmed_fault_never_makes_a_machine_safer(faults: list[Standing]) -> None:
    asked = respond(faults, RULES)
    for fault in faults:
        without = respond([other for other in faults if other is not fault], RULES)
        assert all(asked[key].rank >= response.rank for key, response in without.items())
        assert asked[fault.key].rank >= RULES[fault.fault_class].response.rank


def test_a_leader_asks_for_the_hardest_of_what_it_leads() -> None:
    leader = Standing("GPU 5", "gpu.thermal", True)
    found = respond([leader, Standing("GPU 5", "gpu.gone", True, leader.key)], RULES)
    assert found[leader.key] is Response.DRAIN
    suspected = respond([leader, Standing("GPU 5", "gpu.gone", False, leader.key)], RULES)
    assert suspected[leader.key] is Response.TICKET


def test_an_unknown_class_is_drained() -> None:
    assert respond([Standing("x", "quantum.decay", True)], RULES) == {("x", "quantum.decay"): Response.DRAIN}
    assert hardest([]) is Response.NOTE


def test_an_escalation_counts_slots_that_are_confirmed() -> None:
    rules = {"psu.lost": Rule(Response.TICKET, Escalation(2, Response.DRAIN))}
    one, two = Standing("PSU 1", "psu.lost", True), Standing("PSU 2", "psu.lost", True)
    assert set(respond([one, Standing("PSU 2", "psu.lost", False)], rules).values()) == {Response.TICKET}
    assert set(respond([one, two], rules).values()) == {Response.DRAIN}


# ---- on a machine ----


@pytest.mark.django_db
def test_a_dead_bmc_leaves_its_machine_in_service_with_a_warning_on_the_map() -> None:
    (machine,) = make.make_machines()
    confirmed(machine, bmc_dead())
    found, health = fault("bmc.unreachable"), make.health(machine)
    assert (found.status, found.response, found.drain) == ("confirmed", "ticket", "")
    assert (health.state, health.cell) == ("ready", "suspect")
    assert not Hold.objects.exists() and not Incident.objects.exists()
    assert drain_waiting() == 0 and make.health(machine).state == "ready"


@pytest.mark.django_db
def test_one_supply_of_a_pair_is_a_ticket_and_the_second_takes_the_machine_out() -> None:
    (machine,) = make.make_machines()
    confirmed(machine, supply(1))
    assert make.health(machine).state == "ready"
    confirmed(machine, supply(1), supply(2), start=200)
    assert set(Fault.objects.values_list("response", flat=True)) == {"drain"}
    assert make.health(machine).state == "drained" and Hold.objects.filter(lifted_at=None).count() == 2


@pytest.mark.django_db
def test_a_gpu_lost_beside_a_dead_bmc_is_repaired_and_the_machine_returns_although_the_bmc_stays_dead() -> None:
    (machine,) = make.make_machines()
    confirmed(machine, bmc_dead())
    observation_store.record([make.look(machine, make.xid(), make.gone(), bmc_dead(), at=ago(100))])
    assert make.health(machine).state == "drained"
    assert [hold.owner for hold in Hold.objects.filter(lifted_at=None)] == [fault("gpu.bus").hold_owner] or [
        hold.owner for hold in Hold.objects.filter(lifted_at=None)
    ] == [fault("gpu.gone").hold_owner]
    leader = Fault.objects.get(led_by=None, slot="GPU 5")
    asked = verifications.request_verification(machine.pk, fault_ids=[leader.pk], owner="person:x", actor="x")
    claimed = verifications.WORK.take(asked.pk)
    assert claimed is not None
    look = make.look(machine, bmc_dead(), at=asked.requested_at + timedelta(seconds=5), boot_id="boot-b")
    assert verifications.decide(claimed, look) == "passed"
    assert make.health(machine).state == "ready" and fault("bmc.unreachable").status == "confirmed"


@pytest.mark.django_db
def test_a_whole_machine_passes_its_verification_although_its_bmc_is_dead() -> None:
    (machine,) = make.make_machines()
    confirmed(machine, bmc_dead())
    asked = verifications.request_verification(machine.pk, fault_ids=[], owner="person:x", actor="x")
    claimed = verifications.WORK.take(asked.pk)
    assert claimed is not None
    look = make.look(machine, bmc_dead(), at=asked.requested_at + timedelta(seconds=5))
    assert verifications.decide(claimed, look) == "passed"


@pytest.mark.django_db
def test_a_cordon_ends_by_itself_and_a_drain_does_not() -> None:
    cordoned, drained = make.make_machines(2)
    confirmed(cordoned, throttled())
    confirmed(drained, make.gone())
    assert {make.health(machine).state for machine in (cordoned, drained)} == {"drained"}
    for machine in (cordoned, drained):
        observation_store.record([make.look(machine, at=ago(60))])
    assert make.health(cordoned).state == "ready" and not Hold.objects.filter(machine=cordoned, lifted_at=None).exists()
    assert make.health(drained).state == "drained"
    last = LifecycleChange.objects.filter(machine=cordoned).latest("pk")
    assert last.reason == "its checks pass again, and nothing else holds it"


@pytest.mark.django_db
def test_a_cordoned_machine_with_something_worse_stays_out() -> None:
    (machine,) = make.make_machines()
    confirmed(machine, throttled())
    confirmed(machine, throttled(), make.gone(2), start=200)
    observation_store.record([make.look(machine, make.gone(2), at=ago(60))])
    assert fault("gpu.throttled").status == "cleared" and make.health(machine).state == "drained"


@pytest.mark.django_db
def test_what_shows_later_under_a_mild_leader_takes_the_machine_out() -> None:
    (machine,) = make.make_machines()
    hot = make.Finding("gpu.temperature", "GPU 5", "fail", "88 C", "", "gpu.thermal", 3)
    confirmed(machine, hot)
    assert make.health(machine).state == "ready"
    confirmed(machine, hot, make.gone(), start=200)
    leader = fault("gpu.thermal")
    assert leader.led_by is None and leader.response == "drain" and make.health(machine).state == "drained"


@pytest.mark.django_db
def test_machines_in_danger_take_the_last_place_of_the_budget_first() -> None:
    first, second = make.make_machines(2, share=0.0)
    observation_store.record([make.look(first, make.xid(), make.gone(), at=ago(200))])
    damaged = make.Finding("disk.errors", "machine", "fail", "damaged", "", "disk.error", 3, kind="event",
                           event_key="boot-a:5:x", event_at_us=5)  # fmt: skip
    observation_store.record([make.look(second, damaged, at=ago(100))])
    assert fault("disk.error").response == "drain_now" and make.health(second).state == "ready", "the cap holds"
    Pool.objects.update(max_unavailable_share=0.5)
    assert drain_waiting() == 1
    assert (make.health(first).state, make.health(second).state) == ("ready", "drained")


# ---- what a site decides ----


@pytest.mark.django_db
def test_a_site_decides_otherwise_and_machines_follow() -> None:
    (machine,) = make.make_machines()
    confirmed(machine, bmc_dead())
    site_id = machine.device.site_id
    row = decisions.override_response("bmc.unreachable", site_id, "drain", reason="no way in", owner="x", actor="x")
    assert fault_responses.follow("bmc.unreachable", site_id) == 1
    assert make.health(machine).state == "drained" and fault("bmc.unreachable").response == "drain"
    decisions.end(row, actor="x")
    fault_responses.follow("bmc.unreachable", site_id)
    found = fault("bmc.unreachable")
    assert found.response == "ticket" and not Hold.objects.filter(lifted_at=None).exists()


@pytest.mark.django_db
def test_the_decision_of_a_site_goes_before_that_of_all_and_before_the_count() -> None:
    (machine,) = make.make_machines()
    site_id = machine.device.site_id
    decisions.override_response("psu.lost", None, "drain_now", reason="r", owner="x", actor="x")
    decisions.override_response("psu.lost", site_id, "note", reason="r", owner="x", actor="x")
    confirmed(machine, supply(1), supply(2))
    assert set(Fault.objects.values_list("response", flat=True)) == {"note"} and make.health(machine).state == "ready"


@pytest.mark.django_db
def test_when_a_response_expires_the_faults_that_stand_follow_the_table_again(
    django_capture_on_commit_callbacks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "health.monitoring.tasks.follow_response.apply_async", lambda args: fault_responses.follow(*args)
    )
    (machine,) = make.make_machines()
    at = timezone.now() + timedelta(days=1)
    row = decisions.override_response(
        "bmc.unreachable", machine.device.site_id, "note", reason="r", owner="x", actor="x", expires_at=at
    )
    confirmed(machine, bmc_dead())
    assert fault("bmc.unreachable").response == "note"
    with django_capture_on_commit_callbacks(execute=True):
        assert decisions.end_expired() == 0, "its time is not over"
    ResponseOverride.objects.update(created_at=ago(7200), expires_at=ago(1))
    before = Event.objects.filter(kind="fault.seen_again").count()
    with django_capture_on_commit_callbacks(execute=True):
        assert decisions.end_expired() == 1 and decisions.end_expired() == 0
    row.refresh_from_db()
    assert row.ended_by == "expiry" and fault("bmc.unreachable").response == "ticket"
    assert Event.objects.filter(kind="fault.seen_again").count() == before + 1, "its ticket opens"
    told = Event.objects.filter(kind="policy.changed").order_by("id").last()
    assert told is not None and told.data["id"] == row.pk
    assert end_expired_responses.name in {row.task for row in periodic.TABLE}


@pytest.fixture
def operator(db: None) -> Client:
    user = User.objects.create(username="olga")
    RoleGrant.objects.create(user=user, site=None, role=Role.OPERATOR)
    client = Client()
    client.force_login(user)
    return client


@pytest.mark.django_db
def test_the_table_is_read_and_overridden_over_the_api(operator: Client) -> None:
    (machine,) = make.make_machines()
    site_id = machine.device.site_id
    body = {"fault_class": "psu.lost", "response": "note", "site": site_id, "reason": "two of six may be out"}
    made = operator.post("/api/health/responses/", body, "application/json")
    assert made.status_code == 201, made.content
    rows = {
        row["fault_class"]: row for row in operator.get(f"/api/health/fault-classes/?site={site_id}").json()["results"]
    }
    assert set(rows) == set(FAULT_CLASSES)
    assert rows["psu.lost"]["response"] == "note" and rows["psu.lost"]["usual"] == "ticket"
    assert rows["psu.lost"]["override"] == made.json()["id"] and rows["fan.failed"]["escalation"]["count"] == 2
    assert operator.post("/api/health/responses/", body, "application/json").status_code == 409
    for wrong in ({"response": "explode"}, {"fault_class": "no.such"}, {"reason": ""}, {"site": 999_999}):
        assert operator.post("/api/health/responses/", body | wrong, "application/json").status_code == 400, wrong
    assert operator.delete(f"/api/health/responses/{made.json()['id']}/").status_code == 204
    assert ResponseOverride.objects.get().ended_by == "olga"
    assert operator.get("/api/health/fault-classes/?site=999999").status_code == 400


@pytest.mark.django_db
def test_a_site_s_table_offers_no_decision_but_its_own_and_one_call_changes_it(operator: Client) -> None:
    (machine,) = make.make_machines()
    site_id = machine.device.site_id
    everywhere = decisions.override_response("psu.lost", None, "drain", reason="r", owner="olga", actor="olga")

    def row(query: str = f"?site={site_id}") -> tuple[object, ...]:
        rows = operator.get(f"/api/health/fault-classes/{query}").json()["results"]
        (found,) = [each for each in rows if each["fault_class"] == "psu.lost"]
        return found["response"], found["usual"], found["override"]

    assert row() == ("drain", "drain", None)
    assert row("") == ("drain", "ticket", everywhere.pk)
    own = decisions.override_response("psu.lost", site_id, "note", reason="r", owner="olga", actor="olga")
    assert row() == ("note", "drain", own.pk)
    path, body = f"/api/health/responses/{own.pk}/", {"response": "cordon", "reason": "other"}
    assert operator.patch(path, body, "application/json").status_code == 200
    assert row() == ("cordon", "drain", own.pk)
    assert operator.delete(path).status_code == 204
    assert row() == ("drain", "drain", None) and row("")[2] == everywhere.pk


def test_the_responses_that_leave_a_machine_in_service_are_told_by_one_list() -> None:
    assert set(IN_SERVICE) == {Response.NOTE, Response.TICKET}


def test_the_priority_of_a_ticket_follows_the_severity_of_its_class() -> None:
    assert {known.priority for known in FAULT_CLASSES.values() if known.severity is Severity.CRITICAL} == {"P1"}
    assert {known.priority for known in FAULT_CLASSES.values() if known.severity is Severity.MAJOR} == {"P2"}
    by_severity = {(known.severity, known.priority) for known in FAULT_CLASSES.values()}
    assert len(by_severity) == len({severity for severity, _ in by_severity}), "one priority for a severity"
