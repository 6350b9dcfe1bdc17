"""Checks of the operating system, pools, Slurm and the BMC's log, on outputs as they come."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from health.checks import Expectation, Finding, evaluate
from health.checks.bmc_log import log_rules
from health.checks.parsers import ParseError
from health.checks.parsers.bmc_log import parse_bmc_log
from health.checks.parsers.file_systems import parse_zpool
from health.checks.parsers.hardware import parse_lspci
from health.checks.parsers.kernel_files import parse_kernel_files
from health.checks.parsers.slurm import parse_nodes, parse_sinfo
from health.checks.parsers.system import parse_failed_units, parse_release, parse_swapon, parse_unit_states
from health.checks.probes.script import probe_commands, probe_script
from health.checks.saved import examination
from health.checks.verdicts import Verdict
from health.tests.checks.samples import MODEL, SAMPLES, XE9680, only, report, sample
from inventory.specs.device_model import DeviceModelSpec

SINFO = """Thu Oct  1 08:20:30 2026
NODELIST    NODES PARTITION       STATE CPUS    S:C:T MEMORY TMP_DISK WEIGHT AVAIL_FE REASON
sample1         1    train*        idle 4       2:2:1 512000        0      1     h100 none
sample2         1    train*       down* 4       2:2:1 512000        0      1     h100 Not responding
sample3         1    train*    draining 4       2:2:1 512000        0      1     h100 fan noise
"""
REASONS = """REASON               USER        TIMESTAMP           STATE  NODELIST
fan noise            ops(1007)   2026-10-01T07:41:02 drng   sample3
Not responding       slurm(64030) 2026-10-01T06:58:51 down*  sample2
"""


def judged(command: str, text: str, check: str, spec: DeviceModelSpec = MODEL, **more: Any) -> list[Finding]:
    return only(evaluate(report({command: text}), None, Expectation(spec, **more)), check)


def examined(tmp_path: Path, capsys: pytest.CaptureFixture[str], files: dict[str, str]) -> dict[str, str]:
    """The verdict by check of files in a folder."""
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    examination.main([str(tmp_path), "--model", str(SAMPLES / "model.yaml"), "--json"])
    return {row["check"]: row["verdict"] for row in json.loads(capsys.readouterr().out)}


def test_of_a_list_of_nodes_only_the_machines_own_counts_when_it_is_there() -> None:
    (own,) = judged("sinfo -N -l", SINFO, "slurm.node", machine_name="sample1.example")
    assert own.verdict is Verdict.OK
    (everybody,) = judged("sinfo -N -l", SINFO, "slurm.node")
    assert everybody.verdict is Verdict.FAIL
    assert "sample2 is down+not_responding: Not responding" in everybody.message
    (listed,) = judged("sinfo -R", REASONS, "slurm.node", machine_name="sample3")
    assert (listed.verdict, listed.message) == (Verdict.WARN, "sample3 is draining: fan noise")


@pytest.mark.parametrize(
    ("state", "reason", "verdict"),
    [
        ("IDLE+DRAIN", "fan noise [root@2026-10-01T22:10:44]", "warn"),
        ("IDLE+DRAIN", "rackside: fault 12 [rackside@2026-10-01T22:10:44]", "info"),
        ("MIXED+PLANNED", "", "ok"),
        ("ALLOCATED", "", "ok"),
        ("DOWN*+DRAIN", "Not responding [slurm@2026-10-01T22:10:44]", "fail"),
        ("IDLE+MAINTENANCE_OF_TOMORROW", "", "ok"),
        ("SOMETHING_NEW", "", "unknown"),
        ("RESERVED", "", "info"),
    ],
)
def test_each_state_of_a_node_has_its_verdict(state: str, reason: str, verdict: str) -> None:
    text = sample("scontrol_node.txt").replace("State=IDLE", f"State={state}")
    text = text.rstrip("\n") + (f"\n   Reason={reason}\n\n" if reason else "\n")
    (found,) = judged("scontrol show node", text, "slurm.node")
    assert str(found.verdict) == verdict, found.message


def test_a_node_that_slurm_knows_with_fewer_gpus_than_the_model_warns() -> None:
    text = sample("scontrol_node.txt").replace("gpu:h100:2", "gpu:h100:1").replace("gres/gpu=2", "gres/gpu=1")
    (found,) = judged("scontrol show node", text, "slurm.node")
    assert (found.verdict, "Slurm knows 1 GPUs" in found.message) == (Verdict.WARN, True)


def test_several_nodes_and_half_a_state() -> None:
    both = parse_nodes(sample("scontrol_node.txt") + sample("scontrol_node.txt").replace("sample1", "sample2"))
    assert [(node.name, node.states, node.gpus) for node in both] == [
        ("sample1", ("idle",), 2),
        ("sample2", ("idle",), 2),
    ]
    assert parse_nodes("NodeName=a State=IDLE")[0].states is None
    with pytest.raises(ParseError):
        parse_sinfo("PARTITION AVAIL TIMELIMIT NODES STATE NODELIST\nbatch up infinite 4 idle a[1-4]\n")


def test_a_pool_that_was_cut_off_is_unknown_and_one_with_errors_is_told() -> None:
    text = sample("zpool.txt")
    (cut,) = judged("zpool status", text[: text.index("errors:")], "disk.zpool")
    assert cut.verdict is Verdict.UNKNOWN
    (counted,) = judged(
        "zpool status",
        text.replace("nvme3n1   ONLINE       0     0     0", "nvme3n1   ONLINE       0     0    12"),
        "disk.zpool",
    )
    assert (counted.verdict, "nvme3n1 has counted errors" in counted.message) == (Verdict.WARN, True)
    wanted = MODEL.model_copy(update={"expected": {**MODEL.expected, "zpool": {"tank": {"drives": 6}}}})
    (short,) = judged("zpool status", text, "disk.zpool", wanted)
    assert (short.verdict, "3 of 6 drives" in short.message) == (Verdict.FAIL, True)
    (gone,) = judged("zpool status", "no pools available\n", "disk.zpool", wanted)
    assert gone.verdict is Verdict.FAIL
    assert parse_zpool("no pools available\n") == ()


def test_swap_is_read_in_every_form_and_no_output_means_none() -> None:
    assert parse_swapon("").swap_kib == 0
    assert parse_swapon("NAME      TYPE SIZE USED PRIO\n/swap.img file   8G   0B   -2\n").swap_kib == 8 * 1024**2
    assert parse_swapon("Filename\tType\tSize\tUsed\tPriority\n/swap.img\tfile\t8388604\t0\t-2\n").swap_kib == 8_388_604
    with pytest.raises(ParseError):
        parse_swapon("Reference ID    : 0A000001 (10.0.0.1)\n")
    (none,) = judged("swapon --show", "", "system.swap")
    assert none.verdict is Verdict.OK
    assert judged("swapon --show", "", "memory.size")[0].verdict is not Verdict.OK


def test_kernel_and_release_in_the_tools_forms() -> None:
    assert parse_release("6.5.0-1007-nvidia\n").kernel == "6.5.0-1007-nvidia"
    assert (
        parse_release("Linux gpu1 6.5.0-1007-nvidia #7-Ubuntu SMP PREEMPT_DYNAMIC x86_64\n").kernel
        == "6.5.0-1007-nvidia"
    )
    lsb = parse_release(
        "Distributor ID:\tUbuntu\nDescription:\tUbuntu 22.04.3 LTS\nRelease:\t22.04\nCodename:\tjammy\n"
    )
    assert (lsb.version, lsb.kernel) == ("22.04.3", None)


def test_a_list_of_failed_units_that_does_not_add_up_is_refused() -> None:
    text = sample("failed_units.txt").replace("0 loaded", "2 loaded")
    with pytest.raises(ParseError):
        parse_failed_units(text)


def test_states_are_of_the_units_the_command_names() -> None:
    assert parse_unit_states("active\nfailed\n", "systemctl is-active docker chrony.service") == {
        "docker": "active",
        "chrony": "failed",
    }
    with pytest.raises(ParseError):
        parse_unit_states("active\n", "systemctl is-active docker chrony")


def test_the_kernel_files_of_a_machine_without_edac_or_scaling_are_told_as_that() -> None:
    text = "\n".join(
        line for line in sample("kernel_files.txt").splitlines() if "/edac/" not in line and "cpufreq" not in line
    )
    found = {f.check: str(f.verdict) for f in evaluate(report({"grep -s . /sys/a": text}), None, Expectation(MODEL))}
    assert (found["memory.edac"], found["cpu.governor"], found["cpu.count"]) == ("info", "info", "ok")
    assert parse_kernel_files(text).tasks == 2317


def test_an_entry_of_the_bmcs_log_is_open_until_a_later_one_takes_it_back() -> None:
    assert [entry.message_id for entry in parse_bmc_log(sample("lclog.txt"))] == ["SYS1000", "PSU0003", "PSU0017"]
    fine = judged("racadm lclog view", sample("lclog.txt"), "bmc.log")
    assert [(f.part, str(f.verdict)) for f in fine] == [("machine", "ok")]
    other = (
        sample("lclog.txt")
        .replace("Power supply 2 is operating", "Power supply 1 is operating")
        .replace("PSU.Slot.2", "PSU.Slot.1", 1)
    )
    (lost, _) = judged("racadm lclog view", other, "bmc.log")
    assert (lost.part, lost.verdict, lost.fault_class) == ("PSU 2", Verdict.FAIL, "psu.lost")


def test_the_logs_of_ipmitool_and_redfish_are_read() -> None:
    text = "   1 | 10/01/2026 | 07:58:41 | Power Supply PS2 Status | Power Supply AC lost | Asserted\n"
    (lost, _) = judged("ipmitool sel elist", text, "bmc.log")
    assert (lost.part, lost.verdict) == ("PSU 2", Verdict.FAIL)
    back = text + "   2 | 10/01/2026 | 08:58:41 | Power Supply PS2 Status | Power Supply AC lost | Deasserted\n"
    assert {f.verdict for f in judged("ipmitool sel elist", back, "bmc.log")} == {Verdict.OK}
    said = "Multi-bit memory errors detected on a memory device at location(s) DIMM_A7."
    row = {
        "Id": "9",
        "Severity": "Critical",
        "MessageId": "IDRAC.2.8.MEM0001",
        "Message": said,
        "Created": "2026-10-01",
    }
    found = judged("Redfish log", json.dumps({"Members": [row]}), "bmc.log", XE9680)
    assert [(f.part, str(f.verdict)) for f in found] == [("DIMM A7", "fail"), ("machine", "ok")]
    assert judged("ipmitool sel elist", "SEL has no entries\n", "bmc.log")[0].verdict is Verdict.OK


def test_a_component_named_by_its_bus_is_its_slot() -> None:
    row = {
        "Severity": "Critical",
        "MessageId": "PCI3018",
        "Message": "A fatal error was detected on a component at bus 155 device 0 function 0.",
    }
    found = judged("Redfish log", json.dumps({"Members": [row]}), "bmc.log", XE9680)
    assert found[0].part == "GPU 4"


def test_every_row_of_the_logs_table_can_match_and_a_fail_has_a_class() -> None:
    for rule in log_rules():
        assert rule.ids or rule.text
        assert rule.verdict is not Verdict.FAIL or rule.fault_class, rule.name


def test_redfish_resources_in_several_files_are_one_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = json.loads(sample("bmc.json"))
    files = {f"{kind}.json": json.dumps(whole[kind]) for kind in ("system", "chassis", "thermal", "power")}
    assert set(examined(tmp_path, capsys, files).values()) == {"ok"}
    (tmp_path / "system.json").unlink()
    (tmp_path / "chassis.json").unlink()
    said = examined(tmp_path, capsys, {})
    assert (said["bmc.health"], said["bmc.psu"]) == ("unknown", "ok")


def test_lspci_tells_a_device_that_does_not_answer_any_more() -> None:
    (device,) = parse_lspci("9b:00.0 3D controller [0302]: NVIDIA Corporation GH100 [H100] [10de:2330] (rev ff)\n")
    assert (device.address, device.vendor_id, device.revision) == ("0000:9b:00.0", "10de", "ff")


def test_a_service_tag_of_another_machine_fails() -> None:
    (found,) = judged("dmidecode", sample("dmidecode.txt"), "system.firmware", serial="OTHER01")
    assert (found.verdict, found.fault_class) == (Verdict.FAIL, "system.identity")
    assert judged("dmidecode", sample("dmidecode.txt"), "system.firmware", serial="SAMPLE1")[0].verdict is Verdict.OK


def test_what_only_some_sites_have_is_asked_for_where_the_model_says_so() -> None:
    said = {
        "slurm": True,
        "ipmi": True,
        "zpool": {"tank": {"drives": 3}},
        "services": ["docker", "ssh"],
        "mirrors": ["http://mirror.example/"],
        "docker": {"gpu_image": "registry.example/cuda:12"},
    }
    spec = MODEL.model_copy(update={"expected": said})
    commands = [command for _, command in probe_commands(spec)]
    assert {"systemctl is-active slurmd", "zpool status", "ipmitool sel elist", "systemctl is-active docker ssh"} <= {
        *commands
    }
    assert "docker run --rm --pull never --gpus all registry.example/cuda:12 nvidia-smi -L" in commands
    (asked,) = [command for command in commands if "curl" in command]
    assert "mirror.example" in asked
    assert probe_script(spec)
    assert not {"zpool status", "systemctl is-active slurmd"} & {command for _, command in probe_commands(MODEL)}
