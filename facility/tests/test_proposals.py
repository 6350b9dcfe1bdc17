"""A feed that dies or a row that heats up is one incident with steps; nothing is done before a person says so."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from facility.facts import Measured, Part, Quantity
from facility.findings.models import Finding
from facility.findings.services import set_policy
from facility.overview import sums
from facility.proposals import services
from facility.proposals.models import Proposal
from facility.tests.conftest import Hall
from health.machines.services.changes import lift_hold, place_hold
from health.models import Hold

pytestmark = pytest.mark.django_db


def add_up(hall: Hall) -> None:
    sums.add_up_site(hall.site.pk, timezone.now())


def warm_fast(hall: Hall, c_per_min: float = 3.0) -> None:
    """A probe on the PDU of rack A01 gets warmer."""
    now = timezone.now()
    hall.tell_all(now - timedelta(seconds=1))
    for n in range(10):
        at = now - timedelta(seconds=30 * (9 - n))
        probe = Measured(Part.SENSOR, "Top", Quantity.TEMPERATURE_C, 22 + c_per_min * n / 2)
        hall.tell_pdu("pdu-a01-a", 16_800.0, probe, at=at)


def post(client: APIClient, proposal: Proposal, what: str) -> Any:
    return client.post(f"/api/facility/proposals/{proposal.pk}/{what}/")


def test_air_that_warms_fast_is_one_incident_of_its_row_with_the_mildest_step_first(hall: Hall) -> None:
    warm_fast(hall)
    add_up(hall)
    (row,) = Proposal.objects.all()
    assert row.incident.startswith("row:") and row.state == "proposed" and row.dry_run
    actions = [step["action"] for step in row.steps]
    assert actions[0] == "stop_new_jobs" and actions[-1] == "feed_off" and not row.steps[-1]["reversible"]
    assert len(row.machines) > 4 and set(row.machines) >= {"hgx-a01-01"}
    add_up(hall)
    assert Proposal.objects.count() == 1


def test_a_dead_feed_is_one_incident_and_its_supplies_are_in_it(hall: Hall) -> None:
    hall.tell_all()
    hall.tell_pdu("pdu-a01-a", 0.0)
    beside = [each for each in hall.machines if "-a01-" in each.device.name]
    for machine in beside:
        hall.tell_machine(machine, psus=[0.0, 0.0, 0.0, 2_800.0, 2_800.0, 2_800.0])
    add_up(hall)
    assert Finding.objects.filter(kind="psu.idle", closed_at=None).count() >= 4
    (row,) = Proposal.objects.all()
    assert row.incident.startswith("feed:") and set(row.machines) == {each.device.name for each in beside}


def test_while_acting_is_off_an_approval_is_a_dry_run_and_no_machine_is_held(
    hall: Hall, as_role: Callable[..., APIClient]
) -> None:
    warm_fast(hall)
    add_up(hall)
    row = Proposal.objects.get()
    assert post(as_role("viewer"), row, "approve").status_code == 403
    answer = post(as_role("operator"), row, "approve")
    assert answer.status_code == 200 and {step["state"] for step in answer.json()["steps"]} == {"dry run"}
    services.carry_out(row.pk)
    assert not Hold.objects.exists()
    assert post(as_role("operator"), row, "approve").status_code == 409


def test_with_acting_on_an_approval_holds_the_machines_once_and_taking_it_back_lifts_the_holds(
    hall: Hall, as_role: Callable[..., APIClient], django_capture_on_commit_callbacks: Any
) -> None:
    set_policy(hall.site.pk, acting=True)
    warm_fast(hall)
    add_up(hall)
    row = Proposal.objects.get()
    operator = as_role("operator")
    answer = post(operator, row, "approve")
    states = {step["action"]: step["state"] for step in answer.json()["steps"]}
    assert states["stop_new_jobs"] == "doing" and states["feed_off"] == "by hand"
    services.carry_out(row.pk)
    services.carry_out(row.pk)
    held = Hold.objects.filter(owner=f"power:{row.pk}", lifted_at=None)
    assert held.count() == len(row.steps[0]["machine_ids"]) > 0
    row.refresh_from_db()
    assert row.steps[0]["state"] == "done"
    assert post(operator, row, "undo").status_code == 200
    assert not held.exists() and post(operator, row, "undo").status_code == 409


def test_what_was_dismissed_does_not_come_back_while_it_lasts_and_what_is_gone_is_over(
    hall: Hall, as_role: Callable[..., APIClient]
) -> None:
    warm_fast(hall)
    add_up(hall)
    row = Proposal.objects.get()
    assert post(as_role("operator"), row, "dismiss").json()["state"] == "dismissed"
    add_up(hall)
    assert Proposal.objects.get().state == "dismissed"
    later = timezone.now() + timedelta(minutes=20)
    sums.add_up_site(hall.site.pk, later)
    assert Proposal.objects.get().state == "dismissed", "nothing was heard of it since"
    hall.tell_all(later)
    sums.add_up_site(hall.site.pk, later)
    assert Proposal.objects.get().state == "over"


def approved(hall: Hall) -> Proposal:
    """Approved with acting on; the task that carries it out is lost."""
    set_policy(hall.site.pk, acting=True)
    warm_fast(hall)
    add_up(hall)
    return services.approve(Proposal.objects.get(), by="olga")


def test_what_was_approved_and_lost_on_the_way_is_carried_out_later_though_its_cause_is_gone(hall: Hall) -> None:
    row = approved(hall)
    hall.tell_all()
    add_up(hall)
    row.refresh_from_db()
    assert (row.state, row.steps[0]["state"]) == ("approved", "doing")
    services.carry_out_left()
    row.refresh_from_db()
    assert row.steps[0]["state"] == "done"
    assert Hold.objects.filter(owner=f"power:{row.pk}", lifted_at=None).count() == len(row.steps[0]["machine_ids"])
    add_up(hall)
    assert Proposal.objects.get().state == "over"


def test_what_is_not_carried_out_to_its_end_can_be_taken_back(hall: Hall) -> None:
    row = approved(hall)
    place_hold(row.steps[0]["machine_ids"][0], owner=services.owner_of(row), reason="heat", actor="olga", drain=True)
    services.undo(row, by="olga")
    services.carry_out_left()
    row.refresh_from_db()
    assert row.steps[0]["state"] == "undone" and not Hold.objects.filter(lifted_at=None).exists()


def test_it_is_taken_back_only_when_every_hold_is_lifted(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    row = approved(hall)
    services.carry_out(row.pk)
    stubborn = row.steps[0]["machine_ids"][0]

    def lift(machine: int, **told: Any) -> bool:
        if machine == stubborn:
            raise ValueError("not now")
        return lift_hold(machine, **told)

    with monkeypatch.context() as patched:
        patched.setattr(services, "lift_hold", lift)
        step = services.undo(row, by="olga").steps[0]
    assert step["state"] == "failed" and step["message"].startswith("1 of ")
    assert services.undo(row, by="olga").steps[0]["state"] == "undone"
    assert not Hold.objects.filter(lifted_at=None).exists()
