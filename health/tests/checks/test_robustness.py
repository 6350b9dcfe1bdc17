"""Nothing a machine prints makes a check raise, and nothing that was mangled or lost reads as ok."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from health.checks import Expectation, Finding, catalogue, evaluate, layout
from health.checks.parsers.bmc import parse_bmc
from health.checks.parsers.gpus import FIELDS
from health.checks.sources import identify
from health.checks.verdicts import Verdict
from health.tests.checks.samples import CASES, MODEL, bmc, earlier_of, healthy, judged, report, spoiled
from tests.effort import examples

COULD_NOT = "the check could not be computed"
MARKERS = {
    "nvidia-smi -q -x": ["<nvidia_smi_log>", "</gpu>", "<serial>", "<remapped_rows>", "Completed", "16x"],
    "nvidia-smi nvlink -s": ["GPU 0:", "Link 2:", "GB/s"],
    "nvidia-smi topo -m": ["GPU0", "NV4", "NIC0: mlx5_0"],
    "ibstat": ["CA 'mlx5_0'", "State: Active", "Link layer: InfiniBand", "Rate: 400"],
    "docker info --format json": ['"ServerVersion"', '"Runtimes"', "{"],
    "chronyc -n tracking": ["System time", "Leap status"],
    "nvme smart-log -o json /dev/nvme0": ['"critical_warning"', '"avail_spare"', '"percent_used"', "{"],
    "nvme list -o json": ['"Devices"', '"DevicePath"'],
    "systemctl is-active nvidia-fabricmanager": ["active"],
}


def checks_fed_by(command: str) -> set[str]:
    tool = identify(command)
    assert tool
    return {each.id for each in catalogue() if each.needs == tool.reading}


def sound(findings: list[Finding]) -> None:
    """What holds for every report, whatever it holds: no rule broke, and every place has a verdict."""
    assert not [f for f in findings if COULD_NOT in f.message or "could not be read (" in f.message]
    assert {(f.check, f.part) for f in findings} >= set(layout(MODEL))


def mangle(text: str, rng: random.Random) -> str:
    """One of the ways in which an output arrives broken."""
    way = rng.randrange(6)
    at = rng.randrange(max(1, len(text)))
    if way == 0:
        return text[:at]
    if way == 1:
        return ""
    if way == 2:
        return rng.randbytes(rng.randrange(1, 4000)).decode("utf-8", "replace")
    if way == 3:
        return text[:at] + rng.randbytes(20).decode("utf-8", "replace") + text[at + 20 :]
    if way == 4:
        return text[at:]
    words = text.split(" ")
    rng.shuffle(words)
    return " ".join(words)


@pytest.mark.parametrize("count", [100, pytest.param(500, marks=pytest.mark.slow)])
def test_malformed_reports_never_raise_and_junk_never_reads_as_ok(count: int) -> None:
    rng = random.Random(20261120)
    for _ in range(count):
        texts = healthy()
        junk = set()
        for command in rng.sample(sorted(texts), rng.randrange(1, 5)):
            texts[command] = mangle(texts[command], rng)
            if not texts[command].strip() or texts[command].count("\ufffd") > len(texts[command]) / 10:
                junk.add(command)
        findings = judged(texts, bmc_report=bmc(), exits={command: rng.choice([0, 0, 1, 9, 255]) for command in texts})
        sound(findings)
        spoiled_checks = {check for command in junk for check in checks_fed_by(command)}
        assert not [f for f in findings if f.check in spoiled_checks and f.verdict is Verdict.OK]


@pytest.mark.slow
@pytest.mark.parametrize("command", sorted(healthy()))
def test_an_output_cut_anywhere_still_has_a_verdict_on_every_part(command: str) -> None:
    text = healthy()[command]
    for end in range(0, len(text) - 1, max(1, len(text) // examples(20))):
        findings = judged(healthy() | {command: text[:end]}, bmc_report=bmc())
        sound(findings)


@pytest.mark.parametrize(("command", "marker"), [(c, m) for c, markers in MARKERS.items() for m in markers])
def test_a_broken_marker_is_never_ok_everywhere(command: str, marker: str) -> None:
    text = healthy()[command]
    assert marker in text
    broken = text.replace(marker, marker[:-1] + "\ufffd")
    findings = judged(healthy() | {command: broken}, bmc_report=bmc())
    sound(findings)
    touched = [f for f in findings if f.check in checks_fed_by(command)]
    assert any(f.verdict is not Verdict.OK for f in touched), f"{marker!r} broken and all ok"


def test_outputs_of_swapped_commands_are_never_ok() -> None:
    texts = healthy()
    commands = sorted(texts)
    for shift in range(1, len(commands)):
        swapped = {command: texts[commands[(n + shift) % len(commands)]] for n, command in enumerate(commands)}
        findings = judged(swapped)
        sound(findings)
        # df and df -i print the same table, so they may stand for each other; the state files hold the cards' links.
        alike = ("disk.space", "disk.inodes", "hca.pcie_link", "pcie.slots")
        wrong = [f for f in findings if f.verdict is Verdict.OK and not f.check.startswith(alike)]
        assert [f.check for f in wrong] == ["machine.reachable"]


FROM_COMMANDS = sorted(
    c for c, case in CASES.items() if case["command"] != "bmc" and not case.keys() & {"unreachable", "restarted_s"}
)


@pytest.mark.parametrize("check", FROM_COMMANDS)
def test_removing_the_output_never_turns_a_fail_into_ok(check: str) -> None:
    texts = {command: text for command, text in healthy().items() if check not in checks_fed_by(command)}
    assert not [f for f in judged(texts) if f.check == check and f.verdict is Verdict.OK]


# Lists that end nowhere in particular: that a line is missing cannot be seen.
WITHOUT_AN_END = ("kernel.log", "sdr.txt")


@pytest.mark.parametrize("check", [c for c in FROM_COMMANDS if CASES[c]["sample"] not in WITHOUT_AN_END])
def test_cutting_the_output_anywhere_never_turns_a_fail_into_ok(check: str) -> None:
    case = CASES[check]
    text = spoiled(case).rstrip()
    for end in range(0, len(text), max(1, len(text) // examples(40))):
        for finding in judged({case["command"]: text[:end]}, earlier=earlier_of(case)):
            if (finding.check, finding.part) == (check, case["part"]):
                assert finding.verdict is not Verdict.OK or "components" in case, text[max(0, end - 80) : end]


READ_BY = {each.id: set(each.fields) for each in catalogue()}
# What says which GPU it is: all checks of GPUs depend on it.
WHICH_GPU = {"minor_number", "product_name", "serial", "uuid"}


OF_GPUS = sorted(c for c, case in CASES.items() if case["sample"] == "gpus.xml")


@pytest.mark.parametrize("check", OF_GPUS)
def test_removing_a_field_it_reads_never_turns_a_fail_into_ok(check: str) -> None:
    for field in FIELDS:
        if field.xml and field.name in READ_BY[check] | WHICH_GPU:
            never_ok_without(check, field)


@pytest.mark.slow
@pytest.mark.parametrize("check", OF_GPUS)
def test_removing_any_field_never_turns_a_fail_into_ok(check: str) -> None:
    for field in FIELDS:
        if field.xml:
            never_ok_without(check, field)


def never_ok_without(check: str, field: Any) -> None:
    case = CASES[check]
    tag = field.xml.split("|")[0].rpartition("/")[2]
    text = re.sub(rf"\s*<{tag}>[^<]*</{tag}>", "", spoiled(case))
    findings = judged(healthy() | {"nvidia-smi -q -x": text}, earlier=earlier_of(case))
    sound(findings)
    (found,) = [f for f in findings if (f.check, f.part) == (check, case["part"])]
    # A name that is gone leaves nothing to compare with; the other identifiers still are.
    lenient = {("gpu.identity", "product_name"), ("gpu.temperature", "memory_temperature_c")}
    # Drivers drop what a GPU that remaps rows does not have, and applications clocks (from 575 on).
    lenient |= {("gpu.retired_pages", f"retired_{kind}_bit") for kind in ("single", "double")}
    lenient |= {("gpu.clocks", name) for name in ("clock_mhz", "clock_default_mhz")}
    if (check, field.name) not in lenient:
        assert found.verdict is not Verdict.OK, (field.name, found)


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from(sorted(healthy())), st.text(max_size=300), max_size=5))
def test_no_text_whatever_makes_a_report_raise(texts: dict[str, str]) -> None:
    findings = judged(healthy() | texts)
    assert not [f for f in findings if COULD_NOT in f.message]


@settings(max_examples=examples(60), deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(["Status", "Health", "PowerSupplies", "Fans", "Name", "Reading"]), inner, max_size=4
            )
        ),
        max_leaves=20,
    )
)
def test_no_answer_of_a_bmc_makes_it_raise(answer: object) -> None:
    found = parse_bmc({"PowerState": "On", "Status": answer}, answer, answer, answer)
    findings = evaluate(report(healthy()), found, Expectation(MODEL))
    assert not [f for f in findings if COULD_NOT in f.message]


def test_a_wrong_value_of_a_mutation_gives_one_new_finding() -> None:
    """One thing changed on a healthy machine is one check that speaks, on one part."""
    for check, case in CASES.items():
        if (
            case["command"] not in healthy()
            or case.keys() & {"components", "unreachable", "restarted_s"}
            or check == "gpu.count"
        ):
            continue
        texts = healthy() | {case["command"]: spoiled(case)}
        found = judged(texts, bmc_report=bmc(), earlier=earlier_of(case))
        loud = [(f.check, f.part) for f in found if f.verdict in (Verdict.FAIL, Verdict.WARN)]
        assert loud == [(check, case["part"])], (check, loud)
