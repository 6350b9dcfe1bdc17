"""The hall's memory on disk: one SQLite row per machine, each change in its own transaction."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Iterable
from pathlib import Path

from simulator.state import MachineState


class Store:
    """States by machine name, and a few words of the hall itself (its seed)."""

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(path, isolation_level=None)
        self._db.executescript(
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
            "CREATE TABLE IF NOT EXISTS machine (name TEXT PRIMARY KEY, state TEXT NOT NULL);"
            "CREATE TABLE IF NOT EXISTS word (key TEXT PRIMARY KEY, value TEXT NOT NULL);"
        )

    def load(self) -> dict[str, MachineState]:
        rows = self._db.execute("SELECT name, state FROM machine")
        return {name: MachineState.from_json(json.loads(state)) for name, state in rows}

    def save(self, states: Iterable[tuple[str, MachineState]]) -> None:
        """Write these machines, all or none."""
        rows = [(name, json.dumps(state.to_json())) for name, state in states]
        self._db.execute("BEGIN IMMEDIATE")
        self._db.executemany("INSERT OR REPLACE INTO machine VALUES (?, ?)", rows)
        self._db.execute("COMMIT")

    def seed(self) -> str:
        """The hall's own secret, made at its first start: host keys and certificates come from it."""
        self._db.execute("INSERT OR IGNORE INTO word VALUES ('seed', ?)", (secrets.token_hex(32),))
        return str(self._db.execute("SELECT value FROM word WHERE key = 'seed'").fetchone()[0])

    def close(self) -> None:
        self._db.close()
