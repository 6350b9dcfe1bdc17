"""Write the fleet file of the reference site."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from inventory.fleet.reference import fleet_file


class Command(BaseCommand):
    help = "Write the fleet file of the reference site: XE9680 machines on a rail-optimised InfiniBand fabric."
    requires_system_checks: list[str] = []  # noqa: RUF012  (as Django has it)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--machines", type=int, default=511, help="how many machines (511)")
        parser.add_argument("--bare", type=int, default=0, help="further machines that are planned, to be provisioned")
        parser.add_argument("--seed", default="reference", help="another seed gives other serials")
        parser.add_argument("--output", required=True, help="the file to write; - for the terminal")

    def handle(self, *args: Any, machines: int, bare: int, seed: str, output: str, **options: Any) -> None:
        try:
            text = fleet_file(machines, bare, seed)
        except ValueError as error:
            raise CommandError(str(error)) from error
        if output == "-":
            self.stdout.write(text, ending="")
            return
        try:
            Path(output).write_text(text, encoding="utf-8")
        except OSError as error:
            raise CommandError(f"{output}: {error.strerror}") from error
        self.stdout.write(f"{output}: {machines} machines, {bare} bare ones; load it with `manage.py load_fleet`")
