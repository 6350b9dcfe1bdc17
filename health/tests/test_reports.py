"""What other systems report: their bodies, their rights, and that their verdicts count beside our own."""

from __future__ import annotations

import gzip
import random
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from core.models import Role, Site
from core.services import ensure_user
from health.external import reports
from health.external.reports import Result, Rules
from health.external.services import intake, reconciliation, sources
from health.models import CurrentVerdict, Fault, ReportedMachine, ReportSource, Transition
from health.monitoring.merge import CODES
from health.monitoring.services import verifications
from health.monitoring.services.sweeps import observation_store
from health.services import request_verification
from health.tests import factories as make

URL = "/api/health/reports/"
NOW = 1_800_000_000_000_000
RULES = Rules(NOW, 900 * 1_000_000)


# ---- pure ----


def result(at: int, code: int, check: str = "disk", part: str = "machine") -> Result:
    return Result(0, "m", check, part, code, at)


@given(st.lists(st.tuples(st.integers(1, 20), st.sampled_from([0, 1, 2, 4])), min_size=1, max_size=12), st.randoms())
def test_the_newest_result_wins_in_whatever_order_and_however_often_they_come(
    said: list[tuple[int, int]], shuffled: random.Random
) -> None:
    by_time = dict(said)  # one verdict for each time
    sent = [result(at, code) for at, code in by_time.items()] * 2
    shuffled.shuffle(sent)
    entries: reports.Entries = {}
    for each in sent:  # one request each
        entries = reports.fold(entries, [each]).entries
    newest = max(by_time)
    assert entries == {"disk\tmachine": [by_time[newest], newest]}
    assert reports.fold({}, sent).entries == entries, "the same in one request"


def test_unknown_does_not_hide_a_fail_and_silence_makes_the_rest_unknown() -> None:
    folded = reports.fold({"a\tx": [CODES["fail"], 5]}, [result(6, CODES["unknown"], "a", "x")])
    assert folded.entries["a\tx"] == [CODES["fail"], 6] and folded.changed == []
    entries = {"a\tx": [CODES["fail"], 5], "b\tx": [CODES["ok"], 5], "c\tx": [CODES["warn"], 9]}
    expired = reports.expire(entries, 8, forget_ok=False)
    assert {key: code for key, (code, _) in expired.entries.items()} == {"a\tx": 4, "b\tx": 3, "c\tx": 2}
    assert expired.silent == ("b\tx",)
    assert reports.expire(entries, 8, forget_ok=True).gone == ("b\tx",)


@pytest.mark.parametrize(
    ("row", "code", "word"),
    [
        ("text", "invalid", "object"),
        ({"check": "a", "verdict": "ok"}, "required", "machine"),
        ({"machine": "m", "check": "a/b", "verdict": "ok"}, "invalid", "check"),
        ({"machine": "m", "check": "a", "verdict": "fine"}, "invalid", "verdict"),
        ({"machine": "m", "check": "a", "verdict": "ok", "part": "a\nb"}, "invalid", "part"),
        ({"machine": "m", "check": "a", "verdict": "ok", "at": "2026-03-02T12:00:00"}, "invalid", "zone"),
        ({"machine": "m", "check": "a", "verdict": "ok", "at": NOW / 1e6 + 120}, "invalid", "future"),
        ({"machine": "m", "check": "a", "verdict": "ok", "at": NOW / 1e6 - 901}, "invalid", "too old"),
        ({"machine": "m", "check": "a", "verdict": "ok", "at": True}, "invalid", "at"),
        ({"machine": "m", "check": "a", "verdict": "fail", "value": "3"}, "invalid", "value"),
        ({"machine": "m", "check": "a", "verdict": "fail", "message": 3}, "invalid", "message"),
    ],
)
def test_a_result_that_is_not_right_is_refused_with_the_reason(row: Any, code: str, word: str) -> None:
    good, bad = reports.read([{"machine": "m", "check": "a", "verdict": "ok"}, row], RULES)
    assert [each.position for each in good] == [0] and good[0].at == NOW
    assert bad[0].position == 1 and bad[0].code == code and word in bad[0].reason


def test_a_clock_that_is_a_little_ahead_is_taken_as_now() -> None:
    good, bad = reports.read([{"machine": "m", "check": "a", "verdict": "ok", "at": NOW / 1e6 + 30}], RULES)
    assert not bad and good[0].at == NOW


def alert(status: str, **labels: str) -> dict[str, Any]:
    named = {"alertname": "NodeDiskFull", "instance": "gpu-ams1-0000:9100", **labels}
    return {"status": status, "labels": named, "annotations": {"summary": "disk is 97 % full"}, "startsAt": "x"}


def test_an_alert_is_a_verdict_by_its_state_and_severity() -> None:
    body = {"version": "4", "alerts": [
        alert("firing", severity="critical"), alert("firing", severity="warning"), alert("firing"),
        alert("resolved", severity="critical"), alert("firing", machine="m2", part="GPU 3", severity="info"),
    ]}  # fmt: skip
    good, bad = reports.read(reports.rows_of(body, "alertmanager"), RULES)
    assert not bad
    assert [each.code for each in good] == [CODES[word] for word in ("fail", "warn", "fail", "ok", "info")]
    assert {each.machine for each in good} == {"gpu-ams1-0000", "m2"} and good[4].part == "GPU 3"
    assert good[0].fault_class == "reported.nodediskfull" and good[0].message == "disk is 97 % full"
    with pytest.raises(reports.NotReadable):
        reports.rows_of({"alerts": {}}, "alertmanager")


@pytest.mark.parametrize(
    ("name", "is_called"),
    [
        ("Disk Full", "reported.disk-full"),
        ("reported.x", "reported.x"),
        ("//", "reported.check"),
        ("é", "reported.check"),
    ],
)
def test_a_reported_class_is_always_in_its_own_family(name: str, is_called: str) -> None:
    assert reports.fault_class(name) == is_called


# ---- stored ----

db = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)


def make_source(kind: str = "generic", site: str = "ams1", **fields: Any) -> tuple[ReportSource, str]:
    fields.setdefault("name", "nhc")
    return sources.make_source(Site.objects.get(slug=site), actor="anna", kind=kind, **fields)


def post(token: str, body: Any, query: str = "", **more: Any) -> Any:
    data = body if isinstance(body, bytes) else orjson.dumps(body)
    more.setdefault("content_type", "application/json")
    return Client(headers={"Authorization": f"Bearer {token}"}).post(URL + query, data, **more)


def said(machine: Any, verdict: str, check: str = "disk", **more: Any) -> dict[str, Any]:
    return {
        "machine": machine.device.name,
        "check": check,
        "verdict": verdict,
        "message": f"{check} is {verdict}",
        **more,
    }


@db
def test_reports_count_in_the_machine_and_sweeps_leave_them_alone() -> None:
    machine = make.make_machines(1)[0]
    now = timezone.now()
    observation_store.record([make.look(machine, at=now - timedelta(seconds=60))])
    assert make.health(machine).worst == "ok"
    _, token = make_source()
    answer = post(token, [said(machine, "warn"), said(machine, "ok", "clock")])
    assert answer.status_code == 200, answer.content
    assert answer.json() | {"errors": []} == {
        "accepted": 2, "changed": 1, "repeated": 0, "refused": 0, "errors": [], "more_errors": 0,
    }  # fmt: skip
    reconciliation.settle(machine.pk)
    health = make.health(machine)
    assert (health.worst, health.warn_count) == ("warn", 1)
    observation_store.record([make.look(machine, at=now)])
    health = make.health(machine)
    assert (health.worst, health.warn_count) == ("warn", 1), "a sweep in which all is well"
    assert CurrentVerdict.objects.get(machine=machine).check_id == "nhc/disk"
    observation_store.record([make.look(machine, make.docker_down(), at=now + timedelta(seconds=1))])
    post(token, [said(machine, "ok")])
    reconciliation.settle(machine.pk)
    health = make.health(machine)
    assert (health.worst, health.warn_count, health.fail_count) == ("fail", 0, 1), "a report leaves the sweep's alone"
    history = Transition.objects.filter(machine_id=machine.pk, check_id="nhc/disk").order_by("at")
    assert [(row.from_verdict, row.to_verdict) for row in history] == [("ok", "warn"), ("warn", "ok")]


@db
def test_the_machine_shows_what_is_reported_also_what_is_ok_and_when_nothing_was_swept() -> None:
    machine = make.make_machines(1)[0]
    _, token = make_source()
    post(token, [said(machine, "info", value=3.5, evidence="97 %"), said(machine, "ok", "clock")])
    user, _ = ensure_user("vera", role=Role.VIEWER)
    client = Client()
    client.force_login(user)
    results = client.get(f"/api/machines/{machine.pk}/verdicts/").json()["results"]
    assert [(r["check"], r["verdict"]) for r in results] == [("nhc/disk", "info"), ("nhc/clock", "ok")]
    assert results[0]["evidence"]["excerpt"] == "97 %" and results[0]["message"] == "disk is info"


@db
def test_a_reported_fail_is_a_fault_once_it_is_said_again_and_drains_within_the_cap(settings: Any) -> None:
    machine = make.make_machines(1)[0]
    now = timezone.now()
    observation_store.record([make.look(machine, at=now - timedelta(seconds=60))])
    _, token = make_source()
    first = (now - timedelta(seconds=settings.CONFIRM_DELAY_S + 5)).isoformat()
    post(token, [said(machine, "fail", part="GPU 5", at=first, fault_class="memory")])
    reconciliation.settle(machine.pk)
    reconciliation.settle(machine.pk)
    fault = Fault.objects.get(machine=machine)
    assert (fault.status, fault.fault_class, fault.slot) == ("suspected", "reported.memory", "GPU 5")
    assert ReportedMachine.objects.get().waits
    post(token, [said(machine, "fail", part="GPU 5", fault_class="memory")])
    assert ReportedMachine.objects.get().due_at is not None
    reconciliation.settle(machine.pk)
    fault.refresh_from_db()
    assert (
        fault.status == "confirmed"
        and make.health(machine).state == "drained"
        and make.health(machine).cell == "failed"
    )
    evidence = fault.all_evidence().first()
    assert evidence is not None and evidence.check_id == "nhc/disk"


@db
def test_what_passes_again_clears_by_itself_in_service_and_by_a_newer_report_in_repair(settings: Any) -> None:
    settings.CONFIRM_DELAY_S = 0
    machine, other = make.make_machines(2)
    now = timezone.now()
    observation_store.record([make.look(m, at=now - timedelta(seconds=60)) for m in (machine, other)])
    source, token = make_source()
    post(token, [said(machine, "fail", at=(now - timedelta(seconds=30)).isoformat())])
    reconciliation.settle(machine.pk)
    post(token, [said(machine, "ok")])
    reconciliation.settle(machine.pk)
    assert Fault.objects.get(machine=machine).status == "cleared", "suspected, and then seen to pass"

    for ago in (30, 20):
        post(token, [said(other, "fail", at=(now - timedelta(seconds=ago)).isoformat())])
        reconciliation.settle(other.pk)
    fault = Fault.objects.get(machine=other)
    assert fault.status == "confirmed"
    post(token, [said(other, "ok", at=(now - timedelta(seconds=10)).isoformat())])
    reconciliation.settle(other.pk)
    fault.refresh_from_db()
    assert fault.status == "confirmed", "the machine is out of service: a verification decides"
    verification = request_verification(other.pk, fault_ids=[fault.pk], owner="ticket:X-1", actor="tina")
    assert verification.deadline_at - verification.requested_at >= timedelta(seconds=source.stale_after_s)
    look = make.look(other, at=timezone.now() + timedelta(seconds=1))
    assert verifications.decide(verification, look) == "again", "the source said nothing since the repair"
    post(token, [said(other, "ok")])
    assert verifications.decide(verification, make.look(other, at=timezone.now() + timedelta(seconds=2))) == "passed"
    fault.refresh_from_db()
    assert fault.status == "cleared"


@db
def test_an_alert_stands_until_it_is_resolved(settings: Any) -> None:
    settings.CONFIRM_DELAY_S = 0.2
    machine = make.make_machines(1)[0]
    observation_store.record([make.look(machine, at=timezone.now() - timedelta(seconds=60))])
    source, token = make_source("alertmanager", name="prometheus")
    assert post(token, {"alerts": [alert("firing")]}).json()["accepted"] == 1
    reconciliation.settle(machine.pk)
    assert Fault.objects.get().status == "suspected"
    due = ReportedMachine.objects.get().due_at
    assert due is not None and due <= timezone.now() + timedelta(seconds=1)
    import time

    time.sleep(0.25)  # the delay itself: the alert says nothing again meanwhile
    reconciliation.settle(machine.pk)
    assert Fault.objects.get().status == "confirmed"
    verification = request_verification(machine.pk, fault_ids=[Fault.objects.get().pk], owner="ticket:1", actor="tina")
    later = make.look(machine, at=timezone.now() + timedelta(seconds=1))
    assert verifications.decide(verification, later) == "again", "it fires still"
    post(token, {"alerts": [alert("resolved")]})
    again = make.look(machine, at=timezone.now() + timedelta(seconds=2))
    assert verifications.decide(verification, again) == "passed"
    assert source.kind == "alertmanager" and not CurrentVerdict.objects.filter(machine=machine).exists()


@db
def test_a_check_that_is_not_heard_any_more_is_unknown_and_a_fail_stays(settings: Any) -> None:
    machine = make.make_machines(1)[0]
    observation_store.record([make.look(machine, at=timezone.now())])
    _, token = make_source()
    post(token, [said(machine, "ok"), said(machine, "fail", "clock")])
    reconciliation.settle(machine.pk)
    assert reconciliation.follow(timezone.now() + timedelta(seconds=600)) == 0, "not due yet"
    assert reconciliation.follow(timezone.now() + timedelta(seconds=901)) == 1
    reconciliation.settle(machine.pk)
    shown = {row.check_id: (row.verdict, row.message) for row in CurrentVerdict.objects.filter(machine=machine)}
    assert shown["nhc/clock"][0] == "fail" and shown["nhc/disk"][0] == "unknown"
    assert shown["nhc/disk"][1].startswith("no report from nhc since ")
    health = make.health(machine)
    assert (health.fail_count, health.unknown_count, health.worst) == (1, 1, "fail")
    post(token, [said(machine, "ok"), said(machine, "ok", "clock")])
    reconciliation.settle(machine.pk)
    health = make.health(machine)
    assert (health.fail_count, health.unknown_count, health.worst) == (0, 0, "ok")


@db
def test_what_a_lost_task_left_is_settled_by_the_periodic_one() -> None:
    machine = make.make_machines(1)[0]
    observation_store.record([make.look(machine, at=timezone.now())])
    _, token = make_source()
    post(token, [said(machine, "warn")])
    assert make.health(machine).worst == "ok", "nobody settled it yet"
    assert reconciliation.follow() == 0, "its task may still come"
    assert reconciliation.follow(timezone.now() + timedelta(seconds=61)) == 1
    reconciliation.settle_all([machine.pk])
    assert make.health(machine).worst == "warn"


@db
def test_refused_results_are_told_by_index_and_the_others_stored_unless_strict() -> None:
    machine = make.make_machines(1)[0]
    foreign = make.make_machines(1, site="fra1")[0]
    source, token = make_source()
    body = [
        said(machine, "warn"),
        said(foreign, "fail"),
        said(machine, "maybe"),
        {"machine": "nowhere", "check": "a", "verdict": "ok"},
    ]
    strict = post(token, body, "?strict=1")
    assert strict.status_code == 400 and not CurrentVerdict.objects.exists()
    assert [e["index"] for e in strict.json()["error"]["fields"]["results"]] == [1, 2, 3]
    answer = post(token, body).json()
    assert answer["accepted"] == 1 and answer["refused"] == 3
    reasons = {error["index"]: error["reason"] for error in answer["errors"]}
    assert reasons[1] == reasons[3], "whether it exists elsewhere is not reported"
    assert not CurrentVerdict.objects.filter(machine=foreign).exists()
    source.refresh_from_db()
    assert source.refused == 6 and source.last_seen_at is not None


@db
def test_a_machine_is_known_by_name_id_or_serial() -> None:
    machine, twin = make.make_machines(2)
    machine.device.serial = "SN-1"
    machine.device.save()
    _, token = make_source()
    for number, word in enumerate((machine.device.name, machine.pk, str(machine.pk), "SN-1")):
        assert post(token, {"machine": word, "check": f"c{number}", "verdict": "info"}).json()["changed"] == 1
    assert CurrentVerdict.objects.filter(machine=machine).count() == 4
    twin.device.serial = "SN-1"
    twin.device.save()
    answer = post(token, {"machine": "SN-1", "check": "d", "verdict": "info"}).json()
    assert answer["refused"] == 1, "two machines of that serial"


@db
def test_ndjson_and_gzip_are_read_and_what_is_too_large_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = make.make_machines(1)[0]
    _, token = make_source()
    lines = b"\n".join(orjson.dumps(said(machine, "info", f"c{n}")) for n in range(3)) + b"\n\n"
    assert post(token, lines, content_type="application/x-ndjson").json()["changed"] == 3
    packed = gzip.compress(orjson.dumps({"results": [said(machine, "warn", f"c{n}") for n in range(3)]}))
    assert post(token, packed, headers={"Content-Encoding": "gzip"}).json()["changed"] == 3
    for body in (b"[", b"{}", gzip.compress(b"[]")[:-5], b"\xff", b"[" * 100_000):
        assert post(token, body).status_code == 400
    assert post(token, packed[:-6], headers={"Content-Encoding": "gzip"}).status_code == 400
    assert post(token, packed, headers={"Content-Encoding": "br"}).status_code == 400
    assert post(token, b"a=b", content_type="application/x-www-form-urlencoded").status_code == 415
    monkeypatch.setattr("health.external.api.MOST_BYTES", 1000)
    bomb = gzip.compress(b" " * 100_000)
    assert len(bomb) < 1000
    assert post(token, bomb, headers={"Content-Encoding": "gzip"}).status_code == 413
    assert post(token, b" " * 2000).status_code == 413


@db
def test_a_source_says_only_what_it_may_and_nothing_when_switched_off() -> None:
    machine = make.make_machines(1)[0]
    source, token = make_source(checks=["disk"])
    answer = post(token, [said(machine, "warn"), said(machine, "warn", "clock")]).json()
    assert answer["changed"] == 1 and answer["errors"][0]["code"] == "permission_denied"
    sources.change_source(source.pk, enabled=False)
    assert post(token, [said(machine, "ok")]).status_code == 403
    assert post("src-nonsense", []).status_code == 401
    assert Client().post(URL, b"[]", content_type="application/json").status_code == 401
    sources.change_source(source.pk, enabled=True)
    _, fresh = sources.renew_token(source.pk)
    assert post(token, []).status_code == 401 and post(fresh, []).status_code == 200
    other = Client(headers={"Authorization": f"Bearer {fresh}"})
    assert other.get("/api/machines/").status_code == 401, "its token opens nothing else"


@db
def test_a_request_of_any_size_takes_the_same_number_of_statements() -> None:
    machines = make.make_machines(12)
    _, token = make_source()

    def statements(count: int, verdict: str) -> int:
        rows = [said(m, verdict, f"c{n}", part=f"GPU {n}") for m in machines[:count] for n in range(8)]
        with CaptureQueriesContext(connection) as queries:
            assert post(token, rows).json()["accepted"] == count * 8
        return len(queries)

    statements(12, "info")
    for verdict in ("fail", "warn", "ok"):
        assert statements(1, verdict) == statements(12, verdict), verdict


@db
def test_repeats_write_no_verdicts() -> None:
    machine = make.make_machines(1)[0]
    _, token = make_source()
    at = timezone.now() - timedelta(seconds=30)
    post(token, [said(machine, "warn", at=at.isoformat())])
    before = CurrentVerdict.objects.get(machine=machine)
    answer = post(token, [said(machine, "warn", at=at.isoformat())]).json()
    assert (answer["changed"], answer["repeated"]) == (0, 1)
    older = post(token, [said(machine, "fail", at=(at - timedelta(seconds=5)).isoformat())]).json()
    assert (older["changed"], older["repeated"]) == (0, 1)
    newer = post(token, [said(machine, "warn")]).json()
    assert (newer["changed"], newer["repeated"]) == (0, 0)
    after = CurrentVerdict.objects.get(machine=machine)
    assert (after.verdict, after.checked_at) == (before.verdict, before.checked_at)
    (entry,) = ReportedMachine.objects.get().entries.values()
    assert datetime.fromtimestamp(entry[1] / 1e6, UTC) > at, "that it was heard is known all the same"


@db
def test_a_source_that_is_removed_takes_its_word_with_it(settings: Any) -> None:
    settings.CONFIRM_DELAY_S = 0
    machine = make.make_machines(1)[0]
    observation_store.record([make.look(machine, at=timezone.now() - timedelta(seconds=60))])
    source, token = make_source()
    for ago in (20, 10):
        post(token, [said(machine, "fail", at=(timezone.now() - timedelta(seconds=ago)).isoformat())])
        reconciliation.settle(machine.pk)
    assert Fault.objects.get().status == "confirmed"
    sources.remove_source(source.pk, actor="anna")
    health = make.health(machine)
    assert (health.fail_count, health.worst) == (0, "ok") and Fault.objects.get().status == "cleared"
    assert not CurrentVerdict.objects.exists()


@db
def test_sources_are_for_administrators_of_their_site_and_show_their_token_once() -> None:
    make.make_machines(1)
    make.make_machines(1, site="fra1")
    ams, fra = Site.objects.get(slug="ams1"), Site.objects.get(slug="fra1")
    admin, _ = ensure_user("ada", role=Role.ADMIN, site=ams)
    client = Client()
    client.force_login(admin)
    listing = "/api/health/report-sources/"
    made = client.post(listing, {"site": ams.pk, "name": "nhc", "kind": "nhc"}, "application/json")
    assert made.status_code == 201 and made.json()["token"].startswith("src-")
    assert client.post(listing, {"site": ams.pk, "name": "nhc"}, "application/json").status_code in (400, 409)
    assert client.post(listing, {"site": fra.pk, "name": "x"}, "application/json").status_code in (400, 403)
    assert client.post(listing, {"site": ams.pk, "name": "A b"}, "application/json").status_code == 400
    pk = made.json()["id"]
    assert "token" not in client.get(f"{listing}{pk}/").json() and client.get(listing).json()["count"] == 1
    assert client.patch(f"{listing}{pk}/", {"name": "other"}, "application/json").status_code == 400
    assert client.patch(f"{listing}{pk}/", {"stale_after_s": 60}, "application/json").json()["stale_after_s"] == 60
    again = client.post(f"{listing}{pk}/renew-token/")
    assert again.status_code == 200 and again.json()["token"] != made.json()["token"]
    operator, _ = ensure_user("olga", role=Role.OPERATOR, site=ams)
    client.force_login(operator)
    assert client.post(listing, {"site": ams.pk, "name": "y"}, "application/json").status_code == 403
    assert client.delete(f"{listing}{pk}/").status_code == 403
    client.force_login(admin)
    assert client.delete(f"{listing}{pk}/").status_code == 204


@db
def test_take_is_what_the_route_calls() -> None:
    """The service by itself, as a cron job inside would use it."""
    machine = make.make_machines(1)[0]
    source, _ = make_source()
    assert intake.take(source, [said(machine, "warn")]).changed == 1


@db
@pytest.mark.parametrize("content_type", ["application/json", "application/x-ndjson"])
def test_a_body_with_a_nul_or_in_another_charset_is_refused(content_type: str) -> None:
    make.make_machines(1)
    _, token = make_source()
    answer = post(token, b'{"machine": "m\\u0000", "check": "c", "verdict": "ok"}', content_type=content_type)
    assert answer.status_code == 400 and "NUL" in answer.json()["error"]["message"]
    assert post(token, b"[]", content_type=f"{content_type}; charset=utf-16").status_code == 415
