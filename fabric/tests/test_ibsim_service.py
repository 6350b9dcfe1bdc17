"""The service watches a simulated fabric through the real tools while cables are moved, and a work order puts it right.

The source is one of infiniband-diags; its commands run here instead of on a machine over SSH, word for word.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.models import Credential, Site
from core.services import set_credential
from drivers.ssh import Limits, SshResult, SshTarget
from fabric.discovery.services import discoveries, ibdiags, port_reads, spot_checks
from fabric.facts import DeviceRole, PlannedPort
from fabric.models import Discovery, FabricLink, FabricSource, Finding
from fabric.tests import made_texts
from fabric.tests.hall import CABLES, fabric_of, load_site, source_of
from fabric.tests.ibsim import SKIP_SL, IbSim, Socket, socket
from fabric.tests.made import Made
from live.models import Event

pytestmark = [pytest.mark.services, pytest.mark.django_db, pytest.mark.timeout(240)]

TOOLS = ("ibnetdiscover", "iblinkinfo", "ibqueryerrors", "perfquery", "smpquery")


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return load_site(tmp_path, "west")


@pytest.fixture
def fabric(site: Site) -> Made:
    return fabric_of(site)


@pytest.fixture
def sim(fabric: Made, tmp_path: Path) -> Iterator[IbSim]:
    folder = tmp_path / "sim"
    folder.mkdir()
    with IbSim(folder, made_texts.ibsim(fabric)) as running:
        yield running


@pytest.fixture
def source(site: Site, sim: IbSim, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FabricSource:
    """A source whose machine is this computer, with the tools attached to the simulator."""
    folder = tmp_path / "tools"
    folder.mkdir()
    for tool in TOOLS:
        wrapper = folder / tool
        wrapper.write_text(f'#!/bin/sh\nexec ibsim-run /usr/sbin/{tool} {" ".join(SKIP_SL.get(tool, ()))} "$@"\n')
        wrapper.chmod(0o755)
    environment = {**sim.environment, "PATH": f"{folder}:{os.environ['PATH']}"}

    async def run_here(target: SshTarget, script: str, limits: Limits | None = None) -> SshResult:
        began = time.monotonic()
        process = await asyncio.create_subprocess_shell(
            script, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            env=environment, cwd=sim.folder,
        )  # fmt: skip
        out, err = await asyncio.wait_for(process.communicate(), limits.command_timeout_s if limits else 60)
        return SshResult(target, None, process.returncode, out, err, elapsed_s=time.monotonic() - began)

    for module in (ibdiags, port_reads):
        monkeypatch.setattr(module, "run_one", run_here)
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)
    monkeypatch.setattr("core.work.kinds.Progress._beat", lambda self: None)  # it has a connection of its own
    set_credential(
        "fabric",
        kind=Credential.Kind.SSH_KEY,
        username="root",
        secret="not used: nothing is logged in to",
        purpose="ssh",
        hosts=["fabric.example.org"],
    )
    return source_of(
        site, kind="ibdiags", address="fabric.example.org", credential=Credential.objects.get(name="fabric"),
        identity="ssh-ed25519 AAAA", confirm_after_s=0,
    )  # fmt: skip


def discover(source: FabricSource) -> Discovery:
    done = discoveries.run(discoveries.start(source, by="beat").pk)
    assert done is not None and done.status == "done", (done, done and done.problems)
    source.refresh_from_db()
    return done


def socket_of(fabric: Made, end: dict[str, Any]) -> Socket:
    is_switch = fabric.plan.devices[end["device"]].role is DeviceRole.SWITCH
    return socket(fabric.guids[end["device"]], end["port"], switch=is_switch)


class Technician:
    """Does what a step says, with two hands and no more: one cable may hang."""

    def __init__(self, sim: IbSim, fabric: Made) -> None:
        self.sim = sim
        self.fabric = fabric
        self.hanging: Socket | None = None  # where the other end of the cable in hand is
        self.insertions = 0

    def do(self, move: dict[str, Any]) -> None:
        if move["take_from"]:
            other = self.sim.unlink(socket_of(self.fabric, move["take_from"]))
            if not move["put_into"]:
                assert self.hanging is None
                self.hanging = other
                return
        else:
            assert self.hanging is not None
            other, self.hanging = self.hanging, None
        self.sim.link(socket_of(self.fabric, move["put_into"]), other)
        self.insertions += 1


@pytest.mark.slow
def test_swapped_cables_are_found_moved_step_by_step_and_proven_right(
    sim: IbSim, source: FabricSource, fabric: Made
) -> None:
    first = discover(source)
    assert (first.problems, source.state, Finding.objects.count()) == ([], "ok", 0)
    assert FabricLink.objects.filter(state="correct").count() == CABLES

    one, two = fabric.guids["leaf-1"], fabric.guids["leaf-2"]
    sim.swap((f"S-{one}", 1), (f"S-{one}", 2))
    sim.swap((f"S-{two}", 1), (f"S-{two}", 2))
    sim.swap((f"S-{two}", 2), (f"S-{two}", 3))
    discover(source)
    assert set(Finding.objects.values_list("kind", "state")) == {("swapped_pair", "new"), ("cycle", "new")}
    discover(source)
    assert set(Finding.objects.values_list("state", flat=True)) == {"open"}
    assert Event.objects.filter(kind="finding.opened").count() == 2

    technician = Technician(sim, fabric)
    planned = {end: cable for cable in fabric.plan.cables for end in cable.ends}
    for finding in Finding.objects.order_by("moves"):
        for move in finding.detail["moves"]:
            technician.do(move)
            if not move["put_into"]:
                continue
            end = PlannedPort(move["put_into"]["device"], move["put_into"]["port"])
            look = spot_checks.look_at_ports(source, [end])
            cable = planned[end]
            assert (look.problem, look.whole) == ("", ""), "its switch alone was asked"
            assert cable.label == move["cable"]
            assert look.far == {end: cable.b if cable.a == end else cable.a}
        assert technician.hanging is None
    assert technician.insertions == 2 + 3

    discover(source)
    assert set(Finding.objects.values_list("state", flat=True)) == {"closed"}
    assert Event.objects.filter(kind="finding.closed").count() == 2
    assert FabricLink.objects.filter(state="correct").count() == CABLES


def test_a_fabric_that_the_tools_cannot_reach_opens_nothing(sim: IbSim, source: FabricSource) -> None:
    discover(source)
    source.options = {"timeout_s": 2}  # the tools hang when nobody answers them
    source.save()
    sim.stop()
    done = discoveries.run(discoveries.start(source, by="beat").pk)
    source.refresh_from_db()
    assert done is not None and done.status != "done" and source.state in ("empty", "failed", "partial")
    assert Finding.objects.count() == 0
    assert FabricLink.objects.filter(state="correct").count() == CABLES
