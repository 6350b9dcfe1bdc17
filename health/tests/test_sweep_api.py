"""Sweeps over the API: how far one is, who did not answer, whom nobody looked at, and one on request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any, ClassVar

import pytest
from django.test import Client
from django.utils import timezone

from core.models import Role, Site
from core.services import ensure_user
from health.models import MachineHealth, Sweep, SweepShard
from health.monitoring.services.sweeps import sweep_runs
from health.monitoring.services.sweeps.observation import Seen
from health.tests import factories as make
from live.models import Event

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks are queued at commit; these tests run shards themselves."""
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """Ids of machines that do not answer; the network is not touched."""
    ids: set[int] = set()

    class Watch:
        unanswered: ClassVar[list[int]] = []
        answered_s = 0.1

        def __init__(self, machine_ids: Sequence[int], **_: Any) -> None:
            self.machine_ids = machine_ids

        def __iter__(self) -> Iterator[list[Seen]]:
            yield [Seen(make.look(pk, at=timezone.now(), heard=pk not in ids), 0.1) for pk in self.machine_ids]

    monkeypatch.setattr("health.monitoring.services.sweeps.observation.Watch", Watch)
    monkeypatch.setattr(sweep_runs, "SHARD_SIZE", 2)
    return ids


def signed_in(role: str = Role.OPERATOR, site: Site | None = None) -> Client:
    user, _ = ensure_user(f"olga-{role}", role=role, site=site)
    client = Client()
    client.force_login(user)
    return client


def ask(client: Client, site: int) -> tuple[int, dict]:
    answer = client.post("/api/sweeps/", {"site": site}, content_type="application/json")
    return answer.status_code, answer.json()


def test_a_sweep_on_request_looks_at_every_machine_once_however_many_ask(silent: set[int]) -> None:
    make.make_machines(4)
    site = Site.objects.get().pk
    status, first = ask(signed_in(), site)
    assert (status, first["kind"], first["machines"], first["shards_total"]) == (201, "manual", 4, 2)
    status, second = ask(signed_in(Role.ADMIN), site)
    assert (status, second["id"]) == (200, first["id"])
    assert Sweep.objects.get().requested_by == "olga-operator"


def test_only_an_operator_of_the_site_may_ask_for_a_sweep() -> None:
    make.make_machines(1)
    make.make_machines(1, site="fra1")
    site = Site.objects.get(slug="fra1").pk
    assert ask(signed_in(Role.TECHNICIAN), site)[0] == 403
    assert ask(signed_in(Role.OPERATOR, Site.objects.get(slug="ams1")), site)[0] == 403
    assert not Sweep.objects.exists()


def test_a_site_without_machines_to_look_at_says_so() -> None:
    make.make_machines(1)
    MachineHealth.objects.update(state="new")
    status, body = ask(signed_in(), Site.objects.get().pk)
    assert status == 400 and "site" in body["error"]["fields"] and not Sweep.objects.exists()


def test_a_running_sweep_says_how_far_it_is_and_tells_each_step(silent: set[int]) -> None:
    machines = make.make_machines(4)
    client = signed_in()
    _, sweep = ask(client, Site.objects.get().pk)
    first, second = SweepShard.objects.order_by("number")
    silent.add(first.machine_ids[0])
    sweep_runs.run(first.pk)
    told = client.get(f"/api/sweeps/{sweep['id']}/").json()
    assert (told["status"], told["checked"], told["reachable"], told["shards_done"]) == ("running", 2, 1, 1)
    assert [row["id"] for row in told["unreachable"]] == [first.machine_ids[0]]
    assert sorted(row["id"] for row in told["unfinished"]) == sorted(second.machine_ids)
    sweep_runs.run(second.pk)
    told = client.get(f"/api/sweeps/{sweep['id']}/").json()
    assert (told["status"], told["checked"], told["reachable"], told["unfinished"]) == ("finished", 4, 3, [])
    events = [(e.kind, e.data["reachable"]) for e in Event.objects.filter(kind__startswith="sweep.").order_by("id")]
    assert events == [("sweep.started", 0), ("sweep.progress", 1), ("sweep.finished", 3)]
    assert len(machines) == client.get("/api/sweeps/").json()["results"][0]["machines"]


def test_what_a_late_sweep_did_not_reach_is_named(silent: set[int]) -> None:
    make.make_machines(4)
    client = signed_in()
    _, sweep = ask(client, Site.objects.get().pk)
    first, second = SweepShard.objects.order_by("number")
    sweep_runs.run(first.pk)
    long_ago = timezone.now() - timedelta(hours=1)
    Sweep.objects.update(started_at=long_ago)
    SweepShard.objects.exclude(started_at=None).update(started_at=long_ago)
    sweep_runs.close_late()
    told = client.get(f"/api/sweeps/{sweep['id']}/").json()
    assert told["status"] == "late" and (told["checked"], told["reachable"]) == (2, 2)
    assert sorted(row["id"] for row in told["unfinished"]) == sorted(second.machine_ids)


def test_machines_are_counted_by_reachability_at_the_sites_one_may_see() -> None:
    machines = make.make_machines(4)
    make.make_machines(2, site="fra1")
    MachineHealth.objects.filter(pk=machines[0].pk).update(reachability="unreachable")
    MachineHealth.objects.filter(pk=machines[1].pk).update(state="new")
    site = Site.objects.get(slug="ams1")
    client = signed_in(Role.VIEWER, site)
    state = client.get("/api/sweeps/state/").json()
    assert state["reachability"] == {"never": 2, "reachable": 0, "late": 0, "unreachable": 1}
    assert (state["swept"], state["not_swept"]) == (3, 1) and state["period_s"] > 0
    other = Site.objects.get(slug="fra1").pk
    assert client.get(f"/api/sweeps/state/?site={other}").json()["swept"] == 0
    assert client.get("/api/sweeps/state/?site=x").status_code == 400
