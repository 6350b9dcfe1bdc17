"""Writing the results of a sweep: current verdicts, packed reports, history and transitions.

Healthy reports in the layout of the real catalogue go through the same `record` as a sweep's, shard by shard; then the
same with some failing; then, for comparison, one history row per verdict.
"""

from __future__ import annotations

import time
from datetime import timedelta

from django.db import connection, transaction
from django.utils import timezone

from benchmarks.report import Context, Row
from benchmarks.sweep import ensure_fleet
from health.checks import CHECKS_VERSION, Finding, layout
from health.checks.verdicts import Verdict
from health.models import MachineHealth
from health.monitoring.merge import Key
from health.monitoring.services import partitions
from health.monitoring.services.sweeps import observation as observing
from health.monitoring.services.sweeps import observation_store, sweep_runs
from health.monitoring.services.sweeps.stored import Observation

ROUNDS = 5


def observation(subject: observing.Subject, places: tuple[Key, ...], second: int, failing: bool) -> Observation:
    """A report in which everything is well, or one level fails without being a fault."""
    bad = places[second % len(places)]
    findings = tuple(
        Finding(check, part, Verdict.WARN if failing and (check, part) == bad else Verdict.OK, "bench")
        for check, part in places
    )
    return Observation(
        machine_id=subject.machine_id,
        at=timezone.now() + timedelta(seconds=second),
        heard=True,
        boot_id="bench",
        findings=findings,
        layout=places,
        model=subject.spec.model,
        checks_version=CHECKS_VERSION,
        slots=frozenset(),
    )


def run(context: Context) -> list[Row]:
    ensure_fleet(context)
    partitions.ensure()
    ids = list(MachineHealth.objects.order_by("pk").values_list("pk", flat=True))
    size = sweep_runs.SHARD_SIZE
    shards = [observing.prepared(ids[at : at + size])[0] for at in range(0, len(ids), size)]
    places = {subject.spec.model: layout(subject.spec) for shard in shards for subject in shard}
    verdicts = sum(len(places[subject.spec.model]) for shard in shards for subject in shard)

    def sweep(second: int, share: float) -> float:
        looks = [
            [
                observation(s, places[s.spec.model], second, failing=number < share * len(shard))
                for number, s in enumerate(shard)
            ]
            for shard in shards
        ]
        began = time.perf_counter()
        for shard in looks:
            observation_store.record(shard)
        return time.perf_counter() - began

    sweep(0, 0)  # the first report of a machine always changes it
    quiet = min(sweep(number, 0) for number in range(1, ROUNDS))
    busy = min(sweep(10 * number, 0.05) for number in range(1, ROUNDS))
    plain = row_per_verdict(ids, places[shards[0][0].spec.model])
    what = f"{len(ids)} machines, {verdicts:,} verdicts, {len(shards)} shards"
    return [
        Row("writes: a sweep in which nothing changes", f"{quiet * 1000:.0f} ms", what),
        Row("writes: verdicts per second", f"{verdicts / quiet:,.0f}", "current, packed report and history together"),
        Row("writes: 5 % of the machines change", f"{busy * 1000:.0f} ms", "and each writes its event"),
        Row("writes: against a row per verdict", f"{plain / quiet:.1f} x", f"COPY and upsert took {plain:.2f} s"),
    ]


def row_per_verdict(ids: list[int], places: tuple[Key, ...]) -> float:
    """Seconds to write the same with a row per verdict: COPY to a history table, upsert to a current one."""
    now = timezone.now()
    columns = "(machine_id bigint, check_id text, part text, at timestamptz, verdict text, PRIMARY KEY (%s))"
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "CREATE TEMP TABLE each_history " + columns % "machine_id, check_id, part, at" + " ON COMMIT DROP"
        )
        cursor.execute("CREATE TEMP TABLE each_current " + columns % "machine_id, check_id, part" + " ON COMMIT DROP")
        for second in range(2):
            began = time.perf_counter()
            at = now + timedelta(seconds=second)
            with cursor.copy("COPY each_history FROM STDIN") as copy:
                for pk in ids:
                    for check, part in places:
                        copy.write_row((pk, check, part, at, "ok"))
            cursor.execute(
                "INSERT INTO each_current SELECT * FROM each_history WHERE at = %s "
                "ON CONFLICT (machine_id, check_id, part) DO UPDATE SET at = excluded.at, verdict = excluded.verdict",
                [at],
            )
        return time.perf_counter() - began
