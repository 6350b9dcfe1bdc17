"""Loaded before the settings by `./rackside test`: each parallel test process gets databases of Valkey of its own.

It also counts for the closing lines: what passed, what failed, and how many slow tests were left out.
"""

from __future__ import annotations

import gc
import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

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


SLOW, COLLECTED = pytest.StashKey[int](), pytest.StashKey[int]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """With `--dist each`, which gives the same to every process of xdist."""
    parser.addoption("--share", action="append", default=[], help="folders for the next of the parallel processes")


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Each process of xdist gets its share; one that takes the place of a process that died gets the same."""
    shares = node.config.getoption("share")
    if shares:
        specs = node.nodemanager.specs
        node.workerinput["share"] = shares[next(n for n, spec in enumerate(specs) if spec is node.gateway.spec)]


def pytest_configure(config: pytest.Config) -> None:
    """One of xdist's processes collects its share, where there are shares."""
    share = getattr(config, "workerinput", {}).get("share")
    if share:
        config.args[:] = share.split()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished(node: Any, ids: Sequence[str]) -> None:
    """xdist takes what the last process collected for the whole."""
    stash = node.config.stash
    stash[COLLECTED] = stash.get(COLLECTED, 0) + len(ids)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """The percentage is that of all shares together."""
    config = report.node.config if hasattr(report, "node") else None
    if config is not None and config.getoption("share"):
        config.pluginmanager.get_plugin("session").testscollected = config.stash[COLLECTED]


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    """Count the slow tests that this run leaves out."""
    if items:
        stash = items[0].config.stash
        stash[SLOW] = stash.get(SLOW, 0) + sum(item.get_closest_marker("slow") is not None for item in items)


def pytest_collection_finish() -> None:
    """Tens of thousands of collected tests stay to the end: no later collection of garbage walks them."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)  # what a test makes is gone with it: to look for cycles more often finds nothing


def pytest_sessionfinish(session: pytest.Session) -> None:
    """One of xdist's processes tells its count to the one that started it."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["slow"] = session.config.stash.get(SLOW, 0)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Each of xdist's processes meets its share of the files, or all of them: then the largest count is the count."""
    stash = node.config.stash
    together = sum if node.config.getoption("share") else max
    stash[SLOW] = together((stash.get(SLOW, 0), getattr(node, "workeroutput", {}).get("slow", 0)))


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Leave the counts of this run for the closing line of the whole."""
    target = os.environ.get(COUNTS_VARIABLE)
    if target and "PYTEST_XDIST_WORKER" not in os.environ:
        stats = terminalreporter.stats
        failed = [*stats.get("failed", []), *stats.get("error", [])]
        slow = terminalreporter.config.stash.get(SLOW, 0)
        counts = {"passed": len(stats.get("passed", [])), "failed": len(failed), "slow": slow}
        Path(target).write_text(json.dumps(counts))
