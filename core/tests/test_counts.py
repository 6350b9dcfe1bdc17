"""Sentences with numbers know one: `1 row was refused`, never `1 rows`."""

from __future__ import annotations

import re
from pathlib import Path

from core.counts import counted

ROOT = Path(__file__).parents[2]
ROOMS = ("access", "core", "fabric", "health", "inventory", "live", "provisioning", "tickets")
COUNT = re.compile(r"\{len\([^{}]*\)(?::,)?\} [a-z]+s (?:is|are|was|were)\b")


def test_a_number_has_its_word() -> None:
    assert [counted(number, "row") for number in (0, 1, 2, 2140)] == ["0 rows", "1 row", "2 rows", "2,140 rows"]
    assert [counted(number, "row was", "rows were") for number in (1, 3)] == ["1 row was", "3 rows were"]


def test_no_sentence_says_one_in_the_plural() -> None:
    said = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for room in ROOMS
        for path in (ROOT / room).rglob("*.py")
        if "tests" not in path.parts
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if COUNT.search(line)
    ]
    of_more = ("port_reads.py", "system.py", "device_findings.py", "external/api.py", "import_device_types.py")
    # These are of at least two, or read `of`.
    assert [line for line in said if not line.partition(":")[0].endswith(of_more)] == []
