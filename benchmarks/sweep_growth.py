"""What a sweep costs for each machine, at two sizes of fleet: a ratio of 1 is flat.

A hall of 5,000 would be measured more than the sweep of it, so the network is left out: the answers are the virtual
machines' own, made beforehand. Everything else is what a worker does. A sweep of the whole fleet is planned, and as
many of its shards are run at either size, twice: told is the second look, which says what the first said. It is
processor time, of this process and of the PostgreSQL process that serves it: what else runs on these cores does not
count.
"""

from __future__ import annotations

import os
import time
import uuid
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from django.db import connection
from django.db.models import F

from access.bmc import BmcResult
from access.queries import BmcTarget
from benchmarks.matrix import MODEL, make_machines
from benchmarks.report import Context, Row
from benchmarks.server import fresh_database
from benchmarks.writes import observation
from config import heap
from drivers.redfish import BmcAnswers
from drivers.ssh import SshResult, SshTarget
from health.checks import layout
from health.checks.probes.script import probe_script
from health.models import LookCounters, Sweep, SweepShard
from health.monitoring.services import partitions
from health.monitoring.services.sweeps import observation as observing
from health.monitoring.services.sweeps import observation_store, sessions, sweep_runs
from inventory.models import Machine
from inventory.specs.device_model import DeviceModelSpec
from simulator import state as virtual
from simulator.from_inventory import plan_from_inventory
from simulator.machine.shell import execute
from simulator.redfish import resources as redfish

LARGER = 5_000
SHARDS_RUN = 4
BETWEEN_SWEEPS_S = 300


class Spent:
    """Processor seconds by what they were spent on."""

    def __init__(self) -> None:
        connection.ensure_connection()
        self.server = Path(f"/proc/{connection.connection.info.backend_pid}")
        self.seconds: dict[str, float] = defaultdict(float)

    def now(self) -> float:
        """Of this process and, when it runs on this machine, of its PostgreSQL process (in steps of 10 ms)."""
        try:
            if (self.server / "comm").read_text() != "postgres\n":
                return time.process_time()
            ticks = (self.server / "stat").read_text().rpartition(")")[2].split()[11:13]
        except OSError:
            return time.process_time()
        return time.process_time() + sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")

    @contextmanager
    def on(self, name: str) -> Iterator[None]:
        began = self.now()
        yield
        self.seconds[name] += self.now() - began

    def around(self, name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def measured(*args: Any, **options: Any) -> Any:
            with self.on(name):
                return work(*args, **options)

        return measured


class Answers:
    """What the machines of a site say when they are asked."""

    def __init__(self, site: str) -> None:
        ids = dict(Machine.objects.values_list("device__name", "pk"))
        self.plans = {ids[plan.name]: plan for plan in plan_from_inventory(site, 1).machines}
        self.script = probe_script(DeviceModelSpec.load(MODEL))
        self.said: dict[int, tuple[bytes, BmcAnswers]] = {}

    def prepare(self, machine_ids: Sequence[int]) -> None:
        """Make the answers of these machines; only the last are kept."""
        self.said = {}
        for pk in machine_ids:
            now = time.time()
            boot = str(uuid.uuid5(uuid.NAMESPACE_OID, str(pk)))
            machine = virtual.Machine(self.plans[pk], virtual.first_state(self.plans[pk], now - 86_400, boot))
            bmc = BmcAnswers(
                redfish.system(machine, now),
                redfish.chassis(machine, now),
                redfish.thermal(machine, now),
                redfish.power(machine, now),
                redfish.manager(machine, now),
            )
            self.said[pk] = execute(machine, self.script, now).text.encode("utf-8", "surrogateescape"), bmc

    async def ssh(self, targets: Sequence[SshTarget], script: str, **_: Any) -> AsyncIterator[SshResult]:
        for target in targets:
            yield SshResult(target, None, 0, self.said[target.machine_id or 0][0])

    async def bmc(self, targets: Sequence[BmcTarget], *, logs: Mapping[int, Any], **_: Any) -> AsyncIterator[BmcResult]:
        for each in targets:
            yield BmcResult(each, answers=self.said[each.machine_id][1], logs=() if each.machine_id in logs else None)


def fill(count: int) -> tuple[list[int], Answers]:
    """Machines with a BMC, each of them well at its last look."""
    devices = make_machines(count)
    ids = [device.pk for device in devices]
    with connection.cursor() as cursor:  # an address for each; nobody is asked there
        cursor.execute("UPDATE inventory_machine SET bmc_ip = inet '10.0.0.0' + device_id")
    answers = Answers(devices[0].site.slug)
    places = layout(DeviceModelSpec.load(MODEL))
    for first in range(0, count, sweep_runs.SHARD_SIZE):
        subjects, _ = observing.prepared(ids[first : first + sweep_runs.SHARD_SIZE])
        observation_store.record(observation(subject, places, 0, failing=False) for subject in subjects)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # as autovacuum has done where a fleet grew over days
    return ids, answers


def sweep(ids: Sequence[int], answers: Answers) -> tuple[dict[str, float], int]:
    """Processor milliseconds for each machine by what they were spent on, and how many machines were looked at."""
    spent = Spent()
    with spent.on("planning"):
        (planned,) = sweep_runs.request_sweep(ids, Sweep.Kind.MANUAL, actor="bench")
    shards = list(SweepShard.objects.filter(sweep=planned).order_by("number"))[:SHARDS_RUN]
    looked_at = sum(len(shard.machine_ids) for shard in shards)
    with ExitStack() as stack:
        for where, name, part in (
            (observing, "prepared", "what is expected"),
            (observing, "judge_answer", "parse and evaluate"),
            (observation_store, "record", "write"),
        ):
            stack.enter_context(patch.object(where, name, spent.around(part, getattr(where, name))))
        stack.enter_context(patch.object(sessions, "run_many", answers.ssh))
        stack.enter_context(patch.object(sessions, "ask_many", answers.bmc))
        for shard in shards:
            answers.prepare(shard.machine_ids)
            heap.freeze()  # as a worker has it: what was there before is not walked again
            with spent.on("shards"):
                assert sweep_runs.run(shard.pk) == "done"
    found = {name: seconds * 1000 / looked_at for name, seconds in spent.seconds.items()}
    found["planning"] = spent.seconds["planning"] * 1000 / len(ids)
    found["everything"] = found["planning"] + found.pop("shards")
    return found, looked_at


def measure(size: int) -> tuple[dict[str, float], int]:
    """The second look at these machines, which says what the first said, as nearly all do."""
    with fresh_database(f"sweep{size}"):
        partitions.ensure()
        ids, answers = fill(size)
        sweep(ids, answers)
        LookCounters.objects.update(at_s=F("at_s") - BETWEEN_SWEEPS_S)
        return sweep(ids, answers)


def run(context: Context) -> list[Row]:
    small, looked_at = measure(context.machines)
    large, _ = measure(LARGER)
    return [
        Row(
            f"sweep growth: {name}",
            f"{large[name] / small[name]:.2f} x",
            f"a machine costs {ms:.2f} ms of {context.machines:,} and {large[name]:.2f} ms of {LARGER:,} machines",
            goal="1.10 x or less" if name == "everything" else "",
        )
        for name, ms in small.items()
    ] + [Row("sweep growth: checked", f"{looked_at}", "machines of either fleet; processor time, database's too")]
