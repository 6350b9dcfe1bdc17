"""A work order on a simulated fabric of 32 machines, from the finding to the discovery that proves it, by its own steps
over the REST API: take, do, tick, look again, *Resolve and verify*.

The source's commands run here instead of over SSH, and what workers would do is done in between.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from core.models import Site
from fabric.discovery.services import discoveries
from fabric.models import Discovery, FabricLink, FabricSource, Finding
from fabric.tests.hall import load_site
from fabric.tests.ibsim import IbSim
from fabric.tests.made import Made
from fabric.tests.test_ibsim_service import Technician, discover, fabric, sim, source
from health.models import MachineHealth, Pool
from health.services import sync_machines
from health.tests import factories as make
from live.models import HandlerFailure
from tickets.models import Step, Ticket
from tickets.services.cabling import clearances, port_checks
from tickets.tests.conftest import person

__all__ = ["fabric", "sim", "source"]
pytestmark = [pytest.mark.services, pytest.mark.django_db, pytest.mark.timeout(300)]
LINKS = 32 * 8 + 8 * 4 * 2


@pytest.fixture
def site(tmp_path: Path) -> Site:
    made = load_site(tmp_path, "west", machines=32)
    sync_machines()
    Pool.objects.update(automation="on", max_unavailable_share=1.0, **make.NO_SCHEDULER)
    MachineHealth.objects.update(state="ready", reachability="reachable", last_seen_at=timezone.now())
    return made


class Tina:
    """A technician with her phone."""

    def __init__(self, key: str) -> None:
        self.key, self.client = key, Client()
        self.client.force_login(person("tina"))

    def see(self) -> dict[str, Any]:
        found: dict[str, Any] = self.client.get(f"/api/tickets/{self.key}/").json()
        return found

    def press(self, button: str, **more: str) -> dict[str, Any]:
        body = {"version": self.see()["version"], **more}
        answer = self.client.post(f"/api/tickets/{self.key}/{button}/", body, "application/json")
        assert answer.status_code == 200, answer.content
        found: dict[str, Any] = answer.json()
        return found

    def step(self, number: int) -> dict[str, Any]:
        return next(step for step in self.see()["steps"] if step["number"] == number)


def looked_at(key: str, number: int) -> None:
    """What the worker does about a step whose look was asked for."""
    step = Step.objects.get(ticket__number=key.removeprefix("REP-"), number=number)
    assert step.check_asked_at is not None
    port_checks.check_step(step.pk)


@pytest.mark.slow
def test_an_order_is_followed_over_the_api_and_closed_by_rediscovery(
    sim: IbSim, source: FabricSource, fabric: Made
) -> None:
    discover(source)
    leaf = fabric.guids["leaf-3"]
    sim.swap((f"S-{leaf}", 5), (f"S-{leaf}", 6))
    sim.swap((f"S-{leaf}", 6), (f"S-{leaf}", 31))
    discover(source)
    discover(source)
    assert not HandlerFailure.objects.exists()
    tina = Tina(Ticket.objects.get().key)
    tina.press("take")
    clearances.settle()
    technician = Technician(sim, fabric)
    for step in tina.see()["steps"]:
        if step["kind"] == "verify":
            continue
        if step["move"] is None:
            tina.press(f"steps/{step['number']}", skip="the labels of this hall are not read")
            continue
        technician.do(step["move"])
        assert tina.press(f"steps/{step['number']}")["version"]
        looked_at(tina.key, step["number"])
        seen = tina.step(step["number"])
        assert seen["state"] == "confirmed" and "whole fabric" not in seen["outcome_text"], seen
        tina.press(f"steps/{step['number']}/recheck")
        assert tina.step(step["number"])["checking"]
        looked_at(tina.key, step["number"])
        assert tina.step(step["number"])["state"] == "confirmed"
    assert (technician.hanging, technician.insertions) == (None, 3)

    assert tina.press("verify")["status"] == "verifying"
    asked = Discovery.objects.get(source=source, status="queued")
    done = discoveries.run(asked.pk)
    assert done is not None and done.status == "done" and not HandlerFailure.objects.exists()
    closed = tina.see()
    assert closed["status"] == "closed" and closed["order"]["check"]["status"] == "passed"
    assert Finding.objects.exclude(state="closed").count() == 0
    assert FabricLink.objects.filter(state="correct").count() == LINKS
