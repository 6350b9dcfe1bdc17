"""`manage.py prune_history --keep-days N`: remove old changes from the audit log."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.audit.retention import prune


class Command(BaseCommand):
    help = "Remove changes older than so many days from the audit log, for good."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--keep-days", type=int, required=True, help="how many days are kept")

    def handle(self, *args: Any, keep_days: int, **options: Any) -> None:
        try:
            removed = prune(keep_days)
        except ValueError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{removed} changes removed")
