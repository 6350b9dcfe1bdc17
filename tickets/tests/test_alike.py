"""Tickets of machines whose provisioning failed alike: one cause is one ticket."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from access.tests.fleet import make_credentials
from inventory.models import Placement, Rack, Room
from provisioning import queries
from provisioning.models import FailureEvidence, RunMachine
from provisioning.services.progress import changing
from provisioning.steps import Failed, FailureClass, Started, StepName
from provisioning.tests.world import OUR_KEY, Pump, bare, start_run
from tickets.models import Ticket

NO_BMC, IDENTITY = FailureClass.NO_BMC, StepName.IDENTITY


@pytest.fixture
def pump(monkeypatch: pytest.MonkeyPatch) -> Pump:
    return Pump(monkeypatch)


@pytest.mark.django_db(transaction=True)
def test_two_racks_that_fail_in_the_same_way_are_two_causes_and_each_has_one_ticket(pump: Pump) -> None:
    make_credentials(OUR_KEY)
    machines = [bare(f"gpu-{number:03}") for number in range(9)]
    room = Room.objects.create(site=machines[0].device.site, name="H", width_mm=9000, depth_mm=9000)
    racks = [Rack.objects.create(room=room, name=f"A{number:02}", x_mm=1000 * number, y_mm=0) for number in (1, 2)]
    for number, machine in enumerate(machines):
        rack = racks[0] if number < 5 else racks[1]
        Placement.objects.create(device=machine.device, rack=rack, rack_height_u=48, side_slot=f"slot-{number}")
    run = start_run(*machines, limit=9)
    rows = list(run.machines.order_by("pk"))
    for row in rows:
        with changing(row.pk) as progress:
            progress.apply(Started())
    RunMachine.objects.update(silent_looks=3)
    for row in rows:
        with changing(row.pk) as progress:
            progress.apply(Failed(IDENTITY, NO_BMC), "not within 2 minutes: no answer in time")
    keys = list(run.machines.order_by("pk").values_list("ticket", flat=True))
    assert len(set(keys[:5])) == len(set(keys[5:])) == 1 and keys[0] != keys[-1]


@pytest.mark.django_db(transaction=True)
def test_eight_machines_that_fail_alike_are_one_ticket_that_names_them(pump: Pump) -> None:
    make_credentials(OUR_KEY)
    run = start_run(*[bare(f"gpu-{number:03}") for number in range(9)], limit=9)
    rows = list(run.machines.order_by("pk"))
    for row in rows:
        with changing(row.pk) as progress:
            progress.apply(Started())
    RunMachine.objects.exclude(pk=rows[8].pk).update(silent_looks=3)
    for row in rows[:8]:
        with changing(row.pk) as progress:
            progress.apply(Failed(IDENTITY, NO_BMC), "not within 2 minutes: no answer in time")
    ticket = Ticket.objects.get()
    assert set(run.machines.filter(pk__in=[row.pk for row in rows[:8]]).values_list("ticket", flat=True)) == {
        ticket.key
    }
    said = " ".join(ticket.changes.values_list("text", flat=True))
    assert "8 machines fail alike" in said and "management network" in said
    assert all(f"gpu-{number:03} failed alike" in said for number in range(1, 8))

    with changing(rows[5].pk) as progress:  # its log comes after its failure
        FailureEvidence.objects.create(run_machine=rows[5], attempt=1, kind="installer", text="E: no such package")
        progress.tell("run.machine_evidence")
    assert ticket.evidence.filter(excerpt="E: no such package").exists(), "the ticket of all of them has it"

    with changing(rows[8].pk) as progress:
        progress.apply(Failed(IDENTITY, FailureClass.WRONG_IDENTITY), "the BMC says OTHER99")
    assert Ticket.objects.count() == 2, "another failure is another cause"
    RunMachine.objects.update(finished_at=timezone.now() - timedelta(hours=2))
    assert queries.troubles_alike(run.site_id) == [], "what is long over groups nothing new"
