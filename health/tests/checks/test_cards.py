"""Network cards by the vendor's tools, counters by growth, PCIe, GPU-direct, and tests that load a machine."""

from __future__ import annotations

import json
from typing import Any

import pytest

from health.checks import Earlier, ExpectedComponent, Finding
from health.checks.ib_counters import counters_by_part
from health.checks.parsers import ParseError
from health.checks.parsers.hca_tools import parse_flint, parse_mst, parse_self_test
from health.checks.parsers.ib_counters import parse_ib_counters
from health.checks.parsers.pci_links import parse_pci_links
from health.checks.parsers.validation import parse_bandwidth, parse_diag, parse_latency
from health.checks.probes.cards import IB_COUNTERS, card_commands
from health.checks.sources import identify
from health.checks.verdicts import Verdict
from health.tests.checks.samples import MODEL, REPORT_TIME, XE9680, healthy, judged, only, sample
from inventory.specs.device_model import DeviceModelSpec


def one(findings: list[Finding], check: str, part: str) -> Finding:
    (found,) = only(findings, check, part)
    return found


# ---- self test ----


def test_a_card_of_the_self_test_is_placed_by_its_guid() -> None:
    text = sample("hca_self_test.txt").replace("CA #1 (HCA) ..... UP 4X NDR", "CA #1 (HCA) ..... DOWN")
    components = {"HCA mlx5_1": ExpectedComponent(guid="0xa088c203000000a2")}
    found = one(judged({"hca_self_test.ofed": text}, components=components), "hca.self_test", "HCA mlx5_1")
    assert found.verdict is Verdict.FAIL
    assert "mlx5_1 = CA #1" in found.message


def test_a_port_that_waits_for_the_subnet_manager_is_no_cable_fault() -> None:
    text = sample("hca_self_test.txt").replace("CA #0 (HCA) ..... UP 4X NDR", "CA #0 (HCA) ..... INIT 4X NDR")
    found = one(judged({"hca_self_test.ofed": text}), "hca.self_test", "machine")
    assert (found.verdict, found.fault_class) == (Verdict.FAIL, "hca.fabric")


def test_a_port_up_at_a_lower_speed_is_slow() -> None:
    text = sample("hca_self_test.txt").replace("CA #0 (HCA) ..... UP 4X NDR", "CA #0 (HCA) ..... UP 4X HDR")
    assert one(judged({"hca_self_test.ofed": text}), "hca.self_test", "machine").fault_class == "hca.rate"


def test_colours_and_missing_ends_of_a_self_test_are_no_result() -> None:
    text = sample("hca_self_test.txt").replace("PASS", "\x1b[32mPASS\x1b[0m")
    assert one(judged({"hca_self_test.ofed": text}), "hca.self_test", "machine").verdict is Verdict.OK
    cut = text.partition("Kernel Syslog")[0]
    assert one(judged({"hca_self_test.ofed": cut}), "hca.self_test", "machine").verdict is Verdict.UNKNOWN


# ---- flint and mst ----


def test_an_image_that_was_burnt_and_not_started_is_told() -> None:
    text = sample("flint.txt").replace("FW Release", "FW Version(Running):   28.36.1010\nFW Release", 1)
    found = one(judged(healthy() | {flint_of(): text}), "flint.firmware", "HCA mlx5_0")
    assert (found.verdict, found.message) == (Verdict.WARN, "mlx5_0: 28.39.1002 is burnt, 28.36.1010 still runs")


def flint_of() -> str:
    return next(command for _, command in card_commands(MODEL) if "flint" in command)


def test_a_card_that_flint_cannot_open_is_unknown() -> None:
    text = "CARD: mlx5_0\n-E- Cannot open Device: mlx5_0. No such file or directory. MFE_OPEN_FAILED\n"
    text += sample("flint.txt").partition("CARD: mlx5_1")[2].join(["CARD: mlx5_1", ""])
    found = one(judged(healthy() | {flint_of(): text}), "flint.firmware", "HCA mlx5_0")
    assert found.verdict is Verdict.UNKNOWN
    assert "Cannot open Device" in found.message


def test_the_bank_in_use_is_the_transceiver_s_firmware() -> None:
    text = sample("flint.txt").replace("FW image A is present", "FW image B is present", 1)
    card = parse_flint(text).cards[0]
    assert card.optic == "00.00.0000"


def test_one_card_asked_says_nothing_of_the_others() -> None:
    text = sample("flint.txt").partition("CARD: mlx5_1")[0].partition("\n")[2]
    report = parse_flint(text, "flint -d mlx5_0 query")
    assert (report.of_one_part, report.cards[0].device) == (True, "mlx5_0")


def test_firmware_tools_that_are_not_started_leave_the_cards_unknown() -> None:
    text = (
        "MST modules:\n------------\n    MST PCI module is not loaded\n    MST PCI configuration module is not loaded\n"
    )
    assert not parse_mst(text).loaded
    assert {f.verdict for f in only(judged({"mst status": text}), "flint.mst")} == {Verdict.UNKNOWN}


# ---- counters ----


def counted(change: dict[str, str], seconds: float = 600.0, boot: str = "", **before: int) -> Finding:
    text = sample("ib_counters.txt")
    for old, new in change.items():
        assert old in text
        text = text.replace(old, new, 1)
    earlier = Earlier(REPORT_TIME - seconds, {"HCA mlx5_0": before}, boot)
    return one(judged({IB_COUNTERS: text}, earlier=earlier), "ib.counters", "HCA mlx5_0")


def test_the_height_of_a_counter_is_no_fault() -> None:
    text = sample("ib_counters.txt").replace("symbol_error:3", "symbol_error:40000")
    assert one(judged({IB_COUNTERS: text}), "ib.counters", "HCA mlx5_0").verdict is Verdict.OK


def test_a_counter_at_its_end_is_told_and_no_fault() -> None:
    found = counted({"link_downed:1": "link_downed:255"}, link_downed=255)
    assert found.verdict is Verdict.INFO
    assert "link_downed 255" in found.message


@pytest.mark.parametrize(("before", "verdict"), [(0, Verdict.WARN), (1, Verdict.OK)])
def test_one_link_down_is_worth_a_look_and_only_once(before: int, verdict: Verdict) -> None:
    assert counted({}, link_downed=before).verdict is verdict


@pytest.mark.parametrize(("hours", "verdict"), [(1, Verdict.FAIL), (24, Verdict.FAIL), (48, Verdict.WARN)])
def test_two_link_downs_within_a_day_fail(hours: int, verdict: Verdict) -> None:
    assert counted({"link_downed:1": "link_downed:3"}, hours * 3600.0, link_downed=1).verdict is verdict


@pytest.mark.parametrize(("downs", "verdict"), [(2, Verdict.OK), (3, Verdict.WARN), (4, Verdict.FAIL)])
def test_a_start_of_the_machine_takes_its_links_down_and_that_is_no_fault(downs: int, verdict: Verdict) -> None:
    assert counted({"link_downed:1": f"link_downed:{downs}"}, boot="another", link_downed=9).verdict is verdict


def test_a_handful_within_seconds_is_no_rate() -> None:
    change = {"symbol_error:3": "symbol_error:4"}
    assert counted(change, 2.0, symbol_error=3).verdict is counted(change, 60.0, symbol_error=3).verdict


def test_a_counter_that_was_reset_grew_by_what_it_shows() -> None:
    assert counted({}, symbol_error=5000).message.startswith("mlx5_0 port 1: symbol_error grew by 3 in 10 min")


def test_a_clock_that_went_back_compares_with_nothing() -> None:
    assert "nothing to compare" in counted({}, -60.0, link_downed=0).message


def test_what_is_kept_of_a_look_is_what_the_next_compares_with() -> None:
    kept = counters_by_part(parse_ib_counters(sample("ib_counters.txt")), MODEL)
    assert kept["HCA mlx5_0"]["symbol_error"] == 3
    earlier = Earlier(REPORT_TIME - 60, kept)
    found = only(judged({IB_COUNTERS: sample("ib_counters.txt")}, earlier=earlier), "ib.counters")
    assert {f.verdict for f in found} == {Verdict.OK}


@pytest.mark.parametrize(("before", "grew"), [(0, True), (6, True), (7, False)])
def test_growing_nvlink_errors_are_worth_a_look_however_few(before: int, *, grew: bool) -> None:
    name = "link 3 CRC Errors"
    text = sample("nvlink_errors.txt").replace("Link 3: CRC Errors: 0", "Link 3: CRC Errors: 7", 1)
    earlier = Earlier(REPORT_TIME - 3600, {"GPU 0": {name: before}})
    found = one(judged({"nvidia-smi nvlink -e": text}, earlier=earlier), "nvlink.errors", "GPU 0")
    assert found.verdict is (Verdict.WARN if grew else Verdict.OK)
    assert ("grew in 60 min" in found.message) is grew


def test_nvlink_errors_that_pour_in_fail() -> None:
    text = sample("nvlink_errors.txt").replace("Link 3: CRC Errors: 0", "Link 3: CRC Errors: 170", 1)
    earlier = Earlier(REPORT_TIME - 3600, {"GPU 0": {"link 3 CRC Errors": 0}})
    found = one(judged({"nvidia-smi nvlink -e": text}, earlier=earlier), "nvlink.errors", "GPU 0")
    assert (found.verdict, found.value) == (Verdict.FAIL, 170)


# ---- PCIe and GPU-direct ----


def test_a_card_is_measured_by_its_kind_not_by_what_it_could_do() -> None:
    """A card that could use 16 lanes in slots of 8 is no fault when all of its kind are so."""
    text = sample("pci_links.txt").replace("current_link_width:16", "current_link_width:8")
    (command,) = [command for _, command in card_commands(MODEL) if "*_link_*" in command]
    assert {f.verdict for f in only(judged({command: text}), "hca.pcie_link")} == {Verdict.OK}


def test_an_absent_device_has_no_link() -> None:
    text = "/sys/bus/pci/devices/0000:22:00.0/current_link_width:255\n"
    assert parse_pci_links(text)["0000:22:00.0"].width is None


def test_switch_ports_that_are_missing_are_counted() -> None:
    lines = sample("lspci.txt").splitlines(keepends=True)
    found = one(judged({"lspci -nn -D": "".join(lines[1:])}), "psb.switches", "machine")
    assert (found.verdict, found.value) == (Verdict.FAIL, 3)


def test_some_lines_of_lsmod_do_not_tell_that_a_module_is_missing() -> None:
    found = one(judged({"lsmod": "nvidia_uvm           4964352  4\n"}), "gdr.module", "machine")
    assert found.verdict is Verdict.UNKNOWN


# ---- DCGM, bandwidth, latency ----


def diag(**of_gpu: Any) -> Finding:
    document = json.loads(sample("dcgm_diag.json"))
    rows = document["DCGM Diagnostic"]["test_categories"][1]["tests"][0]["results"]
    for name, part in of_gpu.items():
        rows[int(name[-1])] |= part
    return max(judged({"dcgmi diag -j -r 1": json.dumps(document)}), key=lambda f: f.verdict is Verdict.FAIL)


def test_a_test_that_fails_on_every_gpu_is_the_machine_s() -> None:
    assert diag(gpu0={"status": "Fail"}, gpu1={"status": "Fail"}).part == "machine"
    assert diag(gpu1={"status": "Fail"}).part == "GPU 1"


def test_a_gpu_that_was_only_skipped_was_not_tested() -> None:
    text = sample("dcgm_diag.json").replace('"Pass"', '"Skip"')
    found = only(judged({"dcgmi diag -j": text}), "gpu.diagnostic")
    assert {f.verdict for f in found} == {Verdict.UNKNOWN}


def test_version_3_of_dcgm_lists_gpus_in_words_and_leaves_holes() -> None:
    tests = [
        None,
        {"name": "Inforom", "results": [{"gpu_ids": "0,1", "status": "PASS"}, {"gpu_ids": 2, "status": "Fail"}]},
    ]
    text = "WARNING: noise\n" + json.dumps({"DCGM GPU Diagnostic": {"test_categories": [{"tests": tests}]}})
    assert [(each.status, each.gpus) for each in parse_diag(text).results] == [("PASS", (0, 1)), ("FAIL", (2,))]


def level_1(status: str) -> str:
    """What DCGM 3 prints at level 1: its tests are of the machine, and name no GPU."""
    tests = [{"name": "Denylist", "results": [{"status": "PASS"}]}, {"name": "NVML", "results": [{"status": status}]}]
    return json.dumps({"DCGM GPU Diagnostic": {"test_categories": [{"category": "Deployment", "tests": tests}]}})


@pytest.mark.parametrize(("status", "verdict"), [("PASS", Verdict.OK), ("FAIL", Verdict.FAIL), ("", Verdict.UNKNOWN)])
def test_level_1_of_dcgm_tells_of_the_machine_and_nothing_of_its_gpus(status: str, verdict: Verdict) -> None:
    found = only(judged({"dcgmi diag -r 1 -j": level_1(status)}), "gpu.diagnostic")
    assert [(f.part, f.verdict) for f in found] == [("machine", verdict)]


def test_tests_that_were_all_skipped_are_no_pass() -> None:
    text = level_1("SKIP").replace('"PASS"', '"SKIP"')
    (found,) = only(judged({"dcgmi diag -r 1 -j": text}), "gpu.diagnostic")
    assert (found.part, found.verdict) == ("machine", Verdict.UNKNOWN)


def test_docker_that_is_down_is_one_fault_whoever_shows_it() -> None:
    down = only(judged({"systemctl is-active ssh docker": "active\nfailed\n"}), "system.services")
    assert [(f.verdict, f.fault_class) for f in down] == [(Verdict.FAIL, "docker.down")]
    other = only(judged({"systemctl is-active ssh docker": "failed\nactive\n"}), "system.services")
    assert [(f.verdict, f.fault_class) for f in other] == [(Verdict.FAIL, "service.failed")]


def test_bandwidth_in_megabytes_is_counted_in_gigabits() -> None:
    text = sample("ib_write_bw.txt").replace("[Gb/sec]", "[MB/sec]").replace("779.80", "46000.00")
    assert parse_bandwidth(text).value == pytest.approx(385.9, abs=0.1)


def test_a_run_without_gpu_memory_has_another_limit() -> None:
    text = sample("ib_write_bw.txt").replace("779.80", "350.00")
    command = "ib_write_bw -d mlx5_0 -b --report_gbits"
    assert one(judged({command: text}), "ib.bandwidth", "HCA mlx5_0").verdict is Verdict.OK
    assert one(judged({f"{command} --use_cuda=0": text}), "ib.bandwidth", "HCA mlx5_0").verdict is Verdict.FAIL


def test_a_partner_that_did_not_answer_is_no_latency() -> None:
    with pytest.raises(ParseError, match="Couldn't connect"):
        parse_latency("Couldn't connect to 10.0.0.7:18515\nUnable to open file descriptor for socket connection\n")


def test_a_number_at_the_cut_is_not_believed() -> None:
    text = sample("ib_write_bw.txt")
    with pytest.raises(ParseError):
        parse_bandwidth(text[: text.index("779.80") + 2])


# ---- the probe ----


def asked_of_cards(model: DeviceModelSpec) -> set[str]:
    tools = [identify(command) for _, command in card_commands(model)]
    return {tool.reading for tool in tools if tool}


def test_the_probe_asks_what_a_site_has_only_where_the_model_says_so() -> None:
    bare = XE9680.model_copy(update={"expected": {}})
    always = {"peers", "card_files", "ib_counters", "modules", "bridges", "pci_links"}
    assert asked_of_cards(bare) == always
    assert asked_of_cards(MODEL) == always | {"pci", "flint"}


def test_a_self_test_without_rows_is_refused() -> None:
    with pytest.raises(ParseError, match="command not found"):
        parse_self_test("bash: hca_self_test.ofed: command not found\n")
