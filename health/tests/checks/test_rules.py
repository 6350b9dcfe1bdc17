"""Fine points of the rules that one bad sample per check does not show."""

from __future__ import annotations

import json

import pytest

from health.checks import BmcReport, Expectation, Finding, evaluate
from health.checks.model import ExpectedComponent
from health.tests.checks.samples import MODEL, XE9680, bmc, judged, only, report, sample
from inventory.specs.device_model import DeviceModelSpec

QUERY = "nvidia-smi -q -x"
UP = "State: Active\n\t\tPhysical state: LinkUp"


def gpu(old: str, new: str, check: str, part: str = "GPU 0") -> Finding:
    """The finding of a check with the first `old` of the query changed."""
    text = sample("gpus.xml")
    assert old in text
    return only(judged({QUERY: text.replace(old, new, 1)}), check, part)[0]


def ib(old: str, new: str, part: str = "HCA mlx5_0") -> Finding:
    text = sample("ibstat.txt")
    assert old in text
    return only(judged({"ibstat": text.replace(old, new, 1)}), "ib.port", part)[0]


def variant(slot: str, model: DeviceModelSpec = MODEL, **change: str) -> DeviceModelSpec:
    """The model with one slot described otherwise."""
    document = model.model_dump()
    document["slots"] = [row | change if row["name"] == slot else row for row in document["slots"]]
    return DeviceModelSpec.from_dict(document)


# ---- GPUs ----


def test_heat_and_power_brake_have_different_classes_and_advice() -> None:
    heat = gpu("hw_thermal_slowdown>Not Active", "hw_thermal_slowdown>Active", "gpu.throttle")
    brake = gpu("hw_power_brake_slowdown>Not Active", "hw_power_brake_slowdown>Active", "gpu.throttle")
    assert (heat.fault_class, brake.fault_class) == ("gpu.throttled", "gpu.power")
    assert "fans" in heat.action
    assert "power supplies" in brake.action


def test_an_idle_gpu_may_lower_its_generation_and_a_busy_one_may_not() -> None:
    slow = sample("gpus.xml").replace("<current_link_gen>5", "<current_link_gen>1", 1)
    busy = slow.replace("gpu_idle>Active", "gpu_idle>Not Active", 1).replace("<gpu_util>0 %", "<gpu_util>97 %", 1)
    verdicts = [str(only(judged({QUERY: text}), "gpu.pcie", "GPU 0")[0].verdict) for text in (slow, busy)]
    assert verdicts == ["info", "fail"]
    assert str(gpu("<max_link_gen>5", "<max_link_gen>4", "gpu.pcie").verdict) == "fail"


def test_a_pending_remap_waits_and_a_failed_one_goes_back() -> None:
    pending = gpu("<remapped_row_pending>No", "<remapped_row_pending>Yes", "gpu.row_remap")
    failed = gpu("<remapped_row_failure>No", "<remapped_row_failure>Yes", "gpu.row_remap")
    assert (str(pending.verdict), str(failed.verdict)) == ("warn", "fail")
    assert "idle" in pending.action
    assert "RMA" in failed.action


def test_the_sram_threshold_means_another_gpu() -> None:
    found = gpu("<sram_threshold_exceeded>No", "<sram_threshold_exceeded>Yes", "gpu.ecc")
    assert (str(found.verdict), found.fault_class, found.action) == (
        "fail",
        "gpu.memory",
        "Drain and replace this GPU.",
    )


@pytest.mark.parametrize("word", ["Unknown Error", "ERR!", "N/A", "", "maybe"])
def test_a_flag_that_is_no_answer_is_unknown(word: str) -> None:
    found = gpu("<remapped_row_failure>No", f"<remapped_row_failure>{word}", "gpu.row_remap")
    assert str(found.verdict) == "unknown"


def test_another_serial_warns_and_tells_what_was_seen() -> None:
    known = {"GPU 0": ExpectedComponent(serial="1600000000999"), "GPU 1": ExpectedComponent(serial="1600000000161")}
    findings = only(judged({QUERY: sample("gpus.xml")}, components=known), "gpu.identity")
    assert [str(f.verdict) for f in findings] == ["warn", "ok"]
    assert findings[0].observed["serial"] == "1600000000021"
    assert "1600000000999" in findings[0].message


def test_other_serials_everywhere_mean_another_machine() -> None:
    known = {"GPU 0": ExpectedComponent(serial="x1"), "GPU 1": ExpectedComponent(serial="x2")}
    findings = only(judged({QUERY: sample("gpus.xml")}, components=known), "gpu.identity")
    assert {str(f.verdict) for f in findings} == {"fail"}
    assert "another machine" in findings[0].message


def test_a_serial_that_is_not_told_is_unknown_when_one_is_installed() -> None:
    known = {"GPU 0": ExpectedComponent(serial="1600000000021")}
    text = sample("gpus.xml").replace("<serial>1600000000021</serial>", "<serial>N/A</serial>")
    assert str(only(judged({QUERY: text}, components=known), "gpu.identity", "GPU 0")[0].verdict) == "unknown"


def test_all_gpus_off_the_models_vbios_is_drift() -> None:
    text = sample("gpus.xml").replace("96.00.99.00.01", "96.00.74.00.01")
    assert {str(f.verdict) for f in only(judged({QUERY: text}), "gpu.vbios")} == {"warn"}


def test_a_gpu_of_no_slot_is_told_and_still_judged() -> None:
    text = sample("gpus.xml").replace("00000000:A1:00.0", "00000000:C1:00.0").replace("31 C", "95 C")
    findings = judged({QUERY: text})
    assert only(findings, "gpu.count", "GPU 1")[0].fault_class == "gpu.gone"
    assert "C1:00.0" in only(findings, "gpu.count", "machine")[0].message
    assert str(only(findings, "gpu.temperature", "GPU at 00000000:C1:00.0")[0].verdict) == "fail"


def test_a_machine_wired_another_way_is_judged_in_order_and_told() -> None:
    text = sample("gpus.xml").replace("00000000:A1:00.0", "00000000:C1:00.0").replace("00000000:21:", "00000000:31:")
    findings = judged({QUERY: text})
    assert {(f.part, str(f.verdict)) for f in only(findings, "gpu.count")} == {
        ("GPU 0", "ok"), ("GPU 1", "ok"), ("machine", "warn"),
    }  # fmt: skip


# ---- network cards ----


def test_a_port_that_waits_for_the_subnet_manager_has_other_advice_than_one_that_is_down() -> None:
    waits = ib(UP, "State: Initializing\n\t\tPhysical state: LinkUp")
    down = ib(UP, "State: Down\n\t\tPhysical state: Polling")
    assert (waits.fault_class, down.fault_class) == ("hca.fabric", "hca.link")
    assert "subnet manager" in waits.action
    assert "clean" in down.action


def test_a_port_below_its_rate_fails() -> None:
    found = ib("Rate: 400", "Rate: 200")
    assert (str(found.verdict), found.fault_class, found.value) == ("fail", "hca.rate", 200)


def test_an_ethernet_port_may_be_down_unless_it_is_on_a_rail() -> None:
    assert str(ib("Rate: 40\n", "Rate: 40\n", "HCA mlx5_2").verdict) == "ok"
    roce = variant("HCA mlx5_0", link_layer="Ethernet")
    text = sample("ibstat.txt").replace("Link layer: InfiniBand", "Link layer: Ethernet", 1)
    assert str(only(judged({"ibstat": text}, model=roce), "ib.port", "HCA mlx5_0")[0].verdict) == "ok"
    down = text.replace(UP, "State: Down\n\t\tPhysical state: Disabled", 1)
    assert str(only(judged({"ibstat": down}, model=roce), "ib.port", "HCA mlx5_0")[0].verdict) == "fail"


def test_a_rail_that_speaks_ethernet_warns_while_it_works() -> None:
    assert str(ib("Link layer: InfiniBand", "Link layer: Ethernet").verdict) == "warn"
    text = sample("ibstat.txt").replace("Link layer: InfiniBand", "Link layer: Ethernet", 1)
    down = only(judged({"ibstat": text.replace(UP, "State: Down\n\t\tPhysical state: Disabled", 1)}), "ib.port")[0]
    assert (str(down.verdict), down.fault_class) == ("fail", "hca.config")


def test_a_port_down_beside_rails_that_work_over_ethernet_is_a_link_and_no_wrong_setting() -> None:
    text = sample("ibstat.txt").replace("Link layer: InfiniBand", "Link layer: Ethernet")
    down = text.replace(UP, "State: Down\n\t\tPhysical state: Polling", 1)
    found = only(judged({"ibstat": down}), "ib.port", "HCA mlx5_0")[0]
    assert (str(found.verdict), found.fault_class) == ("fail", "hca.link") and "clean" in found.action


def test_a_card_that_is_not_listed_is_gone_unless_the_tool_stopped_early() -> None:
    text = "CA 'mlx5_1'" + sample("ibstat.txt").partition("CA 'mlx5_1'")[2]
    assert only(judged({"ibstat": text}), "ib.port", "HCA mlx5_0")[0].fault_class == "hca.gone"
    stopped = only(judged({"ibstat": text + "ibpanic: [1] main: stat of IB device failed\n"}), "ib.port", "HCA mlx5_0")
    assert str(stopped[0].verdict) == "unknown"


# ---- the system ----


def test_a_drive_that_says_it_passed_can_fail() -> None:
    drive = json.loads(sample("nvme0_smart.json")) | {"avail_spare": 0, "spare_thresh": 11}
    text = json.dumps({"smart_status": {"passed": True}, "nvme_smart_health_information_log": drive})
    found = only(judged({"smartctl -a -j /dev/nvme0": text}), "disk.nvme", "NVMe 0")[0]
    assert (str(found.verdict), found.fault_class) == ("fail", "nvme.failing")


def test_a_drive_whose_counters_are_dead_fails() -> None:
    drive = json.loads(sample("nvme0_smart.json")) | {"data_units_written": 0, "host_write_commands": 1485}
    found = only(judged({"nvme smart-log -o json /dev/nvme0": json.dumps(drive)}), "disk.nvme", "NVMe 0")[0]
    assert "counters are dead" in found.message


def test_a_clock_that_chrony_trusts_is_held_against_the_collector() -> None:
    look = report({"chronyc tracking": sample("chrony.txt")}, received_at=1_760_000_042.0)
    found = only(evaluate(look, None, Expectation(MODEL)), "clock.offset")[0]
    assert (str(found.verdict), "-42 s off the collector" in found.message) == ("fail", True)


def test_pseudo_file_systems_are_not_judged() -> None:
    assert [f.part for f in only(judged({"df -P": sample("df.txt")}), "disk.space")] == ["/", "/boot/efi"]


def test_another_fabric_manager_state_than_active_fails_only_where_it_is_needed() -> None:
    command = "systemctl is-active nvidia-fabricmanager"
    assert str(only(judged({command: "inactive\n"}), "fabricmanager")[0].verdict) == "fail"
    without = DeviceModelSpec.from_dict(MODEL.model_dump() | {"expected": MODEL.expected | {"fabric_manager": False}})
    assert only(judged({command: "inactive\n"}, model=without), "fabricmanager") == []
    assert str(only(judged({command: "activating\n"}, model=XE9680), "fabricmanager")[0].verdict) == "warn"


# ---- the BMC ----


def with_bmc(old: str, new: str) -> list[Finding]:
    text = sample("bmc.json")
    assert old in text
    return evaluate(report({}), bmc(text.replace(old, new)), Expectation(MODEL))


def test_a_lost_power_supply_is_one_fault_and_explains_the_summary() -> None:
    resources = json.loads(sample("bmc.json"))
    resources["power"]["PowerSupplies"][1]["Status"] = {"Health": "Critical", "State": "UnavailableOffline"}
    resources["system"]["Status"] = resources["chassis"]["Status"] = {"Health": "Critical", "HealthRollup": "Critical"}
    findings = evaluate(report({}), bmc(json.dumps(resources)), Expectation(MODEL))
    assert [(f.check, f.part, f.fault_class) for f in findings if str(f.verdict) == "fail"] == [
        ("bmc.psu", "PSU 2", "psu.lost")
    ]
    assert str(only(findings, "bmc.health")[0].verdict) == "info"


def test_a_critical_summary_without_a_cause_fails() -> None:
    findings = with_bmc('"HealthRollup": "OK"', '"HealthRollup": "Critical"')
    assert only(findings, "bmc.health")[0].fault_class == "bmc.degraded"


def test_a_supply_that_is_not_listed_is_lost_and_numbers_may_begin_at_one() -> None:
    resources = json.loads(sample("bmc.json"))
    del resources["power"]["PowerSupplies"][0]
    findings = evaluate(report({}), bmc(json.dumps(resources)), Expectation(MODEL))
    assert [(f.part, str(f.verdict)) for f in only(findings, "bmc.psu")] == [("PSU 1", "fail"), ("PSU 2", "ok")]
    zero = variant("PSU 1", name="PSU 0")
    zero = variant("PSU 2", zero, name="PSU 1")
    findings = evaluate(report({}), bmc(), Expectation(zero))
    assert [(f.part, str(f.verdict)) for f in only(findings, "bmc.psu")] == [("PSU 0", "ok"), ("PSU 1", "ok")]


def test_a_bmc_that_gave_no_answer_fails_alone() -> None:
    findings = evaluate(report({}), BmcReport.unreachable("no answer in 5 s"), Expectation(MODEL))
    said = {f.check: str(f.verdict) for f in findings if f.check.startswith("bmc.")}
    assert said.pop("bmc.reachable") == "fail"
    assert said.keys() >= {"bmc.health", "bmc.psu", "bmc.inlet"}
    assert set(said.values()) == {"unknown"}


def test_a_bmc_that_refuses_the_password_is_a_fault_of_its_own_class() -> None:
    """Hands at its cable would mend nothing."""
    findings = evaluate(report({}), BmcReport.unreachable("it refuses", refused=True), Expectation(MODEL))
    [finding] = only(findings, "bmc.reachable")
    assert (str(finding.verdict), finding.fault_class, finding.message) == ("fail", "bmc.password", "it refuses")
    others = {str(f.verdict) for f in findings if f.check.startswith("bmc.") and f is not finding}
    assert others == {"unknown"}
