"""From the BMC to `ready`: bare machines of the virtual hall, one in ten with a defect, few and many at once.

The workers, the web server and the clock are the processes of a deployment, each once, on a database of their own. The
hall answers in a process of its own on the same cores. Counted is the processor time of our processes from when all of
them are up; that of the hall and of PostgreSQL stands beside it. Machines a minute are those in service, from the start
of the run until the last good one. How far it is is printed meanwhile, and a run that is stopped tells what it reached.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from celery import current_app
from django.core.management import call_command
from django.db import connection
from django.db.models import F, Sum

from benchmarks.feed import free_port, wait_for
from benchmarks.report import Context, Row, table
from benchmarks.server import Session, Timed, fresh_database, new_token, timed
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
TOLD_EVERY_S = 10.0
UP_WITHIN_S = 120.0
SETTLES_S = 5.0
"""What processes still do when they have said that they are up, and what beat sends at its start."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One delivery, brought to its end, or as far as it came before it was stopped."""

    machines: int
    good: int
    ends: Counter[str]
    """Machines of the run by their status."""
    in_service: int
    good_s: float
    all_s: float
    processor_s: dict[str, float]
    """Of our processes."""
    beside_s: dict[str, float]
    """Of the hall and of PostgreSQL."""
    wrong: list[str]
    """Machines that ended otherwise than their defect says, in words."""
    tickets: int
    with_ticket: int
    messages: int
    looks: int
    run_page: Timed | None
    """Not measured where it was stopped, and so the board."""
    board: Timed | None
    run_page_kb: float

    @property
    def is_over(self) -> bool:
        return not self.ends["waiting"] + self.ends["running"]

    @property
    def ended(self) -> int:
        return self.ends["done"] + self.ends["failed"]

    @property
    def a_minute(self) -> float:
        return self.in_service / self.good_s * 60

    def processor_ms(self, spent: dict[str, float]) -> float:
        """Of a machine that ended."""
        return sum(spent.values()) / max(self.ended, 1) * 1000


def tree_s(pid: int) -> float:
    """Processor seconds of a process, of its children, and of those that ended already."""
    try:
        ticks = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15]
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return 0.0
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK") + sum(tree_s(int(child)) for child in children)


def postgres_pid() -> int:
    """The server to whose backend we are connected; it is one of this machine."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        [backend] = cursor.fetchone() or [0]
    return int(Path(f"/proc/{backend}/stat").read_text().rpartition(")")[2].split()[1])


@contextmanager
def stack(environment: dict[str, str], folder: Path, port: int) -> Iterator[dict[str, int]]:
    """Web server, workers of a small site and beat, all up: process by name. What they say is in a file each."""
    commands = {"web": processes.web("127.0.0.1", str(port))}
    commands |= {name: processes.worker(name, "1") for name in WORKERS} | {"beat": processes.beat()}
    running = {}
    try:
        for name, command in commands.items():
            own = {"RACKSIDE_PULSE_FILE": str(folder / f"{name}.pulse")}
            own |= {"RACKSIDE_DATABASE_POOL": "1"} if name == "web" else {}
            log = (folder / f"{name}.log").open("wb")
            running[name] = subprocess.Popen(command, env=environment | own, stdout=log, stderr=log)
            if name == "web":
                wait_for(port)
        until_up([folder / f"{name}.pulse" for name in commands if name != "web"])
        yield {name: process.pid for name, process in running.items()}
    finally:
        for process in running.values():
            process.terminate()
        for process in running.values():
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


def until_up(pulses: Sequence[Path]) -> None:
    """Wait until each process has given its first sign of life. What a start costs is not of the machines."""
    ends = time.monotonic() + UP_WITHIN_S
    while missing := [pulse.stem for pulse in pulses if not pulse.exists()]:
        if time.monotonic() > ends:
            raise TimeoutError(f"not up after {UP_WITHIN_S:.0f} s: {', '.join(missing)}")
        time.sleep(0.2)
    time.sleep(SETTLES_S)


@contextmanager
def stoppable() -> Iterator[Callable[[], bool]]:
    """Whether somebody asked to stop; meanwhile that ends nothing by itself."""
    asked: list[int] = []
    before = {number: signal.signal(number, lambda got, _: asked.append(got)) for number in STOPS}
    try:
        yield lambda: bool(asked)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


STOPS = (signal.SIGINT, signal.SIGTERM)


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
        with redirect_stdout(StringIO()):
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
            "RACKSIDE_LOG_LEVEL": "ERROR",
            "RACKSIDE_DATABASE_URL": url,
        }
        current_app.control.purge()
        hall = start_hall(site, folder, environment=variables)
        try:
            with stack({**os.environ, **variables}, folder, port) as running:
                found = _measure(folder, names, running, {"hall": hall.pid, "PostgreSQL": postgres_pid()}, port)
        finally:
            hall.terminate()
            hall.wait(20)
    return found


def _measure(
    folder: Path, names: dict[int, str], running: dict[str, int], beside: dict[str, int], port: int
) -> Measured:
    defects = defects_of(list(names.values()))
    for name, defect in defects.items():
        inject(folder / "hall", name, defect)
    session = Session(port, new_token())
    pids = running | beside
    before, began = {name: tree_s(pid) for name, pid in pids.items()}, time.monotonic()
    run = services.create_run(list(names), actor="bench", limit=len(names))
    good, good_s = len(names) - len(defects), 0.0
    told_at, ends = began, Counter[str]()
    with stoppable() as is_stopped:
        while not is_stopped() and time.monotonic() - began < LONGEST_S:
            ends = Counter(run.machines.values_list("status", flat=True))
            good_s = good_s or (time.monotonic() - began if ends["done"] >= good else 0.0)
            if not ends["waiting"] + ends["running"]:
                break
            if time.monotonic() - told_at > TOLD_EVERY_S:
                told_at = time.monotonic()
                tell(len(names), told_at - began, ends)
            time.sleep(0.5)
        all_s = time.monotonic() - began
        spent = {name: tree_s(pid) - before[name] for name, pid in pids.items()}
        tickets = Ticket.objects.filter(source="provisioning")
        path, answers = f"/api/provisioning/runs/{run.pk}/", not is_stopped()
        found = Measured(
            len(names), good, ends, MachineHealth.objects.filter(machine__in=names, state="ready").count(),
            good_s or all_s, all_s,
            {name: spent[name] for name in running}, {name: spent[name] for name in beside},
            list(wrong_ends(names, defects)), tickets.count(), tickets.values("machine").distinct().count(),
            Event.objects.count(),
            Step.objects.filter(run_machine__run=run).aggregate(all=Sum(F("looks")))["all"],
            timed(lambda number: session.get(path), LOOKS) if answers else None,
            timed(lambda number: session.get("/api/provisioning/stages/"), LOOKS) if answers else None,
            len(session.send("GET", path)) / 1024 if answers else 0,
        )  # fmt: skip
        if is_stopped():  # who was stopped has seconds
            print(f"\n{table(rows_of([found]))}", flush=True)
    return found


def tell(machines: int, passed_s: float, ends: Counter[str]) -> None:
    print(
        f"  {machines} at once, {passed_s:.0f} s: {ends['done']} done, {ends['failed']} failed, "
        f"{ends['running']} under way, {ends['waiting']} waiting; {ends['done'] / passed_s * 60:.0f} a minute",
        flush=True,
    )


def wrong_ends(names: dict[int, str], defects: dict[str, Defect]) -> Iterator[str]:
    """Machines that ended elsewhere than where they belong: in service without a defect, else failed in its class with
    a ticket."""
    rows = RunMachine.objects.filter(machine__in=names).exclude(status__in=["waiting", "running"])
    for machine, status, step, failure, text, ticket in rows.values_list(
        "machine_id", "status", "step", "failure_class", "failure_text", "ticket"
    ):
        defect = defects.get(names[machine])
        if (status, failure) != end_of(defect) or bool(ticket) != bool(defect):
            why = f"{defect.fault} {dict(defect.params)}" if defect else "no defect"
            yield f"{names[machine]} ({why}): {status} at {step}, {failure or 'no class'}, {ticket or '-'}: {text[:90]}"


def rows_of(found: Sequence[Measured]) -> Iterator[Row]:
    for each in found:
        name = f"provision: {each.machines}"
        spent = ", ".join(f"{who} {seconds:.0f} s" for who, seconds in each.processor_s.items() if seconds >= 1)
        if not each.is_over:
            left = each.ends["waiting"] + each.ends["running"]
            yield Row(f"{name}, stopped", f"{each.all_s:.0f} s", f"{left} machines had no end yet")
        yield Row(f"{name} at once", f"{each.a_minute:.0f} a minute",
                  f"{each.in_service} of {each.good} good ones in service after {each.good_s:.0f} s, "
                  f"the last with a defect after {each.all_s:.0f} s")  # fmt: skip
        yield Row(f"{name}, processor time", f"{each.processor_ms(each.processor_s):.0f} ms a machine", spent)
        for who, seconds in each.beside_s.items():
            yield Row(f"{name}, beside it: {who}", f"{each.processor_ms({who: seconds}):.0f} ms a machine")
        yield Row(f"{name}, news", f"{each.messages / each.machines:.0f} a machine",
                  f"events; {each.looks / each.machines:.1f} checks of a step that found nothing new")  # fmt: skip
        if each.run_page and each.board:
            yield Row(f"{name}, run page", f"{each.run_page.p50:.0f} ms",
                      f"{each.run_page_kb:.0f} KB; the board {each.board.p50:.0f} ms")  # fmt: skip
        yield Row(f"{name}, in the right class", f"{each.ended - len(each.wrong)} of {each.ended}",
                  f"{each.tickets} tickets, of {each.with_ticket} machines; {'; '.join(each.wrong[:12])}")  # fmt: skip


def run(context: Context) -> list[Row]:
    found: list[Measured] = []
    for size in sorted({min(size, context.machines) for size in SIZES}):
        found.append(bring_to_service(context, size))
        if not found[-1].is_over:
            break
    return list(rows_of(found))
