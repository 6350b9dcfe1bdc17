"""Readings of each tool's forms, and refusal of what is none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from health.checks.parsers import ParseError
from health.checks.parsers.bmc import parse_bmc
from health.checks.parsers.disks import parse_df, parse_nvme_health
from health.checks.parsers.gpu_forms import parse_csv, parse_text, parse_xml
from health.checks.parsers.gpus import FIELDS
from health.checks.parsers.infiniband import parse_ibstat, parse_ibstatus
from health.checks.parsers.nvlink import parse_link_errors, parse_links
from health.checks.parsers.nvme_list import parse_nvme_list
from health.checks.parsers.services import parse_chrony, parse_docker, parse_unit_state, parse_uptime
from health.checks.parsers.topology import parse_topology
from health.tests.checks.samples import bmc, sample

TEXT_FORM = """
==============NVSMI LOG==============

Timestamp                                 : Fri Nov 20 10:00:00 2026
Driver Version                            : 550.90.07
CUDA Version                              : 12.4

Attached GPUs                             : 1
GPU 00000000:A1:00.0
    Product Name                          : NVIDIA H100 80GB HBM3
    Serial Number                         : 1600000000161
    GPU UUID                              : GPU-000000a1-aaaa-bbbb-cccc-0000000000a1
    PCI
        GPU Link Info
            PCIe Generation
                Max                       : 5
                Current                   : 4
            Link Width
                Max                       : 16x
                Current                   : 8x
        Replays Since Reset               : 67
    Clocks Event Reasons
        Idle                              : Not Active
        HW Slowdown                       : Active
            HW Thermal Slowdown           : Not Active
            HW Power Brake Slowdown       : Active
        SW Thermal Slowdown               : Not Active
    ECC Mode
        Current                           : Enabled
        Pending                           : Unknown Error
    ECC Errors
        Volatile
            DRAM Uncorrectable            : 2
        Aggregate
            DRAM Uncorrectable            : 9
            SRAM Threshold Exceeded       : N/A
    Remapped Rows
        Pending                           : Yes
        Remapping Failure Occurred        : No
    Processes                             : None
"""


def test_the_xml_form_gives_every_gpu_with_its_numbers() -> None:
    found = parse_xml(sample("gpus.xml"))
    assert (found.driver_version, found.attached, len(found.gpus)) == ("550.90.07", 2, 2)
    gpu = found.gpus[1]
    assert (gpu.pci, gpu.serial, gpu.memory_total_mib, gpu.pcie_width, gpu.temperature_c, gpu.slowdown_tlimit_c) == (
        "0000:a1:00.0", "1600000000161", 81559, 16, 31, -2,
    )  # fmt: skip


def test_warnings_around_the_document_are_set_aside() -> None:
    found = parse_xml("WARNING: infoROM is corrupted at gpu 0000:21:00.0\n" + sample("gpus.xml") + "bye\n")
    assert len(found.gpus) == 2


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no document",
        "<?xml version='1.0'?><other></other>",
        "<?xml version='1.0'?>\n<nvidia_smi_log><gpu></nvidia_smi_log>",
        "<nvidia_smi_log></nvidia_smi_log_>",
        '<!DOCTYPE a [<!ENTITY b "bbbb">]><nvidia_smi_log>&b;</nvidia_smi_log>',
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
    ],
)
def test_what_is_no_query_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse_xml(text)
    with pytest.raises(ParseError):
        parse_text(text)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_a_cut_document_is_refused(share: float) -> None:
    text = sample("gpus.xml")
    with pytest.raises(ParseError):
        parse_xml(text[: int(len(text) * share)])


def test_the_text_form_reads_the_same_fields_by_their_headings() -> None:
    found = parse_text(TEXT_FORM)
    (gpu,) = found.gpus
    assert found.complete
    assert (gpu.pcie_gen, gpu.pcie_gen_max, gpu.pcie_width, gpu.pcie_width_max, gpu.pcie_replays) == (4, 5, 8, 16, 67)
    assert (gpu.hw_thermal, gpu.hw_power_brake, gpu.volatile_dram_uncorrectable) == ("Not Active", "Active", 2)
    assert (gpu.ecc_current, gpu.ecc_pending, gpu.remap_pending) == ("Enabled", None, "Yes")
    assert gpu.not_applicable == {"sram_threshold_exceeded"}


def test_a_text_form_that_ends_early_says_so() -> None:
    text = TEXT_FORM.replace("Attached GPUs                             : 1", "Attached GPUs : 8")
    assert parse_text(text.partition("    Remapped Rows")[0]).cut
    assert not parse_text(TEXT_FORM).cut


def test_the_csv_form_takes_its_columns_from_header_command_or_shape() -> None:
    header = "index, uuid, ecc.mode.current, temperature.gpu\n0, GPU-1, Enabled, 34\n"
    assert parse_csv(header).gpus[0].temperature_c == 34
    bare = parse_csv("0, 87\n", "nvidia-smi --query-gpu=index,temperature.gpu --format=csv,noheader")
    assert bare.gpus[0].temperature_c == 87
    assert parse_csv("0, 2, Enabled, Disabled\n").gpus[0].volatile_uncorrectable_total == 2
    with pytest.raises(ParseError):
        parse_csv("0, 87\n")
    with pytest.raises(ParseError):
        parse_csv(header + "1, GPU-2\n")


def test_every_field_of_a_gpu_is_named_once() -> None:
    names = [field.name for field in FIELDS]
    assert len(set(names)) == len(names)


def test_topology_reads_cells_legend_and_colours() -> None:
    table = parse_topology("\x1b[4m" + sample("topology.txt").replace("\tGPU0\tGPU1", "\t\x1b[4mGPU0\tGPU1\x1b[0m", 1))
    assert table.gpus == ("GPU0", "GPU1")
    assert table.links["GPU0"] == {"GPU0": "X", "GPU1": "NV4", "NIC0": "PXB", "NIC1": "SYS", "NIC2": "NODE"}
    assert table.nics["NIC1"] == "mlx5_1"
    assert not table.cut
    assert parse_topology(sample("topology.txt").partition("\nNIC1\t")[0]).cut


def test_links_are_speeds_inactive_or_unreadable() -> None:
    text = sample("nvlinks.txt").replace("Link 1: 26.562 GB/s", "Link 1: <inactive>", 1)
    first, second = parse_links(text.replace("Link 3: 26.562 GB/s", "Link 3: ????", 1))
    assert first.speeds == {0: 26.562, 1: 0.0, 2: 26.562, 3: None}
    assert second.uuid == "GPU-000000a1-aaaa-bbbb-cccc-0000000000a1"
    errors = parse_link_errors(sample("nvlink_errors.txt").replace("Errors: 0", "Errors: N/A", 1))
    assert errors[0].counters[0, "Replay Errors"] is None


def test_ibstat_reads_spaces_and_tabs_and_says_where_it_stopped() -> None:
    assert parse_ibstat(sample("ibstat.txt")) == parse_ibstat(sample("ibstat.txt").replace("\t", "        "))
    found = parse_ibstat(sample("ibstat.txt") + "ibpanic: [1] main: stat of IB device 'mlx5_8' failed\n")
    assert "mlx5_8" in found.trouble
    port = found.devices[0].ports[0]
    assert (port.state, port.physical_state, port.rate_gbps, port.link_layer) == ("Active", "LinkUp", 400, "InfiniBand")


def test_ibstatus_says_the_same_in_other_words() -> None:
    text = (
        "Infiniband device 'mlx5_0' port 1 status:\n\tdefault gid:\t fe80::1\n\tbase lid:\t 0xc\n\tsm lid:\t\t 0x1\n"
        "\tstate:\t\t 2: INIT\n\tphys state:\t 5: LinkUp\n\trate:\t\t 400 Gb/sec (4X NDR)\n\tlink_layer:\t InfiniBand\n"
    )
    (device,) = parse_ibstatus(text).devices
    assert (device.ports[0].state, device.ports[0].physical_state) == ("Initializing", "LinkUp")


def test_df_reads_its_forms_and_a_dash_for_a_percentage() -> None:
    mounts = {mount.path: mount.percent for mount in parse_df(sample("df.txt"))}
    assert mounts == {"/": 25, "/boot/efi": 1, "/sys/firmware/efi/efivars": None, "/snap/core20/2318": 100}
    leading = "Use% Filesystem      Mounted on\n   - efivarfs        /sys/firmware/efi/efivars\n100% /dev/sda1  /\n"
    assert [(m.path, m.percent) for m in parse_df(leading)] == [("/sys/firmware/efi/efivars", None), ("/", 100)]
    spaces = "Filesystem 1K-blocks Used Available Use% Mounted on\n//nas/a share 1 1 0 97% /mnt/my share\n"
    assert [(m.path, m.percent) for m in parse_df(spaces)] == [("/mnt/my share", 97)]


def test_nvme_health_reads_nvme_cli_and_smartctl() -> None:
    assert parse_nvme_health(sample("nvme0_smart.json")).temperature_c == 38
    smartctl = {
        "device": {"name": "/dev/nvme9"},
        "smart_status": {"passed": True},
        "nvme_smart_health_information_log": {
            "critical_warning": 0, "temperature": 39, "available_spare": 0, "available_spare_threshold": 11,
            "percentage_used": 3, "media_errors": 0,
        },
    }  # fmt: skip
    found = parse_nvme_health(json.dumps(smartctl))
    assert (found.spare_percent, found.spare_threshold_percent, found.temperature_c, found.passed) == (0, 11, 39, True)


def test_docker_down_is_a_result_in_json_and_in_text() -> None:
    down = "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?"
    assert parse_docker(json.dumps({"ServerErrors": [down], "ClientInfo": {}})).errors == (down,)
    assert parse_docker(f"Client:\n Version: 25.0.3\n\nServer:\nERROR: {down}\nerrors pretty printing info\n").errors
    assert parse_docker("Server:\n Server Version: 25.0.3\n Runtimes: nvidia runc\n").runtimes == {"nvidia", "runc"}


@pytest.mark.parametrize(
    "parse",
    [
        parse_topology, parse_links, parse_link_errors, parse_ibstat, parse_ibstatus, parse_df, parse_nvme_health,
        parse_nvme_list, parse_docker, parse_unit_state, parse_chrony, parse_uptime, parse_csv,
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "junk", ["", "\n", "bash: command not found\n", "\x00\ufffd\x1b[", "[]", "{", "1e999", "NaN", "<a/>"]
)
def test_junk_is_an_error_of_the_parser_and_nothing_else(parse: object, junk: str) -> None:
    with pytest.raises(ParseError):
        parse(junk)  # type: ignore[operator]


def test_a_bmc_is_read_from_its_resources_and_survives_wrong_types() -> None:
    found = bmc()
    assert [supply.number for supply in found.supplies or ()] == [1, 2]
    assert (found.power, found.indicator, found.serial) == ("on", "off", "SAMPLE1")
    odd = parse_bmc({"PowerState": 7, "Status": "?"}, ["x"], {"Fans": {}}, {"PowerSupplies": [None, 5, {}]})
    assert (odd.fans, odd.system_health, len(odd.supplies or ())) == (None, None, 1)
    nothings: tuple[Any, ...] = (None, [], {}, "x")
    for nothing in nothings:
        with pytest.raises(ParseError):
            parse_bmc(nothing)
