"""`manage.py build_schema FILE`: bring an empty database to where the migrations in FILE are applied.

FILE is a JSON list of [app, name], as another database has them in its django_migrations. Prints one line of JSON:
{"refused": REASON or null}. A restore fills the tables afterwards.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

Names = set[tuple[str, str]]


class Unknown(ValueError):
    """The migrations are not ours; the message says which."""


def reached(loader: MigrationLoader, applied: Names) -> list[tuple[str, str]]:
    """The last migrations to apply so that the schema is that of `applied`. Raises Unknown."""
    known: Names = set()
    done: Names = set()
    for key, migration in loader.disk_migrations.items():
        replaced = set(migration.replaces)
        known |= {key} | replaced
        if replaced & applied and not replaced <= applied:
            raise Unknown(f"its database is between two versions of {key[0]}")
        if key in applied or (replaced and replaced <= applied):
            done.add(key)
    if strange := sorted(applied - known):
        raise Unknown(f"its database has the migration {'.'.join(strange[0])[:80]}, which this version does not know")
    inner = {parent for key in done for parent in loader.disk_migrations[key].dependencies}
    return sorted(key for key in done if key not in inner)


class Command(BaseCommand):
    help = "Bring an empty database to where the migrations in FILE are applied; used by a restore."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        applied = {(str(app), str(name)) for app, name in json.loads(file.read_text())}
        executor = MigrationExecutor(connection)
        try:
            targets = reached(executor.loader, applied)
        except Unknown as error:
            self.stdout.write(json.dumps({"refused": str(error)}))
            return
        executor.migrate(targets)
        self.stdout.write(json.dumps({"refused": None}))
