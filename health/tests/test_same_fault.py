"""One fault that two sources tell in two places is one fault to repair, whichever is heard first."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from health.checks import BmcLog, Expectation, evaluate
from health.checks.faults import FAULT_CLASSES
from health.checks.parsers.bmc_log import LogEntry
from health.checks.probes.script import KERNEL_LOG
from health.checks.probes.state import state_files
from health.machines.lifecycle import State
from health.monitoring.faults import FaultView, Situation, decide, sightings
from health.monitoring.same_fault import EXPLAINED_BY, UNPLACED, same
from health.tests import factories as make
from health.tests.checks.samples import MODEL, bmc, healthy, report, sample
from inventory.specs.device_model import DeviceModelSpec
from tests.effort import examples

SLOT_OF = {
    "memory": "DIMM A5",
    "psu": "PSU 2",
    "nvme": "NVMe 3",
    "gpu": "GPU 5",
    "nvlink": "GPU 5",
    "hca": "HCA mlx5_0",
}


def test_the_tables_name_known_classes_and_nothing_explains_itself() -> None:
    named = UNPLACED | EXPLAINED_BY.keys() | {each for found in EXPLAINED_BY.values() for each in found}
    assert named <= FAULT_CLASSES.keys()

    def causes(name: str, seen: tuple[str, ...] = ()) -> set[str]:
        assert name not in seen, f"{name} explains itself"
        return {name} | {each for cause in EXPLAINED_BY.get(name, ()) for each in causes(cause, (*seen, name))}

    for name in EXPLAINED_BY:
        causes(name)


def finding(fault_class: str, part: str, kind: str = "level", at_us: int = 1) -> make.Finding:
    return make.Finding(f"check.{fault_class}.{part}", part, "fail", f"{fault_class} of {part}", "", fault_class,
                        int(FAULT_CLASSES[fault_class].precedence), kind,
                        event_key=f"{fault_class}:{part}:{at_us}" if kind == "event" else None,
                        event_at_us=at_us if kind == "event" else None)  # fmt: skip


PAIRS = [(name, "machine", name, SLOT_OF[name.partition(".")[0]]) for name in sorted(UNPLACED)
         if name.partition(".")[0] in SLOT_OF]  # fmt: skip
PAIRS += [
    (told, "machine", cause, SLOT_OF.get(cause.partition(".")[0], "machine"))
    for told, found in sorted(EXPLAINED_BY.items())
    for cause in sorted(found)
]


def look(faults: list[FaultView], seconds: float, *found: make.Finding, passing: Any = ()) -> list[FaultView]:
    now = Situation(State.READY, make.START + timedelta(seconds=seconds), 15, make.SLOTS)
    for fault in faults:
        fault.seen = fault.changed = fault.confirmed_now = fault.announce = False
    return [fault for fault in decide(faults, sightings(found), set(passing), now) if fault.open]


@pytest.mark.parametrize(("told", "where", "cause", "part"), PAIRS)
def test_what_two_sources_tell_is_announced_once(told: str, where: str, cause: str, part: str) -> None:
    first, second = finding(told, where), finding(cause, part)
    for order in ((first, second), (second, first)):
        faults = look(look([], 0, *order), 20, *order)
        (leader,) = [fault for fault in faults if fault.leader is None]
        assert leader.key == (part, cause)
        assert leader.announced and [fault.announced for fault in faults].count(True) == 1


@pytest.mark.parametrize(("told", "where", "cause", "part"), PAIRS)
def test_what_was_announced_first_keeps_its_ticket(told: str, where: str, cause: str, part: str) -> None:
    first, second = finding(told, where), finding(cause, part)
    faults = look(look([], 0, first), 20, first)
    faults = look(look(faults, 40, first, second), 60, first, second)
    (leader,) = [fault for fault in faults if fault.leader is None]
    assert leader.key == (where, told)
    assert [fault.announced for fault in faults].count(True) == 1


def test_what_is_still_wrong_when_the_part_is_well_is_announced_by_itself() -> None:
    pool, drive = finding("disk.pool", "machine"), finding("nvme.gone", "NVMe 3")
    faults = look(look([], 0, pool, drive), 20, pool, drive)
    faults = look(faults, 40, pool, passing={(drive.check, drive.part)})
    (only,) = faults
    assert only.key == ("machine", "disk.pool") and only.leader is None and only.announced


def test_what_comes_an_hour_later_is_of_something_else() -> None:
    old = look(look([], 0, finding("bmc.degraded", "machine")), 20, finding("bmc.degraded", "machine"))
    both = finding("bmc.degraded", "machine"), finding("gpu.gone", "GPU 5")
    faults = look(look(old, 4000, *both), 4020, *both)
    assert [fault.leader for fault in faults] == [None, None] and all(fault.announced for fault in faults)


def test_other_parts_stay_other_faults() -> None:
    for others in (
        (finding("nvme.failing", "machine"), finding("nvme.failing", "NVMe 3")),  # a drive that is in no slot
        (finding("memory.uncorrectable", "DIMM A5"), finding("memory.uncorrectable", "DIMM B3")),
        (finding("docker.down", "machine"), finding("gpu.gone", "GPU 5")),
        (finding("fan.failed", "machine"), finding("psu.lost", "PSU 2")),
    ):
        faults = look(look([], 0, *others), 20, *others)
        assert [fault.leader for fault in faults] == [None, None]
    three = (finding("memory.uncorrectable", "machine"), finding("memory.uncorrectable", "DIMM A5"),
             finding("memory.uncorrectable", "DIMM B3"))  # fmt: skip
    faults = look(look([], 0, *three), 20, *three)
    assert {fault.slot for fault in faults if fault.leader is None} == {"DIMM A5", "DIMM B3"}


PLACES = [(name, part) for name in ("memory.uncorrectable", "hardware.error", "disk.pool", "bmc.degraded", "gpu.hung",
                                    "memory.missing", "disk.error") for part in ("machine",)]  # fmt: skip
PLACES += [("memory.uncorrectable", "DIMM A5"), ("memory.uncorrectable", "DIMM B3"), ("nvme.gone", "NVMe 1"),
           ("nvme.failing", "NVMe 1"), ("gpu.bus", "GPU 2"), ("gpu.hung", "GPU 2"), ("psu.lost", "PSU 1"),
           ("disk.readonly", "/raid")]  # fmt: skip
SIGHTS = st.lists(st.tuples(st.sampled_from(PLACES), st.sampled_from(["level", "event"])), max_size=7,
                  unique_by=lambda sight: sight[0])  # fmt: skip


@given(st.lists(st.tuples(SIGHTS, st.integers(1, 60)), min_size=1, max_size=7))
@example([  # what the record of an error had joined is itself joined to the module that is named a second later
    ([(("memory.uncorrectable", "machine"), "event"), (("hardware.error", "machine"), "level"),
      (("memory.missing", "machine"), "level")], 1),
    ([(("hardware.error", "machine"), "level"), (("memory.uncorrectable", "DIMM A5"), "level")], 1),
])  # fmt: skip
@settings(max_examples=examples(500), deadline=None)
def test_over_any_reports_leaders_lead_and_the_same_report_twice_changes_nothing(history: Any) -> None:
    faults: list[FaultView] = []
    seconds = 0.0
    for number, (sights, passed) in enumerate(history):
        seconds += passed
        found = [finding(name, part, kind, number) for (name, part), kind in sights]
        told = {(each.check, each.part) for each in found}
        everywhere = {(f"check.{name}.{part}", part) for name, part in PLACES}
        faults = look(faults, seconds, *found, passing=everywhere - told)
        for fault in faults:
            assert fault.leader is None or (fault.leader.leader is None and fault.leader in faults)
            assert fault.announced <= (fault.status == "confirmed")
        leaders = [fault for fault in faults if fault.leader is None]
        for each in leaders:
            apart = [other for other in leaders if other is not each and same(each, other, make.SLOTS)]
            assert each.announced or not apart, "what another one explains leads only when it was announced before"
        again = [replace(fault, changed=False) for fault in faults]
        links = dict(zip(map(id, faults), again, strict=True))
        for fault in again:
            fault.leader = links[id(fault.leader)] if fault.leader else None
        levels = [each for each in found if each.kind == "level"]
        assert not any(fault.changed and not fault.new_evidence for fault in look(again, seconds, *levels))


# ---- from the outputs themselves ----


def leaders_of(texts: dict[str, str], spec: DeviceModelSpec = MODEL, *, bmc_text: str | None = None,
               log: tuple[LogEntry, ...] = ()) -> tuple[set[tuple[str, str]], set[str]]:  # fmt: skip
    """The faults to repair, and the checks that show any of them."""
    seen = evaluate(report(healthy() | texts), bmc(bmc_text), Expectation(spec), bmc_log=BmcLog(log) if log else None)
    bad = [each for each in seen if str(each.verdict) == "fail"]
    slots = frozenset(slot.name for slot in spec.slots)
    now = Situation(State.READY, make.START, 15, slots)
    faults = decide([], sightings(bad), set(), now)
    return {fault.key for fault in faults if fault.leader is None}, {each.check for each in bad}


def entry(message_id: str, message: str) -> LogEntry:
    return LogEntry("7", "critical", message, message_id, "2026-11-01T00:00:00Z")


def with_slots(*slots: dict[str, Any], **expected: Any) -> DeviceModelSpec:
    data = MODEL.model_dump(mode="json", exclude_unset=True)
    more = {**data, "slots": [*data["slots"], *slots], "expected": {**data["expected"], **expected}}
    return DeviceModelSpec.model_validate(more)


def test_a_memory_module_by_edac_the_kernel_and_the_bmc_is_one_fault() -> None:
    line = "[  812.100000] EDAC MC0: 1 UE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (channel:1 slot:0)\n"
    spec = with_slots({"name": "DIMM A5", "kind": "dimm"}, {"name": "DIMM A6", "kind": "dimm"})
    log = (entry("MEM0001", "Multi-bit memory errors detected on a memory device at location(s) DIMM_A5."),)
    faults, checks = leaders_of({KERNEL_LOG: sample("kernel.log") + line}, spec, log=log)
    assert faults == {("DIMM A5", "memory.uncorrectable")}
    assert checks >= {"memory.errors", "bmc.log"}


def test_a_power_supply_by_redfish_the_sensors_and_the_log_is_one_fault() -> None:
    resources = json.loads(sample("bmc.json"))
    resources["power"]["PowerSupplies"][1]["Status"] = {"Health": "Critical", "State": "UnavailableOffline"}
    resources["system"]["Status"] = resources["chassis"]["Status"] = {"Health": "Critical", "HealthRollup": "Critical"}
    sdr = sample("sdr.txt") + "PS2 Status       | 0x09              | cr\nPS Redundancy    | 0x02              | cr\n"
    log = (entry("PSU0003", "The power input for power supply 2 is lost."),)
    faults, checks = leaders_of({"ipmitool sdr": sdr}, bmc_text=json.dumps(resources), log=log)
    assert faults == {("PSU 2", "psu.lost")}
    assert checks >= {"bmc.psu", "bmc.sensors"}
    faults, checks = leaders_of({"ipmitool sdr": sdr})
    assert (faults, checks) == ({("PSU 2", "psu.lost")}, {"bmc.sensors"})


def test_a_fan_by_redfish_and_the_sensors_is_one_fault() -> None:
    resources = json.loads(sample("bmc.json"))
    fan = resources["thermal"]["Fans"][0]
    fan["Reading"], fan["Status"] = 0, {"Health": "Critical", "State": "Enabled"}
    resources["system"]["Status"] = {"Health": "Critical", "HealthRollup": "Critical"}
    sdr = sample("sdr.txt").replace("Fan1A            | 7440 RPM          | ok", "Fan1A            | 0 RPM     | cr")
    faults, checks = leaders_of({"ipmitool sdr": sdr}, bmc_text=json.dumps(resources))
    assert faults == {("machine", "fan.failed")}
    assert checks == {"bmc.health", "bmc.sensors"}


def test_a_drive_by_its_list_its_health_and_the_log_is_one_fault_with_its_pool() -> None:
    smart = json.loads(sample("nvme0_smart.json")) | {"critical_warning": 1}
    pool = sample("zpool.txt").replace("ONLINE", "DEGRADED", 1)
    log = (entry("PDR3", "Disk 0 in Backplane 1 of Integrated Storage Controller 1 has failed. bay 0"),)
    texts = {
        "nvme smart-log -o json /dev/nvme0": json.dumps(smart),
        "lsblk -J -b": sample("lsblk.json").replace('"nvme0n1"', '"sdz"'),
        "zpool status": pool,
        KERNEL_LOG: sample("kernel.log") + "[  900.000000] nvme nvme0: Disabling device after reset failure: -19\n",
    }
    faults, checks = leaders_of(texts, log=log)
    assert faults == {("NVMe 0", "nvme.gone")}
    assert checks >= {"disk.nvme", "disk.block", "dmesg.known", "bmc.log", "disk.zpool"}


def test_a_port_by_ibstat_and_its_interface_is_one_fault() -> None:
    down = sample("ibstat.txt").replace("State: Active", "State: Down", 1).replace("LinkUp", "Polling", 1)
    bond = ("lower_eth0", "lower_eth1", "bond0/operstate", "bond0/carrier")
    state = "\n".join(
        line.replace(":up", ":down").replace("carrier:1", "carrier:0") if any(word in line for word in bond) else line
        for line in sample("state_files.txt").split("\n")
    )
    faults, _ = leaders_of({"ibstat": down})
    assert faults == {("HCA mlx5_0", "hca.link")}
    seen = evaluate(report(healthy() | {state_files(MODEL): state}), bmc(), Expectation(MODEL))
    (found,) = [each for each in seen if each.check == "net.interface" and str(each.verdict) == "fail"]
    assert "bond0 is down, as its members explain" in found.message


def test_a_service_with_a_check_of_its_own_is_one_fault() -> None:
    spec = with_slots(services=["nvidia-fabricmanager"])
    texts = {"systemctl is-active nvidia-fabricmanager": "failed\n"}
    faults, _ = leaders_of(texts, spec)
    assert faults == {("machine", "fabricmanager.down")}
