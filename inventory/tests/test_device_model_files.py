"""Files of device models go in as they are: ours, and types of the NetBox library."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from inventory.kinds import KINDS, Scope
from inventory.models import DeviceModel
from inventory.transfer.imports import import_file
from inventory.transfer.problems import FileRefused

pytestmark = pytest.mark.django_db
TYPES = sorted((Path(__file__).parents[1] / "device_types" / "tests" / "types").rglob("*.y*ml"))
OURS = Path(__file__).parents[1] / "device_models" / "nvidia-qm9700.yaml"


def take(content: bytes) -> tuple[int, int]:
    report = import_file(KINDS["device-models"], "x.yaml", content, scope=Scope.everything(), actor="mk")
    assert report.ok, report.errors()
    return report.created, report.unchanged


def test_a_type_of_the_library_is_taken_as_it_is_and_again_changes_nothing() -> None:
    assert TYPES
    for path in TYPES:
        assert take(path.read_bytes()) == (1, 0), path
        assert take(path.read_bytes()) == (0, 1), path
    names = {yaml.safe_load(path.read_text())["slug"].replace("_", "-") for path in TYPES}
    assert names == set(DeviceModel.objects.values_list("slug", flat=True))


def test_our_own_device_model_file_is_taken_as_it_is() -> None:
    assert take(OURS.read_bytes()) == (1, 0)
    assert DeviceModel.objects.get(slug="nvidia-qm9700").kind == "switch"


def test_a_broken_type_is_refused_with_the_place_in_it() -> None:
    broken = yaml.safe_load(TYPES[0].read_text()) | {"u_height": "tall"}
    with pytest.raises(FileRefused) as refused:
        take(yaml.safe_dump(broken).encode())
    assert [(row, error.field) for row, error in refused.value.problems] == [(1, "u_height")]
    assert not DeviceModel.objects.exists()
