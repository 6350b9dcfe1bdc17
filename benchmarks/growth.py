"""The same questions at 5,000 and 10,000 machines (120,000 and 240,000 cables): how cost grows with the fleet."""

from __future__ import annotations

import time

from benchmarks.reads import cable_import, questions, updates
from benchmarks.report import Context, Row
from benchmarks.server import Session, fresh_database, new_token, web_process
from inventory.fleet.load import load
from inventory.fleet.reference import fleet_file
from inventory.models import Cable

LARGER = (5_000, 10_000)


def run(context: Context) -> list[Row]:
    if not context.growth:
        return [Row("growth", "left out", "--growth measures it: some minutes")]
    measured = {size: measure(context, size) for size in (context.machines, *LARGER)}
    first, *larger = measured
    found = []
    for name, base in measured[first].items():
        steps = []
        for size in larger:
            ratio = measured[size][name] / base if base else 0.0
            steps.append(f"{measured[size][name]:,.0f} ({ratio:.1f} x) at {size:,}")
        unit = "" if name == "cables" else " ms"
        found.append(Row(f"growth: {name}", f"{base:,.0f}{unit}", f"at {first:,} machines; " + ", ".join(steps)))
    return found


def measure(context: Context, machines: int) -> dict[str, float]:
    """What is measured, in milliseconds (medians)."""
    path = context.folder / f"fleet-{machines}.yaml"
    path.write_text(fleet_file(machines))
    with fresh_database(f"growth{machines}") as url:
        began = time.perf_counter()
        load(path)
        found = {"load_fleet": (time.perf_counter() - began) * 1000}
        token = new_token()
        with web_process(url) as port:
            session = Session(port, token)
            found |= {name: took.p50 for name, took in questions(session).items()}
            changed = updates(session)
            found |= {"update of one machine": changed.p50, "update of one machine, p95": changed.p95}
        found["CSV import of 500 cables"] = cable_import() * 1000
        found["cables"] = float(Cable.objects.count())
    return found
