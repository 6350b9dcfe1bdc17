"""Device model files: ranges, addresses, and refusal of what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inventory.specs.device_model import DeviceModelError, DeviceModelSpec, normalise_pci, shipped_models


@pytest.fixture(scope="module")
def xe9680() -> DeviceModelSpec:
    return DeviceModelSpec.load("dell-xe9680-h100")


def test_every_shipped_model_loads_under_its_own_name() -> None:
    assert "dell-xe9680-h100" in shipped_models()
    for name in shipped_models():
        assert DeviceModelSpec.load(name).model == name


def test_ranges_expand_with_their_labels(xe9680: DeviceModelSpec) -> None:
    assert [slot.name for slot in xe9680.slots_of("nvme")] == [f"NVMe {n}" for n in range(8)]
    nvme = xe9680.slot("NVMe 3")
    assert nvme and nvme.label == "Bay 3"
    assert len(xe9680.slots_of("psu")) == 6
    power = [port for port in xe9680.ports if port.kind == "power_in"]
    assert [port.slot for port in power] == [f"PSU {n}" for n in range(1, 7)]


def test_two_spans_in_one_range_are_cage_and_lane() -> None:
    spec = DeviceModelSpec.from_dict(
        _minimal(ports=[{"range": "{1..32}/{1..2}", "kind": "infiniband", "cage": "{n}", "lane": "{m}"}])
    )
    assert len(spec.ports) == 64
    assert (spec.ports[5].name, spec.ports[5].cage, spec.ports[5].lane) == ("3/2", 3, 2)


@pytest.mark.parametrize("address", ["0000:9b:00.0", "00000000:9B:00.0", "0000:9b:00", "9b:00.0", "PCI:0000:9b:00"])
def test_a_slot_is_found_by_any_spelling_of_its_address(xe9680: DeviceModelSpec, address: str) -> None:
    slot = xe9680.slot_by_pci(address)
    assert slot and slot.name == "GPU 4"


@pytest.mark.parametrize("junk", ["", "GPU 4", "9b", "zz:00.0", "0000:9b:00.0:1", "000000000:9b:00.0"])
def test_junk_is_no_address(xe9680: DeviceModelSpec, junk: str) -> None:
    assert normalise_pci(junk) is None
    assert xe9680.slot_by_pci(junk) is None


def test_a_gpu_knows_the_card_of_its_rail(xe9680: DeviceModelSpec) -> None:
    gpu = xe9680.slot("GPU 6")
    assert gpu
    hca = xe9680.rail_hca(gpu)
    assert hca and hca.name == "HCA mlx5_10"
    assert xe9680.slot_by_device("mlx5_10") == hca


def test_a_stored_model_reads_back_the_same(xe9680: DeviceModelSpec) -> None:
    assert DeviceModelSpec.from_dict(xe9680.model_dump(mode="json")) == xe9680


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"slots": [{"name": "GPU 0", "kind": "gpu", "pci": "nowhere"}]}, "PCI address"),
        ({"slots": [{"name": "A", "kind": "gpu"}, {"name": "A", "kind": "gpu"}]}, "named twice"),
        ({"slots": [{"range": "NVMe {7..0}", "kind": "nvme"}]}, "count up"),
        ({"slots": [{"range": "NVMe", "kind": "nvme"}]}, "needs one or two spans"),
        ({"ports": [{"name": "p", "kind": "ethernet", "slot": "HCA x"}]}, "HCA x"),
        ({"gpu": {"count": 8}, "slots": [{"name": "GPU 0", "kind": "gpu"}]}, "1 GPU slots"),
        ({"expected": {"driver_version": 550.1}}, "quotes"),
        ({"expected": {"thresholds": {"disk_fail_percent": "high"}}}, "not a number"),
        ({"u_height": 6.3}, "u_height"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_a_wrong_model_is_refused_with_the_field(change: dict[str, Any], word: str) -> None:
    with pytest.raises(DeviceModelError, match=word):
        DeviceModelSpec.from_dict(_minimal(**change), source="x.yaml")


def test_an_unknown_name_lists_the_shipped_ones() -> None:
    with pytest.raises(DeviceModelError, match="dell-xe9680-h100"):
        DeviceModelSpec.load("nothing-like-it")


def test_an_unreadable_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DeviceModelError, match=r"missing\.yaml"):
        DeviceModelSpec.load(tmp_path / "missing.yaml")
    broken = tmp_path / "broken.yaml"
    broken.write_text("slots: [")
    with pytest.raises(DeviceModelError, match="not YAML"):
        DeviceModelSpec.load(broken)
    broken.write_text("just words")
    with pytest.raises(DeviceModelError, match="mapping"):
        DeviceModelSpec.load(broken)


def _minimal(**change: Any) -> dict[str, Any]:
    return {"model": "x", "vendor": "V", "name": "N", "kind": "machine", "u_height": 1, **change}


def test_a_patch_panel_says_where_each_front_port_comes_out() -> None:
    spec = DeviceModelSpec.from_dict(_panel([("F1", "R1", 1), ("F2", "R1", 2)], positions=2))
    assert spec.pass_throughs() == [("F1", "R1", 1), ("F2", "R1", 2)]


@pytest.mark.parametrize(
    ("fronts", "reason"),
    [
        ([("F1", "R1", 3)], "port F1: R1 has 2 positions"),
        ([("F1", "R9", 1)], "port F1: R9 is no rear port"),
        ([("F1", "R1", 1), ("F2", "R1", 1)], "ports F1 and F2 go to position 1 of R1"),
    ],
)
def test_a_front_port_that_leads_nowhere_is_refused(fronts: list[tuple[str, str, int]], reason: str) -> None:
    with pytest.raises(DeviceModelError, match=reason):
        DeviceModelSpec.from_dict(_panel(fronts, positions=2))


def test_an_outlet_behind_an_inlet_that_is_not_there_is_refused() -> None:
    ports = [{"name": "C13 1", "kind": "power_outlet", "inlet": "Input"}]
    with pytest.raises(DeviceModelError, match="port C13 1: there is no power inlet Input"):
        DeviceModelSpec.from_dict(_minimal(ports=ports))


def _panel(fronts: list[tuple[str, str, int]], positions: int) -> dict[str, Any]:
    ports = [{"name": "R1", "kind": "rear", "positions": positions}]
    ports += [{"name": n, "kind": "front", "rear": rear, "rear_position": at} for n, rear, at in fronts]
    return _minimal(ports=ports)
