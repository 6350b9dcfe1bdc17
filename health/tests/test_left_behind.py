"""What the hall's faults between parts, and what crashes leave behind, look like to the real probe and checks."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from health.models import MachineHealth
from health.monitoring.services.sweeps import observation, observation_store
from health.tests import factories as make
from health.tests.real import NOW, Twin, twins

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def clock() -> Iterator[None]:
    with make.clock_at(datetime.fromtimestamp(NOW, UTC)):
        yield


def loud(twin: Twin, after_s: float = 0) -> set[tuple[str, str, str]]:
    """Every verdict that is not ok or info, of a machine whose BMC is not asked."""
    findings = twin.look(after_s).findings
    return {(f.check, f.part, str(f.verdict)) for f in findings if f.verdict in ("fail", "warn")}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "slot", "expected"),
    [
        ("gpu_memory_held", "GPU 3", ("gpu.leftover", "GPU 3", "warn")),
        ("gpu_no_peers", "GPU 3", ("gpu.peers", "GPU 3", "fail")),
        ("acs_on", "", ("pcie.acs", "machine", "warn")),
        ("hca_no_node", "HCA mlx5_3", ("hca.nodes", "HCA mlx5_3", "fail")),
        ("wrong_pkey", "HCA mlx5_3", ("ib.pkeys", "HCA mlx5_3", "fail")),
        ("wrong_mtu", "HCA mlx5_3", ("hca.mtu", "HCA mlx5_3", "warn")),
        ("kernel_crashed", "", ("system.crashes", "machine", "fail")),
    ],
)
def test_a_fault_is_told_by_its_check_on_its_part_and_by_no_other(
    fault: str, slot: str, expected: tuple[str, str, str]
) -> None:
    (twin,) = twins()
    assert loud(twin) == set()
    twin.inject(fault, slot, after_s=10)
    assert loud(twin, 20) == {expected}


def test_a_process_stuck_over_two_looks_fails_in_the_second() -> None:
    (twin,) = twins()
    twin.inject("process_stuck", after_s=10)
    observation_store.record([twin.look(20)])
    (twin.subject,), _ = observation.prepared([twin.machine.pk])
    assert loud(twin, 320) == {("system.processes", "machine", "fail")}


def restarted(twin: Twin) -> set[tuple[str, str, str]]:
    """The machine is looked at, starts anew and is looked at twice more; what the last look tells."""
    observation_store.record([twin.look(20)])
    twin.simulated.boot(NOW + 100, "6f0ad9e6-0000-4000-8000-0000000000ff", 90)
    for after_s in (700, 1000):
        (twin.subject,), _ = observation.prepared([twin.machine.pk])
        look = twin.look(after_s)
        observation_store.record([look])
    return {(f.check, f.part, str(f.verdict)) for f in look.findings if f.check == "system.restart"}


def test_a_restart_of_a_machine_in_service_is_told_until_a_day_has_passed() -> None:
    (twin,) = twins()
    assert restarted(twin) == {("system.restart", "machine", "warn")}


def test_a_restart_of_a_machine_that_was_taken_out_of_service_is_none_to_tell() -> None:
    (twin,) = twins()
    MachineHealth.objects.filter(machine=twin.machine).update(
        state="maintenance", state_since=datetime.fromtimestamp(NOW, UTC) - timedelta(hours=1)
    )
    assert restarted(twin) == {("system.restart", "machine", "ok")}
