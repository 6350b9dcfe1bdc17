"""The few lines of the programs' logs that the person at the terminal should see while the stack runs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

LOUD_LEVELS = ("warning", "error", "critical")
LINES_PER_TURN = 20
STEPS = 10
"""Lines that tell how far the first sweep is, at most: its parts end by twos and threes."""
HIDDEN_KEYS = {"event", "level", "timestamp", "logger", "exception", "request_id", "task_id"}
NEWS_KEYS = ("name", "machine_name", "key", "part", "fault_class", "status", "title", "passed")


class FirstSweep:
    """How far the first look at all machines is. That the later ones go on is no news."""

    def __init__(self) -> None:
        self.is_over = False
        self._checked = 0

    def words(self, kind: str, data: Mapping[str, Any]) -> str:
        """What there is to say after an event of a sweep; empty when that is nothing."""
        if self.is_over or data.get("kind") != "scheduled":
            return ""
        checked, machines = int(data.get("reachable") or 0), int(data.get("machines") or 0)
        if kind == "sweep.finished":
            self.is_over = True
            return f"First sweep: {checked:,} of {machines:,} machines answered."
        if checked - self._checked < max(1, machines // STEPS):
            return ""
        self._checked = checked
        return f"First sweep: {checked:,} of {machines:,} machines"


def summarise(name: str, line: str, first_sweep: FirstSweep | None = None) -> str | None:
    """One line for the terminal, or None for what belongs only in the log file.

    Structured lines are shown when they warn or tell of the fleet; plain lines only when they are errors.
    """
    try:
        entry = json.loads(line)
    except ValueError:
        entry = None
    if not isinstance(entry, dict) or "event" not in entry:
        return f"{name}: {line[:160]}" if any(word in line for word in ("FATAL", "PANIC", "Traceback")) else None
    level, event = str(entry.get("level", "")), str(entry["event"])
    kind, data = str(entry.get("kind")), entry.get("data")
    if event == "event_published" and kind == "sweep.period_changed":
        words = [str(data.get("text", "")) if isinstance(data, dict) else ""]
    elif event == "event_published" and kind.startswith("sweep."):
        told = first_sweep.words(kind, data) if first_sweep and isinstance(data, dict) else ""
        if not told:
            return None
        words = [told]
    elif event == "event_published":
        words = [kind, news_of_the_fleet(data)]
    elif level in LOUD_LEVELS:
        details = [f"{key}={value}" for key, value in entry.items() if key not in HIDDEN_KEYS]
        words = [name, level.upper(), event, *details]
    else:
        return None
    return " ".join([str(entry.get("timestamp", ""))[11:19], *" ".join(words).split()]).strip()[:200]


def news_of_the_fleet(data: object) -> str:
    """What a person wants of an event: names, states, titles; one level of nesting is opened."""
    if not isinstance(data, dict):
        return ""
    flat = dict(data)
    for value in data.values():
        if isinstance(value, dict):
            flat = {**value, **flat}
    words = {key: flat[key] for key in NEWS_KEYS if isinstance(flat.get(key), (str, int, float, bool))}
    return " ".join(
        f"{key}={value}" if isinstance(value, (bool, int, float)) else value for key, value in words.items()
    )


class TerseLog:
    """Follows log files from their present end."""

    def __init__(self, logs: Iterable[Path]) -> None:
        self._first_sweep = FirstSweep()
        self._position = {log: log.stat().st_size if log.exists() else 0 for log in logs}

    def news(self) -> list[str]:
        """Lines worth showing since the last call; a flood is cut and counted."""
        lines: list[str] = []
        for log, position in self._position.items():
            try:
                size = log.stat().st_size
                with log.open("rb") as stream:
                    stream.seek(position if position <= size else 0)  # it was rotated
                    chunk = stream.read(1_000_000)
            except OSError:
                continue
            whole, newline, _ = chunk.rpartition(b"\n")
            self._position[log] = (position if position <= size else 0) + len(whole) + len(newline)
            for raw in whole.decode(errors="replace").splitlines():
                text = summarise(log.stem, raw, self._first_sweep)
                if text:
                    lines.append(text)
        if len(lines) > LINES_PER_TURN:
            more = len(lines) - LINES_PER_TURN
            lines = [*lines[:LINES_PER_TURN], f"(and {more} more lines in the logs folder)"]
        return lines
