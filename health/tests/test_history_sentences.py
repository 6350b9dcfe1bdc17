"""What the history says of a machine's health, in sentences."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from core.audit.actor import Actor, acting
from core.models import Role
from core.services import ensure_user
from health.models import Fault
from health.monitoring.services.sweeps import observation_store
from health.services import place_hold
from health.tests import factories as make

pytestmark = pytest.mark.django_db


def newest() -> tuple[str, str]:
    user, _ = ensure_user("olga", role=Role.OPERATOR)
    client = Client()
    client.force_login(user)
    change = client.get("/api/history/").json()["results"][0]
    return change["who"], change["did"]


def test_a_sweep_that_takes_a_machine_out_says_from_what_to_what_and_why() -> None:
    (machine,) = make.make_machines()
    with acting(Actor("task:health.monitoring.tasks.run_shard", "task", "x", "req-sweep")):
        observation_store.record(
            [make.look(machine, make.xid(), make.gone(), at=timezone.now() - timedelta(seconds=60))]
        )
    who, did = newest()
    assert who == "a sweep" and did.startswith(f"took {machine.device.name} from ready to draining: "), did
    assert Fault.objects.exists()


def test_a_hold_says_whose_machine_it_keeps_and_why() -> None:
    (machine,) = make.make_machines()
    with acting(Actor("olga", "person", "x", "req-hold")):
        place_hold(machine.pk, owner="olga", reason="new firmware tonight", actor="olga")
    assert newest() == ("olga", f"holds {machine.device.name} out of service: new firmware tonight")
