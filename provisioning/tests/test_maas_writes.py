"""What is written to a site's MAAS because of a machine's state, and what it tells us; against a region with state."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from core.models import Role
from core.services import ensure_user
from drivers.maas.states import Status
from drivers.tests.maas_region import Record
from health.models import MachineHealth
from health.remediation.services import automation
from live.models import Event
from provisioning.maas import outside, writes
from provisioning.models import LogLine, MaasMachine, MaasRegion, MaasWrite, Run, RunMachine
from provisioning.tests.maas_site import MaasSite

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def record(maas_site: MaasSite) -> Record:
    """The machine's record, known here as a run would have left it."""
    made = maas_site.known(Status.READY)
    MaasMachine.objects.create(
        machine=maas_site.machine.row, region_id=maas_site.site.pk, system_id=made.system_id, hostname=made.hostname,
        status=made.status, status_text="Ready", seen_at=timezone.now(),
    )  # fmt: skip
    return made


def now(site: MaasSite, state: str, ticket: str = "") -> MaasWrite | None:
    """The machine is in this state; what became of it at the next round."""
    MachineHealth.objects.filter(pk=site.machine.row.pk).update(state=state, ticket_key=ticket)
    MaasWrite.objects.update(next_try_at=None)
    outside.follow_one(site.site.pk)
    return MaasWrite.objects.first()


def test_a_machine_in_repair_is_marked_broken_with_its_ticket_and_fixed_when_it_is_back(
    maas_site: MaasSite, record: Record
) -> None:
    maas_site.set(mark_broken="idle")
    write = now(maas_site, "repair", "REP-2041")
    assert write is not None and (write.kind, write.status) == ("mark_broken", "done")
    assert (record.status, record.comment) == (Status.BROKEN, "Rackside: REP-2041, repair")
    now(maas_site, "rma", "REP-2041")
    now(maas_site, "drained")
    assert record.status == Status.BROKEN and MaasWrite.objects.count() == 1, "told once"
    now(maas_site, "ready")
    assert record.status == Status.READY and MaasMachine.objects.get().status == Status.READY
    assert list(MaasWrite.objects.values_list("kind", "status")) == [("mark_fixed", "done"), ("mark_broken", "done")]
    assert not Event.objects.filter(kind__startswith="maas."), "what we did is no news"


def test_until_the_site_turns_it_on_it_is_a_dry_run(maas_site: MaasSite, record: Record) -> None:
    write = now(maas_site, "repair", "REP-1")
    assert write is not None and (write.status, write.comment) == ("dry_run", "Rackside: REP-1, repair")
    now(maas_site, "retired")
    assert record.status == Status.READY and not maas_site.region.orders


def test_a_deployed_machine_keeps_what_runs_on_it_unless_the_site_says_all(maas_site: MaasSite, record: Record) -> None:
    record.status, record.user_data = Status.DEPLOYED, "x"
    maas_site.set(mark_broken="idle")
    write = now(maas_site, "repair")
    assert write is not None and write.status == "dry_run" and "would release it" in write.message
    assert record.status == Status.DEPLOYED
    MaasMachine.objects.update(wanted="")
    maas_site.set(mark_broken="all")
    now(maas_site, "repair")
    assert record.status == Status.BROKEN


@pytest.mark.parametrize(
    ("erase", "options"), [("none", []), ("secure", ["erase", "secure_erase"]), ("full", ["erase"])]
)
def test_a_retired_machine_is_released_with_the_sites_erase(
    maas_site: MaasSite, record: Record, erase: str, options: list[str]
) -> None:
    record.status = Status.DEPLOYED
    maas_site.set(release=True, erase=erase)
    now(maas_site, "retired")
    assert record.erased == options and maas_site.region.orders == {"release": 1}
    now(maas_site, "retired")
    assert maas_site.region.orders == {"release": 1}


def test_a_machine_whose_run_was_cancelled_is_released_once_maas_is_done_with_it(
    maas_site: MaasSite, record: Record
) -> None:
    maas_site.set(release=True)
    run = Run.objects.create(site=maas_site.site, engine="maas", created_by="olga")
    RunMachine.objects.create(run=run, machine=maas_site.machine.row, status="cancelled", step="deploy")
    record.status = Status.DEPLOYING
    record.looks, record.then = 2, lambda: setattr(record, "status", Status.DEPLOYED)
    write = now(maas_site, "new")
    assert write is not None and (write.status, write.message) == ("waiting", "MAAS is at it")
    now(maas_site, "new")
    assert maas_site.region.orders == {"release": 1}


@pytest.mark.parametrize("status", [409, 503])
def test_what_maas_cannot_now_is_tried_again_and_again(maas_site: MaasSite, record: Record, status: int) -> None:
    maas_site.set(mark_broken="idle")
    MachineHealth.objects.filter(pk=maas_site.machine.row.pk).update(state="repair")
    writes.plan(maas_site.site.pk)
    for _ in range(4):
        maas_site.region.answers_first = [status]
        MaasWrite.objects.update(next_try_at=None)
        assert writes.deliver(maas_site.site.pk) == 0
    write = MaasWrite.objects.get()
    assert (write.status, write.attempts) == ("waiting", 4) and str(status) in write.message
    assert writes.deliver(maas_site.site.pk) == 0, "not before its time"
    MaasWrite.objects.update(next_try_at=None)
    assert writes.deliver(maas_site.site.pk) == 1 and record.status == Status.BROKEN


def test_a_record_that_is_gone_ends_the_write_and_is_forgotten(maas_site: MaasSite, record: Record) -> None:
    maas_site.set(mark_broken="all")
    maas_site.region.records.clear()
    write = now(maas_site, "repair")
    assert write is not None and write.status == "dropped" and "is gone" in write.message
    assert not MaasMachine.objects.exists()


def test_a_wish_that_is_overtaken_before_it_left_is_never_sent(maas_site: MaasSite, record: Record) -> None:
    maas_site.set(mark_broken="all")
    MachineHealth.objects.filter(pk=maas_site.machine.row.pk).update(state="repair")
    writes.plan(maas_site.site.pk)
    now(maas_site, "ready")
    assert list(MaasWrite.objects.values_list("kind", "status")) == [
        ("mark_fixed", "dropped"), ("mark_broken", "dropped")
    ]  # fmt: skip
    assert not maas_site.region.orders


def test_the_kill_switch_stops_it_and_it_goes_on_when_it_is_lifted(maas_site: MaasSite, record: Record) -> None:
    maas_site.set(mark_broken="idle")
    automation.kill(maas_site.site.pk, reason="the cluster is odd", actor="ada")
    write = now(maas_site, "repair")
    assert write is not None and write.status == "waiting" and "kill switch is on" in write.message
    assert write.attempts == 0 and not maas_site.region.orders
    automation.release(maas_site.site.pk, reason="over", actor="ada")
    now(maas_site, "repair")
    assert record.status == Status.BROKEN


# ---- what MAAS tells ----


def test_what_somebody_marks_broken_and_fixed_in_maas_is_told_here_once(maas_site: MaasSite, record: Record) -> None:
    record.status, record.message = Status.BROKEN, "fan 3 is loud"
    now(maas_site, "ready")
    now(maas_site, "ready")
    record.status = Status.READY
    now(maas_site, "ready")
    told = Event.objects.filter(kind__startswith="maas.").order_by("pk")
    assert [event.kind for event in told] == ["maas.machine_broken", "maas.machine_fixed"]
    assert "fan 3 is loud" in told[0].data["text"] and told[0].data["machine"] == maas_site.machine.row.pk


def test_events_go_into_the_log_of_the_run_once_and_those_from_before_do_not(
    maas_site: MaasSite, record: Record
) -> None:
    run = Run.objects.create(site=maas_site.site, engine="maas", created_by="olga")
    row = RunMachine.objects.create(run=run, machine=maas_site.machine.row, status="running", step="deploy")
    maas_site.region.say(record, "Old", "from before")
    outside.follow_one(maas_site.site.pk)
    for word in ("Performing PXE boot", "Installing OS"):
        maas_site.region.say(record, word, "ephemeral")
    maas_site.region.say(maas_site.region.add("another", "02:11:11:11:11:11"), "Of another")
    for _ in range(2):
        outside.follow_one(maas_site.site.pk)
    lines = list(LogLine.objects.filter(run_machine=row).values_list("text", flat=True))
    assert lines == ["MAAS: Performing PXE boot: ephemeral", "MAAS: Installing OS: ephemeral"]


def test_a_region_that_does_not_answer_says_so_and_loses_no_event(maas_site: MaasSite, record: Record) -> None:
    maas_site.region.say(record, "One")
    outside.follow()
    before = MaasRegion.objects.get().last_event_id
    maas_site.region.answers_first = [503]
    outside.follow()
    region = MaasRegion.objects.get()
    assert (region.state, region.last_event_id) == ("failed", before) and "503" in region.message
    outside.follow()
    assert MaasRegion.objects.get().state == "good"


# ---- set over the API ----


@pytest.fixture
def api(client: Any, maas_site: MaasSite) -> Any:
    client.force_login(ensure_user("root", role=Role.ADMIN)[0])
    return client


def path(site: MaasSite, rest: str = "") -> str:
    return f"/api/provisioning/maas/{site.site.pk}/{rest}"


def test_a_region_is_set_and_tried_and_its_key_is_never_told(api: Any, maas_site: MaasSite) -> None:
    body = {"url": maas_site.region.url, "authorities": maas_site.region.certificate, "enabled": True,
            "api_key": "consumerkey:tokenkey:tokensecret", "series": "noble", "mark_broken": "idle"}  # fmt: skip
    answer = api.patch(path(maas_site), body, content_type="application/json")
    assert answer.status_code == 200 and answer.json()["has_key"] is True
    tried = api.post(path(maas_site, "try/")).json()
    assert (tried["good"], tried["version"], tried["user"]) == (True, "3.5.2", "rackside")
    shown = api.get(path(maas_site)).content + api.get("/api/provisioning/maas/").content + answer.content
    assert b"tokensecret" not in shown and b"tokenkey" not in shown
    region = MaasRegion.objects.get()
    assert region.credential is not None and b"tokensecret" not in bytes(region.credential.secret)
    assert (region.credential.purpose, region.credential.hosts) == ("maas", ["127.0.0.1/32"])


def test_a_try_says_why_not(api: Any, maas_site: MaasSite) -> None:
    maas_site.set(api_key="consumerkey:tokenkey:anothersecret")
    tried = api.post(path(maas_site, "try/")).json()
    assert tried["good"] is False and "refused (401)" in tried["message"] and tried["version"] == "3.5.2"
    maas_site.region.version = "2.9.2"
    assert "3.0 or newer" in api.post(path(maas_site, "try/")).json()["message"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"url": "ftp://maas"}, "url"),
        ({"api_key": "only:two"}, "api_key"),
        ({"authorities": "no certificate"}, "authorities"),
        ({"url": "https://10.9.9.9/MAAS"}, "api_key"),
        ({"url": "", "enabled": True}, "url"),
        ({"mark_broken": "maybe"}, "mark_broken"),
        ({"commissioning_scripts": ["a,b"]}, "commissioning_scripts"),
        ({"series": "Jammy Jellyfish"}, "series"),
    ],
)
def test_what_is_wrong_is_refused_by_its_field_and_changes_nothing(
    api: Any, maas_site: MaasSite, body: dict[str, Any], field: str
) -> None:
    before = MaasRegion.objects.values().get()
    answer = api.patch(path(maas_site), body, content_type="application/json")
    assert answer.status_code == 400 and field in answer.json()["error"]["fields"], answer.content
    assert MaasRegion.objects.values().get() == before


def test_viewers_read_and_a_sites_administrator_does_not_move_where_logins_go(client: Any, maas_site: MaasSite) -> None:
    client.force_login(ensure_user("vera", role=Role.VIEWER)[0])
    assert client.get(path(maas_site)).status_code == 200 and client.get(path(maas_site, "writes/")).status_code == 200
    assert client.post(path(maas_site, "try/")).status_code == 403
    assert client.patch(path(maas_site), {"enabled": False}, content_type="application/json").status_code == 403
    client.force_login(ensure_user("adam", role=Role.ADMIN, site=maas_site.site)[0])
    changed = client.patch(path(maas_site), {"mark_broken": "idle"}, content_type="application/json")
    assert changed.status_code == 200 and changed.json()["mark_broken"] == "idle"
    for body in ({"url": "https://10.6.6.6/MAAS", "api_key": "a:b:c"}, {"authorities": ""}, {"enlist": False}):
        assert client.patch(path(maas_site), body, content_type="application/json").status_code == 403


def test_what_was_written_is_listed_with_its_reason(api: Any, maas_site: MaasSite, record: Record) -> None:
    now(maas_site, "repair", "REP-7")
    [row] = api.get(path(maas_site, "writes/")).json()["writes"]
    assert (row["kind"], row["status"], row["comment"]) == ("mark_broken", "dry_run", "Rackside: REP-7, repair")
    assert row["machine"]["name"] == maas_site.machine.row.device.name
