"""Files of one run, as launchers lay them out: the first cause among many ranks."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from runs.explanation import as_text, explain

ROOT = Path(__file__).parents[2]
WATCHDOG = (
    "[rank{rank}]:[E611 22:21:03.532215081 ProcessGroupNCCL.cpp:629] [Rank {rank}] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=12, OpType=ALLREDUCE, NumelIn=4, NumelOut=4, Timeout(ms)=600000) ran for 600065 milliseconds before "
    "timing out.\n"
)
KEY_ERROR = """[2025-06-11 22:10:58] step
Traceback (most recent call last):
  File "/workspace/train.py", line 412, in <module>
    main()
KeyError: 'input_ids'
"""


def ranks(folder: Path, texts: dict[int, str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for rank, text in texts.items():
        (folder / f"rank_{rank}.log").write_text(text)
    return folder


def test_one_rank_of_hundreds_is_found_among_its_followers(tmp_path: Path) -> None:
    texts = {rank: "start\n" + WATCHDOG.format(rank=rank) for rank in range(256)} | {200: KEY_ERROR}
    found = explain([ranks(tmp_path, texts)]).as_json()
    assert (found["class"], found["rank"], found["line"]) == ("user-error", 200, 5)
    assert found["file"].endswith("rank_200.log")
    assert found["followers"] == 255


def test_the_earliest_of_two_errors_is_the_cause_whatever_the_order_of_files(tmp_path: Path) -> None:
    first = "[2025-06-11 22:10:58] a\nOSError: [Errno 28] No space left on device\n"
    later = "[2025-06-11 22:11:30] a\nKeyError: 'x'\n"
    found = explain([ranks(tmp_path, {0: later, 7: first})]).as_json()
    assert (found["class"], found["rank"]) == ("ckpt-enospc", 7)


def test_a_rank_whose_log_ends_without_a_word_is_named_where_all_others_timed_out(tmp_path: Path) -> None:
    texts = {rank: WATCHDOG.format(rank=rank) for rank in range(8)} | {3: "step 11\n"}
    found = explain([ranks(tmp_path, texts)]).as_json()
    assert (found["class"], found["rank"], found["line"]) == ("nccl-timeout-no-cause", 3, None)
    assert "GPU: no Xid, ECC or CUDA error" in found["ruled_out"]


def test_without_times_the_one_rank_that_says_something_else_is_the_cause(tmp_path: Path) -> None:
    suffered = "RuntimeError: peer 0x7f3a{rank} did not answer in 30 s\n"
    texts = {rank: suffered.format(rank=rank) for rank in range(16)} | {11: "KeyError: 'input_ids'\n"}
    found = explain([ranks(tmp_path, texts)]).as_json()
    assert (found["class"], found["rank"], found["followers"]) == ("user-error", 11, 15)


def test_what_all_ranks_say_is_the_cause_at_the_first_of_them(tmp_path: Path) -> None:
    texts = {
        rank: f"FileNotFoundError: [Errno 2] No such file or directory: '/data/x.idx' on {rank}\n" for rank in range(8)
    }
    found = explain([ranks(tmp_path, texts)]).as_json()
    assert (found["class"], found["rank"]) == ("dataset-missing", 0)


def attempt(tmp_path: Path, number: int, texts: dict[int, str]) -> None:
    for local, text in texts.items():
        folder = tmp_path / "none_abc123" / f"attempt_{number}" / str(local)
        folder.mkdir(parents=True)
        (folder / "stderr.log").write_text(text)


def test_the_last_attempt_of_torchrun_is_explained(tmp_path: Path) -> None:
    attempt(tmp_path, 0, {0: "[rank0]: KeyError: 'old'\n", 1: ""})
    attempt(tmp_path, 1, {0: "", 1: "[rank1]: OSError: [Errno 122] Disk quota exceeded: '/x'\n"})
    assert explain([tmp_path]).verdict.cause == "ckpt-quota"


def test_an_attempt_that_could_not_begin_again_is_explained_by_the_one_before(tmp_path: Path) -> None:
    attempt(tmp_path, 0, {0: "[rank0]: RuntimeError: CUDA error: uncorrectable ECC error encountered\n"})
    attempt(tmp_path, 1, {0: "torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError\n"})
    assert explain([tmp_path]).verdict.cause == "cuda-ecc"


def test_an_attempt_that_ended_well_makes_earlier_failures_history(tmp_path: Path) -> None:
    attempt(tmp_path, 0, {0: "[rank0]: KeyError: 'old'\n"})
    attempt(tmp_path, 1, {0: "Training completed\n"})
    assert explain([tmp_path]).verdict.cause == "none"


def test_a_compressed_log_is_read(tmp_path: Path) -> None:
    (tmp_path / "rank_4.log.gz").write_bytes(gzip.compress(KEY_ERROR.encode()))
    found = explain([tmp_path]).verdict
    assert (found.cause, found.rank, found.line) == ("user-error", 4, 5)


def test_a_compressed_log_that_is_cut_off_is_named(tmp_path: Path) -> None:
    (tmp_path / "rank_4.log.gz").write_bytes(gzip.compress(KEY_ERROR.encode() * 50)[:-20])
    (tmp_path / "rank_5.log").write_text("ValueError: x\n")
    explanation = explain([tmp_path])
    assert [name.endswith("rank_4.log.gz") for name, _ in explanation.refused] == [True]
    assert explanation.verdict.rank == 5


@pytest.mark.parametrize(
    ("state", "cause"), [("TIMEOUT", "slurm-timeout"), ("NODE_FAIL", "slurm-nodefail"), ("PREEMPTED", "slurm-preempt"),
                         ("OUT_OF_MEMORY", "slurm-oom"), ("CANCELLED", "slurm-cancel"), ("COMPLETED", "none"), ("FAILED", "none")],
)  # fmt: skip
@pytest.mark.parametrize("form", ["list", "text"])
def test_the_state_of_the_job_explains_what_no_log_does(state: str, cause: str, form: str, tmp_path: Path) -> None:
    said = {"jobs": [{"job_id": 7, "state": {"current": [state] if form == "list" else state, "reason": "None"}}]}
    (tmp_path / "sacct.json").write_text(json.dumps(said, indent=1))
    (tmp_path / "rank_0.log").write_text("step 1\n")
    found = explain([tmp_path]).verdict
    assert found.cause == cause
    if cause != "none":
        assert state in (tmp_path / "sacct.json").read_text().splitlines()[(found.line or 0) - 1]


def test_an_event_of_a_machine_explains_what_the_ranks_only_suffered(tmp_path: Path) -> None:
    ranks(tmp_path, {rank: WATCHDOG.format(rank=rank) for rank in range(4)})
    event = {
        "at": "2025-06-11T22:11:02Z",
        "machine": "hgx-c07-02",
        "message": "GPU 0000:9b:00.0: GPU has fallen off the bus.",
    }
    (tmp_path / "events.jsonl").write_text(json.dumps({"at": "2025-06-11T22:00:00Z", "machine": "a", "message": "fan"}) + "\n"
                                           + json.dumps(event) + "\n")  # fmt: skip
    found = explain([tmp_path]).as_json()
    assert (found["class"], found["machine"], found["line"], found["hardware_fault"]) == (
        "gpu-lost",
        "hgx-c07-02",
        2,
        True,
    )


def test_the_exception_that_torchelastic_recorded_has_its_time(tmp_path: Path) -> None:
    for local, (name, seconds) in enumerate(
        [("ValueError: second", 1_700_000_002), ("KeyError: 'first'", 1_700_000_001)]
    ):
        folder = tmp_path / "run" / "attempt_0" / str(local)
        folder.mkdir(parents=True)
        said = {"message": {"message": name, "extraInfo": {"py_callstack": "..", "timestamp": str(seconds)}}}
        (folder / "error.json").write_text(json.dumps(said))
    found = explain([tmp_path]).verdict
    assert "first" in found.sentence
    assert found.file is not None and found.file.endswith("attempt_0/1/error.json")


def test_no_log_is_no_proof_of_health(tmp_path: Path) -> None:
    found = explain([tmp_path]).as_json()
    assert (found["class"], found["hardware_fault"], found["confidence"]) == ("none", None, 0.0)
    assert found["ruled_out"] == []


def test_the_answer_has_the_keys_that_were_promised(tmp_path: Path) -> None:
    (tmp_path / "rank_3.log").write_text(KEY_ERROR)
    ran = subprocess.run(
        [sys.executable, "manage.py", "runs", "explain", str(tmp_path), "--json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(ran.stdout)
    assert {
        "class",
        "owner",
        "hardware_fault",
        "rank",
        "file",
        "line",
        "sentence",
        "confidence",
        "ruled_out",
        "followers",
        "behind",
    } <= found.keys()
    assert found["sentence"] == "Rank 3 raised KeyError: 'input_ids'; the others waited for it."


def test_the_command_loads_neither_django_nor_the_service(tmp_path: Path) -> None:
    (tmp_path / "rank_3.log").write_text(KEY_ERROR)
    code = (
        "import sys; sys.argv = ['manage.py', 'runs', 'explain', sys.argv[1]]\n"
        "import manage, atexit\n"
        "atexit.register(lambda: print(sorted({name.split('.')[0] for name in sys.modules} & {'django', 'celery', 'pydantic'})))\n"
        "manage.main()"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ran.stdout.splitlines()[-1] == "[]"


def test_a_path_that_is_not_there_is_an_error_that_names_it(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "manage.py", "runs", "explain", str(tmp_path / "nope")],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 1
    assert ran.stderr == f"Error: {tmp_path / 'nope'}: no such file or folder\n"


def test_the_answer_for_people_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "rank_3.log").write_text(KEY_ERROR)
    lines = as_text(explain([tmp_path])).splitlines()
    assert lines[0] == "Rank 3 raised KeyError: 'input_ids'; the others waited for it."
    assert any(line.startswith("First step") for line in lines)
