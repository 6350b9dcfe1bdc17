"""Steps and GPUs that nobody reports, read from a real Prometheus: stored once, judged as reported ones, else unknown."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from core.errors import Conflict
from core.models import Site
from core.services import set_credential
from drivers.https import trust_of
from drivers.prometheus.client import PrometheusClient
from drivers.tests.ports import free_ports
from drivers.tests.prometheus import PrivatePrometheus, Sample
from health.tests import factories as make
from health.tests.test_reports import make_source
from inventory.models import Machine
from runs.metrics import services
from runs.metrics.questions import Question, ask
from runs.models import GpuReading, MetricsSource, RunRank, StepPiece, TrainingRun
from runs.pace.packed import unpack
from runs.services import judgement, pulse
from runs.services.intake import slot_of
from runs.slowness.outliers import outliers, without_readings
from runs.state import Facts, state_of
from runs.tests.test_reported_runs import body, no_worker, post
from runs.tests.test_reported_runs import steps as columns

__all__ = ["no_worker"]
JOB, ODD_JOB, PAST_JOB = "88213", 'we"ird\\job {x}', "77001"
GRID = 15
SPAN_S, SLOWER_AT_S = 2400, 1500
LOADED = int(time.time()) // GRID * GRID
BEGAN = LOADED - SPAN_S
SLOWED = 0.7
NAMES = ("gpu-ams1-0000", "gpu-ams1-0001")
SLOW_GPU = (NAMES[1], 3)


def done(at: float) -> float:
    """Steps done so many seconds after the beginning: one a second, then fewer."""
    return float(int(at if at < SLOWER_AT_S else SLOWER_AT_S + (at - SLOWER_AT_S) * SLOWED))


def moments(first: int, last: int) -> range:
    return range(first, last + 1, GRID)


def samples() -> Iterator[Sample]:
    run = {"job_id": JOB}
    yield "training_step", run, [(at, done(at - BEGAN)) for at in moments(BEGAN, LOADED)]
    yield "training_loss", run, [(at, 2.5 - 0.0001 * (at - BEGAN)) for at in moments(BEGAN, LOADED)]
    yield "training_tokens_total", run, [(at, done(at - BEGAN) * 4096) for at in moments(BEGAN, LOADED)]
    yield "training_step", {"job_id": ODD_JOB}, [(at, done(at - BEGAN)) for at in moments(BEGAN, LOADED)]
    old = LOADED - 5 * 86_400
    yield "training_step", {"job_id": PAST_JOB}, [(at, float((at - old) // 3)) for at in moments(old, old + 30_000)]
    yield (
        "training_step_seconds_sum",
        {"job_id": PAST_JOB},
        [(at, (at - old) * 0.98) for at in moments(old, old + 30_000)],
    )
    yield (
        "training_step_seconds_count",
        {"job_id": PAST_JOB},
        [(at, float((at - old) // 3)) for at in moments(old, old + 30_000)],
    )
    for name in NAMES:
        for gpu in range(8):
            labels = {"Hostname": f"{name}.example.org", "gpu": str(gpu), "modelName": "NVIDIA H100 80GB HBM3"}
            slow = (name, gpu) == SLOW_GPU
            for metric, value in (
                ("DCGM_FI_DEV_SM_CLOCK", 1140.0 if slow else 1980.0 + gpu),
                ("DCGM_FI_DEV_POWER_USAGE", 310.0 if slow else 640.0 + gpu),
                ("DCGM_FI_DEV_GPU_TEMP", 88.0 if slow else 61.0 + gpu % 2),
            ):
                yield metric, labels, [(at, value) for at in moments(LOADED - 600, LOADED + 600)]


@pytest.fixture(scope="module")
def server() -> Iterator[PrivatePrometheus]:
    with PrivatePrometheus(samples()) as running:
        yield running


@pytest.fixture
def machines() -> list[Machine]:
    return make.make_machines(2)


@pytest.fixture
def source(server: PrivatePrometheus, machines: list[Machine]) -> MetricsSource:
    return services.set_settings(Site.objects.get().pk, enabled=True, url=server.url)


def found_run(job: str = JOB, *, began: float = BEGAN, **more: Any) -> TrainingRun:
    """A run that the scheduler told of and nobody reports, with its ranks as a sweep saw them."""
    now = timezone.now()
    run = TrainingRun.objects.create(
        site=Site.objects.get(), key=job, job=job, found_by=["scheduler"], state="running",
        started_at=datetime.fromtimestamp(began, UTC), last_report_at=now, **more,
    )  # fmt: skip
    for at, machine in enumerate(Machine.objects.select_related("device__model").order_by("pk")):
        RunRank.objects.bulk_create(
            RunRank(
                run=run, rank=at * 8 + gpu, machine=machine, machine_name=machine.device.name, local_rank=gpu,
                slot=slot_of(machine.device.model.spec, str(gpu)),
            )
            for gpu in range(8)
        )  # fmt: skip
    return run


def stored(run: TrainingRun) -> list[Any]:
    return [step for piece in StepPiece.objects.filter(run=run) for step in unpack(bytes(piece.packed))]


def fresh(run: TrainingRun) -> TrainingRun:
    return TrainingRun.objects.get(pk=run.pk)


# ---- a real server ----
@pytest.mark.django_db
@pytest.mark.services
def test_the_steps_of_a_run_that_nobody_reports_are_read_once(source: MetricsSource) -> None:
    run = found_run()
    services.read_site(source.pk)
    first = fresh(run)
    assert first.steps_from == "prometheus" and first.metrics_message == ""
    assert first.last_step == done(SPAN_S) and first.steps > 2000
    assert first.metrics_at is not None and first.metrics_at.timestamp() >= LOADED
    told = stored(run)
    assert [step.step for step in told] == list(range(told[0].step, told[-1].step + 1))
    assert {step.tokens for step in told} == {4096}
    assert told[-1].loss == pytest.approx(2.5 - 0.0001 * SPAN_S, rel=0.001)
    services.read_site(source.pk)
    assert fresh(run).steps == first.steps and stored(run) == told
    source.refresh_from_db()
    assert (source.state, source.message) == ("partly", "")
    assert source.gpus_message == "tensor_active: no series names a GPU of a run"
    assert without_readings(run) == (0, 16)


@pytest.mark.django_db
@pytest.mark.services
def test_what_went_on_meanwhile_is_added_where_it_was_read_to(source: MetricsSource) -> None:
    run = found_run()
    whole = found_run("88213", began=BEGAN, attempt=1)
    then = datetime.fromtimestamp(BEGAN + 1200, UTC)
    source_row = MetricsSource.objects.get(pk=source.pk)
    services._read(source_row, then)
    half = fresh(run)
    assert half.last_step == done(1200)
    services.read_site(source.pk)
    assert stored(run) == stored(whole)


@pytest.mark.django_db
@pytest.mark.services
def test_a_slow_run_is_put_down_to_the_gpu_whose_clock_prometheus_shows_low(
    source: MetricsSource, server: PrivatePrometheus
) -> None:
    run = found_run()
    services.read_site(source.pk)
    pulse.follow()
    assert fresh(run).state == "slow"
    rank = 8 + SLOW_GPU[1]
    found = outliers(fresh(run))
    assert {(one.rank, one.kind) for one in found} == {(rank, "clock_mhz"), (rank, "power_w"), (rank, "temperature_c")}
    judgement.judge_run(run.pk)
    verdict = fresh(run).verdict
    assert (verdict["class"], verdict["rank"], verdict["machine_name"]) == ("slow-throttle", rank, SLOW_GPU[0])
    assert "clock 1140 MHz" in verdict["sentence"]


@pytest.mark.django_db
@pytest.mark.services
def test_what_a_launcher_reports_of_a_gpu_goes_before_prometheus(source: MetricsSource) -> None:
    run = found_run()
    RunRank.objects.filter(run=run).update(clock_mhz=1980, power_w=640)
    services.read_site(source.pk)
    assert {one.kind for one in outliers(fresh(run))} == {"temperature_c"}


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.services
def test_a_run_whose_launcher_reports_its_steps_is_left_to_it(source: MetricsSource) -> None:
    token = make_source(name="trainer")[1]
    now = time.time()
    post(token, body(steps=[columns(1, 20, end=now)]))
    run = TrainingRun.objects.get(key=JOB)
    services.read_site(source.pk)
    assert (fresh(run).steps, fresh(run).steps_from, fresh(run).metrics_to) == (20, "report", None)
    with pytest.raises(Conflict, match="reported its steps"):
        services.start_past(run)


@pytest.mark.django_db
@pytest.mark.services
def test_a_launcher_that_begins_to_report_takes_over(source: MetricsSource) -> None:
    run = found_run(world_size=16, name="kestrel-405b")
    services.read_site(source.pk)
    before = fresh(run).steps
    post(make_source(name="trainer")[1], body(steps=[columns(5000, 5, end=time.time() + 20)]))
    assert (fresh(run).steps, fresh(run).steps_from) == (before + 5, "report")
    services.read_site(source.pk)
    assert fresh(run).steps == before + 5


@pytest.mark.django_db
@pytest.mark.services
@pytest.mark.parametrize("back_s", [300, 2 * SPAN_S])
def test_what_a_launcher_kept_while_this_service_was_away_replaces_what_was_read(
    source: MetricsSource, back_s: int
) -> None:
    """Also where it is all of the curve."""
    run = found_run(world_size=16, name="kestrel-405b")
    services.read_site(source.pk)
    before = [step for step in stored(run) if step.at <= LOADED - back_s]
    post(make_source(name="trainer")[1], body(steps=[columns(9000, back_s // 2, end=float(LOADED), seconds=2.0)]))
    told, now = stored(run), fresh(run)
    assert told[: len(before)] == before and [step.step for step in told[len(before) :]] == [
        *range(9000, 9000 + back_s // 2)
    ]
    assert (now.steps, now.last_step, now.steps_from) == (len(told), 9000 + back_s // 2 - 1, "report")
    assert now.baseline_s == pytest.approx(1.0 if before else 2.0, rel=0.05)


@pytest.mark.django_db
@pytest.mark.services
def test_whatever_a_job_is_called_only_its_own_series_is_read(source: MetricsSource) -> None:
    run = found_run(ODD_JOB)
    services.read_site(source.pk)
    assert fresh(run).last_step == done(SPAN_S) and fresh(run).metrics_message == ""


@pytest.mark.django_db
@pytest.mark.services
def test_a_past_run_is_read_on_request_span_by_span(source: MetricsSource, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "POINTS", 400)
    began = LOADED - 5 * 86_400
    run = found_run(PAST_JOB, began=began)
    TrainingRun.objects.filter(pk=run.pk).update(
        state="completed", ended_at=datetime.fromtimestamp(began + 30_000, UTC)
    )
    services.read_site(source.pk)
    assert fresh(run).steps == 0  # it ended long ago, and nobody asked
    services.read_past(run.pk)
    told = stored(run)
    assert fresh(run).last_step == 10_000 and len(told) > 9_900
    assert all(2.9 < step.seconds < 3.0 for step in told[20:])  # of the histogram, not of the counter
    services.read_past(run.pk)
    assert stored(run) == told


@pytest.mark.django_db
@pytest.mark.services
def test_a_query_that_is_refused_costs_the_others_nothing_and_is_named(source: MetricsSource) -> None:
    run = found_run()
    services.set_settings(source.pk, queries={"loss": "rate("})
    services.read_site(source.pk)
    source.refresh_from_db()
    assert fresh(run).steps > 2000
    assert source.state == "partly" and "loss: bad_data" in source.message
    assert "loss: bad_data" in fresh(run).metrics_message


@pytest.mark.django_db
@pytest.mark.services
def test_a_run_without_a_series_says_so_and_nothing_is_known_of_it(source: MetricsSource) -> None:
    run = found_run("99999")
    services.read_site(source.pk)
    assert fresh(run).metrics_message.startswith("No series of its steps from ")
    assert (fresh(run).steps, fresh(run).steps_from, fresh(run).metrics_at) == (0, "", None)


@pytest.mark.django_db
@pytest.mark.services
def test_a_server_that_is_away_makes_its_runs_unknown_and_no_other_site(
    source: MetricsSource, server: PrivatePrometheus
) -> None:
    run = found_run()
    services.read_site(source.pk)
    away = f"http://127.0.0.1:{free_ports(1)[0]}"
    MetricsSource.objects.filter(pk=source.pk).update(url=away)
    other = Site.objects.create(slug="other", name="Other")
    services.set_settings(other.pk, enabled=True, url=server.url)
    for site in services.due():
        services.read_site(site)
    assert fresh(run).metrics_message.startswith("Not read: ")
    source.refresh_from_db()
    assert source.state == "failed" and source.message
    assert MetricsSource.objects.get(pk=other.pk).state == "good"
    silent = timezone.now() - timedelta(seconds=200)
    TrainingRun.objects.filter(pk=run.pk).update(metrics_at=silent)
    pulse.follow()
    assert fresh(run).state == "unknown"
    services.set_settings(source.pk, enabled=False)
    assert fresh(run).metrics_message == "Not read any more: it was switched off."


@pytest.mark.django_db
@pytest.mark.services
def test_a_reading_that_is_not_told_any_more_is_no_reading(source: MetricsSource) -> None:
    run = found_run()
    services.read_site(source.pk)
    assert GpuReading.objects.filter(run=run, clock_mhz__gt=0).count() == 16
    services.set_settings(source.pk, queries={"clock_mhz": ""})
    MetricsSource.objects.filter(pk=source.pk).update(gpus_read_at=None)
    services.read_site(source.pk)
    rows = GpuReading.objects.filter(run=run)
    assert rows.filter(clock_mhz=None, power_w__gt=0).count() == 16
    GpuReading.objects.update(at=timezone.now() - timedelta(minutes=11))
    assert outliers(fresh(run)) == [] and without_readings(run) == (16, 16)


# ---- without one ----
@pytest.mark.django_db
def test_a_run_that_lacks_what_the_query_names_says_what_is_missing(machines: list[Machine]) -> None:
    site = Site.objects.get()
    services.set_settings(site.pk, enabled=True, url=f"http://127.0.0.1:{free_ports(1)[0]}")
    run = found_run("processes-only")
    TrainingRun.objects.update(job="")
    services.read_site(site.pk)
    assert fresh(run).metrics_message == "The query names {job}, which is not known of this run."


@pytest.mark.django_db
def test_a_credential_of_another_kind_is_never_sent(machines: list[Machine]) -> None:
    site = Site.objects.get()
    login = set_credential("ufm", kind="password", username="x", secret="x", purpose="ufm", hosts=["127.0.0.1"])
    services.set_settings(site.pk, enabled=True, url="http://127.0.0.1:9", credential=login)
    services.read_site(site.pk)
    assert MetricsSource.objects.get().message == "The credential ufm is for UFM, not for Prometheus."


@pytest.mark.django_db
def test_a_site_that_has_none_is_not_read(machines: list[Machine]) -> None:
    run = found_run()
    assert services.due() == [] and services.read_site(Site.objects.get().pk) == 0
    with pytest.raises(Conflict, match="switch it on"):
        services.start_past(run)


def test_a_server_that_never_answers_costs_its_time_once_and_is_named_for_every_run() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        asked = [Question({"step": "a", "loss": "b"}, 0.0, 60.0, 15.0)] * 9
        began = time.monotonic()
        told = ask(PrometheusClient(url, trust=trust_of("")), asked, 0.5)
    assert time.monotonic() - began < 3
    assert {one.failed for one in told} == {"no time was left to ask it: the server answers too slowly"}
    assert len(told) == 9 and not any(one.answers for one in told)


# ---- the state: pure ----
def facts(measured_ago: float, stands_s: float, *, recent: float = 1.0) -> Facts:
    now = 1_800_000_000.0
    measured = now - measured_ago
    return Facts(now, now - 9000, now, measured - stands_s, 1.0, recent, reports=False, measured_at=measured)


@pytest.mark.parametrize(
    ("told", "state"),
    [
        (facts(20, 10), "running"),
        (facts(20, 10, recent=1.2), "slow"),
        (facts(20, 120), "running"),  # scraped once a minute it stands that long by itself
        (facts(20, 301), "hung"),
        (facts(200, 10), "unknown"),
        (facts(200, 3000), "unknown"),  # nothing is known of it now, whatever it did then
    ],
)
def test_the_state_of_a_run_whose_steps_are_read(told: Facts, state: str) -> None:
    assert state_of(told) == state
