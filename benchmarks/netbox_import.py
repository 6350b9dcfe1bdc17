"""Moving in from NetBox: its own measured fleet (1,236 devices, 10,698 cables) served by a stand-in, imported twice.

The stand-in answers far faster than a NetBox would: reading is the part that a real one decides. Everything is rolled
back.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction

from benchmarks.report import Context, Row
from inventory.kinds import Scope
from inventory.models import NetBoxRun
from inventory.netbox.options import Options
from inventory.netbox.run import execute, start
from inventory.netbox.source import Address
from inventory.netbox.tests.fake_netbox import OLD_TOKEN


def run(context: Context) -> list[Row]:
    with served() as url, transaction.atomic():
        first, second = once(url), once(url)
        transaction.set_rollback(True)
    read = sum(step["rows"] for step in first.steps["read"].values())
    made = sum(counts.get("created", 0) for counts in first.steps["written"].values())
    again = sum(counts.get("created", 0) + counts.get("changed", 0) for counts in second.steps["written"].values())
    return [
        Row("netbox: first import, reading", f"{first.steps['seconds']['reading']:.1f} s", f"{read:,} rows"),
        Row("netbox: first import, mapping", f"{first.steps['seconds']['mapping']:.1f} s", ""),
        Row("netbox: first import, writing", f"{first.steps['seconds']['writing']:.1f} s", f"{made:,} rows made"),
        Row("netbox: second import, writing", f"{second.steps['seconds']['writing']:.1f} s", f"{again} rows changed"),
    ]


def once(url: str) -> NetBoxRun:
    run = start(url, Options(), dry_run=False, by="bench")
    execute(run, Address(url, OLD_TOKEN, page_size=1000), Scope.everything(), actor="bench")
    return run


@contextmanager
def served() -> Iterator[str]:
    """The stand-in in a process of its own, so that it does not compute on our time."""
    command = [sys.executable, "-m", "inventory.netbox.tests.large_site"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin and server.stdout
        try:
            yield server.stdout.readline().strip()
        finally:
            server.stdin.close()
