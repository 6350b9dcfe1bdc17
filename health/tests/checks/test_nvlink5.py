"""NVLink 5 errors (Xid 144 to 150) by NVIDIA's table; what every GPU error asks for in words and in its first step."""

from __future__ import annotations

from collections import Counter

import pytest

from health.checks.faults import FAULT_CLASSES
from health.checks.levels import Rung
from health.checks.nvlink5 import CODES, Row, look_up, table
from health.checks.parsers.kernel_log import SXid, Xid
from health.checks.verdicts import Verdict
from health.checks.xid import RECOVERY_ACTIONS, Meaning, decode, decode_sxid, sxid_table, xid_table
from health.tests.checks.samples import judged, only, sample

ROWS = [(code, row) for code, rows in table().items() for row in rows]
WANTED = {"reset_gpu": Verdict.FAIL, "xid_154": Verdict.WARN, "ignore": Verdict.INFO}


def line_of(row: Row, word: str, *, low: int, unit: int = -1, more: int = 0) -> str:
    first = row.link_reason << 20 | low | more
    return f"{row.units[unit]} {word} XC0 i0 Link 02 (0x{first:08x} 0x{row.status or 0:08x} 0x00000000 0x00000000)"


def meaning(code: int, detail: str) -> Meaning:
    return decode(Xid("0000:a1:00", code, detail, detail))


def test_the_table_is_nvidias_in_full() -> None:
    assert len(ROWS) == 96
    kinds = Counter((row.severity, row.resolution) for _, row in ROWS)
    assert kinds[("non-fatal", "ignore")] == 43
    assert sum(count for (severity, _), count in kinds.items() if severity == "non-fatal") == 51
    assert set(table()) == set(CODES)


@pytest.mark.parametrize("word", ["Fatal", "Nonfatal"])
def test_every_row_is_judged_by_the_table_whatever_word_the_line_has(word: str) -> None:
    for code, row in ROWS:
        for low, unit in ((row.low_before_r575, 0), (row.low_from_r575, -1)):
            said = look_up(code, line_of(row, word, low=low, unit=unit))
            assert said is not None, (code, row)
            assert (said.resolution, said.severity) == (row.resolution, row.severity)
            judged = meaning(code, line_of(row, word, low=low, unit=unit))
            assert code == 150 or judged.verdict is WANTED[row.resolution]


def test_most_nonfatal_rows_are_to_be_ignored_and_some_are_not() -> None:
    ignored = "RLW_REMAP Nonfatal XC0 i0 Link 02 (0x00000004 0x00000100 0x00000000)"
    followed = "RLW_REMAP Nonfatal XC0 i0 Link 02 (0x00000004 0x00000001 0x00000000)"
    reset = "RLW_REMAP Nonfatal XC1 i0 Link 10 (0x00000082 0x00000040 0x00000000)"
    assert [meaning(145, each).verdict for each in (ignored, followed, reset)] == [
        Verdict.INFO,
        Verdict.WARN,
        Verdict.FAIL,
    ]


def test_a_lost_packet_marked_by_the_sender_asks_for_a_reset() -> None:
    plain = "RLW_RXPIPE Nonfatal XC0 i0 Link 02 (0x{:08x} 0x00000001 0x00000000)"
    for low, mark in ((0b0011000010, 1 << 10), (0b0000110, 1 << 7)):
        assert meaning(145, plain.format(low)).verdict is Verdict.INFO
        assert meaning(145, plain.format(low | mark)).verdict is Verdict.FAIL


def test_a_link_that_went_down_says_whose_it_is() -> None:
    said = look_up(149, "NETIR_LINK_EVT  Fatal   XC0 i0 Link 01 (0x021425c6 0x00000000 0x00000000 0x00000000)")
    assert said is not None
    assert (said.resolution, said.investigate) == ("reset_gpu", "peer")


def test_of_several_bits_the_worst_counts_and_an_unnamed_one_is_unknown() -> None:
    detail = "RLW_REMAP Nonfatal XC0 i0 Link 02 (0x00000004 0x{:08x} 0x00000000)"
    assert meaning(145, detail.format(0x140)).verdict is Verdict.FAIL
    assert meaning(145, detail.format(0x300)).verdict is Verdict.INFO
    assert meaning(145, detail.format(0x4100)).verdict is Verdict.WARN


@pytest.mark.parametrize(
    "detail",
    [
        "RLW_REMAP Nonfatal XC0 i0 Link 02",
        "RLW_REMAP Fatal XC0 i0 Link 02",
        "RLW_NEW Nonfatal XC0 i0 Link 02 (0x00000004 0x00000001)",
        "RLW_REMAP Nonfatal XC0 i0 Link 02 (0x00000005 0x00000001)",
        "",
    ],
)
def test_what_is_not_in_the_table_is_for_a_person(detail: str) -> None:
    judged = meaning(145, detail)
    assert judged.verdict is Verdict.WARN
    assert "not in NVIDIA's table" in judged.text
    assert "A person decides" in judged.action


def test_a_gsp_that_does_not_answer_begins_at_a_reset_of_the_gpu() -> None:
    for code in (119, 120):
        judged = meaning(code, "Timeout after 6s of waiting for RPC response from GPU4 GSP!")
        assert judged.rung is Rung.GPU_RESET
        assert judged.action.startswith("Drain and reset this GPU; when the reset fails power cycle")


FIRST_WORDS = {
    Rung.GPU_RESET: ("Drain and reset this GPU", "Stop all work on this GPU and drain and reset it"),
    Rung.REBOOT: ("Drain and reboot",),
    Rung.POWER_CYCLE: ("Drain and power cycle",),
    Rung.TICKET: ("Check ", "Have a technician"),
}


def test_words_and_first_step_of_every_failing_code_say_the_same() -> None:
    for code, row in xid_table().items():
        if row.verdict is not Verdict.FAIL:
            continue
        first = max(row.rung, FAULT_CLASSES[row.fault_class or ""].start_rung)
        assert first is row.rung, f"Xid {code} begins at {first.name}, its row says {row.rung.name}"
        assert row.action.startswith(FIRST_WORDS[row.rung]), f"Xid {code}: {row.action}"


@pytest.mark.parametrize(
    ("name", "first", "rung"),
    [
        ("Drain P2P", "Drain this GPU and all work that reaches it", Rung.GPU_RESET),
        ("Reboot", "Drain and reboot the machine", Rung.REBOOT),
        ("Reset", "Drain and reset this GPU", Rung.GPU_RESET),
        ("Drain and Reset", "Drain and reset this GPU", Rung.GPU_RESET),
        ("Something New", "Drain this GPU and ask the vendor", Rung.GPU_RESET),
    ],
)
def test_a_recovery_action_that_nvidia_smi_names_is_told_as_something_to_do(name: str, first: str, rung: Rung) -> None:
    text = sample("gpus.xml").replace(
        "</minor_number>", f"</minor_number><gpu_recovery_action>{name}</gpu_recovery_action>", 1
    )
    (told,) = [f for f in only(judged({"nvidia-smi -q -x": text}), "gpu.reset") if f.verdict is Verdict.FAIL]
    assert told.action.startswith(first)
    assert told.start_rung == rung


def test_no_raw_field_and_no_evidence_stands_as_advice() -> None:
    advice = [row.action for row in xid_table().values()]
    advice += [action for _, _, action, _ in RECOVERY_ACTIONS.values()]
    advice += [meaning(code, line_of(row, "Fatal", low=row.low_from_r575)).action for code, row in ROWS]
    advice += [decode_sxid(SXid("0000:84:00.0", code, None, "x", "x")).action for code in (*sxid_table(), 99999)]
    for said in filter(None, advice):
        assert said not in ("Drain P2P", "Drain and Reset", "GPU Reset Required", "Node Reboot Required", "None")
        assert "evidence" not in said and "Read the line" not in said
        assert said[0].isupper() and said.endswith(".") and len(said.split()) > 2, said
