"""Small files that would become large ones in memory are refused with the reason, before they are unfolded."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from inventory.kinds import KINDS
from inventory.specs.device_model import DeviceModelError, DeviceModelSpec
from inventory.transfer import archive, readers
from inventory.transfer.problems import FileRefused

ROOT = Path(__file__).parents[2]
MIB = 2**20
MINIMAL: dict[str, Any] = {"model": "x", "vendor": "V", "name": "N", "kind": "machine", "u_height": 1}

# Run in a process of its own, whose memory is its own: each bomb is as large as a file may be.
BOMBS = """
import json, os, sys
import django
django.setup()
from inventory.kinds import KINDS
from inventory.transfer import readers
from inventory.transfer.problems import FileRefused

MIB = 2**20
kind = KINDS["racks"]
header = ",".join(list(kind.fields)[:12])
bombs = {
    "json": ("[" + "[]," * (10 * MIB) + "[]]", "json"),
    "json, deep": ("[" * (30 * MIB), "json"),
    "yaml": ("- a\\n" * (4 * MIB), "yaml"),
    "yaml, deep": ("[" * (30 * MIB), "yaml"),
    "yaml, laughing": ("a: &a [x, x]\\n" + "".join(f"b{n}: &b{n} [*a, *a]\\n" for n in range(99)), "yaml"),
    "csv": (header + "\\n" + ",,,,,,,,,,,\\n" * (2 * MIB), "csv"),
}
for name, (text, form) in bombs.items():
    try:
        readers.read_rows(kind, text.encode(), form)
    except FileRefused as error:
        said = error.problems[0][1].reason if hasattr(error, "problems") else str(error)
    else:
        said = "NOT REFUSED"
    peak = int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) // 1024
    print(json.dumps([name, said, peak]), flush=True)
"""


@pytest.mark.slow
def test_a_file_of_many_tiny_values_is_refused_in_words_and_in_bounded_memory() -> None:
    import json

    done = subprocess.run(
        [sys.executable, "-c", BOMBS], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [name for name, _, _ in told] == ["json", "json, deep", "yaml", "yaml, deep", "yaml, laughing", "csv"], (
        done.stderr
    )
    for name, said, peak in told:
        assert said != "NOT REFUSED" and len(said) > 10, name
        assert peak < 900, f"{name}: {peak} MB"


@pytest.mark.parametrize(
    ("name", "text", "form"),
    [("MAX_YAML_VALUES", "- a\n" * 9, "yaml"), ("MAX_JSON_VALUES", "[1,1,1,1,1,1,1]", "json"),
     ("MAX_CELLS", "site,name\n" + "a,b\n" * 9, "csv")],
)  # fmt: skip
def test_every_form_counts_its_values(name: str, text: str, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, name, 5)
    with pytest.raises(FileRefused) as refusal:
        readers.read_rows(KINDS["rooms"], text.encode(), form)
    assert "more than 5" in str(refusal.value) and "split" in str(refusal.value)


def test_an_archive_is_bounded_as_a_whole(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.IMPORT_MAX_MB = 1
    path = tmp_path / "site.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for kind in archive.kinds()[: archive.MOST_FILES_FULL + 2]:
            packed.writestr(f"{kind.name}.csv", b" " * MIB)
    assert path.stat().st_size < 100_000
    with pytest.raises(FileRefused, match="unpacks to more than 8 MB"):
        archive.read_archive(path)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"slots": [{"range": "S {1..4096}/{1..4096}", "kind": "fan"}]}, "at most 8192 numbers"),
        ({"ports": [{"range": f"{name}{{1..8000}}", "kind": "console"} for name in "ab"]}, "more than 8192 ports"),
        ({"faceplate": [{"first": 1, "last": 10**12}]}, "faceplate"),
        ({"faceplate": [{"ports": "{1..9}{1..9}{1..9}{1..9}{1..9}{1..9}"}]}, "faceplate"),
        ({"power_w": 2**40}, "power_w"),
        ({"weight_kg": float("inf")}, "weight_kg"),
        ({"unmapped": {"a": [[[[[[[[[["x"]]]]]]]]]]}}, "unmapped"),
    ],
)
def test_a_device_model_that_would_unfold_without_end_is_refused(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(DeviceModelError, match=reason):
        DeviceModelSpec.from_dict(MINIMAL | change)


def test_a_device_model_file_with_aliases_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "laughing.yaml"
    path.write_text("a: &a [x]\nb: [*a, *a]\n")
    with pytest.raises(DeviceModelError, match="aliases"):
        DeviceModelSpec.load(path)
