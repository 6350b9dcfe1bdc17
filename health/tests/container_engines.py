"""A real Docker daemon, containerd and registry on loopback, in a folder of their own. Needs root."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

from drivers.tests.ports import free_ports, listens, until

NEEDED = {"containerd": "containerd", "dockerd": "docker.io", "docker-registry": "docker-registry"}
PATH = f"{os.environ['PATH']}:/usr/sbin:/usr/bin"
CONTAINERD = """\
version = 2
root = "{folder}/containerd"
state = "{folder}/containerd-state"
disabled_plugins = ["io.containerd.grpc.v1.cri"]
[grpc]
address = "{folder}/containerd.sock"
"""
REGISTRY = """\
version: 0.1
storage:
  filesystem: {{rootdirectory: {folder}/registry}}
http: {{addr: "127.0.0.1:{port}"}}
"""


class Engines:
    """`registry` is its host and port, as it stands in names of images."""

    def __init__(self, folder: Path, registry: str) -> None:
        self.folder, self.registry = folder, registry
        self.environment = {
            "PATH": PATH, "HOME": str(folder), "DOCKER_HOST": f"unix://{folder}/docker.sock",
            "CONTAINERD_ADDRESS": f"{folder}/containerd.sock",
        }  # fmt: skip

    def run(self, *words: str, told: bytes | None = None) -> str:
        done = subprocess.run(words, env=self.environment, input=told, capture_output=True, timeout=60, check=False)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        return done.stdout.decode()

    def ask(self, command: str) -> subprocess.CompletedProcess[str]:
        """As the probe asks."""
        return subprocess.run(
            ["sh", "-c", f"{command} 2>&1"], env=self.environment, capture_output=True, text=True, timeout=60
        )

    def pushed(self, name: str, content: bytes) -> str:
        """An image of one file, built by Docker and pushed to the registry; its name with the registry."""
        layer = BytesIO()
        with tarfile.open(fileobj=layer, mode="w") as archive:
            member = tarfile.TarInfo("content")
            member.size = len(content)
            archive.addfile(member, BytesIO(content))
        whole = f"{self.registry}/{name}"
        self.run("docker", "import", "-", whole, told=layer.getvalue())
        self.run("docker", "push", whole)
        return whole


@contextmanager
def running_engines(folder: Path) -> Iterator[Engines]:
    for program, package in NEEDED.items():
        assert shutil.which(program, path=PATH), f"no {program}: the tests need the Debian package {package}"
    (port,) = free_ports(1)
    (folder / "containerd.toml").write_text(CONTAINERD.format(folder=folder))
    (folder / "registry.yml").write_text(REGISTRY.format(folder=folder, port=port))
    engines = Engines(folder, f"127.0.0.1:{port}")
    started: list[subprocess.Popen[bytes]] = []
    # The path of a socket has at most 107 letters, and dockerd adds 32: a test's own folder may be too deep.
    short = tempfile.mkdtemp(prefix="d", dir="/tmp")
    try:
        with (folder / "log").open("wb") as log:
            for words in (
                ["containerd", "-c", f"{folder}/containerd.toml"],
                ["docker-registry", "serve", f"{folder}/registry.yml"],
                ["dockerd", "--containerd", f"{folder}/containerd.sock", "-H", f"unix://{folder}/docker.sock",
                 "--iptables=false", "--bridge=none", "--storage-driver=vfs", "--data-root", f"{folder}/docker",
                 "--exec-root", short, "-p", f"{folder}/docker.pid"],
            ):  # fmt: skip
                started.append(subprocess.Popen(words, env=engines.environment, stdout=log, stderr=log))
                if words[0] == "containerd":
                    until((folder / "containerd.sock").exists, 20, "containerd does not start")
        until(lambda: listens(port), 20, "the registry does not start")
        until(lambda: engines.ask("docker version").returncode == 0, 30, "Docker does not start")
        yield engines
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait(30)
        shutil.rmtree(short, ignore_errors=True)
