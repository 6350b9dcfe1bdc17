"""One contract, both ways to Slurm (slurmrestd with scontrol for writes; scontrol over SSH), against a real one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from aiohttp import web

from drivers.scheduler import Job, MachineState, Outcome, Scheduler, SchedulerError, UnknownMachine
from drivers.slurm.commands import LocalShell, SlurmCommands, SshShell
from drivers.slurm.rest import SlurmRest
from drivers.tests.ports import free_ports, until
from drivers.tests.slurm import CPUS, GPUS, MEMORY_MB, PrivateSlurm

pytestmark = pytest.mark.services
NAMES = ["gpu001", "gpu002", "gpu003", "gpu004"]
Make = Callable[[], Scheduler]


@pytest.fixture(scope="module")
def slurm() -> Iterator[PrivateSlurm]:
    with PrivateSlurm(NAMES) as running:
        running.target = running.start_sshd()  # type: ignore[attr-defined]
        yield running


# The commands are the same here as over SSH; that they run here without a shell is tried in test_slurm_local.
@pytest.fixture(params=["rest", "ssh", pytest.param("local", marks=pytest.mark.slow)])
def scheduler(request: pytest.FixtureRequest, slurm: PrivateSlurm) -> Scheduler:
    over_ssh = SlurmCommands(SshShell(slurm.target))  # type: ignore[attr-defined]
    ways: dict[str, Make] = {
        "rest": lambda: SlurmRest(slurm.url, "root", slurm.key_text, writer=over_ssh),
        "ssh": lambda: over_ssh,
        "local": lambda: SlurmCommands(LocalShell(environment=slurm.environment)),
    }
    for name in NAMES:  # as if nothing had been done before
        if slurm.state(name).startswith("dra"):
            slurm.scontrol("update", f"NodeName={name}", "State=RESUME")
    return ways[request.param]()


def resumed(scheduler: Scheduler, name: str, ours: str) -> Outcome:
    """Asked again while slurmd does not answer slurmctld, as the service does: on a busy machine it is late."""
    deadline = time.monotonic() + 30
    while (outcome := asyncio.run(scheduler.resume(name, ours=ours))) is Outcome.SILENT:
        assert time.monotonic() < deadline, f"{name} stays silent"
        time.sleep(0.5)
    return outcome


def test_all_machines_are_read_with_what_is_in_them(scheduler: Scheduler) -> None:
    view = asyncio.run(scheduler.read())
    assert view is not None and sorted(view.machines) == NAMES
    facts = view.machines["gpu001"]
    assert (facts.cpus, facts.memory_mb, facts.gpus) == (CPUS, MEMORY_MB, GPUS)
    assert facts.state is MachineState.IDLE and facts.answers and not facts.closed and facts.jobs == 0


def test_a_drain_carries_its_reason_and_says_who_and_when(scheduler: Scheduler) -> None:
    began = int(time.time())
    reason = 'rackside: incident 12: GPU 5 it\'s "gone" $HOME | [x]'
    assert asyncio.run(scheduler.drain("gpu001", reason)) is Outcome.DONE
    facts = asyncio.run(scheduler.machine("gpu001"))
    assert facts.drained and facts.state is MachineState.DRAINED and facts.is_ours
    assert facts.reason == "rackside: incident 12: GPU 5 it s gone HOME [x]" and facts.reason_by == "root"
    assert facts.reason_at is not None and began - 2 <= facts.reason_at <= time.time() + 2
    assert asyncio.run(scheduler.drain("gpu001", reason)) is Outcome.ALREADY
    assert asyncio.run(scheduler.drain("gpu001", "incident 13", ours=facts.reason)) is Outcome.DONE
    assert resumed(scheduler, "gpu001", "rackside: incident 13") is Outcome.DONE
    assert resumed(scheduler, "gpu001", "rackside: incident 13") is Outcome.ALREADY
    assert asyncio.run(scheduler.machine("gpu001")).state is MachineState.IDLE


def test_a_machine_with_a_job_drains_until_the_job_ends(scheduler: Scheduler, slurm: PrivateSlurm) -> None:
    job = slurm.run_job("gpu002")
    asyncio.run(scheduler.drain("gpu002", "x"))
    facts = asyncio.run(scheduler.machine("gpu002"))
    assert facts.closed and not facts.drained and facts.jobs == 1 and facts.state is MachineState.ALLOCATED
    view = asyncio.run(scheduler.read())
    assert view is not None and [each.machines for each in view.jobs if each.running] == [frozenset({"gpu002"})]
    slurm.cancel(job)
    until(lambda: asyncio.run(scheduler.machine("gpu002")).drained, 20, "not drained after its job")
    until(lambda: asyncio.run(scheduler.machine("gpu002")).answers, 20, "the machine stays silent")
    assert asyncio.run(scheduler.resume("gpu002", ours="rackside: x")) is Outcome.DONE


def test_a_job_tells_when_it_ran_where_and_how_it_ended(scheduler: Scheduler, slurm: PrivateSlurm) -> None:
    began = int(time.time())
    failing = slurm.submit("exit 3", "-w", "gpu003")
    killed = slurm.submit("kill -9 $$", "-w", "gpu003")
    good = slurm.submit("true", "-N", "2", "-w", "gpu003,gpu004")
    waiting = slurm.submit("true", "--hold")

    def jobs() -> dict[str, Job]:
        view = asyncio.run(scheduler.read())
        assert view is not None
        return {each.id: each for each in view.jobs}

    until(lambda: all(jobs()[each].ended for each in (failing, killed, good)), 30, "the jobs do not end")
    found = jobs()
    assert {found[each].machines for each in (failing, killed)} == {frozenset({"gpu003"})}
    assert found[good].machines == {"gpu003", "gpu004"} and found[good].partition == "main"
    ends = [(found[each].state, found[each].exit_status, found[each].signal) for each in (failing, killed, good)]
    assert ends == [("failed", 3, None), ("failed", 0, 9), ("completed", 0, None)]
    for job in (failing, killed, good):
        started, ended = found[job].started, found[job].ended
        assert started is not None and ended is not None and began - 2 <= started <= ended <= time.time() + 2
    assert found[failing].why == "NonZeroExitCode" and found[good].why == ""
    assert (found[waiting].state, found[waiting].machines, found[waiting].started) == ("pending", frozenset(), None)
    slurm.cancel(waiting)


def test_a_drain_of_an_administrator_is_neither_overwritten_nor_resumed(
    scheduler: Scheduler, slurm: PrivateSlurm
) -> None:
    slurm.scontrol("update", "NodeName=gpu003", "State=DRAIN", "Reason=bob: new riser")
    assert asyncio.run(scheduler.drain("gpu003", "x")) is Outcome.THEIRS
    assert asyncio.run(scheduler.resume("gpu003", ours="rackside: x")) is Outcome.THEIRS
    assert slurm.state("gpu003").startswith("drained") and slurm.reason("gpu003") == "bob: new riser"


def test_an_edit_of_our_reason_is_a_decision_of_somebody_else(scheduler: Scheduler, slurm: PrivateSlurm) -> None:
    asyncio.run(scheduler.drain("gpu003", "x"))
    slurm.scontrol("update", "NodeName=gpu003", "State=DRAIN", "Reason=rackside: x, keep it, Bob")
    assert asyncio.run(scheduler.resume("gpu003", ours="rackside: x")) is Outcome.THEIRS
    assert slurm.state("gpu003").startswith("drained")


def test_a_reservation_of_others_is_seen_on_its_machine_alone(scheduler: Scheduler, slurm: PrivateSlurm) -> None:
    slurm.scontrol("create", "reservation", "ReservationName=exam", "starttime=now", "duration=60", "user=root",
                   "flags=maint,ignore_jobs", "nodes=gpu004")  # fmt: skip
    try:
        view = asyncio.run(scheduler.read())
        assert view is not None
        held = [name for name, facts in view.machines.items() if facts.reserved_by_others(time.time())]
        assert held == ["gpu004"]
    finally:
        slurm.scontrol("delete", "ReservationName=exam")


def test_a_machine_that_slurm_does_not_know_is_told_apart_from_silence(scheduler: Scheduler) -> None:
    with pytest.raises(UnknownMachine):
        asyncio.run(scheduler.machine("gpu999"))
    with pytest.raises(SchedulerError):
        asyncio.run(scheduler.drain("gpu[001-004]", "x"))


def test_nothing_changed_costs_one_short_question_and_a_change_is_never_missed(slurm: PrivateSlurm) -> None:
    rest = SlurmRest(slurm.url, "root", slurm.key_text)

    def quiet() -> int | None:
        """A time since which nothing changed; a new cluster still writes for a moment."""
        view = asyncio.run(rest.read())
        assert view is not None
        return view.since if asyncio.run(rest.read(view.since)) is None else None

    found: list[int] = []

    def wait() -> bool:
        since = quiet()
        found.extend([since] if since else [])
        return bool(found)

    until(wait, 30, "Slurm never says that nothing changed")
    slurm.scontrol("update", "NodeName=gpu001", "State=DRAIN", "Reason=bob")
    view = asyncio.run(rest.read(found[0]))
    assert view is not None and view.machines["gpu001"].closed
    slurm.scontrol("update", "NodeName=gpu001", "State=RESUME")


@pytest.mark.parametrize("secret", ["a.b.c", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="], ids=["token", "key"])
def test_a_refused_token_is_an_error_and_not_an_empty_cluster(slurm: PrivateSlurm, secret: str) -> None:
    with pytest.raises(SchedulerError):
        asyncio.run(SlurmRest(slurm.url, "root", secret, version="v0.0.38").read())


def test_a_rest_service_without_writes_and_without_a_writer_says_so(slurm: PrivateSlurm) -> None:
    rest = SlurmRest(slurm.url, "root", slurm.key_text)
    with pytest.raises(SchedulerError, match="takes no writes"):
        asyncio.run(rest.drain("gpu001", "x"))
    assert rest.version == "v0.0.38" and rest.can_write is False


def test_another_host_key_is_refused_before_anything_is_sent(slurm: PrivateSlurm) -> None:
    other = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJl8xSxVCrUAzHiNMSYzcGwZ6dpPPHmTSzR5dn3gN1BZ"
    shell = SshShell(replace(slurm.target, known_host=other))  # type: ignore[attr-defined]
    with pytest.raises(SchedulerError, match="host key"):
        asyncio.run(SlurmCommands(shell).read())


@pytest.mark.asyncio
async def test_a_version_that_takes_writes_is_written_over_rest() -> None:
    """Slurm 23.02 and later, as their OpenAPI describes it; the state is read again right before each write."""
    posted: list[object] = []
    described: list[str] = []
    machine = {"name": "gpu001", "state": ["IDLE"], "reason": "", "partitions": ["main"]}

    async def answer(request: web.Request) -> web.Response:
        assert request.headers["X-SLURM-USER-NAME"] == "slurm"
        if request.path == "/openapi/v3":
            described.append(request.path)
            path = "/slurm/v0.0.40/node/{node_name}"
            return web.json_response({"paths": {path: {"get": {}, "post": {}}, "/slurm/v0.0.40/nodes/": {"get": {}}}})
        if request.method == "POST":
            body = await request.json()
            posted.append((request.path, body))
            closed = body["state"] == ["DRAIN"]
            machine.update(state=["IDLE", "DRAIN"] if closed else ["IDLE"], reason=body.get("reason", ""))
            return web.json_response({"errors": [], "warnings": []})
        return web.json_response({"errors": [], "nodes": [machine]})

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    (port,) = free_ports(1)
    await web.TCPSite(runner, "127.0.0.1", port).start()
    try:
        rest = SlurmRest(f"http://127.0.0.1:{port}", "slurm", "a.b.c")
        assert await rest.drain("gpu001", "incident 3") is Outcome.DONE
        assert await rest.resume("gpu001", ours="rackside: other") is Outcome.THEIRS
        assert await rest.resume("gpu001", ours="rackside: incident 3") is Outcome.DONE
        assert await rest.past(3600) is None, "no part for the accounting is described"
        assert len(described) == 1, "half a megabyte is asked for once"
    finally:
        await runner.cleanup()
    path = "/slurm/v0.0.40/node/gpu001"
    reason = "rackside: incident 3"
    assert posted == [(path, {"state": ["DRAIN"], "reason": reason}), (path, {"state": ["RESUME"]})]
