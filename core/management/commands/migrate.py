"""`migrate`, which makes the models of a state only where a migration asks for them.

Django makes all of them before each migration. Most of ours change their tables at once (`core.work.at_once`) and need
a few; an empty database took a third longer.
"""

from __future__ import annotations

from typing import Any

from django.core.management.commands import migrate
from django.db.migrations import Migration
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.state import ProjectState

Plan = list[tuple[Migration, bool]]


class Lazily(MigrationExecutor):
    """Django's, without the rendering before each migration."""

    def _migrate_all_forwards(
        self, state: ProjectState, plan: Plan, full_plan: Plan, fake: bool, fake_initial: bool
    ) -> ProjectState:
        wanted = {migration for migration, _ in plan}
        for migration, _ in full_plan:
            if migration in wanted:
                state = self.apply_migration(state, migration, fake=fake, fake_initial=fake_initial)
        return state


class Command(migrate.Command):
    """Django's command with that executor: it has no place to name another."""

    def handle(self, *args: Any, **options: Any) -> None:
        migrate.MigrationExecutor = Lazily  # type: ignore[attr-defined]
        super().handle(*args, **options)
