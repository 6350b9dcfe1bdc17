"""Wherever a line tells a part, what is printed on the chassis comes first: holds, incidents, drains, plans, what the
scheduler is told, why a verification failed, and the history."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.test import APIClient

from core.audit.actor import Actor, acting
from core.models import User
from health.models import Fault, Hold, Incident, LifecycleChange, MachineHealth
from health.monitoring.queries.part_lines import line_of
from health.remediation.queries import remediation
from health.schedulers import queries
from health.services import request_verification
from health.tests import factories as make
from inventory.models import Installation, Machine
from tickets import services
from tickets.models import Ticket
from tickets.tests.conftest import OLD_SERIAL, look_after

pytestmark = pytest.mark.django_db
PART = "SXM 5 (GPU 5)"


def told(user: User, **query: Any) -> list[dict[str, object]]:
    client = APIClient()
    client.force_login(user)
    return list(client.get("/api/history/", query).json()["results"])


def test_holds_incidents_drains_plans_and_the_scheduler_name_the_part_as_the_chassis_does(broken: Machine) -> None:
    fault = Fault.objects.get(machine=broken, led_by=None)
    line = f"{PART}: {fault.message}"
    assert line_of(fault) == line
    assert Hold.objects.get(machine=broken, owner=fault.hold_owner).reason == line
    assert Incident.objects.get(machine=broken).title == f"{broken.device.name}: {line}"
    reasons = LifecycleChange.objects.filter(machine=broken).values_list("reason", flat=True)
    assert f"rackside: {line}" in reasons
    assert [row["fault"]["text"] for row in remediation.plan(broken.device.site_id)] == [line]
    health = MachineHealth.objects.get(machine=broken)
    health.state = "ready"
    assert queries.verdict(health, strict=True) == ("bad", line)


def test_a_failed_verification_names_the_part_as_the_chassis_does(broken: Machine, tina: User) -> None:
    ticket = Ticket.objects.get()
    faults = list(Fault.objects.filter(machine=broken, led_by=None).values_list("pk", flat=True))
    asked = request_verification(broken.pk, fault_ids=faults, owner=f"ticket:{ticket.key}", actor="tina")
    asked.tickets.add(ticket)
    assert look_after(ticket, make.gone()) == "failed"
    asked.refresh_from_db()
    assert asked.reason.startswith(f"gpu.present of {PART}: ")


def test_the_history_of_a_swap_names_the_slot_as_the_chassis_does(broken: Machine, tina: User, olga: User) -> None:
    ticket = Ticket.objects.get()
    services.take(ticket.number, by=tina)
    with acting(Actor("tina", "person", "test", "req-1")):
        services.record_swap(ticket.number, by=tina, new_serial="1650000000099", old_serial=OLD_SERIAL)
    (change,) = told(olga, request_id="req-1")
    assert f"put 1650000000099 into {PART} for " in str(change["did"])
    client = APIClient()
    client.force_login(olga)
    rows = client.get(f"/api/history/{change['id']}/entries/").json()["results"]
    installed = next(row for row in rows if row["kind"] == "installations" and row["action"] == "created")
    assert installed["name"].endswith(f"{broken.device.name} {PART}")
    assert installed["fields"]["slot"] == {"before": None, "after": PART}
    assert Installation.objects.filter(slot="GPU 5").exists(), "what is stored is the name"
