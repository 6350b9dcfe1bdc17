"""Loaded before the settings by `./rackside test`: each parallel test process gets databases of Valkey of its own."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

DATABASES_PER_PROCESS = 4
COUNTS_VARIABLE = "RACKSIDE_TEST_COUNTS"


def own_databases(environment: dict[str, str], worker: str) -> dict[str, str]:
    """The Valkey URLs of xdist's process `worker` (gw0, gw1, ...), moved to numbers that no other process uses."""
    shift = DATABASES_PER_PROCESS * (1 + int(worker.removeprefix("gw")))
    changed = {}
    for name, pattern in (("RACKSIDE_REDIS_URL", r"db=(\d+)"), ("RACKSIDE_BROKER_URL", r"virtual_host=(\d+)")):
        url = environment.get(name, "")
        found = re.search(pattern, url)
        if found:
            number = int(found[1]) % DATABASES_PER_PROCESS + shift
            changed[name] = url[: found.start(1)] + str(number) + url[found.end(1) :]
    return changed


os.environ.setdefault("RACKSIDE_LOCAL_ADDRESSES", "1")  # virtual halls answer on loopback
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.update(own_databases(dict(os.environ), os.environ["PYTEST_XDIST_WORKER"]))


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Leave the counts of this run for the closing line of the whole."""
    target = os.environ.get(COUNTS_VARIABLE)
    if target and "PYTEST_XDIST_WORKER" not in os.environ:
        stats = terminalreporter.stats
        failed = [*stats.get("failed", []), *stats.get("error", [])]
        counts = {"passed": len(stats.get("passed", [])), "failed": len(failed)}
        Path(target).write_text(json.dumps(counts))
