"""Real OpenSSH servers on loopback, one a machine, in one folder. All of them are this computer, logged in to as who
runs the tests; a role of the tests writes into the machine's own folder (`rackside_home`)."""

from __future__ import annotations

import getpass
import shutil
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Self

import asyncssh

from drivers.tests.ports import free_ports, listens, until
from provisioning.software.plays.hosts import Host


class Servers:
    def __init__(self, folder: Path, count: int) -> None:
        self.folder, self.ports = folder, free_ports(count)
        self.key = asyncssh.generate_private_key("ssh-ed25519")
        self.processes: list[subprocess.Popen[bytes]] = []

    @property
    def secret(self) -> str:
        return self.key.export_private_key().decode()

    def known_host(self, number: int) -> str:
        return " ".join((self.folder / f"host{number}.pub").read_text().split()[:2])

    def home(self, number: int) -> Path:
        """Where the roles of the tests write on this machine."""
        return self.folder / f"machine{number}"

    def host(self, number: int, **changes: object) -> Host:
        fields: dict[str, object] = {
            "machine_id": number, "name": f"gpu-{number:03}", "address": "127.0.0.1", "port": self.ports[number],
            "username": getpass.getuser(), "known_host": self.known_host(number), "key": self.secret,
            "variables": {"machine": f"gpu-{number:03}", "home": str(self.home(number))},
        }  # fmt: skip
        return Host(**(fields | changes))  # type: ignore[arg-type]

    def __enter__(self) -> Self:
        binary = shutil.which("sshd", path="/usr/sbin:/usr/bin")
        assert binary, "openssh-server is needed for this test"
        Path("/run/sshd").mkdir(exist_ok=True)
        (self.folder / "authorized").write_text(self.key.export_public_key().decode())
        for number, port in enumerate(self.ports):
            self.home(number).mkdir()
            host = self.folder / f"host{number}"
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", host], check=True)
            (self.folder / f"sshd{number}").write_text(
                f"Port {port}\nListenAddress 127.0.0.1\nHostKey {host}\nAuthorizedKeysFile {self.folder}/authorized\n"
                f"PidFile {self.folder}/pid{number}\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n"
            )
            command = [binary, "-D", "-e", "-f", str(self.folder / f"sshd{number}")]
            self.processes.append(subprocess.Popen(command, stderr=subprocess.DEVNULL))
        for port in self.ports:
            until(lambda port=port: listens(port), 10, "sshd does not listen")  # type: ignore[misc]
        return self

    def stop(self, number: int) -> None:
        self.processes[number].kill()
        self.processes[number].wait(10)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self.processes:
            process.kill()
            process.wait(10)
