"""The routes of this room: shapes, rights per site and role, and how many queries each takes."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from core.models import Role, Site, User
from core.services import ensure_user
from health.models import Fault, Hold, Pool, Sweep
from health.monitoring.models.facts import MachineFacts
from health.monitoring.services.sweeps import observation_store
from health.overview.queries.floor import CELL_AT, MACHINE_COLUMNS
from health.services import place_hold, set_ticket_key
from health.tests import factories as make
from inventory.models import Component, Installation, Machine, Port

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks are queued at commit; these tests look at rows."""
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)


def signed_in(role: str = Role.OPERATOR, site: Site | None = None, name: str = "olga") -> Client:
    user, _ = ensure_user(name, role=role, site=site)
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def machines() -> list[Machine]:
    found = make.make_machines(6)
    now = timezone.now()
    observation_store.record([make.look(m, at=now - timedelta(seconds=5)) for m in found])
    observation_store.record([make.look(found[0], make.xid(), make.docker_down(), at=now)])
    return found


def test_the_floor_has_every_machine_with_its_cell(
    machines: list[Machine], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    set_ticket_key(machines[0].pk, "REP-1")
    client = signed_in(Role.VIEWER)
    client.get("/api/floor/")  # the first request of a process parses and connects
    with django_assert_num_queries(13):  # session, user, roles, rooms and nine reads of the floor
        floor = client.get("/api/floor/").json()
    assert floor["machines"]["columns"] == list(MACHINE_COLUMNS)
    rows = {row[0]: row for row in floor["machines"]["rows"]}
    assert len(rows) == 6
    dead = dict(zip(MACHINE_COLUMNS, rows[machines[0].pk], strict=True))
    assert (dead["cell"], dead["state"], dead["worst"], dead["reachability"]) == (
        "failed",
        "drained",
        "fail",
        "reachable",
    )
    assert (dead["u"], dead["height_u"], dead["ticket"], dead["faults"]) == (1, 6.0, "REP-1", 2)
    assert floor["totals"]["available"] == 5 and floor["totals"]["failed"] == 1
    assert sum(floor["totals"].values()) == 6 and set(floor["totals"]) == set(floor["cells"])
    assert ":" in floor["cursor"] and floor["room"]["name"] == "Hall 1" and len(floor["racks"]["rows"]) == 2


@pytest.mark.slow
def test_the_stored_cell_is_what_the_pure_function_says(machines: list[Machine]) -> None:
    from health.machines.cells import Condition, cell

    for machine in machines:
        health = make.health(machine)
        faults = Fault.objects.filter(machine=machine).exclude(status="cleared")
        condition = Condition(
            state=health.state,
            reachability=health.reachability,
            worst=health.worst,
            power=health.power,
            allocation=health.allocation,
            suspected=faults.exists(),
            confirmed=faults.filter(status="confirmed").exists(),
        )
        assert health.cell == cell(condition)


def test_a_floor_that_does_not_exist_is_404() -> None:
    client = signed_in()
    assert client.get("/api/floor/").status_code == 404
    assert client.get("/api/floor/?room=999999").json()["error"]["code"] == "not_found"
    assert client.get("/api/floor/?room=abc").json()["error"]["code"] == "invalid"  # a name that no room has


def test_nothing_of_another_site_is_seen(machines: list[Machine]) -> None:
    other = make.make_machines(1, site="fra1")[0]
    observation_store.record([make.look(other, make.xid(), at=timezone.now())])
    client = signed_in(Role.ADMIN, Site.objects.get(slug="fra1"))
    floor = client.get("/api/floor/").json()
    assert floor["site"]["slug"] == "fra1" and [row[0] for row in floor["machines"]["rows"]] == [other.pk]
    assert [row["id"] for row in client.get("/api/machines/").json()["results"]] == [other.pk]
    mine = machines[0].pk
    for path in ("", "components/", "verdicts/", "history/", "cables/"):
        assert client.get(f"/api/machines/{mine}/{path}").status_code == 404
    for path in ("check/", "holds/", "maintenance/", "return/", "accept-swap/"):
        assert client.post(f"/api/machines/{mine}/{path}", {"reason": "x"}, "application/json").status_code == 404
    assert client.get("/api/faults/").json()["count"] == 1
    assert client.get("/api/pools/").json()["count"] == 1
    rack = machines[0].device.placement.rack_id
    assert client.get(f"/api/racks/{rack}/elevation/").status_code == 404
    assert client.get(f"/api/floor/?room={machines[0].device.placement.rack.room_id}").status_code == 404


def test_machines_are_listed_filtered_and_searched(
    machines: list[Machine], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client = signed_in(Role.VIEWER)
    with django_assert_num_queries(5):
        listed = client.get("/api/machines/").json()
    assert listed["count"] == 6 and listed["results"][0]["name"] == "gpu-ams1-0000"
    place = listed["results"][0]["place"]
    assert place["rack"] == "R00" and place["u"] == 1 and place["text"] == "Hall 1 › Rack R00 › U1–6 front"
    assert client.get("/api/machines/?cell=failed").json()["count"] == 1
    assert client.get("/api/machines/?cell=failed&cell=available").json()["count"] == 6
    assert client.get("/api/machines/?state=drained").json()["count"] == 1
    assert client.get("/api/machines/?search=0003").json()["results"][0]["id"] == machines[3].pk
    assert client.get("/api/machines/?ordering=-name").json()["results"][0]["id"] == machines[5].pk
    assert client.get("/api/machines/?cell=blue").status_code == 400


def test_a_machine_says_what_holds_it(machines: list[Machine]) -> None:
    client = signed_in(Role.VIEWER)
    detail = client.get(f"/api/machines/{machines[0].pk}/").json()
    assert detail["health"]["state"] == "drained" and detail["health"]["faults"] == 2
    assert [hold["owner"] for hold in detail["health"]["holds"]] == [f"fault:{Fault.objects.get(kind='event').pk}"]
    assert detail["tickets"] == [] and detail["model"]["slug"] == "dell-xe9680-h100"


def test_a_machine_says_what_its_bmc_is_as_the_last_sweep_saw_it(machines: list[Machine]) -> None:
    client, machine = signed_in(), machines[0]
    path = f"/api/machines/{machine.pk}/"
    assert client.get(path).json()["bmc"] is None, "never reached"
    MachineFacts.objects.create(machine=machine, facts={"bmc": "iLO 6"}, changed_at=timezone.now())
    assert client.get(path).json()["bmc"] == "iLO 6"


def test_verdicts_come_worst_first_with_their_evidence(machines: list[Machine]) -> None:
    client = signed_in(Role.VIEWER)
    results = client.get(f"/api/machines/{machines[0].pk}/verdicts/").json()["results"]
    assert len(results) == len(make.LAYOUT)
    assert {r["verdict"] for r in results[:2]} == {"fail"} and results[-1]["verdict"] == "ok"
    assert results[0]["evidence"]["command"] and results[-1]["evidence"] is None


def test_history_has_looks_changes_and_states(machines: list[Machine]) -> None:
    client = signed_in(Role.VIEWER)
    history = client.get(f"/api/machines/{machines[0].pk}/history/?hours=1").json()
    assert [run["worst"] for run in history["runs"]] == ["ok", "fail"]
    assert {(t["check"], t["from"], t["to"]) for t in history["transitions"]} == {
        ("gpu.xid", "ok", "fail"),
        ("docker", "ok", "fail"),
    }
    assert history["lifecycle"][0]["to"] == "drained"
    assert client.get(f"/api/machines/{machines[0].pk}/history/?hours=x").status_code == 400


def test_a_rack_shows_every_gpu_with_its_verdict(
    machines: list[Machine], django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    client = signed_in(Role.VIEWER)
    rack = machines[0].device.placement.rack_id
    with django_assert_max_num_queries(14):
        elevation = client.get(f"/api/racks/{rack}/elevation/").json()
    assert len(elevation["front"]) == len(elevation["rear"]) == 4
    dead = next(item for item in elevation["front"] if item["id"] == machines[0].pk)
    assert dead["u"] == 1 and dead["height_u"] == 6 and dead["cell"] == "failed" and dead["machine"] == machines[0].pk
    assert {part["slot"]: part["verdict"] for part in dead["parts"]}["GPU 5"] == "fail"
    assert {part["label"] for part in dead["parts"]} >= {"SXM 5"}


def test_a_rack_without_ports_is_the_same_but_for_them(machines: list[Machine]) -> None:
    client, path = signed_in(Role.VIEWER), f"/api/racks/{machines[0].device.placement.rack_id}/elevation/"
    for name, face in (("mlx5_0", "rear"), ("usb", "front"), ("idrac", "")):
        Port.objects.create(device=machines[0].device, name=name, kind="ethernet", face=face)
    whole, bare = client.get(path).json(), client.get(f"{path}?ports=false").json()
    assert any(item["parts"] and item["ports"] for item in whole["rear"])
    for item in (*whole["front"], *whole["rear"], *whole["sides"]):
        del item["ports"]
    assert bare == whole
    assert client.get(f"{path}?ports=true").json() != bare
    assert client.get(f"{path}?ports=no").status_code == 400


def test_the_gpus_of_a_rack_follow_a_change_of_their_model(machines: list[Machine]) -> None:
    client, model = signed_in(Role.VIEWER), machines[0].device.model
    path = f"/api/racks/{machines[0].device.placement.rack_id}/elevation/?ports=false"
    before = client.get(path).json()["front"][0]["parts"]
    model.spec = {**model.spec, "slots": [{**slot, "label": f"new {slot['label']}"} for slot in model.spec["slots"]]}
    model.save()
    after = client.get(path).json()["front"][0]["parts"]
    assert [part["label"] for part in after] == [f"new {part['label']}" for part in before] != []


def test_a_viewer_may_look_and_touch_nothing(machines: list[Machine]) -> None:
    client = signed_in(Role.VIEWER)
    for path in ("check/", "holds/", "maintenance/", "return/", "accept-swap/"):
        answer = client.post(f"/api/machines/{machines[0].pk}/{path}", {"reason": "x"}, "application/json")
        assert answer.status_code == 403, path
    pool = Pool.objects.get()
    assert client.patch(f"/api/pools/{pool.pk}/", {"automation": "dry_run"}, "application/json").status_code == 403


def test_an_operator_looks_now_holds_and_returns(machines: list[Machine]) -> None:
    client, machine = signed_in(), machines[1]
    sweep = client.post(f"/api/machines/{machine.pk}/check/")
    assert sweep.status_code == 202 and Sweep.objects.get(pk=sweep.json()["sweep"]).kind == "manual"
    held = client.post(f"/api/machines/{machine.pk}/holds/", {"reason": "noise"}, "application/json")
    assert held.status_code == 201 and make.health(machine).state == "drained"
    refused = client.post(f"/api/machines/{machine.pk}/return/", {"reason": "try"}, "application/json")
    assert refused.status_code == 409 and "held by person:olga" in refused.json()["error"]["message"]
    assert client.delete(f"/api/machines/{machine.pk}/holds/person:olga/").status_code == 204
    assert client.delete(f"/api/machines/{machine.pk}/holds/person:olga/").status_code == 409
    back = client.post(f"/api/machines/{machine.pk}/return/", {"reason": "checked"}, "application/json")
    assert back.status_code == 200 and make.health(machine).state == "ready"


def swapped(machine: Machine, serial: str = "1650000000001", verdict: str = "warn") -> None:
    """The last look saw another GPU in slot GPU 5 than the one installed."""
    part = Component.objects.create(
        site_id=machine.device.site_id, kind="gpu", vendor="NVIDIA", part_number="935-24287-0000", serial="old"
    )
    since = timezone.now() - timedelta(days=1)
    Installation.objects.create(component=part, device=machine.device, slot="GPU 5", during=(since, None))
    seen = make.Finding(
        "gpu.identity", "GPU 5", verdict, "serial differs", observed={"serial": serial, "uuid": "GPU-1"}
    )
    observation_store.record([make.look(machine, seen, at=timezone.now())])


def test_an_operator_accepts_the_part_that_was_seen_as_a_swap(
    machines: list[Machine], django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    client, machine = signed_in(), machines[1]
    url = f"/api/machines/{machine.pk}/accept-swap/"
    assert client.post(url, {"slot": "GPU 5"}, "application/json").json()["error"]["code"] == "nothing_to_accept"
    assert client.post(url, {}, "application/json").status_code == 400
    swapped(machine)
    with django_assert_max_num_queries(40):
        answer = client.post(url, {"slot": "GPU 5"}, "application/json")
    assert answer.status_code == 200 and answer.json()["serial"] == "1650000000001"
    assert answer.json()["part_number"] == "935-24287-0000"
    now_in = Installation.objects.get(device=machine.device, slot="GPU 5", during__endswith=None)
    assert now_in.component.attributes["uuid"] == "GPU-1" and now_in.by == "olga"
    assert Sweep.objects.filter(kind="manual", requested_by="olga").count() == 1, "the machine is checked again"
    assert client.post(url, {"slot": "GPU 5"}, "application/json").status_code == 409, "pressed twice"


def test_a_part_of_another_machine_is_not_accepted(machines: list[Machine]) -> None:
    client, machine = signed_in(), machines[1]
    url = f"/api/machines/{machine.pk}/accept-swap/"
    swapped(machine, verdict="fail")
    assert client.post(url, {"slot": "GPU 5"}, "application/json").status_code == 409
    observation_store.record([make.look(machine, at=timezone.now())])
    elsewhere = Component.objects.create(
        site_id=machine.device.site_id, kind="gpu", vendor="NVIDIA", part_number="935-24287-0000", serial="elsewhere"
    )
    since = timezone.now() - timedelta(days=1)
    Installation.objects.create(component=elsewhere, device=machines[2].device, slot="GPU 0", during=(since, None))
    seen = make.Finding("gpu.identity", "GPU 5", "warn", "differs", observed={"serial": "elsewhere"})
    observation_store.record([make.look(machine, seen, at=timezone.now())])
    refused = client.post(url, {"slot": "GPU 5"}, "application/json")
    assert refused.status_code == 400 and machines[2].device.name in str(refused.json()["error"]["fields"])


def test_maintenance_has_an_end_and_holds(machines: list[Machine]) -> None:
    client, machine = signed_in(), machines[1]
    url = f"/api/machines/{machine.pk}/maintenance/"
    past = timezone.now() - timedelta(hours=1)
    assert client.post(url, {"reason": "fans", "until": past.isoformat()}, "application/json").status_code == 400
    until = timezone.now() + timedelta(hours=2)
    answer = client.post(url, {"reason": "fans", "until": until.isoformat()}, "application/json")
    assert answer.status_code == 200 and answer.json()["health"]["cell"] == "repair"
    assert Hold.objects.get(machine=machine).owner == "maintenance"
    assert client.post(url, {"reason": "again", "until": until.isoformat()}, "application/json").status_code == 409


def test_an_admin_changes_the_cap_and_sees_the_counts(machines: list[Machine]) -> None:
    client = signed_in(Role.ADMIN)
    pool = Pool.objects.get()
    answer = client.patch(f"/api/pools/{pool.pk}/", {"max_unavailable_share": 0.5}, "application/json").json()
    assert (answer["size"], answer["unavailable"], answer["remaining_budget"]) == (6, 1, 2)
    assert client.patch(f"/api/pools/{pool.pk}/", {"max_unavailable_share": 2}, "application/json").status_code == 400
    assert client.patch(f"/api/pools/{pool.pk}/", {"role": "x"}, "application/json").json()["role"] == "compute"


@pytest.mark.slow
def test_faults_are_listed_in_a_fixed_number_of_queries(
    machines: list[Machine], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client = signed_in(Role.VIEWER)
    with django_assert_num_queries(5):
        faults = client.get(f"/api/faults/?machine={machines[0].pk}&open=true").json()
    assert faults["count"] == 2 and faults["results"][0]["machine"]["name"] == "gpu-ams1-0000"
    detail = client.get(f"/api/faults/{Fault.objects.get(kind='event').pk}/").json()
    assert detail["evidence"][0]["check"] == "gpu.xid" and detail["status"] == "confirmed"
    assert client.get("/api/faults/?open=false").json()["count"] == 0


def test_a_hold_that_is_no_drain_waits_until_the_machine_leaves_service(machines: list[Machine]) -> None:
    place_hold(machines[2].pk, owner="ticket:REP-9", reason="watch", actor="tickets")
    assert make.health(machines[2]).state == "ready"


def test_metrics_count_machines_verdicts_and_faults(machines: list[Machine]) -> None:
    from prometheus_client import CollectorRegistry, generate_latest

    from health import metrics

    registry = CollectorRegistry()
    registry.register(metrics)
    text = generate_latest(registry).decode()
    assert 'rackside_machines{cell="failed",reachability="reachable",site="ams1",state="drained"} 1.0' in text
    assert 'rackside_verdicts{check="gpu.xid",site="ams1",verdict="fail"} 1.0' in text
    assert User.objects.count() == 0 and CELL_AT == 5
