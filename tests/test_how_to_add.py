"""The pages that say how to change something name files that exist, and adding a check or a kind as they say works."""

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "how-to-add.md"
CODE = re.compile(r"`([a-z_]+/[\w./-]+)`")
ROOMS = ("health/", "fabric/", "inventory/", "tickets/", "core/", "drivers/", "config/", "frontend/", "tests/", "live/",
         "provisioning/", "access/", "simulator/", "docs/")  # fmt: skip


@pytest.mark.parametrize("page", ["how-to-add.md", "architecture.md", "checks.md", "remediation.md", "fabric.md"])
def test_every_file_that_a_page_for_developers_names_exists(page: str) -> None:
    named = {path for path in CODE.findall((ROOT / "docs" / page).read_text()) if path.startswith(ROOMS)}
    assert named, "the page names files"
    assert sorted(path for path in named if not (ROOT / path).exists()) == []


def test_the_twelve_common_changes_have_their_page() -> None:
    titles = re.findall(r"^## (.+)$", PAGE.read_text(), re.MULTILINE)
    assert len(titles) >= 12 and len(set(titles)) == len(titles)


NEW_CHECK = '''

@check(
    "gpu.warm",
    family="GPU",
    title="GPU is not warm",
    part="gpu",
    needs="gpus",
    source=_NVIDIA_SMI,
    classes=("gpu.warm",),
    fields=("temperature_c",),
    limits={"warm_c": 10.0},
)
def warm(gpu: Gpu, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """An example."""
    yield from not_told(gpu, x, "temperature_c")
    if gpu.temperature_c is not None and gpu.temperature_c > x.limit(me, "warm_c"):
        yield fail(f"{gpu.address} is at {gpu.temperature_c:g} C", "gpu.warm")
    yield ok("cool")
'''
NEW_CLASS = (
    'gpu.warm,degraded,ticket,minor,ticket,,,yes,software,GPU is warm,Cool {part} in {machine},"Open a window."\n'
)


def test_a_check_added_as_the_page_says_judges_and_has_its_title_steps_and_advice(tmp_path: Path) -> None:
    """Two files are touched, as the page says: the declaration in the module of its subject, a line for its class."""
    ignored = shutil.ignore_patterns("corpus", "__pycache__")
    shutil.copytree(ROOT / "health" / "checks", tmp_path / "health" / "checks", ignore=ignored)
    (tmp_path / "health" / "__init__.py").touch()
    for room in ("core", "inventory", "drivers"):
        (tmp_path / room).symlink_to(ROOT / room)
    with (tmp_path / "health/checks/gpu_state.py").open("a") as module:
        module.write(NEW_CHECK)
    with (tmp_path / "health/checks/data/fault_classes.csv").open("a") as table:
        table.write(NEW_CLASS)
    sample = ROOT / "health" / "checks" / "samples" / "gpus.xml"
    command = [sys.executable, "-m", "health.checks.saved.examination", str(sample), "--model", "dell-xe9680-h100",
               "--command", "nvidia-smi -q -x", "--json"]  # fmt: skip
    done = subprocess.run(command, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True)
    assert done.stdout, done.stderr
    found = [each for each in json.loads(done.stdout) if each["check"] == "gpu.warm"]
    # Both GPUs of the recording are warm; nothing is known of the eight of that model, which stand at other addresses.
    assert Counter(each["verdict"] for each in found) == {"fail": 2, "unknown": 8}
    assert {each["action"] for each in found if each["verdict"] == "fail"} == {"Open a window."}
