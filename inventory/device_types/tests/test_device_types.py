"""Device types of NetBox: each file becomes a model that our own check takes, and nothing it says is lost silently."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inventory.device_types import (
    Conversion,
    Remark,
    device_model_from_netbox_type,
    looks_like_netbox_type,
    read_type_files,
)
from inventory.specs.device_model import DeviceModelSpec

TYPES = Path(__file__).parent / "types"


def converted(name: str) -> tuple[DeviceModelSpec, Conversion]:
    (found,) = read_type_files([TYPES / name])
    assert found.conversion.problems == []
    return DeviceModelSpec.from_dict(found.conversion.model), found.conversion


def ports(spec: DeviceModelSpec, kind: str) -> list[Any]:
    return [port for port in spec.ports if port.kind == kind]


def test_a_folder_of_vendors_is_read_whole() -> None:
    found = list(read_type_files([TYPES]))
    assert len(found) == 7
    assert [each.path.name for each in found if each.conversion.model is None] == []


def test_a_gpu_server_brings_its_parts_ports_weight_and_draw() -> None:
    spec, _ = converted("Example/gx8-h100.yaml")
    assert (spec.model, spec.vendor, spec.name, spec.kind) == ("example-gx8-h100", "Example", "GX8 H100", "machine")
    assert (spec.u_height, spec.full_depth, spec.airflow) == (6, True, "front-to-rear")
    assert spec.weight_kg == pytest.approx(113.988, abs=0.001)
    assert (spec.part_number, spec.power_w, spec.psu_count) == ("GX8-H100-2U", 6800, 4)
    assert spec.gpu and spec.gpu.count == 2
    assert {slot.name: (slot.kind, slot.label) for slot in spec.slots} == {
        "PSU1": ("psu", "1"),
        "PSU2": ("psu", "2"),
        "PSU3": ("psu", "3"),
        "PSU4": ("psu", "4"),
        "NVMe 0": ("nvme", "Bay 0"),
        "DIMM A1": ("dimm", "A1"),
        "Fan 1": ("fan", "1"),
        "PCIe slot 3": ("other", "3"),
        "GPU 0": ("gpu", "SXM 2"),
        "GPU 1": ("gpu", "SXM 4"),
    }
    assert [(p.name, p.kind, p.speed_gbps, p.connector) for p in spec.ports if p.kind != "power_in"] == [
        ("iDRAC", "bmc", 1, "rj-45"),
        ("eth0", "ethernet", 25, "sfp28"),
        ("ib0", "infiniband", 400, ""),
        ("ib1", "infiniband", 400, ""),
        ("osfp0", "ethernet", 400, "osfp"),
        ("Serial", "console", None, "de-9"),
    ]
    inlet = ports(spec, "power_in")[0]
    assert (inlet.name, inlet.slot, inlet.connector, inlet.max_draw_w) == ("PSU1", "PSU1", "c20", 3300)


def test_what_has_no_home_is_kept_in_the_model_and_told() -> None:
    spec, conversion = converted("Example/gx8-h100.yaml")
    assert [row["name"] for row in spec.unmapped["interfaces"]] == ["bond0", "wlan0"]
    assert spec.unmapped["comments"] == "[Data sheet](https://example.org/gx8)"
    assert spec.unmapped["front_image"] is True
    assert [row["part_id"] for row in spec.unmapped["inventory-items"]] == ["H100-SXM5", "H100-SXM5"]
    told = {remark.field for remark in conversion.remarks}
    assert {"interfaces[5].type", "interfaces[6].type", "comments", "front_image", "inventory-items[0]"} <= told
    assert ("interfaces", "bond0") not in conversion.port_names


def test_an_osfp_switch_has_its_cages_and_is_infiniband_though_the_library_says_ethernet() -> None:
    spec, conversion = converted("NVIDIA/qm-twin.yaml")
    assert spec.model == "nvidia-qm9700" and spec.kind == "switch"
    assert spec.weight_kg == 14.8
    fabric = ports(spec, "infiniband")
    assert len(fabric) == 64
    assert [(p.name, p.cage, p.lane) for p in (fabric[0], fabric[1], fabric[63])] == [
        ("P0.0", 1, 1),
        ("P0.1", 1, 2),
        ("P31.1", 32, 2),
    ]
    assert [(p.name, p.speed_gbps) for p in ports(spec, "ethernet")] == [("mgmt0", 1)]
    assert spec.psu_count == 2 and [p.slot for p in ports(spec, "power_in")] == ["PSU 1", "PSU 2"]
    assert {"slug", "interfaces", "power-ports"} <= {remark.field for remark in conversion.remarks}


def test_a_patch_panel_keeps_its_pass_throughs_in_the_old_and_the_new_form() -> None:
    spec, conversion = converted("Example/patch-12.yaml")
    assert (spec.kind, spec.u_height, spec.full_depth) == ("panel", 0.5, False)
    assert spec.pass_throughs() == [("1", "1 (rear)", 1), ("2", "1 (rear)", 2), ("F3", "2 (rear)", 6)]
    assert [(p.name, p.positions) for p in ports(spec, "rear")] == [("1 (rear)", 6), ("2 (rear)", 6)]
    assert conversion.port_names["rear-ports", "1"] == "1 (rear)"
    assert conversion.port_names["front-ports", "1"] == "1"


def test_a_zero_u_pdu_knows_the_phase_and_the_inlet_of_each_outlet() -> None:
    spec, _ = converted("Example/pdu.yaml")
    assert (spec.kind, spec.u_height, spec.power_w) == ("pdu", 0, 0)
    assert [(p.name, p.connector, p.feed_leg, p.inlet) for p in ports(spec, "power_outlet")] == [
        ("Outlet 1", "c13", "A", "Input"),
        ("Outlet 2", "c19", "C", "Input"),
    ]
    assert [(p.name, p.speed_gbps) for p in ports(spec, "ethernet")] == [("Network", None)]


def test_a_blade_chassis_is_a_shelf_with_bays() -> None:
    spec, _ = converted("Example/blades.yaml")
    assert (spec.kind, spec.bays, spec.psu_count) == ("shelf", ("Slot 1", "Slot 2"), 1)


def test_a_half_width_switch_is_one_as_its_text_says() -> None:
    spec, conversion = converted("Example/half.yaml")
    assert (spec.kind, spec.half_width) == ("switch", True)
    assert "description" in {remark.field for remark in conversion.remarks}


def test_a_blanking_panel_is_known_as_one() -> None:
    spec, conversion = converted("Example/blank.yaml")
    assert conversion.blanking and spec.ports == () and spec.u_height == 2
    assert not converted("Example/patch-12.yaml")[1].blanking


def _type(**changes: Any) -> dict[str, Any]:
    return {"manufacturer": "Example", "model": "Box", "slug": "example-box", "u_height": 1} | changes


@pytest.mark.parametrize(
    ("changes", "field", "reason"),
    [
        ({"psu_count": 2}, "psu_count", "no such key"),
        ({"interfaces": [{"name": "eth0", "typ": "1000base-t"}]}, "interfaces[0].typ", "no such key"),
        ({"u_height": "two"}, "u_height", "valid number"),
        ({"u_height": 1.3}, "u_height", "multiple of 0.5"),
        ({"is_full_depth": "yes please"}, "is_full_depth", "boolean"),
        ({"interfaces": {"name": "eth0"}}, "interfaces", "valid list"),
        ({"power-ports": [{"type": "iec-60320-c14"}]}, "power-ports[0].name", "is missing"),
        ({"weight": 3, "weight_unit": "stone"}, "weight_unit", "'kg', 'g', 'lb'"),
        ({"slug": "Example Box"}, "slug", "pattern"),
        ({"slug": None}, "slug", "valid string"),
    ],
)
def test_a_wrong_file_is_refused_with_its_field(changes: dict[str, Any], field: str, reason: str) -> None:
    conversion = device_model_from_netbox_type(_type(**changes))
    assert conversion.model is None
    assert [problem.field for problem in conversion.problems] == [field]
    assert reason in conversion.problems[0].reason


def test_a_file_without_a_slug_is_refused() -> None:
    conversion = device_model_from_netbox_type({"manufacturer": "Example", "model": "Box"})
    assert conversion.problems == [Remark("slug", "is missing")]


def test_what_is_no_mapping_is_refused() -> None:
    assert device_model_from_netbox_type(["manufacturer"]).problems == [
        Remark("file", "a device type is a mapping of fields")
    ]


def test_an_interface_type_from_the_future_is_kept_and_told() -> None:
    conversion = device_model_from_netbox_type(_type(interfaces=[{"name": "q0", "type": "quantum-9"}]))
    assert conversion.model and conversion.model["ports"] == []
    assert conversion.model["unmapped"]["interfaces"] == [{"name": "q0", "type": "quantum-9"}]
    assert any("quantum-9" in remark.reason for remark in conversion.remarks)


def test_two_ports_of_one_name_stay_two() -> None:
    conversion = device_model_from_netbox_type(
        _type(
            **{"interfaces": [{"name": "M", "type": "1000base-t"}], "console-ports": [{"name": "M", "type": "rj-45"}]}
        )
    )
    assert conversion.model and [port["name"] for port in conversion.model["ports"]] == ["M", "M (console)"]


def test_a_port_with_a_name_too_long_for_us_is_kept_and_told() -> None:
    conversion = device_model_from_netbox_type(_type(interfaces=[{"name": "e" * 41, "type": "1000base-t"}]))
    assert conversion.model and conversion.model["ports"] == []
    assert conversion.remarks[0] == Remark("interfaces[0].name", "longer than 40 characters", lost=True)


def test_names_of_digits_need_no_quotes() -> None:
    conversion = device_model_from_netbox_type(_type(model=7050, interfaces=[{"name": 1, "type": "1000base-t"}]))
    assert conversion.model and conversion.model["name"] == "7050"
    assert conversion.model["ports"][0]["name"] == "1"


def test_two_files_of_one_model_are_told_apart(tmp_path: Path) -> None:
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text("manufacturer: E\nmodel: B\nslug: e-b\nu_height: 1\n")
    first, second = read_type_files([tmp_path])
    assert first.conversion.model and second.conversion.model is None
    assert "a.yaml describes e-b as well" in second.conversion.problems[0].reason


@pytest.mark.parametrize(
    ("content", "field", "reason"),
    [
        (b"manufacturer: [", "line 2", "not YAML"),
        (b"\xff\xfe", "line 1", "not UTF-8"),
        (b"slug: a\nslug: b\n", "line 2", "twice"),
        (b"a: 1\n---\nb: 2\n", "file", "more than one document"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_with_its_line(
    tmp_path: Path, content: bytes, field: str, reason: str
) -> None:
    path = tmp_path / "bad.yaml"
    path.write_bytes(content)
    (found,) = read_type_files([path])
    assert found.conversion.problems[0].field == field
    assert reason in found.conversion.problems[0].reason


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    (found,) = read_type_files([tmp_path / "none.yaml"])
    assert "No such file" in found.conversion.problems[0].reason


def test_our_own_models_are_not_taken_for_types_of_netbox() -> None:
    assert looks_like_netbox_type({"manufacturer": "x"})
    assert not looks_like_netbox_type({"vendor": "x", "model": "y"})
