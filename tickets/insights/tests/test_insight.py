"""The insight as an answer: its numbers, rights, tables, speed, and the settings of a site."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from core.models import Role, Site, User
from health.models import LifecycleChange, LifecycleTransition
from health.tests import factories as make
from inventory.models import Component, Installation, Machine
from tickets.insights.answers import TABLES, insight
from tickets.insights.queries import Scope
from tickets.insights.tests.past_tickets import make_closed
from tickets.models import PartSwap, Ticket
from tickets.tests.conftest import person

pytestmark = pytest.mark.django_db
HOUR = 3600.0


@pytest.fixture
def machine(db: None) -> Machine:
    return make.make_machines(1)[0]


@pytest.fixture
def client(tina: User) -> Client:
    client = Client()
    client.force_login(tina)
    return client


def get(client: Client, path: str = "", **query: Any) -> Any:
    return client.get(f"/api/insight/{path}", query)


@pytest.mark.slow
def test_times_are_told_with_their_sample_by_fault_part_vendor_rack_and_shift(client: Client, machine: Machine) -> None:
    make_closed(machine, 20, took=timedelta(hours=6))
    site = machine.device.site
    site.shifts.create(name="day", begins="00:00", ends="23:59:59")
    body = get(client, site=site.pk).json()
    assert body["times"]["acknowledged"] == {"n": 20, "median": HOUR, "p90": HOUR}
    assert body["times"]["hands_on"]["median"] == 2 * HOUR and body["times"]["verified"]["median"] == 6 * HOUR
    told = {(each["by"], each["name"]): each["times"]["verified"]["n"] for each in body["groups"]}
    assert told["fault", "gpu.gone"] == told["part", "psu"] == 10
    assert told["vendor", machine.device.model.vendor] == told["rack", "R00"] == told["shift", "day"] == 20
    assert sum(week["closed"] for week in body["weeks"]) == 20 and body["first_time_fix"]["n"] == 20


def test_a_ticket_of_a_place_is_not_the_return_of_another_place_s(client: Client, machine: Machine) -> None:
    make_closed(machine, 20, took=timedelta(hours=6))
    for row in Ticket.objects.all():
        Ticket.objects.filter(pk=row.pk).update(
            subject="place", subject_name=f"Feed {row.pk}", device=None, machine=None, part="",
            fault_class="incident.shared",
        )  # fmt: skip
    body = get(client, site=machine.device.site_id).json()
    assert (body["first_time_fix"]["n"], body["first_time_fix"]["share"]) == (20, 1.0)


def test_four_tickets_make_no_number(client: Client, machine: Machine) -> None:
    make_closed(machine, 4, took=timedelta(hours=6))
    body = get(client).json()
    assert body["times"]["verified"] == {"n": 4, "median": None, "p90": None}
    assert body["reopened"]["share"] is None and body["least"] == 5


def test_each_table_is_a_file_whose_rows_fit_its_head(client: Client, machine: Machine) -> None:
    make_closed(machine, 6, took=timedelta(hours=6))
    for table in TABLES:
        answer = get(client, f"{table}.csv")
        rows = list(csv.reader(io.StringIO(answer.content.decode())))
        assert answer.status_code == 200 and rows, table
        if table != "times":
            assert {len(row) for row in rows} == {len(rows[0])}, table
    assert get(client, "nothing.csv").status_code == 404


def test_a_week_costs_what_its_gpus_did_not_do_and_money_only_with_a_rate(client: Client, machine: Machine) -> None:
    now = timezone.now()
    to = {row.to_state: row for row in LifecycleTransition.objects.filter(to_state__in=["draining", "ready"])}
    LifecycleChange.objects.all().delete()
    for state, ago in (("draining", 10), ("ready", 4)):
        LifecycleChange.objects.create(
            machine=machine, transition=to[state], at=now - timedelta(hours=ago), actor="a", reason="r"
        )
    site = machine.device.site_id
    body = get(client, site=site).json()
    gpu_hours = sum(week["out_of_service"] for week in body["weeks"])
    assert gpu_hours == pytest.approx(6 * machine.device.model.gpu_count, abs=0.05)
    assert {week["money"] for week in body["weeks"]} == {None} and body["rate"] is None
    olga = Client()
    olga.force_login(person("olga", Role.OPERATOR))
    given = {"gpu_hour_rate": 2.5, "currency": "EUR", "shifts": []}
    assert olga.put(f"/api/insight/settings/?site={site}", given, "application/json").status_code == 200
    body = get(client, site=site).json()
    assert sum(week["money"] for week in body["weeks"]) == pytest.approx(2.5 * gpu_hours, abs=1)
    assert body["currency"] == "EUR"
    assert get(client).json()["rate"] is None  # sites may count in different money


def test_a_batch_that_fails_more_than_the_others_is_poor(client: Client, machine: Machine, tina: User) -> None:
    now = timezone.now()
    make_closed(machine, 1, took=timedelta(hours=1))
    ticket = Ticket.objects.get()
    for n in range(200):
        batch = "2431" if n < 10 else "2419"
        part = Component.objects.create(
            site=machine.device.site, kind="gpu", vendor="NVIDIA", part_number="935", serial=f"S{n}",
            attributes={"batch": batch, "firmware": "96.00"},
        )  # fmt: skip
        fails = n < 5 or n == 50
        until = now - timedelta(days=1) if fails else None
        Installation.objects.create(
            component=part, device=machine.device, slot=f"slot {n}", during=(now - timedelta(days=60), until)
        )
        if fails:
            new = Component.objects.create(site=machine.device.site, kind="gpu", serial=f"N{n}")
            PartSwap.objects.create(
                ticket=ticket, at=until, by=tina, slot="GPU 1", old_serial=f"S{n}", new_serial=f"N{n}",
                old_component=part, new_component=new,
            )  # fmt: skip
    told = {(row["by"], row["name"]): row for row in get(client).json()["parts"]}
    bad, good = told["batch", "2431"], told["batch", "2419"]
    assert (bad["failed"], bad["parts"], bad["poor"]) == (5, 10, True)
    assert (good["failed"], good["poor"]) == (1, False)
    assert told["maker", "NVIDIA 935"]["failed"] == told["firmware", "96.00"]["failed"] == 6


def test_who_sees_another_site_sees_nothing_of_this_one(machine: Machine) -> None:
    make_closed(machine, 6, took=timedelta(hours=6))
    other = Site.objects.create(slug="other", name="Other")
    stranger = Client()
    stranger.force_login(person("sam", Role.ADMIN, other))
    assert get(stranger).json()["times"]["verified"]["n"] == 0 and get(stranger).json()["groups"] == []
    assert get(stranger, site=machine.device.site_id).status_code == 404
    assert get(stranger, "settings/", site=machine.device.site_id).status_code == 404


def test_a_technician_reads_the_settings_and_does_not_change_them(client: Client, machine: Machine) -> None:
    site = machine.device.site_id
    body = get(client, "settings/", site=site).json()
    assert body["gpu_hour_rate"] is None and body["shifts"] == [] and body["may_change"] is False
    given = {"gpu_hour_rate": 2, "currency": "EUR", "shifts": []}
    assert client.put(f"/api/insight/settings/?site={site}", given, "application/json").status_code == 403


def shift(ends: str) -> dict[str, str]:
    return {"name": "early", "begins": "06:00", "ends": ends}


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"gpu_hour_rate": 2, "currency": "", "shifts": []}, "currency"),
        ({"gpu_hour_rate": -1, "currency": "EUR", "shifts": []}, "gpu_hour_rate"),
        ({"gpu_hour_rate": None, "currency": "", "shifts": [shift("06:00")]}, "shifts"),
        ({"gpu_hour_rate": None, "currency": "", "shifts": [shift("07:00")] * 2}, "shifts"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_by_name(
    machine: Machine, olga: User, given: dict[str, Any], field: str
) -> None:
    client = Client()
    client.force_login(olga)
    answer = client.put(f"/api/insight/settings/?site={machine.device.site_id}", given, "application/json")
    assert answer.status_code == 400 and field in answer.json()["error"]["fields"]


def test_shifts_are_replaced_as_a_whole(machine: Machine, olga: User) -> None:
    client, site = Client(), machine.device.site_id
    client.force_login(olga)

    def put(*shifts: tuple[str, str, str]) -> list[tuple[str, str, str]]:
        rows = [{"name": name, "begins": begins, "ends": ends} for name, begins, ends in shifts]
        given = {"gpu_hour_rate": None, "currency": "", "shifts": rows}
        body = client.put(f"/api/insight/settings/?site={site}", given, "application/json").json()
        return [(row["name"], row["begins"], row["ends"]) for row in body["shifts"]]

    assert put(("early", "06:00", "14:00"), ("late", "14:00", "22:00")) == [
        ("early", "06:00", "14:00"), ("late", "14:00", "22:00"),
    ]  # fmt: skip
    assert put(("late", "14:00", "23:00")) == [("late", "14:00", "23:00")]


def test_the_number_of_statements_does_not_grow_with_the_tickets(machine: Machine) -> None:
    now = timezone.now()
    scope = Scope(None, machine.device.site_id, now - timedelta(weeks=12), now)
    for _ in range(2):
        make_closed(machine, 200, took=timedelta(hours=6))
        with CaptureQueriesContext(
            connection,
        ) as caught:
            insight(scope)
        assert len(caught) <= 9
