"""`manage.py examine`: verdicts on saved outputs, without database, network or services."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from health.checks.saved import examination


class Command(BaseCommand):
    help = examination.__doc__ or ""
    requires_system_checks: list[str] = []  # noqa: RUF012  (as Django has it)

    def add_arguments(self, parser: ArgumentParser) -> None:
        examination.add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        told = options["path"], options["model"], options["tool_command"], options["exit_status"]
        sys.exit(examination.run(*told, as_list=options["json"]))
