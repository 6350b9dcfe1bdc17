"""Runs of Kubernetes jobs: found from pods with GPUs, joined with the processes in their containers, ended with them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from core.models import Site
from core.services import set_credential
from drivers.tests.kubernetes import StandIn
from drivers.tests.kubernetes_objects import Object, end
from health.models import SchedulerSource
from health.schedulers.services import readings
from health.tests.factories import make_machines
from inventory.models import Machine
from runs.models import RunRank, TrainingRun
from runs.services import finding
from runs.tests.test_found_runs import ranks, saw

pytestmark = pytest.mark.django_db
NAMES = [f"gpu-ams1-{number:04}" for number in range(2)]
OWNER = ("kubeflow.org/v1", "PyTorchJob", "llama", "3f6c2d5e-0000-4000-8000-000000000001")


@pytest.fixture
def cluster() -> Iterator[StandIn]:
    with StandIn(NAMES) as running:
        yield running


@pytest.fixture
def machines() -> list[Machine]:
    return make_machines(2)


@pytest.fixture
def source(cluster: StandIn, machines: list[Machine]) -> SchedulerSource:
    token = set_credential(
        "cluster", kind="password", username="rackside", secret=cluster.token, purpose="kubernetes", hosts=["127.0.0.1"]
    )
    return SchedulerSource.objects.create(
        site=Site.objects.get(), kind="kubernetes", url=cluster.url, ca=cluster.ca, credential=token
    )


def look(source: SchedulerSource) -> list[tuple[str, int, str]]:
    """Read it, find runs: key, attempt and state of each."""
    readings.read(source.pk)
    finding.find()
    return list(TrainingRun.objects.order_by("pk").values_list("key", "attempt", "state"))


def gang(cluster: StandIn, at: float | None = None) -> list[Object]:
    return [cluster.run(f"llama-worker-{rank}", NAMES[rank], owner=OWNER, at=at) for rank in range(2)]


def within(made: Object, processes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same processes in the container of a pod, as a sweep tells it."""
    id = made["status"]["containerStatuses"][0]["containerID"].removeprefix("containerd://")
    return [{**each, "container": f"containerd {id[:12]}"} for each in processes]


@pytest.mark.slow
def test_jobs_with_gpus_are_runs_and_end_as_their_pods_do(cluster: StandIn, source: SchedulerSource) -> None:
    pods = gang(cluster)
    cluster.run("coredns", NAMES[0], gpus=0)
    assert look(source) == [("team-a/llama", 0, "running")]
    run = TrainingRun.objects.get()
    assert (run.job, run.launcher, run.found_by) == ("team-a/llama", "kubernetes", ["scheduler"])
    end(pods[0], 1)
    end(pods[1], 143)
    assert look(source) == [("team-a/llama", 0, "failed")]


def test_a_gang_that_starts_anew_is_the_next_attempt(cluster: StandIn, source: SchedulerSource) -> None:
    now = time.time()
    for each in gang(cluster, at=now - 600):
        end(each, 1, at=now - 300)
    gang(cluster, at=now - 200)
    assert look(source) == [("team-a/llama", 0, "failed"), ("team-a/llama", 1, "running")]


@pytest.mark.parametrize(
    ("code", "reason", "cause"), [(137, "OOMKilled", "slurm-oom"), (143, "DeadlineExceeded", "slurm-timeout")]
)
def test_what_the_cluster_says_of_an_end_is_its_verdict(
    cluster: StandIn, source: SchedulerSource, code: int, reason: str, cause: str
) -> None:
    pods = gang(cluster)
    look(source)
    for each in pods:
        end(each, code, reason, pod_reason=reason if reason == "DeadlineExceeded" else "")
    look(source)
    verdict = TrainingRun.objects.get().verdict
    assert verdict is not None and verdict["class"] == cause and "Slurm" not in verdict["sentence"]


@pytest.mark.slow
@pytest.mark.parametrize("first", ["the scheduler", "the sweep"])
def test_processes_in_containers_of_a_job_are_its_ranks(
    cluster: StandIn, source: SchedulerSource, machines: list[Machine], first: str
) -> None:
    pods = gang(cluster, at=time.time() - 3600)

    def sweep() -> None:
        for machine, made, numbers in zip(machines, pods, (range(8), range(8, 16)), strict=True):
            saw(machine, within(made, ranks(machine, numbers)))

    if first == "the sweep":
        sweep()
    look(source)
    sweep()
    assert look(source) == [("team-a/llama", 0, "running")], "one run, whoever saw it first"
    run = TrainingRun.objects.get()
    assert run.found_by == ["processes", "scheduler"] and run.world_size == 16
    assert RunRank.objects.filter(run=run).count() == 16


def test_processes_outside_of_its_containers_are_a_run_of_their_own(
    cluster: StandIn, source: SchedulerSource, machines: list[Machine]
) -> None:
    gang(cluster)
    for machine, numbers in zip(machines, (range(8), range(8, 16)), strict=True):
        saw(machine, ranks(machine, numbers))
    keys = [key for key, *_ in look(source)]
    assert sorted(keys) == ["gpu-ams1-0000:29500", "team-a/llama"]
