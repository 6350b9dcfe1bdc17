"""Counters are judged by how they grew between two looks, over resets and restarts of the machine."""

from __future__ import annotations

from dataclasses import fields

import pytest

from health.checks import Earlier, Finding, counters_of, readings_of
from health.checks.model import Outcome, ok
from health.checks.verdicts import Verdict
from health.tests.checks.samples import BOOT, MODEL, REPORT_TIME, bmc, healthy, judged, only, report, sample

QUERY = "nvidia-smi -q -x"


def of_gpu(check: str, earlier: Earlier | None, **counters: int) -> Finding:
    """The finding on GPU 0, whose XML shows these counters."""
    text = sample("gpus.xml")
    for tag, value in counters.items():
        old = {"dram_correctable": 0, "replay_counter": 3}[tag]
        text = text.replace(f"<{tag}>{old}<", f"<{tag}>{value}<", 1)
    (found,) = only(judged({QUERY: text}, earlier=earlier), check, "GPU 0")
    return found


def an_hour_ago(boot_id: str = BOOT, **counters: int) -> Earlier:
    named = {name.replace("_", " "): value for name, value in counters.items()}
    return Earlier(REPORT_TIME - 3600, {"GPU 0": named}, boot_id)


def test_a_high_counter_that_does_not_grow_is_ok() -> None:
    found = of_gpu("gpu.corrected", an_hour_ago(corrected_memory_errors=2_000_000), dram_correctable=2_000_000)
    assert found.verdict is Verdict.OK


@pytest.mark.parametrize(("grown", "verdict"), [(9_999, Verdict.INFO), (10_000, Verdict.WARN)])
def test_corrected_errors_warn_at_ten_thousand_an_hour(grown: int, verdict: Verdict) -> None:
    assert of_gpu("gpu.corrected", an_hour_ago(corrected_memory_errors=0), dram_correctable=grown).verdict is verdict


def test_a_counter_lower_than_before_was_reset_and_grew_by_what_it_shows() -> None:
    found = of_gpu("gpu.corrected", an_hour_ago(corrected_memory_errors=50_000), dram_correctable=20_000)
    assert (found.verdict, found.value) == (Verdict.WARN, 20_000)


def test_after_a_new_start_a_counter_grew_by_all_it_shows() -> None:
    same = of_gpu("gpu.corrected", an_hour_ago(corrected_memory_errors=15_000), dram_correctable=20_000)
    before = an_hour_ago("another boot", corrected_memory_errors=15_000)
    other = of_gpu("gpu.corrected", before, dram_correctable=20_000)
    assert (same.verdict, same.value) == (Verdict.INFO, 5_000)
    assert (other.verdict, other.value) == (Verdict.WARN, 20_000)


def test_the_first_look_at_a_counter_is_only_noted() -> None:
    assert of_gpu("gpu.corrected", None, dram_correctable=5_000_000).verdict is Verdict.OK
    assert of_gpu("pcie.replays", None, replay_counter=100_000).verdict is Verdict.OK


def test_a_clock_that_was_set_back_leaves_nothing_to_compare_with() -> None:
    later = Earlier(REPORT_TIME + 600, {"GPU 0": {"PCIe replays": 0}}, BOOT)
    found = of_gpu("pcie.replays", later, replay_counter=100_000)
    assert "nothing to compare with" in found.message


def test_what_a_look_leaves_is_what_the_next_compares_with() -> None:
    told = report(healthy())
    left = counters_of(told, readings_of(told), MODEL)
    assert left["GPU 0"]["PCIe replays"] == 3
    assert left["GPU 0"]["link 3 CRC Errors"] == 0
    assert left["HCA mlx5_0"]["link_downed"] == 1
    grown = [f for f in judged(healthy(), earlier=Earlier(REPORT_TIME - 300, left, BOOT)) if "grew" in f.message]
    assert {f.verdict for f in grown} <= {Verdict.OK}


def test_a_finding_made_the_quick_way_has_every_field() -> None:
    for found in judged({**healthy(), "ibstat": "no such thing"}, bmc_report=bmc()):
        assert found == Finding(**{each.name: getattr(found, each.name) for each in fields(Finding)})


def test_an_ok_said_the_quick_way_is_the_same_outcome() -> None:
    assert ok("fine") == Outcome(Verdict.OK, "fine")
    assert ok("fine", value=3, observed={"a": 1}) == Outcome(Verdict.OK, "fine", value=3, observed={"a": 1})
