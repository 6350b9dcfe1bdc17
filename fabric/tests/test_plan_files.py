"""Plans from files: our columns, those of others, and what is refused."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from fabric.facts import DeviceRole, Place, Plan, PlannedPort
from fabric.formats.plan_files import PlanError, PlanFileError, read_plan, read_row_by_row
from fabric.formats.port_names import Row, spelled, table
from fabric.tests import made_texts
from fabric.tests.made import Shape, made

HEADING = "cable,a_device,a_port,b_device,b_port\n"


def errors(text: str) -> list[PlanError]:
    with pytest.raises(PlanFileError) as refused:
        read_plan(text, "plan.csv")
    return refused.value.errors


def test_a_written_plan_is_read_back_with_machines_and_switches() -> None:
    plan = made(Shape(machines=8, rails=2, radix=16)).plan
    read = read_plan(made_texts.plan_csv(plan), "plan.csv")
    assert [(cable.label, cable.a, cable.b) for cable in read.cables] == [
        (cable.label, cable.a, cable.b) for cable in plan.cables
    ]
    assert {name: (device.role, device.group) for name, device in read.devices.items()} == {
        name: (device.role, device.group) for name, device in plan.devices.items()
    }


def test_a_port_in_two_cables_is_refused_with_both_lines() -> None:
    found = errors(HEADING + "C1,leaf-1,3,spine-1,1\nC2,LEAF-1,3,spine-2,1\n")
    assert found == [PlanError(3, "a_port", "port 3 of leaf-1 is in cable C1 on line 2 already")]


@pytest.mark.parametrize(
    ("row", "column", "reason"),
    [
        ("C1,leaf-1,0,spine-1,1", "a_port", "ports count from 1"),
        ("C1,leaf-1,x,spine-1,1", "a_port", "not a port: x"),
        ("C1,,1,spine-1,1", "a_device", "empty"),
        ("C1,leaf-1,1,spine-1", "b_port", "empty: the line breaks off"),
        ("C1,leaf-1,1,leaf-1,1", "b_port", "both ends are port 1 of leaf-1"),
    ],
)
def test_a_wrong_row_is_refused_with_line_column_and_reason(row: str, column: str, reason: str) -> None:
    assert errors(f"{HEADING}C0,a,1,b,1\n{row}\n") == [PlanError(3, column, reason)]


def test_every_wrong_row_is_told_at_once() -> None:
    assert [error.line for error in errors(f"{HEADING}C1,a,x,b,1\nC2,a,2,b,2\nC2,a,3,b,3\n")] == [2, 4]


@pytest.mark.parametrize("text", ["", "\n", HEADING, "rack,unit\nA01,3\n", "\x00"])
def test_a_file_without_cables_is_refused(text: str) -> None:
    assert errors(text)


def test_the_ndt_form_is_read() -> None:
    plan = read_plan(
        "#StartDevice,StartPort,EndDevice,EndPort,LinkType\n"
        "leaf-1,Port 21,gpu-1,gpu-1 mlx5_0,NDR\ncore,Blade 16_Port 2/20,leaf-1,Port 22,NDR\n"
        "leaf-1,Port 1,gpu-2,HCA-3/1,\n"
    )
    assert [cable.ends for cable in plan.cables] == [
        (PlannedPort("leaf-1", 21), PlannedPort("gpu-1 mlx5_0", 1)),
        (PlannedPort("core/L16/U2", 20), PlannedPort("leaf-1", 22)),
        (PlannedPort("leaf-1", 1), PlannedPort("gpu-2 HCA-3", 1)),
    ]
    assert plan.devices["core/L16/U2"].group == "core"


def test_an_as_built_file_tells_lengths_serials_bodies_and_places() -> None:
    plan = read_plan(
        "Label;A_Device;A_Port;B_Device;B_Port;Length;Serial;body;a_plug;b_plug;A_Rack;A_U\n"
        "W1;leaf-1;1/2/1;spine-1;5;3.5 m;MT77;W;left;right;A09;40\nW2;leaf-1;1/2/2;spine-1;6;;;W;left;right;;\n"
    )
    first, second = plan.cables
    assert (first.a, first.length_m, first.serials) == (PlannedPort("leaf-1", 3), 3.5, ("MT77", "MT77"))
    assert (first.body, first.a_plug, first.b_plug) == (second.body, second.a_plug, second.b_plug)
    assert second.a == PlannedPort("leaf-1", 4) and second.length_m is None
    assert plan.devices["leaf-1"].place == Place(rack="A09", u=40.0)


def test_a_device_that_is_written_in_two_ways_is_one_device() -> None:
    plan = read_plan(HEADING + "C1,Leaf-1,1,spine,1\nC2,leaf-1,2,spine,2\nC3, LEAF-1 ,3,spine,3\n")
    assert set(plan.devices) == {"Leaf-1", "spine"}
    assert plan.devices["Leaf-1"].role is DeviceRole.SWITCH


@pytest.mark.parametrize("row", table(), ids=lambda row: row.example)
def test_every_spelling_of_a_port_in_the_table_is_read_as_it_says(row: Row) -> None:
    """3: the table is what the reader reads, and its example is one that only its own row takes."""
    read = spelled(row.example)
    assert read is not None and read.counts == row.counts
    plan = read_plan(f"{HEADING}C1,leaf-1,{row.example},gpu-1,mlx5_0\n")
    assert plan.cables[0].a == PlannedPort("leaf-1", row.reads)


@pytest.mark.parametrize(
    ("names", "numbers"),
    [
        ("swp11s1 swp11s2", (21, 22)),  # from 1
        ("sw11p1 sw11p2", (21, 22)),  # NVOS, nothing is split
        ("sw10p1s1 sw10p1s2", (37, 38)),  # NVOS: port 19 is split, so each port of the switch counts two numbers
        ("sw10p1s2 sw10p2", (38, 39)),  # and the one beside it, which is whole, has the first of its own
        ("1/6/1/2 1/6/2", (22, 23)),  # ibdiagnet
        ("IB1/32/2/1 IB1/32/2/2", (127, 128)),
        ("11/1 11/2", (21, 22)),  # ibdiagnet on a split HDR switch
        ("swp11s0 swp11s3", (41, 44)),  # Cumulus: from 0, four lanes
        ("sw1p1s2 swp1s1", (2, 1)),
        ("22.0 P21", (22, 21)),
        ("Ethernet3/1 Ethernet3/4", (9, 12)),
        ("Ethernet3 Ethernet4", (3, 4)),
        ("Eth1/3/2 Eth1/4", (6, 7)),
        ("Port 1/11/2 ib 1/11/1", (22, 21)),
    ],
)
def test_spellings_of_one_device_are_read_together(names: str, numbers: tuple[int, ...]) -> None:
    """3: `swp11s2` beside an `s0` is the third lane, without one the second."""
    rows = [f"C{at},leaf-1,{name},gpu-{at},mlx5_0" for at, name in enumerate(names.split(" "), 1)]
    if names.startswith("Port"):
        rows = ["C1,leaf-1,Port 1/11/2,gpu-1,mlx5_0", "C2,leaf-1,ib 1/11/1,gpu-2,mlx5_0"]
    assert tuple(cable.a.port for cable in read_plan(HEADING + "\n".join(rows)).cables) == numbers


def test_the_document_lists_every_spelling_with_who_writes_so() -> None:
    text = (Path(__file__).parents[2] / "docs" / "cabling.md").read_text()
    for row in table():
        assert f"| `{row.example}` | {row.reads} | {row.written_by} |" in text


@pytest.mark.parametrize(
    "text",
    ["swp11s", "1/11/3", "sw3p9", "0", "11/2/1/1", "22.5", "-1", "swp0", "sw32p1pl2", "sw1p11s2", "1/6/3/1"],
)
def test_what_no_row_of_the_table_reads_is_refused(text: str) -> None:
    assert errors(f"{HEADING}C1,leaf-1,{text},gpu-1,mlx5_0\n")


def test_a_cable_listed_from_both_ends_is_one() -> None:
    """3: with the same label, with another one, or with none."""
    for twin in ("C1", "C7", ""):
        plan = read_plan(f"{HEADING}C1,leaf-1,3,gpu-1,mlx5_0\n{twin},gpu-1,mlx5_0,leaf-1,3\nC2,leaf-1,4,gpu-2,mlx5_0\n")
        assert [cable.label for cable in plan.cables] == ["C1", "C2"]
    ndt = read_plan("#StartDevice,StartPort,EndDevice,EndPort\nleaf-1,3,spine-1,5\nspine-1,Port 5,LEAF-1,3\n")
    assert len(ndt.cables) == 1


def test_the_same_line_twice_is_still_refused() -> None:
    assert errors(f"{HEADING}C1,leaf-1,3,gpu-1,mlx5_0\nC2,leaf-1,3,gpu-1,mlx5_0\n")


def test_a_host_with_and_without_its_domain_is_one_device() -> None:
    """3: FQDNs fold, and only where it is clear whose they are."""
    plan = read_plan(
        f"{HEADING}C1,leaf-1,1,gpu-1.hall.example.com,mlx5_0\nC2,leaf-2.example.com,1,gpu-1,mlx5_1\n"
        "C3,leaf-1,2,gpu-1.hall.example.com mlx5_2,1\nC4,Leaf-2,2,gpu-2,mlx5_0\n"
        "C5,core.a.net,1,x,1\nC6,core.b.net,1,x,2\nC7,sw1.1,1,x,3\nC8,sw1.2,1,x,4\nC9,core,1,x,5\n"
    )
    assert {name for name in plan.devices if "gpu" in name} == {
        "gpu-1 mlx5_0", "gpu-1 mlx5_1", "gpu-1 mlx5_2", "gpu-2 mlx5_0",
    }  # fmt: skip
    assert {plan.devices[name].group for name in plan.devices if "gpu-1" in name} == {"gpu-1"}
    assert {name for name in plan.devices if "gpu" not in name} == {
        "leaf-1", "leaf-2", "core.a.net", "core.b.net", "core", "sw1.1", "sw1.2", "x",
    }  # fmt: skip


def test_a_cable_knows_its_line() -> None:
    assert [cable.line for cable in read_plan(f"{HEADING}\nC1,a,1,b,1\n# a note\nC2,a,2,b,2\n").cables] == [3, 5]


def test_labels_and_names_that_cannot_be_stored_are_refused_with_their_line_or_shortened() -> None:
    """1: a cable without a label between two long names would have ended a discovery with a server error."""
    long = "switch-with-a-very-long-name-in-row-17-of-the-second-hall"
    first, second = read_plan(f"{HEADING},{long}-1,1,{long}-2,1\n,{long}-1,2,{long}-2,2\n").cables
    assert len(first.label) == len(second.label) == 60 and first.label != second.label
    assert errors(f"{HEADING}{'C' * 61},a,1,b,1\n") == [PlanError(2, "cable", "a label of more than 60 letters")]
    assert [error.column for error in errors(f"{HEADING}C1,{'a' * 111},1,b,1\n")] == ["a_device"]
    assert [error.line for error in errors(f"{HEADING}C1,a,1,b,1\nC2,a\0,2,b,2\n")] == [3]


def test_an_adapter_may_go_by_its_ethernet_name() -> None:
    plan = read_plan(f"{HEADING}C1,leaf-1,swp3,gpu-1,ens1f0np0\nC2,leaf-1,swp4,gpu-1 ens1f1np1,1\n")
    assert [cable.b for cable in plan.cables] == [PlannedPort("gpu-1 ens1f0np0", 1), PlannedPort("gpu-1 ens1f1np1", 1)]
    assert {plan.devices[cable.b.device].group for cable in plan.cables} == {"gpu-1"}


def test_a_plan_read_in_one_pass_is_the_plan_read_row_by_row() -> None:
    """4: with changed signs and lines, whether it is refused then or not."""
    text = made_texts.plan_csv(made(Shape(machines=4, rails=2, radix=8)).plan)
    full = (
        "label,a_device,a_port,b_device,b_port,length_m,a_rack,b_guid,b_feed\n"
        "C1,gpu-1.x.com mlx5_0,1,leaf-1,1,3 m,A09,0x12,f1+f2\n"
        "C2,gpu-1.x.com mlx5_1,1,Leaf-1,2,,A09,12,f1\n# spare\n\n,gpu-2 mlx5_0,1,leaf-1,3,2.5,A10,,\n"
    )
    chance = random.Random(7)
    kept = 0
    for _ in range(800):
        changed = chance.choice([text, full])
        for _ in range(chance.randrange(3)):
            at = chance.randrange(len(changed))
            changed = changed[:at] + chance.choice([*',;"#\n\t 012/-.xA²', "", "\0", "\n\n"]) + changed[at + 1 :]
        if chance.random() < 0.2:
            lines = changed.splitlines(keepends=True)
            lines.insert(chance.randrange(1, len(lines) + 1), chance.choice(lines))
            changed = "".join(lines)
        one, other = outcome(read_plan, changed), outcome(read_row_by_row, changed)
        assert one == other, changed
        kept += isinstance(one, Plan)
    assert kept > 200


def outcome(reader: Callable[[str, str], Plan], text: str) -> Plan | list[PlanError]:
    try:
        return reader(text, "plan.csv")
    except PlanFileError as refused:
        return refused.errors
