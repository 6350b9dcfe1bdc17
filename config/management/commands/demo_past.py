"""`manage.py demo_past`: gives a demo the ninety days before it began. Refuses everything that is no demo."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from config.past import load, samples
from core.models import Site
from health.models import Sweep
from simulator.past.story import DAYS

FIRST_SWEEP_S = 180.0


class Command(BaseCommand):
    help = "Make up the past of a demo: faults, repairs, runs, links, deliveries, measured values. Only in a demo."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--site", required=True, help="Slug of the demo's site.")
        parser.add_argument("--days", type=int, default=DAYS, help=f"how many days ({DAYS})")
        parser.add_argument("--seed", type=int, default=1, help="another seed tells another story (1)")
        parser.add_argument("--tell", type=Path, metavar="FILE", help="write what came of it there, in words")
        parser.add_argument("--no-samples", action="store_true", help="no measured values, for which a sweep is needed")

    def handle(
        self, *args: Any, site: str, days: int, seed: int, no_samples: bool, tell: Path | None, **options: Any
    ) -> None:
        now, began = timezone.now(), time.monotonic()
        try:
            loaded = load.load(site, days=days, seed=seed, now=now)
        except (load.Refused, Site.DoesNotExist) as error:
            _tell(tell, str(error))
            raise CommandError(str(error)) from error
        told: dict[str, Any] = {"tickets": loaded.tickets, "rows": sum(loaded.rows.values()), "seconds": _since(began)}
        _tell(tell, f"{days} days made up: {loaded.tickets} tickets, in {told['seconds']} s. Every page says so.")
        if not no_samples:
            pk = Site.objects.get(slug=site).pk
            _wait_for_sweep(pk)
            began = time.monotonic()
            told |= {"samples": samples.load(pk, now=now, seed=seed), "samples_seconds": _since(began)}
        self.stdout.write(json.dumps(told))


def _tell(file: Path | None, words: str) -> None:
    if file is not None:
        whole = file.with_suffix(".new")
        whole.write_text(json.dumps(words))
        whole.replace(file)


def _since(began: float) -> float:
    return round(time.monotonic() - began, 1)


def _wait_for_sweep(site: int) -> None:
    """The first sweep tells what is measured at all; where none ends in time there are no samples."""
    until = time.monotonic() + FIRST_SWEEP_S
    while time.monotonic() < until:
        if Sweep.objects.filter(site=site, finished_at__isnull=False).exists():
            return
        time.sleep(0.5)
