"""Real outputs for the tests: what a machine of the virtual hall answers to the real probe, without the network."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange

from drivers.ssh import SshResult, SshTarget
from health.checks.probes.script import probe_script
from health.monitoring.services.sweeps import observation
from health.monitoring.services.sweeps.stored import Observation
from health.tests import factories as make
from inventory.models import Component, Installation, Machine
from simulator import faults
from simulator.from_inventory import plan_from_inventory
from simulator.machine.shell import Reply, execute
from simulator.state import Machine as SimulatedMachine
from simulator.state import first_state

NOW = 1_800_000_000.0
BOOT = "6f0ad9e6-0000-4000-8000-00000000000{}"


class Twin:
    """A machine of the inventory and its simulated self."""

    def __init__(self, machine: Machine, simulated: SimulatedMachine) -> None:
        self.machine, self.simulated = machine, simulated
        self.subject = observation.prepared([machine.pk])[0][0]

    def answer(self, after_s: float = 0) -> bytes:
        """What the probe prints that is begun at NOW + after_s."""
        return self.reply(after_s).text.encode("utf-8", "surrogateescape")

    def reply(self, after_s: float = 0) -> Reply:
        began = NOW + after_s
        return execute(self.simulated, probe_script(self.subject.spec), began).whole(began)

    def look(self, after_s: float = 0, stdout: bytes | None = None, late_s: float = 0) -> Observation:
        """The observation of one look; `stdout` replaces what the machine prints.

        The session ends `late_s` after its last output.
        """
        reply = self.reply(after_s)
        answered = NOW + after_s + (reply.delay_s or 0)
        at = datetime.fromtimestamp(answered + late_s, UTC)
        target = SshTarget("127.0.0.1", 22, "rackside", "", name=self.subject.name, machine_id=self.machine.pk)
        printed = reply.text.encode("utf-8", "surrogateescape") if stdout is None else stdout
        result = SshResult(target, None, 0, printed, asked_at=NOW + after_s, answered_at=answered)
        return observation.judge_answer(self.subject, result, at, None)

    def inject(self, name: str, slot: str = "", after_s: float = 0, **params: Any) -> None:
        faults.inject(self.simulated, name, NOW + after_s, slot=slot, params=params or None)
        self.simulated.touch()


def twins(count: int = 1, **more: Any) -> list[Twin]:
    """Machines whose parts are installed in the inventory by the serials they answer with."""
    machines = make.make_machines(count, **more)
    site = machines[0].device.site
    plan = plan_from_inventory(site.slug, 1)
    since = datetime(2026, 1, 1, tzinfo=UTC)
    found = []
    for machine, planned in zip(machines, plan.machines[-count:], strict=True):
        for part in planned.parts:
            kind = part.slot.split()[0].lower()
            names = ("uuid", "guid")
            component = Component.objects.create(
                site=site,
                kind=kind,
                serial=part.serial,
                part_number=getattr(part, "part_number", ""),
                attributes={name: getattr(part, name) for name in names if getattr(part, name, "")},
            )
            Installation.objects.create(
                component=component, device=machine.device, slot=part.slot, during=DateTimeTZRange(since, None)
            )
        found.append(Twin(machine, SimulatedMachine(planned, first_state(planned, NOW, BOOT.format(1)))))
    return found
