"""What tests under load print, judged: the right part is named, and what is missing or cut off is never a pass."""

from __future__ import annotations

import json
from typing import Any

import pytest

from health.checks import Expectation, Finding
from health.checks.parsers import ParseError
from health.checks.parsers.all_reduce import parse_all_reduce
from health.checks.parsers.load_tests import parse_nvbandwidth
from health.checks.verdicts import Verdict
from health.diagnostics.judgement import Printed, findings_of, verdict_of
from health.tests.checks.samples import MODEL, XE9680, sample
from simulator.outputs import active as hall
from simulator.plan import sample_plan
from simulator.state import Machine, first_state

STRESS, COPIES = ("gpu.stress",), ("pcie.bandwidth", "nvlink.bandwidth")


def judged(checks: tuple[str, ...], line: str, text: str, *, status: int = 0, model: Any = XE9680) -> list[Finding]:
    return findings_of(checks, [Printed(line, status, text)], Expectation(model))


def bad(findings: list[Finding]) -> dict[str, str]:
    return {f.part: str(f.verdict) for f in findings if f.verdict not in (Verdict.OK, Verdict.INFO)}


def stressed(**changes: dict[str, Any]) -> str:
    """Eight GPUs that agree; `gpu3={...}` changes one."""
    rows = [
        {"index": n, "uuid": "", "tflops": 600.0, "checksums": {"bfloat16": {"aa": 10}}, "celsius": 60, "error": ""}
        | changes.get(f"gpu{n}", {})
        for n in range(8)
    ]
    return json.dumps({"rackside_gpu_stress": 1, "seconds": 60.0, "gpus": rows, "complete": True})


def test_most_gpus_name_the_one_that_computes_wrong() -> None:
    found = judged(STRESS, "gpu_stress", stressed(gpu3={"checksums": {"bfloat16": {"bb": 10}}}))
    assert bad(found) == {"GPU 3": "fail"}
    wrong = next(f for f in found if f.part == "GPU 3")
    assert "another result than most of 8 GPUs" in wrong.message and "replace" in wrong.action


def test_a_gpu_that_contradicts_itself_is_named_even_alone_with_one_other() -> None:
    text = stressed(gpu5={"checksums": {"bfloat16": {"aa": 9, "cc": 1}}})
    assert bad(judged(STRESS, "gpu_stress", text)) == {"GPU 5": "fail"}


def test_a_tie_accuses_nobody() -> None:
    halves = {f"gpu{n}": {"checksums": {"bfloat16": {"bb": 10}}} for n in range(4)}
    assert set(bad(judged(STRESS, "gpu_stress", stressed(**halves))).values()) == {"unknown"}


@pytest.mark.parametrize(
    ("change", "verdict"),
    [({"tflops": 400.0}, "fail"), ({"tflops": None}, "unknown"), ({"checksums": {}}, "unknown"),
     ({"error": "OutOfMemoryError"}, "unknown"), ({"celsius": 90}, "warn")],
)  # fmt: skip
def test_a_slow_silent_broken_or_hot_gpu_is_told(change: dict[str, Any], verdict: str) -> None:
    assert bad(judged(STRESS, "gpu_stress", stressed(gpu1=change))) == {"GPU 1": verdict}


def test_gpus_that_took_no_part_are_unknown() -> None:
    text = json.loads(stressed())
    text["gpus"] = text["gpus"][:7]
    assert "unknown" in bad(judged(STRESS, "gpu_stress", json.dumps(text))).values()
    assert verdict_of(STRESS, judged(STRESS, "gpu_stress", json.dumps(text)), [], {})[0] == "unknown"


def test_a_good_output_with_a_bad_exit_status_is_no_pass() -> None:
    printed = [Printed("gpu_stress", 1, stressed())]
    assert verdict_of(STRESS, findings_of(STRESS, printed, Expectation(XE9680)), printed, {})[0] == "unknown"
    good = [Printed("gpu_stress", 0, stressed())]
    assert verdict_of(STRESS, findings_of(STRESS, good, Expectation(XE9680)), good, {})[0] == "pass"


def test_a_command_that_is_not_installed_is_unknown() -> None:
    diagnostic = (("gpu.diagnostic",), "dcgmi diag -r 2 -j")
    for checks, line in ((STRESS, "python3 gpu_stress.py"), (COPIES, "nvbandwidth -t x"), diagnostic):
        printed = [Printed(line, 127, "", "sh: not found")]
        assert verdict_of(checks, findings_of(checks, printed, Expectation(XE9680)), printed, {})[0] == "unknown"


@pytest.mark.parametrize("line", ["nvbandwidth -t x", "all_reduce_perf -g 2", "gpu_stress", "train.py"])
def test_no_cut_of_an_output_is_a_pass(line: str) -> None:
    names = {"nvbandwidth -t x": "nvbandwidth.txt", "all_reduce_perf -g 2": "all_reduce_perf.txt",
             "gpu_stress": "gpu_stress.json", "train.py": "train.json"}  # fmt: skip
    checks = {"nvbandwidth -t x": COPIES, "all_reduce_perf -g 2": ("nvlink.allreduce",), "gpu_stress": STRESS,
              "train.py": ("machine.training",)}[line]  # fmt: skip
    whole = sample(names[line])
    end = len(whole.rstrip()) - (40 if "all_reduce" in line else 12)
    for cut in range(0, end, max(1, end // 60)):
        printed = [Printed(line, 0, whole[:cut])]
        assert verdict_of(checks, findings_of(checks, printed, Expectation(MODEL)), printed, {})[0] != "pass", cut


def test_nvbandwidth_is_read_as_json_too() -> None:
    cases = [
        {"name": "host_to_device_memcpy_ce", "status": "Passed", "bandwidth_matrix": [["55.56", "27.10"]]},
        {"name": "device_to_host_memcpy_ce", "status": "Passed", "bandwidth_matrix": [["55.16", "55.12"]]},
        {"name": "device_to_device_memcpy_read_ce", "status": "Passed",
         "bandwidth_matrix": [["N/A", "394.9"], ["394.8", "N/A"]]},
    ]  # fmt: skip
    text = "* hwloc received invalid information\n" + json.dumps({"nvbandwidth": {"testcases": cases}})
    assert bad(judged(COPIES, "nvbandwidth -j", text, model=MODEL)) == {"GPU 1": "fail"}
    cases[2] = {"name": "device_to_device_memcpy_read_ce", "status": "ERROR"}
    text = json.dumps({"nvbandwidth": {"testcases": cases}})
    assert bad(judged(("nvlink.bandwidth",), "nvbandwidth -j", text, model=MODEL)) == dict.fromkeys(
        ["GPU 0", "GPU 1"], "unknown"
    )
    with pytest.raises(ParseError):
        parse_nvbandwidth('{"nvbandwidth": {"error": "no device"}}')


def test_an_all_reduce_over_machines_is_judged_as_one_over_machines() -> None:
    text = sample("all_reduce_perf.txt").replace("sample-1 device  1", "sample-2 device  0")
    found = parse_all_reduce(text)
    assert found.machines == ("sample-1", "sample-2")
    (finding,) = judged(("nvlink.allreduce",), "mpirun -np 2 all_reduce_perf", text, model=MODEL)
    assert finding.verdict is Verdict.OK and "over 2 machines, 350 is asked" in finding.message
    (slow,) = judged(("nvlink.allreduce",), "mpirun x all_reduce_perf", text.replace("469.95", "340.00"), model=MODEL)
    assert (slow.verdict, slow.fault_class) == (Verdict.FAIL, "hca.slow")


def test_wrong_values_of_a_collective_fail_and_unchecked_ones_are_unknown() -> None:
    text = sample("all_reduce_perf.txt")
    wrong = text.replace("469.95      0", "469.95      7").replace("values : 0 OK", "values : 7 FAILED")
    (finding,) = judged(("nvlink.allreduce",), "all_reduce_perf", wrong, model=MODEL)
    assert finding.verdict is Verdict.FAIL and "7 wrong values" in finding.message
    unchecked = text.replace("      0    1", "    N/A    1").replace("      0    3", "    N/A    3")
    unchecked = "\n".join(line[:-1] + "N/A" if line.endswith("     0") else line for line in unchecked.splitlines())
    (finding,) = judged(("nvlink.allreduce",), "all_reduce_perf", unchecked, model=MODEL)
    assert finding.verdict is Verdict.UNKNOWN


def test_ranks_that_end_with_other_weights_are_named() -> None:
    ranks = [{"tflops": 400.0, "checksum": "aa" if n != 6 else "bb"} for n in range(8)]
    row = {"rackside_training": 1, "device": "cuda", "world": 8, "losses": [9.0, 3.0], "ranks": ranks, "complete": True}
    found = bad(judged(("machine.training",), "train.py", json.dumps(row)))
    assert found == {"machine": "fail", "GPU 6": "fail"}
    row["losses"] = [9.0, "nan"]
    assert bad(judged(("machine.training",), "train.py", json.dumps(row)))["machine"] == "fail"


def test_the_model_s_expectation_of_speed_counts_when_there_is_one() -> None:
    ranks = [{"tflops": 300.0, "checksum": "aa"}] * 8
    row = {"rackside_training": 1, "device": "cuda", "world": 8, "losses": [9.0, 3.0], "ranks": ranks, "complete": True}
    printed = [Printed("train.py", 0, json.dumps(row))]
    for expected, verdict in ((0, "ok"), (320, "ok"), (340, "fail")):
        expectation = Expectation(XE9680, thresholds={"training_expected_tflops": expected})
        (finding,) = findings_of(("machine.training",), printed, expectation)
        assert str(finding.verdict) == verdict


def test_what_the_hall_prints_is_read_as_the_real_tools_are() -> None:
    plan = sample_plan(1).machines[0]
    machine = Machine(plan, first_state(plan, 1.8e9, "boot"))
    for checks, line, answer in (
        (("gpu.diagnostic",), "dcgmi diag -r 3 -j", hall.dcgmi(machine, ["diag", "-r", "3", "-j"])),
        (STRESS, "python3 gpu_stress.py", hall.stress(machine, 60)),
        (("machine.training",), "torchrun train.py", hall.training(machine, 10, len(plan.gpus))),
        (("nvlink.allreduce",), "all_reduce_perf -g 8", hall.all_reduce(machine, ["-g", str(len(plan.gpus))])),
    ):
        printed = [Printed(line, answer[0], answer[1])]
        found = findings_of(checks, printed, Expectation(XE9680))
        assert verdict_of(checks, found, printed, {})[0] == "pass", found


def test_why_a_test_failed_names_the_part_as_the_chassis_does() -> None:
    found = judged(STRESS, "gpu_stress", stressed(gpu3={"tflops": 400.0}))
    verdict, why = verdict_of(STRESS, found, [], {"GPU 3": "SXM 4 (GPU 3)"})
    assert verdict == "fail" and why.startswith("SXM 4 (GPU 3): ")
