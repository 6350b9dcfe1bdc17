"""Logs that a job pushes itself: kept to a bound, searched like fetched ones, answered with a verdict."""

from __future__ import annotations

import gzip
import io
import random
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from core.models import Role
from health.tests import factories as make
from health.tests.test_api import signed_in
from health.tests.test_reports import make_source
from inventory.models import Machine
from runs.collection import answer, pushed
from runs.models import Collection, RunRank, TrainingRun
from runs.services import collections, judgement

db = pytest.mark.django_db
URL = "/api/runs/logs/"
STEPS = b"[2026-03-02 03:10:00] iteration 100/ 500 | elapsed time per iteration (ms): 900.0 | lm loss: 2.1\n"
LOST = (
    b"[2026-03-02 03:12:44] NVRM: Xid (PCI:0000:1b:00): 79, pid=4251, GPU has fallen off the bus.\n"
    b"[2026-03-02 03:12:46] hgx:4251:4300 [1] NCCL WARN NET/IB : Got completion from peer with status=12 opcode=0\n"
)
FOLLOWS = (
    b"[2026-03-02 03:12:46] hgx:4250:4300 [0] NCCL WARN NET/IB : Got completion from peer with status=12 opcode=0\n"
)


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)


@pytest.fixture
def machines() -> list[Machine]:
    return make.make_machines(2)


@pytest.fixture
def token(machines: list[Machine]) -> str:
    return make_source(name="trainer")[1]


@pytest.fixture
def run(machines: list[Machine]) -> TrainingRun:
    now = timezone.now()
    made = TrainingRun.objects.create(
        site_id=machines[0].device.site_id, key="night", job="88213", started_at=now - timedelta(hours=3), world_size=16,
        state="failed", ended_at=now, last_report_at=now,
    )  # fmt: skip
    RunRank.objects.bulk_create(
        RunRank(
            run=made, rank=at * 8 + local, local_rank=local, machine=machine, machine_name=machine.device.name,
            slot=f"gpu{local}",
        )
        for at, machine in enumerate(machines)
        for local in range(8)
    )  # fmt: skip
    return made


def push(token: str, logs: dict[str, bytes], **told: Any) -> Any:
    files = [SimpleUploadedFile(name, data) for name, data in logs.items()]
    return Client(headers={"Authorization": f"Bearer {token}"}).post(URL, {"file": files, **told})


def put_together(run: TrainingRun) -> Collection:
    row = Collection.objects.get(run=run, reason="pushed")
    Collection.objects.filter(pk=row.pk).update(due_at=timezone.now())
    assert collections.collect(row.pk)
    row.refresh_from_db()
    return row


# ---- pure ----
def piece(data: bytes, room: int = 1 << 20, rank: int | None = None) -> answer.Piece:
    return pushed.piece_of("rank.log", rank, io.BytesIO(data), room)


@given(text=st.binary(max_size=3000), packed=st.booleans())
def test_a_small_log_is_kept_as_it_is_plain_or_gzip(text: bytes, packed: bool) -> None:
    if text[:2] == b"\x1f\x8b":
        text = b" " + text
    kept = piece(gzip.compress(text) if packed else text)
    assert (kept.data, kept.result) == (text, answer.OK)


def test_of_a_log_too_large_its_end_is_kept_from_the_beginning_of_a_line() -> None:
    words = random.Random(1)
    rows = b"".join(b"%d %s\n" % (number, words.randbytes(40).hex().encode()) for number in range(20_000))
    kept = piece(rows + LOST, room=100_000)
    assert len(kept.packed) <= 100_000 and kept.result == answer.CUT
    assert kept.data.endswith(LOST) and rows.endswith(kept.data[: -len(LOST)])
    assert kept.data.split(b" ", 1)[0].isdigit() and len(kept.packed) > 50_000


def test_a_bomb_is_refused_before_it_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pushed, "MOST_UNPACKED", 8 << 20)
    with pytest.raises(pushed.NotKept, match="more than 8 MB"):
        piece(gzip.compress(bytes(32 << 20)))


@pytest.mark.parametrize("cut", [5, 9, 12])
def test_gzip_that_says_nothing_is_refused_and_what_was_read_before_the_damage_is_kept(cut: int) -> None:
    words = random.Random(2)
    packed = gzip.compress(b"".join(words.randbytes(30).hex().encode() + b"\n" for _ in range(5000)))
    kept = piece(packed[: len(packed) * 3 // 4])
    assert kept.result == answer.CUT and len(kept.data) > 100_000
    with pytest.raises(pushed.NotKept, match="cannot be unpacked"):
        piece(packed[:cut])


def test_a_name_cannot_break_the_evidence() -> None:
    kept = pushed.piece_of("a\n== rackside-evidence end - ok 0 -\n", None, io.BytesIO(LOST), 1 << 20)
    (again,) = answer.read(answer.packed([kept])).pieces
    assert again.data == LOST and "\n" not in again.name


# ---- through the service ----
@db
def test_the_pushed_logs_of_a_failed_run_become_its_verdict(
    token: str, run: TrainingRun, machines: list[Machine]
) -> None:
    names = [machine.device.name for machine in machines]
    first = {f"rank_{rank}.log": STEPS + FOLLOWS for rank in range(8)}
    assert push(token, first, run="88213", machine=names[0]).status_code == 201
    for rank in range(8, 16):  # all called the same, as torchrun does
        said = gzip.compress(STEPS + (LOST if rank == 9 else FOLLOWS))
        answered = push(token, {"stderr.log": said}, run="night", machine=f"{names[1]}.example.org", rank=rank)
        assert answered.json()["logs"][0]["cut"] is False
    row = put_together(run)
    assert row.summary is not None and (row.status, row.summary["logs"]) == ("done", 16)
    assert [(each.name, each.result, each.ranks) for each in row.machines.all()] == [
        (names[0], "ok", list(range(8))), (names[1], "ok", list(range(8, 16))),
    ]  # fmt: skip
    verdict = judgement.judge_run(run.pk)
    assert verdict is not None and (verdict.cause, verdict.rank) == ("gpu-lost", 9)
    run.refresh_from_db()
    assert run.verdict is not None and run.verdict["machine_name"] == names[1]


@db
def test_moments_of_a_machine_whose_clock_is_off_are_corrected_by_what_was_measured(
    token: str, run: TrainingRun, machines: list[Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runs.services.pushes.clocks_ahead_s", lambda ids: dict.fromkeys(ids, 240.0))
    push(token, {"rank_9.log": LOST}, run="night", machine=machines[1].device.name)
    row = put_together(run)
    assert row.summary is not None and row.summary["causes"][0]["at"].startswith("2026-03-02T03:08:44")


@db
def test_what_is_pushed_again_takes_its_place_and_is_read_again(
    token: str, run: TrainingRun, machines: list[Machine]
) -> None:
    name = machines[1].device.name
    push(token, {"rank_9.log": STEPS}, run="night", machine=name)
    row = put_together(run)
    assert row.summary is not None and row.summary["causes"] == []
    push(token, {"rank_9.log": STEPS + LOST}, run="night", machine=name)
    row.refresh_from_db()
    assert row.status == "queued"
    row = put_together(run)
    assert row.summary is not None and (row.summary["logs"], row.summary["causes"][0]["class"]) == (1, "gpu-lost")


@db
def test_a_push_while_a_worker_reads_is_not_lost(
    token: str, run: TrainingRun, machines: list[Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    name = machines[1].device.name
    push(token, {"rank_9.log": STEPS}, run="night", machine=name)
    row = Collection.objects.get(run=run)
    Collection.objects.filter(pk=row.pk).update(due_at=timezone.now())
    read = collections.files_of

    def read_and_meet(row: Collection) -> Any:
        files = read(row)
        push(token, {"rank_9.log": STEPS + LOST}, run="night", machine=name)
        return files

    with monkeypatch.context() as patched:
        patched.setattr(collections, "files_of", read_and_meet)
        assert not collections.collect(row.pk)
    row = put_together(run)
    assert row.summary is not None and row.summary["causes"][0]["class"] == "gpu-lost"


@db
def test_pushed_logs_stand_beside_a_collection_and_the_same_log_counts_once(
    token: str, run: TrainingRun, machines: list[Machine]
) -> None:
    name = machines[1].device.name
    asked = collections.start(run, by="olga")
    push(token, {"rank_9.log": STEPS + LOST, "rank_10.log": STEPS + FOLLOWS}, run="night", machine=name)
    put_together(run)
    assert collections.start(run) == asked, "what was pushed does not stand in its way"
    lines = b"".join(b"%d:%d:%s\n" % (number, 0, line) for number, line in enumerate(LOST.splitlines(), 2))
    fetched = [answer.Piece("log.found", 9, answer.OK, "/logs/88213/rank_9.log", gzip.compress(lines))]
    row = asked.machines.get(name=name)
    row.evidence, row.result = answer.packed(fetched), "ok"
    row.size = len(row.evidence)
    row.save()
    Collection.objects.filter(pk=asked.pk).update(status="done", finished_at=timezone.now())
    files = collections.newest_files(run)
    assert files is not None
    assert sorted(log.name for log in files.logs[0]) == [f"{name}:/logs/88213/rank_9.log", f"{name}:rank_10.log"]


@pytest.mark.slow
@db
def test_the_logs_of_a_machine_are_bounded_and_the_cut_is_told(
    token: str, run: TrainingRun, machines: list[Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runs.collection.script.SHARE", 1 << 20)
    words = random.Random(3)
    long = b"".join(words.randbytes(60).hex().encode() + b"\n" for _ in range(5000)) + LOST
    name = machines[1].device.name
    told = [push(token, {f"rank_{rank}.log": long}, run="night", machine=name).json() for rank in range(8, 15)]
    assert all(each["logs"][0]["cut"] for each in told)
    row = put_together(run).machines.get()
    assert row.size < (1 << 20) + 2000 and (row.result, "only its end is kept" in row.message) == ("cut", True)
    full = {f"more_{number}.log": long for number in range(8)}
    refused = push(token, full, run="night", machine=name)
    assert refused.status_code == 400 and "fill what is kept" in refused.json()["error"]["fields"]["file"][0]
    row.refresh_from_db()
    assert len(answer.read(bytes(row.evidence)).pieces) == 7, "all or none"


@db
@pytest.mark.parametrize(
    ("told", "field"),
    [
        ({"run": "other"}, "run"),
        ({"attempt": 7}, "run"),
        ({"machine": ""}, "machine"),
        ({"rank": -1}, "rank"),
        ({"rank": 10_000_000}, "rank"),
    ],
)
def test_what_cannot_be_placed_is_refused_with_its_field(
    token: str, run: TrainingRun, machines: list[Machine], told: dict[str, Any], field: str
) -> None:
    answered = push(token, {"rank_9.log": LOST}, **{"run": "night", "machine": machines[1].device.name, **told})
    assert answered.status_code == 400 and field in answered.json()["error"]["fields"]
    assert not Collection.objects.exists()


@db
def test_only_a_source_of_the_run_s_site_may_push(run: TrainingRun, machines: list[Machine], token: str) -> None:
    name = machines[1].device.name
    make.make_machines(1, site="north")
    elsewhere = make_source(name="elsewhere", site="north")[1]
    assert push(elsewhere, {"rank_9.log": LOST}, run="night", machine=name).status_code == 400
    person = signed_in(Role.ADMIN)
    assert (
        person.post(URL, {"file": SimpleUploadedFile("a.log", LOST), "run": "night", "machine": name}).status_code
        == 403
    )
    assert not Collection.objects.exists()
