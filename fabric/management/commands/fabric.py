"""`manage.py fabric diagnose` for callers inside the service; from a shell, `manage.py` goes to `fabric.from_files`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from fabric import from_files


class Command(BaseCommand):
    help = "Read files of a fabric and say what is plugged in wrongly. Files may be gzipped; no database is needed."
    requires_system_checks: list[str] = []  # noqa: RUF012  (as Django has it)

    def add_arguments(self, parser: ArgumentParser) -> None:
        from_files.add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            from_files.run(Namespace(**options), self.stdout)
        except from_files.Failed as error:
            raise CommandError(str(error), returncode=error.status) from error
