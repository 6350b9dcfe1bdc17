"""Each fault of the catalogue, seen in the output it should be seen in, and nowhere once it is gone."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any
from xml.etree import ElementTree

import pytest

from simulator.faults import CATALOGUE, FaultError, clear, inject
from simulator.machine.shell import NOT_FOUND, TIMED_OUT, execute, run_line
from simulator.outputs import host, ibstat, nvme
from simulator.outputs.nvidia import nvidia_smi, nvlink
from simulator.redfish import resources as bmc
from simulator.redfish.styles import STYLES
from simulator.state import Machine
from simulator.tests.conftest import NOW

PROBE = "prelude() { :; }\nrun 10 'nvidia-smi -q -x'\nrun 5 'cat /proc/uptime'\nrun 5 'nosuchtool'\nfinish\n"


def gpu_xml(machine: Machine, slot: str) -> ElementTree.Element:
    serial = machine.part(slot).serial
    root = ElementTree.fromstring(nvidia_smi.query_xml(machine, NOW))
    return next(gpu for gpu in root.findall("gpu") if gpu.findtext("serial") == serial)


def ib(machine: Machine, device: str) -> dict[str, str]:
    lines = ibstat.ibstat(machine, device)[1].splitlines()
    return {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)}


def log(machine: Machine) -> str:
    return run_line(machine, "dmesg", NOW).text


def test_gpu_off_bus(machine: Machine) -> None:
    inject(machine, "gpu_off_bus", NOW, slot="GPU 4")
    root = ElementTree.fromstring(nvidia_smi.query_xml(machine, NOW))
    assert root.findtext("attached_gpus") == "7"
    assert [gpu.findtext("minor_number") for gpu in root.findall("gpu")] == list("0123567")
    assert "NVRM: Xid (PCI:0000:9b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus." in log(
        machine
    )
    assert machine.part("GPU 4").serial in log(machine)
    assert nvlink.status(machine).count("GPU-") == 7
    assert "GPU7" not in nvlink.topology(machine)


def test_gpu_ecc(machine: Machine) -> None:
    inject(machine, "gpu_ecc", NOW, slot="GPU 2")
    gpu = gpu_xml(machine, "GPU 2")
    assert gpu.findtext("ecc_errors/volatile/dram_uncorrectable") == "1"
    assert gpu.findtext("remapped_rows/remapped_row_pending") == "Yes"
    assert gpu.findtext("remapped_rows/row_remapper_histogram/row_remapper_histogram_max") == "2559 bank(s)"
    assert gpu.findtext("gpu_reset_status/reset_required") == "Yes"
    assert "(PCI:0000:4c:00): 48," in log(machine)
    assert "(PCI:0000:4c:00): 63," in log(machine)


def test_gpu_remap_failed(machine: Machine) -> None:
    inject(machine, "gpu_remap_failed", NOW, slot="GPU 3")
    gpu = gpu_xml(machine, "GPU 3")
    assert gpu.findtext("remapped_rows/remapped_row_failure") == "Yes"
    assert gpu.findtext("remapped_rows/row_remapper_histogram/row_remapper_histogram_none") == "1 bank(s)"
    assert "(PCI:0000:5d:00): 64," in log(machine)


def test_nvlink_down(machine: Machine) -> None:
    inject(machine, "nvlink_down", NOW, slot="GPU 5", params={"link": 11})
    part = nvlink.status(machine).split("GPU 5:")[1].split("GPU 6:")[0]
    assert "Link 11: <inactive>" in part
    assert nvlink.status(machine).count("<inactive>") == 1
    assert "(PCI:0000:bb:00): 74," in log(machine)
    assert "NV17" in nvlink.topology(machine)


def test_gpu_overheat(machine: Machine) -> None:
    inject(machine, "gpu_overheat", NOW, slot="GPU 6")
    gpu = gpu_xml(machine, "GPU 6")
    assert gpu.findtext("temperature/gpu_temp") == "91 C"
    assert gpu.findtext("clocks_event_reasons/clocks_event_reason_hw_thermal_slowdown") == "Active"
    assert gpu.findtext("clocks_event_reasons/clocks_event_reason_gpu_idle") == "Not Active"
    assert gpu_xml(machine, "GPU 7").findtext("clocks_event_reasons/clocks_event_reason_hw_slowdown") == "Not Active"


def test_hca_down(machine: Machine) -> None:
    inject(machine, "hca_down", NOW, slot="HCA mlx5_9")
    assert (ib(machine, "mlx5_9")["State"], ib(machine, "mlx5_9")["Physical state"]) == ("Down", "Polling")
    assert ib(machine, "mlx5_10")["State"] == "Active"
    assert "mlx5_core 0000:bc:00.0: Port module event: module 0, Cable unplugged" in log(machine)
    clear(machine, NOW, name="hca_down")
    assert "Cable plugged" in log(machine)


def test_hca_rate(machine: Machine) -> None:
    inject(machine, "hca_rate", NOW, slot="HCA mlx5_9")
    assert ib(machine, "mlx5_9")["Rate"] == "200"
    inject(machine, "hca_rate", NOW, slot="HCA mlx5_10", params={"rate": 100})
    assert ib(machine, "mlx5_10")["Rate"] == "100"


def test_psu_lost(machine: Machine) -> None:
    inject(machine, "psu_lost", NOW, slot="PSU 4")
    supplies = {row["MemberId"]: row for row in bmc.power(machine, NOW)["PowerSupplies"]}
    assert supplies["PSU.Slot.4"]["Status"]["Health"] == "Critical"
    assert supplies["PSU.Slot.3"]["Status"]["Health"] == "OK"
    assert bmc.power(machine, NOW)["Redundancy"][0]["Status"]["Health"] == "Critical"
    assert bmc.system(machine, NOW)["Status"]["HealthRollup"] == "Critical"
    sel = bmc.log_entries(machine, STYLES["Dell"].logs[0], 0, 10)["Members"]
    assert any(row["MessageId"].endswith("PSU0003") and row["Severity"] == "Critical" for row in sel)
    assert any("power supply 4 is lost" in row["Message"] for row in sel)


def test_disk_full(machine: Machine) -> None:
    inject(machine, "disk_full", NOW)
    root = next(line for line in host.df(machine, ["-P"]).splitlines() if line.endswith(" /"))
    assert root.split()[3:5] == ["0", "100%"]


def test_nvme_failing(machine: Machine) -> None:
    inject(machine, "nvme_failing", NOW, slot="NVMe 3")
    bad, good = (json.loads(nvme.smart_log(machine, machine.plan.nvmes[n], NOW)) for n in (3, 2))
    assert bad["critical_warning"] != 0
    assert bad["avail_spare"] < bad["spare_thresh"]
    assert bad["media_errors"] > 0
    assert good["critical_warning"] == 0


def test_docker_dead_until_it_is_restarted(machine: Machine) -> None:
    inject(machine, "docker_dead", NOW)
    reply = run_line(machine, "docker info --format '{{json .}}'", NOW)
    assert reply.status == 1
    assert "Cannot connect to the Docker daemon" in json.loads(reply.text)["ServerErrors"][0]
    assert run_line(machine, "systemctl is-active docker", NOW).text == "failed\n"
    run_line(machine, "systemctl restart docker", NOW)
    assert run_line(machine, "docker info", NOW).status == 0


def test_wrong_vbios(machine: Machine) -> None:
    inject(machine, "wrong_vbios", NOW, slot="GPU 7")
    assert gpu_xml(machine, "GPU 7").findtext("vbios_version") == "96.00.74.00.01"
    assert any(item["Version"] == "96.00.74.00.01" for item in bmc.firmware(machine).values())


def test_wrong_hca_firmware(machine: Machine) -> None:
    inject(machine, "wrong_hca_firmware", NOW, slot="HCA mlx5_0", params={"version": "28.35.1000"})
    assert ib(machine, "mlx5_0")["Firmware version"] == "28.35.1000"
    assert any(item["Version"] == "28.35.1000" for item in bmc.firmware(machine).values())


def test_clock_skew(machine: Machine) -> None:
    inject(machine, "clock_skew", NOW, params={"seconds": -120})
    assert run_line(machine, "date +%s", NOW).text == f"{int(NOW) - 120}\n"
    assert "120.000000000 seconds slow of NTP time" in run_line(machine, "chronyc tracking", NOW).text
    assert probe(machine)["time"] == NOW - 120
    assert probe(machine)["uptime_s"] == pytest.approx(machine.uptime_s(NOW), abs=0.01), "monotonic time is right"


def probe(machine: Machine) -> dict[str, Any]:
    return dict(json.loads(execute(machine, PROBE, NOW).text))


def test_the_probe_is_answered_in_one_document(machine: Machine) -> None:
    document = probe(machine)
    assert document["rackside_probe"] == 1
    assert document["boot_id"] == machine.state.boot_id
    assert document["complete"] is True
    assert [row["command"] for row in document["outputs"]] == ["nvidia-smi -q -x", "cat /proc/uptime", "nosuchtool"]
    assert [row["exit"] for row in document["outputs"]] == [0, 0, NOT_FOUND]
    xml = gzip.decompress(base64.b64decode(document["outputs"][0]["out"])).decode()
    assert ElementTree.fromstring(xml).findtext("attached_gpus") == "8"


def test_a_kept_output_never_hides_a_change(machine: Machine) -> None:
    first = probe(machine)["outputs"][0]["out"]
    assert probe(machine)["outputs"][0]["out"] == first, "kept"
    inject(machine, "gpu_off_bus", NOW, slot="GPU 4")
    text = gzip.decompress(base64.b64decode(probe(machine)["outputs"][0]["out"])).decode()
    assert "<attached_gpus>7<" in text


def test_command_hangs_for_the_whole_of_its_time(machine: Machine) -> None:
    inject(machine, "command_hangs", NOW)
    reply = execute(machine, PROBE, NOW)
    assert (reply.text, reply.delay_s) == ('{"rackside_probe": 1, "outputs": [', 10), "it has begun and waits"
    rows = json.loads(reply.whole(NOW).text)["outputs"]
    assert (rows[0]["exit"], rows[0]["ms"]) == (TIMED_OUT, 10_000)
    assert gzip.decompress(base64.b64decode(rows[0]["out"])) == b""
    assert rows[1]["exit"] == 0
    assert execute(machine, "nvidia-smi", NOW).delay_s is None, "a typed one never ends"
    assert execute(machine, "uptime", NOW).delay_s == 0


def test_what_is_read_after_a_command_that_hung_is_read_when_it_is_printed(machine: Machine) -> None:
    """A clock read before the wait and printed after it would look wrong by as much."""
    inject(machine, "command_hangs", NOW, params={"command": "nvidia-smi"})
    whole = execute(machine, PROBE, NOW).whole(NOW)
    said = json.loads(whole.text)
    assert whole.delay_s == 10 and said["time"] == NOW + 10
    assert said["uptime_s"] == pytest.approx(machine.uptime_s(NOW + 10), abs=0.01)
    seen = gzip.decompress(base64.b64decode(said["outputs"][1]["out"])).decode().split()[0]
    assert float(seen) == pytest.approx(machine.uptime_s(NOW + 10), abs=0.1)


def test_a_tool_that_hung_is_not_run_again_as_in_the_script(machine: Machine) -> None:
    inject(machine, "command_hangs", NOW)
    whole = execute(machine, PROBE.replace("run 5 'nosuchtool'", "run 6 'nvidia-smi nvlink -s'"), NOW).whole(NOW)
    last = json.loads(whole.text)["outputs"][-1]
    assert (last["exit"], last["ms"], whole.delay_s) == (TIMED_OUT, 0, 10)
    assert b"hung before" in gzip.decompress(base64.b64decode(last["out"]))


def test_binary_junk(machine: Machine) -> None:
    inject(machine, "binary_junk", NOW)
    raw = execute(machine, PROBE, NOW).text.encode("utf-8", "surrogateescape")
    assert len(raw) == 4096
    with pytest.raises(UnicodeDecodeError):
        json.loads(raw)


@pytest.mark.parametrize("name", list(CATALOGUE))
def test_a_cleared_fault_leaves_a_healthy_machine(machine: Machine, name: str) -> None:
    kind = CATALOGUE[name]
    slots = machine.plan.slots(kind.slot) if kind.slot else ("",)
    before = health(machine)
    inject(machine, name, NOW, slot=slots[0])
    assert inject(machine, name, NOW, slot=slots[0]) is machine.state.faults[0], "twice is once"
    assert len(machine.state.faults) == 1
    clear(machine, NOW, name=name)
    assert not machine.state.faults
    assert health(machine) == before


def health(machine: Machine) -> list[Any]:
    """What the tools show now, but for what a GPU remembers for life."""
    gpus = [nvidia_smi.gpu_values(machine, gpu, NOW) for gpu in machine.plan.gpus]
    for gpu in gpus:
        for key in ("aggregate", "remapped", "banks_max", "banks_high"):
            del gpu[key]
    drives = [nvme.smart_log(machine, drive, NOW) for drive in machine.plan.nvmes]
    return [
        gpus, ibstat.ibstat(machine), nvlink.status(machine), nvlink.topology(machine), host.df(machine, []), drives,
        host.docker_info(machine, NOW), bmc.power(machine, NOW), bmc.system(machine, NOW), bmc.firmware(machine),
        host.chrony_tracking(machine, NOW), bmc.thermal(machine, NOW),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "slot", "params", "words"),
    [
        ("nosuch", "", {}, "there are: gpu_off_bus"),
        ("gpu_off_bus", "", {}, "needs a slot"),
        ("gpu_off_bus", "GPU 9", {}, "needs a slot"),
        ("disk_full", "GPU 1", {}, "whole machine"),
        ("nvlink_down", "GPU 1", {"lane": 3}, "takes link"),
    ],
)
def test_a_wrong_fault_is_refused_with_what_there_is(
    machine: Machine, name: str, slot: str, params: dict[str, Any], words: str
) -> None:
    with pytest.raises(FaultError, match=words):
        inject(machine, name, NOW, slot=slot, params=params)
    assert not machine.state.faults
