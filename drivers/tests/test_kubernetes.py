"""The contract of a scheduler over Kubernetes: the official client against a stand-in API server over real HTTPS."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from drivers.kubernetes.api import KubernetesApi
from drivers.kubernetes.client import KubernetesScheduler
from drivers.scheduler import MachineState, Outcome, SchedulerError, UnknownMachine, View
from drivers.tests.kubernetes import StandIn, other_ca
from drivers.tests.kubernetes_objects import SECRET, delete, end, job, node, of_job

NAMES = ["gpu001", "gpu002", "gpu003", "gpu004"]


@pytest.fixture
def cluster() -> Iterator[StandIn]:
    with StandIn(NAMES) as running:
        yield running


@pytest.fixture
def scheduler(cluster: StandIn) -> KubernetesScheduler:
    return cluster.scheduler()


def read(scheduler: KubernetesScheduler) -> View:
    view = asyncio.run(scheduler.read())
    assert view is not None
    return view


def drain(scheduler: KubernetesScheduler, name: str, reason: str, ours: str = "") -> Outcome:
    return asyncio.run(scheduler.drain(name, reason, ours=ours))


def resume(scheduler: KubernetesScheduler, name: str, ours: str) -> Outcome:
    return asyncio.run(scheduler.resume(name, ours=ours))


# ---- the contract, as of Slurm ----


def test_all_machines_are_read_with_what_is_in_them(scheduler: KubernetesScheduler) -> None:
    view = read(scheduler)
    assert sorted(view.machines) == NAMES and view.partitions is None and view.since is None
    facts = view.machines["gpu001"]
    assert (facts.cpus, facts.memory_mb, facts.gpus) == (128, 2048 * 1024, 8)
    assert facts.state is MachineState.IDLE and facts.answers and not facts.closed and facts.jobs == 0


def test_a_cordon_carries_its_reason_and_says_who_and_when(cluster: StandIn, scheduler: KubernetesScheduler) -> None:
    began = int(time.time())
    reason = 'rackside: incident 12: GPU 5 it\'s "gone" $HOME | [x]'
    assert drain(scheduler, "gpu001", reason) is Outcome.DONE
    facts = asyncio.run(scheduler.machine("gpu001"))
    assert facts.drained and facts.state is MachineState.DRAINED and facts.is_ours and "cordoned" in facts.words
    assert facts.reason == "rackside: incident 12: GPU 5 it s gone HOME [x]" and facts.reason_by == "rackside"
    assert facts.reason_at is not None and began - 2 <= facts.reason_at <= time.time() + 2
    assert cluster.is_cordoned("gpu001")
    assert drain(scheduler, "gpu001", reason) is Outcome.ALREADY
    assert drain(scheduler, "gpu001", "incident 13", ours=facts.reason) is Outcome.DONE
    assert resume(scheduler, "gpu001", "rackside: incident 13") is Outcome.DONE
    assert resume(scheduler, "gpu001", "rackside: incident 13") is Outcome.ALREADY
    assert asyncio.run(scheduler.machine("gpu001")).state is MachineState.IDLE
    assert not cluster.is_cordoned("gpu001") and cluster.reason("gpu001") == ""


def test_a_cordon_evicts_nobody_and_is_complete_when_the_job_ends(
    cluster: StandIn, scheduler: KubernetesScheduler
) -> None:
    made = cluster.run("train-0", "gpu002")
    drain(scheduler, "gpu002", "x")
    facts = asyncio.run(scheduler.machine("gpu002"))
    assert facts.closed and not facts.drained and facts.jobs == 1 and facts.state is MachineState.ALLOCATED
    assert [each.machines for each in read(scheduler).jobs if each.running] == [frozenset({"gpu002"})]
    assert "deletionTimestamp" not in made["metadata"]
    end(made)
    assert asyncio.run(scheduler.machine("gpu002")).drained
    assert resume(scheduler, "gpu002", "rackside: x") is Outcome.DONE


def test_a_cordon_of_somebody_else_is_neither_overwritten_nor_lifted(
    cluster: StandIn, scheduler: KubernetesScheduler
) -> None:
    cluster.cordon("gpu003")
    assert drain(scheduler, "gpu003", "x") is Outcome.THEIRS
    assert resume(scheduler, "gpu003", "rackside: x") is Outcome.THEIRS
    assert cluster.is_cordoned("gpu003") and cluster.reason("gpu003") == ""
    facts = asyncio.run(scheduler.machine("gpu003"))
    assert (facts.reason_by, facts.is_ours) == ("kubectl", False)


def test_who_lifts_our_cordon_and_sets_his_own_keeps_it(cluster: StandIn, scheduler: KubernetesScheduler) -> None:
    drain(scheduler, "gpu003", "x")
    cluster.uncordon("gpu003")
    assert cluster.reason("gpu003") == "rackside: x", "kubectl knows nothing of our annotation"
    assert not asyncio.run(scheduler.machine("gpu003")).closed
    cluster.cordon("gpu003")
    assert resume(scheduler, "gpu003", "rackside: x") is Outcome.THEIRS and cluster.is_cordoned("gpu003")


def test_an_edit_of_our_reason_is_a_decision_of_somebody_else(cluster: StandIn, scheduler: KubernetesScheduler) -> None:
    drain(scheduler, "gpu003", "x")
    cluster.annotate("gpu003", "rackside: x, keep it, Bob")
    assert resume(scheduler, "gpu003", "rackside: x") is Outcome.THEIRS and cluster.is_cordoned("gpu003")


@pytest.mark.parametrize("status", ["False", "Unknown"])
def test_a_node_that_is_not_ready_is_closed_and_not_resumed(
    cluster: StandIn, scheduler: KubernetesScheduler, status: str
) -> None:
    cluster.kubelet("gpu004", status)
    assert drain(scheduler, "gpu004", "x") is Outcome.DONE, "nobody decided that, and it may be back in a minute"
    facts = asyncio.run(scheduler.machine("gpu004"))
    assert facts.state is MachineState.DOWN and facts.answers is (status == "False") and facts.drained
    assert resume(scheduler, "gpu004", "rackside: x") is Outcome.SILENT and cluster.is_cordoned("gpu004")
    cluster.kubelet("gpu004", "True")
    assert resume(scheduler, "gpu004", "rackside: x") is Outcome.DONE


def test_a_machine_that_it_does_not_know_is_told_apart_from_silence(scheduler: KubernetesScheduler) -> None:
    with pytest.raises(UnknownMachine):
        asyncio.run(scheduler.machine("gpu999"))
    with pytest.raises(SchedulerError):
        drain(scheduler, "gpu[001-004]", "x")


# ---- writes that collide ----


def test_a_write_that_somebody_overtook_is_decided_anew(cluster: StandIn, scheduler: KubernetesScheduler) -> None:
    cluster.races = 2
    assert drain(scheduler, "gpu001", "x") is Outcome.DONE and cluster.is_cordoned("gpu001")
    assert sum(each.startswith("patch") for each in cluster.asked) == 3


def test_who_cordons_between_our_look_and_our_write_is_not_overwritten(
    cluster: StandIn, scheduler: KubernetesScheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = KubernetesApi.patch_node

    def late(self: KubernetesApi, *args: object, **more: object) -> None:
        cluster.cordon("gpu001")
        real(self, *args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(KubernetesApi, "patch_node", late)
    assert drain(scheduler, "gpu001", "x") is Outcome.THEIRS and cluster.reason("gpu001") == ""


def test_a_node_that_changes_all_the_time_is_an_error_and_not_written(
    cluster: StandIn, scheduler: KubernetesScheduler
) -> None:
    cluster.races = 100
    with pytest.raises(SchedulerError, match="changed by others"):
        drain(scheduler, "gpu001", "x")
    assert not cluster.is_cordoned("gpu001")


def test_a_drain_that_was_written_before_the_worker_died_is_found_as_it_is(
    cluster: StandIn, scheduler: KubernetesScheduler
) -> None:
    drain(scheduler, "gpu001", "x")
    version = cluster.node("gpu001")["metadata"]["resourceVersion"]
    assert drain(scheduler, "gpu001", "x", ours="rackside: older") is Outcome.ALREADY
    assert cluster.node("gpu001")["metadata"]["resourceVersion"] == version


# ---- reading ----


def test_jobs_are_read_with_their_owner_queue_and_end(cluster: StandIn, scheduler: KubernetesScheduler) -> None:
    batch = cluster.add("jobs", job("llama", parallelism=2, activeDeadlineSeconds=7200))
    batch["status"] = {"active": 2}
    pods = [cluster.run(f"llama-{n}", f"gpu00{n + 1}", owner=of_job(batch)) for n in range(2)]
    held = cluster.add("jobs", job("later", suspend=True))
    found = {each.label: each for each in read(scheduler).jobs}
    assert found["team-a/llama"].machines == {"gpu001", "gpu002"} and found["team-a/llama"].gpus == 16
    assert found["team-a/llama"].asked.time_limit_s == 7200 and found["team-a/llama"].account == "team-a"
    assert found["team-a/later"].state == "pending" and found["team-a/later"].id == held["metadata"]["uid"]
    for each in pods:
        end(each, 137, "OOMKilled")
    (job_found,) = (each for each in read(scheduler).jobs if each.label == "team-a/llama" and each.ended)
    assert (job_found.state, job_found.signal) == ("out_of_memory", 9)


def test_lists_are_read_page_by_page_and_again_when_the_server_forgot_them(cluster: StandIn) -> None:
    for n in range(7):
        cluster.run(f"p-{n}", NAMES[n % 4], gpus=1)
    with KubernetesApi(cluster.url, cluster.token, ca=cluster.ca, page=3) as api:
        assert len(api.listed("pods", lambda row: row["metadata"]["name"])) == 7
        assert sum(each == "list /api/v1/pods" for each in cluster.asked) == 3
        cluster.expires = 1
        assert len(set(api.listed("pods", lambda row: row["metadata"]["name"]))) == 7
        cluster.expires = 100
        with pytest.raises(SchedulerError, match="410"):
            api.listed("pods", lambda row: row)


def test_a_list_is_of_one_moment_though_pods_come_and_go(cluster: StandIn) -> None:
    first = [cluster.run(f"p-{n}", "gpu001", gpus=1) for n in range(4)]
    with KubernetesApi(cluster.url, cluster.token, ca=cluster.ca, page=2) as api:

        def keep(row: object) -> object:
            if cluster.objects["pods"].pop(first[3]["metadata"]["uid"], None):
                cluster.run("new", "gpu001", gpus=1)
            return row["metadata"]["name"]  # type: ignore[index]

        assert api.listed("pods", keep) == ["p-0", "p-1", "p-2", "p-3"]


def test_nodes_may_be_chosen_by_their_labels(cluster: StandIn) -> None:
    cluster.add("nodes", node("cpu1", gpus=0, pool="services"))
    cluster.node("gpu001")["metadata"]["labels"]["pool"] = "train"
    pod = cluster.run("p", "cpu1", gpus=0)
    delete(pod, time.time() - 3600)
    view = read(cluster.scheduler(selector="pool=train"))
    assert sorted(view.machines) == ["gpu001"]
    with pytest.raises(SchedulerError, match="no node with the labels"):
        read(cluster.scheduler(selector="pool=nothing"))


def test_a_node_that_is_not_selected_is_never_written_whatever_its_name(cluster: StandIn) -> None:
    cluster.add("nodes", node("gpu001.cluster.example", pool="train"))
    scheduler = cluster.scheduler(selector="pool=train")
    assert sorted(read(scheduler).machines) == ["gpu001"]
    assert drain(scheduler, "gpu001", "x") is Outcome.DONE
    assert cluster.is_cordoned("gpu001.cluster.example") and not cluster.is_cordoned("gpu001")
    with pytest.raises(UnknownMachine):
        drain(scheduler, "gpu002", "x")


def test_nodes_with_domain_names_are_machines_by_their_short_name(cluster: StandIn) -> None:
    cluster.add("nodes", node("gpu005.cluster.example"))
    scheduler = cluster.scheduler()
    assert "gpu005" in read(scheduler).machines
    assert drain(scheduler, "gpu005", "x") is Outcome.DONE and cluster.is_cordoned("gpu005.cluster.example")
    cluster.run("p", "gpu005.cluster.example")
    facts = asyncio.run(scheduler.machine("gpu005"))
    assert (facts.name, facts.jobs) == ("gpu005", 1)
    assert [each.machines for each in read(scheduler).jobs] == [frozenset({"gpu005"})]


def test_an_account_that_may_not_list_jobs_still_tells_of_pods(
    cluster: StandIn, scheduler: KubernetesScheduler
) -> None:
    cluster.forbidden = {("list", "jobs")}
    cluster.run("p", "gpu001")
    assert [each.label for each in read(scheduler).jobs] == ["team-a/p"]


@pytest.mark.parametrize("resource", ["nodes", "pods"])
def test_what_it_may_not_read_is_an_error_that_says_what_is_missing(
    cluster: StandIn, scheduler: KubernetesScheduler, resource: str
) -> None:
    cluster.forbidden = {("list", resource)}
    with pytest.raises(SchedulerError, match=f'cannot list resource "{resource}"'):
        read(scheduler)


def test_a_refused_token_is_an_error_and_is_never_told(cluster: StandIn) -> None:
    wrong = "eyJhbGciOiJIUzI1NiJ9.d3Jvbmc.d3Jvbmc"
    with pytest.raises(SchedulerError, match="token was refused") as caught:
        read(KubernetesScheduler(cluster.url, wrong, ca=cluster.ca))
    assert wrong not in str(caught.value) and caught.value.__cause__ is None
    with pytest.raises(SchedulerError, match="no token"):
        read(KubernetesScheduler(cluster.url, "two words", ca=cluster.ca))


def test_a_server_that_is_busy_is_asked_again_when_it_says(cluster: StandIn, scheduler: KubernetesScheduler) -> None:
    cluster.busy = 2
    assert sorted(read(scheduler).machines) == NAMES
    cluster.busy = 100
    with pytest.raises(SchedulerError, match="429"):
        read(scheduler)


def test_an_empty_cluster_is_an_error(cluster: StandIn, scheduler: KubernetesScheduler) -> None:
    cluster.objects["nodes"].clear()
    with pytest.raises(SchedulerError, match="no node"):
        read(scheduler)


def test_past_jobs_are_kept_nowhere(scheduler: KubernetesScheduler) -> None:
    assert asyncio.run(scheduler.past(3600)) is None


# ---- the connection ----


def test_another_authority_is_refused_before_the_token_is_sent(cluster: StandIn) -> None:
    for ca in (other_ca(), ""):
        with pytest.raises(SchedulerError, match="certificate"):
            read(cluster.scheduler(ca=ca))
    assert cluster.asked == []


def test_a_certificate_of_another_name_is_refused(cluster: StandIn) -> None:
    with pytest.raises(SchedulerError, match=r"(?i)certificate|hostname|mismatch"):
        read(KubernetesScheduler(f"https://[::ffff:127.0.0.1]:{cluster.port}", cluster.token, ca=cluster.ca))
    assert cluster.asked == []


@pytest.mark.parametrize("url", ["http://127.0.0.1:8080", "k8s.example", "https://", "ftp://x"])
def test_only_https_is_spoken(url: str) -> None:
    with pytest.raises(SchedulerError, match="not an address"):
        read(KubernetesScheduler(url, "a.b.c"))


def test_a_ca_that_is_none_is_refused() -> None:
    with pytest.raises(SchedulerError, match="PEM"):
        read(KubernetesScheduler("https://127.0.0.1:1", "a.b.c", ca="-----BEGIN x"))


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (b"HTTP/1.1 302 Found\r\nLocation: https://127.0.0.2/x\r\nContent-Length: 0\r\n\r\n", "302"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n<html", "not JSON"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]", "no object"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", "no list of nodes"),
        (b'HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n{"items":["x"]}', "no list of nodes"),
        (b'HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n{"items":7}', "no list of nodes"),
        (b'HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n{"items":null}', "no node"),
        (b'HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"items":[', "Kubernetes"),
        (b"HTTP/1.1 500 Oops\r\nContent-Length: 4\r\n\r\n\x00\xff\x00x", "500"),
        (b"nonsense\r\n\r\n", "Kubernetes"),
        (b"", "Kubernetes"),
    ],
    ids=[
        "redirect",
        "html",
        "list",
        "no items",
        "odd items",
        "a number",
        "null",
        "short",
        "error",
        "no http",
        "nothing",
    ],
)
def test_an_answer_that_is_none_is_an_error_in_words(
    cluster: StandIn, scheduler: KubernetesScheduler, answer: bytes, problem: str
) -> None:
    cluster.answer = answer
    with pytest.raises(SchedulerError, match=problem) as caught:
        read(scheduler)
    assert "\0" not in str(caught.value) and len(str(caught.value)) < 400


def test_an_answer_without_an_end_is_left_behind(cluster: StandIn) -> None:
    with KubernetesApi(cluster.url, cluster.token, ca=cluster.ca) as api:
        api._client.rest_client.pool_manager.most_bytes = 1000
        with pytest.raises(SchedulerError, match="larger than 1000 bytes"):
            api.listed("nodes", lambda row: row)


def test_a_server_that_drips_is_left_behind_in_time(cluster: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each piece comes in time, the whole never does."""

    def drip(self: object, *args: object, **more: object) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")  # type: ignore[attr-defined]
        for _ in range(60):
            self.wfile.write(b" ")  # type: ignore[attr-defined]
            self.wfile.flush()  # type: ignore[attr-defined]
            time.sleep(0.05)

    monkeypatch.setattr("drivers.tests.kubernetes._Handler._send", drip)
    began = time.monotonic()
    with pytest.raises(SchedulerError, match="in time"):
        read(cluster.scheduler(timeout_s=1, total_s=0.5))
    assert time.monotonic() - began < 2


def test_a_server_that_says_nothing_is_left_behind_in_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        accepted: list[object] = []  # kept: one that nobody holds is closed, which says something
        threading.Thread(target=lambda: accepted.append(silent.accept()), daemon=True).start()
        began = time.monotonic()
        with pytest.raises(SchedulerError, match="Kubernetes"):
            read(KubernetesScheduler(f"https://127.0.0.1:{silent.getsockname()[1]}", "a.b.c", timeout_s=0.3))
        assert time.monotonic() - began < 3


def test_no_secret_of_a_pod_leaves_the_driver(cluster: StandIn, scheduler: KubernetesScheduler) -> None:
    cluster.run("p", "gpu001")
    cluster.add("jobs", job("j", suspend=True))
    assert SECRET not in repr(read(scheduler))


def test_who_reads_no_cluster_does_not_load_the_client() -> None:
    loaded = "any(m.split('.')[0] in ('kubernetes', 'urllib3') for m in sys.modules)"
    code = f"import sys, drivers.kubernetes.client; sys.exit({loaded})"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
