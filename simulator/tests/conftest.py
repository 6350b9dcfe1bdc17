"""A hall of a few machines on a slice of its own, with a key that may log in."""

from __future__ import annotations

import base64
import os
import shutil
import ssl
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import aiohttp
import asyncssh
import pytest
import pytest_asyncio

from simulator.hall import Hall, Timing
from simulator.plan import HallPlan, MachinePlan, sample_plan
from simulator.state import Machine, first_state

RECORDED = Path(__file__).parent / "recorded"
NOW = 1_800_000_000.0
FAST = Timing(boot_s=0.15, post_s=0.02, install_s=0.05, update_s=0.2)
PASSWORD = "calvin"


def free_slice() -> int:
    """A slice no other test process uses."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    return 180 + worker % 60


@pytest.fixture(scope="session")
def one_plan() -> MachinePlan:
    return sample_plan(2).machines[1]


@pytest.fixture
def machine(one_plan: MachinePlan) -> Machine:
    """A healthy machine that has been up for weeks."""
    return Machine(one_plan, first_state(one_plan, NOW, "6f0ad9e6-0000-4000-8000-000000000001"))


@pytest.fixture(scope="session")
def user_key() -> asyncssh.SSHKey:
    return asyncssh.generate_private_key("ssh-ed25519")


@pytest.fixture
def plan(user_key: asyncssh.SSHKey) -> HallPlan:
    """Three machines, the last without a system; ports from the kernel."""
    public = user_key.export_public_key().decode().strip()
    return sample_plan(3, bare=1, slice_number=free_slice(), ssh_port=0, redfish_port=0, authorized_keys=(public,))


@pytest_asyncio.fixture
async def hall(plan: HallPlan, tmp_path: Path) -> AsyncIterator[Hall]:
    running = Hall(plan, tmp_path / "hall", timing=FAST)
    await running.start()
    yield running
    await running.stop()


Connect = Callable[..., Any]


@pytest.fixture
def connect(hall: Hall, user_key: asyncssh.SSHKey) -> Connect:
    """Log in to a machine of the hall by name."""

    def to(name: str = "gpu0001", **options: Any) -> Any:
        machine = hall.machines[name]
        defaults: dict[str, Any] = {"username": "rackside", "client_keys": [user_key], "known_hosts": None}
        defaults.update({"config": None, "agent_path": None, "connect_timeout": 5, "login_timeout": 5})
        return asyncssh.connect(machine.plan.address, machine.state.ssh_port, **{**defaults, **options})

    return to


class Bmc:
    """A small Redfish client of the tests: real HTTPS, any certificate."""

    def __init__(self, hall: Hall, name: str, session: aiohttp.ClientSession) -> None:
        machine = hall.machines[name]
        self.base = f"https://{machine.plan.address}:{machine.state.redfish_port}"
        self._session = session

    async def __call__(self, method: str, path: str, **options: Any) -> tuple[int, Any, Any]:
        async with self._session.request(method, self.base + path, **options) as answer:
            body = await answer.json() if answer.content_type == "application/json" else None
            return answer.status, body, answer.headers


def basic(user: str, password: str) -> dict[str, str]:
    return {"Authorization": "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()}


def any_certificate() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


@pytest_asyncio.fixture
async def bmc(hall: Hall) -> AsyncIterator[Callable[[str], Bmc]]:
    connector = aiohttp.TCPConnector(ssl=any_certificate())
    async with aiohttp.ClientSession(headers=basic("root", PASSWORD), connector=connector) as session:
        yield lambda name="gpu0001": Bmc(hall, name, session)


def needs(program: str) -> str:
    """The path of a program the tests need; absent, the test fails rather than being skipped."""
    path = shutil.which(program)
    assert path, f"{program} is not installed: the tests need it"
    return path
