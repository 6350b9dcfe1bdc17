"""The table of docs/targets.md and the browser tests say the same."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ROW = re.compile(r"^\| (\d+) \| .+ \| (test|bench|open: .+|not here: .+) \|$", re.MULTILINE)


def named_by_tests() -> set[int]:
    """The numbers of every `@pytest.mark.target(…)` on a test of the browser."""
    found: set[int] = set()
    for file in (ROOT / "tests" / "browser").glob("test_*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            for mark in getattr(node, "decorator_list", ()):
                if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.target":
                    found |= {ast.literal_eval(number) for number in mark.args}
    return found


def test_every_target_is_shown_where_the_table_says() -> None:
    told = {int(number): how for number, how in ROW.findall((ROOT / "docs" / "targets.md").read_text())}
    assert list(told) == list(range(1, 56))
    assert named_by_tests() == {number for number, how in told.items() if how == "test"}
