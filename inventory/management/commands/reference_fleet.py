"""Write the fleet file of the reference site."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from inventory.fleet.reference.three_tiers import fleet_file
from inventory.fleet.reference.two_tiers import two_tier_file


class Command(BaseCommand):
    help = "Write the fleet file of the reference site: XE9680 machines on a rail-optimised InfiniBand fabric."
    requires_system_checks: list[str] = []  # noqa: RUF012  (as Django has it)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--machines", type=int, default=511, help="how many machines (511)")
        parser.add_argument("--bare", type=int, default=0, help="further machines that are planned, to be provisioned")
        parser.add_argument(
            "--shape", choices=["three-tier", "netbox"], default="three-tier", help="netbox: two tiers, 1,236 devices"
        )
        parser.add_argument(
            "--cabling", choices=["fibre", "twin"], default="fibre", help="twin: one cable for both ports of a cage"
        )
        parser.add_argument("--seed", default="reference", help="another seed gives other serials")
        parser.add_argument("--output", required=True, help="the file to write; - for the terminal")
        parser.add_argument("--installed-days-ago", type=int, default=0, help="with --load-after: as of load_fleet")
        parser.add_argument("--load-after", type=Path, metavar="FILE", help="load it too, as soon as FILE exists")

    def handle(
        self, *args: Any, machines: int, bare: int, seed: str, output: str, load_after: Path | None, **options: Any
    ) -> None:
        shape, cabling = options.get("shape", "three-tier"), options.get("cabling", "fibre")
        if shape == "netbox" and (machines, bare, cabling) != (511, 0, "fibre"):
            raise CommandError("the shape netbox is one site of 511 machines: no --machines, --bare or --cabling")
        try:
            text = two_tier_file(seed) if shape == "netbox" else fleet_file(machines, bare, seed, cabling)
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
        if load_after is not None:
            ago = options.get("installed_days_ago", 0)
            call_command("load_fleet", output, after=load_after, installed_days_ago=ago, stdout=self.stdout)
