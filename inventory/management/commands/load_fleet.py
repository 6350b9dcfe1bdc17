"""Load a fleet file into the inventory."""

from __future__ import annotations

import getpass
import time
from argparse import ArgumentParser
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from inventory.fleet.load import load
from inventory.fleet.problems import FleetError


class Command(BaseCommand):
    help = "Make the inventory say what a fleet file says: all of it or, when something is wrong, nothing."
    requires_system_checks: list[str] = []  # noqa: RUF012  (as Django has it)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="the fleet file (YAML); see docs/fleet-file.md")
        parser.add_argument("--dry-run", action="store_true", help="say what would change, write nothing")
        parser.add_argument("--prune", action="store_true", help="also retire and remove what is not in the file")
        parser.add_argument(
            "--installed-days-ago", type=int, default=0, metavar="N", help="since when new parts sit in their slots (0)"
        )
        parser.add_argument("--after", type=Path, metavar="FILE", help="read now, and load as soon as FILE exists")

    def handle(
        self,
        *args: Any,
        file: Path,
        dry_run: bool,
        prune: bool,
        installed_days_ago: int,
        after: Path | None = None,
        **options: Any,
    ) -> None:
        installed_at = timezone.now() - timedelta(days=installed_days_ago)
        try:
            reports = load(
                file,
                dry_run=dry_run,
                prune=prune,
                actor=_who(),
                when_read=partial(_wait_for, after),
                installed_at=installed_at if installed_days_ago else None,
            )
        except FleetError as error:
            raise CommandError(f"{error}\nrefused; nothing was changed") from error
        for report in reports:
            for line in report.lines():
                self.stdout.write(line)


def _wait_for(file: Path | None) -> None:
    while file is not None and not file.exists():
        time.sleep(0.02)


def _who() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container user without a name
        return "command line"
