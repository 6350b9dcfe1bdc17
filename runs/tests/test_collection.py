"""What is asked of machines for the evidence of a run, and how their answers are read: on a real shell, without SSH."""

from __future__ import annotations

import gzip
import io
import json
import os
import pickle
import subprocess
import time
from pathlib import Path

import pytest

from drivers.shell import UnsafeWord
from runs.causes.log import read_log
from runs.collection import answer, clocks, places, processes, script, summary
from runs.collection.processes import Found
from runs.collection.script import DumpFile, LogFile
from runs.evidence import Files
from runs.explanation import explain, explain_files
from runs.hangs import kernel, ras, stacks

LABELLED = sorted((Path(__file__).parent / "data" / "logs").glob("*.log"))
LOGS = [path for path in LABELLED if not stacks.looks_like_stacks(path.read_text(errors="replace"))]


def asked(text: str, **environment: str) -> bytes:
    done = subprocess.run(
        ["sh", "-c", text], capture_output=True, timeout=60, check=False, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def pieces_of(logs: list[LogFile], dumps: list[DumpFile] = [], **more: int) -> list[answer.Piece]:  # noqa: B006
    found = answer.read(asked(script.files_script(logs, dumps, **more)))
    assert found.whole and found.clock == pytest.approx(time.time(), abs=30)
    return [one for one in found.pieces if one.name != script.JOURNAL]  # this computer's kernel is not asked about


def files(pieces: list[answer.Piece]) -> Files:
    return answer.files_of("node-1", pieces, {}, 0.0)


# ---- logs, on a real shell ----
@pytest.mark.slow
def test_searched_where_it_lies_a_log_gives_the_answer_of_the_whole_log() -> None:
    assert len(LOGS) >= 70
    pieces = pieces_of([LogFile(str(path)) for path in LOGS[:40]]) + pieces_of([LogFile(str(p)) for p in LOGS[40:]])
    for path in LOGS:
        found = explain_files(files([one for one in pieces if one.name == str(path)])).verdict
        whole = explain([path]).verdict
        assert (found.cause, found.line, found.rank) == (whole.cause, whole.line, whole.rank), path.name


def test_of_a_large_log_few_lines_leave_the_machine(tmp_path: Path) -> None:
    """Half a million lines, a line of 8 MB, and one that says why."""
    log = tmp_path / "rank_3.log"
    with log.open("w") as out:
        for step in range(20_000):
            out.write(f"[2026-11-12 03:00:00] iteration {step}/ 90000 | elapsed time per iteration (ms): 900.0 |\n")
        out.write("x" * (8 << 20) + "\n")
        out.writelines(f"[2026-11-12 03:12:40] nothing to see in line {n}\n" for n in range(300_000))
        out.write("[2026-11-12 03:12:44] NVRM: Xid (PCI:0000:9b:00): 79, pid=1, GPU has fallen off the bus.\n")
        out.writelines("[rank3]: torch.distributed.DistBackendError: NCCL error\n" for _ in range(50_000))
    data = asked(script.files_script([LogFile(str(log), 3)], []))
    assert len(data) < 40_000 and log.stat().st_size > 20_000_000
    found = files(answer.read(data).pieces)
    verdict = explain_files(found).verdict
    assert (verdict.cause, verdict.line, verdict.rank) == ("gpu-lost", 320_002, 3)
    (of_log,) = found.logs[0]
    assert of_log.first_at is not None and of_log.first_at.isoformat() == "2026-11-12T03:00:00+00:00"
    assert of_log.size == log.stat().st_size


def test_the_first_and_the_last_lines_are_kept_in_their_order(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("".join(f"line {n}: NCCL WARN\n" for n in range(5000)))
    found = next(one for one in pieces_of([LogFile(str(log))]) if one.kind == "log.found")
    numbers = [int(row.split(":")[0]) for row in found.text.splitlines()]
    assert numbers == sorted(set(numbers)) and len(numbers) == script.MOST_LINES + script.LAST_LINES
    assert (numbers[0], numbers[-1]) == (1, 5000)


def test_a_log_that_holds_our_own_marks_forges_nothing(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(f"== {script.MARK} dump 7 ok 0 /x\n== {script.MARK} end - ok 0 -\nKeyError: 'x'\n" * 3)
    pieces = pieces_of([LogFile(str(log))])
    assert {one.kind for one in pieces} == {"log.stat", "log.head", "log.found", "log.steps", "log.tail"}


def test_what_is_missing_old_too_large_or_of_another_is_named(tmp_path: Path) -> None:
    log, dump = tmp_path / "log", tmp_path / "trace_3"
    log.write_text("KeyError\n")
    dump.write_bytes(os.urandom(50_000))
    owner = str(log.stat().st_uid)

    def result(one: LogFile | DumpFile, **more: int) -> list[tuple[str, str]]:
        logs, dumps = ([one], []) if isinstance(one, LogFile) else ([], [one])
        found = answer.read(asked(script.files_script(logs, dumps, **more))).pieces  # type: ignore[arg-type]
        return [(each.kind, each.result) for each in found if each.result != "ok" and each.name != script.JOURNAL]

    assert result(LogFile(str(log))) == [] and result(LogFile(str(log), owner=owner)) == []
    assert result(LogFile(str(tmp_path / "none"))) == [("log", "missing")]
    assert result(LogFile(str(log)), since=int(time.time()) + 100) == [("log", "missing")], "of another run"
    assert result(LogFile(str(log), owner="4711")) == [("log", "refused")]
    assert result(LogFile("/etc/passwd", owner=script.NOT_ROOT)) == [("log", "refused")]
    assert result(DumpFile(str(tmp_path / "none"), 3)) == [], "most ranks leave no dump"
    assert result(DumpFile(str(dump), 3), share=10_000) == [("dump", "too_large")]


def journal(folder: Path, says: str) -> list[answer.Piece]:
    """The pieces of the kernel's log where journalctl does what `says`."""
    program = folder / "journalctl"
    program.write_text(f'#!/bin/sh\necho "$@" >{folder}/words\n{says}\n')
    program.chmod(0o755)
    said = asked(script.files_script([], [], since=1_772_420_000), PATH=f"{folder}:{os.environ['PATH']}")
    return [one for one in answer.read(said).pieces if one.name == script.JOURNAL]


def test_what_the_kernel_said_since_the_run_began_is_a_log_of_its_machine(tmp_path: Path) -> None:
    line = "2026-03-02T03:12:44.123456+0000 node-1 kernel: Out of memory: Killed process 4242 (python) total-vm:1kB"
    pieces = journal(tmp_path, f"echo '-- Boot 6f0a --'; echo '{line}'")
    words = (tmp_path / "words").read_text()
    assert "--since @1772420000" in words and words.endswith("_TRANSPORT=kernel\n")
    verdict = explain_files(files(pieces)).verdict
    assert (verdict.cause, verdict.machine) == ("host-oom", "node-1")
    shown = summary.summary_of(files(pieces))
    assert shown["logs"] == 0 and shown["causes"][0]["class"] == "host-oom"


def test_a_kernel_log_that_may_not_be_read_or_is_empty_says_nothing_of_the_runs_own_logs(tmp_path: Path) -> None:
    (refused,) = journal(tmp_path, "echo 'No journal files were opened due to insufficient permissions.' >&2; exit 1")
    assert (refused.kind, refused.result) == ("log", "missing") and "permissions" in refused.text
    assert answer.outcome_of([refused]) == answer.outcome_of([]), "as if no log of the run were known"
    assert journal(tmp_path, "echo '-- No entries --'") == []


# ---- compressed and rotated ----
STEP = "[2026-11-12 03:{0:02}:{1:02}] iteration {2}/ 900 | elapsed time per iteration (ms): 900.0 | lm loss: 2.1\n"
XID = "[2026-11-12 03:12:44] NVRM: Xid (PCI:0000:9b:00): 79, pid=1, GPU has fallen off the bus.\n"


def stepped(first: int, count: int) -> str:
    return "".join(STEP.format(number // 60, number % 60, number) for number in range(first, first + count))


@pytest.mark.parametrize("name", ["rank_3.log.gz", "rank_3.log.1", "rank_3.log.1.gz"])
def test_a_log_that_was_rotated_or_compressed_is_read_with_the_one_that_was_asked_for(
    name: str, tmp_path: Path
) -> None:
    text = (stepped(0, 50) + XID).encode()
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    found = files(pieces_of([LogFile(str(tmp_path / "rank_3.log"), 3)]))
    verdict = explain_files(found).verdict
    assert (verdict.cause, verdict.line, verdict.rank) == ("gpu-lost", 51, 3)
    assert verdict.file is not None and verdict.file.endswith(name)
    (log,) = found.logs[0]
    assert log.first_at is not None and log.last_at is not None and log.last_at > log.first_at


def test_what_a_run_survived_in_the_next_part_of_its_log_is_no_cause(tmp_path: Path) -> None:
    (tmp_path / "rank_3.log.1.gz").write_bytes(gzip.compress((stepped(0, 50) + "KeyError: 'lr'\n").encode()))
    log = tmp_path / "rank_3.log"
    log.write_text(stepped(50, 50))
    found = files(pieces_of([LogFile(str(log), 3)]))
    assert [len(list(one.parts)) for one in found.logs[0]] == [2, 1]
    assert explain_files(found).verdict.cause == "none"
    log.unlink()
    assert explain_files(files(pieces_of([LogFile(str(log), 3)]))).verdict.cause == "user-error"


def test_nan_at_the_end_of_a_part_is_no_end_where_the_next_part_has_numbers(tmp_path: Path) -> None:
    lost = stepped(0, 50) + stepped(50, 5).replace("2.1", "nan")
    (tmp_path / "rank_0.log.1").write_text(lost)
    log = tmp_path / "rank_0.log"
    log.write_text(stepped(55, 30))
    assert explain_files(files(pieces_of([LogFile(str(log), 0)]))).verdict.cause == "none"
    log.write_text(stepped(55, 30).replace("2.1", "nan"))
    verdict = explain_files(files(pieces_of([LogFile(str(log), 0)]))).verdict
    assert (verdict.cause, verdict.line) == ("nan-loss", 51) and str(verdict.file).endswith("rank_0.log.1")


def test_names_that_end_with_a_rank_are_no_parts_of_one_log(tmp_path: Path) -> None:
    for rank in range(3):
        (tmp_path / f"out.{rank}").write_text(stepped(0, 5))
    found = files(pieces_of([LogFile(f"{tmp_path}/out.*")]))
    assert [one.goes_on for one in found.logs[0]] == [None] * 3


def test_each_part_is_read_once_where_a_pattern_names_it_too(tmp_path: Path) -> None:
    for name in ("x.log", "x.log.1"):
        (tmp_path / name).write_text(stepped(0, 5))
    names = [one.name for one in pieces_of([LogFile(f"{tmp_path}/x.log*")]) if one.kind == "log.stat"]
    assert sorted(names) == [f"{tmp_path}/x.log", f"{tmp_path}/x.log.1"]


def test_a_part_from_before_the_run_is_not_read_and_takes_nothing_with_it(tmp_path: Path) -> None:
    old, log = tmp_path / "x.log.1", tmp_path / "x.log"
    old.write_text(XID)
    os.utime(old, (time.time() - 9000, time.time() - 9000))
    log.write_text(stepped(0, 5))
    pieces = pieces_of([LogFile(str(log), 1)], since=int(time.time()) - 600)
    assert {one.name for one in pieces} == {str(log)} and answer.outcome_of(pieces) == ("ok", "")


@pytest.mark.slow
def test_a_gzip_bomb_is_cut_and_says_so(tmp_path: Path) -> None:
    log = tmp_path / "rank_3.log.gz"
    with gzip.open(log, "wb", 1) as out:
        out.write(XID.encode())
        for _ in range(script.MOST_UNPACKED // (4 << 20) + 8):
            out.write(b"all is well\n" * ((4 << 20) // 12))
    pieces = pieces_of([LogFile(str(log), 3)])
    (cut,) = [one for one in pieces if one.result != "ok"]
    assert cut.result == "too_large" and f"more than {script.MOST_UNPACKED} bytes come out of it" in cut.text
    assert answer.outcome_of(pieces).result == "partly"
    assert explain_files(files(pieces)).verdict.cause == "gpu-lost"


@pytest.mark.parametrize(("keep", "why"), [(-20, "unexpected end of file"), (0, "unexpected end of file")])
def test_a_compressed_log_that_breaks_off_is_good_to_where_it_does(keep: int, why: str, tmp_path: Path) -> None:
    log = tmp_path / "rank_3.log.gz"
    data = gzip.compress((XID + "".join(f"nothing to see in line {n}\n" for n in range(9000))).encode())
    log.write_bytes(data[: keep or 12])
    pieces = pieces_of([LogFile(str(log), 3)])
    bad = [one for one in pieces if one.result != "ok"]
    assert bad and why in bad[0].text
    assert (explain_files(files(pieces)).verdict.cause == "gpu-lost") == (keep < 0)


def test_what_is_called_compressed_and_is_not_is_named(tmp_path: Path) -> None:
    log = tmp_path / "rank_3.log.gz"
    log.write_text("KeyError\n")
    (bad,) = [one for one in pieces_of([LogFile(str(log), 3)]) if one.result != "ok"]
    assert "not in gzip format" in bad.text


@pytest.mark.parametrize(
    "path", ["/logs/$(touch OWNED)/x", "/logs/`touch OWNED`", "/logs/';touch OWNED;'", "/logs/a b*"]
)
def test_a_path_is_never_a_command(tmp_path: Path, path: str) -> None:
    text = f"cd {tmp_path}\n" + script.files_script([LogFile(path)], [DumpFile(path, 1)])
    asked(text)
    assert not (tmp_path / "OWNED").exists()
    with pytest.raises(UnsafeWord):
        script.files_script([LogFile("/logs/a\nb")], [])


@pytest.mark.parametrize("cut", [0, 30, 200, -40, -3])
def test_an_answer_that_breaks_off_is_good_to_where_it_does(cut: int, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("KeyError: 'x'\n")
    data = asked(script.files_script([LogFile(str(log), 1)], []))
    found = answer.read(data[:cut])
    assert not found.whole
    explain_files(files(found.pieces))


def test_what_is_kept_is_read_again() -> None:
    pieces = pieces_of([LogFile(str(LOGS[0]), 4)])
    assert answer.read(answer.packed(pieces)).pieces == pieces


def test_a_dump_of_a_rank_is_read_and_a_hostile_one_is_not(tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return os.system, (f"touch {tmp_path}/OWNED",)

    good, evil = tmp_path / "trace_0", tmp_path / "trace_1"
    good.write_bytes(pickle.dumps({"version": "2.9", "pg_config": {}, "pg_status": {}, "entries": []}))
    evil.write_bytes(pickle.dumps(Evil()))
    found = files(pieces_of([], [DumpFile(str(good), 0), DumpFile(str(evil), 1)]))
    assert list(found.dumps) == [0] and found.unreadable_dumps == [1]
    assert not (tmp_path / "OWNED").exists()


# ---- whose processes ----
def test_only_named_variables_of_ranks_are_read() -> None:
    child = subprocess.Popen(
        ["sleep", "30"], env={"RANK": "5", "LOCAL_RANK": "1", "SLURM_JOB_ID": "77", "AWS_SECRET": "hush"}
    )
    try:
        text = asked(script.who_script()).decode()
    finally:
        child.kill()
        child.wait()
    assert "hush" not in text and "AWS_SECRET" not in text
    found = processes.read(text)
    (mine,) = [one for one in found.processes if one.pid == child.pid]
    assert (mine.rank_by("RANK"), mine.job, mine.parent) == (5, "77", os.getpid())
    assert found.whole and mine.user == str(os.getuid())


def process(pid: int, parent: int = 1, exe: str = "/usr/bin/python3.11", **told: str) -> Found:
    return Found(pid, parent, "python3", "S", "1002", {"exe": exe, "cwd": "/home/mk"}, told)


def test_data_loaders_shells_and_agents_are_no_ranks() -> None:
    found = [
        process(10, exe="/usr/bin/bash", SLURM_PROCID="0", SLURM_JOB_ID="9"),
        process(11, 10, SLURM_PROCID="0", SLURM_JOB_ID="9"),
        process(20, 11, RANK="8", SLURM_PROCID="0", SLURM_JOB_ID="9"),
        process(21, 20, RANK="8", SLURM_PROCID="0", SLURM_JOB_ID="9"),
        process(30, 11, RANK="9", SLURM_PROCID="0", SLURM_JOB_ID="9"),
        process(40, 1, RANK="8", SLURM_JOB_ID="10"),
    ]
    ranks = processes.ranks_of(found, job="9", key="9", attempt=0, ranks=range(8, 16))
    assert {rank: one.pid for rank, one in ranks.items()} == {8: 20, 9: 30}
    by_slurm = processes.ranks_of(found[:2], job="9", key="9", attempt=0, ranks=range(1))
    assert {rank: one.pid for rank, one in by_slurm.items()} == {0: 11}


def test_several_runs_outside_a_scheduler_are_told_apart_by_their_own_id() -> None:
    found = [process(1, RANK="0", TORCHELASTIC_RUN_ID="a"), process(2, RANK="0", TORCHELASTIC_RUN_ID="b")]
    ranks = processes.ranks_of(found, job="", key="b", attempt=0, ranks=[0])
    assert ranks[0].pid == 2


# ---- where it lies ----
FACTS = places.Facts("88213", "88213", "kestrel", "mk", 1, "hgx-a01", {8: 0, 9: 1})


def test_a_pattern_is_filled_for_each_rank_and_never_with_a_path() -> None:
    assert places.filled("/logs/{job}/{attempt}/rank_{rank}.log", FACTS) == [
        ("/logs/88213/1/rank_8.log", 8), ("/logs/88213/1/rank_9.log", 9)
    ]  # fmt: skip
    assert places.filled("/logs/{machine}/*.log", FACTS) == [("/logs/hgx-a01/*.log", None)]
    for name in ("../../etc", "a/b", "*", "", ".."):
        assert places.filled("/logs/{name}/x", FACTS._replace(name=name)) == []


def test_what_a_run_tells_must_belong_to_its_user() -> None:
    rank = process(20, RANK="8")
    rank.links |= {"fd/1": "/logs/out", "fd/2": "/dev/null"}
    found = places.logs_of(FACTS, "/own/{rank}", ["/site/{rank}"], {8: rank})
    assert [(one.path, one.rank, one.owner) for one in found] == [
        ("/site/8", 8, "any"), ("/site/9", 9, "any"), ("/own/8", 8, "1002"), ("/own/9", 9, "not-root"),
        ("/proc/20/fd/1", 8, "any"),
    ]  # fmt: skip
    dumps = places.dumps_of(FACTS, "", {8: rank})
    assert [(one.path, one.owner) for one in dumps] == [
        ("/proc/20/root/tmp/nccl_trace_rank_8", "1002"), ("/tmp/nccl_trace_rank_9", "not-root")
    ]  # fmt: skip
    rank.told["TORCH_FR_DUMP_TEMP_FILE"] = "traces/t_"
    assert rank.dump_of(8) == "/proc/20/root/home/mk/traces/t_8"


# ---- clocks ----
@pytest.mark.parametrize(
    ("asked_at", "told", "answered", "measured", "offset"),
    [
        (100.0, 100.4, 101.0, None, 0.0),
        (100.0, 340.5, 101.0, None, 240.0),
        (100.0, 100.4, 101.0, 0.012, 0.012),
        (100.0, 340.5, 101.0, 0.012, 240.0),
        (100.0, 340.5, 101.0, 240.2, 240.2),
        (None, None, None, -3.0, -3.0),
        (None, None, None, None, None),
    ],
)
def test_a_clock_is_off_by_what_was_measured_where_that_still_holds(
    asked_at: float | None, told: float | None, answered: float | None, measured: float | None, offset: float | None
) -> None:
    found = clocks.offset_s(clocks.ahead_s(asked_at, told, answered), measured)
    assert found == (pytest.approx(offset, abs=0.6) if offset is not None else None)


# ---- what tools say ----
RAS = {
    "nccl_version": "2.28.3",
    "communicators": [{
        "hash": "0xab", "size": 4, "ranks_count": 3, "missing_ranks_count": 1,
        "ranks": [
            {"rank": rank, "host": f"hgx-{rank}.example", "pid": 100 + rank, "cuda_dev": 0,
             "collective_counts": {"AllReduce": 7 if rank != 1 else 6}}
            for rank in (0, 1, 2)
        ],
        "missing_ranks": [
            {"rank": 3, "host": "hgx-3", "pid": 103, "cuda_dev": 0, "status": {"considered_dead": True}}
        ],
    }],
}  # fmt: skip


def test_ncclras_names_who_is_missing_and_who_is_behind() -> None:
    said = ras.read_ras("NCCL version ..\n" + json.dumps(RAS))
    assert [(one.rank, one.why) for one in ras.late([said])] == [(3, ras.DEAD), (1, ras.FEWER)]
    found = Files(ras=[said], ranks_at={("hgx-3", 103): 12})
    verdict = explain_files(found).verdict
    assert (verdict.cause, verdict.rank, verdict.machine) == ("hang-ras", 12, "hgx-3")
    assert verdict.sentence == "Rank 12 and 1 more is considered dead by NCCL."


@pytest.mark.parametrize("text", ["", "{", "[]", '{"communicators": 3}', json.dumps(RAS)[:-4], "[" * 100_000])
def test_an_answer_of_ras_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ras.NotReadable):
        ras.read_ras(text)


def test_odd_shapes_within_an_answer_of_ras_are_passed_over() -> None:
    odd = {"communicators": [7, {"ranks": "x", "missing_ranks": [1, {}]}, {"ranks": [{"collective_counts": [1]}]}]}
    assert [one.why for one in ras.late([ras.read_ras(json.dumps(odd))])] == [ras.SILENT]


def test_a_process_in_the_kernel_is_told_with_what_it_waits_for() -> None:
    text = (
        "process 20 thread 21\nName:\tpython3\nState:\tD (disk sleep)\nPPid:\t10\nwchan: 0\n"
        "[<0>] io_schedule+0x46/0x70\n[<0>] nvme_wait_freeze+0x1/0x2\n"
        "process 30 thread 30\nName:\tkworker/0:1\nState:\tD (disk sleep)\nPPid:\t2\nwchan: x\n"
    )
    (stuck,) = kernel.read_stuck(text, "hgx-a01", {20: 8})
    assert (stuck.rank, stuck.place, stuck.holder[1]) == (8, "io_schedule", "a disk")
    verdict = explain_files(Files(stuck=[stuck])).verdict
    assert (verdict.rank, verdict.owner, verdict.hardware) == (8, "storage", False)


# ---- in short ----
@pytest.mark.slow
def test_thousands_of_ranks_come_down_to_a_few_rows() -> None:
    frames = (stacks.Frame("all_reduce", "torch/distributed/c10d.py", 1),)
    odd = (stacks.Frame("save", "checkpoint.py", 41),)
    found = Files(stacks=[stacks.Stack("x", 1, rank, "1", odd if rank == 4000 else frames) for rank in range(4088)])
    for rank in range(4088):
        log = read_log(f"rank_{rank}", io.BytesIO(b"[rank%d]: KeyError: 'x'\n" % rank * 20), 2026)
        found.logs.setdefault(0, []).append(log)
    started = time.process_time()
    said = summary.summary_of(found)
    assert time.process_time() - started < 1.0
    assert [group["count"] for group in said["stacks"]] == [1, 4087]
    assert (said["stacks"][0]["ranks"], len(said["stacks"][1]["ranks"])) == ([4000], summary.MOST_RANKS)
    assert said["causes"][0]["ranks_count"] == 4088 and said["causes"][0]["lines"] == 4088 * 20
    assert len(json.dumps(said)) < 20_000
