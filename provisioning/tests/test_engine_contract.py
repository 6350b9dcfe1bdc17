"""The one contract of all engines (`engines.contract`), each against the same BMC, its servers, and what goes wrong.

An engine that is added comes with a line in `World.job`; the promises stay these.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
import pytest_asyncio
from aiohttp import web

from access.queries import BmcTarget
from core.outgoing.gate import Gate
from drivers.maas.states import Status
from drivers.tests.bmc import FakeBmc, self_signed
from drivers.tests.bmc import serving as serving_bmc
from drivers.tests.certificates import self_signed as self_signed_for_address
from drivers.tests.ironic_server import PASSWORD as IRONIC_PASSWORD
from drivers.tests.ironic_server import USER, IronicServer
from drivers.tests.ironic_server import serving as serving_ironic
from drivers.tests.maas_region import KEY, MaasRegion
from drivers.tests.maas_region import serving as serving_maas
from drivers.tests.ports import free_ports
from health.machines.lifecycle import State
from provisioning.engines import DEPLOYERS, ENGINES, Engine, deployer, redfish
from provisioning.engines.contract import Again, Broken, Finished, Job, Looked
from provisioning.ironic.queries import IronicTarget
from provisioning.maas.queries import MaasTarget
from provisioning.steps import HEARD_STEPS, TO_SERVICE, FailureClass, StepName

SERIAL, MAC = "ABC1234", "02:00:00:00:00:01"
PASSWORD = "secret"  # of the stand-in; the secrets of MAAS and Ironic end in it too
UUID_1 = UUID("4c4c4544-0042-4310-8031-b4c04f4e3532")
TIMEOUT_S = 0.4

engines = pytest.mark.parametrize("engine", list(ENGINES.values()), ids=list(ENGINES))
performed = pytest.mark.parametrize(
    ("engine", "step"),
    [pytest.param(each, step, id=f"{slug}-{step}") for slug, each in ENGINES.items() for step in sorted(each.performs)],
)


def at_deployer(engine: Engine, step: StepName) -> bool:
    """Whether it is MAAS or Ironic that is asked at this step, and not the BMC."""
    return engine.slug in DEPLOYERS and step is not StepName.IDENTITY


class World:
    """A BMC, a MAAS and an Ironic that may be told to misbehave, and jobs that lead to them."""

    def __init__(self, bmc: FakeBmc, bmc_port: int, region: MaasRegion, ironic: IronicServer) -> None:
        self.bmc, self.region, self.ironic = bmc, region, ironic
        gate = Gate(local=True)
        target = BmcTarget(1, "gpu-1", "127.0.0.1", bmc_port, "root", PASSWORD, None, gate)
        self.install_data = 0
        self._job = Job(1, "gpu-1", SERIAL, UUID_1, MAC, target, install_data=self._data, boot_medium=self._medium)
        self.deployers: dict[str, Any] = {
            "maas": MaasTarget(1, region.url, KEY, region.certificate, gate, enlists=True),
            "ironic": IronicTarget(
                1, ironic.url, USER, IRONIC_PASSWORD, ironic.certificate, gate, image="http://10.0.0.1/a.qcow2",
                enrolls=True,
            ),
        }  # fmt: skip
        assert set(self.deployers) == set(DEPLOYERS)

    async def _medium(self) -> str:
        return "http://10.0.0.1/boot/media/0123456789abcdef0123/rackside.iso"

    async def _data(self) -> str:
        self.install_data += 1
        return f"#cloud-config\nn: {self.install_data}\n"

    def job(self, engine: Engine) -> Job:
        return replace(self._job, deployer=self.deployers.get(engine.slug))

    def known(self, engine: Engine) -> Job:
        """As it is once the deployer's record of the machine is known."""
        target: Any = self.deployers.get(engine.slug)
        if engine.slug == "maas":
            record = next(iter(self.region.records.values()), None)
            record = record or self.region.add("gpu-1", MAC, status=Status.READY)
            target = replace(target, system_id=record.system_id, hostname=record.hostname)
        if engine.slug == "ironic":
            node = next(iter(self.ironic.nodes.values()), None) or self.ironic.add("gpu-1", MAC, state="available")
            target = replace(target, uuid=node.uuid, name=node.name)
        return replace(self._job, deployer=target)

    def elsewhere(self, job: Job, port: int, **fields: Any) -> Job:
        """What is asked is at another port."""
        job = replace(job, bmc=replace(job.bmc, port=port))
        if job.deployer is None:
            return job
        path = "/MAAS" if isinstance(job.deployer, MaasTarget) else ""
        return replace(job, deployer=replace(job.deployer, url=f"https://127.0.0.1:{port}{path}", **fields))

    def mute(self) -> None:
        self.bmc.slow_s, self.region.silent, self.ironic.silent = 30, True, True

    def speak(self) -> None:
        self.bmc.slow_s, self.region.silent, self.ironic.silent = 0, False, False

    @property
    def written(self) -> list[Any]:
        sent = [(method, path) for method, path, _ in self.bmc.requests if method != "GET" and "Sessions" not in path]
        return [*sent, *self.region.orders, *self.ironic.orders]


@pytest_asyncio.fixture
async def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[World]:
    monkeypatch.setattr(redfish, "REQUEST_TIMEOUT_S", TIMEOUT_S)
    monkeypatch.setattr(deployer, "REQUEST_TIMEOUT_S", TIMEOUT_S)
    bmc, region = FakeBmc(serial=SERIAL, uuid=str(UUID_1), mac=MAC, power="On", media={"CD": ""}), MaasRegion()
    ironic = IronicServer()
    ironic.hardware = {"system_vendor": {"serial_number": SERIAL, "system_uuid": str(UUID_1)}, "cpu": {"count": 8},
                       "interfaces": [{"mac_address": MAC}]}  # fmt: skip
    region.hardware = {"serial": SERIAL, "uuid": str(UUID_1), "cpus": 8, "memory_mib": 1024}
    async with AsyncExitStack() as stack:
        port = await stack.enter_async_context(serving_bmc(bmc, self_signed(tmp_path)[0]))
        await stack.enter_async_context(serving_maas(region, self_signed_for_address(tmp_path / "maas.pem")))
        await stack.enter_async_context(serving_ironic(ironic, self_signed_for_address(tmp_path / "ironic.pem")))
        yield World(bmc, port, region, ironic)


async def look(engine: Engine, step: StepName, job: Job) -> Looked:
    """A look that raises breaks the contract; one that takes longer than its host was given does too."""
    async with asyncio.timeout(TIMEOUT_S * 8):
        looked = await engine.perform(step, job)
    assert looked.outcome.detail and PASSWORD not in looked.outcome.detail
    return looked


# ---- what it declares ----


@engines
def test_an_engine_performs_steps_of_its_way_and_leaves_no_step_to_nobody(engine: Engine) -> None:
    assert engine.performs <= set(engine.way.steps)
    assert set(engine.way.steps) - engine.performs <= {*HEARD_STEPS, *TO_SERVICE}
    assert engine.way.steps[0] is StepName.IDENTITY and engine.way.steps[-3:] == TO_SERVICE
    assert ENGINES[engine.slug] is engine and engine.title


@engines
def test_an_engine_refuses_a_state_with_a_reason_or_takes_it(engine: Engine) -> None:
    assert all(isinstance(engine.refuses(state), str) for state in State) and engine.refuses(State.NEW) == ""


# ---- who it is ----


@pytest.mark.asyncio
@engines
async def test_the_right_machine_is_identified_twice_and_nothing_is_written(engine: Engine, world: World) -> None:
    for _ in range(2):
        looked = await look(engine, StepName.IDENTITY, world.job(engine))
        assert isinstance(looked.outcome, Finished)
        assert looked.met_bmc is not None and looked.met_bmc.fingerprint
    assert world.written == []


@pytest.mark.asyncio
@engines
@pytest.mark.parametrize("wrong", [{"serial": "OTHER1"}, {"uuid": "00000000-0000-0000-0000-000000000001"}])
async def test_another_machine_is_broken_as_wrong_identity(engine: Engine, world: World, wrong: dict[str, str]) -> None:
    for name, value in wrong.items():
        setattr(world.bmc, name, value)
    outcome = (await look(engine, StepName.IDENTITY, world.job(engine))).outcome
    assert isinstance(outcome, Broken) and outcome.failure is FailureClass.WRONG_IDENTITY
    assert world.written == []


@pytest.mark.asyncio
@performed
async def test_a_changed_certificate_gets_no_password_and_ends_the_step(
    engine: Engine, step: StepName, world: World, tmp_path: Path
) -> None:
    job = world.known(engine)
    if at_deployer(engine, step):  # verified by its authority, which is another one now
        other = self_signed_for_address(tmp_path / "other.pem").read_text()
        job = replace(job, deployer=replace(job.deployer, authorities=other[other.index("-----BEGIN CERT") :]))
        outcome = (await look(engine, step, job)).outcome
        assert isinstance(outcome, Again) and "certificate" in outcome.detail
        assert world.region.requests == [] and world.ironic.requests == []
        return
    looked = await look(engine, step, replace(job, bmc=replace(job.bmc, pinned=b"x" * 32)))
    assert isinstance(looked.outcome, Broken) and looked.outcome.failure is FailureClass.NO_BMC
    assert looked.met_bmc is not None and looked.met_bmc.changed_to and world.bmc.requests == []


@pytest.mark.asyncio
@performed
async def test_a_wrong_password_ends_the_step_and_is_not_repeated(engine: Engine, step: StepName, world: World) -> None:
    job = world.known(engine)
    job = replace(job, bmc=replace(job.bmc, password="wrong-staple"))
    if job.deployer is not None:
        secret = {"maas": {"api_key": "a:b:wrongstaple"}, "ironic": {"password": "wrong-staple"}}[engine.slug]
        job = replace(job, deployer=replace(job.deployer, **secret))
    outcome = (await look(engine, step, job)).outcome
    expected = FailureClass.NO_ENGINE if at_deployer(engine, step) else FailureClass.BMC_REFUSES
    assert isinstance(outcome, Broken) and outcome.failure is expected
    assert "staple" not in outcome.detail and world.written == []


# ---- who does not answer ----


@pytest.mark.slow
@pytest.mark.asyncio
@performed
async def test_a_silent_host_is_no_success_and_is_told_apart(engine: Engine, step: StepName, world: World) -> None:
    job = world.known(engine)
    world.mute()
    looked = await look(engine, step, job)
    assert isinstance(looked.outcome, Again) and looked.silent


@pytest.mark.asyncio
@performed
async def test_a_closed_port_is_no_success_and_not_silent(engine: Engine, step: StepName, world: World) -> None:
    (port,) = free_ports(1)
    looked = await look(engine, step, world.elsewhere(world.known(engine), port))
    assert isinstance(looked.outcome, Again) and not looked.silent


@pytest.mark.slow
@pytest.mark.asyncio
@performed
@pytest.mark.parametrize(
    ("status", "text"), [(200, "<html>Sign in</html>"), (200, "[]"), (200, '{"x": '), (200, "{}"), (500, "oops")]
)
async def test_an_answer_that_is_none_is_no_success(
    engine: Engine, step: StepName, world: World, tmp_path: Path, status: int, text: str
) -> None:
    async def answer(request: web.Request) -> web.Response:
        return web.Response(status=status, text=text, content_type="application/json")

    job = world.known(engine)
    strange = MaasRegion()
    strange.app = lambda: _app(answer)  # type: ignore[method-assign]
    async with serving_maas(strange, self_signed_for_address(tmp_path / "strange.pem")) as port:
        outcome = (await look(engine, step, world.elsewhere(job, port, authorities=strange.certificate))).outcome
    if step is StepName.MAAS_RECORD and text == "[]":
        assert not isinstance(outcome, Finished), "an empty list is an answer: no record, and then none is made"
    else:
        assert isinstance(outcome, Again | Broken)


def _app(handler: Any) -> web.Application:
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handler)
    return app


# ---- cut off, and twice ----


@pytest.mark.slow
@pytest.mark.asyncio
@performed
async def test_a_look_cancelled_in_the_middle_leaves_nothing_behind_and_the_next_one_goes_on(
    engine: Engine, step: StepName, world: World
) -> None:
    job = world.known(engine)
    before = asyncio.all_tasks()
    world.mute()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await engine.perform(step, job)
    world.speak()
    await asyncio.sleep(0.05)
    ours = {task for task in asyncio.all_tasks() - before if "provisioning" in repr(task.get_coro())}
    assert not ours
    assert not isinstance((await look(engine, step, job)).outcome, Broken)


@pytest.mark.asyncio
@engines
async def test_every_look_twice_leads_where_every_look_once_does(engine: Engine, world: World) -> None:
    """Two workers, or one that was lost after its order and before it was written down."""
    job = world.job(engine)
    for step in engine.way.steps:
        if step not in engine.performs:
            continue
        job = await walked(engine, step, replace(job, data={}))
    if engine.slug == "maas":
        assert world.region.orders == {"enlist": 1, "commission": 1, "allocate": 1, "deploy": 1}
    if engine.slug == "ironic":
        orders = {"enroll": 1, "port": 1, "manage": 1, "inspect": 1, "provide": 1, "active": 1, "set instance_info": 1}
        assert world.ironic.orders == orders
        assert world.ironic.of("gpu-1").user_data == "#cloud-config\nn: 1\n"
    if engine.slug in DEPLOYERS:
        assert world.install_data == 1, "a second one would kill the token of the first"
    if StepName.POWER_ON in engine.performs:
        assert world.bmc.power == "On" and "ForceOff" in world.bmc.orders


async def walked(engine: Engine, step: StepName, job: Job) -> Job:
    for _ in range(30):
        first = await look(engine, step, job)
        second = await look(engine, step, job)
        for looked in (first, second):
            assert not isinstance(looked.outcome, Broken), looked.outcome
            if looked.met_record is not None:
                job = replace(job, deployer=told(job.deployer, looked.met_record))
            if isinstance(looked.outcome, Finished):
                return job
            if isinstance(looked.outcome, Again) and looked.outcome.data is not None:
                job = replace(job, data=looked.outcome.data)
    raise AssertionError(f"{engine.slug} never ends {step}: {first.outcome}")


def told(target: Any, met: Any) -> Any:
    """The target with the record of it that was met, as the next claim has it."""
    if isinstance(target, MaasTarget):
        return replace(target, system_id=met.system_id, hostname=met.hostname)
    return replace(target, uuid=met.uuid, name=met.name)
