"""Load a fleet file into the inventory."""

from __future__ import annotations

import getpass
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from inventory.fleet.load import load
from inventory.fleet.problems import FleetError


class Command(BaseCommand):
    help = "Make the inventory say what a fleet file says: all of it or, when something is wrong, nothing."
    requires_system_checks: list[str] = []  # noqa: RUF012  (as Django has it)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="the fleet file (YAML); see docs/fleet-file.md")
        parser.add_argument("--dry-run", action="store_true", help="say what would change, write nothing")
        parser.add_argument("--prune", action="store_true", help="also retire and remove what is not in the file")

    def handle(self, *args: Any, file: Path, dry_run: bool, prune: bool, **options: Any) -> None:
        try:
            reports = load(file, dry_run=dry_run, prune=prune, actor=_who())
        except FleetError as error:
            raise CommandError(f"{error}\nrefused; nothing was changed") from error
        for report in reports:
            for line in report.lines():
                self.stdout.write(line)


def _who() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container user without a name
        return "command line"
