"""What the history says of a repair: sentences that name things and people, one for what one cause did."""

from __future__ import annotations

from collections import Counter
from contextlib import AbstractContextManager
from itertools import count

import pytest
from rest_framework.test import APIClient

from core.audit import sentences
from core.audit.actor import Actor, acting
from core.audit.tables import by_name
from core.models import User
from inventory.models import Machine
from tickets import services
from tickets.models import Ticket
from tickets.proof import Proof
from tickets.tests.conftest import OLD_SERIAL, break_gpu

pytestmark = pytest.mark.django_db
_number = count()


def at_work(name: str, kind: str = "person") -> AbstractContextManager[None]:
    """Writes of one request or task of its own."""
    return acting(Actor(name, kind, "test", f"req-{next(_number)}"))


def newest(user: User, **query: str) -> tuple[str, str]:
    client = APIClient()
    client.force_login(user)
    change = client.get("/api/history/", query).json()["results"][0]
    return change["who"], change["did"]


@pytest.fixture
def swept() -> Machine:
    with at_work("task:health.monitoring.tasks.run_shard", "task"):
        return break_gpu()


def test_a_sweep_opened_the_ticket_for_the_part_of_the_machine(swept: Machine, olga: User) -> None:
    ticket = Ticket.objects.get()
    name = f"REP-{ticket.number} on {swept.device.name}"
    assert newest(olga, kind="tickets") == ("a sweep", f"opened {name}: {ticket.title}")
    assert "GPU 5" in ticket.title


def test_what_a_technician_does_is_said_with_step_ticket_and_machine(swept: Machine, tina: User, olga: User) -> None:
    number = Ticket.objects.get().number
    name = f"REP-{number} on {swept.device.name}"
    with at_work("tina"):
        services.take(number, by=tina)
    assert newest(olga) == ("tina", f"began to work on {name}")
    step = Ticket.objects.get().steps.get(number=1)
    with at_work("tina"):
        services.tick(number, step=1, by=tina, done=True, proof=Proof("", "not needed here"))
    assert newest(olga) == ("tina", f"ticked step {step.number} of {name}")
    with at_work("tina"):
        services.tick(number, step=1, by=tina, done=False)
    assert newest(olga) == ("tina", f"unticked step {step.number} of {name}")
    with at_work("tina"):
        services.comment(number, by=tina, text="The lever is bent.")
    assert newest(olga) == ("tina", f"commented on {name}")
    with at_work("tina"):
        services.record_swap(number, by=tina, new_serial="1650000000099", old_serial=OLD_SERIAL)
    assert newest(olga) == ("tina", f"put 1650000000099 into SXM 5 (GPU 5) for {name} in place of {OLD_SERIAL}")
    with at_work("olga"):
        services.close(number, by=olga, reason="tried")
    assert newest(olga) == ("olga", f"closed {name}")


def test_a_row_without_any_field_is_told_and_fails_nobody() -> None:
    for table in by_name().values():
        for action in ("created", "changed", "deleted"):
            row = {"kind": table.kind, "object": 1, "name": "it", "action": action, "fields": {}}
            assert sentences.did([sentences.Told(table, row)], Counter())
