"""Scripts that are sent to machines and run there: each one file, with torch and nothing else of the service."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def source(name: str) -> str:
    """The text of a script, such as `train.py`."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8")
