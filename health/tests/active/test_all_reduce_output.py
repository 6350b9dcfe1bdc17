"""What an all-reduce prints: the table of nccl-tests and the lines of our script, whole, broken off, and strange."""

from __future__ import annotations

import contextlib
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from health.checks import Expectation
from health.checks.parsers import ParseError
from health.checks.parsers.all_reduce import AllReduce, parse_all_reduce
from health.diagnostics.judgement import Printed, findings_of
from health.tests.checks.samples import MODEL, sample

TABLE = sample("all_reduce_perf.txt").replace("sample-1 device  1", "sample-2 device  0")
WHOLE = sample("all_reduce_groups.txt")
HEAD, LARGE = WHOLE.split("  4294967296", 1)
LATENCY = ("nvlink.allreduce_latency",)


def lines(*sizes: tuple[int, float, float], machines: int = 2, complete: bool = True) -> str:
    rows: list[dict[str, object]] = [
        {"rackside_all_reduce": 1, "devices": [[f"gpu-{number}", 0] for number in range(machines)]}
    ]
    rows += [{"bytes": size, "us": us, "busbw_gbytes_s": bus, "wrong": 0} for size, us, bus in sizes]
    rows += [{"rackside_all_reduce": 1, "complete": True}] if complete else []
    return "".join(json.dumps(row) + "\n" for row in rows)


def judged(text: str, **limits: float) -> tuple[str, str]:
    expectation = Expectation(MODEL, thresholds={"all_reduce_latency_us": 0} | limits)
    (found,) = findings_of(LATENCY, [Printed("all_reduce_perf", 0, text)], expectation)
    return str(found.verdict), found.message


def test_the_table_tells_every_size_out_of_place_and_in_place() -> None:
    found = parse_all_reduce(WHOLE)
    assert [each.bytes for each in found.sizes] == [8, 16, 32, 64, 1024, 65536, 1 << 32, 1 << 33]
    last = found.sizes[-1]
    assert (last.us, last.bus_gbytes_s, last.us_in_place, last.bus_in_place, last.wrong) == (
        31987, 469.95, 31979, 470.07, 0,
    )  # fmt: skip
    assert (found.bus_gbytes_s, found.latency_us, found.machines) == (469.95, 24.3, ("sample-1", "sample-2"))


def test_the_lines_of_the_script_tell_the_same() -> None:
    found = parse_all_reduce("NCCL version 2.19\n" + lines((8, 30.0, 0.1), (1 << 30, 5000.0, 371.5)))
    assert (found.bus_gbytes_s, found.latency_us, found.wrong, found.machines) == (371.5, 30.0, 0, ("gpu-0", "gpu-1"))


@pytest.mark.parametrize("mark", ["[1,0]<stdout>:", "0: ", " 0: ", "[default0]:"])
def test_marks_of_launchers_before_each_line_are_set_aside(mark: str) -> None:
    for text in (WHOLE, lines((8, 30.0, 0.1))):
        assert parse_all_reduce("".join(mark + line + "\n" for line in text.splitlines())) == parse_all_reduce(text)


def test_a_mark_that_mpirun_puts_before_the_end_of_a_line_is_set_aside() -> None:
    mark = "[1,0]<stdout>:"
    for text in (WHOLE, lines((8, 30.0, 0.1))):
        marked = "".join(f"{mark}{line}{mark * (number % 2)}\n" for number, line in enumerate(text.splitlines()))
        assert parse_all_reduce(marked) == parse_all_reduce(text)


@pytest.mark.parametrize("cell", ["nan", "inf", "-1.0", "1e999", "-nan", "####"])
def test_a_row_that_is_no_measurement_is_no_result_instead_of_a_faster_one(cell: str) -> None:
    with pytest.raises(ParseError):
        parse_all_reduce(WHOLE.replace("469.95", cell))
    told = lines((8, 30.0, 0.1), (1 << 30, 5000.0, 371.5))
    with pytest.raises(ParseError):
        parse_all_reduce(told.replace("371.5", json.dumps(cell)))


def test_what_says_why_it_failed_is_told() -> None:
    refused = '{"rackside_all_reduce": 1, "error": "torch sees no GPU", "complete": false}\n'
    with pytest.raises(ParseError, match="torch sees no GPU"):
        parse_all_reduce(refused)
    with pytest.raises(ParseError, match="CANCELLED"):
        parse_all_reduce(lines((8, 30.0, 0.1), complete=False) + "slurmstepd: error: *** STEP 12.0 CANCELLED ***\n")
    with pytest.raises(ParseError, match="breaks off"):
        parse_all_reduce("")


@given(st.integers(0, len(WHOLE) - 1))
def test_a_table_that_is_cut_anywhere_gives_no_result_or_the_whole(end: int) -> None:
    cut(WHOLE, end)


SCRIPT = lines((8, 30.0, 0.1), (1 << 30, 5000.0, 371.5))


@given(st.integers(0, len(SCRIPT) - 1))
def test_lines_that_are_cut_anywhere_give_no_result_or_the_whole(end: int) -> None:
    cut(SCRIPT, end)


def cut(text: str, end: int) -> None:
    with contextlib.suppress(ParseError):
        assert parse_all_reduce(text[:end]) == parse_all_reduce(text)


def sound(found: AllReduce) -> None:
    numbers = [number for each in found.sizes for number in (each.us, each.bus_gbytes_s, each.bus_in_place or 0.0)]
    assert numbers and all(math.isfinite(number) and number >= 0 for number in numbers)


@given(
    st.lists(
        st.one_of(st.sampled_from(WHOLE.splitlines()), st.sampled_from(SCRIPT.splitlines()), st.text()), max_size=12
    )
)
def test_garbage_is_refused_or_read_as_numbers_that_are_some(some: list[str]) -> None:
    with contextlib.suppress(ParseError):
        sound(parse_all_reduce("\n".join(some)))


CELLS = st.one_of(
    st.floats(),
    st.integers(),
    st.sampled_from(["N/A", "nan", "9" * 400, "1e400", "0x10", "\u0665"]),
    st.text(max_size=6),
)


@given(
    st.lists(CELLS, min_size=13, max_size=13),
    st.dictionaries(st.sampled_from(["us", "busbw_gbytes_s", "wrong", "bytes"]), CELLS),
)
def test_any_cell_of_a_row_is_a_number_or_refused(cells: list[object], row: dict[str, object]) -> None:
    with contextlib.suppress(ParseError):
        sound(parse_all_reduce(f"{HEAD}{' '.join(map(str, cells))}\n  4294967296{LARGE}"))
    with contextlib.suppress(ParseError):
        sound(parse_all_reduce(SCRIPT + json.dumps({"bytes": 8, "us": 1, "busbw_gbytes_s": 1} | row) + "\n"))


# ---- the latency beside the bandwidth ----


def test_the_latency_is_compared_with_the_models_number_and_grows_with_the_machines() -> None:
    assert judged(WHOLE, all_reduce_latency_us=30) == (
        "ok", "24.3 us for small messages over 2 machines, 30 at most is asked",
    )  # fmt: skip
    assert judged(WHOLE, all_reduce_latency_us=20)[0] == "fail"
    eight = lines((8, 31.0, 0.1), (1 << 30, 5000.0, 371.5), machines=8)
    assert judged(eight, all_reduce_latency_us=30)[0] == "fail"
    assert judged(eight, all_reduce_latency_us=30, all_reduce_latency_doubling_us=4) == (
        "ok", "31.0 us for small messages over 8 machines, 38 at most is asked",
    )  # fmt: skip


def test_without_a_number_of_the_model_far_above_the_usual_is_a_warning() -> None:
    assert judged(WHOLE, all_reduce_latency_usual_us=20)[0] == "ok"
    assert judged(WHOLE, all_reduce_latency_usual_us=15) == (
        "warn", "24.3 us for small messages over 2 machines, 15 is usual in groups of this size",
    )  # fmt: skip
    verdict, message = judged(WHOLE)
    assert verdict == "info" and message.endswith("nothing is known to compare it with")


def test_a_latency_that_was_not_measured_is_unknown() -> None:
    assert judged(TABLE, all_reduce_latency_us=30) == (
        "unknown", "no small messages were sent, the latency was not measured",
    )  # fmt: skip
