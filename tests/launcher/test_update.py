"""What makes a start migrate."""

from __future__ import annotations

from pathlib import Path

from django.apps import apps

from config.embedded.empty_database import own_migrations
from config.embedded.instance import ROOT


def test_each_migration_of_an_app_of_ours_makes_the_next_start_migrate() -> None:
    own = [Path(app.path) for app in apps.get_app_configs() if Path(app.path).is_relative_to(ROOT)]
    ours = [path for path in own if not path.is_relative_to(ROOT / ".venv")]
    wanted = {path for folder in ours for path in (folder / "migrations").glob("*.py")}
    assert len(wanted) > 10
    assert set(own_migrations()) == wanted
