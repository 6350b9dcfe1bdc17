"""Drains and resumes of machines with Kubernetes behind them: cordons, as the official client writes them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from core.models import Role, Site
from core.services import ensure_user, set_credential
from drivers.tests.kubernetes import StandIn
from drivers.tests.kubernetes_objects import delete, end, job, node, of_job
from health import services
from health.machines.lifecycle import LifecycleEvent
from health.machines.remote import workloads_of
from health.models import (
    LifecycleChange,
    MachineHealth,
    SchedulerChange,
    SchedulerJob,
    SchedulerMachine,
    SchedulerSource,
    SchedulerWish,
    WaitingJob,
)
from health.schedulers import queries
from health.schedulers.services import delivery, desired_state
from health.schedulers.services.reach import facts_now, facts_of_many
from health.tests.factories import health, make_machines
from health.tests.scheduler_steps import drain, look, wish
from inventory.models import Machine
from live.models import Event

pytestmark = pytest.mark.django_db
NAMES = [f"gpu-ams1-{number:04}" for number in range(3)]


@pytest.fixture
def cluster() -> Iterator[StandIn]:
    with StandIn(NAMES) as running:
        yield running


@pytest.fixture
def machines() -> list[Machine]:
    return make_machines(3)


@pytest.fixture
def source(cluster: StandIn, machines: list[Machine]) -> SchedulerSource:
    credential = set_credential(
        "cluster", kind="password", username="rackside", secret=cluster.token, purpose="kubernetes", hosts=["127.0.0.1"]
    )
    return SchedulerSource.objects.create(
        site=Site.objects.get(), kind="kubernetes", url=cluster.url, ca=cluster.ca, credential=credential, settle_s=0
    )


def test_a_drain_is_a_cordon_with_its_incident_and_is_lifted_with_the_repair(
    cluster: StandIn, machines: list[Machine], source: SchedulerSource
) -> None:
    machine = machines[0]
    look(source, 1)
    drain(machine)
    assert delivery.send(machine.pk) == "done"
    assert cluster.is_cordoned(NAMES[0]) and cluster.reason(NAMES[0]) == "rackside: incident 12: GPU 5: missing"
    look(source)
    assert health(machine).state == "drained"
    said = facts_now(machine.pk)
    assert said.drained is True and said.reason == "rackside: incident 12: GPU 5: missing" and said.named
    assert "cordoned" in SchedulerMachine.objects.get(machine=machine).words
    services.return_to_service(machine.pk, reason="repaired", actor="ann")
    assert health(machine).state == "ready" and cluster.is_cordoned(NAMES[0])
    assert delivery.send(machine.pk) == "done" and not cluster.is_cordoned(NAMES[0])
    look(source, 1)
    kinds = [(each.kind, each.ours) for each in SchedulerChange.objects.filter(machine=machine).order_by("id")]
    assert kinds == [("drained", True), ("resumed", True)]
    assert not Event.objects.filter(kind="scheduler.resumed_by_other").exists()


def test_running_pods_keep_a_machine_draining_until_they_end(
    cluster: StandIn, machines: list[Machine], source: SchedulerSource
) -> None:
    machine = machines[1]
    MachineHealth.objects.update(reachability="reachable", worst="ok")
    made = cluster.run("train-0", NAMES[1])
    look(source, 1)
    assert health(machine).cell == "allocated" and health(machine).allocation == "allocated"
    services.change_state(machine.pk, LifecycleEvent.START_REPAIR, reason="REP-9 was taken", actor="tina")
    delivery.send(machine.pk)
    look(source, 3)
    assert health(machine).state == "draining" and facts_now(machine.pk).jobs == 1
    assert "deletionTimestamp" not in made["metadata"], "a cordon evicts nobody"
    end(made)
    look(source, 3)
    assert health(machine).state == "repair" and health(machine).allocation == "idle"
    last = LifecycleChange.objects.filter(machine=machine).first()
    assert last is not None and (last.actor, last.reason) == ("tina", "REP-9 was taken")


def test_a_cordon_of_somebody_else_counts_and_is_never_lifted(
    cluster: StandIn, machines: list[Machine], source: SchedulerSource
) -> None:
    machine = machines[2]
    cluster.cordon(NAMES[2])
    drain(machine)
    assert delivery.send(machine.pk) == "theirs"
    look(source)
    assert health(machine).state == "drained", "nothing runs there, whoever cordoned it"
    services.return_to_service(machine.pk, reason="fine", actor="ann")
    assert delivery.send(machine.pk) == "theirs" and "not ours" in wish(machine).error
    assert cluster.is_cordoned(NAMES[2])
    found = {each.kind: each for _, each in queries.differences(SchedulerSource.objects.all())}
    assert "kubectl" in found["drained_without_ticket"].text


def test_who_uncordons_is_heard_and_not_fought(
    cluster: StandIn, machines: list[Machine], source: SchedulerSource
) -> None:
    machine = machines[0]
    look(source, 1)
    drain(machine)
    delivery.send(machine.pk)
    SchedulerWish.objects.update(done_at=timezone.now() - timedelta(seconds=5))
    cluster.node(NAMES[0])["metadata"]["creationTimestamp"] = "2026-01-01T00:00:00Z"
    look(source)
    cluster.uncordon(NAMES[0])
    look(source)
    event = Event.objects.get(kind="scheduler.resumed_by_other")
    assert event.data["machine"] == machine.pk and "incident 12" in event.data["reason"]
    assert wish(machine).status == "theirs" and desired_state.WORK.due_ids() == []
    assert not cluster.is_cordoned(NAMES[0])
    assert SchedulerChange.objects.filter(machine=machine, kind="resumed", ours=False).exists()


def test_a_node_that_joins_anew_forgot_our_cordon_and_gets_it_again(
    cluster: StandIn, machines: list[Machine], source: SchedulerSource
) -> None:
    """It was installed anew: the cluster made a new object of it, and nobody decided that jobs may run there."""
    machine = machines[0]
    drain(machine)
    delivery.send(machine.pk)
    look(source)
    assert health(machine).state == "drained"
    SchedulerWish.objects.update(done_at=timezone.now() - timedelta(hours=1))
    cluster.remove("nodes", cluster.node(NAMES[0]))
    look(source, 1)
    cluster.add("nodes", node(NAMES[0]))
    look(source, 1)
    assert not Event.objects.filter(kind="scheduler.resumed_by_other").exists()
    assert desired_state.WORK.due_ids() == [machine.pk] and delivery.send(machine.pk) == "done"
    assert cluster.is_cordoned(NAMES[0])


@pytest.mark.slow
@pytest.mark.parametrize("status", ["False", "Unknown"])
def test_a_node_that_is_not_ready_is_not_resumed_until_it_is(
    cluster: StandIn, machines: list[Machine], source: SchedulerSource, status: str
) -> None:
    machine = machines[0]
    drain(machine)
    delivery.send(machine.pk)
    look(source)
    cluster.kubelet(NAMES[0], status)
    look(source, 1)
    services.return_to_service(machine.pk, reason="repaired", actor="ann")
    assert delivery.send(machine.pk) == "waiting" and "down" in wish(machine).error
    assert cluster.is_cordoned(NAMES[0])
    cluster.kubelet(NAMES[0], "True")
    SchedulerWish.objects.update(next_try_at=timezone.now())
    assert delivery.send(machine.pk) == "done" and not cluster.is_cordoned(NAMES[0])


def test_a_silent_node_whose_pods_were_given_up_is_drained(
    cluster: StandIn, machines: list[Machine], source: SchedulerSource
) -> None:
    made = cluster.run("train-0", NAMES[0])
    drain(machines[0])
    delivery.send(machines[0].pk)
    cluster.kubelet(NAMES[0], "Unknown")
    look(source)
    assert health(machines[0]).state == "draining", "nobody has given up its pod"
    delete(made, time.time() - 300)
    look(source)
    assert health(machines[0]).state == "drained"


def test_an_api_that_does_not_answer_is_stale_then_unknown_and_wishes_wait(
    cluster: StandIn, machines: list[Machine], source: SchedulerSource
) -> None:
    look(source, 1)
    assert health(machines[0]).allocation == "idle"
    SchedulerSource.objects.update(url="https://127.0.0.1:1")
    drain(machines[0])
    assert delivery.send(machines[0].pk) == "waiting" and "Kubernetes" in wish(machines[0]).error
    assert facts_now(machines[0].pk).jobs is None
    look(source, 1)
    source.refresh_from_db()
    assert source.state == "stale" and health(machines[0]).allocation == "idle"
    SchedulerSource.objects.update(last_read_at=timezone.now() - timedelta(hours=1))
    look(source, 1)
    source.refresh_from_db()
    assert source.state == "failed" and health(machines[0]).allocation == "unknown"


def test_many_machines_cost_one_question(cluster: StandIn, machines: list[Machine], source: SchedulerSource) -> None:
    cluster.run("train-0", NAMES[1])
    cluster.asked.clear()
    facts = facts_of_many([machine.pk for machine in machines])
    assert [facts[machine.pk].jobs for machine in machines] == [0, 1, 0]
    assert cluster.asked == ["list /api/v1/nodes", "list /api/v1/pods", "list /apis/batch/v1/jobs"]


def test_a_cluster_that_fails_takes_no_other_one_with_it(
    cluster: StandIn, machines: list[Machine], source: SchedulerSource
) -> None:
    (other,) = make_machines(1, site="fra1")
    SchedulerSource.objects.create(
        site=other.device.site,
        kind="kubernetes",
        url="https://127.0.0.1:1",
        ca=cluster.ca,
        credential=source.credential,
    )
    facts = facts_of_many([machines[0].pk, other.pk])
    assert facts[machines[0].pk].jobs == 0
    assert facts[other.pk].jobs is None and "did not answer" in facts[other.pk].reason


def test_jobs_are_kept_with_their_ends_and_what_waits_stands_in_the_queue(
    cluster: StandIn, machines: list[Machine], source: SchedulerSource
) -> None:
    batch = cluster.add("jobs", job("llama", parallelism=2))
    batch["status"] = {"active": 2}
    pods = [cluster.run(f"llama-{n}", NAMES[n], owner=of_job(batch)) for n in range(2)]
    cluster.run("later", owner=("batch/v1", "Job", "later", "uid-later"))
    look(source, 1)
    kept = SchedulerJob.objects.get()
    assert (kept.job_id, kept.label, kept.account, kept.gpus) == (
        batch["metadata"]["uid"],
        "team-a/llama",
        "team-a",
        16,
    )
    assert kept.machine_ids == sorted(machine.pk for machine in machines[:2]) and len(kept.containers) == 2
    (waiting,) = WaitingJob.objects.all()
    assert (waiting.label, waiting.why, waiting.gpus) == ("team-a/later", "Unschedulable", 8)
    assert kept.user == "" and waiting.user == "", "no label was named that says whose they are"
    look(source, 1)
    assert SchedulerJob.objects.get().pk == kept.pk
    end(pods[0], 137, "OOMKilled")
    end(pods[1], 1)
    look(source, 1)
    kept.refresh_from_db()
    assert (kept.state, kept.why, kept.signal) == ("out_of_memory", "OOMKilled", 9) and kept.ended_at is not None


def test_a_job_that_clears_its_pods_away_as_it_ends_is_the_run_it_was(
    cluster: StandIn, machines: list[Machine], source: SchedulerSource
) -> None:
    """The launcher began last; once the workers are deleted it alone tells of the job."""
    label: Any = {"training.kubeflow.org/job-name": "bert"}
    now = time.time()
    cluster.add("nodes", node("cpu-1", gpus=0))
    workers = [cluster.run(f"bert-worker-{n}", NAMES[n], at=now - 600, **label) for n in range(2)]
    launcher = cluster.run("bert-launcher", "cpu-1", gpus=0, at=now - 590, **label)
    look(source, 1)
    began = SchedulerJob.objects.get().started_at
    for each in workers:
        cluster.remove("pods", each)
    end(launcher)
    look(source, 2)
    kept = SchedulerJob.objects.get()
    assert (kept.started_at, kept.state, kept.restarts) == (began, "completed", 0)
    assert (kept.gpus, kept.machine_count, len(kept.machine_ids)) == (16, 3, 2)


def test_the_first_end_that_was_seen_stays_though_the_pod_that_told_of_it_is_cleared_away(
    cluster: StandIn, machines: list[Machine], source: SchedulerSource
) -> None:
    label: Any = {"training.kubeflow.org/job-name": "llama"}
    pods = [cluster.run(f"llama-{n}", NAMES[n], at=time.time() - 600, **label) for n in range(2)]
    look(source, 1)
    end(pods[0], 3)
    delete(pods[1])
    look(source, 1)
    assert (SchedulerJob.objects.get().state, SchedulerJob.objects.get().exit_status) == ("failed", 3)
    cluster.remove("pods", pods[0])
    end(pods[1], 143)
    look(source, 2)
    kept = SchedulerJob.objects.get()
    assert (kept.state, kept.exit_status, len(kept.machine_ids)) == ("failed", 3, 2)


def test_a_gang_whose_old_pods_are_gone_at_once_is_the_next_run(
    cluster: StandIn, machines: list[Machine], source: SchedulerSource
) -> None:
    label: Any = {"jobset.sigs.k8s.io/jobset-name": "set", "jobset.sigs.k8s.io/jobset-uid": "uid-set"}
    now = time.time()
    for attempt in range(3):
        cluster.objects["pods"].clear()
        for n in range(2):
            cluster.run(f"set-{n}-{attempt}", NAMES[n], at=now - 600 + 100 * attempt, **label)
        look(source, 2)
    rows = SchedulerJob.objects.order_by("started_at").values_list("state", "restarts")
    assert list(rows) == [("requeued", 0), ("requeued", 1), ("running", 2)]


def test_only_nodes_with_the_chosen_labels_are_machines(
    cluster: StandIn, machines: list[Machine], source: SchedulerSource
) -> None:
    cluster.add("nodes", node("control-1", gpus=0))
    for name in NAMES:
        cluster.node(name)["metadata"]["labels"]["pool"] = "train"
    look(source, 1)
    assert "unknown_machine" in {each.kind for _, each in queries.differences(SchedulerSource.objects.all())}
    SchedulerSource.objects.update(partition="pool=train")
    look(source, 1)
    assert [row.name for row in SchedulerMachine.objects.all()] == NAMES
    assert "unknown_machine" not in {each.kind for _, each in queries.differences(SchedulerSource.objects.all())}


def test_containers_of_its_kubelet_keep_no_machine_from_being_drained(
    machines: list[Machine], source: SchedulerSource
) -> None:
    """They are counted by Kubernetes itself; while it does not answer they count, as every container does."""
    assert desired_state.tells_containers([machines[0].pk]) == set()
    look(source, 1)
    assert desired_state.tells_containers([machines[0].pk, 0]) == {machines[0].pk}
    SchedulerSource.objects.update(state="failed")
    assert desired_state.tells_containers([machines[0].pk]) == set()
    assert workloads_of([]) == {}


# ---- the route ----

BASE = "/api/health/schedulers/"


def administrator() -> Client:
    user, _ = ensure_user("admin", role=Role.ADMIN)
    client = Client()
    client.force_login(user)
    return client


def body(cluster: StandIn, **changes: Any) -> dict[str, Any]:
    set_credential(
        "cluster", kind="password", username="rackside", secret=cluster.token, purpose="kubernetes", hosts=["127.0.0.1"]
    )
    site = Site.objects.get().pk
    return {"site": site, "kind": "kubernetes", "url": cluster.url, "ca": cluster.ca, "credential": "cluster"} | changes


def test_an_administrator_adds_a_cluster_and_reads_it(cluster: StandIn, machines: list[Machine]) -> None:
    client = administrator()
    answer = client.post(BASE, body(cluster), content_type="application/json")
    assert answer.status_code == 201, answer.content
    assert cluster.token not in answer.content.decode()
    read = client.post(f"{BASE}{answer.json()['id']}/read/")
    assert (read.status_code, read.json()["state"], read.json()["message"]) == (200, "good", "")
    assert SchedulerMachine.objects.count() == 3


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"url": "http://127.0.0.1:8080"}, "url"),
        ({"url": "", "local": True}, "url"),
        ({"url": "https://169.254.169.254:6443"}, "url"),
        ({"url": "https://10.0.0.7:6443"}, "url"),
        ({"credential": None}, "credential"),
        ({"ca": "-----BEGIN CERTIFICATE-----"}, "ca"),
        ({"partition": "pool in (a)"}, "partition"),
        ({"user_label": "no label"}, "user_label"),
        ({"kind": "nomad"}, "kind"),
    ],
    ids=str,
)
def test_a_cluster_that_cannot_work_is_refused_with_the_field(
    cluster: StandIn, machines: list[Machine], changes: dict[str, Any], field: str
) -> None:
    answer = administrator().post(BASE, body(cluster, **changes), content_type="application/json")
    assert answer.status_code == 400 and list(answer.json()["error"]["fields"]) == [field]
    assert not SchedulerSource.objects.exists()


def test_a_token_of_slurm_is_not_sent_to_kubernetes_nor_the_other_way_round(
    cluster: StandIn, machines: list[Machine]
) -> None:
    sent = body(cluster)
    set_credential("slurm", kind="password", username="root", secret="a.b.c", purpose="slurm", hosts=["127.0.0.1"])
    client = administrator()
    for wrong in ({"credential": "slurm"}, {"kind": "slurm"}):
        answer = client.post(BASE, sent | wrong, content_type="application/json")
        assert answer.status_code == 400 and "not for" in str(answer.json()["error"]["fields"]["url"])
    made = client.post(BASE, sent, content_type="application/json").json()["id"]
    answer = client.patch(f"{BASE}{made}/", {"kind": "slurm"}, content_type="application/json")
    assert answer.status_code == 400, "another kind sends the token elsewhere"
