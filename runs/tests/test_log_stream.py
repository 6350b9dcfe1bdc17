"""A log is read as a stream: whatever it holds, memory is bounded and lines keep their numbers."""

from __future__ import annotations

import io
import tracemalloc
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runs.causes import lines
from runs.causes.log import BLOCK, ENDS, KEPT, TRIGGERS, Log, rarest_end, read_large_log, read_log
from runs.explanation import explain

ECC = b"RuntimeError: CUDA error: uncorrectable ECC error encountered\n"


class Made(io.RawIOBase):
    """A stream made piece by piece, larger than memory should hold."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self.pieces, self.rest = pieces, b""

    def readable(self) -> bool:
        return True

    def readinto(self, into: memoryview) -> int:  # type: ignore[override]
        while not self.rest:
            piece = next(self.pieces, None)
            if piece is None:
                return 0
            self.rest = piece
        count = min(len(into), len(self.rest))
        into[:count] = self.rest[:count]
        self.rest = self.rest[count:]
        return count


def read(data: bytes) -> Log:
    return read_log("log", io.BytesIO(data), 2026)


def test_a_line_of_100_mb_is_read_in_bounded_memory_and_the_line_after_it_keeps_its_number() -> None:
    pieces = (b"x" * BLOCK for _ in range(100))
    stream = io.BufferedReader(Made(chain([b"first\n"], pieces, [b"\n", ECC])), BLOCK)
    tracemalloc.start()
    log = read_log("log", stream, 2026)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert [one.line.number for one in log.sightings] == [3]
    assert peak < 12 * BLOCK
    assert log.lines == 3


def test_the_end_of_a_long_line_is_still_seen() -> None:
    log = read(b"x" * (3 * BLOCK) + b" " + ECC)
    assert [one.pattern.cause for one in log.sightings] == ["cuda-ecc"]


def test_a_flood_of_equal_lines_is_counted_and_not_kept() -> None:
    log = read(ECC * 10_000)
    assert len(log.sightings) == KEPT
    assert log.counts["cuda.ecc"] == 10_000
    assert log.sightings[0].line.number == 1


def test_a_log_cut_off_in_a_line_is_read_to_there() -> None:
    log = read(b"iteration\n" + ECC[:-1])
    assert log.cut and [one.line.number for one in log.sightings] == [2]


@pytest.mark.parametrize("before", [b"\x1b[31m", b"\x1b[1;31m\x1b[K", b" 12%|##  | 3/25 [00:01]\r", b"\r\r"])
def test_colours_and_progress_bars_before_a_line_do_not_hide_it(before: bytes) -> None:
    log = read(b"a\n" + before + ECC.strip() + b"\x1b[0m\r\n")
    assert [(one.pattern.cause, one.line.number) for one in log.sightings] == [("cuda-ecc", 2)]


@given(st.lists(st.binary(max_size=200), max_size=30))
def test_any_bytes_are_read_without_an_error(parts: list[bytes]) -> None:
    data = b"\n".join(parts)
    log = read(data)
    assert log.lines == data.count(b"\n") + (1 if data and not data.endswith(b"\n") else 0)


@given(st.lists(st.text(alphabet="abc é%:[]", max_size=40), max_size=20), st.integers(0, 20))
def test_a_cause_is_found_at_its_line_wherever_it_stands(before: list[str], where: int) -> None:
    plain = [line.replace("\r", "") for line in before]
    at = min(where, len(plain))
    text = "\n".join([*plain[:at], ECC.decode().strip(), *plain[at:]]) + "\n"
    log = read(text.encode())
    assert [one.line.number for one in log.sightings] == [at + 1]


@pytest.mark.parametrize(
    ("text", "rank", "local", "machine"),
    [
        ("[rank12]: boom", 12, None, None),
        ("[default3]:boom", None, 3, None),
        ("[default0]:[rank12]:[E817 17:40:34.852046185 ProcessGroupNCCL.cpp:1515] boom", 12, 0, None),
        ("7: boom", None, None, None),
        ("[1,3]<stderr>:boom", 3, None, None),
        ("[E ProcessGroupNCCL.cpp:474] [Rank 7] boom", 7, None, None),
        ("[E] [PG ID 0 PG GUID 0(default_pg) Rank 6] boom", 6, None, None),
        ("node-a01:3953:9490 [4] NCCL INFO boom", None, 4, "node-a01"),
        ("Feb  8 03:12:06 node-d03 kernel: boom", None, None, "node-d03"),
    ],
)
def test_launchers_prefixes_name_rank_and_machine(
    text: str, rank: int | None, local: int | None, machine: str | None
) -> None:
    line = lines.line_of(1, text.encode())
    assert (line.rank, line.local, line.machine) == (rank, local, machine)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("[2025-06-11 03:12:00] iteration", datetime(2025, 6, 11, 3, 12, tzinfo=UTC)),
        ("CANCELLED AT 2021-05-27T21:42:11 DUE", datetime(2021, 5, 27, 21, 42, 11, tzinfo=UTC)),
        ("[rank8]:[E208 03:22:10.411261204 ProcessGroupNCCL", datetime(2026, 2, 8, 3, 22, 10, 411261, tzinfo=UTC)),
        ("W1127 10:51:02.770000 2210 site", datetime(2026, 11, 27, 10, 51, 2, 770000, tzinfo=UTC)),
        ("Feb  8 03:12:06 node-d03 kernel:", datetime(2026, 2, 8, 3, 12, 6, tzinfo=UTC)),
        ("[Wed Aug 13 02:09:44 2025] Out of memory", datetime(2025, 8, 13, 2, 9, 44, tzinfo=UTC)),
        ("no time here", None),
        ("[E021 02:22:01.975205598 Process", None),
        ("2025-13-45 99:99:99", None),
    ],
)
def test_times_of_all_forms_are_read_and_what_is_none_is_none(text: str, moment: datetime | None) -> None:
    assert lines.time_of(text, 2026) == moment


LOGS = sorted((Path(__file__).parent / "data" / "logs").glob("*.log"))


@pytest.mark.parametrize("path", LOGS, ids=[path.name for path in LOGS])
def test_a_log_searched_by_grep_says_the_same_as_one_that_is_read(path: Path) -> None:
    with path.open("rb") as stream:
        read_through = read_log(str(path), stream, 2026)

    searched = read_large_log(path, 2026)

    assert searched.sightings == read_through.sightings
    assert (searched.counts, repr(searched.steps), searched.cut) == (
        read_through.counts, repr(read_through.steps), read_through.cut,
    )  # fmt: skip
    assert (searched.ranks_seen, searched.ended_well, searched.waits) == (
        read_through.ranks_seen, read_through.ended_well, read_through.waits,
    )  # fmt: skip


def test_a_large_log_with_any_bytes_is_searched(tmp_path: Path) -> None:
    path = tmp_path / "rank_7.log"
    path.write_bytes(b"\xff\x00\xfe line\n" * 500_000 + b"\x00" + ECC + b"x" * (2 * BLOCK) + b"\n")
    found = explain([path]).verdict
    assert (found.cause, found.rank, found.line) == ("cuda-ecc", 7, 500_001)


HEALTHY = (
    b"hgx-a01-01:4012:4590 [3] NCCL INFO Channel 12/0 : 12[3] -> 20[3] [send] via NET/IB/3/GDRDMA",
    b"hgx-a01-01:4012:4590 [3] NCCL INFO Connected all rings",
    b"[2025-06-11 22:01:00] INFO shard 7 of 60 loaded from /data",
    b"/opt/conda/lib/python3.11/site-packages/torch/nn/x.py:12: FutureWarning: use reentrant",
)


@pytest.mark.parametrize("line", HEALTHY)
def test_lines_that_healthy_logs_hold_by_the_thousand_are_not_asked(line: bytes) -> None:
    assert [end for end in ENDS if end in line] == []


def test_what_grep_looks_for_stands_in_each_line_that_holds_a_trigger() -> None:
    assert all(rarest_end(trigger) in trigger and len(rarest_end(trigger)) >= 4 for trigger in TRIGGERS)
