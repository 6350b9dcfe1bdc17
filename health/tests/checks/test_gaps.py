"""What the peers' catalogues judge: links of every device, interfaces, remote mounts, AMD, clusters, other keepers."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from health.checks import Earlier, Expectation, Finding, counters_of, evaluate, layout, plan_of, readings_of
from health.checks.parsers.host_reports import parse_sdr, parse_smart
from health.checks.parsers.node_services import parse_imex
from health.checks.probes.script import KERNEL_LOG, Output, probe_commands
from health.checks.probes.site import AMD_LINKS, AMD_METRIC, AMD_PAGES, AMD_STATIC, CRI, IMEX, KUBELET
from health.checks.probes.state import REMOTE_MOUNTS, state_files
from health.checks.saved.examination import examine
from health.checks.sources import identify
from health.checks.verdicts import Verdict
from health.tests.checks.samples import BOOT, MODEL, REPORT_TIME, healthy, judged, only, report, sample
from health.tests.checks.test_probe import SHELLS, tool
from inventory.specs.device_model import DeviceModelSpec

STATE = state_files(MODEL)
AMD = DeviceModelSpec.from_dict(
    {
        "model": "sample-2amd", "vendor": "Sample", "name": "Two AMD GPUs", "kind": "machine", "u_height": 4,
        "gpu": {"count": 2, "type": "AMD Instinct MI300X", "memory_mib": 196288, "pcie_gen": 5, "pcie_width": 16},
        "slots": [
            {"name": "GPU 0", "kind": "gpu", "pci": "0000:21:00.0"},
            {"name": "GPU 1", "kind": "gpu", "pci": "0000:a1:00.0"},
        ],
    }
)  # fmt: skip
AMD_TEXTS = {
    AMD_STATIC: sample("amd_static.json"), AMD_METRIC: sample("amd_metric.json"),
    AMD_PAGES: sample("amd_pages.json"), AMD_LINKS: sample("amd_links.json"), KERNEL_LOG: sample("kernel.log"),
}  # fmt: skip


def with_expected(**more: Any) -> DeviceModelSpec:
    data = MODEL.model_dump(mode="json", exclude_unset=True)
    return DeviceModelSpec.from_dict({**data, "expected": {**data.get("expected", {}), **more}})


def with_link_of_drive(link: dict[str, int], **expected: Any) -> DeviceModelSpec:
    data = with_expected(**expected).model_dump(mode="json", exclude_unset=True)
    slots = [{**slot, "pcie": link} if slot["kind"] == "nvme" else slot for slot in data["slots"]]
    return DeviceModelSpec.from_dict({**data, "slots": slots})


def changed(*pairs: tuple[str, str], text: str | None = None) -> str:
    text = sample("state_files.txt") if text is None else text
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


def said(findings: list[Finding]) -> list[tuple[str, str, str]]:
    return [(f.part, str(f.verdict), f.message) for f in findings if f.verdict not in (Verdict.OK, Verdict.INFO)]


# ---- links of every device ----


def test_a_device_is_judged_by_what_both_ends_of_its_link_can_do() -> None:
    slow_slot = changed(("0000:41:00.0/../max_link_width:16", "0000:41:00.0/../max_link_width:8"),
                        ("0000:41:00.0/current_link_width:16", "0000:41:00.0/current_link_width:8"))  # fmt: skip
    assert said(only(judged({STATE: slow_slot}), "pcie.links")) == []
    slow = changed(("0000:41:00.0/current_link_speed:16.0", "0000:41:00.0/current_link_speed:8.0"))
    ((part, verdict, message),) = said(only(judged({STATE: slow}), "pcie.links"))
    assert (part, verdict) == ("HCA mlx5_2", "warn")
    assert "generation 3, both ends can do 4" in message


def test_an_idle_gpu_may_lower_its_generation_and_never_its_lanes() -> None:
    idle = changed(("0000:21:00.0/current_link_speed:32.0", "0000:21:00.0/current_link_speed:2.5"))
    assert said(only(judged({STATE: idle}), "pcie.links")) == []
    narrow = changed(("0000:21:00.0/current_link_width:16", "0000:21:00.0/current_link_width:8"))
    ((part, verdict, _),) = said(only(judged({STATE: narrow}), "pcie.links"))
    assert (part, verdict) == ("GPU 0", "fail")


def test_a_drive_has_the_link_of_the_model_or_what_drive_and_bay_can_do() -> None:
    assert said(only(judged({STATE: sample("state_files.txt")}), "nvme.pcie_link")) == []  # generation 4 in a 5 bay
    wanted = with_link_of_drive({"width": 4, "gen": 5}, nvme_pcie={"gen": 4})  # that of the slot goes before
    ((part, verdict, message),) = said(only(judged({STATE: sample("state_files.txt")}, model=wanted), "nvme.pcie_link"))
    assert (part, verdict) == ("NVMe 0", "fail")
    assert "generation 4 of 5" in message
    gone = changed(("nvme0/device/current_link_width:4", "nvme0/device/current_link_width:255"))
    assert [v for _, v, _ in said(only(judged({STATE: gone}), "nvme.pcie_link"))] == ["unknown"]


LSPCI = """\
20:01.0 PCI bridge: Intel Corporation Device 352a (rev 04)
\tBus: primary=20, secondary=21, subordinate=21, sec-latency=0
\t\tLnkCap:\tPort #1, Speed 32GT/s, Width x16, ASPM not supported
\t\tLnkSta:\tSpeed 32GT/s (ok), Width x16 (ok)
21:00.0 3D controller: NVIDIA Corporation GH100 (rev a1)
\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16, ASPM not supported
\t\tLnkSta:\tSpeed 32GT/s (ok), Width x16 (ok)
e0:01.0 PCI bridge: Intel Corporation Device 352a (rev 04)
\tBus: primary=e0, secondary=e1, subordinate=e1, sec-latency=0
\t\tLnkCap:\tPort #2, Speed 32GT/s, Width x16, ASPM not supported
\t\tLnkSta:\tSpeed 16GT/s (downgraded), Width x4 (downgraded)
e1:00.0 Non-Volatile memory controller: Samsung Electronics Co Ltd Device a824
\t\tLnkCap:\tPort #0, Speed 16GT/s, Width x4, ASPM not supported
\t\tLnkSta:\tSpeed 16GT/s (ok), Width x4 (ok)
"""


def lspci(text: str) -> list[Finding]:
    from health.checks.sources import read

    command = "lspci -vv"
    known = identify(command)
    assert known
    return examine([read(known, Output(command, 0, 0, text))], MODEL)


def test_a_port_that_lspci_calls_downgraded_is_fine_when_its_device_can_do_no_more() -> None:
    assert said(lspci(LSPCI)) == []
    narrow = LSPCI.replace("LnkSta:\tSpeed 16GT/s (ok), Width x4", "LnkSta:\tSpeed 16GT/s (ok), Width x2")
    ((part, verdict, message),) = said(only(lspci(narrow), "pcie.links"))
    assert (part, verdict) == ("NVMe 0", "fail")
    assert "PCIe x2, both ends can do x4" in message


# ---- interfaces ----


@pytest.mark.parametrize(
    ("change", "verdict", "message"),
    [
        (("/sys/class/net/bond0/operstate:up", "/sys/class/net/bond0/operstate:down"), "fail", "bond0 is down"),
        (
            ("/sys/class/net/bond0/speed:200000", "/sys/class/net/bond0/speed:100000"),
            "fail",
            "bond0: 100 Gb/s, the mod",
        ),
        (
            ("/sys/class/net/bond0/speed:200000", "/sys/class/net/bond0/speed:-1"),
            "unknown",
            "its speed is not reported",
        ),
        (("lower_eth0/duplex:full", "lower_eth0/duplex:half"), "fail", "eth0 of bond0: half duplex"),
        (("lower_eth0/speed:100000", "lower_eth0/speed:25000"), "warn", "25 Gb/s, another member of the bond has 100"),
    ],
)
def test_a_required_interface_is_up_with_carrier_at_its_speed(
    change: tuple[str, str], verdict: str, message: str
) -> None:
    ((part, found, text),) = said(only(judged({STATE: changed(change)}), "net.interface"))
    assert (part, found) == ("machine", verdict)
    assert message in text


MTU_LINE = ("bond0/operstate:up", "bond0/operstate:up\n/sys/class/net/bond0/mtu:9000")


@pytest.mark.parametrize(
    ("wanted", "changes", "says"),
    [
        ({"slaves": ["eth0", "eth1"]}, [], []),
        (
            {"slaves": ["eth0", "eth1"]},
            [("bond0/lower_eth1/", "bond9/lower_eth1/")],
            [("fail", "eth1 is not in bond0")],
        ),
        ({"mtu": 9000}, [MTU_LINE], []),
        ({"mtu": 1500}, [MTU_LINE], [("warn", "bond0: MTU 9000, the model has 1500")]),
        ({"mtu": 9000}, [], [("unknown", "bond0: its MTU is not reported")]),
    ],
)
def test_a_bond_has_its_slaves_and_an_interface_its_mtu(
    wanted: dict[str, Any], changes: list[tuple[str, str]], says: list[tuple[str, str]]
) -> None:
    model = with_expected(interfaces={"bond0": wanted})
    found = said(only(judged({STATE: changed(*changes)}, model=model), "net.interface"))
    assert [(verdict, text) for _, verdict, text in found] == says


def test_an_interface_that_is_not_there_at_all_fails_and_others_are_not_judged() -> None:
    kept = [line for line in sample("state_files.txt").splitlines() if "/sys/class/net/bond0/" not in line]
    ((_, verdict, text),) = said(only(judged({STATE: "\n".join(kept)}), "net.interface"))
    assert (verdict, text.partition(";")[0]) == ("fail", "bond0 is not there")
    data = MODEL.model_dump(mode="json", exclude_unset=True)
    nobody = DeviceModelSpec.from_dict({**data, "expected": {}})
    assert "/sys/class/net" not in state_files(nobody)


def test_a_carrier_that_comes_and_goes_is_judged_by_its_growth_and_never_by_its_height() -> None:
    look = report({STATE: sample("state_files.txt")})
    before = counters_of(look, readings_of(look), MODEL)
    assert before["machine"]["carrier changes of eth0"] == 3
    earlier = Earlier(REPORT_TIME - 600, before, boot_id=BOOT)
    for count, verdict in ((4, []), (5, ["warn"]), (9, ["fail"])):
        text = changed(("lower_eth0/carrier_changes:3", f"lower_eth0/carrier_changes:{count}"))
        assert [v for _, v, _ in said(only(judged({STATE: text}, earlier=earlier), "net.interface"))] == verdict
    high = changed(("lower_eth0/carrier_changes:3", "lower_eth0/carrier_changes:4711"))
    assert said(only(judged({STATE: high}), "net.interface")) == []


# ---- remote mounts ----


@pytest.mark.slow
@pytest.mark.parametrize("shell", SHELLS)
def test_a_mount_that_hangs_is_told_in_time_and_leaves_no_process(shell: str, tmp_path: Path) -> None:
    tool(tmp_path, "stat", 'case "$*" in *dead*) exec sleep 4242 ;; *stale*) exit 1 ;; esac')
    mounts = "srv:/a /home nfs4 rw 0 0\nsrv:/a /var/lib/kubelet/pods/x nfs4 rw 0 0\n/dev/sda1 / ext4 rw 0 0\n"
    mounts += "srv:/dead /mnt/dead nfs rw 0 0\nsrv:/b /stale lustre rw 0 0\ntmpfs /run tmpfs rw 0 0\n"
    (tmp_path / "mounts").write_text(mounts)
    command = REMOTE_MOUNTS.replace("</proc/mounts", f"<{tmp_path / 'mounts'}")
    begun = time.monotonic()
    told = subprocess.run([shell, "-c", command], env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, capture_output=True,
                          text=True, timeout=30)  # fmt: skip
    assert time.monotonic() - begun < 8
    assert told.stdout == "answers nfs4 /home\nhangs nfs /mnt/dead\nfails lustre /stale\nend of remote mounts\n"
    until = time.monotonic() + 5  # a process that was killed takes a moment to go
    while _left() and time.monotonic() < until:
        time.sleep(0.05)
    assert _left() == []


def _left() -> list[Path]:
    return [each for each in Path("/proc").glob("[0-9]*/cmdline") if _reads(each) == b"sleep\x004242\x00"]


def _reads(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_a_mount_that_hangs_fails_one_with_an_error_fails_and_a_list_cut_off_is_unknown() -> None:
    text = "answers nfs4 /home\nhangs nfs4 /data\nfails lustre /scratch\nend of remote mounts\n"
    found = only(judged({REMOTE_MOUNTS: text}), "disk.remote")
    assert [(f.part, f.fault_class) for f in found if f.verdict is Verdict.FAIL] == [
        ("/data", "disk.hang"), ("/scratch", "disk.mount"),
    ]  # fmt: skip
    assert {f.verdict for f in only(judged({REMOTE_MOUNTS: text[:40]}), "disk.remote")} == {Verdict.UNKNOWN}
    (none,) = only(judged({REMOTE_MOUNTS: "end of remote mounts\n"}), "disk.remote")
    assert none.verdict is Verdict.OK


# ---- AMD ----


def amd(**changes: tuple[str, str]) -> list[Finding]:
    names = {"static": AMD_STATIC, "metric": AMD_METRIC, "pages": AMD_PAGES, "links": AMD_LINKS}
    texts = dict(AMD_TEXTS)
    for name, (old, new) in changes.items():
        before, found, after = texts[names[name]].rpartition(old)
        assert found
        texts[names[name]] = before + new + after
    return [f for f in judged(texts, model=AMD) if f.check.startswith(("gpu.", "xgmi.", "pcie.replays"))]


def test_amd_gpus_stand_behind_the_same_checks_and_a_healthy_machine_is_ok() -> None:
    commands = [command for _, command in probe_commands(AMD)]
    assert not [command for command in commands if command.startswith("nvidia-smi")]
    asked = {check for check, part in layout(AMD) if part == "GPU 1"}
    assert {"gpu.count", "gpu.identity", "gpu.ecc", "gpu.temperature", "gpu.throttle", "gpu.pcie", "gpu.vbios",
            "gpu.memory_size", "gpu.retired_pages", "pcie.replays", "xgmi.links"} <= asked  # fmt: skip
    assert not asked & {"gpu.row_remap", "gpu.persistence", "gpu.gsp", "nvlink.links"}
    findings = amd()
    assert {f.part for f in findings} == {"GPU 0", "GPU 1", "machine"}
    assert {str(f.verdict) for f in findings} == {"ok"}


@pytest.mark.parametrize(
    ("changes", "check", "verdict", "message"),
    [
        (
            {"metric": ('"total_uncorrectable_count": 0', '"total_uncorrectable_count": 3')},
            "gpu.ecc",
            "fail",
            "3 uncorre",
        ),
        (
            {"metric": ('"total_deferred_count": 0', '"total_deferred_count": 1')},
            "gpu.ecc",
            "warn",
            "1 deferred errors",
        ),
        (
            {"metric": ('"total_uncorrectable_count": 0', '"total_uncorrectable_count": "N/A"')},
            "gpu.ecc",
            "unknown",
            "not",
        ),
        (
            {
                "metric": (
                    '"socket_thermal_violation_status": "NOT ACTIVE"',
                    '"socket_thermal_violation_status": "ACTIVE"',
                )
            },
            "gpu.throttle",
            "fail",
            "throttled by socket thermal",
        ),
        (
            {"metric": ('"hotspot": {"value": 51', '"hotspot": {"value": 101')},
            "gpu.temperature",
            "fail",
            "hot spot at 101",
        ),
        ({"metric": ('"width": 16', '"width": 8')}, "gpu.pcie", "fail", "PCIe width x8 of x16"),
        (
            {"pages": ('"pending": "No bad pages found."', '"pending": [{"page_address": "0x1"}]')},
            "gpu.retired_pages",
            "warn",
            "1 bad pages are pending",
        ),
        (
            {"pages": ('"un_res": "No bad pages found."', '"un_res": [{"page_address": "0x1"}]')},
            "gpu.retired_pages",
            "fail",
            "1 bad pages could not be reserved",
        ),
        ({"pages": ('"un_res": "No bad pages found."', '"un_res": "N/A"')}, "gpu.retired_pages", "ok", ""),
        (
            {"static": ('"size": {"value": 196288', '"size": {"value": 98144')},
            "gpu.memory_size",
            "fail",
            "98144 of 196288",
        ),
        (
            {"static": ('"version": "022.040.003.041.000001"', '"version": "022.040.003.041.000009"')},
            "gpu.vbios",
            "fail",
            "others have 022.040.003.041.000001",
        ),
        (
            {"static": ('"socket_power": {"value": 750', '"socket_power": {"value": 550')},
            "gpu.power_limit",
            "warn",
            "550 W",
        ),
        (
            {"links": ('["U", "X", "U", "U"]', '["U", "X", "U", "X"]')},
            "xgmi.links",
            "fail",
            "2 XGMI links, the other GPUs",
        ),
    ],
)
def test_amds_own_words_are_judged_on_the_gpu_of_that_slot(
    changes: dict[str, tuple[str, str]], check: str, verdict: str, message: str
) -> None:
    found = amd(**changes)
    bad = [f for f in found if f.verdict not in (Verdict.OK, Verdict.INFO)]
    if verdict == "ok":
        assert bad == []
        return
    assert [(f.check, f.part, str(f.verdict)) for f in bad] == [(check, "GPU 1", verdict)]
    assert message in bad[0].message
    assert bad[0].action or verdict == "unknown"


def test_an_amd_gpu_that_is_gone_is_named_and_the_others_are_still_read_in_their_slots() -> None:
    import json

    texts: dict[str, str] = {}
    for command, text in AMD_TEXTS.items():
        if command == KERNEL_LOG:
            continue
        if command == AMD_LINKS:
            rows = '[{"gpu": 0, "bdf": "0000:a1:00.0"}]'
            texts[command] = f'{rows}\n[{{"gpu": 0, "bdf": "0000:a1:00.0", "link_status": ["U", "X"]}}]'
            continue
        data = json.loads(text)
        rows_ = data["gpu_data"] if isinstance(data, dict) else data
        rows_[1]["gpu"] = 0
        texts[command] = json.dumps({"gpu_data": rows_[1:]})
    found = judged(texts, model=AMD)
    assert [(f.part, str(f.verdict)) for f in only(found, "gpu.count")] == [("GPU 0", "fail"), ("GPU 1", "ok")]
    assert [(f.part, str(f.verdict)) for f in only(found, "gpu.ecc")] == [("GPU 0", "unknown"), ("GPU 1", "ok")]


def test_corrected_errors_of_amd_gpus_are_judged_by_their_growth() -> None:
    look = report(AMD_TEXTS)
    before = counters_of(look, readings_of(look), AMD)
    assert before["GPU 1"] == {"corrected memory errors": 2, "PCIe replays": 0}
    earlier = Earlier(REPORT_TIME - 600, before, boot_id=BOOT)
    texts = AMD_TEXTS | {
        AMD_METRIC: AMD_TEXTS[AMD_METRIC].replace('_correctable_count": 2,', '_correctable_count": 4002,')
    }
    (found,) = only(judged(texts, model=AMD, earlier=earlier), "gpu.corrected", "GPU 1")
    assert (found.verdict, found.message) == (Verdict.WARN, "GPU 1: 4000 more corrected memory errors, 24000 an hour")


def test_an_amd_driver_that_does_not_answer_fails_and_its_gpus_are_unknown() -> None:
    found = evaluate(report({AMD_STATIC: ""}, {AMD_STATIC: 124}), None, Expectation(AMD))
    assert [(f.part, f.fault_class) for f in only(found, "gpu.driver")] == [("machine", "driver.down")]
    assert {f.verdict for f in only(found, "gpu.count")} == {Verdict.UNKNOWN}


def test_rocm_smi_feeds_what_it_tells_and_nothing_else() -> None:
    from health.checks.sources import read

    text = (
        '{"card0": {"Temperature (Sensor junction) (C)": "48.0", "PCI Bus": "0000:21:00.0"}, '
        '"card1": {"Temperature (Sensor junction) (C)": "97.0", "PCI Bus": "0000:A1:00.0"}}'
    )
    command = "rocm-smi -t -b --json"
    known = identify(command)
    assert known
    found = examine([read(known, Output(command, 0, 0, text))], AMD)
    assert {f.check for f in found} == {"gpu.temperature", "gpu.count"}
    assert said(found) == [("GPU 1", "fail", "GPU 1: hot spot at 97 C")]


# ---- clusters ----


def asked_checks(spec: DeviceModelSpec) -> set[str]:
    return {check for check, _ in layout(spec)}


def test_what_the_model_does_not_speak_of_is_not_judged_and_what_it_does_is_unknown_where_it_is_not_installed() -> None:
    mine = {"kubernetes.runtime", "kubernetes.kubelet", "imex.domain"}
    assert not asked_checks(MODEL) & mine
    spec = with_expected(kubernetes=True, imex={"nodes": 2})
    assert mine <= asked_checks(spec)
    missing = {CRI: 127, KUBELET: 127, IMEX: 127}
    texts = dict.fromkeys(missing, "sh: 1: not found\n")
    found = [f for f in evaluate(report(texts, missing), None, Expectation(spec)) if f.check in mine]
    assert {(f.check, str(f.verdict)) for f in found} == {(check, "unknown") for check in mine}


def test_what_a_model_asks_for_is_unknown_on_a_machine_that_does_not_answer() -> None:
    spec = with_expected(kubernetes=True, slurm=True, zpool={"tank": {}})
    found = evaluate(None, None, Expectation(spec), unreachable="connection refused")
    assert {(f.check, f.part) for f in found} == set(layout(spec))
    assert {(each.id, "machine") for each in plan_of(spec).checks} >= {
        ("slurm.daemon", "machine"),
        ("disk.zpool", "machine"),
    }


@pytest.mark.parametrize(
    ("texts", "check", "message"),
    [
        (
            {CRI: "FATA[0000] validate service connection: connect: connection refused"},
            "kubernetes.runtime",
            "not answer",
        ),
        ({KUBELET: "failed\n 000"}, "kubernetes.kubelet", "the kubelet is failed"),
        ({KUBELET: "active\n 000"}, "kubernetes.kubelet", "its health page does not answer"),
    ],
)
def test_a_kubelet_or_runtime_that_is_down_fails(texts: Mapping[str, str], check: str, message: str) -> None:
    found = only(judged(texts, model=with_expected(kubernetes=True)), check)
    shown = "kubernetes.runtime" if check == "kubernetes.runtime" else "kubernetes.down"
    assert [(str(f.verdict), f.fault_class) for f in found] == [("fail", shown)]
    assert message in found[0].message


IMEX_TEXT = """\
Connectivity Table Legend:
I - Invalid - Node wasn't reachable, no connection status available
C - Connected - Ready for operation

5/12/2025 06:08:10.580
Nodes:
Node #0 * - 192.0.2.10       - READY                - Version: 570.124.06
Node #1   - 192.0.2.11       - UNAVAILABLE          - Version: 570.124.06

 Nodes From\\To  0   1
       0        C   D
       1        I   I
Domain State: DEGRADED
"""


def test_the_imex_domain_is_read_as_text_and_as_json_and_names_the_node() -> None:
    assert [(node.host, node.state) for node in parse_imex(IMEX_TEXT).nodes] == [
        ("192.0.2.10", "READY"), ("192.0.2.11", "UNAVAILABLE"),
    ]  # fmt: skip
    spec = with_expected(imex={"nodes": 3})
    (found,) = only(judged({IMEX: IMEX_TEXT}, model=spec), "imex.domain")
    assert found.verdict is Verdict.FAIL
    assert "node 1 (192.0.2.11) is UNAVAILABLE" in found.message
    assert "node 0 (192.0.2.10): DISCONNECTED to node 1" in found.message
    assert "2 of 3 nodes are in the domain" in found.message
    (none,) = only(judged({IMEX: "Connection to 127.0.0.1:50005 failed\n"}, model=spec), "imex.domain")
    assert none.verdict is Verdict.UNKNOWN


def test_a_version_that_begins_with_the_wanted_one_is_right_and_a_package_that_is_absent_fails() -> None:
    command = next(c for _, c in probe_commands(MODEL) if "dpkg-query" in c)
    longer = sample("packages.txt").replace("2.18.5-1", "2.18.51-1")
    ((_, verdict, message),) = said(only(judged({command: longer}), "system.packages"))
    assert (verdict, "libnccl2 2.18.51-1" in message) == ("warn", True)
    gone = sample("packages.txt").replace(
        "nvidia-container-toolkit\t1.14.6-1\n", "dpkg-query: no packages found matching nvidia-container-toolkit\n"
    )
    ((_, verdict, message),) = said(only(judged({command: gone}), "system.packages"))
    assert (verdict, message) == ("fail", "nvidia-container-toolkit is not installed, the model has 1.14.6-1")


# ---- other keepers ----


def test_memory_in_crumbs_is_told_only_where_much_is_free() -> None:
    row = "4318   3209   2406   1803   1205    804    402    201    101   2000  24000"
    little = changed((row, "24318  3209   2406   1803   1205    804    402    201    101      0      0"))
    assert said(only(judged({STATE: little}), "memory.fragmentation")) == []


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        (("md0 : active raid1", "md0 : inactive"), "fail"),
        (("sdb2[1] sda2[0]", "sdb2[1](F) sda2[0]"), "fail"),
        (("[2/2] [UU]", "[2/1] [U_]\n/proc/mdstat:      [==>..]  recovery = 12.6% (59/468) finish=127.5min"), "warn"),
        (("[2/2] [UU]", "[2/2] [UU]\n/proc/mdstat:      [==>..]  check = 12.6% (59/468) finish=127.5min"), "ok"),
    ],
)
def test_a_software_raid_without_a_member_fails_and_one_being_rebuilt_warns(
    change: tuple[str, str], verdict: str
) -> None:
    found = only(judged({STATE: changed(change)}), "disk.md")
    assert [str(f.verdict) for f in found] == [verdict]


def test_sensors_are_read_in_all_forms_of_ipmitool() -> None:
    (fan,) = parse_sdr("Fan1A            | 30h | ok  |  7.1 | 7440 RPM\n")
    assert (fan.name, fan.value, fan.state) == ("Fan1A", "7440 RPM", "ok")
    (hot,) = parse_sdr("Inlet Temp       | 47.000     | degrees C  | ucr   | na | na | na | na | 42.000 | 47.000\n")
    assert (hot.name, hot.state) == ("Inlet Temp", "ucr")


def test_the_text_form_of_smart_log_says_the_same_as_the_json() -> None:
    text = (
        "Smart Log for NVME device:nvme0 namespace-id:ffffffff\n"
        "critical_warning                    : 0x4\ntemperature                         : 35 C (308 Kelvin)\n"
        "available_spare                     : 3%\navailable_spare_threshold           : 10%\n"
        "percentage_used                     : 98%\ndata_units_written                  : 79,295,600\n"
        "host_write_commands                 : 3,779,064,000\nmedia_errors                        : 312\n"
    )
    health = parse_smart(text)
    assert (health.critical_warning, health.spare_percent, health.used_percent) == (4, 3, 98)
    assert (health.temperature_c, health.media_errors, health.data_units_written) == (35, 312, 79_295_600)


def test_the_whole_healthy_report_has_every_new_check_ok() -> None:
    new = {"net.interface", "nvme.pcie_link", "pcie.links", "disk.remote", "disk.md", "memory.fragmentation",
           "system.packages"}  # fmt: skip
    found = [f for f in judged(healthy()) if f.check in new]
    assert {f.check for f in found} == new
    assert {str(f.verdict) for f in found} == {"ok"}
