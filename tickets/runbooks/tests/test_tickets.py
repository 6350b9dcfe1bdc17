"""A ticket follows a runbook: in its version, true to the machine's state, with steps that the machine runs itself."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from access.models import Endpoint
from access.tests.fleet import make_credentials
from core.instance import state as instance
from core.models import Role, User
from drivers.tests.bmc import FakeBmc, self_signed, serving
from health.models import MachineHealth
from health.tests import factories as make
from inventory.models import DeviceModel, Machine
from provisioning.tests.world import Loop
from tickets import services
from tickets.models import StepOutcome, StepRun, Ticket, TicketRunbook
from tickets.runbooks import machine_steps, queries
from tickets.runbooks import services as runbooks
from tickets.runbooks.document import plain
from tickets.runbooks.power import GENTLE_S
from tickets.runbooks.shipped import shipped
from tickets.tests.conftest import break_gpu, install, look_after, person
from tickets.tests.test_api import client_of, post

pytestmark = pytest.mark.django_db
OFF, RESEAT, SWAP, ON = 3, 4, 5, 6
"""Numbers of the steps of swap-gpu in a ticket: two of the visit stand before them."""


class Bmc:
    """A BMC over TLS for one machine, switched on."""

    def __init__(self, loop: Loop, folder: Path, machine: Machine) -> None:
        make_credentials()
        self.loop, self.fake = loop, FakeBmc(power="On")
        pem, _ = self_signed(folder)
        self.serving = serving(self.fake, pem)
        port = loop.run(self.serving.__aenter__())
        Endpoint.objects.create(machine=machine, kind="redfish", address="127.0.0.1", port=port)

    def close(self) -> None:
        self.loop.run(self.serving.__aexit__(None, None, None))


@pytest.fixture(scope="module")
def loop_thread() -> Iterator[Loop]:
    loop = Loop()
    yield loop
    loop.stop()


@pytest.fixture
def bmc(loop_thread: Loop, tmp_path: Path, broken: Machine) -> Iterator[Bmc]:
    MachineHealth.objects.filter(pk=broken.pk).update(allocation="idle")
    found = Bmc(loop_thread, tmp_path, broken)
    yield found
    found.close()


@pytest.fixture
def taken(ticket: Ticket, tina: User) -> Client:
    services.take(ticket.number, by=tina)
    return client_of(tina)


def read(client: Client, ticket: Ticket) -> dict[str, Any]:
    return dict(client.get(f"/api/tickets/{ticket.key}/").json())


def step(client: Client, ticket: Ticket, number: int) -> dict[str, Any]:
    return dict(read(client, ticket)["steps"][number - 1])


def look_again() -> None:
    StepRun.objects.update(next_try_at=timezone.now())
    machine_steps.sync()


def power_off(client: Client, ticket: Ticket) -> None:
    assert post(client, ticket, f"steps/{OFF}/run").status_code == 200
    look_again()
    look_again()


# ---- which one, in which version ----


@pytest.mark.slow
def test_a_ticket_keeps_the_version_it_was_opened_with_and_is_offered_the_newer(
    ticket: Ticket, taken: Client, olga: User
) -> None:
    head = read(taken, ticket)["runbook"]
    assert (head["slug"], head["number"], head["newer"]) == ("swap-gpu", 1, False)
    assert head["minutes"] == 60 and "<li>" in head["safety"] and head["tools"] and head["parts"]
    document = plain(shipped()["swap-gpu"]) | {"minutes": 45}
    document["steps"][1]["title"] = "Lift {{ part }} out"
    runbooks.publish(ticket.site_id, "swap-gpu", document, note="Our lift is quicker", by=olga)
    head = read(taken, ticket)["runbook"]
    assert (head["number"], head["newer"], head["minutes"]) == (1, True, 60)
    assert step(taken, ticket, RESEAT)["title"] == "Reseat SXM 5 (GPU 5)"
    body = post(taken, ticket, "runbook", slug="swap-gpu").json()
    assert (body["runbook"]["number"], body["runbook"]["newer"], body["runbook"]["minutes"]) == (2, False, 45)
    assert body["steps"][RESEAT - 1]["title"] == "Lift SXM 5 (GPU 5) out"
    assert [row["number"] for row in body["steps"]] == list(range(1, 8)) and body["steps"][-1]["kind"] == "verify"
    services.tick(ticket.number, OFF, by=person("tina"))
    error = post(taken, ticket, "runbook", slug="swap-psu").json()["error"]
    assert error["code"] == "refused" and "is done already" in error["message"]
    assert post(taken, ticket, "runbook", slug="of-nobody").status_code == 409


def test_a_site_gives_a_class_another_runbook(db: None, olga: User) -> None:
    site_id = break_gpu(site="ams1").device.site_id
    first = Ticket.objects.get()
    runbooks.choose(site_id, "swap-baseboard", fault_class=first.fault_class)
    other = break_gpu(site="osl1")
    assert TicketRunbook.objects.get(ticket__machine=other).version.slug == "swap-gpu", "another site"
    assert first.machine is not None
    planned = runbooks.steps_for(first.machine, first.fault_class, "GPU 5", "SXM 5")
    assert planned.version.slug == "swap-baseboard" and planned.version.site_id == site_id


# ---- what it says ----


def test_it_never_says_out_of_service_of_a_machine_that_is_not(ticket: Ticket, taken: Client) -> None:
    row = step(taken, ticket, 1)
    assert row["title"] == "The machine is out of service" and row["run"] is None
    MachineHealth.objects.update(state="ready")
    row = step(taken, ticket, 1)
    assert row["title"] == "The machine is in service" and "Have it drained" in row["detail"]
    assert row["run"]["runs"] == "drain" and row["run"]["may"] is False, "a technician may not"
    MachineHealth.objects.update(state="drained", allocation="allocated")
    assert step(taken, ticket, 1)["title"] == "Check whether the machine is out of service"


def test_off_is_said_only_when_it_was_seen(bmc: Bmc, ticket: Ticket, taken: Client) -> None:
    MachineHealth.objects.update(power="on")
    assert "<strong>not seen off yet</strong>" in step(taken, ticket, OFF)["html"]
    power_off(taken, ticket)
    assert "It was seen off." in step(taken, ticket, OFF)["html"]
    MachineHealth.objects.update(last_seen_at=timezone.now() + timedelta(seconds=1))
    assert "not seen off yet" in step(taken, ticket, OFF)["html"], "it answered a sweep since then"


# ---- power off, and seen off before hands go in ----


def test_power_off_is_pressed_asked_and_seen_before_hands_go_in(bmc: Bmc, ticket: Ticket, taken: Client) -> None:
    run = step(taken, ticket, OFF)["run"]
    assert run["state"] == "" and "until it shows Off" in run["would"], "what it would do is shown before it is pressed"
    assert bmc.fake.orders == []
    assert "Step 3 first" in step(taken, ticket, RESEAT)["waits"]
    assert "not seen off" in post(taken, ticket, f"steps/{OFF}").json()["error"]["message"]
    assert "Step 3 first" in post(taken, ticket, f"steps/{RESEAT}").json()["error"]["message"]

    bmc.fake.power_delay_s = 60
    body = post(taken, ticket, f"steps/{OFF}/run").json()
    assert body["steps"][OFF - 1]["run"]["state"] == "queued"
    assert post(taken, ticket, f"steps/{OFF}/run").status_code == 200 and StepRun.objects.count() == 1
    look_again()
    assert bmc.fake.orders == ["GracefulShutdown"] and step(taken, ticket, OFF)["run"]["state"] == "asked"
    look_again()
    assert bmc.fake.orders == ["GracefulShutdown"], "an order is given once"
    assert "Step 3 first" in post(taken, ticket, f"steps/{RESEAT}").json()["error"]["message"]

    bmc.fake.power = "Off"
    look_again()
    row = step(taken, ticket, OFF)
    assert row["run"]["state"] == "seen" and "The BMC shows off" in row["run"]["text"]
    assert row["done_at"] and row["done_by"] == "Tina"
    assert step(taken, ticket, RESEAT)["waits"] == ""
    assert post(taken, ticket, f"steps/{RESEAT}").status_code == 200


def test_a_step_that_ends_while_its_ticket_is_read_is_never_left_to_a_hand(
    bmc: Bmc, ticket: Ticket, taken: Client
) -> None:
    """Seen off and not yet done would offer "Step 3 done", which is refused as a conflict a moment later."""
    bmc.fake.power_delay_s = 60
    post(taken, ticket, f"steps/{OFF}/run")
    look_again()
    bmc.fake.power = "Off"
    ended: list[bool] = []

    def the_worker_is_behind(execute: Any, sql: str, *more: Any) -> Any:
        answer = execute(sql, *more)
        if not ended and 'FROM "tickets_step"' in sql:
            ended.append(True)
            look_again()
        return answer

    with connection.execute_wrapper(the_worker_is_behind):
        row = step(taken, ticket, OFF)
    assert ended and (row["run"]["state"] == "seen") == (row["done_at"] is not None)


@pytest.mark.parametrize("newer_trees", [False, True], ids=["Power", "PowerSubsystem"])
def test_a_bmc_that_says_off_while_its_supplies_draw_power_is_not_believed(
    newer_trees: bool, bmc: Bmc, ticket: Ticket, taken: Client
) -> None:
    DeviceModel.objects.update(power_w=10_200)
    bmc.fake.newer_trees, bmc.fake.draws_w = newer_trees, 2_900.0
    power_off(taken, ticket)
    row = step(taken, ticket, OFF)
    assert row["done_at"] is None and "too much for a machine that is off" in row["run"]["text"]
    assert "Step 3 first" in post(taken, ticket, f"steps/{RESEAT}").json()["error"]["message"], "hands stay out"
    bmc.fake.draws_w = 46.0
    look_again()
    row = step(taken, ticket, OFF)
    assert row["done_at"] and row["run"]["text"] == "The BMC shows off, its supplies draw 46 W."


def test_what_does_not_shut_down_is_switched_off_by_force(bmc: Bmc, ticket: Ticket, taken: Client) -> None:
    bmc.fake.power_delay_s = 600
    post(taken, ticket, f"steps/{OFF}/run")
    look_again()
    StepRun.objects.update(ordered_at=timezone.now() - timedelta(seconds=GENTLE_S + 1))
    look_again()
    assert bmc.fake.orders == ["GracefulShutdown", "ForceOff"]


def test_an_order_that_a_lost_worker_wrote_down_is_looked_for_before_anything_is_sent(
    bmc: Bmc, ticket: Ticket, taken: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def dies(*args: object) -> None:
        raise SystemExit

    post(taken, ticket, f"steps/{OFF}/run")
    with monkeypatch.context() as patched, pytest.raises(SystemExit):
        patched.setattr(machine_steps, "_send", dies)
        look_again()
    row = StepRun.objects.get()
    assert (row.state, row.ordered) == ("asked", "graceful_off") and row.lease_until is not None
    bmc.fake.power = "Off"
    StepRun.objects.update(lease_until=timezone.now())
    look_again()
    assert bmc.fake.orders == [] and StepRun.objects.get().state == "seen"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"state": "ready"}, "The machine is ready"),
        ({"state": "draining"}, "The machine is draining"),
        ({"state": "provisioning"}, "The machine is provisioning"),
        ({"allocation": "allocated"}, "Jobs run on it"),
    ],
)
def test_a_machine_with_work_on_it_is_not_switched_off(
    bmc: Bmc, ticket: Ticket, taken: Client, change: dict[str, str], why: str
) -> None:
    post(taken, ticket, f"steps/{OFF}/run")
    MachineHealth.objects.update(**change)
    look_again()
    row = StepRun.objects.get()
    assert bmc.fake.orders == [] and row.state == "failed" and why in row.text, "asked right before it is sent"
    answer = post(taken, ticket, f"steps/{OFF}/run")
    assert answer.status_code == 409 and why in answer.json()["error"]["message"]


def test_a_paused_instance_sends_nothing(
    bmc: Bmc, ticket: Ticket, taken: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    post(taken, ticket, f"steps/{OFF}/run")
    monkeypatch.setattr(instance, "is_paused", lambda: True)
    look_again()
    row = StepRun.objects.get()
    assert bmc.fake.orders == [] and row.state == "queued" and "paused" in row.text, "it waits and says why"


@pytest.mark.slow
def test_nobody_switches_for_a_ticket_that_was_given_back(bmc: Bmc, ticket: Ticket, taken: Client, tina: User) -> None:
    post(taken, ticket, f"steps/{OFF}/run")
    services.release(ticket.number, by=tina, reason="shift ends")
    look_again()
    row = StepRun.objects.get()
    assert bmc.fake.orders == [] and row.state == "failed" and "Nobody works" in row.text


def test_a_bmc_that_does_not_answer_is_not_off(bmc: Bmc, ticket: Ticket, taken: Client) -> None:
    Endpoint.objects.update(port=1)
    post(taken, ticket, f"steps/{OFF}/run")
    look_again()
    assert StepRun.objects.get().state == "queued" and StepRun.objects.get().text
    StepRun.objects.update(asked_at=timezone.now() - timedelta(hours=1))
    look_again()
    row = step(taken, ticket, OFF)
    assert row["run"]["state"] == "failed" and row["done_at"] is None
    body = post(taken, ticket, f"steps/{OFF}", skip="Cords pulled, every light is dark").json()
    assert body["steps"][OFF - 1]["done_at"] and body["steps"][RESEAT - 1]["waits"] == ""
    assert "Step 3 skipped: Cords pulled, every light is dark" in [line["text"] for line in body["timeline"]]


def test_a_swap_in_a_machine_that_was_not_seen_off_is_recorded_and_told(ticket: Ticket, taken: Client) -> None:
    assert post(taken, ticket, "swap", new_serial="1650000000099").status_code == 200
    assert "Step 5 was done although the machine was not seen off." in [
        line["text"] for line in read(taken, ticket)["timeline"]
    ]


@pytest.mark.slow
def test_after_a_failed_verification_the_machine_is_switched_off_anew(
    bmc: Bmc, ticket: Ticket, taken: Client, tina: User
) -> None:
    power_off(taken, ticket)
    early = post(taken, ticket, f"steps/{ON}/run").json()["error"]
    assert early["message"] == "Step 4 first: hands may still be in the machine."
    post(taken, ticket, f"steps/{RESEAT}")
    post(taken, ticket, "swap", new_serial="1650000000099")
    assert post(taken, ticket, f"steps/{ON}/run").status_code == 200
    look_again()
    look_again()
    assert bmc.fake.power == "On" and step(taken, ticket, ON)["run"]["state"] == "seen"
    post(taken, ticket, "verify")
    assert look_after(ticket, make.gone()) == "failed"
    rows = read(taken, ticket)["steps"]
    assert [row["done_at"] is None for row in rows[OFF - 1 : ON]] == [True] * 4
    assert rows[OFF - 1]["run"]["state"] == "" and "Step 3 first" in rows[RESEAT - 1]["waits"]
    failed = StepOutcome.objects.filter(outcome="failed").values_list("step_key", flat=True)
    assert set(failed) == {"power-off", "reseat", "replace", "power-on"}
    counted = {
        row["step_key"]: row for row in queries.failing_steps([ticket.site_id], timezone.now() - timedelta(days=1))
    }
    assert counted["replace"]["done"] == 1 and counted["replace"]["failed"] == 1


@pytest.mark.slow
def test_power_on_waits_for_the_hands_of_another_ticket_of_the_machine(
    bmc: Bmc, ticket: Ticket, taken: Client, tina: User
) -> None:
    power_off(taken, ticket)
    post(taken, ticket, f"steps/{RESEAT}")
    post(taken, ticket, "swap", new_serial="1650000000099")
    install(ticket.device.machine, "GPU 3", "1650000000003")
    other = Ticket.objects.create(
        site=ticket.site, device=ticket.device, machine=ticket.machine, part="GPU 3", fault_class="gpu.fallen_off",
        title="GPU 3 is gone", status="in_work", assignee=tina, opened_at=timezone.now(),
    )  # fmt: skip
    TicketRunbook.objects.create(ticket=other, version=TicketRunbook.objects.get(ticket=ticket).version)
    other.steps.create(number=1, key="power-off", kind="reseat", title="Off", done_at=timezone.now())
    hands = other.steps.create(number=2, key="reseat", kind="reseat", title="Reseat")
    refused = post(taken, ticket, f"steps/{ON}/run").json()["error"]
    assert refused["message"] == f"{other.key} step 2 first: hands may be in the machine."
    hands.done_at = timezone.now()
    hands.save()
    assert post(taken, ticket, f"steps/{ON}/run").status_code == 200
    Ticket.objects.filter(pk=other.pk).update(status="in_work")
    other.steps.filter(number=2).update(done_at=None)
    look_again()
    assert bmc.fake.power == "Off" and "hands may be in" in step(taken, ticket, ON)["run"]["text"]


# ---- drain and light ----


@pytest.mark.slow
def test_a_machine_that_was_put_back_or_whose_ticket_was_closed_is_not_drained_again(
    ticket: Ticket, tina: User, olga: User
) -> None:
    services.take(ticket.number, by=tina)
    MachineHealth.objects.update(state="ready", allocation="idle")
    assert post(client_of(olga), ticket, "steps/1/run").status_code == 200
    StepRun.objects.update(state="asked")  # it was drained, and an operator put it back
    look_again()
    assert MachineHealth.objects.get(pk=ticket.machine_id).state == "ready"
    assert step(client_of(tina), ticket, 1)["run"]["text"] == "It was put back into service."
    assert post(client_of(olga), ticket, "steps/1/run").status_code == 200
    services.release(ticket.number, by=tina, reason="late shift")
    look_again()
    assert MachineHealth.objects.get(pk=ticket.machine_id).state == "ready"
    assert StepRun.objects.get().text == "Not drained. Nobody works on the ticket any more."


def test_an_operator_drains_from_the_ticket_and_it_is_seen(ticket: Ticket, tina: User, olga: User) -> None:
    services.take(ticket.number, by=tina)
    MachineHealth.objects.update(state="ready", allocation="idle")
    assert post(client_of(tina), ticket, "steps/1/run").status_code == 403
    assert post(client_of(olga), ticket, "steps/1/run").status_code == 200
    look_again()
    row = step(client_of(tina), ticket, 1)
    assert row["run"]["state"] == "seen" and row["done_at"] and row["title"] == "The machine is out of service"
    assert MachineHealth.objects.get(pk=ticket.machine_id).state == "repair"


# ---- signatures ----


def signed_runbook(ticket: Ticket, by: User, sign: str) -> None:
    document = plain(shipped()["swap-gpu"])
    document["steps"] = [
        {"key": "locked", "kind": "check", "title": "Lock out", "text": "At {{ feeds }}.", "sign": sign}
    ]
    runbooks.publish(ticket.site_id, "swap-gpu", document, note="With a signature", by=by)


def test_a_second_person_confirms_and_is_not_who_works(ticket: Ticket, taken: Client, olga: User) -> None:
    signed_runbook(ticket, olga, "second_person")
    post(taken, ticket, "runbook", slug="swap-gpu")
    assert "second person has not" in post(taken, ticket, "steps/3").json()["error"]["message"]
    assert post(taken, ticket, "steps/3/sign").status_code == 403, "nobody is their own second person"
    assert post(client_of(person("vera", Role.VIEWER)), ticket, "steps/3/sign").status_code == 403
    paul = client_of(person("paul"))
    body = post(paul, ticket, "steps/3/sign").json()
    assert body["steps"][2]["sign"]["by"] == "Paul"
    assert post(taken, ticket, "steps/3").status_code == 200
    assert post(paul, ticket, "steps/3/sign").status_code == 409


@pytest.mark.slow
def test_a_lockout_names_its_cords_and_its_tag(ticket: Ticket, taken: Client, olga: User) -> None:
    signed_runbook(ticket, olga, "lockout")
    body = post(taken, ticket, "runbook", slug="swap-gpu").json()
    assert "<p>At " in body["steps"][2]["html"]
    assert "tag number" in post(taken, ticket, "steps/3").json()["error"]["message"]
    assert "number on the lock" in post(taken, ticket, "steps/3/sign").json()["error"]["message"]
    assert post(taken, ticket, "steps/3/sign", tag="L-17").json()["steps"][2]["sign"]["tag"] == "L-17"
    assert post(taken, ticket, "steps/3").status_code == 200
    assert post(taken, ticket, "steps/3", done=False).json()["steps"][2]["sign"]["by"] is None, "the lock came off"
