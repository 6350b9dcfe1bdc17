"""The kill switch stops every write of this service, right before it leaves, and what it stopped goes on afterwards.

Each writer is driven here with the switch on, then lifted. The last tests read the code: a new caller of what writes to
a scheduler, a BMC, a switch or a machine, and a new way to write in a driver, fail until they are listed and guarded.
"""

from __future__ import annotations

import ast
import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar
from uuid import uuid4

import pytest
from django.utils import timezone

from access.queries import BmcTarget
from core.models import Role
from core.services import ensure_user
from drivers.ironic.client import IronicClient
from drivers.maas.client import MaasClient
from drivers.maas.shapes import machine_of
from drivers.redfish import RedfishClient
from drivers.scheduler import Outcome, Scheduler
from drivers.ufm import UfmClient
from fabric.burn_in.services import runs
from fabric.models import BurnIn, BurnInPair, BurnInStage, FabricSource, NameProposal, PortAction
from fabric.ports.services import control, outages
from fabric.ports.services import orders as port_orders
from fabric.tests.small import Orders, small_fabric
from fabric.wiring.services import names as naming
from health.diagnostics.catalogue import options_of
from health.diagnostics.services import departures, progress, remote, slurm_jobs
from health.machines.calls import Report
from health.machines.services import kill_switch
from health.machines.services.changes import changing
from health.machines.workload import Workload
from health.models import ActiveMachine, ActiveRun, ActiveStep, MachineHealth, SchedulerSource, SchedulerWish
from health.remediation import executors
from health.remediation.executors import Answer, Job, host, once, power
from health.remediation.services import automation
from health.remediation.types import Guard, Refusal
from health.schedulers.services import delivery
from health.tests import factories as make
from inventory.models import Machine
from provisioning import remedies as reimaging
from provisioning.bmc import progress as bmc_progress
from provisioning.bmc import services as bmc
from provisioning.bmc.words import BmcAction
from provisioning.engines import ENGINES
from provisioning.engines.contract import Finished, Looked, Waits
from provisioning.images import services as images
from provisioning.images import turn as image_turns
from provisioning.images.commands import Seat
from provisioning.maas import writes as maas_writes
from provisioning.media import tidy
from provisioning.models import BootMedium, ImagePlacement, MaasMachine, MaasRegion, MaasWrite, Run, RunMachine
from provisioning.services import leases, probes
from provisioning.software import progress as software_progress
from provisioning.software import services as software
from provisioning.software.plays.play import Played
from provisioning.steps import MEDIA, StepName
from provisioning.waves import holds
from tickets.models import IndicatorLed
from tickets.services import leds

ROOT = Path(__file__).parent.parent
EMPTY = Workload(heard=True, running="", logins=0)
BEGIN = remote.begin


class Writer:
    """One way out: `fire` lets the service do what is due, `writes` counts what left, `said` is what it tells."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.patch, self.writes = patch, 0
        self.machine: Machine = make.make_machines(1)[0]
        self.site_id = int(self.machine.device.site_id)
        self.prepare()

    def prepare(self) -> None: ...

    def fire(self) -> None: ...

    def said(self) -> str:
        return ""

    def wrote(self, *args: object, **more: object) -> None:
        self.writes += 1


class SchedulerDrain(Writer):
    want = "drain"

    def prepare(self) -> None:
        SchedulerSource.objects.create(site_id=self.site_id, local=True)
        answer = self._answer
        driver = SimpleNamespace(drain=answer, resume=answer, machine=self._facts)
        self.patch.setattr(delivery, "driver_of", lambda source: driver)
        MachineHealth.objects.filter(pk=self.machine.pk).update(state="draining")
        SchedulerWish.objects.create(machine=self.machine, want=self.want, reason="rackside: x", by="automation")

    async def _answer(self, *args: object, **more: object) -> Outcome:
        self.wrote()
        return Outcome.DONE

    async def _facts(self, name: str) -> Any:
        return SimpleNamespace(reason="rackside: x")

    def fire(self) -> None:
        SchedulerWish.objects.update(next_try_at=timezone.now())
        delivery.send(self.machine.pk)

    def said(self) -> str:
        wish = SchedulerWish.objects.get()
        assert wish.status == "waiting" and wish.tries == 0
        return str(wish.error)


class SchedulerResume(SchedulerDrain):
    want = "resume"


class Remedy(Writer):
    """An executor, asked with the last question that automation gives it (`actions`)."""

    name = "reboot"
    params: ClassVar[dict[str, Any]] = {}

    def prepare(self) -> None:
        def run(machine_id: int, command: str, **more: object) -> Any:
            assert not kill_switch.why_stopped(self.site_id), f"{command} reached the machine"
            if not command.startswith("mkdir /run/rackside-"):  # the mark of the remedy, not the remedy
                self.wrote()
            return SimpleNamespace(failure=None, exit_status=0, stdout=b"", stderr=b"")

        for module in (host, once):
            self.patch.setattr(module, "run", run)
        self.patch.setattr(power, "_order", lambda machine_id, wanted: self.wrote() or Answer(Report.ACCEPTED, "off"))
        self.patch.setattr(reimaging, "create_run", lambda *a, **m: self.wrote() or SimpleNamespace(pk=1))
        self.told = ""

    def refusal(self) -> Refusal | None:
        why = kill_switch.why_stopped(self.site_id)
        return Refusal(Guard.KILLED, why) if why else None

    def fire(self) -> None:
        job = Job(self.machine.pk, "gpu", f"{self.machine.pk}:1:3:1", self.params, "", self.refusal)
        hand = executors.executor(self.name)
        assert hand is not None
        answer = self.do(hand, job)
        self.told = answer.text if answer.report is Report.REFUSED else ""

    def do(self, hand: Any, job: Job) -> Answer:
        return hand.send(job)  # type: ignore[no-any-return]

    def said(self) -> str:
        return self.told


class RestartService(Remedy):
    name, params = "restart_service", {"service": "docker"}


class ResetGpu(Remedy):
    name, params = "reset_gpu", {"pci": "0000:1b:00.0"}


class PowerOff(Remedy):
    name = "power_cycle"


class PowerOn(Remedy):
    name = "power_cycle"

    def do(self, hand: Any, job: Job) -> Answer:
        return hand.finish(job)  # type: ignore[no-any-return]


class Reimage(Remedy):
    name = "reimage"


class PortOut(Writer):
    def prepare(self) -> None:
        self.orders = Orders()
        self.patch.setitem(control._orders, "ufm", self.orders)
        source = small_fabric(self.machine.device.site, approval="policy")
        self.action = outages.propose(source.pk, "leaf-1:33", owner="ticket:REP-1", cause="x", by="tickets")
        assert PortAction.objects.get().state == "approved"

    def fire(self) -> None:
        PortAction.objects.update(next_try_at=timezone.now())
        port_orders.carry_out()
        self.writes = len(self.orders.given)

    def said(self) -> str:
        action = PortAction.objects.get()
        assert action.lease_until is None and action.attempts == 0 and action.state in ("approved", "held")
        return str(action.message)


class PortBack(PortOut):
    def prepare(self) -> None:
        super().prepare()
        super().fire()
        outages.enable(self.action.pk, by="tickets", reason="over")
        self.orders.given.clear()


class SwitchName(Writer):
    """A name that somebody approved before the switch was turned on, which a worker gives to UFM."""

    def prepare(self) -> None:
        self.source = small_fabric(self.machine.device.site)
        FabricSource.objects.update(options={"write_names": True})
        now = timezone.now()
        NameProposal.objects.create(
            source=self.source, guid="b" * 16, reported="b", proposed="leaf-1", agreeing=4, asked=4, margin=4,
            certain=True, state="approved", decided_by="olga", decided_at=now - timedelta(hours=1), first_seen_at=now,
            last_seen_at=now,
        )  # fmt: skip

    def fire(self) -> None:
        naming.write_back(self.source.pk, lambda *_: self.wrote() or "")

    def said(self) -> str:
        name = NameProposal.objects.get()
        assert name.state == "approved" and name.writing_at is None
        assert naming.sources_to_write() == [self.source.pk], "it is asked again"
        return str(name.message)


class LightOff(Writer):
    def prepare(self) -> None:
        IndicatorLed.objects.create(machine=self.machine, wanted="off", seen="on")

        async def switch(orders: Any, targets: Any) -> list[leds.Outcome]:
            self.writes += len(orders)
            return [leds.Outcome(order, "") for order in orders]

        self.patch.setattr(leds, "_switch_all", switch)

    def fire(self) -> None:
        IndicatorLed.objects.update(next_try_at=timezone.now())
        leds.sync()

    def said(self) -> str:
        led = IndicatorLed.objects.get()
        assert led.attempts == 0 and led.lease_until is None
        return str(led.error)


class BootOrder(Writer):
    step = StepName.BOOT_OVERRIDE

    def prepare(self) -> None:
        run = Run.objects.create(site_id=self.site_id, created_by="automation", name="weekly")
        self.row = RunMachine.objects.create(run=run, machine=self.machine, status="running", step=self.step.value)

        async def perform(*_: Any) -> Looked:
            self.wrote()
            return Looked(Finished("done"))

        self.patch.setitem(ENGINES, "played", SimpleNamespace(performs={self.step}, perform=perform, way=MEDIA))
        self.patch.setattr("provisioning.services.permits.workload_of", lambda pk: EMPTY)
        self.told = ""

    def fire(self) -> None:
        job = leases.Job(self.machine.pk, "gpu", "", None, "", BmcTarget(self.machine.pk, "gpu", "", 443, "", ""))
        claim = leases.Claim(
            run_machine_id=self.row.pk, run_id=self.row.run_id, lease=uuid4(), step=self.step, engine="played",
            deadline_at=timezone.now(), looks=0, silent_looks=0, detail="", job=job, ssh=None, verification_id=None,
            lost_workers=0,
        )  # fmt: skip
        outcome = asyncio.run(probes.look_at(claim)).outcome
        self.told = outcome.detail if isinstance(outcome, Waits) else ""

    def said(self) -> str:
        return self.told


class BootPower(BootOrder):
    step = StepName.POWER_ON


class InsertMedia(BootOrder):
    step = StepName.INSERT_MEDIA


class EjectMedia(BootOrder):
    step = StepName.EJECT_MEDIA


class LeftoverMedia(Writer):
    def prepare(self) -> None:
        run = Run.objects.create(site_id=self.site_id, created_by="automation", name="weekly")
        row = RunMachine.objects.create(run=run, machine=self.machine, status="cancelled")
        self.row = BootMedium.objects.create(run_machine=row, closed_at=timezone.now())

        async def one(*_: Any) -> tidy.Tried:
            self.wrote()
            return tidy.Tried(True)

        self.patch.setattr(tidy, "_one", one)

    def fire(self) -> None:
        tidy.tidy()

    def said(self) -> str:
        return tidy.why_stopped(self.row)


class EnlistInMaas(BootOrder):
    step = StepName.MAAS_RECORD


class Commission(BootOrder):
    step = StepName.COMMISSION


class EnrollInIronic(BootOrder):
    step = StepName.IRONIC_NODE


class Inspect(BootOrder):
    step = StepName.INSPECT


class Clean(BootOrder):
    step = StepName.CLEAN


class Deploy(BootOrder):
    step = StepName.DEPLOY


class MarkBrokenInMaas(Writer):
    def prepare(self) -> None:
        region = MaasRegion.objects.create(site_id=self.site_id, mark_broken="all")
        MaasMachine.objects.create(
            machine=self.machine, region=region, system_id="x1", hostname="gpu", status=4, seen_at=timezone.now()
        )
        MachineHealth.objects.filter(pk=self.machine.pk).update(state="repair")
        self.write = MaasWrite.objects.create(machine=self.machine, kind="mark_broken")
        self.patch.setattr(maas_writes, "target_of", lambda region: SimpleNamespace(client=self._client, erase=()))

    @asynccontextmanager
    async def _client(self) -> AsyncIterator[Any]:
        seen = {"system_id": "x1", "hostname": "gpu", "status": 4, "status_name": "Ready"}

        async def machine(system_id: str) -> Any:
            return machine_of(seen)

        async def mark_broken(system_id: str, comment: str) -> None:
            self.wrote()

        yield SimpleNamespace(machine=machine, mark_broken=mark_broken)

    def fire(self) -> None:
        MaasWrite.objects.update(next_try_at=None)
        maas_writes.deliver(self.site_id)

    def said(self) -> str:
        self.write.refresh_from_db()
        assert self.write.status == "waiting" and self.write.attempts == 0
        return self.write.message


class ActiveCheck(Writer):
    def prepare(self) -> None:
        MachineHealth.objects.update(state="drained")
        self.patch.setattr("celery.app.task.Task.apply_async", lambda *a, **m: None)
        self.patch.setattr(progress, "workloads_of", lambda ids: dict.fromkeys(ids, EMPTY))
        self.patch.setattr(progress.remote, "begin", lambda batch: self.wrote() or {})
        kinds = {"kinds": ["stress"]}
        self.run = ActiveRun.objects.create(
            site_id=self.site_id, kind="stress", status="running", requested_by="weekly burn-in", reason=str(kinds)
        )
        ActiveMachine.objects.create(run=self.run, machine=self.machine)
        self.run.options = options_of("stress", {})
        self.run.save()
        ActiveStep.objects.create(run=self.run, round=1, number=1, kind="stress", machine_ids=[self.machine.pk])

    def fire(self) -> None:
        run = ActiveRun.objects.get()
        progress._begin(run, {each.machine_id: each for each in departures.machines_of(run)[0]})

    def said(self) -> str:
        assert ActiveStep.objects.get().status == "waiting"
        return str(ActiveRun.objects.get().message)


class LaunchThroughSlurm(ActiveCheck):
    """A job of the site's scheduler: what only asks it is asked all the same."""

    def prepare(self) -> None:
        super().prepare()
        self.patch.setattr(progress.remote, "begin", BEGIN)
        SchedulerSource.objects.create(site_id=self.site_id, local=True)
        self.patch.setattr(progress, "ask_schedulers", lambda ids: None)
        self.patch.setattr(progress, "reasons", lambda ids, **more: dict.fromkeys(ids, ""))
        driver = SimpleNamespace(find=self._none, submit=self._submit)
        self.patch.setattr(slurm_jobs, "slurm_of", lambda source: driver)
        ActiveRun.objects.update(kind="groups", options=options_of("groups", {}), launch={"way": "srun", "key": "ab"})
        ActiveStep.objects.update(kind="groups", level="members")

    async def _none(self, name: str) -> None:
        return None

    async def _submit(self, job: object) -> str:
        self.wrote()
        return "4711"


class PairOfABurnIn(Writer):
    def prepare(self) -> None:
        (other,) = make.make_machines(1)
        MachineHealth.objects.update(state="drained")
        self.patch.setattr(runs, "workloads_of", lambda ids: dict.fromkeys(ids, EMPTY))
        self.patch.setattr(runs, "_run", lambda pairs, settings: self.wrote() or {})
        self.patch.setattr(runs, "_enqueue", lambda run_id: None)
        source = small_fabric(self.machine.device.site, kind="file")
        settings = {"stage_s": 5, "lead_s": 1, "port": 18515, "gpu_direct": True, "latency": False, "least_gbps": 1,
                    "least_gbps_without_gpu": 1, "most_p99_us": 9}  # fmt: skip
        run = BurnIn.objects.create(
            site_id=self.site_id, source=source, status="running", dry_run=False, created_by="olga", started_by="olga",
            started_at=timezone.now() - timedelta(hours=1), settings=settings,
        )  # fmt: skip
        stage = BurnInStage.objects.create(burn_in=run, number=1)
        BurnInPair.objects.create(stage=stage, adapter="mlx5_0", server=self.machine, client=other)

    def fire(self) -> None:
        runs.advance(BurnIn.objects.get().pk)

    def said(self) -> str:
        stage = BurnInStage.objects.get()
        assert stage.status == "waiting" and stage.attempts == 0
        return str(BurnIn.objects.get().message)


class ImagePull(Writer):
    """A pull of an image, on a machine that lacks it."""

    def prepare(self) -> None:
        MachineHealth.objects.update(state="ready")
        for module, name in ((images, "unreached"), (images, "seat_of"), (image_turns, "seat_of")):
            self.patch.setattr(module, name, lambda *args: {} if len(args) == 1 else Seat("docker"))
        self.patch.setattr(image_turns.sessions, "ask", self._ask)
        wanted = images.Wanted("place", "docker", "registry.example/team/torch:1", f"sha256:{'a' * 64}", dry_run=False)
        self.row = images.start([self.machine.pk], wanted, actor="olga")

    def _ask(self, some: list[tuple[int, str]], **more: object) -> list[Any]:
        pulls = any("docker pull" in script for _, script in some)
        if pulls:
            self.wrote()
        said = b"rackside-job started\n" if pulls else b"== rackside-held\n== rackside-users\n"
        return [SimpleNamespace(failure=None, exit_status=0, stdout=said, stderr=b"") for _ in some]

    def fire(self) -> None:
        ImagePlacement.objects.update(next_at=timezone.now())
        image_turns.advance(self.row.pk)

    def said(self) -> str:
        self.row.refresh_from_db()
        assert self.row.attempts == 0 and self.row.status in ("waiting", "running")
        return str(self.row.message)


class SoftwareRole(Writer):
    """A role of base software, over a machine that is drained."""

    def prepare(self) -> None:
        MachineHealth.objects.update(state="drained")
        self.patch.setattr(software_progress, "play", self._play)
        self.patch.setattr(software, "take_turn", lambda run_id: None)
        self.patch.setattr(holds, "workloads_of", lambda ids: dict.fromkeys(ids, EMPTY))
        self.patch.setattr(software, "why_unreached", lambda target: "")
        self.patch.setattr(software, "unreached", lambda targets: {})
        self.run = software.start([self.machine.pk], ["nvidia_driver"], actor="olga", dry_run=False)

    def _play(self, *args: object, **more: object) -> Played:
        self.wrote()
        return Played(complete=False, cancelled=True, text="")

    def fire(self) -> None:
        software_progress.advance(self.run.pk)

    def said(self) -> str:
        self.run.refresh_from_db()
        assert self.run.attempts <= 1 and self.run.status in ("waiting", "running")
        return str(self.run.message)


class PasswordOfABmc(Writer):
    """A BMC run over a machine that is drained."""

    action = BmcAction.PASSWORD

    def prepare(self) -> None:
        MachineHealth.objects.update(state="drained")
        self.patch.setattr(bmc_progress.accounts, "change", self._done)
        self.patch.setattr(bmc_progress.looks, "look", self._done)
        self.patch.setattr(bmc, "take_turn", lambda run_id, **more: None)
        self.patch.setattr(bmc, "why_unreached", lambda target: "")
        self.patch.setattr(holds, "workloads_of", lambda ids: dict.fromkeys(ids, EMPTY))
        setting = {"area": "bios", "name": "A", "value": "x"}
        firmware = {"component": "BIOS", "version": "2", "image": "a.bin"}
        bmc.save_profile(self.machine.device.model, [setting], [firmware], actor="ada")
        self.run = bmc.start([self.machine.pk], self.action, actor="olga", dry_run=False)

    async def _done(self, *args: object) -> Any:
        self.wrote()
        if self.action is BmcAction.PASSWORD:
            return bmc_progress.accounts.Changed(bmc_progress.Verdict.OLD, "it kept the old one")
        return bmc_progress.Look(bmc_progress.MachineState.OK, "done")

    def fire(self) -> None:
        bmc_progress.advance(self.run.pk)

    def said(self) -> str:
        self.run.refresh_from_db()
        assert self.run.status in ("waiting", "running")
        return str(self.run.message)


class SettingsOfABmc(PasswordOfABmc):
    action = BmcAction.SETTINGS


class FirmwareOfABmc(PasswordOfABmc):
    action = BmcAction.FIRMWARE


WRITERS: tuple[type[Writer], ...] = (
    SchedulerDrain, SchedulerResume, RestartService, ResetGpu, Remedy, PowerOff, PowerOn, Reimage, PortOut, PortBack,
    SwitchName, LightOff, BootOrder, BootPower, InsertMedia, EjectMedia, LeftoverMedia, EnlistInMaas, Commission,
    EnrollInIronic, Inspect, Clean, Deploy, MarkBrokenInMaas, ActiveCheck, LaunchThroughSlurm, PairOfABurnIn, ImagePull,
    SoftwareRole, PasswordOfABmc, SettingsOfABmc, FirmwareOfABmc,
)  # fmt: skip


@pytest.fixture
def switch(db: None) -> Iterator[Callable[[int, bool], None]]:
    def turn(site_id: int, on: bool) -> None:
        (automation.kill if on else automation.release)(site_id, reason="the cluster is odd", actor="ada")

    yield turn


def with_marks(kind: type[Writer]) -> Any:
    """What asks in a thread of its own sees only what is committed."""
    marks = [pytest.mark.django_db(transaction=True)] if issubclass(kind, BootOrder | MarkBrokenInMaas) else []
    return pytest.param(kind, marks=marks, id=kind.__name__)


@pytest.mark.parametrize("kind", map(with_marks, WRITERS))
def test_the_kill_switch_stops_the_write_and_it_goes_on_when_it_is_lifted(
    kind: type[Writer], switch: Callable[[int, bool], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = kind(monkeypatch)
    switch(writer.site_id, True)
    for _ in range(2):
        writer.fire()
        assert writer.writes == 0, "it left in spite of the switch"
        assert "kill switch is on: the cluster is odd" in writer.said(), "nobody sees what it waits for"
    switch(writer.site_id, False)
    writer.fire()
    assert writer.writes == 1, "lifted, it goes on"


def test_every_executor_is_among_the_writers() -> None:
    assert {kind.name for kind in WRITERS if issubclass(kind, Remedy)} == executors.registered()


def test_what_a_person_wished_by_hand_is_sent_all_the_same(
    switch: Callable[[int, bool], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = SchedulerDrain(monkeypatch)
    ensure_user("olga", role=Role.OPERATOR)
    SchedulerWish.objects.all().delete()
    MachineHealth.objects.update(state="ready")
    switch(writer.site_id, True)
    with changing(writer.machine.pk, actor="olga") as change:
        change.take_out(reason="I replace a riser")
    writer.fire()
    assert writer.writes == 1


def test_a_run_that_a_person_begins_while_the_switch_is_on_is_his_own(
    switch: Callable[[int, bool], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = ActiveCheck(monkeypatch)
    ensure_user("olga", role=Role.OPERATOR)
    ActiveRun.objects.update(requested_by="olga")
    switch(writer.site_id, True)
    writer.fire()
    assert writer.writes == 0, "it was begun before the switch, and nobody stands by"
    ActiveRun.objects.update(created_at=timezone.now())
    writer.fire()
    assert writer.writes == 1


# ---- nobody else writes ----

DRIVER_WRITES = {
    "RedfishClient": {"power", "set_boot_once", "set_indicator", "insert_media", "boot_from_media",
                      "eject_media"},
    "Scheduler": {"drain", "resume", "submit", "cancel"},
    "MaasClient": {"enlist", "rename", "commission", "allocate", "deploy", "release", "mark_broken", "mark_fixed",
                   "exit_rescue_mode"},
    "IronicClient": {"enroll", "add_port", "change", "provision", "deploy", "run_clean_steps", "set_maintenance",
                     "unset_maintenance"},
    "UfmClient": {"isolate", "stop_isolating", "stop_discovering", "set_hostname"},
}  # fmt: skip
# A discovery only reads; `run_cli` is called by `set_hostname` alone, and that by `fabric.discovery.services.ufm`.
UNGUARDED = {"refresh_discovery", "run_cli"}
DRIVER_READS = {
    "RedfishClient": {"root", "dialect", "boards", "manager", "all_of", "system_path", "system", "power_state",
                      "wait_for_power", "boot_override", "ethernet_interfaces", "report", "media"},
    "Scheduler": {"read", "machine", "past", "find"},
    "MaasClient": {"version", "who", "machines", "machine", "failed_scripts", "events"},
    "IronicClient": {"version", "drivers", "node", "nodes", "owners", "hardware", "history"},
    "UfmClient": {"get", "rows", "version", "systems", "ports", "links", "alarms", "events", "unhealthy_ports",
                  "capture", "job", "wait_for_job", "unconfirmed", "fingerprint"},
}  # fmt: skip
CALLERS = {
    "health/schedulers/services/delivery.py", "health/remediation/executors/power.py",
    "fabric/ports/services/control.py",
    "tickets/services/leds.py", "tickets/runbooks/machine_steps.py",
    "provisioning/engines/redfish.py", "provisioning/engines/media.py",
    "provisioning/bmc/looks.py", "facility/proposals/hands.py",
}  # fmt: skip
# Who runs commands on machines: the first group begins something there, the second only reads.
RUNS = {
    "health/machines/remote.py", "health/diagnostics/services/sessions.py", "fabric/burn_in/services/runs.py",
    "facility/proposals/hands.py",
}  # fmt: skip
LOOKS = {
    "health/monitoring/services/sweeps/sessions.py", "fabric/discovery/services/port_reads.py",
    "fabric/quality/services/measurements.py",
    "fabric/discovery/services/lldp.py", "fabric/discovery/services/ibdiags.py", "provisioning/services/probes.py",
    "runs/services/sessions.py", "tickets/vendors/collection.py",
}  # fmt: skip
ROOMS = ("access", "core", "inventory", "health", "fabric", "facility", "provisioning", "runs", "tickets")


def calls(*names: str) -> set[str]:
    """Files of the service that call something of this name on whatever object."""
    return {path for name in names for path in called().get(name, ())}


@cache
def called() -> dict[str, set[str]]:
    """Names of what is called, with the files of the service in which it is. Reading them all takes seconds."""
    found: dict[str, set[str]] = defaultdict(set)
    for room in ROOMS:
        for path in (ROOT / room).rglob("*.py"):
            if "/tests/" in str(path) or "/migrations/" in str(path):
                continue
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call):
                    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
                    found[name].add(str(path.relative_to(ROOT)))
    return found


@pytest.mark.parametrize(
    "driver", [RedfishClient, Scheduler, UfmClient, MaasClient, IronicClient], ids=lambda each: each.__name__
)
def test_every_way_of_a_driver_is_known_to_read_or_to_write(driver: type) -> None:
    public = {name for name in vars(driver) if not name.startswith("_")}
    known = DRIVER_WRITES[driver.__name__] | DRIVER_READS[driver.__name__] | UNGUARDED
    assert public <= known, "say whether it writes, and guard who calls it"


def test_only_the_listed_senders_write_to_bmcs_switches_and_schedulers() -> None:
    awaited = {
        "power",
        "set_boot_once",
        "set_indicator",
        "boot_from_media",
        "eject_media",
        "isolate",
        "stop_isolating",
        "stop_discovering",
    }
    own = {"health/schedulers/services/delivery.py"}  # `drain` and `resume` are words of other things as well
    assert {
        path for path in calls("driver_of", "slurm_of") if "/schedulers/" not in path and path.startswith("health/")
    } == {"health/diagnostics/services/slurm_jobs.py"}
    assert calls(*awaited) | own == CALLERS
    assert {path for path in calls("driver_of") if "/schedulers/" in path} == {
        "health/schedulers/services/delivery.py", "health/schedulers/services/readings.py",
        "health/schedulers/services/reach.py",
    }  # fmt: skip


def test_only_runs_and_their_state_write_to_maas() -> None:
    names = DRIVER_WRITES["MaasClient"] - {
        "allocate",
        "release",
        "rename",
        "commission",
        "deploy",
    }  # words of other things as well
    assert calls(*names) == {"provisioning/engines/maas.py", "provisioning/maas/writes.py"}


def test_only_runs_and_their_state_write_to_ironic() -> None:
    names = DRIVER_WRITES["IronicClient"] - {"change", "deploy"}  # words of other things as well
    assert calls(*names) == {"provisioning/engines/ironic.py", "provisioning/ironic/writes.py"}


def test_only_bmc_runs_set_bmcs_up() -> None:
    assert calls("write_settings", "start_update") == {"provisioning/bmc/looks.py"}
    assert calls("set_password") & set(calls("account")) == {"provisioning/bmc/accounts.py"}


def test_only_bundles_let_a_bmc_collect_and_ask_before() -> None:
    assert calls("order_collection") == {"tickets/vendors/bundles.py"}


def test_only_the_listed_ones_run_commands_on_machines() -> None:
    assert calls("run_one", "run_many") == RUNS | LOOKS


def test_only_what_asks_before_each_role_plays_it_on_machines() -> None:
    assert calls("play") == {"provisioning/software/progress.py"}
    assert calls("init_runner") == {"provisioning/software/plays/play.py"}


def test_only_what_asks_before_each_gives_names_to_switches() -> None:
    """The driver's method is handed on, not called by its name, so here texts are looked through."""

    def mention(words: str) -> set[str]:
        found = {path for room in ROOMS for path in (ROOT / room).rglob("*.py") if words in path.read_text()}
        return {str(path.relative_to(ROOT)) for path in found if "tests" not in path.parts}

    assert mention(".set_hostname") | mention(".set_node_description") == {"fabric/discovery/services/ufm.py"}
    assert mention("import write_name") == {"fabric/wiring/services/names.py"}
