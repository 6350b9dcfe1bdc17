"""What a look takes over from the last one: never a verdict that a whole evaluation would not give.

The looks are those of virtual machines; each is evaluated afresh and with a memory, and both must say the same.
"""

from __future__ import annotations

import base64
import gzip
import json
import random
import re
import time
import uuid
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import health.checks as checks_module
from health.checks import Earlier, Expectation, ExpectedComponent, Finding, Memory, counters_of, evaluate, readings_of
from health.checks import reuse as reusing
from health.checks.model import BadLine, KernelLines
from health.checks.parsers.gpus import Gpu
from health.checks.probes.script import ProbeError, parse_probe, probe_script
from health.checks.verdicts import Verdict
from inventory.specs.device_model import DeviceModelSpec
from simulator import faults, state
from simulator.machine.shell import execute
from simulator.plan import sample_plan

SPEC = DeviceModelSpec.load("dell-xe9680-h100")
NOW = 1_790_000_000.0
PERIOD_S = 300.0
BOOT = str(uuid.UUID(int=7))
OWN_OUTPUT = {"machine_hang", "ssh_stalls", "machine_unreachable", "ssh_refuses", "command_hangs"}
"""Faults with which there is no output to evaluate, or none in time."""
FAULTS = [name for name in faults.CATALOGUE if name not in OWN_OUTPUT]


def machine() -> state.Machine:
    plan = sample_plan(1).machines[0]
    return state.Machine(plan, state.first_state(plan, NOW - 86_400, BOOT))


def answer_of(there: state.Machine, at: float) -> bytes:
    return execute(there, probe_script(SPEC), at).text.encode("utf-8", "surrogateescape")


@cache
def healthy(number: int) -> bytes:
    """The answers of one machine that is well, a period apart."""
    return answer_of(machine(), NOW + number * PERIOD_S)


def expected(**more: Any) -> Expectation:
    plan = sample_plan(1).machines[0]
    parts = {each.slot: ExpectedComponent(each.serial) for group in (plan.gpus, plan.nvmes) for each in group}
    given: dict[str, Any] = {"model": SPEC, "components": parts, "machine_name": plan.name} | more
    return Expectation(**given)


def afresh(answer: bytes, expectation: Expectation) -> list[Finding]:
    return evaluate(parse_probe(answer), None, expectation)


def look(memory: Memory, answer: bytes, expectation: Expectation) -> list[Finding]:
    report = parse_probe(answer, known=memory.digests)
    return evaluate(report, None, expectation, heard=readings_of(report, memory), memory=memory)


def warmed(expectation: Expectation, answers: Iterable[bytes] = ()) -> Memory:
    memory = Memory()
    for answer in answers or (healthy(0), healthy(1)):
        look(memory, answer, expectation)
    return memory


def changed(answer: bytes, command: str, change: Callable[[dict[str, Any], str], None]) -> bytes:
    """The answer with the output of one command changed by `change(row, text)`."""
    document = json.loads(answer)
    row = next(row for row in document["outputs"] if row["command"] == command)
    change(row, gzip.decompress(base64.b64decode(row["out"])).decode())
    return json.dumps(document).encode()


def packed(text: str, mtime: int = 0) -> str:
    return base64.b64encode(gzip.compress(text.encode(), mtime=mtime)).decode()


def command_with(word: str) -> str:
    return next(row["command"] for row in json.loads(healthy(0))["outputs"] if word in row["command"])


def of(findings: Iterable[Finding], check: str) -> list[Finding]:
    return [each for each in findings if each.check == check]


# ---- the same as a whole evaluation ----


def test_a_machine_that_stays_well_is_told_the_same_and_mostly_not_judged_again() -> None:
    expectation, memory = expected(), Memory()
    for number in range(4):
        assert look(memory, healthy(number), expectation) == afresh(healthy(number), expectation)
    assert len(memory._said) > 60, "else nothing is gained"


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault",
    # Each ninth; all of them with `--all`.
    [fault if not number % 9 else pytest.param(fault, marks=pytest.mark.slow) for number, fault in enumerate(FAULTS)],
)
def test_a_fault_shows_at_once_and_is_gone_at_once(fault: str) -> None:
    kind = faults.CATALOGUE[fault]
    there, memory = machine(), Memory()
    earlier: Earlier | None = None
    for number, act in enumerate(("", "begin", "", "end")):
        at = NOW + number * PERIOD_S
        if act == "begin":
            slots = there.plan.slots(kind.slot) if kind.slot else ("",)
            faults.inject(there, fault, at - 5, slot=slots[len(slots) // 2])
        elif act == "end":
            faults.clear(there, at - 5)
        answer, expectation = answer_of(there, at), expected(earlier=earlier)
        try:
            report = parse_probe(answer)
        except ProbeError:  # junk: the look is lost with a memory as it is without
            with pytest.raises(ProbeError):
                look(memory, answer, expectation)
            continue
        assert look(memory, answer, expectation) == afresh(answer, expectation), (fault, number)
        earlier = Earlier(report.time, counters_of(report, readings_of(report), SPEC), report.boot_id)


@pytest.mark.slow
def test_whatever_happens_to_an_output_is_judged_as_if_it_were_the_first() -> None:
    """Each output in turn is empty, cut off, of another status, garbled, or gone, and then as it was."""
    rng = random.Random(13)
    expectation, memory = expected(), warmed(expected())

    def emptied(row: dict[str, Any], text: str) -> None:
        row["out"] = packed("")

    def cut(row: dict[str, Any], text: str) -> None:
        row["out"] = packed(text[: len(text) // 2])

    def failed(row: dict[str, Any], text: str) -> None:
        row["exit"] = 1

    def hung(row: dict[str, Any], text: str) -> None:
        row["exit"] = 124

    def garbled(row: dict[str, Any], text: str) -> None:
        digits = [place for place, each in enumerate(text) if each.isdigit()]
        for place in rng.sample(digits, min(5, len(digits))):
            text = text[:place] + rng.choice("0123456789") + text[place + 1 :]
        row["out"] = packed(text)

    def renamed(row: dict[str, Any], text: str) -> None:
        row["command"] = "true"

    acts = (emptied, cut, failed, hung, garbled, renamed)
    for place, row in enumerate(json.loads(healthy(1))["outputs"]):
        answer = changed(healthy(1), row["command"], acts[place % len(acts)])
        assert look(memory, answer, expectation) == afresh(answer, expectation), row["command"]
        if place % 8 == 0:
            assert look(memory, healthy(1), expectation) == afresh(healthy(1), expectation)


def test_an_answer_that_cannot_be_read_changes_nothing_in_what_is_remembered() -> None:
    expectation, memory = expected(), warmed(expected())
    broken = changed(healthy(2), "ibstat", lambda row, text: row.update(out="!"))
    with pytest.raises(ProbeError):
        look(memory, broken, expectation)
    assert look(memory, healthy(3), expectation) == afresh(healthy(3), expectation)


# ---- what makes a check be judged again ----


def judged(monkeypatch: pytest.MonkeyPatch, memory: Memory, answer: bytes, expectation: Expectation) -> set[str]:
    """The checks that this look did not take over."""
    asked: set[str] = set()
    remember = Memory.remember

    def noted(self: Memory, check: str, *rest: Any) -> None:
        asked.add(check)
        remember(self, check, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(Memory, "remember", noted)
        findings = look(memory, answer, expectation)
    assert findings == afresh(answer, expectation)
    return asked


def everything() -> set[str]:
    return {each.check for each in afresh(healthy(1), expected())}


def test_an_output_that_is_the_same_is_neither_unpacked_nor_read_nor_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = warmed(expected())
    read: list[str] = []
    monkeypatch.setattr(reusing, "read", lambda tool, output: read.append(output.command) or 1 / 0)
    report = parse_probe(healthy(1), known=memory.digests)
    heard = readings_of(report, memory)
    assert not read and all("text" not in vars(output) for output in report.outputs.values() if output.digest)
    assert heard["topology"].trouble == "" and "data" not in vars(heard["topology"])


def test_the_time_at_which_an_output_was_packed_does_not_make_it_another(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = warmed(expected())
    again = changed(healthy(1), "ibstat", lambda row, text: row.update(out=packed(text, mtime=int(time.time()))))
    first = parse_probe(again, known=memory.digests).outputs["ibstat"]
    later = changed(healthy(1), "ibstat", lambda row, text: row.update(out=packed(text, mtime=1)))
    assert first.digest == parse_probe(later, known=memory.digests).outputs["ibstat"].digest


def test_only_the_checks_of_an_output_that_changed_are_judged_again(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = warmed(expected())
    same = judged(monkeypatch, memory, healthy(1), expected())
    answer = changed(healthy(1), "ibstat", lambda row, text: row.update(out=packed(text.replace("Active", "Down", 1))))
    more = judged(monkeypatch, memory, answer, expected()) - same
    assert "ib.link" in more or any(check.startswith("ib.") for check in more)
    assert not any(check.startswith(("nvlink.links", "gpu.topology", "memory.")) for check in more)


def test_temperatures_that_differ_leave_the_other_checks_of_the_gpus_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = warmed(expected())
    again = judged(monkeypatch, memory, healthy(2), expected())
    assert "gpu.temperature" in again
    assert not again & {"gpu.identity", "gpu.vbios", "gpu.ecc", "gpu.row_remap", "nvlink.links", "gpu.topology"}


def test_a_field_of_one_gpu_that_differs_is_judged_again(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = warmed(expected())
    command = command_with("nvidia-smi -q -x")
    serial = sample_plan(1).machines[0].gpus[3].serial
    answer = changed(
        healthy(1), command, lambda row, text: row.update(out=packed(text.replace(serial, "1650000000001")))
    )
    assert "gpu.identity" in judged(monkeypatch, memory, answer, expected())


def test_a_gpu_that_is_gone_is_judged_again_by_whoever_counted_them(monkeypatch: pytest.MonkeyPatch) -> None:
    memory, command = warmed(expected()), command_with("nvidia-smi -q -x")

    def without_one(row: dict[str, Any], text: str) -> None:
        begin, end = text.index("<gpu id"), text.index("</gpu>") + len("</gpu>")
        row["out"] = packed(text[:begin] + text[end:])

    again = judged(monkeypatch, memory, changed(healthy(1), command, without_one), expected())
    assert {"gpu.count", "gpu.topology", "nvlink.links"} <= again


@pytest.mark.slow
@pytest.mark.parametrize(
    "difference",
    [
        {"components": {"GPU 0": ExpectedComponent("another serial")}},
        {"serial": "ABC1234"},
        {"machine_name": "another-name"},
        {"thresholds": {"gpu_temperature_c": 1}},
        {"thresholds_of": {"gpu.temperature": {"gpu_temperature_c": 1}}},
        {"kernel_lines": KernelLines(accepted=frozenset({"a line"}))},
        {"kernel_lines": KernelLines(bad={"a line": BadLine(Verdict.FAIL, "why")})},
        {"bmc_expected": False},
        {"model": replace(SPEC) if hasattr(SPEC, "__dataclass_fields__") else SPEC.model_copy()},
    ],
    ids="-".join,
)
def test_another_expectation_policy_part_or_model_has_everything_judged_again(
    difference: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = warmed(expected())
    assert judged(monkeypatch, memory, healthy(1), expected(**difference)) >= everything()
    assert judged(monkeypatch, memory, healthy(1), expected()) >= everything(), "and again when it is taken back"


def test_another_boot_has_everything_judged_again(monkeypatch: pytest.MonkeyPatch) -> None:
    memory, document = warmed(expected()), json.loads(healthy(1))
    document["boot_id"] = str(uuid.UUID(int=8))
    assert judged(monkeypatch, memory, json.dumps(document).encode(), expected()) >= everything()


def test_counters_that_stand_still_are_compared_with_every_earlier_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """The output is the same to the byte, and yet it says something else beside a lower earlier count."""
    report = parse_probe(healthy(1))
    counters = counters_of(report, readings_of(report), SPEC)
    gpu = next(part for part in counters if part.startswith("GPU"))
    memory = warmed(expected(earlier=Earlier(report.time - 300, counters, BOOT)))
    again = judged(monkeypatch, memory, healthy(1), expected(earlier=Earlier(report.time - 300, counters, BOOT)))
    assert {"ib.counters", "nvlink.errors", "pcie.replays", "gpu.corrected"} <= again
    lower = {part: {name: count - 5_000 for name, count in named.items()} for part, named in counters.items()}
    findings = look(memory, healthy(1), expected(earlier=Earlier(report.time - 300, lower, BOOT)))
    assert any(each.part == gpu and each.verdict is not Verdict.OK for each in findings)


def test_a_clock_is_judged_at_every_look(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = warmed(expected())
    report = parse_probe(healthy(1), received_at=NOW + 40_000, asked_at=NOW + 39_990, known=memory.digests)
    findings = evaluate(report, None, expected(), heard=readings_of(report, memory), memory=memory)
    assert {each.verdict for each in of(findings, "clock.offset")} == {Verdict.FAIL}


def test_a_restart_that_nobody_asked_for_is_judged_at_every_look() -> None:
    memory = warmed(expected())
    wanted = expected(restarted_at=NOW + PERIOD_S - 60)
    assert look(memory, healthy(1), wanted) == afresh(healthy(1), wanted)
    assert of(look(memory, healthy(1), wanted), "system.restart") != of(
        look(memory, healthy(1), expected()), "system.restart"
    )


def test_what_is_not_well_is_never_taken_over(monkeypatch: pytest.MonkeyPatch) -> None:
    there = machine()
    faults.inject(there, "nvlink_down", NOW - 5, slot="GPU 3")
    faults.inject(there, "disk_full", NOW - 5)
    answer = answer_of(there, NOW)
    memory = warmed(expected(), [answer, answer])
    bad = {each.check for each in look(memory, answer, expected()) if each.verdict is not Verdict.OK}
    assert "nvlink.links" in bad and bad <= judged(monkeypatch, memory, answer, expected())


def test_a_look_that_was_not_heard_or_not_read_with_this_memory_takes_nothing_over() -> None:
    memory = warmed(expected())
    unheard = evaluate(None, None, expected(), unreachable="refused", memory=memory)
    assert not any(each.verdict is Verdict.OK for each in unheard if each.check != "bmc.reachable")
    other = parse_probe(changed(healthy(1), "ibstat", lambda row, text: row.update(out=packed(""))))
    assert evaluate(other, None, expected(), memory=memory) == evaluate(other, None, expected())


def test_a_rule_that_breaks_costs_its_verdict_and_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = warmed(expected())
    answer = changed(healthy(1), "ibstat", lambda row, text: row.update(exit=1))
    assert look(memory, answer, expected()) == afresh(answer, expected())
    assert look(memory, healthy(1), expected()) == afresh(healthy(1), expected())


def test_a_parser_that_raises_costs_that_look_and_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever in a report it happens: what was read before it belongs to a look of which nothing was said."""
    commands = [row["command"] for row in json.loads(healthy(2))["outputs"]]
    good = reusing.read
    for raising in (commands[0], command_with("nvidia-smi -q -x"), commands[-1]):
        memory = warmed(expected())

        def read(tool: Any, output: Any, raising: str = raising) -> Any:
            if output.command == raising:
                raise RuntimeError("a parser nobody guarded")
            return good(tool, output)

        def other(row: dict[str, Any], text: str) -> None:
            row["out"] = packed(text + "\n")

        with monkeypatch.context() as patch:
            patch.setattr(reusing, "read", read)
            with pytest.raises(RuntimeError):
                look(memory, changed(healthy(2), raising, other), expected())
        assert judged(monkeypatch, memory, healthy(3), expected()) >= everything()


def test_a_field_of_the_gpus_that_cannot_be_told_any_more_costs_those_who_asked_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    memory = warmed(expected())

    def broken(self: Gpu) -> Any:
        raise RuntimeError("a field nobody guarded")

    monkeypatch.setattr(Gpu, "serial", property(broken, lambda self, value: None), raising=False)
    findings = look(memory, healthy(2), expected())
    assert findings == afresh(healthy(2), expected())
    assert {each.verdict for each in of(findings, "gpu.identity")} == {Verdict.UNKNOWN}
    assert {each.verdict for each in of(findings, "gpu.vbios")} == {Verdict.OK}


def test_of_two_outputs_that_tell_the_same_the_first_counts_though_neither_changed() -> None:
    """Both stay the same to the byte, and only their order in the report is another."""
    document = json.loads(healthy(1))
    row = next(row for row in document["outputs"] if row["command"] == "ibstat")
    text = gzip.decompress(base64.b64decode(row["out"])).decode()
    worse = dict(row, command="/usr/sbin/ibstat", out=packed(text.replace("Active", "Down")))
    document["outputs"].append(worse)
    last = json.dumps(document).encode()
    document["outputs"].insert(0, document["outputs"].pop())
    first = json.dumps(document).encode()
    memory = warmed(expected(), [last, last])
    assert afresh(first, expected()) != afresh(last, expected()), "else nothing is shown here"
    assert look(memory, first, expected()) == afresh(first, expected())


def test_what_is_said_of_the_reach_of_a_machine_is_never_taken_over() -> None:
    memory = warmed(expected())
    report = parse_probe(healthy(1), known=memory.digests)
    heard = readings_of(report, memory)
    findings = evaluate(report, None, expected(), unreachable="refused", heard=heard, memory=memory)
    assert Verdict.OK not in {each.verdict for each in of(findings, "machine.reachable")}


def test_no_rule_reads_a_clock_or_what_its_context_does_not_note() -> None:
    """Either would let a verdict be taken over that is another by now."""
    clock = re.compile(r"\b(?:time\.time|monotonic|perf_counter|now|utcnow|today|localtime|gmtime)\(")
    unnoted = re.compile(r"\bx\._(?:readings|expectation|bmc|machine_time|clock_ahead_s)\b")
    folder = Path(checks_module.__file__).parent
    sources = {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*.py")}
    found = {name for name, text in sources.items() if clock.search(text) or unnoted.search(text)}
    assert len(sources) > 50 and found == set()
