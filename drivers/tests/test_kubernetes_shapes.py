"""What objects of Kubernetes mean: pods as jobs with their attempts and ends, nodes as machines. Pure."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
from collections.abc import Iterator
from typing import Any

import pytest

from drivers.kubernetes.jobs import count, jobs_of, outline_of
from drivers.kubernetes.nodes import REASON, called, complete, machine_of, safe_name
from drivers.kubernetes.owners import group_of
from drivers.kubernetes.pods import Pod, pod_of
from drivers.kubernetes.shapes import LAST, quantity
from drivers.scheduler import Job, MachineState, SchedulerError
from drivers.tests.kubernetes_objects import (
    SECRET,
    Object,
    delete,
    disrupt,
    end,
    job,
    node,
    of_job,
    pod,
    stamp,
    start,
)

NOW = 1_800_000_000
TRAINING = ("kubeflow.org/v1", "PyTorchJob", "llama", "3f6c2d5e-0000-4000-8000-000000000001")


def kept(*made: Object, silent: tuple[str, ...] = (), now: float = NOW, user_label: str = "") -> list[Pod]:
    pods = (pod_of(each, lambda name: name not in silent, now, user_label=user_label) for each in made)
    return [each for each in pods if each is not None]


def jobs(*made: Object, outlines: tuple[Object, ...] = (), **more: Any) -> list[Job]:
    return list(jobs_of(kept(*made, **more), [outline_of(each) for each in outlines], {}))


def ended(made: Object, *args: Any, **more: Any) -> Object:
    end(made, *args, at=more.pop("at", NOW), **more)
    return made


# ---- how jobs end ----

ENDS = {
    "well": (lambda: ended(pod("p", "n1", at=NOW - 60)), ("completed", "", 0, None)),
    "by its program": (lambda: ended(pod("p", "n1", at=NOW - 60), 3), ("failed", "Error", 3, None)),
    "by a signal": (lambda: ended(pod("p", "n1", at=NOW - 60), 139), ("failed", "Error", 0, 11)),
    "out of memory": (
        lambda: ended(pod("p", "n1", at=NOW - 60), 137, "OOMKilled"), ("out_of_memory", "OOMKilled", 0, 9)
    ),
    "by its own time limit": (
        lambda: ended(pod("p", "n1", at=NOW - 60), 143, pod_reason="DeadlineExceeded"),
        ("timeout", "DeadlineExceeded", 0, 15),
    ),
    "evicted by its kubelet": (
        lambda: ended(pod("p", "n1", at=NOW - 60), 137, pod_reason="Evicted"), ("failed", "Evicted", 0, 9)
    ),
    "with its machine": (
        lambda: ended(pod("p", "n1", at=NOW - 60), 143, pod_reason="Terminated"), ("node_fail", "Terminated", 0, 15)
    ),
    "before it began, by its machine": (
        lambda: ended(pod("p", "n1", at=NOW - 60), 1, pod_reason="UnexpectedAdmissionError"),
        ("launch_failed", "UnexpectedAdmissionError", 1, None),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ENDS)
def test_a_pod_tells_how_it_ended(name: str) -> None:
    make, (state, why, status, signal) = ENDS[name]
    (found,) = jobs(make())
    assert (found.state, found.why, found.exit_status, found.signal) == (state, why, status, signal)
    assert not found.running and (found.started, found.ended) == (NOW - 60, NOW)


@pytest.mark.parametrize(
    ("reason", "silent", "state"),
    [
        ("PreemptionByScheduler", False, "preempted"),
        ("EvictionByEvictionAPI", False, "cancelled"),
        ("DeletionByTaintManager", True, "node_fail"),
        ("DeletionByTaintManager", False, "cancelled"),  # a person's taint, on a machine that is well
        ("", False, "cancelled"),
    ],
)
def test_a_pod_that_is_told_to_go_has_ended_as_who_told_it(reason: str, silent: bool, state: str) -> None:
    made = pod("p", "n1", at=NOW - 60)
    if reason:
        disrupt(made, reason, NOW)
    delete(made, NOW)
    (found,) = jobs(made, silent=("n1",) if silent else ())
    assert (found.running, found.state, found.ended) == (False, state, NOW)
    assert found.why == (reason or "Deleted")
    end(made, 143, at=NOW + 5)
    assert jobs(made, silent=("n1",) if silent else ())[0].state == state, "how its program took it changes nothing"


def test_who_was_told_to_go_counts_on_its_machine_until_it_has_gone() -> None:
    made = pod("p", "n1", at=NOW - 60)
    delete(made, NOW, grace_s=30)
    assert count(kept(made), {}) == {"n1": 1}
    assert count(kept(made, now=NOW + 3600), {}) == {"n1": 1}, "stuck, and its kubelet answers: it may run"
    assert count(kept(made, now=NOW + 20, silent=("n1",)), {}) == {"n1": 1}
    assert count(kept(made, now=NOW + 31, silent=("n1",)), {}) == {}, "the cluster gave it up, as Slurm does"


def test_the_first_bad_end_is_the_end_of_a_job() -> None:
    pods = [pod(f"llama-worker-{rank}", f"n{rank}", owner=TRAINING, at=NOW - 600) for rank in range(3)]
    end(pods[1], 1, at=NOW - 10)
    for each in (pods[0], pods[2]):
        delete(each, NOW - 8)
        end(each, 143, at=NOW - 5)
    (found,) = jobs(*pods)
    assert (found.state, found.exit_status, found.signal, found.ended) == ("failed", 1, None, NOW - 5)
    assert found.machines == {"n0", "n1", "n2"} and found.gpus == 24


# ---- attempts ----


def test_a_gang_that_starts_anew_is_another_run_of_the_job() -> None:
    first = [pod(f"llama-worker-{rank}", f"n{rank}", owner=TRAINING, at=NOW - 600) for rank in range(2)]
    for each in first:
        end(each, 1, at=NOW - 300)
    again = [pod(f"llama-worker-{rank}", f"n{rank + 1}", owner=TRAINING, at=NOW - 200) for rank in range(2)]
    old, new = jobs(*again, *first)
    assert (old.state, old.started, old.ended, old.restarts) == ("failed", NOW - 600, NOW - 300, 0)
    assert (new.state, new.started, new.restarts, new.machines) == ("running", NOW - 200, 1, {"n1", "n2"})
    assert old.id == new.id == TRAINING[3] and old.label == "team-a/llama"


def test_a_run_keeps_its_start_whichever_kubelet_is_heard_first() -> None:
    pods = [pod(f"llama-worker-{rank}", f"n{rank}", owner=TRAINING, at=NOW - 60) for rank in range(3)]
    for each, at in zip(pods, (NOW - 50, NOW - 55, None), strict=True):
        each["status"].pop("startTime")
        if at is not None:
            each["status"]["startTime"] = stamp(at)
    seen = {jobs(*pods[:1])[0].started, jobs(*pods[:2])[0].started, jobs(*pods)[0].started}
    assert seen == {NOW - 60}


def test_a_pod_that_is_replaced_while_the_others_run_begins_no_new_run() -> None:
    pods = [pod(f"llama-worker-{rank}", f"n{rank}", owner=TRAINING, at=NOW - 600) for rank in range(2)]
    end(pods[1], 1, at=NOW - 300)
    (found,) = jobs(*pods, pod("llama-worker-1", "n2", owner=TRAINING, at=NOW - 290))
    assert (found.state, found.started, found.machines, found.gpus) == ("running", NOW - 600, {"n0", "n2"}, 16)


def test_parts_of_a_job_one_after_the_other_are_one_run() -> None:
    batch = job("sweep")
    done = [ended(pod(f"sweep-{n}", "n1", owner=of_job(batch), at=NOW - 600 + 100 * n), at=NOW - 510 + 100 * n)
            for n in range(3)]  # fmt: skip
    (found,) = jobs(*done, pod("sweep-3", "n1", owner=of_job(batch), at=NOW - 200), outlines=(batch,))
    assert (found.state, found.started, found.restarts, found.gpus) == ("running", NOW - 600, 0, 8)


def test_a_job_over_its_time_is_a_time_out_whatever_its_pods_do() -> None:
    batch = job("long", activeDeadlineSeconds=3600)
    batch["status"] = {"active": 1, "conditions": [
        {"type": "FailureTarget", "status": "True", "reason": "DeadlineExceeded",
         "lastTransitionTime": "2027-01-15T08:00:00Z"}]}  # fmt: skip
    (found,) = jobs(pod("long-0", "n1", owner=of_job(batch), at=NOW - 3600), outlines=(batch,))
    assert (found.state, found.why, found.running, found.asked.time_limit_s) == (
        "timeout", "DeadlineExceeded", False, 3600,
    )  # fmt: skip
    assert found.ended == NOW


# ---- what waits ----


def test_what_waits_says_why_and_what_it_asks_for() -> None:
    queue: Any = {"volcano.sh/queue-name": "research"}
    waiting = pod("llama-worker-0", owner=TRAINING, at=NOW - 60, **queue)
    (found,) = jobs(waiting)
    assert (found.state, found.running, found.started, found.machines) == ("pending", False, None, frozenset())
    assert (found.why, found.gpus, found.partition, found.account) == ("Unschedulable", 8, "research", "team-a")
    assert (found.asked.qos, found.asked.priority, found.asked.submitted) == ("training", 1000, NOW - 60)


def test_a_job_that_its_queue_holds_waits_without_a_pod() -> None:
    held = job("held", gpus=8, parallelism=4, suspend=True)
    held["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = "train"
    running, done, cpu = job("runs"), job("done"), job("cpu", gpus=0, suspend=True)
    running["status"] = {"active": 1}
    done["status"] = {"succeeded": 1, "conditions": [{"type": "Complete", "status": "True"}]}
    (found,) = jobs(outlines=(held, running, done, cpu))
    assert (found.label, found.state, found.why, found.gpus) == ("team-a/held", "pending", "Suspended", 32)
    assert found.partition == "train" and found.id == held["metadata"]["uid"]


def test_a_pod_whose_image_does_not_come_has_its_machine_and_says_so() -> None:
    made = pod("p", "n1", at=NOW - 60)
    made["status"]["phase"] = "Pending"
    made["status"]["containerStatuses"][0]["state"] = {"waiting": {"reason": "ImagePullBackOff"}}
    (found,) = jobs(made)
    assert (found.running, found.state, found.why, found.machines) == (True, "running", "ImagePullBackOff", {"n1"})


# ---- whose pods they are ----

OF: dict[str, dict[str, Any]] = {
    "a Job": {"owner": ("batch/v1", "Job", "sweep", "uid-1")},
    "a PyTorchJob": {"owner": TRAINING, "training.kubeflow.org/job-name": "llama"},
    "a JobSet": {
        "owner": ("batch/v1", "Job", "set-workers-0", "uid-2"), "jobset.sigs.k8s.io/jobset-name": "set",
        "jobset.sigs.k8s.io/jobset-uid": "uid-3",
    },
    "Volcano": {"owner": ("batch.volcano.sh/v1alpha1", "Job", "vc", "uid-4"), "volcano.sh/job-name": "vc"},
    "a group of LeaderWorkerSet": {
        "owner": ("apps/v1", "StatefulSet", "vllm-0", "uid-5"), "leaderworkerset.sigs.k8s.io/name": "vllm",
        "leaderworkerset.sigs.k8s.io/group-index": "0",
    },
    "a group of Kueue": {"kueue.x-k8s.io/pod-group-name": "group"},
}  # fmt: skip


@pytest.mark.parametrize("name", OF)
def test_pods_of_one_job_are_one_job(name: str) -> None:
    labels = dict(OF[name])
    owner = labels.pop("owner", None)
    (found,) = jobs(*(pod(f"p-{n}", f"n{n}", owner=owner, at=NOW - 60, **labels) for n in range(2)))
    assert found.gpus == 16 and found.machines == {"n0", "n1"} and 0 < len(found.id) <= 40


def test_the_launcher_of_an_mpi_job_is_part_of_it_without_a_gpu() -> None:
    label: Any = {"training.kubeflow.org/job-name": "bert"}
    workers = [pod(f"bert-worker-{n}", f"n{n}", owner=("kubeflow.org/v2beta1", "MPIJob", "bert", "m"), at=NOW, **label)
               for n in range(2)]  # fmt: skip
    launcher = pod("bert-launcher-x", "n2", gpus=0, owner=("batch/v1", "Job", "bert-launcher", "l"), at=NOW, **label)
    (found,) = jobs(*workers, launcher)
    assert found.machines == {"n0", "n1", "n2"} and found.gpus == 16
    assert count(kept(*workers, launcher), {}) == {"n0": 1, "n1": 1, "n2": 1}


def test_jobs_of_a_cron_job_are_each_their_own() -> None:
    nightly = [job(f"nightly-{n}", suspend=True) for n in range(2)]
    for each in nightly:
        each["metadata"]["ownerReferences"] = [
            {"apiVersion": "batch/v1", "kind": "CronJob", "name": "nightly", "uid": "c", "controller": True}
        ]
    assert len(jobs(outlines=tuple(nightly))) == 2


def test_a_label_joins_nobody_to_a_job_of_another_namespace() -> None:
    label: Any = {"jobset.sigs.k8s.io/jobset-name": "set", "jobset.sigs.k8s.io/jobset-uid": "uid-3"}
    own = pod("p-0", "n0", at=NOW - 60, **label)
    other = ended(pod("p-1", "n1", namespace="team-b", at=NOW - 60, **label), 1)
    found = {each.account: each.state for each in jobs(own, other)}
    assert found == {"team-a": "running", "team-b": "failed"} and len({each.id for each in jobs(own, other)}) == 2


def test_pods_that_nothing_holds_together_are_jobs_of_their_own() -> None:
    server = [pod(f"vllm-{n}", "n1", gpus=1, owner=("apps/v1", "ReplicaSet", "vllm", "r"), at=NOW) for n in range(2)]
    assert len({each.id for each in jobs(*server)}) == 2


def test_what_is_part_of_a_node_or_starts_elsewhere_by_itself_is_no_job() -> None:
    resident = pod("dcgm-x", "n1", gpus=0, owner=("apps/v1", "DaemonSet", "dcgm", "d"), at=NOW)
    mirror = pod("kube-proxy-n1", "n1", gpus=0, owner=("v1", "Node", "n1", "u"), at=NOW)
    mirror["metadata"]["annotations"]["kubernetes.io/config.mirror"] = "x"
    service = pod("coredns-x", "n1", gpus=0, owner=("apps/v1", "ReplicaSet", "coredns", "c"), at=NOW)
    assert jobs(resident, mirror, service) == [] and count(kept(resident, mirror, service), {}) == {}
    by_hand = pod("debug", "n1", gpus=0, at=NOW)
    assert count(kept(by_hand), {}) == {"n1": 1} and [each.gpus for each in jobs(by_hand)] == [0]


# ---- GPUs, users, what is not kept ----


@pytest.mark.parametrize(
    ("resource", "wanted", "gpus"),
    [
        ("nvidia.com/gpu", 4, 4),
        ("nvidia.com/mig-1g.10gb", 3, 3),
        ("amd.com/gpu", 2, 0),
        ("nvidia.com/gpu", 10**15, 10**6),
    ],
)
def test_gpus_are_counted_by_nvidia_s_resources(resource: str, wanted: int, gpus: int) -> None:
    assert kept(pod("p", "n1", gpus=wanted, resource=resource))[0].gpus == gpus


def test_a_container_that_prepares_and_ends_does_not_add_its_gpus() -> None:
    made = pod("p", "n1", gpus=8)
    before = {"name": "warm", "resources": {"limits": {"nvidia.com/gpu": "8"}}}
    beside = {"name": "side", "restartPolicy": "Always", "resources": {"limits": {"nvidia.com/gpu": "1"}}}
    made["spec"]["initContainers"] = [before, beside]
    assert kept(made)[0].gpus == 9


def test_a_user_is_read_only_from_the_label_that_a_site_names() -> None:
    made = pod("p", "n1", user="alice")
    assert jobs(made)[0].asked.user == "" and jobs(made, user_label="user")[0].asked.user == "alice"


def test_nothing_of_commands_environments_and_volumes_is_kept() -> None:
    made = pod("p", "n1", owner=TRAINING)
    told = repr([dataclasses.asdict(each) for each in kept(made)]) + repr(jobs(made)) + repr(outline_of(job("j")))
    assert SECRET in repr(made) and SECRET not in told and "registry" not in told and "torchrun" not in told


def test_containers_are_told_as_a_sweep_tells_them() -> None:
    made = pod("p", "n1")
    id = made["status"]["containerStatuses"][0]["containerID"].removeprefix("containerd://")
    assert jobs(made)[0].containers == {id[:12]}


@pytest.mark.parametrize("place", ["metadata", "spec", "status"])
@pytest.mark.parametrize("value", [None, [], "x", 7])
def test_a_pod_of_another_shape_is_refused_or_read_as_far_as_it_goes(place: str, value: object) -> None:
    made = pod("p", "n1")
    made[place] = value
    if place == "metadata":
        with pytest.raises(SchedulerError, match="without an id"):
            kept(made)
    else:
        jobs(made)


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield at
    if isinstance(value, dict | list):
        for name, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(each, (*at, name))


def fits(found: Job) -> bool:
    """Whether the database takes all of it."""
    times = (found.started, found.ended, found.asked.submitted)
    small = (found.exit_status, found.signal)
    large = (found.gpus, found.restarts, found.asked.priority)
    return (
        all(at is None or 0 <= at < LAST for at in times)
        and all(value is None or 0 <= value < 2**15 for value in small)
        and all(value is None or 0 <= value < 2**31 for value in large)
        and 0 <= (found.asked.time_limit_s or 0) < 2**63
        and "\\x00" not in repr(found)
    )


ODD = ["9" * 18 + "E", None, "", "x", -1, 7, 2**31, 2**63 - 1, 10**30, 1.5, True, [], [None], {}, {"": None}, "a\0b",
       "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"]  # fmt: skip


@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_no_value_of_an_object_breaks_the_reading_of_the_others(odd: Any) -> None:
    """Whoever sends a pod chooses much of what is in it."""
    dead, leaving, batch = ended(pod("d", "n1", owner=TRAINING, at=NOW - 9), 1, at=NOW), pod("l", "n2"), job("j")
    disrupt(leaving, "PreemptionByScheduler")
    delete(leaving)
    batch["status"]["conditions"] = [{"type": "Failed", "status": "True", "reason": "DeadlineExceeded"}]
    for made in (dead, leaving, batch, node("n1")):
        for place in list(places(made))[1:]:
            other = copy.deepcopy(made)
            inner = other
            for name in place[:-1]:
                inner = inner[name]
            inner[place[-1]] = odd
            with contextlib.suppress(SchedulerError):
                if made["kind"] == "Node":
                    facts = complete(machine_of(other), 1)
                    told = (facts.cpus, facts.memory_mb, facts.gpus, facts.reason_at, facts.registered)
                    assert all(value is None or 0 <= value < 2**32 for value in told) and "\\x00" not in repr(facts)
                elif made["kind"] == "Job":
                    assert all(fits(each) for each in jobs(outlines=(other,)))
                else:
                    found = jobs(other, pod("well", "n3"))
                    assert any(each.asked.name == "well" for each in found)
                    assert all(fits(each) for each in found)


# ---- nodes ----


def test_a_node_says_what_is_in_it() -> None:
    facts = complete(machine_of(node("n1", at=NOW)), 0)
    assert (facts.cpus, facts.memory_mb, facts.gpus, facts.jobs) == (128, 2048 * 1024, 8, 0)
    assert facts.state is MachineState.IDLE and facts.answers and not facts.closed and facts.words == ("ready",)
    assert facts.registered == NOW


@pytest.mark.parametrize(
    ("ready", "state", "answers", "word"),
    [("False", MachineState.DOWN, True, "not_ready"), ("Unknown", MachineState.DOWN, False, "silent"),
     ("", MachineState.UNKNOWN, False, "unknown")],
)  # fmt: skip
def test_a_node_that_is_not_ready_is_never_idle(ready: str, state: MachineState, answers: bool, word: str) -> None:
    made = node("n1")
    made["status"]["conditions"][-1] |= {"status": ready, "message": "container runtime is down"}
    facts = complete(machine_of(made), 0)
    assert (facts.state, facts.answers, facts.words, facts.by_itself) == (state, answers, (word,), True)
    assert facts.reason == "container runtime is down" and facts.jobs == (None if ready == "" else 0)


def test_a_message_that_counts_on_does_not_make_the_node_another_one() -> None:
    made = node("n1")
    made["status"]["conditions"][-1] |= {
        "status": "False", "reason": "KubeletNotReady", "message": "PLEG is not healthy: last seen active 3m7s ago",
        "lastTransitionTime": "2027-01-15T08:00:00Z",
    }  # fmt: skip
    assert (machine_of(made).reason, machine_of(made).reason_at) == ("KubeletNotReady", NOW)


def test_a_cordon_without_a_reason_is_somebody_s_and_has_one_in_words() -> None:
    made = node("n1")
    made["spec"]["unschedulable"] = True
    facts = machine_of(made)
    assert facts.closed and facts.reason == "cordoned, no reason given" and not facts.is_ours


def test_our_reason_under_a_cordon_that_we_did_not_set_is_not_ours() -> None:
    """Who uncordons leaves the annotation, and may cordon again for reasons of his own."""
    made = node("n1")
    made["spec"]["unschedulable"] = True
    made["metadata"]["annotations"][REASON] = "rackside: incident 12"
    assert not machine_of(made).is_ours, "nobody says who set it"
    entry = {"manager": "rackside", "time": "2027-01-15T08:00:00Z", "fieldsV1": {"f:spec": {"f:unschedulable": {}}}}
    made["metadata"]["managedFields"].append(entry)
    facts = machine_of(made)
    assert (facts.is_ours, facts.reason, facts.reason_by, facts.reason_at) == (
        True, "rackside: incident 12", "rackside", NOW,
    )  # fmt: skip
    entry["manager"] = "kubectl"
    assert machine_of(made).reason == "cordoned with kubectl, no reason given"


@pytest.mark.parametrize(
    ("labels", "capacity", "gpus"),
    [
        ({}, {"nvidia.com/gpu": "7"}, 7),
        ({}, {"nvidia.com/gpu": "0"}, 0),
        ({}, {}, None),
        ({"nvidia.com/gpu.count": "8"}, {"nvidia.com/gpu": "0", "nvidia.com/mig-1g.10gb": "56"}, 8),
        ({}, {"nvidia.com/mig-1g.10gb": "56"}, None),
        ({"nvidia.com/gpu.count": "8", "nvidia.com/gpu.replicas": "4"}, {"nvidia.com/gpu": "32"}, 8),
    ],
)
def test_slices_and_shares_of_gpus_are_not_taken_for_gpus(
    labels: dict[str, str], capacity: dict[str, str], gpus: int | None
) -> None:
    made = node("n1")
    made["metadata"]["labels"], made["status"]["capacity"] = labels, capacity
    assert machine_of(made).gpus == gpus


def test_nodes_are_called_by_their_short_name_where_it_is_one_only() -> None:
    assert called(["gpu1.a.example", "gpu2.a.example", "gpu2.b.example", "10.0.0.5"]) == {
        "gpu1.a.example": "gpu1", "gpu2.a.example": "gpu2.a.example", "gpu2.b.example": "gpu2.b.example",
        "10.0.0.5": "10.0.0.5",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["gpu[001-004]", "", "ALL", "a/b", "../pods", "gpu 1"])
def test_only_one_node_is_ever_named(name: str) -> None:
    with pytest.raises(SchedulerError):
        safe_name(name)


@pytest.mark.parametrize(
    ("text", "value"),
    [("8", 8), (8, 8), ("127500m", 127.5), ("2Ki", 2048), ("1e3", 1000), ("1.5G", 1.5e9), ("x", None), (None, None),
     (True, None), ("1" * 40, None)],
)  # fmt: skip
def test_quantities_are_read_as_the_reference_writes_them(text: Any, value: float | None) -> None:
    assert quantity(text) == value


def test_what_ended_long_ago_is_not_told_again() -> None:
    old, new = ended(pod("old", "n1", at=NOW - 900), at=NOW - 800), ended(pod("new", "n1", at=NOW - 90), at=NOW - 80)
    found = jobs_of(kept(old, new, pod("runs", "n1", at=NOW - 9000)), [], {}, since=NOW - 600)
    assert [each.asked.name for each in found] == ["new", "runs"]


def test_a_pod_that_starts_later_keeps_its_place_in_its_group() -> None:
    waiting = pod("llama-worker-1", owner=TRAINING, at=NOW - 60)
    (found,) = jobs(pod("llama-worker-0", "n0", owner=TRAINING, at=NOW - 60), waiting)
    assert (found.running, found.gpus) == (True, 8)
    start(waiting, "n1", NOW)
    (found,) = jobs(pod("llama-worker-0", "n0", owner=TRAINING, at=NOW - 60), waiting)
    assert (found.gpus, found.started) == (16, NOW - 60)


def test_a_group_has_an_id_that_fits_whatever_it_is_called() -> None:
    long = {"namespace": "n" * 63, "labels": {"volcano.sh/job-name": "j" * 63}, "uid": "u"}
    assert len(group_of(long).id) <= 40
