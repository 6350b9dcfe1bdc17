"""How the code is built: who imports whom, and how much stands in one folder."""

import re
from collections import Counter
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOMS = sorted({path.parent.name for path in ROOT.glob("*/apps.py")} | {"config", "drivers"})
FLAT = ("checks", "parsers", "formats", "reconcile", "kinds", "migrations")
"""Folders of a catalogue: one entry a file, however many there are."""
MOST_MODULES = 16


@pytest.fixture(scope="module")
def imports() -> dict[str, set[str]]:
    """Module to the modules that it imports, inside functions too; what only the type checker reads is left out."""
    graph = grimp.build_graph(*ROOMS, exclude_type_checking_imports=True, cache_dir=None)
    ours = {module for module in graph.modules if ".tests" not in module and ".migrations" not in module}
    return {module: graph.find_modules_directly_imported_by(module) & ours for module in ours}


def test_no_circle_of_imports_is_left_those_inside_functions_included(imports: dict[str, set[str]]) -> None:
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_services_enqueue_by_name_and_never_import_tasks(imports: dict[str, set[str]]) -> None:
    found = {
        (module, other)
        for module, others in imports.items()
        for other in others
        if ".services" in module and other.endswith(".tasks")
    }
    assert found == set()


def test_no_folder_holds_more_modules_than_one_idea_has(imports: dict[str, set[str]]) -> None:
    files = (path for room in ROOMS for path in (ROOT / room).rglob("*.py") if "tests" not in path.parts)
    counts = Counter(path.parent.relative_to(ROOT) for path in files)
    wide = {str(folder): count for folder, count in counts.items() if count > MOST_MODULES and folder.name not in FLAT}
    assert wide == {}


NOUNS = {
    "binding", "cabling", "cooling", "damping", "finding", "matching", "naming", "pending", "provisioning", "routing",
    "training", "wiring",
}  # fmt: skip
"""What ends like a gerund and is a word of the field."""


def test_no_module_is_named_by_a_gerund_alone() -> None:
    """A module is a thing, not a doing: `leases`, not `claiming`. Tests too, and those of the dashboard."""
    folders = sorted({*ROOMS, "benchmarks", "tests", "frontend/src"})
    paths = [path for folder in folders for kind in ("py", "ts") for path in (ROOT / folder).rglob(f"*.{kind}")]
    assert len(paths) > 1000
    names = {path.relative_to(ROOT): path.name.split(".")[0].removeprefix("test_") for path in paths}
    wrong = [str(path) for path, name in names.items() if re.fullmatch("[a-z]+ing", name) and name not in NOUNS]
    assert sorted(wrong) == []
