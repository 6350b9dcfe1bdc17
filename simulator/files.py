"""Writing files of the hall."""

from __future__ import annotations

import os
from pathlib import Path


def write_file(path: Path, text: str, mode: int = 0o600) -> None:
    """Write a whole file or nothing of it."""
    unfinished = path.with_name(f".{path.name}.new")
    with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w") as file:
        file.write(text)
    unfinished.replace(path)
