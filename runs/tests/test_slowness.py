"""Why a run is slow: what changed then, whose readings stand out, how much it yields, what differs from a good run."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from core.models import Role, Site
from fabric.discovery.models.seen import FabricLink, SeenLink, SeenNode
from fabric.discovery.models.sources import FabricSource
from fabric.quality.models.events import FabricEvent
from fabric.quality.models.quality import LinkQuality
from health.models import Fault
from health.monitoring.models.facts import FactChange, MachineFacts
from health.monitoring.models.verdicts import Layout
from health.monitoring.samples import pack as pack_look
from health.tests import factories as make
from health.tests.test_api import signed_in
from health.tests.test_reports import make_source
from inventory.models import Component, Installation, Machine, Port
from runs.models import RunRank, StepPiece, TrainingRun
from runs.pace.attribution import Candidate, attribute
from runs.pace.packed import Timed, pack
from runs.pace.readings import Reading, odd_ones
from runs.pace.stragglers import Times, stragglers
from runs.pace.throughput import peak_of, utilisation
from runs.reports import NotReadable, report_of
from runs.services import judgement
from runs.slowness.changes import changes
from runs.slowness.comparison import Side, differences
from runs.slowness.outliers import outliers
from runs.slowness.sides import side_of
from runs.tests.pace_curves import plain
from runs.tests.test_reported_runs import body, no_worker, post, steps

__all__ = ["no_worker"]
db = pytest.mark.django_db


@pytest.fixture
def token() -> str:
    make.make_machines(2)
    return make_source(name="trainer")[1]


# ---- what changed then: pure ----
def test_the_one_thing_that_changed_then_is_sure() -> None:
    before = Candidate("software", 1000.0, 2000.0, "GPU driver changed", 1, "a")
    then = Candidate("fault", 5000.0, 5060.0, "throttled", 2, "b")
    found = attribute(5010.0, [before, then])
    assert found.sure and found.candidates == [then]


def test_two_things_that_changed_then_are_a_list_the_nearest_first() -> None:
    wide = Candidate("software", 3500.0, 5300.0, "GPU driver changed", 1, "a")
    close = Candidate("link", 5000.0, 5000.0, "link downed on port 3", 2, "b")
    found = attribute(5010.0, [wide, close])
    assert not found.sure and found.candidates == [close, wide]


def test_a_fault_and_the_link_of_the_same_machine_are_one_thing() -> None:
    link = Candidate("link", 5000.0, 5000.0, "link downed on port 3", 2, "b")
    fault = Candidate("fault", 4000.0, 5100.0, "link down", 2, "b")
    assert attribute(5010.0, [link, fault]).sure


def test_nothing_that_changed_is_not_sure() -> None:
    assert not attribute(5010.0, []).sure
    assert attribute(5010.0, [Candidate("run", 9000.0, 9000.0, "x")]).candidates == []


# ---- who stands out: pure ----
def told(kind: str, usual: float, odd: Mapping[int, float], spread: float = 0.005) -> list[Reading]:
    rng = random.Random(5)
    return [Reading(rank, kind, odd.get(rank, usual * rng.uniform(1 - spread, 1 + spread))) for rank in range(64)]


def test_a_gpu_with_a_lower_clock_and_one_that_is_hotter_stand_out() -> None:
    found = odd_ones([*told("clock_mhz", 1980, {7: 1200}), *told("temperature_c", 62, {9: 84})])
    assert [(one.rank, one.kind) for one in found] == [(7, "clock_mhz"), (9, "temperature_c")]
    assert found[0].text == "clock 1200 MHz, median of the run 1981"


@pytest.mark.parametrize(
    "readings",
    [
        told("clock_mhz", 1980, {}),
        told("temperature_c", 60, {}, spread=0.15),  # an aisle that is warmer at the top
        told("clock_mhz", 1980, dict.fromkeys(range(0, 64, 3), 1400)),  # the run's way
        told("power_w", 650, {7: 640}),
        [Reading(0, "clock_mhz", 100.0), Reading(1, "clock_mhz", 2000.0)],  # too few
    ],
)
def test_gpus_of_ordinary_runs_do_not_stand_out(readings: list[Reading]) -> None:
    assert odd_ones(readings) == []


def test_a_slower_stage_of_few_ranks_is_by_design_and_a_rank_in_it_that_became_slower_is_not() -> None:
    times = [Times(rank, 0.12 if rank >= 56 else 0.1, 0.02, 0.119 if rank >= 56 else 0.099) for rank in range(64)]
    assert stragglers(times) == []
    times[60] = Times(60, 0.16, 0.01, 0.119)
    assert [one.rank for one in stragglers(times)] == [60]


def test_one_rank_that_was_slow_from_its_start_is_still_named() -> None:
    times = [Times(rank, 0.15 if rank == 3 else 0.1, 0.0 if rank == 3 else 0.05, 0.1) for rank in range(16)]
    times[3] = times[3]._replace(best_s=0.149)
    assert [one.rank for one in stragglers(times)] == [3]


# ---- how much: pure ----
def test_utilisation_is_that_of_the_model_over_the_peak_of_the_gpus() -> None:
    assert peak_of("NVIDIA H100 80GB HBM3") == 989e12
    assert peak_of("NVIDIA H100 PCIe") == 756e12
    assert peak_of("Radeon") is None
    assert utilisation(6 * 405e9, 400 * 4088, 4088, 989e12) == pytest.approx(0.983, abs=0.001)
    assert utilisation(None, 100.0, 8, 989e12) is None
    assert utilisation(6e12, 1e9, 8, 989e12) is None  # more than the GPUs can do: the numbers do not belong together


# ---- compared: pure ----
BASE = Side(
    64,
    2.0,
    4e6,
    frozenset(f"m{at}" for at in range(8)),
    {f"m{at}": {"driver": "535.129", "kernel": "5.15"} for at in range(8)},
    settings={"NCCL_IB_TIMEOUT": "22"},
)


def test_the_same_run_twice_does_not_differ() -> None:
    assert differences(BASE, BASE) == []


@pytest.mark.parametrize(
    ("change", "subject", "now", "before"),
    [
        ({"world_size": 56}, "size", "56", "64"),
        ({"tokens_a_step": 2e6}, "size", "2,000,000", "4,000,000"),
        ({"step_s": 2.8}, "speed", "2.8 s", "2 s"),
        ({"machines": frozenset([*(f"m{at}" for at in range(7)), "spare"])}, "machines", "spare", "m7"),
        ({"settings": {"NCCL_IB_TIMEOUT": "20"}}, "settings", "20", "22"),
        ({"settings": {"NCCL_IB_TIMEOUT": "22", "NCCL_ALGO": "Ring"}}, "settings", "Ring", ""),
        ({"links": {"m3 port 5": "link downed: 7"}}, "links", "link downed: 7", ""),
        ({"faults": {"m3 GPU 2": "throttled"}}, "faults", "throttled", ""),
        ({"facts": {f"m{at}": {"driver": "550.1", "kernel": "5.15"} for at in range(8)}}, "software", "550.1", "535.129"),
    ],
)  # fmt: skip
def test_what_differs_is_named_once(change: dict[str, Any], subject: str, now: str, before: str) -> None:
    (found,) = differences(replace(BASE, **change), BASE)
    assert (found.subject, found.now, found.before) == (subject, now, before)


def test_one_machine_of_another_version_is_named_and_the_others_are_not() -> None:
    facts = {**BASE.facts, "m3": {"driver": "535.183", "kernel": "5.15"}}
    (found,) = differences(replace(BASE, facts=facts), BASE)
    assert (found.now, found.before, found.machines) == ("535.183", "535.129", ("m3",))


def test_what_was_not_reported_is_no_difference() -> None:
    assert differences(replace(BASE, settings={}, step_s=None, facts={}, tokens_a_step=None), BASE) == []


# ---- reported ----
@pytest.mark.parametrize(
    ("run", "where"),
    [
        ({"parameters": -1}, "run.parameters"),
        ({"expected_step_s": "x"}, "run.expected_step_s"),
        ({"settings": []}, "run.settings"),
        ({"settings": {"a b": "x"}}, "run.settings"),
        ({"settings": {"NCCL_ALGO": 1.5}}, "run.settings.NCCL_ALGO"),
        ({"settings": {f"A{n}": "" for n in range(101)}}, "run.settings"),
    ],
)
def test_model_numbers_and_settings_that_are_wrong_are_refused(run: dict[str, Any], where: str) -> None:
    with pytest.raises(NotReadable) as refused:
        report_of(body() | {"run": {"id": "x", **run}}, 1000.0)
    assert str(refused.value).startswith(where)


def stored(
    seconds: list[float], *, key: str = "88213", end: datetime | None = None, tokens: int = 0, **more: Any
) -> TrainingRun:
    """A run of eight ranks on the first machine with these steps."""
    at = (end or timezone.now()).timestamp() - sum(seconds)
    start = at
    told = []
    for number, span in enumerate(seconds):
        at += span
        told.append(Timed(number, at, span, None, tokens))
    fields = {
        "site": Site.objects.get(), "key": key, "name": "kestrel", "world_size": 8, "state": "running",
        "started_at": datetime.fromtimestamp(start, UTC), "last_report_at": timezone.now(), "lead_rank": 0,
        "steps": len(told), "last_step": len(told) - 1, "last_step_at": datetime.fromtimestamp(at, UTC),
        "baseline_s": seconds[60], "recent_s": seconds[-1], **more,
    }  # fmt: skip
    run = TrainingRun.objects.create(**fields)
    machine = make.device_model().devices.order_by("pk")[0].machine
    slots = [slot.name for slot in make.spec().slots_of("gpu")]
    RunRank.objects.bulk_create(
        RunRank(run=run, rank=rank, machine=machine, machine_name=machine.device.name, slot=slots[rank])
        for rank in range(8)
    )
    for number, first in enumerate(range(0, len(told), 1024)):
        part = told[first : first + 1024]
        StepPiece.objects.create(
            run=run, number=number, count=len(part), first_step=part[0].step, last_step=part[-1].step,
            started_at=datetime.fromtimestamp(part[0].at - part[0].seconds, UTC),
            ended_at=datetime.fromtimestamp(part[-1].at, UTC), median_s=sorted(seconds)[len(seconds) // 2],
            least_s=min(seconds), most_s=max(seconds), tokens=tokens * len(part), packed=pack(part),
        )  # fmt: skip
    return run


def curve(count: int, at: int | None = None, speed: float = 0.71, step_s: float = 2.0) -> list[float]:
    speeds = plain(random.Random(3), count, sigma=0.008)
    return [step_s / (value * (speed if at is not None and index >= at else 1)) for index, value in enumerate(speeds)]


def pace(run: TrainingRun) -> dict[str, Any]:
    answer = signed_in(Role.VIEWER, Site.objects.get()).get(f"/api/runs/{run.pk}/pace/")
    assert answer.status_code == 200, answer.content
    found: dict[str, Any] = answer.json()
    return found


@db
def test_a_report_keeps_the_models_numbers_settings_and_readings(token: str) -> None:
    said = body(steps=[steps(1, 60, end=time.time(), tokens=[8192] * 60)])
    said["run"] |= {"parameters": 7e9, "expected_step_s": 1.9, "settings": {"NCCL_ALGO": "Ring"}}
    said["ranks"][4] |= {"clock_mhz": 1200, "power_w": 300.5, "temperature_c": 80}
    assert post(token, said).status_code == 200
    other = body("gpu-ams1-0001", ranks=range(8, 16))
    other["run"]["settings"] = {"NCCL_ALGO": "Tree"}
    assert post(token, other).status_code == 200

    run = TrainingRun.objects.get()
    assert (run.parameters, run.expected_step_s, run.settings) == (7e9, 1.9, {"NCCL_ALGO": "Ring"})
    rank = RunRank.objects.get(rank=4)
    assert (rank.clock_mhz, rank.power_w, rank.temperature_c) == (1200, 300.5, 80)


@db
def test_a_step_down_is_put_down_to_what_changed_then(token: str) -> None:
    run = stored(curve(600, at=400))
    moment = timezone.now() - timedelta(seconds=200 * 2.0 / 0.71)
    rank = RunRank.objects.filter(run=run)[3]
    assert rank.machine is not None
    Fault.objects.create(
        machine=rank.machine, slot=rank.slot, fault_class="gpu.throttled", precedence=3, kind="level",
        message="hardware thermal slowdown is active", opened_at=moment + timedelta(minutes=1), seen_at=timezone.now(),
    )  # fmt: skip
    found = pace(run)

    assert (found["shape"], found["alarm"], found["reference"]) == ("step", True, "own")
    assert found["speed"] == pytest.approx(0.71, abs=0.02)
    assert abs(datetime.fromisoformat(found["at"]) - moment) < timedelta(seconds=15)
    assert found["checks"] and found["sure"]
    assert [(one["kind"], one["machine"]) for one in found["changes"]] == [("fault", rank.machine_id)]

    TrainingRun.objects.update(state="slow")
    judgement.judge_run(run.pk)
    run.refresh_from_db()
    assert (run.verdict["class"], run.verdict["machine_name"]) == ("slow-straggler", rank.machine_name)

    FactChange.objects.create(
        machine=rank.machine, at=moment + timedelta(minutes=9), fact="driver", before="535", after="550"
    )
    found = pace(run)
    assert not found["sure"]
    assert {one["kind"] for one in found["changes"]} == {"fault", "software"}


@pytest.mark.slow
@db
def test_a_run_that_is_low_from_its_start_is_measured_by_the_last_good_one(token: str) -> None:
    good = stored(
        curve(300), key="1", end=timezone.now() - timedelta(hours=3), state="completed", ended_at=timezone.now()
    )
    run = stored(curve(300, step_s=2.9), key="2")
    found = pace(run)
    assert (found["shape"], found["reference"], found["reference_run"]) == ("low-third", "last_good_run", good.pk)
    TrainingRun.objects.filter(pk=good.pk).update(world_size=16)
    assert pace(run)["shape"] == "none"  # of another size: no measure
    TrainingRun.objects.filter(pk=run.pk).update(expected_step_s=2.0)
    assert (pace(run)["shape"], pace(run)["reference"]) == ("low-third", "reported")


@db
def test_a_change_of_a_long_run_is_placed_among_its_steps(token: str) -> None:
    run = stored(curve(9000, at=5000, speed=0.8))
    found = pace(run)
    moment = timezone.now() - timedelta(seconds=4000 * 2.0 / 0.8)
    assert found["shape"] == "step"
    assert abs(datetime.fromisoformat(found["at"]) - moment) < timedelta(seconds=60)


@db
def test_a_run_without_trouble_or_steps_has_no_shape(token: str) -> None:
    assert pace(stored(curve(300)))["shape"] == "none"
    post(token, body())
    found = pace(TrainingRun.objects.get(name="kestrel-405b"))
    assert (found["shape"], found["at"], found["tokens_per_s"], found["outliers"]) == ("none", None, None, [])


@db
def test_tokens_per_second_and_utilisation_are_told(token: str) -> None:
    run = stored(curve(300), tokens=100_000, parameters=7e9)
    found = pace(run)
    assert found["tokens_per_s"] == pytest.approx(50_000, rel=0.02)
    assert found["utilisation"] == pytest.approx(50_000 * 42e9 / (8 * 989e12), rel=0.02)


@db
def test_a_rank_whose_clock_is_low_is_named(token: str) -> None:
    run = stored(curve(300), state="slow")
    RunRank.objects.filter(run=run).update(clock_mhz=1980)
    RunRank.objects.filter(run=run, rank=5).update(clock_mhz=1100)
    (odd,) = pace(run)["outliers"]
    assert (odd["rank"], odd["kind"]) == (5, "clock_mhz")
    judgement.judge_run(run.pk)
    run.refresh_from_db()
    assert (run.verdict["class"], run.verdict["rank"]) == ("slow-throttle", 5)


@db
def test_two_runs_are_compared_with_versions_as_they_were(token: str) -> None:
    now = timezone.now()
    good = stored(curve(300), key="1", end=now - timedelta(hours=3), state="completed", ended_at=now - timedelta(hours=3),
                  settings={"NCCL_IB_TIMEOUT": "22"})  # fmt: skip
    run = stored(curve(300, step_s=2.9), key="2", settings={"NCCL_IB_TIMEOUT": "20"})
    machine = RunRank.objects.filter(run=run)[0].machine
    assert machine is not None
    MachineFacts.objects.create(machine=machine, facts={"driver": "550", "kernel": "5.15"}, changed_at=now)
    FactChange.objects.create(machine=machine, at=now - timedelta(hours=2), fact="driver", before="535", after="550")
    client = signed_in(Role.VIEWER, Site.objects.get())

    for query in ("", f"?with={good.pk}"):
        found = client.get(f"/api/runs/{run.pk}/compare/{query}").json()
        assert (found["run"]["id"], found["other"]["id"]) == (run.pk, good.pk)
        told = {one["subject"]: (one["now"], one["before"]) for one in found["differences"]}
        assert told["software"] == ("550", "535")
        assert told["settings"] == ("20", "22")
        assert set(found["same"]) == {"size", "machines", "faults"}
        assert found["not_known"] == ["links"]  # no fabric is read here
    assert client.get(f"/api/runs/{good.pk}/compare/").status_code == 404
    assert client.get(f"/api/runs/{run.pk}/compare/?with=x").status_code == 400


@db
def test_a_run_of_another_site_is_not_compared(token: str) -> None:
    run = stored(curve(300))
    elsewhere = Site.objects.create(slug="other", name="Other")
    eve = signed_in(Role.VIEWER, elsewhere, name="eve")
    hers = TrainingRun.objects.create(site=elsewhere, key="9", started_at=timezone.now(), last_report_at=timezone.now())
    assert eve.get(f"/api/runs/{hers.pk}/compare/?with={run.pk}").status_code == 404
    assert eve.get(f"/api/runs/{run.pk}/pace/").status_code == 404


# ---- the fabric, parts and checks beneath ----
def fabric_of(machine: Machine, errors: float = 0.0) -> FabricSource:
    """The machine's first rail on a leaf, as the fabric shows it."""
    spec = machine.device.model.spec
    rails = {slot["name"]: slot.get("rail") for slot in spec["slots"]}
    for told in spec["ports"]:
        if rails.get(told.get("slot")) is not None:
            Port.objects.create(device=machine.device, name=told["name"], kind="infiniband", slot=told["slot"])
    source = FabricSource.objects.create(site=machine.device.site, name="fabric", kind="file")
    began = timezone.now() - timedelta(days=9)
    SeenNode.objects.create(
        source=source, guid="a1", kind="adapter", ports=1, device=machine.device, during=(began, None)
    )  # fmt: skip
    SeenLink.objects.create(
        source=source, a_guid="a1", a_port=1, b_guid="f1", b_port=7, width="4X", speed="100", during=(began, None)
    )
    for number, port in enumerate(Port.objects.filter(device=machine.device).order_by("pk")):
        link = FabricLink.objects.create(
            source=source, key=f"L{number}", state="correct", a_name=machine.device.name, a_number=1, a_port=port,
            b_name="leaf-1", b_number=number + 1, since=began,
        )  # fmt: skip
        LinkQuality.objects.create(
            site=source.site, source=source, link=link, key=f"k{number}", a_guid=f"a{number}", a_port=1, b_guid="f1",
            b_port=number + 1, since=began, errors_1h=errors if number == 2 else 1.0,
        )  # fmt: skip
    return source


@db
def test_an_event_of_the_runs_own_link_and_a_part_put_in_then_are_candidates(token: str) -> None:
    run = stored(curve(600, at=400))
    moment = timezone.now() - timedelta(seconds=200 * 2.0 / 0.71)
    machine = RunRank.objects.filter(run=run)[0].machine
    assert machine is not None
    source = fabric_of(machine)
    for number, (guid, port, at) in enumerate(
        (("f1", 7, moment), ("f9", 7, moment), ("f1", 7, moment - timedelta(hours=1)))
    ):
        FabricEvent.objects.create(
            site=source.site, source=source, number=str(number), at=at, code=112, name="link downed", severity="critical",
            group="link", guid=guid, port=port,
        )  # fmt: skip
    found = pace(run)
    assert found["sure"]
    assert [(one["kind"], one["text"], one["machine"]) for one in found["changes"]] == [
        ("link", "link downed on port 7", machine.pk)
    ]

    gpu = Component.objects.create(site=source.site, kind="gpu", serial="165043")
    Installation.objects.create(component=gpu, device=machine.device, slot="GPU 2", during=(moment, None))
    found = pace(run)
    assert not found["sure"] and {one["kind"] for one in found["changes"]} == {"link", "part"}


@db
def test_the_rank_on_a_link_with_errors_stands_out(token: str) -> None:
    run = stored(curve(300))
    machine = RunRank.objects.filter(run=run)[0].machine
    assert machine is not None
    fabric_of(machine, errors=5000.0)
    (odd,) = pace(run)["outliers"]
    assert odd["kind"] == "symbol_errors" and odd["text"].startswith("symbol errors 5000 an hour")


@db
def test_the_temperature_that_the_last_check_read_is_compared(token: str) -> None:
    run = stored(curve(300))
    machine = RunRank.objects.filter(run=run)[0].machine
    assert machine is not None
    slots = [slot.name for slot in make.spec().slots_of("gpu")]
    layout = Layout.objects.create(
        checks_version="t", model="m", digest="d", entries=[["gpu.temperature", slot] for slot in slots]
    )
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO health_sample (machine_id, at, sweep_id, layout_id, heard, worst, fail, unknown, warn, verdicts) "
            "VALUES (%s, now(), NULL, %s, true, 0, 0, 0, 0, %s)",
            [machine.pk, layout.pk, pack_look(bytes(8), [60.0, 61.0, 62.0, 85.0, 60.0, 61.0, 60.0, 62.0])],
        )
    (odd,) = pace(run)["outliers"]
    assert odd["text"] == "temperature 85 °C, median of the run 61"
    assert odd["rank"] == 3


@db
def test_the_pace_of_4088_ranks_takes_a_fixed_number_of_statements() -> None:
    make.make_machines(12)
    run = stored(curve(600, at=400))
    machines = list(Machine.objects.select_related("device"))
    counts = []
    for size in (8, 96):
        RunRank.objects.filter(run=run).delete()
        RunRank.objects.bulk_create(
            RunRank(run=run, rank=rank, machine=machines[rank // 8], machine_name="x", slot=f"GPU {rank % 8}",
                    clock_mhz=1980)
            for rank in range(size)
        )  # fmt: skip
        with CaptureQueriesContext(connection) as asked:
            outliers(run)
            changes(run, timezone.now())
            side_of(run)
        counts.append(len(asked))
    assert counts[0] == counts[1] <= 20
