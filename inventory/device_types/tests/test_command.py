"""`manage.py import_device_types`: files and folders, all or nothing, and devices of what came in."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from inventory.kinds import Scope, write
from inventory.models import DeviceModel, Port
from inventory.specs.device_model import DeviceModelSpec

TYPES = Path(__file__).parent / "types"
pytestmark = pytest.mark.django_db


def command(*words: str) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command("import_device_types", *words, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_a_folder_of_types_becomes_device_models() -> None:
    out, _ = command(str(TYPES))
    assert out.startswith("7 device models: 7 created\n")
    assert "have no home here" in out
    for model in DeviceModel.objects.all():
        assert DeviceModelSpec.from_dict(model.spec).model == model.slug
    assert command(str(TYPES))[0].startswith("7 device models: 7 unchanged\n")


def test_a_device_of_an_imported_type_has_its_ports() -> None:
    command(str(TYPES / "NVIDIA"))
    write("sites", [{"slug": "s", "name": "S"}], scope=Scope.everything(), actor="t")
    device = {"site": "s", "name": "leaf-1", "model": "nvidia-qm9700", "fabric": "infiniband"}
    assert write("devices", [device], scope=Scope.everything(), actor="t").created == 1
    assert Port.objects.filter(kind="infiniband", cage=32).count() == 2


def test_one_wrong_file_refuses_all_of_them_unless_told_otherwise(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("manufacturer: X\nmodel: Y\ncolour: red\n")
    with pytest.raises(CommandError, match="1 of 8 files are wrong; nothing was changed"):
        command(str(TYPES), str(tmp_path))
    assert DeviceModel.objects.count() == 0
    out, err = command(str(TYPES), str(tmp_path), "--skip-bad")
    assert "7 created" in out
    assert f"{tmp_path / 'bad.yaml'}: colour: there is no such key in a device type" in err


def test_a_dry_run_of_types_writes_nothing() -> None:
    assert "7 created (dry run)" in command(str(TYPES), "--dry-run")[0]
    assert DeviceModel.objects.count() == 0


def test_a_person_may_say_what_the_types_are() -> None:
    command(str(TYPES / "Example" / "blades.yaml"), "--kind", "machine")
    assert DeviceModel.objects.get().kind == "machine"


def test_what_is_lost_is_told_when_asked(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = command(str(TYPES / "Example" / "gx8-h100.yaml"), "-v", "2")
    assert "interfaces[5].type: bond0: lag is no socket" in out
