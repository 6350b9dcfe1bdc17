"""`manage.py pool_policy`: show every pool, or set the cap, the automation and the scheduler of those named."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from health.machines.models.machines import Pool
from health.machines.queries import budgets_of
from health.machines.services.pools import update_pool


def share(text: str) -> float:
    value = float(text)
    if not 0 <= value <= 1:
        raise ArgumentTypeError("a share is between 0 and 1")
    return value


class Command(BaseCommand):
    help = "Show pools, or set how many of their machines the automation may take out of service."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--site", help="Slug; every site by default.")
        parser.add_argument("--role", help="Role of the machines; every role by default.")
        parser.add_argument("--share", type=share, help="Share of the pool that may be out, such as 0.05.")
        parser.add_argument("--automation", choices=Pool.Automation.values)
        parser.add_argument(
            "--scheduler",
            choices=["none", "undeclared"],
            help="none: you declare that no scheduler gives work to these machines; undeclared: take that back.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        pools = Pool.objects.select_related("site", "model")
        if options["site"]:
            pools = pools.filter(site__slug=options["site"])
        if options["role"]:
            pools = pools.filter(role=options["role"])
        if not pools.exists():
            raise CommandError("no such pool; load a fleet first")
        said = options["scheduler"]
        wanted = {
            "max_unavailable_share": options["share"],
            "automation": options["automation"],
            "no_scheduler": None if said is None else said == "none",
        }
        if any(value is not None for value in wanted.values()):
            for pk in pools.values_list("pk", flat=True):
                update_pool(pk, actor="manage", **wanted)
        budgets = budgets_of(pools.all())
        for pool in pools.all():
            declared = f" No scheduler, says {pool.no_scheduler_by}." if pool.no_scheduler else ""
            self.stdout.write(f"{pool}: {pool.automation}. {budgets[pool.pk].reason}{declared}")
