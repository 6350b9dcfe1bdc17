"""Replace and go on: the nearest spare, the host list, the hand-over and who may do it."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from core.models import Role, Site
from health.insights.models import GoldenMachine
from health.models import Fault, MachineHealth, Pool, SiteAutomation
from health.monitoring.services.sweeps import observation_store
from health.tests import factories as make
from health.tests.test_api import signed_in
from health.tests.test_reports import make_source
from inventory.models import Cable, Connector, Device, DeviceModel, Machine, Port, StrandEnd, Switch
from runs.machines.spares import Standing, assigned, nearest, shortage, where
from runs.models import HandOver, RunRank, TrainingRun
from runs.services import judgement
from runs.slowness.changes import changes
from runs.tests.test_accusations import ECC
from runs.tests.test_reported_runs import KEY_ERROR, body, no_worker, post
from tickets.models import Ticket

__all__ = ["no_worker"]
db = pytest.mark.django_db


# ---- pure: spares ----
def at(number: int, leaf: str = "", pod: str = "", **more: Any) -> Standing:
    """A machine whose two rails end at the leaves of one unit, below the spine of a pod."""
    leaves = {rail: f"{leaf}-{rail}" if rail else leaf for rail in range(2)} if leaf else {}
    return Standing(number, f"hgx-{number}", leaves, frozenset({pod} if pod else ()), **more)


GONE = at(1, "leaf-a", "pod-1")


def test_the_nearest_spare_hangs_at_the_same_leaf_then_in_the_pod_and_the_golden_one_goes_first() -> None:
    spares = [
        at(2, "leaf-z", "pod-2", golden=True),
        at(3, "leaf-b", "pod-1"),
        at(4, "leaf-b", "pod-1", golden=True),
        at(5, "leaf-a", "pod-1"),
        at(6, "leaf-a", "pod-1", golden=True, idle=False),
        at(7, "leaf-a", "pod-1", golden=True),
        at(8, "leaf-a", "pod-1", golden=True, model="another"),
        GONE,
    ]
    found = nearest(GONE, spares)
    assert [(one.standing.machine, one.where) for one in found] == [
        (7, "leaf"), (6, "leaf"), (5, "leaf"), (4, "pod"), (3, "pod"), (2, "anywhere"),
    ]  # fmt: skip
    assert shortage(GONE, found) == ""


def test_no_spare_on_the_leaf_is_said_and_what_is_not_known_is_near_nobody() -> None:
    pod, far = at(3, "leaf-b", "pod-1"), at(2, "leaf-z", "pod-2")
    assert shortage(GONE, nearest(GONE, [pod])) == "No spare at leaf-a: the nearest is in the same pod."
    assert shortage(GONE, nearest(GONE, [far])) == "No spare at leaf-a nor in its pod."
    assert shortage(GONE, []) == "No spare in service is free."
    unknown = at(1)
    assert [one.where for one in nearest(unknown, [at(2)])] == ["anywhere"]
    assert "not known" in shortage(unknown, nearest(unknown, [far]))


def test_one_rail_at_another_leaf_does_not_make_a_neighbour_a_stranger() -> None:
    three = {0: "leaf-a", 1: "leaf-b", 2: "leaf-c"}
    gone = GONE._replace(leaves=three)
    assert where(gone, at(2)._replace(leaves=three | {2: "leaf-z"})) == "leaf"
    assert where(gone, at(2, pod="pod-1")._replace(leaves=three | {1: "leaf-y", 2: "leaf-z"})) == "pod"


def test_of_several_that_leave_each_gets_a_spare_of_its_own_and_the_nearest_pairs_come_first() -> None:
    gone = [GONE, at(2, "leaf-b", "pod-1"), at(3, "leaf-z", "pod-2")]
    found = assigned(gone, [at(10, "leaf-b", "pod-1"), at(11, "leaf-q", "pod-1")])
    assert [(one.standing.machine, one.where) if one else None for one in found] == [(11, "pod"), (10, "leaf"), None]


# ---- pure: host lists ----
# ---- with machines ----
def cable(port: Port, far: Device, name: str, label: str) -> None:
    there = Port.objects.create(device=far, name=name, kind="infiniband")
    made = Cable.objects.create(site=far.site, label=label, type="DAC")
    for side, end in (("A", port), ("B", there)):
        StrandEnd.objects.create(connector=Connector.objects.create(cable=made, side=side), port=end)


def switch(site: Site, name: str, tier: str) -> Device:
    model, _ = DeviceModel.objects.get_or_create(slug="ib", vendor="V", name="M", kind="switch", half_u_height=2)
    device = Device.objects.create(site=site, model=model, kind="switch", name=name)
    Switch.objects.create(device=device, fabric="infiniband", tier=tier)
    return device


@pytest.fixture
def hall() -> list[Machine]:
    """Eight machines heard a moment ago: 0 to 2 at leaf-a, 3 and 4 at leaf-b of the same pod, 5 to 7 in another pod."""
    machines = make.make_machines(8)
    site = machines[0].device.site
    leaves = {name: switch(site, name, "leaf") for name in ("leaf-a", "leaf-b", "leaf-c")}
    spines = {name: switch(site, name, "spine") for name in ("spine-1", "spine-2")}
    for leaf, spine in (("leaf-a", "spine-1"), ("leaf-b", "spine-1"), ("leaf-c", "spine-2")):
        up = Port.objects.create(device=leaves[leaf], name="up", kind="infiniband")
        cable(up, spines[spine], leaf, f"{leaf}-up")
    for at, machine in enumerate(machines):
        leaf = "leaf-a" if at < 3 else "leaf-b" if at < 5 else "leaf-c"
        port = Port.objects.create(device=machine.device, name="mlx5_0", kind="infiniband", rail=0, slot="HCA 1")
        cable(port, leaves[leaf], f"down {at}", f"c{at}")
    observation_store.record([make.look(machine, at=timezone.now()) for machine in machines])
    return machines


@pytest.fixture
def run(hall: list[Machine]) -> TrainingRun:
    """Of machines 0 and 1; rank 4, on machine 0, met an ECC error."""
    token = make_source(name="trainer")[1]
    post(token, body(hall[1].device.name, ranks=range(8, 16)))
    said = body(hall[0].device.name, ended=[{"rank": 4, "at": time.time() - 5, "error": ECC}])
    found = TrainingRun.objects.get(pk=post(token, said).json()["run"])
    judgement.judge_run(found.pk)
    found.refresh_from_db()
    return found


def asked(run: TrainingRun, role: Role = Role.VIEWER) -> dict[str, Any]:
    answer = signed_in(role).get(f"/api/runs/{run.pk}/replacement/")
    assert answer.status_code == 200, answer.content
    return dict(answer.json())


def order(run: TrainingRun, role: Role = Role.OPERATOR, **said: Any) -> Any:
    return signed_in(role).post(
        f"/api/runs/{run.pk}/hand-overs/", {"reason": "lost its GPU"} | said, content_type="application/json"
    )


@db
def test_the_page_of_a_run_names_fault_ticket_replacement_and_hosts(run: TrainingRun, hall: list[Machine]) -> None:
    GoldenMachine.objects.create(machine=hall[4], promoted_at=timezone.now(), promoted_by="olga", reason="clean")
    found = asked(run)
    assert found["machine"]["name"] == hall[0].device.name
    assert [(row["name"][-1], row["where"], row["golden"]) for row in found["spares"]] == [
        ("2", "leaf", False), ("4", "pod", True), ("3", "pod", False), ("5", "anywhere", False),
        ("6", "anywhere", False), ("7", "anywhere", False),
    ]  # fmt: skip
    assert found["shortage"] == "" and "R00" in found["spares"][0]["place"]
    ticket = Ticket.objects.get()
    assert found["fault"] == {
        "id": Fault.objects.get().pk, "machine": hall[0].pk, "status": "confirmed", "ticket": ticket.key,
    }  # fmt: skip
    assert "kestrel-405b" in ticket.summary
    told = signed_in(Role.VIEWER).get(f"/api/tickets/{ticket.key}/").json()
    assert told["training_runs"] == [{"id": run.pk, "name": "kestrel-405b", "attempt": 0}]
    assert found["hosts"]["slurm"] == "gpu-ams1-[0000-0001]"


@pytest.mark.slow
@db
def test_machines_of_other_runs_busy_broken_or_out_are_no_spares(run: TrainingRun, hall: list[Machine]) -> None:
    post(make_source(name="other")[1], body(hall[2].device.name) | {"run": {"id": "2"}})
    MachineHealth.objects.filter(pk=hall[3].pk).update(allocation="allocated")
    MachineHealth.objects.filter(pk=hall[4].pk).update(state="maintenance")
    MachineHealth.objects.filter(pk=hall[5].pk).update(worst="fail")
    MachineHealth.objects.filter(pk=hall[6].pk).update(reachability="unreachable")
    found = asked(run)
    assert [row["machine"] for row in found["spares"]] == [hall[7].pk]
    assert found["shortage"] == "No spare at leaf-a nor in its pod."


@db
def test_a_machine_that_was_promised_to_another_run_is_no_spare_for_a_while(
    run: TrainingRun, hall: list[Machine]
) -> None:
    said = body(hall[5].device.name) | {"run": {"id": "2"}}
    other = TrainingRun.objects.get(pk=post(make_source(name="other")[1], said).json()["run"])
    assert order(other, machine=hall[5].pk, replacement=hall[2].pk, take_out=False).status_code == 200
    assert hall[2].pk not in [row["machine"] for row in asked(run)["spares"]]
    HandOver.objects.update(at=timezone.now() - timedelta(hours=3))
    assert asked(run)["spares"][0]["machine"] == hall[2].pk


@db
def test_a_hand_over_takes_out_notes_who_and_rewrites_the_host_list_once(run: TrainingRun, hall: list[Machine]) -> None:
    HandOver.objects.all().delete()
    answer = order(run, machine=hall[1].pk, replacement=hall[2].pk)
    assert answer.status_code == 200, answer.content
    found = answer.json()
    assert make.health(hall[1]).state == "drained"
    assert found["hosts"]["slurm"] == "gpu-ams1-[0000,0002]"
    (row,) = found["hand_overs"]
    assert (row["left_name"], row["came_name"], row["taken_out"], row["by"]) == (
        hall[1].device.name, hall[2].device.name, True, "olga",
    )  # fmt: skip
    assert order(run, machine=hall[1].pk, replacement=hall[2].pk).status_code == 200
    assert HandOver.objects.count() == 1
    refused = order(run, machine=hall[1].pk, replacement=hall[3].pk)
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "refused")


@pytest.mark.slow
@db
def test_a_replacement_that_fails_too_is_replaced_in_its_place(run: TrainingRun, hall: list[Machine]) -> None:
    order(run, machine=hall[1].pk, replacement=hall[2].pk, take_out=False)
    answer = order(run, machine=hall[2].pk, replacement=None, take_out=False)
    assert answer.json()["hosts"]["slurm"] == "gpu-ams1-0000"
    assert {make.health(machine).state for machine in hall[1:3]} == {"ready"}


@db
def test_what_a_guard_refuses_is_not_done_and_shown_with_its_reason(run: TrainingRun, hall: list[Machine]) -> None:
    Pool.objects.update(max_unavailable_share=0.01)
    found = signed_in(Role.VIEWER).get(f"/api/runs/{run.pk}/replacement/?machine={hall[1].pk}").json()
    assert (found["machine"]["taking_out"]["allowed"], found["machine"]["taking_out"]["guard"]) == (
        False, "disruption_budget",
    )  # fmt: skip
    refused = order(run, machine=hall[1].pk, replacement=hall[2].pk)
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "refused")
    assert "Not taken out" in refused.json()["error"]["message"]
    assert not HandOver.objects.exists() and make.health(hall[1]).state == "ready"
    assert order(run, machine=hall[1].pk, replacement=hall[2].pk, take_out=False).status_code == 200


@pytest.mark.slow
@db
def test_audit_mode_and_the_kill_switch_refuse_as_for_every_drain(run: TrainingRun, hall: list[Machine]) -> None:
    Pool.objects.update(automation="dry_run")
    assert "dry run" in order(run, machine=hall[1].pk).json()["error"]["message"]
    Pool.objects.update(automation="on")
    SiteAutomation.objects.update(killed=True, killed_by="olga", killed_at=timezone.now(), killed_reason="smoke")
    assert "kill switch" in order(run, machine=hall[1].pk).json()["error"]["message"]


@db
def test_only_operators_replace_and_only_machines_of_the_run(run: TrainingRun, hall: list[Machine]) -> None:
    assert order(run, Role.VIEWER, machine=hall[1].pk).status_code == 403
    refused = order(run, machine=hall[7].pk)
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "refused")
    taken = order(run, machine=hall[1].pk, replacement=hall[0].pk)
    assert (taken.status_code, taken.json()["error"]["code"]) == (409, "refused")


@db
def test_a_software_failure_proposes_no_machine(hall: list[Machine]) -> None:
    said = body(hall[0].device.name, ended=[{"rank": 4, "at": time.time() - 5, "error": KEY_ERROR}])
    found = TrainingRun.objects.get(pk=post(make_source(name="trainer")[1], said).json()["run"])
    judgement.judge_run(found.pk)
    answer = asked(found)
    assert (answer["machine"], answer["fault"], answer["spares"]) == (None, None, [])


@pytest.mark.slow
@db
def test_a_name_with_a_domain_stays_as_the_launcher_calls_it(run: TrainingRun, hall: list[Machine]) -> None:
    RunRank.objects.filter(machine=hall[0]).update(machine_name=f"{hall[0].device.name}.example.com")
    assert asked(run)["hosts"]["slurm"] == "gpu-ams1-0000.example.com,gpu-ams1-0001"
    order(run, machine=hall[0].pk, replacement=hall[2].pk, take_out=False)
    assert asked(run)["hosts"]["mpi"] == "gpu-ams1-0002 slots=8\ngpu-ams1-0001 slots=8\n"


@db
def test_what_may_stand_in_takes_the_same_statements_for_more_machines(run: TrainingRun) -> None:
    def cost() -> int:
        client = signed_in(Role.VIEWER)
        with CaptureQueriesContext(connection) as captured:
            assert client.get(f"/api/runs/{run.pk}/replacement/").status_code == 200
        return len(captured)

    few = cost()
    made = make.make_machines(10)
    observation_store.record([make.look(machine, at=timezone.now()) for machine in made])
    assert cost() == few


@pytest.mark.slow
@db
def test_a_hand_over_stands_on_the_time_line_of_the_run(run: TrainingRun, hall: list[Machine]) -> None:
    assert order(run, machine=hall[0].pk, replacement=hall[2].pk, take_out=False).status_code == 200
    (row,) = signed_in(Role.VIEWER).get(f"/api/runs/{run.pk}/pace/").json()["hand_overs"]
    assert (row["left_name"], row["came_name"]) == (hall[0].device.name, hall[2].device.name)
    moment = HandOver.objects.get().at
    found = changes(run, moment + timedelta(minutes=4))
    handed = [one for one in found.candidates if one.kind == "machine"]
    assert [(one.machine, one.text) for one in handed] == [(hall[2].pk, f"replaced {hall[0].device.name}")]
    later = changes(run, moment + timedelta(hours=3))
    assert not [one for one in later.candidates if one.kind == "machine"]
