"""The same questions at 5,000 and 10,000 machines (120,000 and 240,000 cables): how cost grows with the fleet.

A request costs the same whatever the size of the fleet, and so does each machine of what is done to all of them.
"""

from __future__ import annotations

import time

from benchmarks.reads import UPDATE, cable_import, questions, updates
from benchmarks.report import Context, Row
from benchmarks.server import Session, fresh_database, new_token, web_process
from inventory.fleet.load import load
from inventory.fleet.reference.three_tiers import fleet_file
from inventory.models import Cable

LARGER = (5_000, 10_000)
FLAT = 1.1
OF_THE_FLEET = ("load_fleet", "cables")
"""Figures of the whole fleet; all others are of a request."""


def run(context: Context) -> list[Row]:
    if not context.growth:
        return [Row("growth", "left out", "--growth measures it: some minutes")]
    began = time.perf_counter()
    measured = {size: measure(context, size, began) for size in (context.machines, *LARGER)}
    return compared(measured)


def compared(measured: dict[int, dict[str, float]]) -> list[Row]:
    """Each figure at the smallest size, and how many times as much the larger fleets take; of a whole fleet, how many
    times as much for each machine."""
    first, *larger = measured
    found = []
    for name, base in measured[first].items():
        whole = name in OF_THE_FLEET
        steps, most = [], 0.0
        for size in larger:
            ratio = measured[size][name] / base / (size / first if whole else 1)
            steps.append(f"{measured[size][name]:,.0f} ({ratio:.2f} x{' a machine' if whole else ''}) at {size:,}")
            most = max(most, ratio)
        unit, goal = ("", "") if name == "cables" else (" ms", f"{FLAT:.2f} x or less")
        figure = f"{base:,.0f}{unit}" if name == "cables" else f"{most:.2f} x"
        found.append(Row(f"growth: {name}", figure, f"{base:,.0f}{unit} at {first:,}; " + "; ".join(steps), goal))
    return found


def tell(began: float, words: str) -> None:
    """A line at once: the larger fleets take minutes."""
    print(f"  growth {time.perf_counter() - began:6.0f} s  {words}", flush=True)


def measure(context: Context, machines: int, start: float) -> dict[str, float]:
    """What is measured, in milliseconds (medians)."""
    tell(start, f"{machines:,} machines")
    path = context.folder / f"fleet-{machines}.yaml"
    path.write_text(fleet_file(machines))
    with fresh_database(f"growth{machines}") as url:
        began = time.perf_counter()
        load(path)
        found = {"load_fleet": (time.perf_counter() - began) * 1000}
        tell(start, f"{machines:,} machines loaded in {found['load_fleet'] / 1000:.1f} s")
        token = new_token()
        with web_process(url) as port:
            session = Session(port, token)
            found |= {name: took.p50 for name, took in questions(session).items()}
            tell(start, ", ".join(f"{name} {found[name]:.0f} ms" for name in found if name != "load_fleet"))
            changed = updates(session)
            found |= {UPDATE: changed.p50, f"{UPDATE}, p95": changed.p95}
        found["CSV import of 500 cables"] = cable_import() * 1000
        found["cables"] = float(Cable.objects.count())
        tell(start, f"{found['cables']:,.0f} cables; update {changed.p50:.0f} ms, p95 {changed.p95:.0f} ms")
    return found
