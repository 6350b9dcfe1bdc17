"""`manage.py runs explain` for callers inside the service; from a shell, `manage.py` goes to `runs.from_files`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from runs import from_files


class Command(BaseCommand):
    help = "Read the files of a training run and say why it ended, hangs or is slow. No database is needed."
    requires_system_checks: list[str] = []  # noqa: RUF012  (as Django has it)

    def add_arguments(self, parser: ArgumentParser) -> None:
        from_files.add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            from_files.run(Namespace(**options), self.stdout)
        except from_files.Failed as error:
            raise CommandError(str(error)) from error
