"""Fit to start on real rows of inventory, health and fabric: what is asked, who may ask, the launch check."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from core.models import Role, Site
from core.services import ensure_user
from fabric.models import FabricLink, FabricSource, LinkQuality
from fabric.tests.hall import fleet
from health.diagnostics.models import ActiveMachine, ActiveRun, ActiveStep
from health.insights.models import GoldenMachine
from health.machines.models.machines import MachineHealth, Pool
from health.models import CurrentVerdict, LaunchWay, MachineImage, MachineImages, MachineReport
from health.monitoring.models.facts import MachineFacts
from health.monitoring.services.sweeps.stored import layout_id
from health.schedulers.models import SchedulerJob, SchedulerPartition, SchedulerSource
from health.services import sync_machines
from health.tests import factories as make
from inventory.models import Machine, Port, StrandEnd
from runs.fit.criteria import CHECKS
from runs.models import HandOver, RunRank, TrainingRun
from tests.kept_rows import load_fleet

pytestmark = pytest.mark.django_db
FIT, LAUNCH = "/api/runs/fit/", "/api/runs/fit/launch/"
DRIVER = {"driver": "535.129.03", "os": "Ubuntu 22.04"}


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """Eight machines on eight rails, in service for long, all of them good; a fabric was discovered."""
    path = tmp_path / "fleet.yaml"
    path.write_text(fleet("ams1"))
    load_fleet(path)
    sync_machines()
    place = Site.objects.get(slug="ams1")
    Pool.objects.update(**make.NO_SCHEDULER)
    MachineHealth.objects.update(
        state="ready", reachability="reachable", worst="ok", allocation="idle", cell="available"
    )
    machines = list(Machine.objects.order_by("device__name"))
    now = timezone.now()
    layout = layout_id("test", "dell-xe9680-h100", tuple((check, "machine") for check in CHECKS))
    GoldenMachine.objects.bulk_create(GoldenMachine(machine=m, promoted_by="ada", reason="clean") for m in machines)
    MachineFacts.objects.bulk_create(MachineFacts(machine=m, facts=DRIVER, changed_at=now) for m in machines)
    MachineReport.objects.bulk_create(
        MachineReport(machine=m, layout_id=layout, verdicts=bytes(len(CHECKS)), checked_at=now, heard_at=now)
        for m in machines
    )
    discover(place)
    return place


def discover(site: Site) -> None:
    """The links of the plan as a discovery finds them, each with good counters."""
    source = FabricSource.objects.create(site=site, name="fabric", kind="file")
    now = timezone.now()
    ports = Port.objects.filter(device__site=site, device__kind="machine", rail__isnull=False)
    links = [
        FabricLink(
            source=source, key=f"{port.device.name} {port.name}", state="correct", a_name=f"leaf-{port.rail}",
            a_number=1, b_name=port.device.name, b_number=1, b_port=port, tier="leaf-machine", rail=port.rail, since=now,
        )
        for port in ports.select_related("device")
    ]  # fmt: skip
    links += [
        FabricLink(
            source=source, key=f"leaf-{leaf} spine-{spine}", state="correct", a_name=f"leaf-{leaf}", a_number=17,
            b_name=f"spine-{spine}", b_number=1, tier="leaf-spine", since=now,
        )
        for leaf in range(1, 9)
        for spine in range(1, 5)
    ]  # fmt: skip
    made = FabricLink.objects.bulk_create(links)
    LinkQuality.objects.bulk_create(
        LinkQuality(
            site=site, source=source, link=link, key=link.key, a_guid="a", a_port=1, b_guid="b", b_port=1, state="ok",
            since=now,
        )
        for link in made
    )  # fmt: skip


def client(role: Role = Role.VIEWER, site: Site | None = None) -> Client:
    found = Client()
    found.force_login(ensure_user(f"{role}-{site.slug if site else 'all'}", role=role, site=site)[0])
    return found


def ask(as_role: Role = Role.VIEWER, **query: Any) -> dict[str, Any]:
    answer = client(as_role).get(FIT, query or {"hosts": "gpu-[1-4]"})
    assert answer.status_code == 200, answer.content
    found: dict[str, Any] = answer.json()
    return found


def lines(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in found["criteria"]}


def at(name: str) -> Any:
    return MachineHealth.objects.filter(machine__device__name=name)


def pk(name: str) -> int:
    return int(Machine.objects.get(device__name=name).pk)


# ---- the verdict ----
def test_a_good_set_is_fit_and_its_host_list_comes_in_four_forms(site: Site) -> None:
    found = ask()
    assert (found["verdict"], found["leave_out"]) == ("fit", []), found["criteria"]
    assert found["chosen"]["hosts"] == "gpu-[1-4]" and found["chosen"]["gpus"] == 32
    (choice,) = found["choices"]
    assert (choice["id"], choice["count"], choice["lists"]["slurm"]) == ("whole", 4, "gpu-[1-4]")
    assert choice["lists"]["mpi"].startswith("gpu-1 slots=8\n")
    rows = lines(found)
    assert {rows[each]["state"] for each in ("service", "versions", "links", "rails", "clock", "free")} == {"ok"}
    assert rows["burn_in"]["state"] == "warn" and "no burn-in is known" in rows["burn_in"]["text"]
    assert (rows["spares"]["good"], rows["image"]["state"], rows["launch"]["state"]) == (4, "not_asked", "not_run")


def test_a_machine_in_repair_is_left_out_and_one_of_its_leaf_stands_in(site: Site) -> None:
    at("gpu-2").update(state="repair", ticket_key="REP-2044", cell="repair")
    found = ask()
    (out,) = found["leave_out"]
    assert out["reasons"][0] == {"criterion": "service", "text": "it is in repair, REP-2044"}
    assert (out["replacement"]["name"], out["distance"], out["machine"]["leaf"]) == ("gpu-5", "leaf", "leaf-1")
    assert found["sentence"] == "1 of 4 machines must stay out. gpu-2: it is in repair, REP-2044."
    by_id = {choice["id"]: choice["lists"]["slurm"] for choice in found["choices"]}
    assert by_id == {
        "replaced": "gpu-[1,5,3-4]", "reduced": "gpu-[1,3-4]",
    }  # fmt: skip


def test_what_sweeps_and_the_fabric_say_keeps_machines_out(site: Site) -> None:
    MachineFacts.objects.filter(machine_id=pk("gpu-1")).update(facts=DRIVER | {"driver": "535.183.01"})
    FabricLink.objects.filter(b_name="gpu-2", rail=3).update(state="slow")
    bad = LinkQuality.objects.filter(link__b_name="gpu-3", link__rail=2)
    bad.update(state="bad", reason="7 link-downs in a day")
    CurrentVerdict.objects.create(
        machine_id=pk("gpu-4"), check_id="clock.offset", part="machine", verdict="fail",
        message="the clock is +0.9 s off NTP time", checked_at=timezone.now(), changed_at=timezone.now(),
    )  # fmt: skip
    MachineFacts.objects.filter(machine_id=pk("gpu-6")).delete()
    MachineReport.objects.filter(machine_id=pk("gpu-7")).delete()
    found = ask(hosts="gpu-[1-8]")
    told = {out["name"]: out["reasons"][0] for out in found["leave_out"]}
    assert told["gpu-1"] == {"criterion": "versions", "text": "GPU driver 535.183.01, others 535.129.03"}
    assert (told["gpu-2"]["criterion"], told["gpu-3"]["criterion"], told["gpu-4"]["criterion"]) == (
        "links", "links", "clock",
    )  # fmt: skip
    assert "7 link-downs in a day" in told["gpu-3"]["text"] and "+0.9 s" in told["gpu-4"]["text"]
    assert told["gpu-6"]["text"] == "its driver is not known"
    assert told["gpu-7"]["criterion"] in ("links", "clock")  # unknown, never fit
    assert set(told) == {"gpu-1", "gpu-2", "gpu-3", "gpu-4", "gpu-6", "gpu-7"}
    assert all(out["replacement"] is None for out in found["leave_out"])


def test_a_cable_to_the_leaf_of_another_rail_and_a_lost_one_keep_machines_out(site: Site) -> None:
    ends = {
        name: StrandEnd.objects.get(port__device__name="gpu-2", port__rail=rail)
        for name, rail in (("one", 1), ("two", 2))
    }
    ports = ends["one"].port_id, ends["two"].port_id
    StrandEnd.objects.filter(pk=ends["one"].pk).delete()
    StrandEnd.objects.filter(pk=ends["two"].pk).update(port_id=ports[0])
    StrandEnd.objects.create(connector_id=ends["one"].connector_id, lane=ends["one"].lane, port_id=ports[1])
    StrandEnd.objects.filter(port__device__name="gpu-3", port__rail=5).delete()
    told = {out["name"]: out["reasons"][0]["text"] for out in ask()["leave_out"]}
    assert told == {
        "gpu-2": "rail 1 ends at leaf-2, which carries rail 2", "gpu-3": "no leaf is known for rail 5",
    }  # fmt: skip


def test_a_machine_of_a_live_run_or_named_for_one_stands_in_for_nobody(site: Site) -> None:
    now = timezone.now()
    MachineHealth.objects.filter(pk=pk("gpu-2")).update(state="drained")

    def stands_in() -> str:
        return str(ask()["leave_out"][0]["replacement"]["name"])

    assert stands_in() == "gpu-5"
    run = TrainingRun.objects.create(site=site, key="1", started_at=now, last_report_at=now, world_size=8)
    RunRank.objects.create(run=run, rank=0, machine_id=pk("gpu-5"), machine_name="gpu-5")
    HandOver.objects.create(
        run=run, left_name="gpu-1", came_id=pk("gpu-6"), came_name="gpu-6", taken_out=False, by="ada"
    )
    assert stands_in() not in ("gpu-5", "gpu-6")
    HandOver.objects.update(at=now - timedelta(hours=3))
    TrainingRun.objects.update(ended_at=now, state="completed")
    assert stands_in() == "gpu-5"


def test_the_image_that_must_be_there_is_looked_for_under_every_name_it_has(site: Site) -> None:
    machines = list(Machine.objects.order_by("device__name"))
    digest, moved = (f"sha256:{each * 64}" for each in "ab")
    now = timezone.now()
    MachineImages.objects.bulk_create(
        MachineImages(machine=m, engines={"docker": ""}, digest="x", changed_at=now) for m in machines[:4]
    )
    MachineImage.objects.bulk_create(
        MachineImage(
            machine=m, engine="docker", reference="registry.example/team/torch:25.01",
            digest=moved if m == machines[2] else digest, seen_at=now,
        )
        for m in machines[:3]
    )  # fmt: skip
    hosts = ",".join(m.device.name for m in machines[:5])
    for name in ("registry.example/team/torch:25.01", "registry.example#team/torch:25.01"):
        found = ask(hosts=hosts, image=name)
        assert {each["name"]: each["reasons"][0]["text"] for each in found["leave_out"]} == {
            machines[2].device.name: "another image of this name: bbbbbbbbbbbb, others aaaaaaaaaaaa",
            machines[3].device.name: "the image is not there",
            machines[4].device.name: "which images lie on it is not read",
        }
    refused = client(Role.VIEWER).get(FIT, {"hosts": hosts, "image": "Torch: 25.01"})
    assert refused.status_code == 400 and "no name of an image" in str(refused.json())
    by_digest = ask(hosts=hosts, image=f"registry.example/team/torch@{digest}")
    assert [each["name"] for each in by_digest["leave_out"]] == [m.device.name for m in machines[2:5]]
    assert ask(hosts=hosts)["verdict"] == "fit"


def test_the_last_burn_in_counts_and_only_one_with_a_result(site: Site) -> None:
    now = timezone.now()
    for name, days, verdict in (
        ("gpu-1", 2, "pass"),
        ("gpu-2", 20, "pass"),
        ("gpu-3", 1, "fail"),
        ("gpu-4", 1, "unknown"),
    ):
        run = ActiveRun.objects.create(
            site=site, kind="burn_in", status="done", requested_by="ada", finished_at=now - timedelta(days=days)
        )
        ActiveMachine.objects.create(run=run, machine_id=pk(name), released_at=now)
        ActiveStep.objects.create(
            run=run, round=1, number=1, kind="stress", machine_ids=[pk(name)], status="done", verdict=verdict,
            message="GPU 2 computes wrong",
        )  # fmt: skip
    found = ask()
    row = lines(found)["burn_in"]
    assert [out["name"] for out in found["leave_out"]] == ["gpu-3"] and (row["state"], row["good"]) == ("fail", 1)
    assert "gpu-2 20 days ago" in row["text"] and "gpu-4 no burn-in is known" in row["text"]


def test_the_number_of_statements_does_not_grow_with_the_set(site: Site) -> None:
    viewer = client()
    counts = []
    for hosts in ("gpu-[1-2]", "gpu-[1-8]"):
        with CaptureQueriesContext(connection) as seen:
            assert viewer.get(FIT, {"hosts": hosts}).status_code == 200
        counts.append(len(seen))
    assert counts[0] == counts[1] <= 40


# ---- which machines are meant ----
def test_a_pool_a_run_a_job_and_a_partition_name_machines(site: Site) -> None:
    now = timezone.now()
    run = TrainingRun.objects.create(
        site=site, key="88213", attempt=2, name="kestrel", started_at=now, last_report_at=now, world_size=16
    )
    for rank, name in enumerate(["gpu-5"] * 8 + ["gpu-3"] * 8 + ["hgx-z01"]):
        row = Machine.objects.filter(device__name=name).first()
        RunRank.objects.create(run=run, rank=rank, machine=row, machine_name=name)
    source = SchedulerSource.objects.create(site=site, local=True)
    for name, ours in (("train", ["gpu-7"]), ("night", ["gpu-7", "gpu-8"])):  # one source reads all partitions
        SchedulerPartition.objects.create(
            source=source, name=name, machine_count=3, machine_ids=[pk(each) for each in ours]
        )
    SchedulerJob.objects.create(
        source=source, job_id="99", started_at=now, state="running", machine_count=2,
        machine_ids=[pk("gpu-6"), pk("gpu-8")],
    )  # fmt: skip
    found = ask(run=run.pk)
    assert found["chosen"]["title"] == "Machines of kestrel, attempt 2"
    assert [out["name"] for out in found["leave_out"]] == ["hgx-z01"]
    reduced = next(choice for choice in found["choices"] if choice["id"] == "reduced")
    assert reduced["lists"]["mpi"] == "gpu-5 slots=8\ngpu-3 slots=8\n"  # in the order of the ranks
    assert "--rdzv-id=88213-3" in reduced["lists"]["torchrun"]
    assert ask(job="99")["chosen"]["hosts"] == "gpu-[6,8]"
    assert ask(partition="night")["chosen"]["hosts"] == "gpu-[7-8]"
    chosen = ask(partition="train")["chosen"]
    assert chosen["hosts"] == "gpu-7"
    assert chosen["title"] == "Partition train, 2 of its 3 machines are not of the inventory"
    other = Site.objects.create(slug="twin", name="Twin")
    twin = SchedulerSource.objects.create(site=other, local=True)
    SchedulerPartition.objects.create(source=twin, name="train", machine_count=0, machine_ids=[])
    refused = client().get(FIT, {"partition": "train"})
    assert refused.status_code == 400 and "Two schedulers" in refused.json()["error"]["fields"]["partition"][0]
    assert ask(pool=Pool.objects.get().pk)["chosen"]["count"] == 8
    assert ask(hosts="gpu-1\ngpu-2, gpu-9")["leave_out"][0]["reasons"][0]["text"] == "it is not in the inventory"


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({}, "Say which machines"), ({"hosts": "gpu-[1"}, "no list of machines"), ({"hosts": "x1"}, "No machine"),
        ({"hosts": "gpu-1", "pool": "1"}, "Say which machines"), ({"run": "999999"}, "no such run"),
        ({"job": "1"}, "no such job"), ({"partition": "x"}, "No scheduler lists"), ({"pool": "999999"}, "no such pool"),
    ],
)  # fmt: skip
def test_what_means_no_set_is_refused_in_words(site: Site, query: dict[str, str], words: str) -> None:
    answer = client().get(FIT, query)
    assert answer.status_code == 400 and words in str(answer.json()["error"]["fields"])


def test_machines_of_another_site_are_not_told_nor_checked(site: Site) -> None:
    other = Site.objects.create(slug="else", name="Else")
    elsewhere = client(Role.OPERATOR, other)
    assert elsewhere.get(FIT, {"hosts": "gpu-1"}).status_code == 400
    assert elsewhere.get(FIT, {"pool": Pool.objects.get().pk}).status_code == 400
    body = {"machines": [pk("gpu-1"), pk("gpu-2")]}
    assert elsewhere.post(LAUNCH, body, content_type="application/json").status_code == 400
    assert not ActiveRun.objects.exists()


# ---- the launch check ----
def start(role: Role, *names: str, **more: Any) -> Any:
    body = {"machines": [pk(name) for name in names], **more}
    return client(role).post(LAUNCH, body, content_type="application/json")


def test_an_operator_starts_the_launch_check_on_exactly_the_set(site: Site) -> None:
    assert start(Role.VIEWER, "gpu-1", "gpu-2").status_code == 403
    assert start(Role.TECHNICIAN, "gpu-1", "gpu-2").status_code == 403
    answer = start(Role.OPERATOR, "gpu-1", "gpu-2", "gpu-3", "gpu-4")
    assert answer.status_code == 201, answer.content
    run = ActiveRun.objects.get(pk=answer.json()["run"])
    assert (run.kind, run.requested_by, run.reason, run.machines.count()) == (
        "groups",
        "operator-all",
        "launch check",
        4,
    )
    found = ask()
    assert found["launch"]["run"] == run.pk and lines(found)["launch"]["state"] == "running"
    assert ask(hosts="gpu-[1-3]")["launch"] is None, "another set was not checked"


def test_a_set_with_a_machine_that_may_not_be_loaded_is_not_checked_in_part(site: Site) -> None:
    at("gpu-2").update(allocation="allocated")
    answer = start(Role.OPERATOR, "gpu-1", "gpu-2", "gpu-3")
    assert answer.status_code == 409 and "gpu-2: a job runs on it" in answer.json()["error"]["message"]
    assert not ActiveRun.objects.exists()


def ended(site: Site, conclusion: dict[str, Any], value: float, verdict: str) -> ActiveRun:
    run = ActiveRun.objects.create(
        site=site, kind="groups", status="done", requested_by="olga", conclusion={"groups": conclusion},
        finished_at=timezone.now(),
    )  # fmt: skip
    ids = [pk(f"gpu-{n}") for n in range(1, 5)]
    ActiveMachine.objects.bulk_create(ActiveMachine(run=run, machine_id=one, released_at=timezone.now()) for one in ids)
    message = f"{value} GB/s bus bandwidth over 4 machines, 350 is asked"
    of_check = {"pass": "ok"}.get(verdict, verdict)
    finding = {"check": "nvlink.allreduce", "part": "machine", "verdict": of_check, "message": message, "value": value}
    ActiveStep.objects.create(
        run=run, round=1, number=1, kind="groups", machine_ids=ids, status="done", verdict=verdict, findings=[finding]
    )
    return run


def test_the_launch_check_says_its_bandwidth_beside_what_is_asked(site: Site) -> None:
    ended(site, {"bad": [], "switches": {}, "undecided": {}}, 388.1, "pass")
    row = lines(ask())["launch"]
    assert (row["state"], row["text"]) == ("ok", "worst 388.1 GB/s bus bandwidth over 4 machines, 350 is asked")


def test_a_machine_and_a_switch_that_the_launch_check_named_stay_out(site: Site) -> None:
    ended(site, {"bad": ["gpu-3"], "switches": {}, "undecided": {}}, 91.0, "fail")
    found = ask()
    (out,) = found["leave_out"]
    assert (out["name"], out["reasons"][0]["criterion"], out["replacement"]["name"]) == ("gpu-3", "launch", "gpu-5")
    assert lines(found)["launch"]["text"].startswith("gpu-3; worst 91.0 GB/s")
    ended(site, {"bad": [], "switches": {"leaf-1": ["gpu-1", "gpu-2"]}, "undecided": {}}, 91.0, "fail")
    told = {out["name"]: out["reasons"][0]["text"] for out in ask()["leave_out"]}
    assert set(told) == {"gpu-1", "gpu-2"} and "leaf-1" in told["gpu-1"]


def test_the_operator_chooses_how_the_check_is_launched(site: Site) -> None:
    assert ask()["ways"] == ["mpirun over SSH"]
    for number, name in enumerate(("torchrun", "Slurm")):
        LaunchWay.objects.create(
            site=site, name=name, way="torchrun" if number == 0 else "srun", program="torch", position=number
        )
    assert ask()["ways"] == ["torchrun", "Slurm"]
    refused = start(Role.OPERATOR, "gpu-1", "gpu-2", way="mpi")
    assert refused.status_code == 400 and "no way 'mpi'" in str(refused.json()["error"]["fields"])
    refused = start(Role.OPERATOR, "gpu-1", "gpu-2", way="Slurm")
    assert refused.status_code == 409 and "no Slurm gives work to it" in refused.json()["error"]["message"]
    assert start(Role.OPERATOR, "gpu-1", "gpu-2", "gpu-3", "gpu-4").status_code == 201
    assert ActiveRun.objects.get().options == {"whole": True} and ask()["launch"]["way"] == "torchrun"


def whole(run: ActiveRun, verdict: str, *findings: tuple[str, str, float | None]) -> None:
    """All machines at once: (check, verdict, value) of what it came to."""
    rows = [
        {"check": check, "part": "machine", "verdict": word, "message": f"{value} over 4 machines", "value": value}
        for check, word, value in findings
    ]
    ActiveStep.objects.create(
        run=run, round=2, number=1, kind="groups", level="whole", machine_ids=[], status="done", verdict=verdict,
        attempts=1, message=f"{verdict} of all", findings=rows,
    )  # fmt: skip


def test_bandwidth_and_latency_of_all_together_have_a_verdict_each(site: Site) -> None:
    nobody: dict[str, Any] = {"bad": [], "switches": {}, "undecided": {}}
    whole(ended(site, nobody, 388.1, "pass"), "pass",
          ("nvlink.allreduce", "ok", 371.0), ("nvlink.allreduce_latency", "warn", 61.5))  # fmt: skip
    found = ask()
    assert [(each["id"], each["state"], each["value"]) for each in found["launch"]["measured"]] == [
        ("bandwidth", "ok", 371.0), ("latency", "warn", 61.5),
    ]  # fmt: skip
    assert (found["launch"]["state"], found["launch"]["text"]) == ("ok", "all together 371.0 over 4 machines")
    whole(ended(site, nobody, 388.1, "pass"), "unknown")
    assert [(each["state"], each["value"], each["text"]) for each in ask()["launch"]["measured"]] == [
        ("unknown", None, "unknown of all"), ("unknown", None, "unknown of all"),
    ]  # fmt: skip


def test_a_set_that_fails_together_and_passes_in_parts_is_not_fit_and_accuses_nobody(site: Site) -> None:
    whole(ended(site, {"bad": [], "switches": {}, "undecided": {}}, 388.1, "pass"), "fail",
          ("nvlink.allreduce", "fail", 211.0))  # fmt: skip
    found = ask()
    assert (found["verdict"], found["leave_out"]) == ("not_fit", [])
    assert found["sentence"] == "The launch check on these 4 machines failed, and no machine is named."
    assert found["launch"]["text"] == "all together fail of all; in parts they pass, nobody is named"


@pytest.mark.slow
def test_how_far_a_launch_check_is(site: Site) -> None:
    start(Role.OPERATOR, "gpu-1", "gpu-2", "gpu-3", "gpu-4")
    run = ActiveRun.objects.get()
    assert (ask()["launch"]["text"], ask()["launch"]["total"]) == ("not begun", 0)
    ActiveRun.objects.update(rounds=1, status="running")
    step = ActiveStep.objects.create(run=run, round=1, number=1, kind="groups", level="whole", machine_ids=[])
    assert (ask()["launch"]["text"], ask()["launch"]["done"]) == ("all machines together", 0)
    step.status, step.verdict = "done", "fail"
    step.save()
    ActiveRun.objects.update(rounds=2)
    ActiveStep.objects.create(run=run, round=2, number=1, kind="groups", level="members", machine_ids=[])
    launch = ask()["launch"]
    assert (launch["state"], launch["text"]) == ("running", "round 2: looking for who is at fault")
    assert (launch["done"], launch["total"]) == (1, 2)


def test_a_launch_check_that_decided_nothing_is_not_known(site: Site) -> None:
    ended(site, {"bad": [], "switches": {}, "undecided": {"gpu-2": "its tests gave no result"}}, 388.1, "pass")
    row = lines(ask())["launch"]
    assert (row["state"], row["text"]) == ("unknown", "gpu-2: its tests gave no result")
