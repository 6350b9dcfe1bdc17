"""A small fabric: eight machines of two rails, four leaves, two spines."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from simulator.fabric.hall import Fabric
from simulator.fabric.plan import FabricPlan
from simulator.fabric.tests.samples import sample_fabric
from simulator.fabric.ufm import UfmAccess
from simulator.fabric.wiring import Wiring

NOW = 1_800_000_000.0
ACCESS = UfmAccess("admin", "not-123456", "FTxXUXq2mQBzyNCmpA8SPYTAoT7LkD")


@pytest.fixture
def plan() -> FabricPlan:
    return sample_fabric(8)


@pytest.fixture
def wiring(plan: FabricPlan) -> Wiring:
    return Wiring(plan, now=NOW)


@pytest_asyncio.fixture
async def fabric(plan: FabricPlan, tmp_path: Path) -> AsyncIterator[Fabric]:
    running = Fabric(plan, tmp_path, seed="seed", clock=lambda: NOW, access=ACCESS)
    await running.start()
    yield running
    await running.stop()
