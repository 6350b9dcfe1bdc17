"""A machine's timeline: everything on one axis, bounded, and nothing of before or after."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from core.models import Role, Site
from core.services import ensure_user
from health.models import FactChange, Transition
from health.monitoring.services.sweeps import observation_store
from health.overview.queries import timeline
from health.tests import factories as make
from inventory.models import Component, Installation

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)
    monkeypatch.setattr(timeline, "_providers", {})


@pytest.fixture
def client() -> Client:
    user, _ = ensure_user("vera", role=Role.VIEWER)
    found = Client()
    found.force_login(user)
    return found


def lanes(client: Client, machine: Any, query: str = "") -> dict[str, list[dict[str, Any]]]:
    answer = client.get(f"/api/machines/{machine.pk}/timeline/{query}")
    assert answer.status_code == 200, answer.content
    return {each["lane"]: each["items"] for each in answer.json()["lanes"]}


def test_every_lane_tells_what_happened_the_newest_first(client: Client, django_assert_max_num_queries: Any) -> None:
    machine = make.make_machines(1)[0]
    now = timezone.now()
    observation_store.record([make.look(machine, at=now - timedelta(seconds=60))])
    observation_store.record([make.look(machine, make.xid(), at=now)])
    FactChange.objects.create(machine=machine, at=now, fact="driver", before="535", after="550")
    part = Component.objects.create(site=machine.device.site, kind="gpu", serial="S1")
    Installation.objects.create(component=part, device=machine.device, slot="GPU 1", during=(now, None), by="tina")
    timeline.register_lane("tickets", lambda *asked: [timeline.item(now, "open", "REP-1: x", link="/tickets/REP-1")])
    client.get(f"/api/machines/{machine.pk}/timeline/")
    with django_assert_max_num_queries(15):
        found = lanes(client, machine)
    assert list(found) == list(timeline.LANES)
    assert {item["kind"] for item in found["verdicts"]} == {"fail", "failed"}
    states = [(item["kind"], item["until"]) for item in found["states"]]
    assert [state for state, _ in states] == ["drained", "draining", "ready"] and states[0][1] is None
    assert states[2][1] == found["states"][1]["at"], "each lasts until the next"
    assert [item["title"] for item in found["tickets"]] == ["REP-1: x"]
    assert any("535 to 550" in item["title"] for item in found["firmware"])
    assert any("S1 went into " in item["title"] and "GPU 1" in item["title"] for item in found["firmware"])


def test_a_lane_is_bounded_and_says_that_there_is_more(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = make.make_machines(1)[0]
    now = timezone.now()
    words = {"check_id": "nhc/disk", "part": "GPU 1", "from_verdict": "ok", "to_verdict": "warn", "message": ""}
    for minute in range(5):
        Transition.objects.create(machine_id=machine.pk, at=now - timedelta(minutes=minute + 1), **words)
    monkeypatch.setattr(timeline, "MOST", 3)
    (lane,) = [
        each
        for each in client.get(f"/api/machines/{machine.pk}/timeline/").json()["lanes"]
        if each["lane"] == "verdicts"
    ]
    assert len(lane["items"]) == 3 and lane["more"] is True
    assert {item["link"] for item in lane["items"]} == {"/checks/catalogue/nhc/disk"}, "of a reported check as well"


def test_only_the_time_asked_for_with_the_state_it_began_in(client: Client) -> None:
    machine = make.make_machines(1)[0]
    now = timezone.now()
    observation_store.record([make.look(machine, make.xid(), at=now)])
    since = (timezone.now() - timedelta(milliseconds=1)).isoformat().replace("+00:00", "Z")
    found = lanes(client, machine, f"?from={since}")
    assert [item["kind"] for item in found["states"]] == ["drained"] and found["actions"] == []
    assert [item["kind"] for item in found["verdicts"]] == ["failed"], "the fault that is still open"
    assert client.get(f"/api/machines/{machine.pk}/timeline/?from=2026-01-02&to=2026-01-01").status_code == 400


def test_a_machine_of_another_site_has_none(client: Client) -> None:
    machine = make.make_machines(1)[0]
    make.make_machines(1, site="fra1")
    user, _ = ensure_user("fred", role=Role.ADMIN, site=Site.objects.get(slug="fra1"))
    other = Client()
    other.force_login(user)
    assert other.get(f"/api/machines/{machine.pk}/timeline/").status_code == 404


def test_a_lane_nobody_knows_is_refused() -> None:
    with pytest.raises(ValueError, match="no lane"):
        timeline.register_lane("gossip", lambda *asked: [])
