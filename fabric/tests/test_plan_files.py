"""Plans from files: our columns, those of others, and what is refused."""

from __future__ import annotations

import pytest

from fabric.facts import DeviceRole, Place, PlannedPort
from fabric.formats.plan_files import PlanError, PlanFileError, read_plan
from fabric.tests import made_texts
from fabric.tests.made import Shape, made

HEADING = "cable,a_device,a_port,b_device,b_port\n"


def errors(text: str) -> list[PlanError]:
    with pytest.raises(PlanFileError) as refused:
        read_plan(text, "plan.csv")
    return refused.value.errors


def test_a_written_plan_is_read_back_with_machines_and_switches():
    plan = made(Shape(machines=8, rails=2, radix=16)).plan
    read = read_plan(made_texts.plan_csv(plan), "plan.csv")
    assert [(cable.label, cable.a, cable.b) for cable in read.cables] == [
        (cable.label, cable.a, cable.b) for cable in plan.cables
    ]
    assert {name: (device.role, device.group) for name, device in read.devices.items()} == {
        name: (device.role, device.group) for name, device in plan.devices.items()
    }


def test_a_port_in_two_cables_is_refused_with_both_lines():
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
def test_a_wrong_row_is_refused_with_line_column_and_reason(row, column, reason):
    assert errors(f"{HEADING}C0,a,1,b,1\n{row}\n") == [PlanError(3, column, reason)]


def test_every_wrong_row_is_told_at_once():
    assert [error.line for error in errors(f"{HEADING}C1,a,x,b,1\nC2,a,2,b,2\nC2,a,3,b,3\n")] == [2, 4]


@pytest.mark.parametrize("text", ["", "\n", HEADING, "rack,unit\nA01,3\n", "\x00"])
def test_a_file_without_cables_is_refused(text):
    assert errors(text)


def test_the_ndt_form_is_read():
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


def test_an_as_built_file_tells_lengths_serials_bodies_and_places():
    plan = read_plan(
        "Label;A_Device;A_Port;B_Device;B_Port;Length;Serial;body;a_plug;b_plug;A_Rack;A_U\n"
        "W1;leaf-1;1/2/1;spine-1;5;3.5 m;MT77;W;left;right;A09;40\nW2;leaf-1;1/2/2;spine-1;6;;;W;left;right;;\n"
    )
    first, second = plan.cables
    assert (first.a, first.length_m, first.serials) == (PlannedPort("leaf-1", 3), 3.5, ("MT77", "MT77"))
    assert (first.body, first.a_plug, first.b_plug) == (second.body, second.a_plug, second.b_plug)
    assert second.a == PlannedPort("leaf-1", 4) and second.length_m is None
    assert plan.devices["leaf-1"].place == Place(rack="A09", u=40.0)


def test_a_device_that_is_written_in_two_ways_is_one_device():
    plan = read_plan(HEADING + "C1,Leaf-1,1,spine,1\nC2,leaf-1,2,spine,2\nC3, LEAF-1 ,3,spine,3\n")
    assert set(plan.devices) == {"Leaf-1", "spine"}
    assert plan.devices["Leaf-1"].role is DeviceRole.SWITCH
