"""`runs shape`: the shape of a run's curve from logs alone. Needs no Django, no settings, no database."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

from runs.pace.meanings import MEANINGS
from runs.pace.recognition import recognise
from runs.slowness.from_log import Logged, NoPattern, pattern_of, steps_of


def shapes_of(paths: Sequence[Path], expression: str | None, expected: float | None, *, as_json: bool) -> str:
    """The answer for each log. Raises ValueError for an expression or a file that cannot be read."""
    try:
        pattern = pattern_of(expression) if expression else None
    except NoPattern as error:
        raise ValueError(f"--pattern: {error}") from error
    answers = []
    for path in paths:
        try:
            with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as lines:
                steps = steps_of(lines, datetime.now(UTC).year, pattern)
        except (OSError, EOFError) as error:
            raise ValueError(f"{path}: {error}") from error
        answers.append({"file": str(path), **answer_of(steps, expected)})
    if as_json:
        return json.dumps(answers, indent=1, ensure_ascii=False) + "\n"
    return "\n".join(_as_text(answer) for answer in answers)


def answer_of(steps: Sequence[Logged], expected: float | None) -> dict[str, Any]:
    shape = recognise([step.cost for step in steps], expected)
    meaning = MEANINGS[shape.name]
    at = steps[shape.at] if shape.at is not None and shape.at < len(steps) else None
    return {
        "steps": len(steps),
        "median": median(step.cost for step in steps) if steps else None,
        "shape": shape.name,
        **meaning._asdict(),
        "speed": round(shape.speed, 3),
        "step": at.step if at is not None else None,
        "at": at.at.isoformat() if at is not None and at.at is not None else None,
    }


def _as_text(answer: dict[str, Any]) -> str:
    if not answer["steps"]:
        return f"{answer['file']}: no step line that is known; see --pattern.\n"
    since = f" since step {answer['step']:,}" if answer["step"] is not None else ""
    speed = f", {answer['speed']:.0%} of what it should be" if answer["shape"] != "none" else ""
    lines = [f"{answer['file']}: {answer['title']}{since}{speed} ({answer['steps']:,} steps)", answer["says"]]
    lines += [f"  {number}. {check}" for number, check in enumerate(answer["checks"], 1)]
    return "\n".join(lines) + "\n"
