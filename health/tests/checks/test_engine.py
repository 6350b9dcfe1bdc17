"""What holds for every report: parts, order, unknown, one fault for one dead GPU."""

from __future__ import annotations

from typing import Any

import pytest

from health.checks import MACHINE, Expectation, catalogue, evaluate, layout
from health.checks.faults import FAULT_CLASSES, Precedence
from health.checks.per_model import MOST_KEPT, per_model
from health.checks.probes.script import KERNEL_LOG, NOT_FOUND, TIMED_OUT
from health.checks.verdicts import Verdict, worst
from health.tests.checks.samples import MODEL, XE9680, bmc, healthy, judged, only, report, sample
from inventory.specs.device_model import DeviceModelSpec


def test_the_worst_verdict_is_fail_then_unknown_then_warn_then_info() -> None:
    assert worst([Verdict.OK, Verdict.INFO, Verdict.WARN, Verdict.UNKNOWN, Verdict.FAIL]) is Verdict.FAIL
    assert worst([Verdict.OK, Verdict.INFO, Verdict.WARN, Verdict.UNKNOWN]) is Verdict.UNKNOWN
    assert worst([Verdict.OK, Verdict.INFO, Verdict.WARN]) is Verdict.WARN
    assert worst([Verdict.OK, Verdict.INFO]) is Verdict.INFO
    assert worst([]) is Verdict.UNKNOWN


def test_a_healthy_machine_is_ok_everywhere() -> None:
    findings = judged(healthy(), bmc_report=bmc())
    assert [f for f in findings if f.verdict is not Verdict.OK] == []
    assert {(f.check, f.part) for f in findings} >= set(layout(MODEL))


@pytest.mark.parametrize("model", [MODEL, XE9680], ids=lambda m: m.model)
def test_the_layout_is_fixed_and_names_each_place_once(model: object) -> None:
    assert layout(model) == layout(model)  # type: ignore[arg-type]
    assert len(set(layout(model))) == len(layout(model))  # type: ignore[arg-type]


def test_what_is_kept_of_a_model_is_never_given_for_another() -> None:
    @per_model
    def name(spec: DeviceModelSpec) -> str:
        return spec.name

    for number in range(3 * MOST_KEPT):  # each is gone when the next is made, and may be where it was
        spec = MODEL.model_copy(update={"name": f"model {number}"})
        assert name(spec) == name(spec) == f"model {number}"


def test_a_machine_that_was_not_heard_fails_to_answer_and_is_unknown_elsewhere() -> None:
    findings = evaluate(None, None, Expectation(MODEL), unreachable="connection refused")
    verdicts = {(f.check, f.part): f.verdict for f in findings}
    assert set(verdicts) == set(layout(MODEL))
    assert verdicts.pop(("machine.reachable", MACHINE)) is Verdict.FAIL
    assert set(verdicts.values()) == {Verdict.UNKNOWN}


def test_every_place_of_the_layout_has_a_verdict_when_outputs_are_missing() -> None:
    for command in healthy():
        texts = healthy()
        del texts[command]
        assert {(f.check, f.part) for f in judged(texts, bmc_report=bmc())} >= set(layout(MODEL))


@pytest.mark.parametrize(
    ("status", "word"), [(TIMED_OUT, "hung"), (NOT_FOUND, "not installed"), (9, "exit status 9 and no output")]
)
def test_a_command_that_hung_is_missing_or_failed_without_data_is_unknown(status: int, word: str) -> None:
    texts = healthy() | {"ibstat": "" if status == 9 else sample("ibstat.txt")}
    findings = only(judged(texts, exits={"ibstat": status}), "ib.port")
    assert {f.verdict for f in findings} == {Verdict.UNKNOWN}
    assert all(word in f.message and f.exit_status == status for f in findings)


def test_an_nvidia_smi_that_hangs_fails_the_driver_and_leaves_the_gpus_unknown() -> None:
    findings = judged(healthy(), exits={"nvidia-smi -q -x": TIMED_OUT})
    (driver,) = only(findings, "gpu.driver")
    assert (str(driver.verdict), driver.fault_class) == ("fail", "driver.down")
    assert {str(f.verdict) for f in only(findings, "gpu.ecc") + only(findings, "gpu.count")} == {"unknown"}


def test_an_nvidia_smi_that_hangs_on_a_dead_gpu_is_no_second_fault() -> None:
    line = "[ 5000.000000] NVRM: Xid (PCI:0000:A1:00): 79, pid='<unknown>', GPU has fallen off the bus.\n"
    texts = healthy() | {KERNEL_LOG: healthy()[KERNEL_LOG] + line}
    findings = judged(texts, exits={"nvidia-smi -q -x": TIMED_OUT})
    (driver,) = only(findings, "gpu.driver")
    assert (str(driver.verdict), driver.fault_class) == ("warn", None) and "as GPU 1 explains" in driver.message
    assert [f.part for f in findings if f.fault_class] == ["GPU 1"]


def test_an_error_exit_with_data_still_counts_what_was_told() -> None:
    text = sample("ibstat.txt") + "ibpanic: [77] main: stat of IB device 'mlx5_8' failed: No such file or directory\n"
    findings = only(judged(healthy() | {"ibstat": text}, exits={"ibstat": 255}), "ib.port")
    assert {f.verdict for f in findings} == {Verdict.OK}


def test_one_dead_gpu_is_one_slot_led_by_what_explains_the_rest() -> None:
    texts = healthy()
    second = texts["nvidia-smi -q -x"].index('\t<gpu id="00000000:A1')
    texts["nvidia-smi -q -x"] = texts["nvidia-smi -q -x"][:second] + "</nvidia_smi_log>\n"
    texts["nvidia-smi nvlink -s"] = texts["nvidia-smi nvlink -s"].partition("GPU 1:")[0]
    texts["nvidia-smi topo -m"] = "\tGPU0\tNIC0\tNIC1\nGPU0\t X \tPXB\tSYS\nNIC0\tPXB\t X \tSYS\nNIC1\tSYS\tSYS\t X \n"
    texts["nvidia-smi topo -m"] += "\nNIC Legend:\n\n  NIC0: mlx5_0\n  NIC1: mlx5_1\n"
    texts[KERNEL_LOG] += (
        "[ 9000.000001] NVRM: Xid (PCI:0000:a1:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n"
        "[ 9001.000001] nvidia-nvswitch0: SXid (PCI:0000:84:00.0): 20034, Fatal, Link 30 LTSSM Fault Up\n"
    )
    failing = [f for f in judged(texts, bmc_report=bmc()) if f.verdict is Verdict.FAIL]
    assert {f.part for f in failing} == {"GPU 1"}
    assert {f.fault_class for f in failing} == {"gpu.gone", "gpu.bus", "nvlink.down", "gpu.topology"}
    assert min(failing, key=lambda f: f.precedence).fault_class == "gpu.gone"


def test_numbers_of_the_tools_move_up_when_a_gpu_is_gone_and_slots_do_not() -> None:
    """GPU 0 is gone: what the topology then calls GPU0 is the card in slot GPU 1."""
    texts = healthy()
    first, second = (texts["nvidia-smi -q -x"].index(f'\t<gpu id="00000000:{bus}') for bus in ("21", "A1"))
    texts["nvidia-smi -q -x"] = texts["nvidia-smi -q -x"][:first] + texts["nvidia-smi -q -x"][second:]
    texts["nvidia-smi topo -m"] = (
        "\tGPU0\tNIC0\tNIC1\nGPU0\t X \tSYS\tPXB\n\nNIC Legend:\n\n  NIC0: mlx5_0\n  NIC1: mlx5_1\n"
    )
    texts["nvidia-smi nvlink -s"] = "GPU 0:" + texts["nvidia-smi nvlink -s"].partition("GPU 1:")[2]
    findings = judged(texts)
    for check in ("nvlink.links", "gpu.topology"):
        assert [(f.part, str(f.verdict)) for f in only(findings, check)] == [("GPU 1", "ok"), ("GPU 0", "fail")]


def test_what_is_missing_shows_what_was_listed_instead() -> None:
    texts = healthy()
    first, second = (texts["nvidia-smi -q -x"].index(f'\t<gpu id="00000000:{bus}') for bus in ("21", "A1"))
    texts["nvidia-smi -q -x"] = texts["nvidia-smi -q -x"][:first] + texts["nvidia-smi -q -x"][second:]
    texts["nvidia-smi nvlink -s"] = "GPU 0:" + texts["nvidia-smi nvlink -s"].partition("GPU 1:")[2]
    findings = judged(texts)
    (gone,) = [f for f in only(findings, "gpu.count") if f.verdict is Verdict.FAIL]
    assert gone.excerpt == "nvidia-smi lists 1 of 2 GPUs:\n00000000:A1:00.0"
    (unlinked,) = [f for f in only(findings, "nvlink.links") if f.verdict is Verdict.FAIL]
    assert unlinked.excerpt.startswith("Listed:\nGPU 0")


def test_a_failing_gpu_shows_the_fields_it_was_judged_by() -> None:
    texts = healthy() | {"nvidia-smi -q -x": sample("gpus.xml").replace("<gpu_temp>31 C", "<gpu_temp>95 C")}
    hot = [f for f in only(judged(texts), "gpu.temperature") if f.verdict is Verdict.FAIL]
    assert hot and all(f"GPU {f.message.partition(': ')[0]}\ntemperature_c: 95" in f.excerpt for f in hot)


def test_a_single_gpu_outside_the_model_has_no_others_to_differ_from() -> None:
    texts = {"nvidia-smi -q -x": sample("gpus.xml").replace("00000000:A1:00.0", "00000000:77:00.0")}
    first, second = (texts["nvidia-smi -q -x"].index(f'\t<gpu id="00000000:{bus}') for bus in ("21", "77"))
    texts["nvidia-smi -q -x"] = texts["nvidia-smi -q -x"][:first] + texts["nvidia-smi -q -x"][second:]
    assert not [f for f in only(judged(texts), "gpu.vbios") if f.verdict is Verdict.FAIL]


def test_a_down_nvlink_is_blamed_on_its_own_gpu_in_the_topology() -> None:
    """The pairs of one GPU with all others read NV17: one GPU is at fault, not eight."""
    gpus = [f"GPU{n}" for n in range(8)]
    rows = ["\t" + "\t".join(gpus)]
    for gpu in gpus:
        cells = [" X " if gpu == other else "NV17" if "GPU5" in (gpu, other) else "NV18" for other in gpus]
        rows.append(f"{gpu}\t" + "\t".join(cells))
    findings = only(judged({"nvidia-smi topo -m": "\n".join(rows) + "\n"}, model=XE9680), "gpu.topology")
    assert [f.part for f in findings if f.verdict is Verdict.FAIL] == ["GPU 5"]


def test_a_gpu_that_nvidia_smi_cannot_reach_is_gone_by_its_address() -> None:
    said = "Unable to determine the device handle for GPU0000:A1:00.0: Unknown Error\n"
    findings = judged({"nvidia-smi -q -x": said}, exits={"nvidia-smi -q -x": 255})
    gone = [f for f in only(findings, "gpu.count") if "cannot reach" in f.message]
    assert [(f.part, str(f.verdict), f.fault_class) for f in gone] == [("GPU 1", "fail", "gpu.gone")]


def test_thresholds_are_overridden_by_the_model_and_then_by_the_machine() -> None:
    texts = healthy() | {"nvidia-smi -q -x": sample("gpus.xml").replace("<gpu_temp>31 C", "<gpu_temp>60 C")}
    assert only(judged(texts), "gpu.temperature", "GPU 1")[0].verdict is Verdict.OK
    strict = Expectation(MODEL, thresholds={"gpu_temperature_fail_c": 60})
    assert only(evaluate(report(texts), None, strict), "gpu.temperature", "GPU 1")[0].verdict is Verdict.FAIL


def test_a_threshold_overridden_for_one_check_leaves_those_of_the_same_name_elsewhere_alone() -> None:
    texts = healthy() | {"nvidia-smi -q -x": sample("gpus.xml").replace("<gpu_temp>31 C", "<gpu_temp>60 C")}

    def verdict(**more: Any) -> Verdict:
        return only(evaluate(report(texts), None, Expectation(MODEL, **more)), "gpu.temperature", "GPU 1")[0].verdict

    own = {"gpu.temperature": {"gpu_temperature_fail_c": 60.0}}
    assert verdict(thresholds={"gpu_temperature_fail_c": 99.0}, thresholds_of=own) is Verdict.FAIL
    assert verdict(thresholds_of={"gpu.count": {"gpu_temperature_fail_c": 60.0}}) is Verdict.OK


def test_findings_are_frozen_and_hashable() -> None:
    findings = judged(healthy(), bmc_report=bmc())
    assert len(set(findings)) == len(findings)


def test_a_rule_that_breaks_costs_only_its_own_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = next(each for each in catalogue() if each.id == "disk.space")

    def raises(*_: object) -> object:
        raise ZeroDivisionError("sample")

    monkeypatch.setitem(broken.__dict__, "rule", raises)
    findings = judged(healthy())
    assert only(findings, "disk.space")[0].verdict is Verdict.UNKNOWN
    assert only(findings, "disk.inodes")[0].verdict is Verdict.OK


def test_gone_leads_bus_leads_link_leads_degraded() -> None:
    assert Precedence.GONE < Precedence.BUS < Precedence.LINK < Precedence.DEGRADED
    assert FAULT_CLASSES["gpu.gone"].precedence < FAULT_CLASSES["gpu.bus"].precedence
    assert FAULT_CLASSES["gpu.bus"].precedence < FAULT_CLASSES["nvlink.down"].precedence
    assert FAULT_CLASSES["nvlink.down"].precedence < FAULT_CLASSES["gpu.memory"].precedence


def test_the_bmc_is_unknown_when_not_asked_and_told_when_there_is_none() -> None:
    asked = evaluate(report(healthy()), None, Expectation(MODEL))
    assert {str(f.verdict) for f in only(asked, "bmc.psu") + only(asked, "bmc.reachable")} == {"unknown"}
    without = evaluate(report(healthy()), None, Expectation(MODEL, bmc_expected=False))
    assert {str(f.verdict) for f in only(without, "bmc.psu") + only(without, "bmc.reachable")} == {"info"}
