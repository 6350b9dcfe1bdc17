"""The commands that place and remove images, put to a real Docker, containerd and registry."""

from __future__ import annotations

import asyncio
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from drivers import shell
from drivers.registry.client import Manifest, RegistryClient
from drivers.tests.ports import until
from health.tests.container_engines import Engines, running_engines
from provisioning.images import commands, decisions
from provisioning.images.commands import Image, Seat, image_of
from provisioning.images.decisions import Came, Step, Task, came
from provisioning.waves.policy import MachineState

pytestmark = [pytest.mark.services, pytest.mark.slow]
OK = MachineState.OK


def asked(engines: Engines, task: Task, command: str) -> Came:
    said = engines.ask(command)
    return came(task, said.returncode, said.stdout, "" if not said.returncode else said.stdout)


def gone_through(engines: Engines, image: Image, seat: Seat, action: str = "place") -> Came:
    """The steps as a worker goes them; a pull is a command here, and no job."""
    step: Step | None = "look"
    task = Task(image, seat, action, False, "1.2.3", "look")
    while step is not None:
        task = replace(task, step=step)
        if step == "pull":
            pulled = engines.ask(commands.place(image, seat, task.job))
            assert pulled.returncode == 0, pulled.stdout
            step = "settle"
            continue
        scripts = {
            "look": commands.look(image, seat), "check": commands.look(image, seat),
            "settle": commands.settle(image, seat, task.job) if image.digest else "",
            "remove": commands.remove(image, seat),
        }  # fmt: skip
        found = asked(engines, task, scripts[step])
        step = found.step
    return found


def meaning(engines: Engines, repository: str, tag: str) -> Manifest:
    async def ask() -> Manifest:
        async with RegistryClient(f"http://{engines.registry}") as registry:
            return await registry.manifest(repository, tag)

    return asyncio.run(ask())


def test_the_bytes_that_the_registry_meant_are_placed_and_removed_by_docker_and_containerd(tmp_path: Path) -> None:
    with running_engines(tmp_path) as engines:
        name = engines.pushed("team/torch:25.01", b"first")
        first = image_of(name, meaning(engines, "team/torch", "25.01").digest)
        engines.run("docker", "image", "rm", name)
        engines.pushed("team/torch:25.01", b"moved")
        assert meaning(engines, "team/torch", "25.01").digest != first.digest, "the tag moves before it is pulled"
        engines.run("docker", "image", "rm", name)
        for seat in (Seat("docker"), Seat("containerd", "k8s.io")):
            assert gone_through(engines, first, seat) == Came(state=OK, identity=first.digest), seat
            assert gone_through(engines, first, seat).message == "was there already"
            other = replace(first, digest=f"sha256:{'0' * 64}")
            refused = gone_through(engines, other, seat, "remove")
            assert refused.message == "another image lies there under this name"
            assert gone_through(engines, first, seat, "remove") == Came(state=OK, message="removed")
            assert gone_through(engines, first, seat, "remove").message == "is not there"
            missing = engines.ask(commands.place(other, seat, "1.2.3"))
            assert missing.returncode != 0 and commands.said_in(missing.stdout)

        engines.run("docker", "pull", name)
        container = engines.run("docker", "create", "--name", "train-7", name, "true").strip()
        used = gone_through(engines, image_of(name), Seat("docker"), "remove")
        assert (used.state, used.message) == (MachineState.REFUSED, "in use by container train-7")
        engines.run("docker", "rm", container)
        assert gone_through(engines, image_of(name), Seat("docker"), "remove").message == "removed"
    dead = asked(
        engines, Task(first, Seat("docker"), "place", False, "1.2.3", "look"), commands.look(first, Seat("docker"))
    )
    assert dead.state is MachineState.FAILED and "not known" in dead.message and dead.step is None


def test_a_pull_goes_on_without_us_and_what_it_said_last_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its scripts in a real shell, quoted as for one that root starts; the daemon is one that is not there."""
    monkeypatch.setattr(decisions, "FOLDER", str(tmp_path / "jobs"))
    image = image_of("registry.example/team/torch:1", f"sha256:{'a' * 64}")
    task = Task(image, Seat("docker"), "place", False, "1.2.3", "pull")
    environment = {"PATH": "/usr/bin:/bin", "DOCKER_HOST": f"unix://{tmp_path}/none"}

    def told(step: Step) -> Came:
        of_step = replace(task, step=step)
        command = f"sh -c {shell.literal(decisions.script_of(of_step))}"
        said = subprocess.run(["sh", "-c", command], env=environment, capture_output=True, text=True, timeout=30)
        return came(of_step, said.returncode, said.stdout, said.stderr)

    assert told("pull").begun and told("pull").begun, "a start that is sent again begins nothing"
    until(lambda: told("follow").state is not None, 20, "the pull does not end")
    found = told("follow")
    assert found.state is MachineState.FAILED and found.message.startswith("exit status 1: "), found
    told("stop")
    assert not list((tmp_path / "jobs").iterdir())
