"""The samples that come with the checks: for each an output that is ok, and a change that makes it not ok.

`health/checks/samples/cases*.yaml` names them. The tests judge them whole; the catalogue shows the lines that differ.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml

SAMPLES = Path(__file__).resolve().parent / "samples"
CONTEXT_LINES = 3
MOST_LINES = 24
MOST_CHARS = 1500


@cache
def cases() -> dict[str, dict[str, Any]]:
    """Check id to its case."""
    return {
        check: case
        for path in sorted(SAMPLES.glob("cases*.yaml"))
        for check, case in yaml.safe_load(path.read_text(encoding="utf-8")).items()
    }


@cache
def sample(name: str) -> str:
    return (SAMPLES / name).read_text(encoding="utf-8")


def spoiled(case: Mapping[str, Any]) -> str:
    """The sample of a case with its change made. Raises ValueError for a change that changes nothing."""
    text = sample(case["sample"])
    for old, new in case.get("change", {}).items():
        if old not in text:
            raise ValueError(f"{old!r} is not in {case['sample']}")
        text = text.replace(old, new, 1)
    if "drop" in case:
        text, dropped = re.subn(case["drop"], "", text)
        if not dropped:
            raise ValueError(f"{case['drop']!r} finds nothing in {case['sample']}")
    if "replace_last" in case:
        before, old, after = text.rpartition(case["replace_last"][0])
        if not old:
            raise ValueError(f"{case['replace_last'][0]!r} is not in {case['sample']}")
        text = before + case["replace_last"][1] + after
    return text + str(case.get("add", ""))


@cache
def excerpts(check: str) -> tuple[dict[str, str], ...]:
    """What the catalogue shows of a check: {verdict, name, excerpt}, ok first. Empty for a check without samples."""
    case = cases().get(check)
    if case is None:
        return ()
    name, verdict = str(case["command"]), str(case.get("verdict", "fail"))
    fine = sample(case["sample"])
    said = case.get("unreachable") or case.get("unreachable_bmc")
    if said:
        return (
            {"verdict": "ok", "name": name, "excerpt": _cut(fine.splitlines())},
            {"verdict": verdict, "name": name, "excerpt": str(said)},
        )
    good, bad = _where_they_differ(fine.splitlines(), spoiled(case).splitlines())
    return (
        {"verdict": "ok", "name": name, "excerpt": good},
        {"verdict": verdict, "name": name, "excerpt": bad},
    )


def _where_they_differ(good: Sequence[str], bad: Sequence[str]) -> tuple[str, str]:
    """The lines of both from the first that differs to the last, with a few around them."""
    shorter = min(len(good), len(bad))
    first = next((i for i in range(shorter) if good[i] != bad[i]), shorter)
    same = next((i for i in range(shorter - first) if good[-1 - i] != bad[-1 - i]), shorter - first)
    start = max(0, first - CONTEXT_LINES)
    ends = [max(start + 1, len(lines) - same + CONTEXT_LINES) for lines in (good, bad)]
    return _cut(good[start : ends[0]]), _cut(bad[start : ends[1]])


def _cut(lines: Sequence[str]) -> str:
    kept = list(lines[:MOST_LINES]) + (["..."] if len(lines) > MOST_LINES else [])
    return "\n".join(kept)[:MOST_CHARS]
