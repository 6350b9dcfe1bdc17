"""What jobs and crashes left behind, and the ways between parts: the edges that the samples do not show."""

from __future__ import annotations

import pytest

from health.checks import Earlier, Expectation, ExpectedComponent, Finding, counters_of, evaluate, readings_of
from health.checks.probes.cards import BRIDGES, CARD_FILES, GPU_PEERS
from health.checks.probes.host import LEFTOVERS
from health.checks.verdicts import Verdict
from health.machines.restarts import COUNTER, restarted_at
from health.tests.checks.samples import BOOT, MODEL, REPORT_TIME, judged, only, report, sample

STUCK = "D   51822    9000 {}\n"


def found(check: str, command: str, text: str, earlier: Earlier | None = None, part: str | None = None) -> Finding:
    (finding,) = only(judged({command: text}, earlier=earlier), check, part)
    return finding


def leftovers(*, add: str = "", old: str = "", new: str = "") -> str:
    return sample("leftovers.txt").replace("COMMAND\n", f"COMMAND\n{add}").replace(old, new or old)


def test_a_process_blocked_in_one_look_alone_is_no_finding() -> None:
    assert found("system.processes", LEFTOVERS, leftovers(add=STUCK.format("nvidia-smi"))).verdict is Verdict.OK


def test_what_a_look_leaves_is_what_the_next_one_finds_still_blocked() -> None:
    text = leftovers(add=STUCK.format("python3"))
    looked = report({LEFTOVERS: text})
    left = counters_of(looked, readings_of(looked), MODEL)
    later = Earlier(REPORT_TIME - 300, left, BOOT)
    finding = found("system.processes", LEFTOVERS, text, later)
    assert finding.verdict is Verdict.WARN and "python3 (process 51822)" in finding.message


@pytest.mark.parametrize(
    "earlier",
    [
        Earlier(REPORT_TIME - 300, {"machine": {"blocked 51822": 1_759_000_000}}, BOOT),
        Earlier(REPORT_TIME - 300, {"machine": {"blocked 51822": int(REPORT_TIME) - 9000}}, "another boot"),
    ],
    ids=["another process of that number", "of another boot"],
)
def test_another_process_of_the_same_number_is_not_taken_for_it(earlier: Earlier) -> None:
    text = leftovers(add=STUCK.format("nvidia-smi"))
    assert found("system.processes", LEFTOVERS, text, earlier).verdict is Verdict.OK


@pytest.mark.parametrize(("dead", "verdict"), [(999, Verdict.OK), (1000, Verdict.WARN)])
def test_a_thousand_dead_processes_warn(dead: int, verdict: Verdict) -> None:
    rows = "".join(f"Z {pid:7} 60 worker <defunct>\n" for pid in range(1000, 1000 + dead - 1))
    assert found("system.processes", LEFTOVERS, leftovers(add=rows)).verdict is verdict


def test_without_ps_the_processes_are_unknown_and_the_crash_records_are_read_all_the_same() -> None:
    text = leftovers(old="S     PID ELAPSED COMMAND\n", new="sh: 1: ps: not found\n")
    assert found("system.processes", LEFTOVERS, text).verdict is Verdict.UNKNOWN
    assert found("system.crashes", LEFTOVERS, text).verdict is Verdict.OK


@pytest.mark.parametrize(
    ("at", "verdict"),
    [(1759913599 - 7300, Verdict.INFO), (1759913599 - 7100, Verdict.FAIL), (1759913599 + 500, Verdict.FAIL)],
)
def test_only_a_crash_record_of_about_this_start_fails(at: int, verdict: Verdict) -> None:
    record = f"{at}:/var/lib/systemd/pstore/175/dmesg.txt\n"
    finding = found("system.crashes", LEFTOVERS, leftovers(old="stat: cannot", new=record + "stat: cannot"))
    assert finding.verdict is verdict


def test_a_crash_is_one_event_of_its_boot_however_often_it_is_seen() -> None:
    record = "1759913571:/var/crash/202510080900/dmesg.202510080900\n"
    text = leftovers(old="stat: cannot statx '/var/crash", new=record + "stat: cannot statx '/var/crash")
    first = found("system.crashes", LEFTOVERS, text)
    again = found("system.crashes", LEFTOVERS, text + "")
    assert first.event_key == again.event_key and BOOT in str(first.event_key)
    assert first.event_at_us == again.event_at_us is not None


def test_crash_records_that_may_not_be_read_are_unknown() -> None:
    text = leftovers(old="'/sys/fs/pstore/*': No such file or directory", new="'/sys/fs/pstore/*': Permission denied")
    assert found("system.crashes", LEFTOVERS, text).verdict is Verdict.UNKNOWN


def test_memory_of_a_gpu_that_a_process_uses_is_no_leftover() -> None:
    text = sample("gpus.xml").replace("<used>1 MiB", "<used>70000 MiB")
    process = "<processes><process_info><pid>4711</pid><used_memory>69000 MiB</used_memory></process_info>"
    command = "nvidia-smi -q -x"
    assert found("gpu.leftover", command, text, part="GPU 0").verdict is Verdict.WARN
    assert found("gpu.leftover", command, text.replace("<processes>", process), part="GPU 0").verdict is Verdict.OK


def test_two_gpus_that_do_not_reach_each_other_are_one_finding_on_the_worse() -> None:
    names = "\t".join(f"GPU{n}" for n in range(2))
    text = f"\t{names}\nGPU0\tX\tOK\nGPU1\tNS\tX\n\nLegend:\n"
    loud = [f for f in only(judged({GPU_PEERS: text}), "gpu.peers") if f.verdict is Verdict.FAIL]
    assert len(loud) == 1 and "is NS" in loud[0].message, "told in one row alone it is reported all the same"


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ("SrcValid- TransBlk- ReqRedir-", "SrcValid+ TransBlk- ReqRedir-", Verdict.WARN),
        ("\t\tACSCtl:\tSrcValid-", "\t\tACSCap:\tSrcValid-", Verdict.UNKNOWN),
        ("\tCapabilities: [148 v1] Access Control Services", "\tCapabilities: <access denied>", Verdict.UNKNOWN),
        ("end of bridges", "", Verdict.UNKNOWN),
    ],
)
def test_access_control_is_read_from_its_control_word(old: str, new: str, verdict: Verdict) -> None:
    text = sample("bridges.txt")
    assert old in text
    assert found("pcie.acs", BRIDGES, text.replace(old, new, 1)).verdict is verdict


def test_a_card_without_ports_is_not_taken_for_one_without_its_nodes() -> None:
    lines = [line for line in sample("card_files.txt").splitlines(keepends=True) if "mlx5_1" not in line]
    for check in ("hca.nodes", "hca.place", "ib.pkeys", "hca.mtu"):
        assert found(check, CARD_FILES, "".join(lines), part="HCA mlx5_1").verdict is Verdict.UNKNOWN


def test_an_interface_that_is_down_has_no_wrong_mtu() -> None:
    text = sample("card_files.txt").replace("ib0/mtu:4092", "ib0/mtu:2044")
    assert found("hca.mtu", CARD_FILES, text, part="HCA mlx5_0").verdict is Verdict.WARN
    down = text.replace("ib0/operstate:up", "ib0/operstate:down")
    assert found("hca.mtu", CARD_FILES, down, part="HCA mlx5_0").verdict is Verdict.OK


def test_the_model_says_which_partition_keys_and_mtu_are_right() -> None:
    expected = {**MODEL.expected, "pkeys": {"InfiniBand": ["0xffff"]}, "mtu": {"Ethernet": 1500}}
    model = MODEL.model_copy(update={"expected": expected})
    findings = judged({CARD_FILES: sample("card_files.txt")}, model=model)
    assert {f.part for f in only(findings, "ib.pkeys") if f.verdict is Verdict.FAIL} == {"HCA mlx5_0", "HCA mlx5_1"}
    assert {f.part for f in only(findings, "hca.mtu") if f.verdict is Verdict.WARN} == {"HCA mlx5_2"}


@pytest.mark.parametrize(
    ("boot", "before", "in_service_since", "expected"),
    [
        ("b", ("a", 1000.0, {}), 500.0, 1200.0),
        ("b", ("a", 1000.0, {}), 1100.0, None),
        ("b", ("a", 1000.0, {}), None, None),
        ("b", None, 500.0, None),
        ("b", ("", 1000.0, {}), 500.0, None),
        ("b", ("b", 1300.0, {COUNTER: 1200}), None, 1200.0),
        ("c", ("b", 1300.0, {COUNTER: 1200}), None, None),
    ],
    ids=["by itself", "out of service meanwhile", "out of service still", "the first look", "boot not known",
         "told again in the same boot", "forgotten after a start that was asked for"],
)  # fmt: skip
def test_a_new_boot_is_by_itself_when_the_machine_was_in_service_all_the_time(
    boot: str, before: tuple[str, float, dict[str, int]] | None, in_service_since: float | None, expected: float | None
) -> None:
    assert restarted_at(boot, 1200.0, before, in_service_since) == expected


def test_a_restart_is_told_for_a_day() -> None:
    def verdict(hours: float) -> Verdict:
        expectation = Expectation(MODEL, {"GPU 0": ExpectedComponent()}, restarted_at=REPORT_TIME - hours * 3600)
        (finding,) = only(
            evaluate(report({"cat /proc/uptime": "600.00 1200.00\n"}), None, expectation), "system.restart"
        )
        return finding.verdict

    assert verdict(23.9) is Verdict.WARN
    assert verdict(24.1) is Verdict.OK
