"""The board of stages: where a machine stands, what is stuck, when the rest will be done."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from core.models import Role, Site
from core.services import ensure_user
from inventory.models import Machine
from provisioning.models import Delivery, Run, RunMachine
from provisioning.services import retry_machine
from provisioning.stages.batches import Key, batches
from provisioning.stages.board import (
    LIMITS,
    Board,
    Facts,
    FirstBoot,
    Mark,
    Stage,
    board_of,
    first_boots_by_class,
    standing,
)
from provisioning.tests.world import BareMachine, Pump, bare, start_run

NOW = datetime(2026, 11, 28, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


def machine(number: int = 1, *, hours: float = 1, **more: Any) -> Facts:
    told: dict[str, Any] = {"state": "new", "state_since": NOW - hours * HOUR, "is_placed": True}
    return Facts(number, f"gpu-{number:03}", **(told | more))


def done(**hours_ago: float) -> dict[str, datetime]:
    return {step: NOW - hours * HOUR for step, hours in hours_ago.items()}


@pytest.mark.parametrize(
    ("stage", "mark", "facts"),
    [
        (Stage.DELIVERED, Mark.WAITING, {"is_placed": False}),
        (Stage.RACKED, Mark.WAITING, {}),
        (Stage.RACKED, Mark.LATE, {"hours": 25}),
        (Stage.RACKED, Mark.RUNNING, {"run_status": "running", "state": "provisioning"}),
        (Stage.BMC_REACHED, Mark.WAITING, {"bmc_since": NOW - HOUR}),
        (Stage.BMC_REACHED, Mark.LATE, {"bmc_since": NOW - 5 * HOUR}),
        (Stage.IDENTIFIED, Mark.RUNNING, {"run_status": "running", "steps": done(identity=1)}),
        (Stage.IDENTIFIED, Mark.FAILED, {"run_status": "failed", "state": "triage", "steps": done(identity=1)}),
        (Stage.COMMISSIONED, Mark.RUNNING, {"run_status": "running", "steps": done(identity=2, hardware=1)}),
        (Stage.INSTALLED, Mark.LATE, {"run_status": "running", "steps": done(identity=5, phone_home=4)}),
        (Stage.INSTALLED, Mark.RUNNING, {"run_status": "running", "steps": done(identity=4, phone_home=4, ssh=0.5)}),
        (Stage.INSTALLED, Mark.FAILED, {"run_status": "failed", "state": "repair", "steps": done(ssh=30)}),
        (Stage.BASE_SOFTWARE, Mark.RUNNING, {"run_status": "running", "steps": done(ssh=2, software=1)}),
        (Stage.GPU_TESTED, Mark.LATE, {"run_status": "running", "steps": done(ssh=5, software=4, gpu_tests=3)}),
        (Stage.FABRIC_TESTED, Mark.WAITING, {"steps": done(ssh=5, gpu_tests=3, fabric=0.5)}),
        (Stage.VALIDATED, Mark.RUNNING, {"run_status": "running", "steps": done(ssh=5, fabric=1, checks=0.1)}),
        (Stage.IN_SERVICE, Mark.DONE, {"state": "ready"}),
        (Stage.IN_SERVICE, Mark.DONE, {"state": "repair", "run_status": "done"}),
        (Stage.IN_SERVICE, Mark.DONE, {"state": "triage"}),
    ],
)
def test_a_machine_stands_at_the_furthest_stage_it_reached(stage: Stage, mark: Mark, facts: dict[str, Any]) -> None:
    found = standing(machine(**facts), NOW)
    assert (found.stage, found.mark) == (stage, mark)


def test_what_fails_alike_is_stuck_together_the_longest_first() -> None:
    failed: dict[str, Any] = {"run_status": "failed", "state": "triage", "steps": done(identity=9)}
    found = board([
        machine(1, failure="no_link", finished_at=NOW - 2 * HOUR, **failed),
        machine(2, failure="no_link", finished_at=NOW - 4 * HOUR, **failed),
        machine(3, failure="install_failed", finished_at=NOW - HOUR, **failed),
        machine(4, hours=26),
        machine(5),
    ])  # fmt: skip
    told = [(each.stage, each.failure, [m.id for m in each.machines], each.longest_s / 3600) for each in found.stuck]
    assert told == [
        (Stage.RACKED, "", [4], 26),
        (Stage.IDENTIFIED, "no_link", [1, 2], 4),
        (Stage.IDENTIFIED, "install_failed", [3], 1),
    ]


def board(machines: list[Facts], arrivals: list[datetime] | None = None) -> Board:
    return board_of(machines, arrivals or [], NOW)


def test_the_rest_is_done_at_the_rate_of_the_last_hours_and_the_stuck_are_not_counted() -> None:
    stuck = machine(9, run_status="failed", state="triage", failure="no_bmc")
    way = [machine(number) for number in range(4)]
    arrived = [NOW - 30 * HOUR, *(NOW - timedelta(minutes=10 * number) for number in range(12, 0, -1))]
    service = [machine(100 + number, state="ready") for number in range(20)]
    found = board([*way, stuck, *service], arrived)
    assert (found.in_service, found.rate_an_hour) == (20, 2.0)
    assert found.done_at == NOW + 2 * HOUR
    assert found.curve[0] == (arrived[0], 8) and found.curve[-1] == (arrived[-1], 20)
    assert board(way).done_at is None, "nothing came, so nobody knows"


@given(
    st.lists(
        st.builds(
            machine,
            st.integers(1, 10_000),
            hours=st.floats(0, 500),
            state=st.sampled_from(["new", "provisioning", "burn_in", "ready", "triage", "repair", "rma", "retired"]),
            is_placed=st.booleans(),
            run_status=st.sampled_from(["", "waiting", "running", "failed", "done", "cancelled"]),
            failure=st.sampled_from(["", "no_bmc"]),
            bmc_since=st.none() | st.just(NOW - HOUR),
            steps=st.sampled_from([{}, done(identity=3), done(identity=3, phone_home=2), done(ssh=1)]),
        ),
        max_size=40,
    )
)
def test_every_machine_stands_at_exactly_one_stage(machines: list[Facts]) -> None:
    found = board(machines)
    assert sum(column.count for column in found.columns) == sum(each.state != "retired" for each in machines)
    assert [column.stage for column in found.columns] == list(Stage)
    assert found.in_service + len(found.standings) == sum(column.count for column in found.columns)
    assert sum(len(each.machines) for each in found.stuck) == sum(c.failed + c.late for c in found.columns)
    for column in found.columns:
        assert column.failed + column.late <= column.count


def test_first_boots_are_counted_by_their_first_failure() -> None:
    boots = [FirstBoot("no_bmc", False), FirstBoot("no_bmc", True), FirstBoot("no_link", True), FirstBoot("", True)]
    assert first_boots_by_class(boots) == [("no_bmc", 1, 1), ("no_link", 0, 1)]


def test_every_stage_before_service_has_a_limit() -> None:
    assert {stage for stage, limit in LIMITS.items() if limit is None} == {Stage.IN_SERVICE}
    assert set(LIMITS) == set(Stage)


def test_deliveries_stand_side_by_side_each_with_its_own_rate_and_failures() -> None:
    old, new = Key(1, "PO-1", "Vendor", "XE9680"), Key(2, "PO-2", "Vendor", "XE9680")
    came_with = {1: old, 2: old, 3: new, 4: new, 5: new, 8: Key(3, "PO-3", "", "XE9680")}
    facts = [
        machine(1, state="ready"), machine(2), machine(3, state="ready"), machine(4, hours=26),
        machine(5, run_status="failed", state="triage", failure="no_bmc"), machine(7), machine(8, state="retired"),
    ]  # fmt: skip
    arrivals = [(1, NOW - 9 * HOUR), (3, NOW - HOUR), (7, NOW - HOUR)]
    boots = {1: FirstBoot("", True), 3: FirstBoot("no_power", True), 5: FirstBoot("no_bmc", False)}
    found = batches(came_with, facts, arrivals, boots, NOW)
    assert [(each.key, each.machines, each.board.in_service, each.stuck) for each in found] == [
        (new, 3, 1, 2), (old, 2, 1, 0),
    ]  # fmt: skip
    assert [each.board.rate_an_hour * 6 for each in found] == [1, 0]
    assert [first_boots_by_class(each.boots) for each in found] == [[("no_bmc", 1, 0), ("no_power", 0, 1)], []]


# ---- on real rows ----
def client(site: Site | None = None) -> Client:
    found = Client()
    found.force_login(ensure_user(f"viewer-{site}", role=Role.VIEWER, site=site)[0])
    return found


def get(viewer: Client | None = None) -> dict[str, Any]:
    answer = (viewer or client()).get("/api/provisioning/stages/")
    assert answer.status_code == 200, answer.content
    found: dict[str, Any] = answer.json()
    return found


def at(found: dict[str, Any], name: str) -> tuple[str, str]:
    row = next(row for row in found["machines"] if row["name"] == name)
    return row["stage"], row["mark"]


@pytest.mark.django_db(transaction=True)
def test_a_run_moves_a_machine_over_the_board_and_its_first_failure_is_remembered(
    bare_machine: Callable[..., BareMachine], pump: Pump
) -> None:
    machine = bare_machine()
    assert at(get(), "gpu-001") == ("delivered", "waiting")
    start_run(machine)
    pump.run()
    assert at(get(), "gpu-001") == ("identified", "running")
    machine.boot()
    pump.run()
    assert at(get(), "gpu-001") == ("installed", "running")
    machine.finish_checks(passed=False)
    pump.run()
    found = get()
    assert at(found, "gpu-001") == ("installed", "failed")
    (stuck,) = found["stuck"]
    assert (stuck["failure_class"], stuck["machines"]) == ("checks_failed", [machine.row.pk])
    assert found["first_boots"]["classes"] == [{"failure_class": "checks_failed", "open": 1, "mended": 0}]

    retry_machine(machine.run_machine.pk, actor="olga")
    pump.run(5)
    machine.finish_checks(passed=True)
    pump.run()
    found = get()
    assert (found["in_service"], found["machines"], found["stuck"]) == (1, [], [])
    assert found["rate_an_hour"] == pytest.approx(1 / 6) and found["curve"][-1]["count"] == 1
    boots = found["first_boots"]
    assert (boots["of"], boots["failed"]) == (1, 1)
    assert boots["classes"] == [{"failure_class": "checks_failed", "open": 0, "mended": 1}]


@pytest.mark.django_db
def test_the_number_of_statements_does_not_grow_and_another_site_is_not_told() -> None:
    viewer = client()

    def statements() -> int:
        with CaptureQueriesContext(connection) as counted:
            get(viewer)
        return len(counted)

    in_a_run(bare("gpu-001"))
    statements()
    few = statements()
    for number in range(2, 12):
        in_a_run(bare(f"gpu-{number:03}"))
    assert statements() == few and len(get(viewer)["machines"]) == 11
    assert get(client(Site.objects.create(slug="far", name="Far")))["machines"] == []


def delivered(order: str, *machines: Machine) -> Delivery:
    delivery = Delivery.objects.create(site=machines[0].device.site, order=order, vendor="Vendor", received_by="olga")
    for number, each in enumerate(machines, start=1):
        delivery.items.create(number=number, service_tag=each.device.name, machine=each)
    delivery.items.create(number=len(machines) + 1, service_tag="on-the-list-only")
    return delivery


@pytest.mark.django_db
def test_deliveries_are_told_in_as_many_statements_and_another_site_is_not_told() -> None:
    viewer = client()

    def table(who: Client) -> list[dict[str, Any]]:
        answer = who.get("/api/provisioning/stages/deliveries/")
        assert answer.status_code == 200, answer.content
        rows: list[dict[str, Any]] = answer.json()["results"]
        return rows

    def statements() -> int:
        with CaptureQueriesContext(connection) as counted:
            table(viewer)
        return len(counted)

    machines = [bare(f"gpu-{number:03}") for number in range(1, 12)]
    first = delivered("PO-7731", *machines[:2])
    row = RunMachine.objects.create(
        run=Run.objects.create(site=first.site, created_by="olga"), machine=machines[0], status="failed",
        failure_class="no_power", first_failure="no_power",
    )  # fmt: skip
    statements()
    few = statements()
    second = delivered("PO-7732", *machines[2:])
    for each in machines[2:]:
        in_a_run(each)
    assert statements() == few
    newest, oldest = table(viewer)
    assert (newest["delivery"], newest["machines"], newest["model"]) == (second.pk, 9, row.machine.device.model.name)
    assert (oldest["order"], oldest["vendor"], oldest["machines"], oldest["stuck"]) == ("PO-7731", "Vendor", 2, 1)
    boots = oldest["first_boots"]
    assert (boots["of"], boots["failed"]) == (1, 1)
    assert boots["classes"] == [{"failure_class": "no_power", "open": 1, "mended": 0}]
    assert newest["first_boots"]["of"] == 0 and newest["done_at"] is None
    assert table(client(Site.objects.create(slug="far", name="Far"))) == []


def in_a_run(machine: Machine) -> None:
    run = Run.objects.create(site=machine.device.site, created_by="olga")
    RunMachine.objects.create(run=run, machine=machine, status="running")
