"""The routes of the desk: who may do what, many at once, the board, filters, a site's policy."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from core.models import Role, Site, User
from health.monitoring.services.sweeps import observation_store
from health.tests import factories as make
from tickets.desk import services as desk
from tickets.models import Ticket
from tickets.tests.conftest import ago, break_gpu, person

pytestmark = pytest.mark.django_db
JSON = "application/json"


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def post(client: Client, path: str, **body: Any) -> Any:
    return client.post(f"/api/tickets/{path}/", body, JSON)


def two_tickets() -> list[Ticket]:
    for machine in make.make_machines(2):
        observation_store.record([make.look(machine, make.xid(), make.gone(), at=ago(60))])
    return list(Ticket.objects.order_by("number"))


def keys(client: Client, **query: Any) -> set[str]:
    return {row["key"] for row in client.get("/api/tickets/", query).json()["results"]}


def test_everything_of_the_desk_is_an_endpoint(ticket: Ticket, tina: User, olga: User) -> None:
    of_tina, of_olga = client_of(tina), client_of(olga)
    until = (timezone.now() + timedelta(hours=1)).isoformat()
    seen = post(of_tina, f"{ticket.key}/acknowledge").json()
    assert seen["acknowledged_by"] == {"id": tina.pk, "name": "Tina"} and "acknowledge" not in seen["may"]
    assert post(of_tina, f"{ticket.key}/queue", queue="vendor", reason="warranty").json()["queue"] == "vendor"
    asleep = post(of_tina, f"{ticket.key}/snooze", until=until, reason="waits for the part").json()
    assert asleep["snoozed_until"] and asleep["snooze_reason"] == "waits for the part" and "unsnooze" in asleep["may"]
    assert post(of_tina, f"{ticket.key}/unsnooze").json()["snoozed_until"] is None
    assert post(of_tina, f"{ticket.key}/watch", on=True).json()["watching"] is True
    assert post(of_olga, f"{ticket.key}/assign", to=tina.pk).json()["assignee"]["name"] == "Tina"
    by_hand = post(of_olga, f"{ticket.key}/priority", priority="P3", reason="hall is empty").json()
    assert by_hand["priority"] == "P3" and by_hand["priority_by_hand"] is True
    assert post(of_olga, f"{ticket.key}/priority", priority="P2").status_code == 400  # no reason
    tasks = post(of_tina, f"{ticket.key}/tasks", text="Order pads").json()["sub_tasks"]
    assert post(of_tina, f"{ticket.key}/tasks/1", done=True).json()["sub_tasks"][0]["done_by"]["name"] == "Tina"
    assert tasks and post(of_tina, f"{ticket.key}/tasks/1/remove").json()["sub_tasks"] == []
    assert post(of_tina, f"{ticket.key}/tasks/7", done=True).status_code == 404
    assert post(of_tina, f"{ticket.key}/confirm", note="x").json()["error"]["code"] == "refused"
    people = of_tina.get("/api/tickets/people/").json()
    assert {row["name"] for row in people["results"]} == {"Tina", "Olga"}


@pytest.mark.parametrize(
    ("action", "body"),
    [
        ("assign", {"to": None}),
        ("priority", {"priority": "P3", "reason": "x"}),
        ("merge", {"into": "REP-1", "reason": "x"}),
        ("split", {"fault": 1, "reason": "x"}),
    ],
)
def test_what_is_an_operators_is_refused_to_technicians(
    ticket: Ticket, tina: User, action: str, body: dict[str, Any]
) -> None:
    assert post(client_of(tina), f"{ticket.key}/{action}", **body).status_code == 403


def test_a_stale_version_is_told(ticket: Ticket, tina: User) -> None:
    desk.acknowledge(ticket.number, by=tina)
    told = post(client_of(tina), f"{ticket.key}/queue", queue="own", reason="x", version=1)
    assert told.status_code == 409 and told.json()["error"]["code"] == "conflict"
    assert told.json()["error"]["current"]["acknowledged_by"]["name"] == "Tina"


def test_many_at_once_each_says_why_it_was_refused(ticket: Ticket, tina: User, olga: User) -> None:
    other = two_tickets()[-1]
    break_gpu(site="fra1")
    far = Ticket.objects.get(machine__device__site__slug="fra1")
    local = person("oli", Role.OPERATOR, ticket.site)
    answer = post(
        client_of(local), "bulk", action="assign", to=tina.pk, keys=[ticket.key, far.key, "REP-999999", "nonsense"]
    ).json()
    assert answer["outcomes"] == [
        {"key": ticket.key, "done": True, "reason": ""},
        {"key": far.key, "done": False, "reason": "There is no such ticket."},
        {"key": "REP-999999", "done": False, "reason": "There is no such ticket."},
        {"key": "nonsense", "done": False, "reason": "There is no such ticket."},
    ]
    mine = client_of(tina)
    refused = post(mine, "bulk", action="close", reason="x", keys=[ticket.key]).json()["outcomes"][0]
    assert refused == {"key": ticket.key, "done": False, "reason": "Only for operators of its site."}
    done = post(
        client_of(olga), "bulk", action="close", reason="hall is torn down", keys=[ticket.key, other.key]
    ).json()
    assert all(row["done"] for row in done["outcomes"])
    late = post(mine, "bulk", action="acknowledge", keys=[ticket.key]).json()["outcomes"][0]
    assert late == {"key": ticket.key, "done": False, "reason": f"{ticket.key} is closed."}
    assert post(mine, "bulk", action="snooze", keys=[ticket.key]).status_code == 400  # until when, and why
    assert post(mine, "bulk", action="delete", keys=[ticket.key]).status_code == 400
    assert post(mine, "bulk", action="acknowledge", keys=["REP-1"] * 201).status_code == 400


def test_many_at_once_may_come_as_a_form_with_fewer_fields_than_all_actions_have(ticket: Ticket, tina: User) -> None:
    form = {"action": "acknowledge", "keys": [ticket.key]}
    answer = client_of(tina).post("/api/tickets/bulk/", form)
    assert answer.json()["outcomes"] == [{"key": ticket.key, "done": True, "reason": ""}]
    assert client_of(tina).post("/api/tickets/bulk/", form | {"action": "watch"}).status_code == 400, "on or off"


@pytest.mark.slow
def test_the_list_is_narrowed_by_what_the_desk_knows(tina: User, olga: User) -> None:
    first, second = two_tickets()
    client = client_of(tina)
    desk.move(first.number, by=tina, queue="vendor", reason="x")
    desk.snooze(second.number, by=tina, until=timezone.now() + timedelta(hours=1), reason="x")
    desk.watch(second.number, by=tina, on=True)
    desk.assign(second.number, by=olga, to=tina.pk)
    desk.acknowledge(first.number, by=tina)
    Ticket.objects.filter(pk=first.pk).update(due_at=ago(60))
    rack = first.device.placement.rack_id  # type: ignore[union-attr]
    assert keys(client, queue="vendor") == {first.key}
    assert keys(client, queue=["vendor", "hands"]) == {first.key, second.key}
    assert keys(client, snoozed="true") == {second.key} and keys(client, snoozed="false") == {first.key}
    assert keys(client, watched="true") == {second.key} == keys(client, mine="true") == keys(client, assignee=tina.pk)
    assert keys(client, acknowledged="true") == {first.key} and keys(client, acknowledged="false") == {second.key}
    assert keys(client, overdue="true") == {first.key} and keys(client, overdue="false") == {second.key}
    assert keys(client, due_before=timezone.now().isoformat()) == {first.key}
    assert keys(client, priority="P1") == {first.key, second.key} and keys(client, priority="P3") == set()
    assert keys(client, rack=rack) == {first.key, second.key} and keys(client, rack=rack + 1) == set()
    assert client.get("/api/tickets/", {"quee": "vendor"}).status_code == 400


def test_the_board_has_a_column_for_each_queue_with_the_most_urgent_first(
    tina: User, olga: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    first, second = two_tickets()
    desk.set_priority(first.number, by=olga, priority="P3", reason="x")
    client = client_of(tina)
    client.get("/api/tickets/board/")
    with django_assert_num_queries(7):  # session, user, roles, limits, counts, cards, steps
        columns = client.get("/api/tickets/board/").json()["columns"]
    assert [column["key"] for column in columns] == ["hands", "vendor", "network", "own"]
    assert [card["key"] for card in columns[0]["tickets"]] == [second.key, first.key]
    assert columns[0]["count"] == 2 and columns[1] == {"key": "vendor", "count": 0, "overdue": 0, "tickets": []}
    card = columns[0]["tickets"][0]
    assert card["progress"] == {"done": 0, "of": second.steps.count()} and card["priority_line"].startswith("P1: ")
    by_status = client.get("/api/tickets/board/", {"columns": "status", "priority": "P3"}).json()["columns"]
    assert [(column["key"], column["count"]) for column in by_status] == [("open", 1), ("in_work", 0), ("verifying", 0)]
    assert client.get("/api/tickets/board/", {"columns": "colour"}).status_code == 400


def test_the_policy_of_a_site_is_read_by_everybody_and_changed_by_its_administrators(ticket: Ticket) -> None:
    path = f"/api/desk-policies/{ticket.site_id}/"
    viewer, admin = client_of(person("vic", Role.VIEWER)), client_of(person("ada", Role.ADMIN))
    policy = viewer.get(path).json()
    assert (policy["p1_hours"], policy["work_from"], policy["around_the_clock"]) == (4, "08:00:00", ["P1"])
    rules = [{"classes": "gpu.*", "queue": "vendor"}]
    change = {"p1_hours": 8, "work_from": "06:00", "days_off": ["2026-12-25"], "queue_rules": rules}
    assert viewer.patch(path, change, JSON).status_code == 403
    assert admin.patch(path, change, JSON).json()["queue_rules"] == rules
    assert viewer.get("/api/desk-policies/").json()["results"][0]["days_off"] == ["2026-12-25"]
    refused: list[dict[str, Any]] = [
        {"p1_hours": 0}, {"work_days": []}, {"work_until": "06:30"}, {"queue_rules": [{"classes": "*"}]},
        {"queue_rules": rules * 101},
    ]  # fmt: skip
    for wrong in refused:
        assert admin.patch(path, wrong, JSON).status_code == 400, wrong


# ---- rights by queue ----


def limit(site: int, *limits: tuple[User, list[str]]) -> Any:
    body = {"limits": [{"person": person.pk, "queues": queues} for person, queues in limits]}
    return client_of(person("ada", Role.ADMIN)).patch(f"/api/desk-policies/{site}/", body, JSON)


def test_a_technician_of_some_queues_is_shown_those_and_what_is_theirs(tina: User, olga: User) -> None:
    one, other = two_tickets()
    desk.move(other.number, by=olga, queue="vendor", reason="warranty")
    assert limit(one.site_id, (tina, ["hands"])).status_code == 200
    of_tina, of_olga = client_of(tina), client_of(olga)
    assert keys(of_tina) == {one.key}
    assert keys(of_olga) == {one.key, other.key}
    columns = of_tina.get("/api/tickets/board/").json()["columns"]
    assert {column["key"]: column["count"] for column in columns if column["count"]} == {"hands": 1}
    desk.assign(other.number, by=olga, to=tina.pk)
    assert keys(of_tina) == {one.key, other.key}


def test_a_ticket_of_another_queue_is_read_and_not_touched(ticket: Ticket, tina: User, olga: User) -> None:
    limit(ticket.site_id, (tina, ["network", "own"]))
    of_tina = client_of(tina)
    read = of_tina.get(f"/api/tickets/{ticket.key}/")
    assert read.status_code == 200 and read.json()["may"] == ["watch"]
    told = f"{ticket.key} is in the queue hands; you work on network, own."
    for path, body in (("take", {}), ("comments", {"text": "x"}), ("steps/1", {"done": True})):
        refused = post(of_tina, f"{ticket.key}/{path}", **body)
        assert (refused.status_code, refused.json()["error"]["message"]) == (403, told), path
    refused = post(of_tina, "bulk", action="comment", keys=[ticket.key], text="x").json()["outcomes"]
    assert refused == [{"key": ticket.key, "done": False, "reason": told}]
    file = SimpleUploadedFile("a.txt", b"warm", "text/plain")
    attached = of_tina.post("/api/attachments/", {"ticket": ticket.pk, "file": file})
    assert (attached.status_code, attached.json()["error"]["message"]) == (403, told)
    case = of_tina.post("/api/vendor-cases/", {"ticket": ticket.key}, JSON)
    assert (case.status_code, case.json()["error"]["message"]) == (403, told)
    desk.assign(ticket.number, by=olga, to=tina.pk)
    assert post(of_tina, f"{ticket.key}/comments", text="warm").status_code == 200


def test_who_moves_a_ticket_out_of_the_own_queues_is_shown_where_it_went(ticket: Ticket, tina: User) -> None:
    limit(ticket.site_id, (tina, ["hands"]))
    moved = post(client_of(tina), f"{ticket.key}/queue", queue="vendor", reason="warranty")
    assert (moved.status_code, moved.json()["queue"], moved.json()["may"]) == (200, "vendor", ["watch"])


def test_a_ticket_that_left_the_own_queues_is_watched_no_longer_when_one_says_so(ticket: Ticket, tina: User) -> None:
    of_tina = client_of(tina)
    post(of_tina, f"{ticket.key}/watch", on=True)
    limit(ticket.site_id, (tina, ["own"]))
    assert keys(of_tina) == {ticket.key}
    assert post(of_tina, f"{ticket.key}/watch", on=False).json()["watching"] is False
    assert keys(of_tina) == set()


def test_a_file_at_a_ticket_of_another_queue_stays_as_it_is(ticket: Ticket, tina: User) -> None:
    of_tina = client_of(tina)
    file = SimpleUploadedFile("a.txt", b"warm", "text/plain")
    kept = of_tina.post("/api/attachments/", {"ticket": ticket.pk, "file": file}).json()["id"]
    limit(ticket.site_id, (tina, ["own"]))
    assert of_tina.delete(f"/api/attachments/{kept}/").status_code == 403
    assert of_tina.patch(f"/api/attachments/{kept}/", {"caption": "x"}, JSON).status_code == 403
    limit(ticket.site_id)
    assert of_tina.delete(f"/api/attachments/{kept}/").status_code == 204


def test_a_sub_task_is_given_to_who_may_do_it(ticket: Ticket, tina: User, olga: User) -> None:
    limit(ticket.site_id, (tina, ["own"]))
    refused = post(client_of(olga), f"{ticket.key}/tasks", text="Order pads", assignee=tina.pk)
    assert refused.status_code == 400
    assert refused.json()["error"]["fields"] == {"assignee": ["Tina does not work on the queue hands."]}


def test_operators_work_on_every_queue_and_a_limit_is_of_its_site(ticket: Ticket, olga: User, tina: User) -> None:
    elsewhere = Site.objects.create(name="elsewhere", slug="elsewhere")
    limit(ticket.site_id, (olga, ["vendor"]))
    limit(elsewhere.pk, (tina, ["vendor"]))
    assert post(client_of(olga), f"{ticket.key}/comments", text="x").status_code == 200
    assert keys(client_of(olga)) == keys(client_of(tina)) == {ticket.key}


def test_limits_name_technicians_of_the_site_once_with_a_queue(ticket: Ticket, tina: User) -> None:
    viewer = person("vic", Role.VIEWER)
    refused: list[list[tuple[User, list[str]]]] = [
        [(viewer, ["hands"])], [(tina, [])], [(tina, ["desk"])], [(tina, ["hands"]), (tina, ["own"])],
    ]  # fmt: skip
    for wrong in refused:
        assert limit(ticket.site_id, *wrong).status_code == 400, wrong
    assert limit(ticket.site_id, (tina, ["hands"])).json()["limits"] == [{"person": tina.pk, "queues": ["hands"]}]
    by_name = client_of(person("ada", Role.ADMIN)).patch(
        f"/api/desk-policies/{ticket.site_id}/", {"limits": [{"person": "tina", "queues": ["own"]}]}, JSON
    )
    assert by_name.json()["limits"] == [{"person": tina.pk, "queues": ["own"]}]
    User.objects.filter(pk=tina.pk).update(is_active=False)
    assert limit(ticket.site_id, (tina, ["own"])).status_code == 200, "who left hinders no other change"
    User.objects.filter(pk=tina.pk).update(is_active=True)
    assert limit(ticket.site_id).json()["limits"] == []
    assert post(client_of(tina), f"{ticket.key}/take").status_code == 200
