"""The kernel log in the forms of /dev/kmsg, of the journal and of `dmesg --json` says what plain dmesg says."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from health.checks.kernel_rules import is_judged, kernel_rules
from health.checks.parsers import ParseError
from health.checks.parsers.kernel_forms import plain
from health.checks.parsers.kernel_lines import bodies, body_of
from health.checks.parsers.kernel_log import is_event, parse_kernel_log
from health.checks.probes.script import KERNEL_LOG
from health.checks.saved.signs import command_of
from health.tests.checks.samples import judged, only

LOST = "NVRM: Xid (PCI:0000:a1:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."
FROZEN = "nvme nvme0: frozen state error detected, reset controller"
SAID = ("Linux version 6.5.0-1007-nvidia (a@b) #7-Ubuntu SMP", LOST, FROZEN)
AT = (0, 9_000_000_001, 9_060_000_002)


def kmsg(at: int, said: str) -> str:
    return f"4,{at % 1000},{at},-;{said}\n SUBSYSTEM=pci\n DEVICE=+pci:0000:a1:00.0\n"


def entry(at: int, said: str) -> dict[str, str]:
    return {
        "__CURSOR": "s=1", "__REALTIME_TIMESTAMP": "1710231249000000", "_SOURCE_MONOTONIC_TIMESTAMP": str(at),
        "_TRANSPORT": "kernel", "SYSLOG_IDENTIFIER": "kernel", "MESSAGE": said,
    }  # fmt: skip


def journal(at: int, said: str) -> str:
    return json.dumps(entry(at, said)) + "\n"


def sequence(at: int, said: str) -> str:
    return "\x1e" + journal(at, said)


def pretty(at: int, said: str) -> str:
    return json.dumps(entry(at, said), indent="\t") + "\n"


def dmesg(at: int, said: str) -> str:
    return f"[{at // 1_000_000:5d}.{at % 1_000_000:06d}] {said}\n"


def monotonic(at: int, said: str) -> str:
    return f"[{at // 1_000_000:5d}.{at % 1_000_000:06d}] gpu-r04-u21 kernel: {said}\n"


def iso(at: int, said: str) -> str:
    return f"2024-03-12T08:{at // 60_000_000 % 60:02d}:30+0000 gpu-r04-u21 kernel: {said}\n"


def full(at: int, said: str) -> str:
    return f"Tue 2024-03-12 08:{at // 60_000_000 % 60:02d}:30 UTC gpu-r04-u21 kernel: {said}\n"


def unix(at: int, said: str) -> str:
    return f"{1710231249 + at // 1_000_000}.000001 gpu-r04-u21 kernel: {said}\n"


FORMS = (kmsg, journal, sequence, pretty, dmesg, monotonic, iso, full, unix)
DOCUMENT = json.dumps({"dmesg": [{"pri": 4, "time": at / 1e6, "msg": said} for at, said in zip(AT, SAID, strict=True)]})
LOGS = [*("".join(form(at, said) for at, said in zip(AT, SAID, strict=True)) for form in FORMS), DOCUMENT]
NAMES = [*(form.__name__ for form in FORMS), "dmesg --json"]


@pytest.mark.parametrize("text", LOGS, ids=NAMES)
def test_a_log_in_any_form_gives_the_same_verdicts(text: str) -> None:
    assert command_of("saved-output", text) == "dmesg"
    findings = judged({KERNEL_LOG: text})
    lost = only(findings, "gpu.xid", "GPU 1")
    assert [(str(f.verdict), f.fault_class) for f in lost] == [("fail", "gpu.bus")]
    assert [str(f.verdict) for f in only(findings, "dmesg.known", "NVMe 0")] == ["warn"]
    assert [str(f.verdict) for f in only(findings, "dmesg.unknown")] == ["ok"]


@pytest.mark.parametrize("form", [kmsg, journal, sequence, pretty, dmesg, monotonic])
def test_microseconds_since_boot_are_kept(form: object) -> None:
    text = "".join(form(at, said) for at, said in zip(AT, SAID, strict=True))  # type: ignore[operator]
    assert [each.at_us for each in parse_kernel_log(text).xids] == [AT[1]]


def test_an_entry_with_bytes_that_are_no_text_is_read() -> None:
    row = {**entry(AT[1], ""), "MESSAGE": [*LOST.encode(), 0xFF]}
    (found,) = parse_kernel_log(json.dumps(row) + "\n").xids
    assert found.code == 79


def test_a_kmsg_line_keeps_its_escaped_bytes_and_loses_its_keys() -> None:
    assert plain("6,1234,98765,-;a\\x0ab\n SUBSYSTEM=pci\n") == "[    0.098765] a\n[    0.098765] b"


def test_other_json_is_no_kernel_log() -> None:
    with pytest.raises(ParseError):
        parse_kernel_log('{"Systems": []}')


def test_a_journal_that_says_nothing_is_refused() -> None:
    with pytest.raises(ParseError, match="not a kernel log"):
        parse_kernel_log('{"MESSAGE": ""}')


FAULTS = (LOST, FROZEN, "EDAC MC3: 1 UE memory read error on CPU_SrcID#0_MC#3_Chan#1_DIMM#0", "flux: drained at 0x12")
_LINES = st.lists(
    st.tuples(
        st.sampled_from(FORMS),
        st.integers(0, 10**13),
        st.sampled_from((*SAID, *FAULTS)) | st.text(st.characters(exclude_categories=["Cs"]), max_size=60),
    ),
    max_size=12,
)


@settings(deadline=None)
@given(_LINES, st.integers(0, 4000))
def test_any_order_of_forms_and_any_cut_is_read_or_refused(lines: list[tuple[object, int, str]], cut: int) -> None:
    whole = "".join(form(at, said) for form, at, said in lines)  # type: ignore[operator]
    for text in (whole, whole[:cut], whole[cut:]):
        plain(text)
        try:
            log = parse_kernel_log(text)
        except ParseError:
            continue
        assert log.lines <= len(log.text.splitlines())
        for _ in bodies(log.text):
            pass


@settings(deadline=None)
@given(_LINES, st.sampled_from(FORMS), st.sampled_from(FAULTS), st.data())
def test_an_error_among_any_other_lines_is_never_silent(
    lines: list[tuple[object, int, str]], form: object, fault: str, data: st.DataObject
) -> None:
    pieces = [each(at, said.replace("{", "")) for each, at, said in lines]  # type: ignore[operator]
    pieces.insert(data.draw(st.integers(0, len(pieces))), "\n" + form(AT[1], fault))  # type: ignore[operator]
    log = parse_kernel_log("".join(pieces))
    assert fault in {body_of(line) for line in log.text.splitlines()}
    assert is_event(fault) or any(rule.find(fault) for rule in kernel_rules()) or not is_judged(fault)
    if fault == LOST:
        assert 79 in {each.code for each in log.xids}


@settings(deadline=None)
@given(st.sampled_from(FORMS), st.sampled_from(FAULTS), st.data())
def test_a_cut_line_is_still_told_in_some_way(form: object, fault: str, data: st.DataObject) -> None:
    text = form(AT[1], fault)  # type: ignore[operator]
    begin = text.index(fault)
    cut = text[: data.draw(st.integers(begin + 12, len(text)))]
    said = [body for _, body in bodies(plain(cut))]
    assert any(fault[:12].strip() in body for body in said)


def test_the_forms_are_read_in_linear_time() -> None:
    broken = '{"MESSAGE": "' + "x" * 50_000 + "\n"
    assert len([line for line in plain(broken * 20).splitlines() if line]) == 20
