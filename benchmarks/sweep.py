"""A sweep of the whole fleet over real SSH and real Redfish: the virtual hall answers in a process of its own.

The shards run one after the other in this process, as one worker process would run them. The hall burns its own
processor time on the same cores, so the machines per second are a lower bound; the time per machine is this side's.
Told is a sweep that follows another, with the connections and the memory of the one before.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import asyncssh
from django.core.management import call_command
from django.utils import timezone

from access.queries import ssh_targets
from access.services import EndpointRow, load_endpoints
from benchmarks.report import Context, Row
from core.models import Credential, Site
from core.services import set_credential
from drivers.ssh import SshResult, run_one
from health.checks import Memory
from health.checks.probes.script import probe_script
from health.models import MachineHealth, Sweep
from health.monitoring.services import partitions
from health.monitoring.services.sweeps import observation, observation_store, sweep_runs
from health.monitoring.services.sweeps.stored import Observation

PASSWORD = "calvin"
SLICE = 240
SWEEPS = 3
LOOKS = 20
ROUNDS = 5
SHARD = 64


def ensure_fleet(context: Context) -> Site:
    """The site with the reference fleet, loaded when no benchmark before did so."""
    largest = Site.objects.filter(devices__machine__isnull=False).order_by("id").first()
    if largest is None:
        path = context.folder / "fleet.yaml"
        if not path.exists():
            call_command("reference_fleet", machines=context.machines, output=str(path), verbosity=0)
        call_command("load_fleet", str(path), verbosity=0)
        largest = Site.objects.filter(devices__machine__isnull=False).order_by("id")[0]
    return largest


def start_hall(site: Site, folder: Path, *, environment: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    """Start the hall of the site and wait until it answers; `access` knows where."""
    key = asyncssh.generate_private_key("ssh-ed25519")
    set_credential(
        "ssh",
        kind=Credential.Kind.SSH_KEY,
        username="rackside",
        secret=key.export_private_key().decode(),
        hosts=["127.0.0.0/8"],
    )
    set_credential("bmc", kind=Credential.Kind.PASSWORD, username="root", secret=PASSWORD, hosts=["127.0.0.0/8"])
    keys = folder / "authorized_keys"
    keys.write_text(key.export_public_key().decode())
    command = [sys.executable, "manage.py", "hall", "--site", site.slug, "--data", str(folder / "hall")]
    command += ["--slice", str(SLICE), "--ssh-port", "0", "--redfish-port", "0", "--authorized-keys", str(keys)]
    variables = {**os.environ, **(environment or {}), "RACKSIDE_HALL_BMC_PASSWORD": PASSWORD}
    hall = subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, text=True)
    assert hall.stdout is not None
    for line in hall.stdout:
        if line.startswith("hall ready"):
            break
    endpoints = json.loads((folder / "hall" / "endpoints.json").read_text())
    rows = [
        EndpointRow(name, kind, where["address"], where[f"{kind}_port"])
        for name, where in endpoints.items()
        for kind in ("ssh", "redfish")
    ]
    load_endpoints(rows, site_slug=site.slug)
    return hall


def sweep_once(ids: list[int]) -> tuple[float, float, Sweep]:
    """Wall seconds, processor seconds of this process, and the finished sweep."""
    sweeps = sweep_runs.request_sweep(ids, Sweep.Kind.MANUAL, actor="bench")
    wall, cpu = time.perf_counter(), time.process_time()
    while waiting := sweeps[0].shards.filter(status="waiting").first():
        sweep_runs.run(waiting.pk)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    sweeps[0].refresh_from_db()
    return wall, cpu, sweeps[0]


def processor_s(process: subprocess.Popen[str]) -> float:
    """Processor seconds of another process until now."""
    ticks = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def judge_only(ids: list[int]) -> tuple[float, float]:
    """Processor milliseconds per machine of parsing and judging alone, afresh and beside the look before: the best of
    some rounds, as of the sweeps."""
    subject = observation.prepared(ids[:1])[0][0]
    target, script = ssh_targets(ids[:1])[0], probe_script(subject.spec)
    answers = [asyncio.run(run_one(target, script)) for _ in range(2)]

    def best(memory: Memory | None) -> float:
        return min(_judging_s(subject, answers, memory) for _ in range(ROUNDS)) / LOOKS * 1000

    return best(None), best(Memory())


def _judging_s(subject: observation.Subject, answers: list[SshResult], memory: Memory | None) -> float:
    began = time.process_time()
    for number in range(LOOKS):
        observation.judge_answer(subject, answers[number % len(answers)], timezone.now(), None, memory)
    return time.process_time() - began


def looks_at(ids: list[int]) -> list[Observation]:
    """What one look saw of each machine, waited for until the last."""
    found = (seen.observation for batch in observation.Watch(ids) for seen in batch)
    return sorted(found, key=lambda look: look.machine_id)


def write_only(ids: list[int]) -> tuple[float, int]:
    """Wall seconds of storing a look at every machine in shards, and how many verdicts that were.

    Measured is a look that says what the one before said, as nearly all do.
    """
    shards = [looks_at(ids[first : first + SHARD]) for first in range(0, len(ids), SHARD)]
    seconds = 0.0
    for _ in range(2):
        seconds = 0.0
        for looks in shards:
            now = timezone.now()
            again = [replace(look, at=now) for look in looks]
            began = time.perf_counter()
            observation_store.record(again)
            seconds += time.perf_counter() - began
    return seconds, sum(len(look.findings) for looks in shards for look in looks)


def run(context: Context) -> list[Row]:
    site = ensure_fleet(context)
    partitions.ensure()
    ids = list(MachineHealth.objects.filter(machine__device__site=site).values_list("pk", flat=True))
    hall = start_hall(site, context.folder)
    try:
        first, _, done = sweep_once(ids)  # first contacts: host keys and certificates are recorded
        halls = processor_s(hall)
        walls, cpus = zip(*(sweep_once(ids)[:2] for _ in range(SWEEPS)), strict=True)
        halls = (processor_s(hall) - halls) / SWEEPS
        whole, judging = judge_only(ids)
        writing, verdicts = write_only(ids)
    finally:
        hall.terminate()
        hall.wait(20)
    count, wall = len(ids), min(walls)
    return [
        Row("sweep: machines reached", f"{done.reachable} of {done.machines}", f"first contact took {first:.1f} s"),
        Row(
            "sweep: whole fleet",
            f"{wall:.1f} s",
            f"goal 9 s, hall not counted: it took {halls:.1f} s of the same cores; one worker process, shards of 64",
        ),
        Row("sweep: machines per second", f"{count / wall:.0f}", "SSH, BMC, checks and writes"),
        Row("sweep: processor time per machine", f"{min(cpus) / count * 1000:.1f} ms", "goal 10 ms; this side only"),
        Row(
            "sweep: of which parsing and evaluating",
            f"{judging:.1f} ms",
            f"one machine, measured alone, beside the check before; {whole:.1f} ms for a machine never seen",
        ),
        Row(
            "sweep: verdicts written",
            f"{verdicts:,} in {writing:.2f} s",
            f"{writing * 150_000 / verdicts:.2f} s for 150,000 (aim 2 s), {writing / count * 1000:.2f} ms a machine",
        ),
        Row("sweep: of a 300 s period", f"{wall / 300:.1%}", "one core busy for that share of the time"),
    ]
