"""What is decided about a machine as MAAS has it: every state, and MAAS played by the rules of its stand-in."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.maas.shapes import Disk, Machine
from drivers.maas.states import Means, Status
from drivers.tests.maas_region import FROM
from health.machines.lifecycle import State
from provisioning.deployers.decisions import Kind, Lost, Order, Reached, Remember, Verdict, Wait, wish
from provisioning.deployers.hardware import Expected, mismatches
from provisioning.maas import decisions
from provisioning.maas.decisions import Operation, due
from provisioning.maas.hardware import seen

UUID_1 = UUID("4c4c4544-0042-4310-8031-b4c04f4e3532")
BEFORE = Machine(
    "x1", "gpu-1", Status.NEW, "New", "", "", "", frozenset({"02:00:00:00:00:01"}), 0, 0, (), 0, False, "", "off"
)
statuses = st.integers(-3, 30)
memories = st.fixed_dictionaries({}, optional={"before": st.integers(0, 3), "ordered": st.booleans()})
AFTER = {
    Operation.COMMISSION: Status.READY, Operation.ALLOCATE: Status.ALLOCATED, Operation.DEPLOY: Status.DEPLOYED,
    Operation.RELEASE: Status.READY, Operation.MARK_FIXED: Status.READY, Operation.EXIT_RESCUE: Status.READY,
}  # fmt: skip
SETTLED = [status for status in Status if decisions.commission(
    replace(BEFORE, status=status), {"before": 0}).__class__ is Order]  # fmt: skip


@given(statuses, memories, st.booleans(), st.integers(0, 3))
def test_every_state_leads_to_one_decision_and_a_locked_or_unknown_one_to_no_order(
    status: int, memory: dict[str, Any], locked: bool, commissioned: int
) -> None:
    machine = replace(BEFORE, status=status, locked=locked, commissioned=commissioned)
    for decide in (decisions.commission, decisions.deploy):
        decision = decide(machine, memory)
        if locked or machine.means in (Means.UNKNOWN, Means.WORKING, Means.GONE):
            assert isinstance(decision, Wait | Lost | Remember)
        if isinstance(decision, Order):
            assert Status(status) in FROM[decision.operation], "MAAS would refuse it"


@pytest.mark.parametrize("status", SETTLED)
def test_from_every_settled_state_a_machine_is_commissioned_once_and_deployed_once(status: Status) -> None:
    machine, orders = replace(BEFORE, status=status, commissioned=7), []
    for decide in (decisions.commission, decisions.deploy):
        memory: dict[str, Any] = {}
        for _ in range(8):
            decision = decide(machine, memory)
            if isinstance(decision, Reached):
                break
            if isinstance(decision, Remember):
                memory |= decision.memory
                continue
            assert isinstance(decision, Order), decision
            orders.append(decision.operation)
            more = 1 if decision.operation is Operation.COMMISSION else 0
            machine = replace(machine, status=AFTER[decision.operation], commissioned=machine.commissioned + more)
        else:
            raise AssertionError(f"{status.name} never arrives: {orders}")
    assert orders[-3:] == [Operation.COMMISSION, Operation.ALLOCATE, Operation.DEPLOY] and len(orders) <= 4


def test_ready_from_before_is_not_taken_for_commissioned_nor_deployed_by_others_for_ours() -> None:
    ready = replace(BEFORE, status=Status.READY, commissioned=7)
    assert decisions.commission(ready, {"before": 7}) == Order(Operation.COMMISSION)
    assert isinstance(decisions.commission(replace(ready, commissioned=8), {"before": 7}), Reached)
    reserved = decisions.deploy(replace(BEFORE, status=Status.RESERVED), {"ordered": True})
    assert isinstance(reserved, Lost), "MAAS deploys what was allocated and nothing else"
    deployed = decisions.deploy(replace(BEFORE, status=Status.DEPLOYED), {})
    assert isinstance(deployed, Lost) and "did not order" in deployed.text


@pytest.mark.parametrize(
    ("serial", "uuid", "said"),
    [
        ("SN1", str(UUID_1), ""),
        ("sn1", str(UUID(bytes=UUID_1.bytes_le)), ""),
        ("Unknown", "", ""),
        ("SN2", "", "the inventory has serial SN1, MAAS has SN2"),
        ("SN1", "00000000-0000-0000-0000-000000000001", "the inventory has system UUID"),
    ],
)
def test_a_record_is_of_another_machine_when_serial_or_uuid_say_so(serial: str, uuid: str, said: str) -> None:
    machine = replace(BEFORE, serial=serial, hardware_uuid=uuid)
    difference = decisions.difference(machine, serial="SN1", uuid=UUID_1)
    assert difference.startswith(said) and bool(difference) == bool(said)


def test_hardware_that_was_not_read_differs_and_what_is_more_than_planned_is_none() -> None:
    expected = Expected(224, 2048, 2, frozenset({"D1"}), "02:00:00:00:00:01")
    assert len(mismatches(expected, seen(replace(BEFORE, macs=frozenset())))) == 5
    drives = tuple(Disk(f"nvme{n}n1", f"d{n}", 1) for n in range(1, 5))
    assert mismatches(expected, seen(replace(BEFORE, cpus=224, memory_mib=2047 * 1024, disks=drives))) == []
    assert mismatches(Expected(), seen(BEFORE)) == []


# ---- outside of runs ----


@given(st.sampled_from([*State]), st.sampled_from(["", *Kind]), st.booleans())
def test_what_was_told_is_not_told_again(state: str, last: str, cancelled: bool) -> None:
    kind = wish(state, last, cancelled=cancelled)
    if kind is not None:
        assert wish(state, kind, cancelled=cancelled) is None


@pytest.mark.parametrize(
    ("state", "last", "kind"),
    [
        ("repair", "", "mark_broken"), ("triage", "", "mark_broken"), ("rma", "release", "mark_broken"),
        ("ready", "mark_broken", "mark_fixed"), ("ready", "", None), ("drained", "mark_broken", None),
        ("retired", "mark_broken", "release"), ("provisioning", "", None), ("new", "", None),
    ],
)  # fmt: skip
def test_the_state_of_a_machine_says_what_maas_is_told(state: str, last: str, kind: str | None) -> None:
    assert wish(state, last, cancelled=False) == kind


@given(st.sampled_from(list(Kind)), st.sampled_from([*State]), st.sampled_from(list(Means)), st.booleans())
def test_a_machine_in_use_is_marked_broken_only_with_the_sites_word_and_nothing_while_maas_is_at_it(
    kind: Kind, state: str, means: Means, also: bool
) -> None:
    verdict, why = due(kind, state, means, also_in_use=also)
    assert (verdict is Verdict.SEND) == (not why)
    if means is Means.WORKING:
        assert verdict is not Verdict.SEND
    if verdict is Verdict.SEND and kind is Kind.MARK_BROKEN and means in (Means.RUNS, Means.HELD):
        assert also
