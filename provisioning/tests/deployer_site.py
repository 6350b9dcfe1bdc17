"""A site with a deployer (MAAS, Ironic) for tests: what both have in common is the machine's side."""

from __future__ import annotations

from typing import Any

import yaml
from django.utils import timezone

from core.models import Site
from health.models import MachineHealth, Pool
from provisioning.models import LogLine
from provisioning.tests.world import BareMachine, Loop


class DeployerSite:
    """`user_data` is what the machine was deployed with."""

    def __init__(self, loop: Loop, machine: BareMachine, serving: Any) -> None:
        self.loop, self.machine = loop, machine
        self._serving = serving
        loop.run(self._serving.__aenter__())
        self.site = Site.objects.get(pk=machine.row.device.site_id)

    @property
    def user_data(self) -> str:
        raise NotImplementedError

    @property
    def log(self) -> str:
        lines = LogLine.objects.filter(run_machine=self.machine.run_machine)
        return "\n".join(lines.values_list("text", flat=True))

    @property
    def step(self) -> tuple[str, str, str]:
        row = self.machine.run_machine
        return row.status, row.step, row.failure_class

    def idle(self) -> None:
        """Nothing runs on it, and that is known: it was left off, and no scheduler has it."""
        self.machine.bmc.power = "Off"
        model = self.machine.row.device.model
        said = {"no_scheduler": True, "no_scheduler_by": "olga", "no_scheduler_at": timezone.now()}
        pool = Pool.objects.create(site=self.site, role="bare", model=model, **said)
        MachineHealth.objects.filter(pk=self.machine.row.pk).update(pool=pool)

    def given(self) -> dict[str, Any]:
        """The cloud-init data that the machine was deployed with."""
        assert self.user_data.startswith("#cloud-config\n")
        told: dict[str, Any] = yaml.safe_load(self.user_data)
        return told

    def phones_home(self) -> int:
        """The installed system starts: it answers SSH with the key it was given, and reports."""
        given = self.given()
        self.machine.answer_ssh(given["ssh_keys"]["ed25519_private"])
        path = "/boot/" + given["phone_home"]["url"].partition("/boot/")[2]
        posted = {"pub_key_ed25519": given["ssh_keys"]["ed25519_public"], "hostname": given["hostname"]}
        return int(self.machine.client.post(path, posted).status_code)

    def close(self) -> None:
        self.loop.run(self._serving.__aexit__(None, None, None))
