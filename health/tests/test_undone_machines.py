"""The undo of a change that made machines: they go as they came, where nothing else is kept of them since."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction
from rest_framework.test import APIClient

from core.audit import undo_jobs
from core.audit.actor import Actor, acting
from core.models import AuditChange, Role, Site
from core.services import ensure_user
from health.machines.models.machines import LifecycleChange, MachineHealth, Pool
from health.machines.services.changes import place_hold
from health.monitoring.services.sweeps import observation_store
from health.tests.factories import look
from inventory.kinds import Scope, write
from inventory.models import (
    Component,
    Device,
    Installation,
    IpAddress,
    Machine,
    Placement,
    Port,
    StrandEnd,
)
from live.models import Event
from tests.kept_rows import load_fleet
from tickets.models import Ticket

pytestmark = pytest.mark.django_db
TABLES = (
    Device,
    Machine,
    Placement,
    Port,
    Component,
    Installation,
    IpAddress,
    StrandEnd,
    MachineHealth,
    LifecycleChange,
)


@pytest.fixture
def north() -> Site:
    load_fleet(Path("inventory/fleets/two-sites.yaml"))
    return Site.objects.get(slug="north")


@pytest.fixture
def client(north: Site) -> APIClient:
    client = APIClient()
    client.force_authenticate(ensure_user("olga", role=Role.OPERATOR, site=north)[0])
    return client


def row(number: int, **more: Any) -> dict[str, Any]:
    return {
        "site": "north", "name": f"new-{number:02}", "model": "dell-xe9680-h100", "serial": f"NEW{number}",
        "primary_ip": f"10.77.0.{number}", "bmc_ip": f"10.77.1.{number}", "role": "compute", **more,
    }  # fmt: skip


def parts(number: int) -> list[dict[str, Any]]:
    return [{"slot": f"GPU {gpu}", "serial": f"S{number}-{gpu}", "part_number": "H100"} for gpu in (1, 2)]


def create(client: APIClient, *rows: dict[str, Any]) -> AuditChange:
    """Make machines by one request; returns its change."""
    answer = client.post("/api/devices/", list(rows) if len(rows) > 1 else rows[0], format="json")
    assert answer.status_code == 201, answer.content
    made = answer.json() if isinstance(answer.json(), list) else [answer.json()]
    (listed,) = client.get("/api/history/", {"kind": "devices", "object": made[0]["id"]}).json()["results"]
    assert (listed["undoable"], listed["undo_refused"]) == (True, "")
    return AuditChange.objects.get(pk=listed["id"])


def undo(client: APIClient, change: AuditChange, expected: int = 200) -> Any:
    answer = client.post(f"/api/history/{change.pk}/undo/")
    assert answer.status_code == expected, answer.content
    return answer.json()


def counts() -> dict[str, int]:
    return {model.__name__: model._default_manager.count() for model in TABLES}


@pytest.mark.parametrize("status", ["active", "planned"])
def test_a_machine_with_ports_parts_and_addresses_goes_as_it_came(client: APIClient, status: str) -> None:
    before = counts()
    change = create(client, row(1, rack="B02", u=30, parts=parts(1), status=status))
    made = Device.objects.get(name="new-01")
    assert made.ports.count() > 1
    assert counts()["Component"] == before["Component"] + 2
    assert MachineHealth.objects.get(pk=made.pk).state == ("ready" if status == "active" else "new")
    done = undo(client, change)
    assert counts() == before
    assert (done["undoes"], done["who"]) == (change.pk, "olga")
    assert Event.objects.filter(kind="inventory.reloaded").latest("id").site_id == made.site_id
    assert client.get("/api/machines/", {"search": "new-01"}).json()["count"] == 0
    assert client.post("/api/devices/", row(1), format="json").status_code == 201  # name, serial, addresses are free


def statements(work: Any) -> int:
    count = 0

    def counted(execute: Any, *args: Any) -> Any:
        nonlocal count
        count += 1
        return execute(*args)

    with connection.execute_wrapper(counted):
        work()
    return count


def test_a_list_of_machines_goes_with_one_undo_in_as_many_statements_as_a_shorter_one(client: APIClient) -> None:
    before, needed = counts(), []
    for last in (2, 20):
        change = create(client, *(row(number, parts=parts(number)) for number in range(1, last + 1)))
        assert counts()["MachineHealth"] == before["MachineHealth"] + last
        needed.append(statements(partial(undo, client, change)))
        assert counts() == before
    assert needed[0] == needed[1]


def test_a_creation_of_many_rows_goes_in_the_background(
    client: APIClient, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    queued: list[int] = []
    monkeypatch.setattr("core.tasks.undo_change.apply_async", lambda args: queued.append(*args))
    monkeypatch.setattr("core.jobs.work.BEAT_S", 0.05)
    monkeypatch.setattr("core.audit.undo.AT_ONCE", 9)
    monkeypatch.setattr("core.audit.undo.READ_ROWS", 4)
    before = counts()
    change = create(client, *(row(number, parts=parts(number)) for number in range(1, 6)))
    with django_capture_on_commit_callbacks(execute=True):
        assert undo(client, change, 202)["status"] == "queued"
    with acting(Actor("olga", "task", "core.tasks.undo_change", "undo-large")):
        assert undo_jobs.run_undo(*queued).status == "done"
    assert counts() == before


def test_an_undone_creation_is_done_again_by_undoing_the_undo_and_then_taken_back_once_more(client: APIClient) -> None:
    before = counts()
    change = create(client, row(1, parts=parts(1)))
    pk, with_it = Device.objects.get(name="new-01").pk, counts()
    back = AuditChange.objects.get(pk=undo(client, change)["id"])
    again = AuditChange.objects.get(pk=undo(client, back)["id"])
    assert counts() == with_it
    assert MachineHealth.objects.get(pk=pk).state == "ready"
    assert list(LifecycleChange.objects.filter(machine=pk).values_list("transition__to_state", flat=True)) == ["ready"]
    undo(client, again)
    assert counts() == before


def test_the_pool_that_a_machine_was_the_first_of_stays_for_the_next(client: APIClient) -> None:
    change = create(client, row(1, role="storage"))
    pool = Pool.objects.get(role="storage")
    other = create(client, row(2, role="storage"))
    undo(client, change)
    assert MachineHealth.objects.get(machine__device__name="new-02").pool == pool
    undo(client, other)
    assert Pool.objects.filter(pk=pool.pk).exists()


def swept(machine: Machine) -> None:
    observation_store.record([look(machine)])


def silent(machine: Machine) -> None:
    observation_store.record([look(machine, heard=False)])


def held(machine: Machine) -> None:
    place_hold(machine.pk, owner="person:olga", reason="looks odd", actor="olga")


def commented(machine: Machine) -> None:
    tina, _ = ensure_user("tina", role=Role.TECHNICIAN)
    machine.device.comments.create(site=machine.device.site, author=tina, text="door sticks")


def ticketed(machine: Machine) -> None:
    Ticket.objects.create(machine=machine, device=machine.device, site=machine.device.site, title="Fan", number=9001)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("happens", "named"),
    [
        (swept, "new-02 has machine reports"), (silent, "new-02 has faults"), (held, "new-02 has holds"),
        (commented, "new-02 has comments"), (ticketed, "new-02 has tickets"),
    ],
)  # fmt: skip
def test_what_happened_to_one_machine_since_refuses_all_of_them_and_is_named(
    client: APIClient, happens: Any, named: str
) -> None:
    change = create(client, row(1), row(2))
    happens(Machine.objects.get(device__name="new-02"))
    before = counts()
    error = undo(client, change, 409)["error"]
    assert named in error["message"]
    assert "new-01" not in error["message"]
    assert {each["name"] for each in error["current"]} == {"new-02"}
    assert counts() == before


def test_a_later_change_of_the_machine_refuses_with_who_made_it(client: APIClient) -> None:
    change = create(client, row(1))
    machine = Device.objects.get(name="new-01")
    assert client.patch(f"/api/devices/{machine.pk}/", {"asset_tag": "A-1"}, format="json").status_code == 200
    (difference,) = undo(client, change, 409)["error"]["current"]
    assert (difference["field"], difference["by"]) == ("asset_tag", "olga")


def test_the_state_of_another_machine_in_the_same_change_has_its_own_way_back(client: APIClient) -> None:
    """A fleet file makes one machine and retires another: that is not how the new one began."""
    create(client, row(9, status="planned"))
    old = Device.objects.get(name="new-09")
    with acting(Actor("olga", "person", "a fleet file", "both")), transaction.atomic():
        assert write("devices", [row(1)], "create", scope=Scope.everything(), actor="olga").ok
        assert write("devices", [{"id": old.pk}], "delete", scope=Scope.everything(), actor="olga").ok
    change = AuditChange.objects.get(request_id="both")
    assert LifecycleChange.objects.get(machine=old.pk).transition.to_state == "retired"
    before = counts()
    assert "own ways back" in undo(client, change, 409)["error"]["message"]
    assert counts() == before
