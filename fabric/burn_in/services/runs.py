"""Carrying out a burn-in: stage by stage over SSH, servers first, each machine one session.

Nothing is started before the stage stands as running in the database; every command ends by itself under `timeout`, so
a worker that dies leaves nothing behind but a stage that another one repeats. Machines are checked again before each
stage: one that took work meanwhile is passed over.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import structlog
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from access.queries import ssh_targets
from access.services import record_identities
from core.work.kinds import Session, Work
from core.work.queue import after_commit
from drivers import shell
from drivers.ssh import Limits, SshResult, SshTarget, run_one
from fabric.burn_in.models import BurnIn, BurnInPair, BurnInStage
from fabric.burn_in.services.plans import BurnInRefused, unusable
from fabric.discovery.hooks import Use
from fabric.discovery.models.sources import Discovery, FabricSource
from fabric.discovery.services import discoveries
from fabric.quality.models.quality import LinkQuality, Round
from health.checks.parsers.perftest import PerftestError, read_bandwidth, read_latency
from health.machines.remote import workloads_of
from health.machines.services import kill_switch
from health.models import MachineHealth
from live.events import emit

log = structlog.get_logger(__name__)
CONCURRENCY = 64
MARK = "== rackside pair "
_ADAPTER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,31}")
LATENCY_ITERATIONS = 5000
READ_WITHIN_S = 240.0
POLL_S = 1.0

WORK = Work(
    name="burn-in",
    model=BurnIn,
    open=Q(status__in=[BurnIn.Status.RUNNING, BurnIn.Status.STOPPING]),
    hold=Session(7_204),
    most=3,  # of each stage
    task="fabric.burn_in.tasks.run_burn_in",
    every_s=60,
)


# ---- what a person does ----


@transaction.atomic
def start(run_id: int, *, by: str, for_real: bool = False) -> BurnIn:
    """Begin a planned run; without `for_real` it only says what it would run. Raises BurnInRefused."""
    run = BurnIn.objects.select_for_update().get(pk=run_id)
    if run.status != BurnIn.Status.PLANNED:
        raise BurnInRefused(f"It is {run.get_status_display()}.")
    if BurnIn.objects.filter(source_id=run.source_id, status__in=["running", "stopping"]).exists():
        raise BurnInRefused("Another burn-in runs on this fabric.")
    run.status, run.dry_run = BurnIn.Status.RUNNING, not for_real
    run.started_at, run.started_by = timezone.now(), by
    run.save(update_fields=["status", "dry_run", "started_at", "started_by"])
    tell(run, by)
    _enqueue(run.pk)
    return run


@transaction.atomic
def stop(run_id: int, *, by: str) -> BurnIn:
    """No new stage begins; what runs ends by itself within its seconds. Raises BurnInRefused."""
    run = BurnIn.objects.select_for_update().get(pk=run_id)
    if run.status in (BurnIn.Status.PLANNING, BurnIn.Status.PLANNED):
        run.status, run.finished_at = BurnIn.Status.STOPPED, timezone.now()
    elif run.status == BurnIn.Status.RUNNING:
        run.status = BurnIn.Status.STOPPING
        _enqueue(run.pk)
    else:
        raise BurnInRefused(f"It is {run.get_status_display()}.")
    run.save(update_fields=["status", "finished_at"])
    tell(run, by)
    return run


def _enqueue(run_id: int) -> None:
    after_commit(WORK.task, run_id)


# ---- one stage ----


def advance(run_id: int) -> str:
    """Do the next stage of a run, and queue the one after it. Returns the run's status, or `busy`."""
    with WORK.lock(run_id) as mine:
        if not mine:
            return "busy"
        stage = _begin(run_id)
        if stage is not None:
            _do(stage)
    with transaction.atomic():
        run = BurnIn.objects.select_for_update().get(pk=run_id)
        if stage is not None:
            tell(run, "burn-in")
            if stage.status != BurnInStage.Status.WAITING:  # one that was stopped waits for the next round of beat
                _enqueue(run.pk)
    return run.status


@transaction.atomic
def _begin(run_id: int) -> BurnInStage | None:
    """The next stage, written as running; None when the run is over, which is written too."""
    run = BurnIn.objects.select_for_update().get(pk=run_id)
    if run.status not in (BurnIn.Status.RUNNING, BurnIn.Status.STOPPING):
        return None
    stage = run.stages.filter(status__in=["waiting", "running"]).order_by("number").first()
    if stage is None or run.status == BurnIn.Status.STOPPING:
        run.status = BurnIn.Status.DONE if stage is None else BurnIn.Status.STOPPED
        run.finished_at = timezone.now()
        run.save(update_fields=["status", "finished_at"])
        tell(run, "burn-in")
        return None
    if WORK.policy.is_last(stage.attempts):
        stage.status, stage.finished_at = BurnInStage.Status.FAILED, timezone.now()
        stage.message = f"gave up after {stage.attempts} attempts"
    else:
        stage.status, stage.started_at = BurnInStage.Status.RUNNING, timezone.now()
    stage.attempts += 1
    stage.save()
    return stage


def _do(stage: BurnInStage) -> None:
    if stage.status != BurnInStage.Status.RUNNING:
        return
    run = stage.burn_in
    if _stopped(stage):
        return
    pairs = list(stage.pairs.select_related("server__device", "client__device"))
    going = _usable(pairs, ask=False)
    unread = "" if run.dry_run else read_counters(run.source)
    stage.before = counters_of(run, stage.covers)
    if run.dry_run:
        for pair in going:
            pair.verdict = BurnInPair.Verdict.UNKNOWN
            pair.message = f"dry run, would run: {shell.line(bandwidth(pair.adapter, 0, run.settings))}"[:300]
    else:
        going = _usable(going, ask=True)  # reading counters may have taken minutes, in which jobs begin
        if _stopped(stage):
            return
        _judge(going, _run(going, run.settings), run.settings)
    unread = unread or ("" if run.dry_run else read_counters(run.source))
    stage.after = counters_of(run, stage.covers)
    stage.message = f"counters are older than the stage: {unread}"[:500] if unread else ""
    with transaction.atomic():
        BurnInPair.objects.bulk_update(pairs, ["verdict", "gbps", "p99_us", "message"])
        stage.status, stage.finished_at = BurnInStage.Status.DONE, timezone.now()
        stage.save()


def _stopped(stage: BurnInStage) -> bool:
    """Whether the kill switch stops the stage; it waits then, without an attempt more, and the run says so."""
    run = stage.burn_in
    why = ""
    if not run.dry_run:
        why = kill_switch.why_run_stopped(run.site_id, by=run.started_by, begun_at=run.started_at)
    BurnIn.objects.filter(pk=run.pk).update(message=why[:500])
    if why:
        stage.status, stage.attempts = BurnInStage.Status.WAITING, max(0, stage.attempts - 1)
        stage.save(update_fields=["status", "attempts"])
    return bool(why)


def _usable(pairs: Sequence[BurnInPair], *, ask: bool) -> list[BurnInPair]:
    """Those whose machines may be used now, with `ask` by their own word as well. The others say why they are passed
    over."""
    ids = {pk for pair in pairs for pk in (pair.server_id, pair.client_id)}
    health = {row.machine_id: row for row in MachineHealth.objects.filter(machine_id__in=ids)}
    refused = {pk: why for pk in ids if (why := unusable(health.get(pk)))}
    said = workloads_of(ids - refused.keys()) if ask else {}
    refused |= {pk: each.refuses for pk, each in said.items() if each.refuses}
    for pair in pairs:
        reason = refused.get(pair.server_id) or refused.get(pair.client_id)
        if reason:
            pair.verdict, pair.message = BurnInPair.Verdict.UNKNOWN, reason[:300]
    return [pair for pair in pairs if refused.keys().isdisjoint((pair.server_id, pair.client_id))]


def read_counters(source: FabricSource) -> str:
    """Have the counters of a fabric read, from now on, and wait for them; why they are not there, empty when they are.

    A look that was under way before is waited for first: what it brings may be older.
    """
    if source.kind == FabricSource.Kind.FILE:
        return "files are brought by people"
    until, asked = time.monotonic() + READ_WITHIN_S, None
    while time.monotonic() < until:
        if asked is None:
            with suppress(discoveries.AlreadyRunning):
                asked = discoveries.start(source, by="burn-in")
        else:
            asked = Discovery.objects.select_related("capture").get(pk=asked.pk)
            if asked.status in (Discovery.Status.FAILED, Discovery.Status.HELD_BACK):
                return asked.message or asked.held_back
            capture = asked.capture if asked.status == Discovery.Status.DONE else None
            if capture is not None and Round.objects.filter(source=source, at__gte=capture.at).exists():
                return ""
        time.sleep(POLL_S)
    return f"no counters came within {READ_WITHIN_S:g} s"


def counters_of(run: BurnIn, keys: Sequence[str]) -> dict[str, Any]:
    """What is known of the links a stage covers: counts of the last minutes, state and error rate."""
    rows = LinkQuality.objects.filter(source_id=run.source_id, key__in=list(keys))
    return {
        row.key: {
            "state": row.state, "at": row.measured_at.isoformat() if row.measured_at else None,
            "rates": row.rates.get("5m", {}), "ber": row.ber,
        }
        for row in rows
    }  # fmt: skip


# ---- commands ----


def bandwidth(adapter: str, offset: int, settings: dict[str, Any]) -> list[str]:
    """`ib_write_bw` in both directions for the seconds of a stage, as a server; a client adds the address."""
    command = ["ib_write_bw", "-d", adapter, "-p", str(settings["port"] + offset), "-D", str(settings["stage_s"])]
    command += ["-b", "-F", "--report_gbits"]
    return [*command, f"--use_cuda={offset}"] if settings["gpu_direct"] else command


def latency(adapter: str, offset: int, settings: dict[str, Any]) -> list[str]:
    return ["ib_write_lat", "-d", adapter, "-p", str(settings["port"] + 100 + offset), "-n", str(LATENCY_ITERATIONS),
            "-F"]  # fmt: skip


class Line(NamedTuple):
    """What one machine runs for one pair: its commands one after the other, without the far address."""

    pair: BurnInPair
    offset: int
    to: str


def script(lines: Sequence[Line], settings: dict[str, Any], *, lead_s: int) -> str:
    """All pairs of one machine at once; each output follows its mark, each command ends under `timeout`."""
    limit = settings["stage_s"] + settings["lead_s"] + 30
    parts = ["d=$(mktemp -d) || exit 1; trap 'rm -rf \"$d\"' EXIT"]
    for line in lines:
        if not _ADAPTER.fullmatch(line.pair.adapter):
            raise BurnInRefused(f"{line.pair.adapter} is no name of an adapter.")
        commands = [bandwidth(line.pair.adapter, line.offset, settings)]
        if settings["latency"]:
            commands.append(latency(line.pair.adapter, line.offset, settings))
        told = []
        for command in commands:
            to = [line.to] if line.to else []
            run = shell.line(["timeout", "-k", "5", str(limit), *command, *to])
            told.append(f"sleep {lead_s}; {run}" if lead_s else run)
        parts.append(f"({'; '.join(told)}) >$d/{line.pair.pk} 2>&1 &")
    parts.append("wait")
    parts += [f"echo '{MARK}{line.pair.pk}'; cat $d/{line.pair.pk}" for line in lines]
    return "\n".join(parts)


def _run(pairs: Sequence[BurnInPair], settings: dict[str, Any]) -> dict[int, str]:
    """Output of the client of each pair."""
    ids = sorted({pair.server_id for pair in pairs} | {pair.client_id for pair in pairs})
    targets = {target.machine_id: target for target in ssh_targets(ids)}
    said, results = asyncio.run(run_pairs(pairs, targets, settings))
    record_identities(results, actor="burn-in")
    return said


async def run_pairs(
    pairs: Sequence[BurnInPair], targets: Mapping[int | None, SshTarget], settings: dict[str, Any]
) -> tuple[dict[int, str], list[SshResult]]:
    """What the client of each pair printed, and every answer. Servers begin first; a machine may be both."""
    servers: dict[int, list[Line]] = defaultdict(list)
    clients: dict[int, list[Line]] = defaultdict(list)
    for pair in pairs:
        offset = len(servers[pair.server_id])
        target = targets.get(pair.server_id)
        servers[pair.server_id].append(Line(pair, offset, ""))
        clients[pair.client_id].append(Line(pair, offset, target.address if target is not None else ""))
    gate = asyncio.Semaphore(2 * CONCURRENCY)
    seconds = 2 * (settings["stage_s"] + settings["lead_s"] + 40)
    limits = Limits(command_timeout_s=seconds)

    async def on(machine: int, lines: list[Line], lead_s: int) -> SshResult | None:
        target = targets.get(machine)
        if target is None:
            return None
        async with gate:
            return await run_one(target, script(lines, settings, lead_s=lead_s), limits)

    listening = [asyncio.create_task(on(machine, lines, 0)) for machine, lines in servers.items()]
    calling = [asyncio.create_task(on(machine, lines, settings["lead_s"])) for machine, lines in clients.items()]
    answers = await asyncio.gather(*calling)
    served = await asyncio.gather(*listening)
    results = [result for result in (*answers, *served) if result is not None]
    found: dict[int, str] = {}
    for lines, result in zip(clients.values(), answers, strict=True):
        found |= outputs(lines, result)
    return found, results


def outputs(lines: Sequence[Line], result: SshResult | None) -> dict[int, str]:
    """The output of each pair out of one machine's answer; a machine that did not answer says why in each."""
    if result is None:
        return {line.pair.pk: "error: no address is known" for line in lines}
    text = result.stdout.decode("utf-8", "replace")
    found = {}
    for piece in text.split(MARK)[1:]:
        number, _, said = piece.partition("\n")
        if number.strip().isdecimal():
            found[int(number)] = said
    missing = f"error: {result.failure or 'the output breaks off'}"
    return {line.pair.pk: found.get(line.pair.pk, missing) for line in lines}


# ---- verdicts ----


def _judge(pairs: Sequence[BurnInPair], said: dict[int, str], settings: dict[str, Any]) -> None:
    for pair in pairs:
        pair.verdict, pair.gbps, pair.p99_us, pair.message = verdict(said.get(pair.pk, ""), settings)


def verdict(text: str, settings: dict[str, Any]) -> tuple[str, float | None, float | None, str]:
    """Verdict, Gb/s, p99 in microseconds and words for one pair. No result is unknown, never a pass."""
    least = settings["least_gbps"] if settings["gpu_direct"] else settings["least_gbps_without_gpu"]
    at = text.find("Write Latency Test")
    first, second = (text[:at], text[at:]) if at >= 0 else (text, "")
    try:
        gbps = read_bandwidth(first).average_gbps
    except PerftestError as error:
        return BurnInPair.Verdict.UNKNOWN, None, None, str(error)[:300]
    trouble = [f"{gbps:.0f} Gb/s, at least {least:g} are wanted"] if gbps < least else []
    p99 = None
    if settings["latency"]:
        try:
            p99 = read_latency(second).p99_us
        except PerftestError as error:
            if not trouble:
                return BurnInPair.Verdict.UNKNOWN, gbps, None, f"latency: {error}"[:300]
        if p99 is not None and p99 > settings["most_p99_us"]:
            trouble.append(f"{p99:g} us at the 99th percentile, at most {settings['most_p99_us']:g} are wanted")
    found = BurnInPair.Verdict.FAIL if trouble else BurnInPair.Verdict.PASS
    return found, gbps, p99, "; ".join(trouble)


def tell(run: BurnIn, actor: str) -> None:
    """`burn_in.changed`: how far it is."""
    stages = list(run.stages.values_list("status", flat=True))
    emit(
        "burn_in.changed",
        site_id=run.site_id,
        subject=f"burn-in:{run.pk}",
        data={
            "id": run.pk, "source": run.source_id, "status": run.status, "dry_run": run.dry_run,
            "progress": {"done": sum(status in ("done", "failed") for status in stages), "total": len(stages)},
        },
        actor=actor,
    )  # fmt: skip


# ---- the source ----


def in_the_way(source: FabricSource) -> str:
    """Why a source cannot be removed: a burn-in loads its links."""
    running = BurnIn.objects.filter(source=source, status__in=[BurnIn.Status.RUNNING, BurnIn.Status.STOPPING])
    return "A burn-in runs on this source: stop it first." if running.exists() else ""


def forget(source: FabricSource) -> None:
    """Remove the burn-ins of a source."""
    BurnIn.objects.filter(source=source).delete()


USE = Use(in_the_way, forget)
