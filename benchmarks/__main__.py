"""`python -m benchmarks [NAME...]`: run the benchmarks on the instance of the environment (`./rackside bench`)."""

from __future__ import annotations

import argparse
import importlib
import os
import pkgutil
import platform
import sys
import tempfile
import time
from pathlib import Path

import django

import benchmarks
from benchmarks.report import Context, Row, table
from core.audit.actor import Actor, act_for_process

FIRST = ("fleet", "floor", "sweep", "writes", "feed")
"""Those that build on one another, in that order; the others follow by name."""
HELPERS = {"__main__", "facility_rows", "report", "server", "reads", "slow_link"}
"""What the benchmarks share."""


def found() -> list[str]:
    """Names of the benchmark modules, in the order in which they run."""
    names = {module.name for module in pkgutil.iter_modules(benchmarks.__path__)} - HELPERS
    return [*(name for name in FIRST if name in names), *sorted(names - set(FIRST))]


def main() -> int:
    parser = argparse.ArgumentParser(prog="rackside bench", description="Measure with the reference fleet.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"only these of: {', '.join(found())}")
    parser.add_argument("--machines", type=int, default=511, help="size of the fleet (511)")
    parser.add_argument("--growth", action="store_true", help="also 5,000 and 10,000 machines: takes some minutes")
    chosen = parser.parse_args()
    unknown = set(chosen.names) - set(found())
    if unknown:
        parser.error(f"no benchmark {', '.join(sorted(unknown))}; there are: {', '.join(found())}")
    django.setup()
    act_for_process(Actor("command:bench", "command", "python -m benchmarks"))
    print(f"\n{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python {platform.python_version()}", flush=True)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        context = Context(Path(folder), chosen.machines, chosen.growth)
        for name in found():
            if chosen.names and name not in chosen.names:
                continue
            began = time.monotonic()
            try:
                rows: list[Row] = importlib.import_module(f"benchmarks.{name}").run(context)
            except Exception as error:
                failed += 1
                rows = [Row(name, "failed", f"{type(error).__name__}: {error}")]
            print(f"\n{name} ({time.monotonic() - began:.1f} s)\n{table(rows)}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
