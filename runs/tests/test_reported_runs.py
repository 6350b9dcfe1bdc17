"""Runs as launchers report them: stored once, placed, followed, judged, seen by those who may see them."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from core.models import Role, Site
from health.models import Fault
from health.tests import factories as make
from health.tests.test_api import signed_in
from health.tests.test_reports import make_source
from runs import queries
from runs.models import RunRank, StepPiece, TrainingRun
from runs.pace.packed import Timed, pack, unpack
from runs.pace.stragglers import Times, stragglers
from runs.reports import NotReadable, report_of
from runs.services import intake, judgement, pulse
from runs.state import Facts, state_of

db = pytest.mark.django_db
URL = "/api/runs/reports/"


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)


def body(machine: str = "gpu-ams1-0000", *, ranks: range = range(8), **more: Any) -> dict[str, Any]:
    return {
        "run": {"id": "88213", "attempt": 0, "name": "kestrel-405b", "user": "mk", "job": "88213", "world_size": 16},
        "machine": machine,
        "ranks": [{"rank": rank, "local_rank": rank - ranks[0], "gpu": str(rank - ranks[0])} for rank in ranks],
        **more,
    }


def steps(first: int, count: int, *, end: float, rank: int = 0, seconds: float = 2.0, **more: Any) -> dict[str, Any]:
    return {
        "rank": rank,
        "step": list(range(first, first + count)),
        "at": [end - seconds * (count - 1 - index) for index in range(count)],
        "seconds": [seconds] * count,
        **more,
    }


def post(token: str, said: Any) -> Any:
    client = Client(headers={"Authorization": f"Bearer {token}"})
    return client.post(URL, orjson.dumps(said), content_type="application/json")


@pytest.fixture
def token() -> str:
    make.make_machines(2)
    return make_source(name="trainer")[1]


# ---- pure ----
timed = st.builds(
    Timed,
    st.integers(0, 10**9),
    st.floats(1.7e9, 1.7e9 + 10**6).map(lambda at: round(at, 3)),
    st.floats(0.0001, 3600).map(lambda seconds: round(seconds, 4)),
    st.none() | st.floats(-1e6, 1e6) | st.just(float("nan")),
    st.integers(0, 2**31 - 1),
)


@given(st.lists(timed, min_size=1, max_size=60))
def test_packed_steps_come_back_as_exact_as_promised(told: list[Timed]) -> None:
    told.sort(key=lambda step: step.at)
    for step, back in zip(told, unpack(pack(told)), strict=True):
        assert (back.step, back.tokens) == (step.step, step.tokens)
        assert back.at == pytest.approx(step.at, abs=0.002)
        assert back.seconds == pytest.approx(step.seconds, abs=0.0001)
        if step.loss is None:
            assert back.loss is None
        else:
            assert back.loss == pytest.approx(step.loss, rel=0.001, abs=1e-37, nan_ok=True)


def test_a_year_of_steps_takes_less_than_200_mb() -> None:
    """Measured on a day's share, with noise in time and loss as real runs have it."""
    import random

    noise, at, total = random.Random(7), 1.7e9, 0
    for piece in range(8):
        told = []
        for index in range(intake.PIECE):
            seconds = round(noise.gauss(1.0, 0.012), 4)
            at += seconds + noise.uniform(0, 0.002)
            told.append(Timed(piece * intake.PIECE + index, round(at, 3), seconds, noise.gauss(2.3, 0.05), 4_194_304))
        total += len(pack(told))
    assert total / (8 * intake.PIECE) * 365 * 86_400 < 190e6  # the rest is for the rows around them


@pytest.mark.parametrize("cut", [0, 5, 28, 40, -1])
def test_a_piece_that_is_not_whole_is_refused(cut: int) -> None:
    data = pack([Timed(1, 1.7e9, 1.0), Timed(2, 1.7e9 + 1, 1.0)])
    with pytest.raises(ValueError, match="piece of steps"):
        unpack(data[:cut])


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"run": None}, "run:"),
        ({"run": {"id": ""}}, "run.id:"),
        ({"run": {"id": "x", "attempt": -1}}, "run.attempt:"),
        ({"run": {"id": "x", "world_size": 0}}, "run.world_size:"),
        ({"machine": ""}, "machine:"),
        ({"machine": "a\0b"}, "machine:"),
        ({"ranks": [{"rank": True}]}, "ranks[0].rank:"),
        ({"ranks": {"rank": 1}}, "ranks:"),
        ({"steps": [{"rank": 0, "step": [1], "at": []}]}, "steps[0].at:"),
        ({"steps": [{"rank": 0, "step": [1], "at": [1000.0], "seconds": [float("nan")]}]}, "steps[0][0].seconds:"),
        ({"steps": [{"rank": 0, "step": [1], "at": [9999.0], "seconds": [1.0]}]}, "steps[0][0].at:"),
        ({"steps": [{"rank": 0, "step": [1], "at": [1000.0], "seconds": [1.0], "loss": ["x"]}]}, "steps[0][0].loss:"),
        ({"steps": [{"rank": 0, "step": [], "at": [], "seconds": []}] * 2}, "steps[1].rank:"),
        ({"ended": [{"rank": 0}]}, "ended[0].at:"),
    ],
)
def test_a_report_that_is_wrong_is_refused_with_its_place(change: dict[str, Any], where: str) -> None:
    with pytest.raises(NotReadable) as refused:
        report_of(body() | change, 1000.0)
    assert str(refused.value).startswith(where)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4), lambda inner: st.lists(
    inner, max_size=3) | st.dictionaries(st.sampled_from(["run", "id", "machine", "ranks", "rank", "steps", "step", "at", "seconds",
    "ended", "error", "loss", "wait"]), inner), max_leaves=15))  # fmt: skip
def test_any_body_is_read_or_refused(said: Any) -> None:
    for each in (said, body() | {"steps": said, "ended": said}, body() | {"steps": [said], "ranks": [said]}):
        try:
            report_of(each, 1000.0)
        except NotReadable:
            continue


NOW = Facts(1000.0, 0.0, 990.0, 995.0, 2.0, 2.0)


@pytest.mark.parametrize(
    ("facts", "state"),
    [
        (NOW, "running"),
        (NOW._replace(recent_s=2.05), "running"),
        (NOW._replace(recent_s=2.2), "slow"),
        (NOW._replace(last_step_at=930.0), "hung"),
        (NOW._replace(last_step_at=930.0, baseline_s=60.0, recent_s=60.0), "running"),
        (NOW._replace(last_report_at=500.0), "unknown"),
        (NOW._replace(last_step_at=None), "starting"),
        (NOW._replace(now=2500.0, last_report_at=2499.0, last_step_at=None), "hung"),
        (NOW._replace(baseline_s=None), "running"),
    ],
)
def test_the_state_of_a_live_run(facts: Facts, state: str) -> None:
    assert state_of(facts) == state


def test_the_slow_rank_computes_longer_and_waits_less() -> None:
    times = [Times(0, 0.018, 0.053), Times(1, 0.066, 0.006), Times(2, 0.018, 0.052)]
    assert [one.rank for one in stragglers(times)] == [1]


def test_stages_of_a_pipeline_that_differ_by_design_are_no_stragglers() -> None:
    times = [Times(rank, 0.2 if rank % 4 == 3 else 0.1, 0.05) for rank in range(32)]
    assert stragglers(times) == []


def test_two_ranks_have_no_straggler() -> None:
    assert stragglers([Times(0, 1.0), Times(1, 2.0)]) == []


# ---- reported ----
@db
def test_a_report_makes_the_run_and_places_its_ranks(token: str) -> None:
    answer = post(token, body(steps=[steps(1, 5, end=time.time())]))

    assert answer.status_code == 200
    run = TrainingRun.objects.get(pk=answer.json()["run"])
    assert (run.key, run.name, run.world_size, run.state, run.steps, run.lead_rank) == (
        "88213", "kestrel-405b", 16, "running", 5, 0,
    )  # fmt: skip
    rank = RunRank.objects.select_related("machine__device").get(run=run, rank=4)
    assert rank.machine is not None and rank.machine.device.name == "gpu-ams1-0000"
    gpus = sorted((slot for slot in make.spec().slots_of("gpu")), key=lambda slot: slot.pci or "")
    assert rank.slot == gpus[4].name


@db
def test_a_gpu_is_also_known_by_its_pci_address_and_an_unknown_one_is_none() -> None:
    machine = make.make_machines(1)[0]
    slot = make.spec().slots_of("gpu")[2]
    spec = machine.device.model.spec
    assert slot.pci is not None
    assert [intake.slot_of(spec, gpu) for gpu in (slot.pci.upper(), "99", "", "GPU-1234")] == [slot.name, "", "", ""]


@db
def test_the_same_report_twice_changes_nothing(token: str) -> None:
    said = body(steps=[steps(1, 5, end=time.time(), loss=[2.0] * 5)])
    assert post(token, said).json()["steps"] == 5
    assert post(token, said).json()["steps"] == 0
    assert StepPiece.objects.get().count == 5


@db
def test_what_was_kept_over_an_outage_is_taken_and_nothing_is_lost_between_reports(token: str) -> None:
    now = time.time()
    for first in range(0, 3000, 500):  # in pieces, as a reporter sends what it kept for an hour
        post(token, body(steps=[steps(first, 500, end=now - 2 * (3000 - first - 500), seconds=2.0)]))
    run = TrainingRun.objects.get()
    assert (run.steps, run.last_step) == (3000, 2999)
    assert [piece.count for piece in StepPiece.objects.all()] == [1024, 1024, 952]
    told = [step.step for piece in StepPiece.objects.all() for step in unpack(bytes(piece.packed))]
    assert told == list(range(3000))
    assert run.baseline_s == pytest.approx(2.0)


@db
def test_a_requeued_job_is_an_attempt_of_its_own(token: str) -> None:
    post(token, body())
    again = body()
    again["run"]["attempt"] = 1
    post(token, again)
    assert sorted(TrainingRun.objects.values_list("key", "attempt")) == [("88213", 0), ("88213", 1)]


@db
def test_a_machine_that_is_not_known_is_kept_by_its_name(token: str) -> None:
    post(token, body("stranger-01"))
    rank = RunRank.objects.first()
    assert rank is not None and (rank.machine, rank.machine_name, rank.slot) == (None, "stranger-01", "")


@db
def test_two_ranks_on_one_gpu_and_a_rank_that_moves_are_stored_as_they_are(token: str) -> None:
    post(
        token,
        body(
            ranks=range(2),
        )
        | {"ranks": [{"rank": 0, "gpu": "3"}, {"rank": 1, "gpu": "3"}]},
    )
    slots = set(RunRank.objects.values_list("slot", flat=True))
    assert len(slots) == 1
    post(token, body("gpu-ams1-0001", ranks=range(1)))
    moved = RunRank.objects.select_related("machine__device").get(rank=0)
    assert moved.machine is not None and moved.machine.device.name == "gpu-ams1-0001"


@db
def test_a_rank_that_is_only_named_keeps_what_is_known_of_it(token: str) -> None:
    post(token, body(ranks=range(2)))
    known = RunRank.objects.get(rank=1).slot
    post(
        token, body(ranks=range(1), steps=[steps(1, 2, end=time.time(), rank=1), steps(1, 2, end=time.time(), rank=5)])
    )
    assert RunRank.objects.get(rank=1).slot == known != ""
    assert RunRank.objects.get(rank=5).slot == ""


@db
def test_another_machine_of_the_run_writes_its_ranks_and_leaves_the_run_alone(token: str) -> None:
    post(token, body(steps=[steps(1, 5, end=time.time())]))
    with CaptureQueriesContext(
        connection,
    ) as asked:
        other = steps(1, 5, end=time.time(), rank=8, compute=[0.5] * 5, wait=[1.4] * 5)
        post(token, body("gpu-ams1-0001", ranks=range(8, 16), steps=[other]))
    assert not any("FOR NO KEY UPDATE" in query["sql"] for query in asked)
    rank = RunRank.objects.get(rank=8)
    assert (rank.compute_s, rank.wait_s, rank.step) == (0.5, 1.4, 5)
    assert TrainingRun.objects.get().steps == 5


@db
def test_a_report_takes_the_same_statements_for_8_ranks_as_for_64(token: str) -> None:
    counts = []
    for attempt, size in enumerate((8, 64)):
        said = body(ranks=range(size), steps=[steps(1, 9, end=time.time(), rank=rank) for rank in range(size)])
        said["run"]["attempt"] = attempt
        with CaptureQueriesContext(connection) as asked:
            assert post(token, said).status_code == 200
        counts.append(len(asked))
    assert counts[0] == counts[1]


@db
@pytest.mark.parametrize(
    "said", [[], {}, {"run": {"id": "x"}}, "text", {"run": {"id": "x"}, "machine": "m", "steps": [1]}]
)
def test_a_bad_report_is_400_with_its_place_and_stores_nothing(said: Any, token: str) -> None:
    answer = post(token, said)
    assert answer.status_code == 400, answer.content
    assert not TrainingRun.objects.exists()


@db
def test_people_and_their_tokens_do_not_report() -> None:
    make.make_machines(1)
    client = signed_in(Role.ADMIN, Site.objects.get())
    assert client.post(URL, orjson.dumps(body()), content_type="application/json").status_code == 403
    assert Client().post(URL, orjson.dumps(body()), content_type="application/json").status_code == 401


# ---- followed ----
@db
def test_a_run_is_hung_when_steps_stop_and_unknown_when_reports_do(token: str) -> None:
    start = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
    after = lambda seconds: make.clock_at(start + timedelta(seconds=seconds))  # noqa: E731
    with after(0):
        post(token, body(steps=[steps(1, 5, end=start.timestamp())]))
    with after(90):
        post(token, body())
        assert pulse.follow() == 1
        assert TrainingRun.objects.get().state == "hung"
        assert pulse.follow() == 0  # told once
    with after(95):
        post(token, body(steps=[steps(6, 1, end=start.timestamp() + 95)]))
        assert TrainingRun.objects.get().state == "running"
    with after(295):
        pulse.follow()
        assert TrainingRun.objects.get().state == "unknown"
    with after(2 * 86_400):
        pulse.follow()
        run = TrainingRun.objects.get()
        assert (run.state, run.ended_at) == ("ended", run.last_report_at)


@db
def test_a_run_that_ends_as_it_should_is_completed(token: str) -> None:
    post(token, body(steps=[steps(1, 5, end=time.time())]))
    post(token, body(ended=[{"rank": 0, "at": time.time()}]))
    run = TrainingRun.objects.get()
    assert run.state == "completed" and run.ended_at is not None
    pulse.follow()
    assert TrainingRun.objects.get().state == "completed"


# ---- judged ----
KEY_ERROR = "Traceback (most recent call last):\n  File \"train.py\", line 4, in <module>\nKeyError: 'input_ids'\n"
PEER = "RuntimeError: [../gloo/transport/tcp/pair.cc:598] Connection closed by peer [127.0.0.1]:41234\n"


@db
def test_the_rank_that_failed_first_is_named_among_its_followers(token: str) -> None:
    now = time.time()
    ended = [{"rank": rank, "at": now - 1, "error": PEER} for rank in range(8) if rank != 5]
    post(token, body(steps=[steps(1, 5, end=now - 9)], ended=[*ended, {"rank": 5, "at": now - 2, "error": KEY_ERROR}]))
    run = TrainingRun.objects.get()

    judgement.judge_run(run.pk)

    run.refresh_from_db()
    assert run.state == "failed"
    assert (run.verdict["class"], run.verdict["rank"], run.verdict["owner"]) == ("user-error", 5, "user")
    assert run.verdict["machine_name"] == "gpu-ams1-0000"
    assert run.verdict["followers"] == 7


@db
def test_a_fault_of_the_machine_is_the_cause_beneath_what_the_rank_printed(token: str) -> None:
    now = timezone.now()
    lost = "RuntimeError: CUDA error: unspecified launch failure\n"
    post(token, body(ended=[{"rank": 4, "at": now.timestamp() - 5, "error": lost}]))
    run, rank = TrainingRun.objects.get(), RunRank.objects.get(rank=4)
    assert rank.machine is not None
    Fault.objects.create(
        machine=rank.machine, slot=rank.slot, fault_class="gpu.bus", precedence=1, kind="event", message="Xid 79: fell off the bus",
        opened_at=now - timedelta(seconds=6), seen_at=now,
    )  # fmt: skip
    Fault.objects.create(
        machine=rank.machine, slot="NVMe 1", fault_class="nvme.failing", precedence=3, kind="level", message="worn",
        opened_at=now - timedelta(seconds=8), seen_at=now,
    )  # fmt: skip

    judgement.judge_run(run.pk)

    run.refresh_from_db()
    verdict = run.verdict
    assert (verdict["class"], verdict["rank"], verdict["hardware_fault"], verdict["slot"]) == (
        "gpu-lost",
        4,
        True,
        rank.slot,
    )
    assert verdict["owner"] == "hardware"


@db
def test_a_fault_of_a_gpu_that_the_run_does_not_use_is_not_its_cause(token: str) -> None:
    now = timezone.now()
    said = body(ranks=range(4), ended=[{"rank": 2, "at": now.timestamp() - 5, "error": KEY_ERROR}])
    post(token, said)
    run, rank = TrainingRun.objects.get(), RunRank.objects.get(rank=2)
    assert rank.machine is not None
    gpus = {slot.name for slot in make.spec().slots_of("gpu")} - set(RunRank.objects.values_list("slot", flat=True))
    Fault.objects.create(
        machine=rank.machine, slot=min(gpus), fault_class="gpu.bus", precedence=1, kind="event", message="Xid 79",
        opened_at=now - timedelta(seconds=6), seen_at=now,
    )  # fmt: skip

    judgement.judge_run(run.pk)

    run.refresh_from_db()
    assert (run.verdict["class"], run.verdict["rank"]) == ("user-error", 2)


@db
@pytest.mark.parametrize(("confirmed", "cause"), [(False, "user-error"), (True, "slurm-nodefail")])
def test_a_machine_that_did_not_answer_once_is_no_cause_until_a_second_look_confirms_it(
    confirmed: bool, cause: str, token: str
) -> None:
    now = timezone.now()
    post(token, body(ended=[{"rank": 4, "at": now.timestamp() - 5, "error": KEY_ERROR}]))
    run, rank = TrainingRun.objects.get(), RunRank.objects.get(rank=4)
    assert rank.machine is not None
    Fault.objects.create(
        machine=rank.machine, fault_class="machine.unreachable", precedence=1, kind="level", message="no SSH login",
        opened_at=now - timedelta(seconds=6), seen_at=now,
        **({"status": "confirmed", "confirmed_at": now} if confirmed else {}),
    )  # fmt: skip

    judgement.judge_run(run.pk)

    run.refresh_from_db()
    assert run.verdict["class"] == cause


@db
def test_a_software_failure_accuses_no_machine(token: str) -> None:
    post(token, body(ended=[{"rank": 4, "at": time.time() - 5, "error": KEY_ERROR}]))
    run = TrainingRun.objects.get()
    judgement.judge_run(run.pk)
    run.refresh_from_db()
    assert run.verdict["owner"] == "user"
    assert run.verdict["hardware_fault"] is False


@db
def test_a_slow_rank_of_a_slow_run_is_named_with_its_place(token: str) -> None:
    now = time.time()
    told = [
        steps(
            1,
            5,
            end=now,
            rank=rank,
            seconds=3.0,
            compute=[2.8 if rank == 6 else 1.0] * 5,
            wait=[0.1 if rank == 6 else 1.9] * 5,
        )
        for rank in range(8)
    ]
    post(token, body(steps=told))
    TrainingRun.objects.update(state="slow", baseline_s=2.0)
    run = TrainingRun.objects.get()

    judgement.judge_run(run.pk)

    run.refresh_from_db()
    assert (run.state, run.ended_at) == ("slow", None)
    assert (run.verdict["class"], run.verdict["rank"]) == ("slow-straggler", 6)
    assert run.verdict["slot"] == RunRank.objects.get(rank=6).slot


@db
def test_judging_twice_keeps_the_end(token: str) -> None:
    post(token, body(ended=[{"rank": 4, "at": time.time() - 5, "error": KEY_ERROR}]))
    run = TrainingRun.objects.get()
    judgement.judge_run(run.pk)
    first = TrainingRun.objects.get().ended_at
    judgement.judge_run(run.pk)
    assert TrainingRun.objects.get().ended_at == first


# ---- seen ----
@db
def test_a_run_is_shown_with_its_speed_curve_and_ranks(token: str) -> None:
    now = time.time()
    post(token, body(steps=[steps(1, 80, end=now - 100, seconds=2.0)]))
    post(token, body(steps=[steps(81, 20, end=now, seconds=4.0)]))
    client = signed_in(Role.VIEWER, Site.objects.get())

    row = client.get("/api/runs/").json()["results"][0]
    assert (row["key"], row["ranks"], row["machines"], row["speed"]) == ("88213", 8, 1, 0.5)
    curve = client.get(f"/api/runs/{row['id']}/curve/?points=10").json()
    assert curve["baseline_s"] == 2.0 and not curve["exact"]
    assert sum(curve["steps"]) == 100 and max(curve["most_s"]) == 4.0
    ranks = client.get(f"/api/runs/{row['id']}/ranks/").json()
    assert ranks["count"] == 8
    pace = client.get(f"/api/runs/sparklines/?id={row['id']}").json()
    assert [each["id"] for each in pace["results"]] == [row["id"]]
    assert pace["results"][0]["speed"][0] == 1.0 and pace["results"][0]["speed"][-1] == 0.5


@db
def test_a_rank_leads_to_a_place_to_walk_to(token: str) -> None:
    post(token, body())
    run = TrainingRun.objects.get()
    found = signed_in(Role.VIEWER, Site.objects.get()).get(f"/api/runs/{run.pk}/ranks/4/").json()
    assert found["place"].startswith("AMS1 › Hall 1") or "R00" in found["place"]
    assert found["hca"]
    assert (
        signed_in(Role.VIEWER, Site.objects.get(), name="otto").get(f"/api/runs/{run.pk}/ranks/77/").status_code == 404
    )


@db
def test_a_curve_over_a_year_reads_figures_of_pieces_and_no_steps(token: str) -> None:
    post(token, body())
    run = TrainingRun.objects.get()
    start = timezone.now() - timedelta(days=1)
    packed = pack([Timed(1, start.timestamp(), 1.0)])
    StepPiece.objects.bulk_create(
        StepPiece(
            run=run, number=number, count=intake.PIECE, first_step=0, last_step=1, started_at=start + timedelta(seconds=number),
            ended_at=start + timedelta(seconds=number + 1), median_s=1.0, least_s=0.9, most_s=5.0 if number == 50 else 1.1, packed=packed,
        )
        for number in range(100)
    )  # fmt: skip
    with CaptureQueriesContext(connection) as asked:
        curve = queries.curve(run, None, None, 20)
    assert len(asked) == 2 and len(curve["at"]) == 20
    assert max(curve["most_s"]) == 5.0  # the one slow piece is not averaged away


@db
def test_runs_of_another_site_are_not_there(token: str) -> None:
    post(token, body())
    run = TrainingRun.objects.get()
    other = signed_in(Role.VIEWER, Site.objects.create(slug="other", name="Other"), name="eve")
    assert other.get("/api/runs/").json()["count"] == 0
    for path in ("", "curve/", "ranks/", "ranks/0/"):
        assert other.get(f"/api/runs/{run.pk}/{path}").status_code == 404
    assert other.get(f"/api/runs/sparklines/?id={run.pk}").json()["results"] == []
