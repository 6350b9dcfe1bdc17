"""Every generator against a recorded output of the real tool, and against a parser that is not ours."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from simulator.machine.shell import run_line
from simulator.outputs import host, ibstat, kernel, nvme
from simulator.outputs.nvidia import nvidia_smi, nvlink
from simulator.state import Machine
from simulator.tests.conftest import NOW, RECORDED, needs


def recorded(name: str) -> str:
    return (RECORDED / name).read_text()


def shape(text: str) -> list[str]:
    """Lines without their values, so that outputs of two machines can be compared."""
    return [line.split(":")[0].rstrip() for line in text.splitlines()]


def test_the_full_query_has_the_labels_of_the_recorded_one_in_its_order(machine: Machine) -> None:
    ours = nvidia_smi.query_text(machine, NOW).split("\nGPU 00000000:3B")[0]
    assert shape(ours) == shape(recorded("nvidia-smi-q.h100.txt").rstrip("\n"))


def test_values_that_no_machine_changes_equal_the_recorded_ones(machine: Machine) -> None:
    ours = nvidia_smi.query_text(machine, NOW).splitlines()
    theirs = recorded("nvidia-smi-q.h100.txt").splitlines()
    different = {a.split(":")[0].strip() for a, b in zip(ours, theirs, strict=False) if a.rstrip() != b.rstrip()}
    assert different <= {
        "Timestamp", "Driver Version", "Serial Number", "GPU UUID", "VBIOS Version", "Latest Timestamp",
        "Latest Duration", "GSP Firmware Version", "Replays Since Reset", "Tx Throughput", "Rx Throughput", "Idle",
        "HW Slowdown", "HW Power Brake Slowdown", "Free", "GPU Current Temp", "GPU T.Limit Temp",
        "Memory Current Temp", "Power Draw", "Graphics", "SM",
    }  # fmt: skip


def element_paths(root: ElementTree.Element) -> list[str]:
    paths: list[str] = []

    def walk(element: ElementTree.Element, path: str) -> None:
        for child in element:
            here = f"{path}/{child.tag}".lstrip("/")
            if len(child):
                walk(child, here)
            elif here not in paths:
                paths.append(here)

    walk(root, "")
    return paths


def test_the_xml_has_every_element_of_the_recorded_one_in_its_order(machine: Machine) -> None:
    gpu = ElementTree.fromstring(nvidia_smi.query_xml(machine, NOW)).find("gpu")
    assert gpu is not None
    wanted = recorded("nvidia-smi-q-x.a100.elements.txt").split()
    ours = element_paths(gpu)
    assert [path for path in ours if path in set(wanted)] == wanted


def test_the_xml_parses_with_xmllint(machine: Machine, tmp_path: Path) -> None:
    path = tmp_path / "q.xml"
    path.write_text(nvidia_smi.query_xml(machine, NOW))
    xpath = "count(/nvidia_smi_log/gpu[remapped_rows/remapped_row_pending='No'][starts-with(uuid,'GPU-')])"
    done = subprocess.run([needs("xmllint"), "--xpath", xpath, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "8"


def test_all_tools_name_the_plan_s_identities(machine: Machine) -> None:
    xml = ElementTree.fromstring(nvidia_smi.query_xml(machine, NOW))
    for element, gpu in zip(xml.findall("gpu"), machine.plan.gpus, strict=True):
        assert element.get("id") == nvidia_smi.bus_id(gpu.pci) == element.findtext("pci/pci_bus_id")
        assert element.findtext("serial") == gpu.serial
        assert element.findtext("uuid") == gpu.uuid
        assert element.findtext("vbios_version") == machine.plan.expected["vbios_version"]
        assert gpu.uuid in nvlink.status(machine)
        assert gpu.uuid in nvidia_smi.list_gpus(machine)
    text = ibstat.ibstat(machine)[1]
    for hca in machine.plan.hcas:
        assert f"CA '{hca.device}'" in text
        assert f"Node GUID: {hca.guid}" in text
    assert xml.findtext("driver_version") == machine.plan.expected["driver_version"]


def test_readings_move_a_little_and_stay_healthy(machine: Machine) -> None:
    seen = {nvidia_smi.gpu_values(machine, machine.plan.gpus[0], NOW + 30 * n)["celsius"] for n in range(40)}
    assert len(seen) > 2
    assert all(20 <= int(str(celsius)) <= 45 for celsius in seen)


def test_ibstat_has_the_lines_of_the_recorded_one(machine: Machine) -> None:
    def fields(text: str) -> list[str]:
        return re.findall(r"^(\t+[^:]+):", re.sub(r"Port 1:.*", "Port 1:", text), re.MULTILINE)

    ours, theirs = ibstat.ibstat(machine)[1], recorded("ibstat.h100.txt")
    assert fields(ours) == fields(theirs), "12 HCAs with the same fields in the same order"
    devices = re.compile(r"^CA '(\w+)'$", re.MULTILINE)
    assert devices.findall(ours) == devices.findall(theirs)
    layers = re.compile(r"Link layer: (\w+)")
    known = {"CA type", "Hardware version", "LMC", "Number of ports", "Capability mask"}
    for mine, real in zip(ours.split("CA '")[1:], theirs.split("CA '")[1:], strict=True):
        if layers.findall(mine) == layers.findall(real):
            pick = [[row for row in text.splitlines() if row.split(":")[0].strip() in known] for text in (mine, real)]
            assert pick[0] == pick[1]


def test_an_ethernet_port_s_guid_is_made_like_the_recorded_ones(machine: Machine) -> None:
    text = recorded("ibstat.h100.txt") + "\n" + ibstat.ibstat(machine)[1]
    cards = [card for card in text.split("CA '")[1:] if "Ethernet" in card]
    pairs = [re.findall(r"(?:Node|Port) GUID: 0x(\w+)", card) for card in cards]
    assert len(pairs) == 8
    for node, port in pairs:
        mac = f"{int(node[:2], 16) ^ 2:02x}{node[2:6]}fffe{node[10:]}"
        assert port == mac


def test_nvlink_status_has_the_recorded_form(machine: Machine) -> None:
    def form(text: str) -> set[str]:
        line = re.compile(r"GPU-[\w-]+|\d+(\.\d+)?")
        return {" ".join(line.sub("N", row).replace("H100 80GB HBM3", "X").split()) for row in text.splitlines()}

    theirs = {row.replace("ANN-SXMN-NGB", "X") for row in form(recorded("nvidia-smi-nvlink-s.a100.txt"))}
    ours = {row.replace("HN NGB HBMN", "X") for row in form(nvlink.status(machine))}
    assert {row for row in ours if row.startswith("Link")} == {row for row in theirs if row.startswith("Link")}
    assert nvlink.status(machine).count("26.562 GB/s") == 8 * 18


def test_the_summary_table_has_the_recorded_columns(machine: Machine) -> None:
    ours, theirs = nvidia_smi.table(machine, NOW), recorded("nvidia-smi.h100.txt")
    titles = ("GPU  Name", "Fan  Temp", "MIG M.", "GI   CI", "No running")
    heads = [
        [" ".join(row.split()) for row in text.splitlines() if any(title in row for title in titles)]
        for text in (ours, theirs)
    ]
    assert heads[0] == heads[1]
    assert len({len(row) for row in ours.splitlines()[1:] if row}) == 1, "all rows are as wide as the frame"
    assert ours.count("NVIDIA H100 80GB HBM3") == theirs.count("NVIDIA H100 80GB HBM3") == 8


def test_the_topology_knows_rails_and_cards(machine: Machine) -> None:
    rows = {line.split("\t")[0]: line.split("\t") for line in nvlink.topology(machine).splitlines() if "\t" in line}
    head = rows[""]
    assert rows["GPU0"][head.index("GPU7")] == "NV18"
    for gpu in machine.plan.gpus:
        rails = [
            head[n] for n, cell in enumerate(rows[f"GPU{gpu.index}"]) if cell == "PXB" and head[n].startswith("NIC")
        ]
        assert len(rails) == 1, "one HCA near each GPU"
    assert rows["NIC1"][head.index("NIC2")] == "PIX"
    assert rows["GPU0"][head.index("NIC11")] == "SYS"
    assert "NIC11: mlx5_11" in nvlink.topology(machine)


def test_the_lines_of_a_gpu_off_the_bus_are_the_recorded_ones(machine: Machine) -> None:
    from simulator.faults import inject

    inject(machine, "gpu_off_bus", NOW, slot="GPU 4")

    def form(text: str) -> list[str]:
        text = re.sub(r"^\[ *[\d.]+\] ", "", text, flags=re.MULTILINE)
        text = re.sub(r"GPU-[\w-]+", "UUID", text)
        return re.sub(r"\b\d{13}\b", "SERIAL", re.sub(r"[0-9a-f]{4}:[0-9a-f]{2}:00", "PCI", text)).splitlines()

    ours = [line for line in form(kernel.dmesg(machine, NOW, [])) if "NVRM" in line and "loading" not in line]
    assert ours == form(recorded("dmesg.xid79.txt"))[:5]


@pytest.mark.parametrize("arguments", [[], ["-T"], ["-r"], ["-x"], ["--time-format=iso"]])
def test_dmesg_stamps_every_line_as_asked(machine: Machine, arguments: list[str]) -> None:
    forms = {
        "": r"\[ *\d+\.\d{6}\] ", "-T": r"\[\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}\] ", "-r": r"<4>\[",
        "-x": r"kern  :warn  : \[", "--time-format=iso": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d,\d{6}\+00:00 ",
    }  # fmt: skip
    lines = kernel.dmesg(machine, NOW, arguments).splitlines()
    assert len(lines) > 30
    assert all(re.match(forms["".join(arguments)], line) for line in lines)


def jq(filter_text: str, text: str) -> str:
    done = subprocess.run([needs("jq"), "-r", filter_text], input=text, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_json_outputs_parse_with_jq(machine: Machine) -> None:
    status, text = host.docker_info_json(machine, NOW)
    assert status == 0
    assert jq(".Runtimes.nvidia.path", text) == "nvidia-container-runtime"
    smart = nvme.smart_log(machine, machine.plan.nvmes[0], NOW)
    assert jq(".critical_warning, .avail_spare, .media_errors", smart).split() == ["0", "100", "0"]
    listed = json.loads(nvme.listing(machine))["Devices"]
    assert [device["SerialNumber"] for device in listed] == [part.serial for part in machine.plan.nvmes]


def test_df_adds_up(machine: Machine) -> None:
    rows = [line.split() for line in host.df(machine, ["-P"]).splitlines()[1:]]
    real = subprocess.run([needs("df"), "-P"], capture_output=True, text=True, check=False).stdout.splitlines()[0]
    assert host.df(machine, ["-P"]).splitlines()[0].split() == real.split()
    for _source, total, used, free, percent, _mount in rows:
        assert int(used) + int(free) == int(total)
        assert percent == f"{-(-100 * int(used) // int(total))}%"


@pytest.mark.parametrize(
    ("line", "status", "text"),
    [
        ("hostname", 0, "gpu0002\n"),
        ("sudo nvidia-smi -L | head -n 1 | wc -l", 0, "1\n"),
        ("true && echo fine; false || echo 'as expected'", 0, "fine\nas expected\n"),
        ("systemctl is-active docker nvidia-fabricmanager", 0, "active\nactive\n"),
        ("systemctl is-active nosuch", 3, "inactive\n"),
        ("nvidia-smi --query-gpu=index,vbios_version --format=csv,noheader | tail -1", 0, "7, 96.00.99.00.01\n"),
        ("cat /proc/sys/kernel/random/boot_id", 0, "6f0ad9e6-0000-4000-8000-000000000001\n"),
        ("cat /nowhere", 1, "cat: /nowhere: No such file or directory\n"),
        ("rm -rf /", 127, "bash: rm: command not found\n"),
        (
            "ibstat mlx5_99",
            255,
            "ibpanic: [4711] main: 'mlx5_99' IB device can't be found: No such file or directory\n",
        ),
        ("echo 'unfinished", 2, "bash: syntax error: No closing quotation\n"),
    ],
)
def test_a_line_a_person_types_is_answered(machine: Machine, line: str, status: int, text: str) -> None:
    reply = run_line(machine, line, NOW)
    assert (reply.status, reply.text) == (status, text)
