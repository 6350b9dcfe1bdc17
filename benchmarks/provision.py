"""From the BMC to `ready`: bare machines of the virtual hall, one in ten with a defect, few and many at once.

The workers, the web server and the clock are the processes of a deployment, each once, on a database of their own. The
hall answers in a process of its own on the same cores. Counted is the processor time of our processes, without the
hall's and PostgreSQL's; machines a minute are those in service, from the start of the run until the last good one.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from celery import current_app
from django.core.management import call_command
from django.db.models import F, Sum

from benchmarks.feed import free_port
from benchmarks.report import Context, Row
from benchmarks.server import Session, Timed, fresh_database, new_token, timed, web_process
from benchmarks.sweep import start_hall
from config import processes
from config.embedded.programs.stack import WORKERS
from core.models import Site
from health.models import MachineHealth
from health.monitoring.services import partitions
from inventory.models import Device, Machine
from live.models import Event
from provisioning import services
from provisioning.models import RunMachine, Step
from simulator.delivery import Defect, defects_of, end_of
from tickets.models import Ticket

SIZES = (50, 500)
BESIDE = 4
"""Machines that run already."""
AT_ONCE = 64
TIME_SCALE = 0.1
"""Of every limit, so that the machines with a defect end within minutes: they wait for time, and for nothing else."""
LONGEST_S = 3000.0
ROOM = 4
"""Machines of a rack at once, as by default."""
LOOKS = 5


@dataclass(frozen=True, slots=True)
class Measured:
    """One delivery, brought to its end."""

    machines: int
    good: int
    in_service: int
    good_s: float
    all_s: float
    processor_s: dict[str, float]
    wrong: list[str]
    """Machines that ended otherwise than their defect says, in words."""
    tickets: int
    messages: int
    looks: int
    run_page: Timed
    board: Timed
    run_page_kb: float

    @property
    def a_minute(self) -> float:
        return self.in_service / self.good_s * 60

    @property
    def processor_ms(self) -> float:
        return sum(self.processor_s.values()) / self.machines * 1000


def tree_s(pid: int) -> float:
    """Processor seconds of a process, of its children, and of those that ended already."""
    try:
        ticks = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15]
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return 0.0
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK") + sum(tree_s(int(child)) for child in children)


@contextmanager
def workers(environment: dict[str, str], folder: Path) -> Iterator[dict[str, subprocess.Popen[bytes]]]:
    """The workers of a small site and beat, by name; what they say is in a file each."""
    commands = {name: processes.worker(name, "1") for name in WORKERS} | {"beat": processes.beat()}
    running = {}
    try:
        for name, command in commands.items():
            log = (folder / f"{name}.log").open("wb")
            running[name] = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        yield running
    finally:
        for process in running.values():
            process.terminate()
        for process in running.values():
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


def inject(hall: Path, name: str, defect: Defect) -> None:
    more = [word for key, value in defect.params.items() for word in ("--set", f"{key}={value}")]
    more += ["--slot", defect.slot] if defect.slot else []
    with redirect_stdout(StringIO()):
        call_command("hall_fault", name, defect.fault, *more, "--data", str(hall))


def bring_to_service(context: Context, count: int) -> Measured:
    folder = context.folder / f"provision-{count}"
    folder.mkdir()
    with fresh_database(f"provision_{count}") as url:
        fleet = folder / "fleet.yaml"
        call_command("reference_fleet", machines=count + BESIDE, bare=0, output=str(fleet), verbosity=0)
        call_command("load_fleet", str(fleet), verbosity=0)
        partitions.ensure()
        site = Site.objects.get()
        bare = Machine.objects.select_related("device").order_by("pk")[BESIDE:]
        Device.objects.filter(machine__in=list(bare)).update(
            status=Device.Status.PLANNED
        )  # the hall gives it no system
        MachineHealth.objects.filter(machine__in=list(bare)).update(state="new")
        names = {machine.pk: machine.device.name for machine in bare}
        assert len(names) == count, (len(names), count)
        port = free_port()
        variables = {
            "RACKSIDE_PUBLIC_URL": f"http://127.0.0.1:{port}",
            "RACKSIDE_PROVISION_TIME_SCALE": str(TIME_SCALE),
            "RACKSIDE_PROVISION_LIMIT": str(AT_ONCE),
            "RACKSIDE_PROVISION_RACK_LIMIT": str(ROOM),
            "RACKSIDE_SWEEP_PERIOD_S": "86400",
            "RACKSIDE_LOG_LEVEL": "WARNING",
        }
        current_app.control.purge()
        with web_process(url, port=port, **variables):
            variables["RACKSIDE_DATABASE_URL"] = url
            hall = start_hall(site, folder, environment=variables)
            try:
                with workers({**os.environ, **variables}, folder) as running:
                    return _measure(folder, names, running, port)
            finally:
                hall.terminate()
                hall.wait(20)


def _measure(folder: Path, names: dict[int, str], running: dict[str, subprocess.Popen[bytes]], port: int) -> Measured:
    defects = defects_of(list(names.values()))
    for name, defect in defects.items():
        inject(folder / "hall", name, defect)
    session = Session(port, new_token())
    before, began = {name: tree_s(process.pid) for name, process in running.items()}, time.monotonic()
    run = services.create_run(list(names), actor="bench", limit=len(names))
    good, good_s = len(names) - len(defects), 0.0
    while time.monotonic() - began < LONGEST_S:
        ends = Counter(run.machines.values_list("status", flat=True))
        good_s = good_s or (time.monotonic() - began if ends["done"] >= good else 0.0)
        if not ends["waiting"] + ends["running"]:
            break
        time.sleep(0.5)
    all_s = time.monotonic() - began
    spent = {name: tree_s(process.pid) - before[name] for name, process in running.items()}
    states = MachineHealth.objects.filter(machine__in=names, state="ready").count()
    return Measured(
        len(names), good, states, good_s or all_s, all_s, spent,
        list(wrong_ends(names, defects)), Ticket.objects.filter(source="provisioning").count(),
        Event.objects.count(),
        Step.objects.filter(run_machine__run=run).aggregate(all=Sum(F("looks")))["all"],
        timed(lambda number: session.get(f"/api/provisioning/runs/{run.pk}/"), LOOKS),
        timed(lambda number: session.get("/api/provisioning/stages/"), LOOKS),
        len(session.send("GET", f"/api/provisioning/runs/{run.pk}/")) / 1024,
    )  # fmt: skip


def wrong_ends(names: dict[int, str], defects: dict[str, Defect]) -> Iterator[str]:
    """Machines that are not where they belong: in service without a defect, else failed in its class with a ticket."""
    rows = RunMachine.objects.filter(machine__in=names).values_list(
        "machine_id", "status", "step", "failure_class", "failure_text", "ticket"
    )
    for machine, status, step, failure, text, ticket in rows:
        defect = defects.get(names[machine])
        if (status, failure) != end_of(defect) or bool(ticket) != bool(defect):
            why = f"{defect.fault} {dict(defect.params)}" if defect else "no defect"
            yield f"{names[machine]} ({why}): {status} at {step}, {failure or 'no class'}, {ticket or '-'}: {text[:90]}"


def rows_of(found: Sequence[Measured]) -> Iterator[Row]:
    for each in found:
        name = f"provision: {each.machines}"
        spent = ", ".join(f"{who} {seconds:.0f} s" for who, seconds in each.processor_s.items() if seconds >= 1)
        yield Row(f"{name} at once", f"{each.a_minute:.0f} a minute",
                  f"{each.in_service} of {each.good} good ones in service after {each.good_s:.0f} s, "
                  f"the last with a defect after {each.all_s:.0f} s")  # fmt: skip
        yield Row(f"{name}, processor time", f"{each.processor_ms:.0f} ms a machine", spent)
        yield Row(f"{name}, news", f"{each.messages / each.machines:.0f} a machine",
                  f"events; {each.looks / each.machines:.1f} checks of a step that found nothing new")  # fmt: skip
        yield Row(f"{name}, run page", f"{each.run_page.p50:.0f} ms",
                  f"{each.run_page_kb:.0f} KB; the board {each.board.p50:.0f} ms")  # fmt: skip
        yield Row(f"{name}, in the right class", f"{each.machines - len(each.wrong)} of {each.machines}",
                  f"{each.tickets} tickets; {'; '.join(each.wrong[:12])}")  # fmt: skip


def run(context: Context) -> list[Row]:
    sizes = sorted({min(size, context.machines) for size in SIZES})
    return list(rows_of([bring_to_service(context, size) for size in sizes]))
