"""The tables of an empty database as SQL, kept beside the packages: written in a fifth of the time of the migrations.

`./rackside` has it made while the dashboard is built (`commands/keep_tables.py`). Who finds none, or one of other
migrations, migrates. Standard library only, because `./rackside` asks for the path without our packages.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import psycopg

ROOT = Path(__file__).resolve().parents[2]
NAME = "empty-database"
ROWS_READ = ("health/machines/lifecycle.py", "core/*/at_once.py")
"""What migrations read beside themselves."""
OF_ONE_INSTANCE = ("core_instancestate", "core_auditchange", "core_auditentry")
"""What the first migration says of its own database. Each writes it anew when it is migrated, with nothing to do."""


def fingerprint(paths: Iterable[Path], *words: str) -> str:
    """A hash over files (name and content) and words: what a step depends on."""
    digest = hashlib.sha256("\0".join(words).encode())
    for path in sorted(paths):
        digest.update(str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path.name).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def own_migrations() -> list[Path]:
    """Of the rooms, and of the parts of `core` that keep tables of their own."""
    return [path for pattern in ("*/migrations/*.py", "*/*/migrations/*.py") for path in ROOT.glob(pattern)]


def migrations_fingerprint() -> str:
    """Changes when a migration of ours changes, or any locked package (which may bring its own)."""
    return fingerprint([*own_migrations(), ROOT / "requirements.lock"])


def kept_file(environment: Path) -> Path:
    """Where the tables of these migrations are, in the virtual environment."""
    read = [path for pattern in ROWS_READ for path in ROOT.glob(pattern)]
    return environment / f"{NAME}-{fingerprint([*own_migrations(), *read, ROOT / 'requirements.lock'])[:16]}.sql"


def load(connection: psycopg.Connection[tuple[object, ...]]) -> bool:
    """Write the kept tables into a database without any, all or none; false where nothing is kept or it has some.

    What the dump sets for its session ends with the connection: use it for nothing else.
    """
    kept = kept_file(Path(sys.prefix))
    if not kept.exists() or connection.execute("SELECT to_regclass('django_migrations')").fetchone() != (None,):
        return False
    connection.execute(kept.read_bytes())
    return True
