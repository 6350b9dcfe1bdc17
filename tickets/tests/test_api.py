"""The routes of this room: shapes, rights by role and site, and how many queries each takes."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from core.models import Role, Site, User
from health.monitoring.services.sweeps import observation_store
from health.tests import factories as make
from inventory.models import Machine
from inventory.search import search
from tickets import metrics
from tickets.desk.shapes import DESK_ACTIONS
from tickets.models import Ticket
from tickets.tests.conftest import OLD_SERIAL, ago, break_gpu, look_after, person

pytestmark = pytest.mark.django_db


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def post(client: Client, ticket: Ticket, action: str, **body: Any) -> Any:
    return client.post(f"/api/tickets/{ticket.key}/{action}/", body, "application/json")


def at_work(body: dict[str, Any]) -> list[str]:
    """What one may do at the rack; what one may do at the desk is in `test_desk_api`."""
    return [action for action in body["may"] if action not in DESK_ACTIONS]


def test_a_ticket_says_where_to_stand_and_what_to_touch(ticket: Ticket, tina: User) -> None:
    body = client_of(tina).get(f"/api/tickets/{ticket.key}/").json()
    name = ticket.machine.device.name
    assert body["title"] == f"Replace SXM 5 (GPU 5) in {name}" and body["priority"] == "P1" and body["status"] == "open"
    assert body["key"] == ticket.key and body["machine"] == {"id": ticket.machine_id, "name": name}
    place = body["place"]
    assert place["text"] == "Hall 1 › Rack R00 › U1–6 front › SXM 5 (GPU 5)"
    assert (place["rack"], place["u"], place["height_u"], place["face"]) == ("R00", 1, 6, "front")
    assert (place["slot"], place["slot_label"]) == ("GPU 5", "SXM 5")
    assert place["walk"]["row_racks"] and place["walk"]["position"] == 0
    assert place["unit"]["machine_height_u"] == 6 and len(place["slots"]) == 8
    assert body["component"]["serial"] == OLD_SERIAL and body["led"] == "unknown"
    assert [step["number"] for step in body["steps"]] == list(range(1, len(body["steps"]) + 1))
    assert {"swap", "scan", "verify"} <= {step["kind"] for step in body["steps"]}
    evidence = {row["check"]: row for row in body["evidence"]}
    assert evidence["gpu.xid"]["command"] == "dmesg" and evidence["gpu.xid"]["verdict"] == "fail"
    assert evidence["gpu.present"]["message"] == "GPU 5 is missing" and evidence["gpu.present"]["at"]
    assert body["summary"] and body["timeline"][0]["text"].startswith("Opened: ")
    assert body["verification"] is None and body["version"] == 1


@pytest.mark.slow
def test_what_sits_in_no_slot_has_a_place_too(tina: User) -> None:
    (machine,) = make.make_machines()
    observation_store.record([make.look(machine, make.docker_down(), at=ago(120))])
    observation_store.record([make.look(machine, make.docker_down(), at=ago(60))])
    body = client_of(tina).get(f"/api/tickets/{Ticket.objects.get().key}/").json()
    assert body["place"]["text"].endswith("U1–6 front › docker") and body["component"] is None
    assert "swap" not in body["may"]


@pytest.mark.slow
def test_lists_and_details_take_a_fixed_number_of_queries(
    tina: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    machines = make.make_machines(2)  # a third with alike faults would be a mass failure
    observation_store.record(
        [make.look(m, make.xid(), make.gone(), make.xid(gpu=1, at_us=5), at=ago(60)) for m in machines]
    )
    client = client_of(tina)
    client.get("/api/tickets/")
    with django_assert_num_queries(6):  # session, user, roles, limits, count, rows
        listed = client.get("/api/tickets/").json()
    assert listed["count"] == 4
    item = listed["results"][0]
    assert set(item) == {
        "id", "key", "title", "status", "priority", "subject", "machine", "part", "part_text", "place", "assignee",
        "opened_at", "updated_at", "closed_at", "fault_class", "queue", "priority_line", "due_at", "overdue",
        "acknowledged_at", "acknowledged_by", "snoozed_until", "reopened",
    }  # fmt: skip
    # session, user, roles, limits, ticket, five of place, led, part, five rows; of its runbook: version, newest, two of
    # cords, runs, signs, state; five of the desk
    with django_assert_num_queries(30):
        client.get(f"/api/tickets/{item['key']}/")


def test_tickets_are_filtered_searched_and_ordered(ticket: Ticket, tina: User) -> None:
    (other,) = make.make_machines()
    observation_store.record([make.look(other, make.docker_down(), at=ago(120))])
    observation_store.record([make.look(other, make.docker_down(), at=ago(60))])
    client = client_of(tina)
    post(client, ticket, "take")

    def keys(query: str) -> list[str]:
        return [row["key"] for row in client.get(f"/api/tickets/?{query}").json()["results"]]

    second = Ticket.objects.exclude(pk=ticket.pk).get()
    assert keys("status=in_work") == [ticket.key] and keys("status=in_work&status=open") == [second.key, ticket.key]
    assert keys("active=true&ordering=number") == [ticket.key, second.key] and keys("active=false") == []
    assert keys("mine=true") == [ticket.key] and keys(f"machine={other.pk}") == [second.key]
    assert keys(f"search={ticket.key.lower()}") == [ticket.key] and keys("search=GPU 5") == [ticket.key]
    assert keys(f"search={other.device.name}") == [second.key]
    assert client.get("/api/tickets/?status=lost").status_code == 400
    assert client.get("/api/tickets/REP-1/").status_code == 404
    assert client.get("/api/tickets/nonsense/").status_code == 404
    assert client.get(f"/api/tickets/{ticket.key.lower()}/").status_code == 200


def test_the_whole_work_of_a_technician_over_the_api(ticket: Ticket, tina: User) -> None:
    client = client_of(tina)
    before = client.get(f"/api/tickets/{ticket.key}/").json()
    assert at_work(before) == ["comment", "take"]
    body = post(client, ticket, "take", version=before["version"]).json()
    assert body["status"] == "in_work" and body["assignee"] == {"id": tina.pk, "name": "Tina"}
    assert at_work(body) == ["comment", "release", "step", "verify", "swap", "take_part"]
    body = post(client, ticket, "comments", text="bent pin", version=body["version"]).json()
    assert body["comments"][0]["text"] == "bent pin" and body["comments"][0]["author"] == "Tina"
    body = post(client, ticket, "steps/1", done=True, version=body["version"]).json()
    assert body["steps"][0]["done_at"] and body["steps"][0]["done_by"] == "Tina"
    assert post(client, ticket, "steps/99").status_code == 404
    body = post(client, ticket, "swap", new_serial=" 1659900000042 ", version=body["version"]).json()
    assert body["swaps"][0]["old_serial"] == OLD_SERIAL and body["swaps"][0]["new_serial"] == "1659900000042"
    assert body["component"]["serial"] == "1659900000042"
    assert next(step for step in body["steps"] if step["kind"] == "swap")["done_at"]
    body = post(client, ticket, "verify", note="seated", version=body["version"]).json()
    assert body["status"] == "verifying" and body["verification"]["status"] == "waiting"
    assert at_work(body) == ["comment"]
    assert look_after(ticket, boot_id="boot-b") == "passed"
    body = client.get(f"/api/tickets/{ticket.key}/").json()
    assert body["status"] == "closed" and body["closed_at"] and body["verification"]["status"] == "passed"
    assert body["verification"]["results"] and body["steps"][-1]["done_at"]
    assert body["timeline"][-1]["text"].startswith("Verification passed")
    machine = client.get(f"/api/machines/{ticket.machine_id}/").json()
    assert machine["health"]["state"] == "ready" and machine["tickets"][0]["key"] == ticket.key


def test_a_stale_version_is_a_conflict_that_carries_the_fresh_ticket(ticket: Ticket, tina: User, olga: User) -> None:
    post(client_of(tina), ticket, "take", version=1)
    answer = post(client_of(olga), ticket, "close", reason="noise", version=1)
    assert answer.status_code == 409
    error = answer.json()["error"]
    assert error["code"] == "conflict" and error["current"]["status"] == "in_work" and error["current"]["version"] == 2
    assert at_work(error["current"]) == ["comment", "release", "step", "verify", "swap", "take_part", "close"], (
        "what olga may"
    )


def test_new_evidence_is_no_conflict(ticket: Ticket, tina: User) -> None:
    observation_store.record([make.look(ticket.machine_id or 0, make.xid(), make.gone(), make.nvlink(), at=ago(30))])
    assert Ticket.objects.get().evidence.filter(check_id="nvlink.links").exists()
    assert post(client_of(tina), ticket, "take", version=1).status_code == 200


def test_what_the_state_does_not_allow_is_refused_with_its_reason_and_is_no_race(
    ticket: Ticket, tina: User, olga: User
) -> None:
    client = client_of(tina)
    for action, body in (("verify", {}), ("swap", {"new_serial": "1"}), ("steps/1", {}), ("led", {"on": True})):
        answer = post(client, ticket, action, **body)
        assert answer.status_code == 409 and "take it before" in answer.json()["error"]["message"], action
        assert answer.json()["error"]["code"] == "refused", action
    assert "cannot release" in post(client, ticket, "release", reason="x").json()["error"]["message"]
    assert "cannot reopen" in post(client_of(olga), ticket, "reopen", reason="x").json()["error"]["message"]


def test_steps_that_must_be_proven_are_not_ticked_without_their_proof(ticket: Ticket, tina: User) -> None:
    client = client_of(tina)
    steps = {row["kind"]: row["number"] for row in post(client, ticket, "take").json()["steps"]}
    scan, swap = steps["scan"], steps["swap"]
    for number in (scan, swap):
        error = post(client, ticket, f"steps/{number}").json()["error"]
        assert error["code"] == "refused" and "or say why not" in error["message"]
    wrong = post(client, ticket, f"steps/{scan}", scanned="hgx-z99-09").json()["error"]
    assert wrong["message"] == f"The label hgx-z99-09 is not that of {ticket.machine.device.name}."
    body = post(client, ticket, f"steps/{scan}", scanned=ticket.machine.device.name).json()
    assert body["steps"][scan - 1]["done_by"] == "Tina"
    body = post(client, ticket, f"steps/{swap}", skip="Reseating was enough").json()
    assert body["steps"][swap - 1]["done_at"]
    assert f"Step {swap} skipped: Reseating was enough" in [line["text"] for line in body["timeline"]]
    assert post(client, ticket, f"steps/{scan}", done=False).status_code == 200, "taking it back needs no proof"


def test_a_swap_of_a_part_without_a_slot_needs_its_new_serial_or_a_reason(ticket: Ticket, tina: User) -> None:
    client = client_of(tina)
    swap = next(row["number"] for row in post(client, ticket, "take").json()["steps"] if row["kind"] == "swap")
    Ticket.objects.filter(pk=ticket.pk).update(part="")
    for label in ("", "X1"):
        error = post(client, ticket, f"steps/{swap}", scanned=label).json()["error"]
        assert error["code"] == "refused" and "or say why not" in error["message"]
    body = post(client, ticket, f"steps/{swap}", scanned="PSU-77Q1").json()
    assert body["steps"][swap - 1]["done_at"]
    assert f"Step {swap}: PSU-77Q1 put in" in [line["text"] for line in body["timeline"]]


def test_a_part_is_called_the_same_wherever_it_is_printed(ticket: Ticket, tina: User) -> None:
    """Titles, lists, places, steps, evidence, verdicts, history, components, search: the chassis' number first."""
    client, named = client_of(tina), "SXM 5 (GPU 5)"
    body = client.get(f"/api/tickets/{ticket.key}/").json()
    assert named in body["title"] and body["part_text"] == named and body["place"]["slot_text"] == named
    assert body["place"]["text"].endswith(named)
    assert any(named in step["title"] for step in body["steps"])
    assert {row["part_text"] for row in body["evidence"]} == {named}
    listed = client.get("/api/tickets/").json()["results"][0]
    assert listed["part_text"] == named and listed["place"]["text"].endswith(f"› {named}")
    machine = f"/api/machines/{ticket.machine_id}"
    verdicts = client.get(f"{machine}/verdicts/").json()["results"]
    assert {row["part_text"] for row in verdicts if row["part"] == "GPU 5"} == {named}
    changes = client.get(f"{machine}/history/").json()["transitions"]
    assert named in {row["part_text"] for row in changes}
    lanes = client.get(f"{machine}/timeline/").json()["lanes"]
    told = [item["title"] for lane in lanes for item in lane["items"] if "GPU 5" in item["title"]]
    assert told and all(named in title for title in told)
    parts = {row["slot"]: row for row in client.get(f"{machine}/components/").json()["results"]}
    assert parts["GPU 5"]["text"] == named
    life = client.get(f"/api/components/{parts['GPU 5']['component']}/life/").json()
    assert life["text"].endswith(named) and life["stays"][0]["slot_text"] == named
    found = client.get("/api/search/", {"q": OLD_SERIAL}).json()["results"]
    assert any(row["subtitle"].endswith(named) for row in found)


def test_another_technician_may_comment_and_give_back_but_not_do_the_work(ticket: Ticket, tina: User) -> None:
    post(client_of(tina), ticket, "take")
    other = client_of(person("tom"))
    assert at_work(other.get(f"/api/tickets/{ticket.key}/").json()) == ["comment", "release"]
    answer = post(other, ticket, "verify")
    assert answer.status_code == 403 and answer.json()["error"]["message"] == f"{ticket.key} is with Tina."
    assert post(other, ticket, "take").status_code == 409
    assert post(other, ticket, "comments", text="need help?").status_code == 200
    body = post(other, ticket, "release", reason="shift is over").json()
    assert body["status"] == "open" and body["assignee"] is None
    assert post(other, ticket, "take").json()["assignee"]["name"] == "Tom"


def test_a_viewer_reads_and_does_nothing_and_only_an_operator_closes(ticket: Ticket, tina: User, olga: User) -> None:
    viewer = client_of(person("vera", Role.VIEWER))
    assert viewer.get(f"/api/tickets/{ticket.key}/").json()["may"] == []
    actions = ("take", "release", "comments", "steps/1", "swap", "verify", "led", "close", "reopen")
    for action in actions:
        assert post(viewer, ticket, action, reason="x").status_code == 403, action
    technician = client_of(tina)
    for action in ("close", "reopen"):
        assert post(technician, ticket, action, reason="x").status_code == 403
    assert post(client_of(olga), ticket, "close").status_code == 400, "a reason is needed"
    assert post(client_of(olga), ticket, "close", reason="scrapped").json()["status"] == "closed"
    assert Client().get("/api/tickets/").status_code in (401, 403)


def test_nothing_of_another_site_is_seen_or_touched(broken: Machine, olga: User) -> None:
    ours = Ticket.objects.get()
    theirs_machine = break_gpu(site="fra1")
    theirs = Ticket.objects.get(machine=theirs_machine)
    local = person("local", Role.ADMIN, Site.objects.get(slug="fra1"))
    client = client_of(local)
    assert [row["key"] for row in client.get("/api/tickets/").json()["results"]] == [theirs.key]
    assert client.get(f"/api/tickets/?search={ours.key}").json()["count"] == 0
    assert client.get(f"/api/tickets/?machine={ours.machine_id}").json()["count"] == 0
    assert client.get(f"/api/tickets/{ours.key}/").status_code == 404
    body = {"reason": "x", "text": "x", "new_serial": "1", "on": True}
    for action in ("take", "release", "comments", "steps/1", "swap", "verify", "led", "close", "reopen"):
        assert post(client, ours, action, **body).status_code == 404, action
    assert client.get(f"/api/search/?q={ours.key}").json()["results"] == []
    assert [row["title"] for row in client.get(f"/api/search/?q={theirs.key}").json()["results"]] == [theirs.key]
    # a serial of another site does not tell which machine it is in
    post(client, theirs, "take")
    answer = post(client, theirs, "swap", new_serial=OLD_SERIAL)
    assert broken.device.name not in answer.content.decode()
    ours.refresh_from_db()
    assert ours.version == 1 and ours.status == "open"


def test_a_role_counts_only_on_its_own_site(broken: Machine) -> None:
    ours = Ticket.objects.get()
    break_gpu(site="fra1")
    mixed = person("mixed", Role.OPERATOR, Site.objects.get(slug="fra1"))
    person("mixed", Role.VIEWER, Site.objects.get(slug="ams1"))
    client = client_of(mixed)
    assert client.get(f"/api/tickets/{ours.key}/").json()["may"] == []
    assert post(client, ours, "take").status_code == 403
    assert post(client, ours, "close", reason="x").status_code == 403


@pytest.mark.parametrize(
    ("serial", "field", "says"),
    [
        ("", "new_serial", "may not be blank"),
        (OLD_SERIAL, "new_serial", "before"),
        ("1650000000099", "new_serial", "is installed in"),
    ],
)
def test_a_serial_that_cannot_be_is_refused_with_the_reason(
    ticket: Ticket, tina: User, serial: str, field: str, says: str
) -> None:
    from tickets.tests.conftest import install

    assert ticket.machine
    install(ticket.machine, "GPU 3", "1650000000099")
    client = client_of(tina)
    post(client, ticket, "take")
    answer = post(client, ticket, "swap", new_serial=serial)
    assert answer.status_code == 400 and says in answer.json()["error"]["fields"][field][0]
    assert ticket.swaps.count() == 0


def test_a_person_may_open_a_ticket_for_what_nobody_measures(broken: Machine, tina: User) -> None:
    client, ours = client_of(tina), Ticket.objects.get()
    body = {"machine": broken.pk, "part": "PSU 2", "text": "it rattles"}
    answer = client.post("/api/tickets/", body, "application/json")
    assert answer.status_code == 201 and answer.json()["part"] == "PSU 2" and answer.json()["summary"] == "it rattles"
    again = client.post("/api/tickets/", body, "application/json")
    assert again.status_code == 409 and answer.json()["key"] in again.json()["error"]["message"]
    same = client.post("/api/tickets/", body | {"part": ours.part}, "application/json")
    assert same.status_code == 409 and ours.key in same.json()["error"]["message"]
    theirs = break_gpu(site="fra1")
    local = client_of(person("local", Role.TECHNICIAN, Site.objects.get(slug="ams1")))
    for machine in (theirs.pk, 10**9):
        refused = local.post("/api/tickets/", body | {"machine": machine}, "application/json")
        assert refused.status_code == 400 and refused.json()["error"]["fields"]["machine"]
    assert local.post("/api/tickets/", {}, "application/json").status_code == 400
    viewer = client_of(person("vera", Role.VIEWER))
    assert viewer.post("/api/tickets/", body, "application/json").status_code == 403


def test_a_reported_ticket_is_verified_by_a_look_at_the_whole_machine(tina: User) -> None:
    (machine,) = make.make_machines()
    client = client_of(tina)
    key = client.post("/api/tickets/", {"machine": machine.pk, "text": "it rattles"}, "application/json").json()["key"]
    ticket = Ticket.objects.get(number=int(key.removeprefix("REP-")))
    post(client, ticket, "take")
    post(client, ticket, "verify")
    assert look_after(ticket, make.docker_down()) == "failed"
    body = client.get(f"/api/tickets/{key}/").json()
    assert body["status"] == "in_work" and body["evidence"][-1]["message"] == "docker does not answer"
    post(client, ticket, "verify")
    assert look_after(ticket, after_s=8) == "passed"
    assert client.get(f"/api/tickets/{key}/").json()["status"] == "closed"


def test_a_ticket_is_found_by_its_key(ticket: Ticket) -> None:
    found = search(ticket.key, None)
    assert found[0]["kind"] == "ticket" and found[0]["url"] == f"/tickets/{ticket.key}"
    assert search(ticket.key.lower(), [ticket.site_id])[0]["title"] == ticket.key
    assert search(ticket.key, [ticket.site_id + 1]) == [] and search("REP-x", None) == []


def test_metrics_count_open_tickets_by_priority(
    ticket: Ticket, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(2):
        families = {family.name: family for family in metrics.collect()}
    (sample,) = families["rackside_tickets"].samples
    assert sample.value == 1 and sample.labels == {"site": "ams1", "status": "open", "priority": "P1"}
    assert families["rackside_ticket_oldest_age_seconds"].samples[0].value >= 0


def test_the_admin_site_shows_tickets_and_changes_none(ticket: Ticket) -> None:
    client = client_of(person("root", Role.ADMIN))
    assert client.get(f"/admin/tickets/ticket/{ticket.pk}/change/").status_code == 200
    assert client.post(f"/admin/tickets/ticket/{ticket.pk}/change/", {"title": "x"}).status_code == 403
    assert client.get("/admin/tickets/ticket/add/").status_code == 403
