"""A bare machine for tests: a real Redfish server, a real SSH server, and what the machine itself asks over HTTP."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable, Coroutine
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import asyncssh
import yaml
from django.db import transaction
from django.test import Client
from django.utils import timezone

from access.models import Endpoint
from access.tests.fleet import make_credentials, make_machine
from drivers.tests.bmc import FakeBmc, self_signed, serving
from health.models import MachineHealth, Verification
from inventory.models import Machine
from live import events
from provisioning import services
from provisioning.models import Run, RunMachine
from provisioning.services import queue

T = TypeVar("T")
OUR_KEY = asyncssh.generate_private_key("ssh-ed25519").export_private_key().decode()


class Loop:
    """An event loop in a thread of its own, for servers that run beside synchronous tests."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(20)

    def stop(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(5)
        self.loop.close()


class Pump:
    """Stands in for the broker: keeps what is enqueued and runs it when told, soonest first."""

    def __init__(self, monkeypatch: Any) -> None:
        self.waiting: list[Callable[[], Any]] = []
        monkeypatch.setattr(queue, "enqueue_look", self.look)
        monkeypatch.setattr(queue, "enqueue_fill", self.fill)

    def look(self, wait_s: float = 0, *, slow: bool = False, early: tuple[int, ...] = ()) -> None:
        self.waiting.append(partial(self._look, timezone.now() + timedelta(seconds=wait_s), slow, early))

    def fill(self) -> None:
        self.waiting.append(services.fill)

    def run(self, most: int = 50) -> None:
        """Run what is queued, and what that queues, as if every wait were over."""
        for _ in range(most):
            if not self.waiting:
                return
            self.waiting.pop(0)()

    def _look(self, until: datetime, slow: bool, early: tuple[int, ...]) -> None:
        """As if it were `until`: what is due then is due now."""
        RunMachine.objects.filter(lease=None, status="running", next_at__lte=until).update(next_at=None)
        services.look(slow=slow, early=early)


class BareMachine:
    """One machine with its BMC served over TLS; `boot` plays its side up to the phone-home."""

    def __init__(self, loop: Loop, folder: Path, name: str = "gpu-001") -> None:
        make_credentials(OUR_KEY)
        self.loop = loop
        number = Machine.objects.count() + 1
        self.row: Machine = make_machine(name, primary_ip=f"10.9.1.{number}", bmc_ip=f"10.9.2.{number}")
        MachineHealth.objects.create(machine=self.row)
        self.bmc = FakeBmc(
            serial=self.row.device.serial, uuid=str(self.row.system_uuid), mac=self.row.boot_mac, power="On"
        )
        pem, _ = self_signed(folder, name)
        self.serving = serving(self.bmc, pem)
        port = loop.run(self.serving.__aenter__())
        Endpoint.objects.create(machine=self.row, kind="redfish", address="127.0.0.1", port=port)
        self.endpoint = Endpoint.objects.create(machine=self.row, kind="ssh", address="127.0.0.1", port=1)
        self.ssh: asyncssh.SSHAcceptor | None = None
        self.client = Client()

    @property
    def state(self) -> str:
        return str(MachineHealth.objects.get(pk=self.row.pk).state)

    @property
    def run_machine(self) -> RunMachine:
        return RunMachine.objects.filter(machine=self.row).latest("pk")

    def get(self, path: str) -> Any:
        return self.client.get(path)

    def ask_for_script(self, query: str = "") -> Any:
        return self.get(f"/boot/{self.row.boot_mac.replace(':', '-')}{query}")

    def seed(self) -> str:
        """The path of its data, from the boot script it asks for."""
        script = self.ask_for_script(f"?serial={self.row.device.serial}").content.decode()
        found = re.search(r"ds=nocloud-net;s=\S+?(/boot/\S+)", script)
        assert found, script
        return found[1]

    def boot(self, *, host_key: str | None = None) -> None:
        """Ask, install, answer SSH with the key that was given (or another one), phone home."""
        seed = self.seed()
        assert b"instance-id" in self.get(f"{seed}meta-data").content
        install = yaml.safe_load(self.get(f"{seed}user-data").content)["autoinstall"]
        given = install["user-data"]
        self.answer_ssh(host_key or given["ssh_keys"]["ed25519_private"])
        posted = {"pub_key_ed25519": given["ssh_keys"]["ed25519_public"], "hostname": given["hostname"]}
        answer = self.client.post(f"{seed}phone-home", posted)
        assert answer.status_code == 200, answer.content

    def answer_ssh(self, host_key: str) -> None:
        class Server(asyncssh.SSHServer):
            def begin_auth(self, username: str) -> bool:
                return False

        async def serve() -> asyncssh.SSHAcceptor:
            return await asyncssh.create_server(
                Server,
                "127.0.0.1",
                0,
                server_host_keys=[asyncssh.import_private_key(host_key)],
                process_factory=lambda process: process.exit(0),
            )

        self.ssh = self.loop.run(serve())
        self.endpoint.port = self.ssh.get_port()
        self.endpoint.save()

    def finish_checks(self, *, passed: bool) -> None:
        """Play the verification that the run asked for."""
        verification = Verification.objects.get(pk=self.run_machine.verification_id)
        status = Verification.Status.PASSED if passed else Verification.Status.FAILED
        Verification.objects.filter(pk=verification.pk).update(
            status=status, reason="" if passed else "gpu.count of machine: 7 of 8 GPUs"
        )
        with transaction.atomic():
            events.emit(
                "verification.finished",
                site_id=self.row.device.site_id,
                subject=f"verification:{verification.pk}",
                data={"verification": verification.pk, "passed": passed, "owner": verification.owner},
            )

    def close(self) -> None:
        if self.ssh is not None:
            self.ssh.close()
        self.loop.run(self.serving.__aexit__(None, None, None))


def start_run(*machines: BareMachine | Machine, limit: int = 8, engine: str = "redfish") -> Run:
    ids = [each.row.pk if isinstance(each, BareMachine) else each.pk for each in machines]
    return services.create_run(ids, actor="olga", name="test", limit=limit, engine=engine)


def bare(name: str, state: str = "new", **fields: Any) -> Machine:
    """A machine that nothing answers for."""
    machine = make_machine(name, **fields)
    MachineHealth.objects.create(machine=machine, state=state)
    return machine
