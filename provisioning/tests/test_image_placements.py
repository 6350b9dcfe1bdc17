"""Images placed on the machines of the virtual hall over real SSH, and removed again: progress, failures, rights."""

from __future__ import annotations

import base64
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from core.models import Role, Site
from core.services import ensure_user
from health.diagnostics.services import sessions
from health.models import MachineHealth, Pool
from health.tests.hall import RunningHall, running_hall
from health.tests.real import twins
from inventory.models import Machine
from live.models import Event
from provisioning.images import services, turn
from provisioning.images.models import ImagePlacement, PlacedImage
from provisioning.mirrors import services as mirrors
from provisioning.models import Mirror
from provisioning.waves.policy import MachineState
from runs.models import RunRank, TrainingRun

pytestmark = pytest.mark.django_db
PLACEMENTS = "/api/provisioning/placements/"
PLAN = f"{PLACEMENTS}plan/"
NAME, DIGEST = "registry.example/team/llm:3", f"sha256:{'4' * 64}"


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)
    monkeypatch.setattr(turn, "SOONEST_S", 0.1)


@pytest.fixture
def fleet() -> list[Machine]:
    machines = [twin.machine for twin in twins(5)]
    MachineHealth.objects.update(state="ready")
    for machine in machines:  # all engines in each
        spec = machine.device.model.spec
        told = {"containerd": "k8s.io", "enroot": ["/raid/images"]}
        machine.device.model.spec = {**spec, "expected": {**spec["expected"], "container_images": told}}
        machine.device.model.save()
    return machines


@pytest.fixture
def hall(fleet: list[Machine], tmp_path: Path) -> Iterator[RunningHall]:
    with running_hall("ams1", tmp_path) as running:
        sessions.ask([(machine.pk, "true") for machine in fleet])  # first contact: their host keys
        yield running


def client(role: Role = Role.OPERATOR, site: Site | None = None) -> Client:
    found = Client()
    found.force_login(ensure_user(f"{role}{site}", role=role, site=site)[0])
    return found


def asked(machines: list[Machine], who: Client | None = None, **more: Any) -> Any:
    body = {"image": NAME, "digest": DIGEST, "machines": [each.pk for each in machines], "canary": 0, **more}
    return (who or client()).post(PLACEMENTS, body, "application/json")


def begun(machines: list[Machine], **more: Any) -> ImagePlacement:
    answer = asked(machines, **{"dry_run": False, **more})
    assert answer.status_code == 201, answer.content
    return ImagePlacement.objects.get(pk=answer.json()["id"])


def gone_on(placement: ImagePlacement, until: Callable[[ImagePlacement], bool] | None = None) -> ImagePlacement:
    """The turns of workers, until it ended or is where a test wants it."""
    ends = time.monotonic() + 30
    while time.monotonic() < ends:
        ImagePlacement.objects.filter(pk=placement.pk).update(next_at=timezone.now())
        turn.advance(placement.pk)
        placement.refresh_from_db()
        if placement.finished_at or (until and until(placement)):
            return placement
        time.sleep(0.1)
    raise AssertionError(f"{placement.status}: {list(placement.machines.values_list('status', 'message'))}")


def said(placement: ImagePlacement) -> dict[str, tuple[str, str]]:
    rows = placement.machines.values_list("machine__device__name", "status", "message")
    return {name: (status, message) for name, status, message in rows}


def play(hall: RunningHall, machine: Machine, fault: str, **params: Any) -> None:
    hall.do(lambda h: h.inject(h.machines[machine.device.name], fault, params=params or None))


def held(hall: RunningHall, machine: Machine) -> dict[str, str]:
    found: dict[str, str] = hall.do(lambda h: dict(h.machines[machine.device.name].state.images))
    return {name: digest for name, digest in found.items() if digest}


@pytest.mark.parametrize(
    ("engine", "place"),
    [
        ("docker", ""),
        *(pytest.param(*each, marks=pytest.mark.slow) for each in (("containerd", "k8s.io"), ("enroot", ""))),
    ],
)
def test_an_image_is_placed_by_its_digest_and_removed_again(
    fleet: list[Machine], hall: RunningHall, engine: str, place: str
) -> None:
    some = fleet[:2]
    done = gone_on(begun(some, engine=engine))
    assert done.status == "done", said(done)
    assert set(done.machines.values_list("identity", flat=True)) == {DIGEST}, "read afterwards"
    own = "/raid/images/team+llm+3.sqsh" if engine == "enroot" else NAME
    assert held(hall, some[0])[f"{engine}|{place}|{own}"] == DIGEST
    again = gone_on(begun(some, engine=engine))
    assert {text for _, text in said(again).values()} == {"was there already"}
    gone = gone_on(begun(some, engine=engine, action="remove", image=own, digest=""))
    assert gone.status == "done" and {text for _, text in said(gone).values()} == {"removed"}, said(gone)
    assert not held(hall, some[0])


@pytest.mark.slow
def test_a_dry_run_asks_and_changes_nothing(fleet: list[Machine], hall: RunningHall) -> None:
    answer = asked(fleet)
    assert answer.json()["dry_run"] is True, "unless told otherwise"
    placement = gone_on(ImagePlacement.objects.get())
    assert {text for _, text in said(placement).values()} == {"would be pulled"} and placement.status == "done"
    assert not any(held(hall, machine) for machine in fleet)
    assert Event.objects.filter(kind="image_placement.changed").latest("id").data["totals"]["ok"] == 5


@pytest.mark.slow
def test_failures_are_named_laggards_too_and_a_retry_takes_those_alone(fleet: list[Machine], hall: RunningHall) -> None:
    bad, slow = fleet[0], fleet[1]
    play(hall, bad, "pull_fails", text="write /raid/docker: no space left on device", seconds=0)
    play(hall, slow, "pull_fails", text="", seconds=600)

    def waits(row: ImagePlacement) -> bool:
        return Counter(row.machines.values_list("status", flat=True))["running"] == 1

    placement = gone_on(begun(fleet, stop_share=1), waits)
    told = said(placement)
    assert told[bad.device.name] == ("failed", "exit status 1: write /raid/docker: no space left on device")
    assert told[slow.device.name][0] == "running"
    PlacedImage.objects.filter(status="running").update(started_at=timezone.now() - timedelta(minutes=5))
    rows = client(Role.VIEWER).get(f"{PLACEMENTS}{placement.pk}/").json()["machines"]
    assert [row["machine"]["name"] for row in rows if row["late"]] == [slow.device.name]

    assert client().post(f"{PLACEMENTS}{placement.pk}/cancel/").status_code == 200
    assert gone_on(placement).status == "cancelled"
    assert said(placement)[slow.device.name][0] == "cancelled"
    assert not held(hall, slow), "its pull was ended there"
    for machine in (bad, slow):
        hall.do(lambda h, name=machine.device.name: h.clear(h.machines[name], name="pull_fails"))
    assert client().post(f"{PLACEMENTS}{placement.pk}/retry/").json() == {"machines": 2}
    assert gone_on(placement).status == "done"
    assert set(placement.machines.values_list("attempt", flat=True)) == {1, 2}
    assert set(placement.machines.values_list("identity", flat=True)) == {DIGEST}


@pytest.mark.slow
def test_a_worker_that_is_lost_costs_nothing(
    fleet: list[Machine], hall: RunningHall, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It dies right after the pulls were begun, and again after they were named: each pull is begun once."""
    keep, died = turn._keep, []

    def dies(placement: ImagePlacement, some: Any) -> None:
        step = some[0].task.step
        if step in ("pull", "settle") and step not in died:
            died.append(step)
            raise KeyboardInterrupt
        keep(placement, some)

    begins: list[str] = []
    ask = turn.sessions.ask

    def counts(some: Any, **about: Any) -> Any:
        answers = ask(some, **about)
        said = [answer.stdout.decode() for answer in answers if answer is not None]
        begins.extend(text for text in said if text.startswith("rackside-job "))
        return answers

    monkeypatch.setattr(turn, "_keep", dies)
    monkeypatch.setattr(turn.sessions, "ask", counts)
    placement = begun(fleet)
    for _ in range(100):
        ImagePlacement.objects.filter(pk=placement.pk).update(next_at=timezone.now(), lease_until=None, lease=None)
        try:
            turn.advance(placement.pk)
        except KeyboardInterrupt:
            continue
        placement.refresh_from_db()
        if placement.finished_at:
            break
        time.sleep(0.1)
    assert died == ["pull", "settle"] and placement.status == "done", said(placement)
    assert begins.count("rackside-job started\n") == len(fleet), "the next worker hears that they are known"
    assert "rackside-job known\n" in begins


@pytest.mark.slow
def test_an_image_in_use_is_not_removed_and_the_others_lose_it(fleet: list[Machine], hall: RunningHall) -> None:
    used = "nvcr.io/nvidia/cuda:12.2.2-base-ubuntu22.04"
    play(hall, fleet[0], "container_runs", name="train-7", image=used)
    placement = gone_on(begun(fleet, action="remove", image=used, digest=""))
    assert said(placement)[fleet[0].device.name] == ("refused", "in use by container train-7")
    assert [status for status, _ in list(said(placement).values())[1:]] == ["ok"] * 4


@pytest.mark.slow
def test_a_machine_that_does_not_answer_is_unreachable_and_holds_up_nobody(
    fleet: list[Machine], hall: RunningHall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turn, "SILENT_S", 0.05)
    play(hall, fleet[2], "docker_dead")
    play(hall, fleet[3], "ssh_refuses")
    told = said(gone_on(begun(fleet, stop_share=1)))
    assert [status for status, _ in told.values()] == ["ok", "ok", "failed", "unreachable", "ok"], told
    assert "not known: Cannot connect to the Docker daemon" in told[fleet[2].device.name][1]


def test_limits_of_racks_hold_over_two_placements_and_a_canary_goes_alone(fleet: list[Machine]) -> None:
    """Only who begins: nobody is asked here."""
    of = {"site": fleet[0].device.site, "action": "place", "engine": "docker", "reference": NAME, "digest": DIGEST}
    rows = [ImagePlacement.objects.create(**of, dry_run=False, canary=n, rack_limit=2) for n in (0, 1)]
    for placement, machines in zip(rows, (fleet[:3], fleet[3:]), strict=True):
        PlacedImage.objects.bulk_create(PlacedImage(placement=placement, machine=m, rack="B02") for m in machines)
    taken = [services.WORK.take(placement.pk) for placement in rows]
    assert [len(turn._admit(row)) for row in taken if row] == [2, 0], "the rack has room for two"
    PlacedImage.objects.filter(placement=rows[0], status="running").update(status=MachineState.OK)
    assert len(turn._admit(taken[1])) == 1  # type: ignore[arg-type]


# ---- what is refused ----


def test_what_cannot_be_placed_is_refused_with_every_reason_and_nothing_is_started(fleet: list[Machine]) -> None:
    MachineHealth.objects.filter(pk=fleet[0].pk).update(state="rma")
    answer = asked(fleet, digest="")
    assert answer.status_code == 400 and not ImagePlacement.objects.exists()
    told = str(answer.json())
    assert "none of this site's registries" in told and "a machine that is rma is not here" in told
    bad: list[tuple[dict[str, Any], str]] = [
        ({"image": "$(reboot)"}, "no name of an image"), ({"digest": "latest"}, "64 hexadecimal"),
        ({"machines": []}, "Name machines, or a pool"), ({"machines": [Machine(pk=10**9)]}, "no such machine"),
        ({"image": "/raid/x.sqsh", "engine": "enroot"}, "is removed, not placed"),
        ({"engine": "enroot", "action": "remove", "image": "/etc/shadow"}, "no image file in a folder"),
    ]  # fmt: skip
    for body, words in bad:
        refused = asked(body.pop("machines", fleet), **body)
        assert refused.status_code == 400 and words in str(refused.json()), refused.content
    assert not ImagePlacement.objects.exists()
    elsewhere = Site.objects.create(slug="lon1", name="London")
    assert asked(fleet, client(Role.OPERATOR, elsewhere)).status_code == 403
    assert asked(fleet, client(Role.VIEWER)).status_code == 403


@pytest.mark.slow
def test_a_pool_is_meant_as_a_whole_and_a_machine_is_in_one_open_placement(
    fleet: list[Machine], hall: RunningHall
) -> None:
    pool = Pool.objects.create(site=fleet[0].device.site, role="gpu", model=fleet[0].device.model)
    MachineHealth.objects.update(pool=pool)
    MachineHealth.objects.filter(pk=fleet[3].pk).update(state="new")
    answer = client().post(PLACEMENTS, {"image": NAME, "digest": DIGEST, "pool": pool.pk}, "application/json")
    assert answer.json()["totals"]["waiting"] == 4
    assert f"already in placement {answer.json()['id']}" in str(asked(fleet).json())


def test_what_placing_takes_is_told_before(fleet: list[Machine]) -> None:
    asks: dict[str, str | int] = {"image": NAME, "machines": 500, "size_bytes": 30_000_000_000}
    told = client(Role.VIEWER).get(PLAN, asks).json()
    assert {each["way"]: round(each["seconds"], 1) for each in told["estimates"]} == {"registry": 300.0, "peers": 2.4}
    assert client(Role.VIEWER).get(PLAN, {"image": NAME}).json()["estimates"] == [], "no size is known"
    assert client(Role.VIEWER).get(PLAN, {"image": "a b"}).status_code == 400


@pytest.mark.slow
def test_a_registry_that_does_not_say_what_a_tag_means_ends_it_before_a_machine_is_touched(
    fleet: list[Machine], hall: RunningHall, settings: Any
) -> None:
    settings.LOCAL_ADDRESSES = True
    Mirror.objects.create(site=fleet[0].device.site, name="ours", kind="registry", url="http://127.0.0.1:9")
    placement = gone_on(begun(fleet, image="127.0.0.1:9/team/llm:3", digest=""))
    assert placement.status == "failed" and placement.message.startswith("ours does not say what"), placement.message
    assert {status for status, _ in said(placement).values()} == {"cancelled"}


def test_a_login_of_the_registry_is_told_apart_from_the_script_and_bytes_are_seen_as_they_come(
    fleet: list[Machine], hall: RunningHall, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = fleet[0].device.site
    mirror = Mirror(site=site, name="images", kind="registry", url="https://registry.example")
    mirrors.save_mirror(mirror, {}, username="olga", password="s3cret")
    sent: list[tuple[str, bytes]] = []

    def ask(some: Any, *, told: Any = None, **options: Any) -> Any:
        sent.extend((script, (told or {}).get(pk, b"")) for pk, script in some)
        return real(some, told=told, **options)

    real = sessions.ask
    monkeypatch.setattr(sessions, "ask", ask)
    play(hall, fleet[0], "pull_fails", text="", seconds=600)
    placement = begun(fleet[:1])
    ImagePlacement.objects.update(layers={f"sha256:{'c' * 64}": 700, f"sha256:{'d' * 64}": 300}, status="running")
    gone_on(placement, lambda row: row.machines.filter(pulled_bytes=700).exists())
    [far] = client(Role.VIEWER).get(f"{PLACEMENTS}{placement.pk}/").json()["machines"]
    assert (
        (far["pulled_bytes"], far["pulled_of_bytes"]) == (700, 1000) and far["left_s"] > 0 and far["rate_bytes_s"] > 0
    )
    services.cancel(placement.pk, actor="olga")
    assert gone_on(placement).status == "cancelled" and "rm -rf /run/rackside-jobs/" in sent[-1][0]
    assert [told for script, told in sent if "docker --config" in script and b"auths" in told]
    assert not any("s3cret" in script or base64.b64encode(b"olga:s3cret").decode() in script for script, _ in sent)
    assert sum(bool(told) for _, told in sent) == 1, "for the pull alone"


@pytest.mark.slow
def test_an_image_that_a_training_run_names_is_not_removed_under_it(fleet: list[Machine], hall: RunningHall) -> None:
    site, now = fleet[0].device.site, timezone.now()
    run = TrainingRun.objects.create(
        site=site, key="7", name="kestrel", image=f"docker://{NAME}@{DIGEST}", started_at=now, last_report_at=now
    )
    RunRank.objects.create(run=run, rank=0, machine=fleet[0], machine_name=fleet[0].device.name)
    gone_on(begun(fleet[:2]))
    removed = gone_on(begun(fleet[:2], action="remove", digest=""))
    assert said(removed)[fleet[0].device.name] == ("refused", "in use by training run kestrel")
    assert said(removed)[fleet[1].device.name] == ("ok", "removed")
    TrainingRun.objects.update(ended_at=now, state="completed")
    assert gone_on(begun(fleet[:1], action="remove", digest="")).status == "done" and not held(hall, fleet[0])
