"""What is decided about a node as Ironic has it: every state, and Ironic played by the rules of its stand-in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.ironic.shapes import Disk, Hardware, Node
from drivers.ironic.states import MEANING, Means
from drivers.tests.ironic_server import FROM
from health.machines.lifecycle import State
from provisioning.deployers.decisions import Kind, Lost, Order, Reached, Remember, Verdict, Wait
from provisioning.deployers.hardware import Expected, mismatches
from provisioning.ironic import decisions
from provisioning.ironic.decisions import Operation, due, same_bmc
from provisioning.ironic.hardware import seen

NODE = Node(
    uuid="u-1", name="gpu-1", state="available", changed_at="t0", power_state="power off", maintenance=False,
    maintenance_reason="", protected=False, retired=False, last_error="", bmc="10.2.0.1:443", inspects=True,
    inspected_at="", cpus=0, memory_mib=0,
)  # fmt: skip
INSPECT = partial(decisions.inspect, reads=True)
STEPS: tuple[Callable[..., Any], ...] = (INSPECT, decisions.clean, decisions.deploy)
TARGETS = {
    Operation.MANAGE: "manage", Operation.INSPECT: "inspect", Operation.CLEAN: "provide", Operation.DEPLOY: "active",
    Operation.UNDEPLOY: "deleted",
}  # fmt: skip
AFTER = {"manage": "manageable", "inspect": "manageable", "provide": "available", "active": "active",
         "deleted": "available"}  # fmt: skip
SETTLED = [state for state, means in MEANING.items() if means not in (Means.WORKING, Means.HELD)]
states = st.sampled_from([*MEANING, "polishing"])
times = st.sampled_from(["", "t0", "t1"])
memories = st.fixed_dictionaries(
    {},
    optional={"before": times, "maintenance": st.booleans(), "ordered": st.booleans(), "enrolled_at": times,
              "inspect_from": times, "clean_from": times},
)  # fmt: skip


@given(states, memories, st.booleans(), times, st.booleans())
def test_every_state_leads_to_one_decision_and_ironic_takes_every_order(
    state: str, memory: dict[str, Any], maintenance: bool, inspected: str, reads: bool
) -> None:
    node = replace(NODE, state=state, maintenance=maintenance, inspected_at=inspected)
    for decide in (partial(decisions.inspect, reads=reads), decisions.clean, decisions.deploy):
        decision = decide(node, memory)
        if node.means in (Means.UNKNOWN, Means.WORKING, Means.HELD):
            assert isinstance(decision, Wait | Remember)
        if isinstance(decision, Order) and decision.operation is not Operation.UNSET_MAINTENANCE:
            assert state in FROM[TARGETS[decision.operation]], "Ironic would refuse it"


def walked(state: str, *, fails: str = "", **fields: Any) -> tuple[list[str], Any]:
    """Orders given from a state on, Ironic carrying each out at once; and how it ended."""
    node, orders, clock = replace(NODE, state=state, **fields), list[str](), 0
    for decide in STEPS:
        memory: dict[str, Any] = {}
        for _ in range(12):
            decision = decide(node, memory)
            clock += 1
            if isinstance(decision, Reached):
                break
            if isinstance(decision, Remember):
                memory |= decision.memory
                continue
            if not isinstance(decision, Order):
                return orders, decision
            orders.append(decision.operation.value)
            if decision.operation is Operation.UNSET_MAINTENANCE:
                node = replace(node, maintenance=False)
                continue
            target = TARGETS[decision.operation]
            inspected = f"t{clock}" if target == "inspect" else node.inspected_at
            node = replace(node, state=AFTER[target], changed_at=f"t{clock}", inspected_at=inspected)
            if target == fails:
                failed = {"manage": "enroll", "inspect": "inspect failed", "provide": "clean failed"}
                node = replace(node, state=failed.get(target, "deploy failed"), last_error="it broke", inspected_at="")
        else:
            raise AssertionError(f"{state} never arrives: {orders}")
    return orders, decision


@pytest.mark.parametrize("state", SETTLED)
@pytest.mark.parametrize("maintenance", [False, True])
def test_from_every_settled_state_a_node_is_inspected_cleaned_and_deployed_once(state: str, maintenance: bool) -> None:
    orders, ended = walked(state, maintenance=maintenance)
    assert isinstance(ended, Reached), ended
    assert orders[-3:] == ["inspect", "clean", "deploy"] and len(orders) <= 6
    assert orders.count("inspect") == orders.count("clean") == 1


@pytest.mark.parametrize("state", ["manageable", "available"])
def test_disks_are_erased_by_order_once_and_what_fails_is_named(state: str) -> None:
    node, orders, memory = replace(NODE, state=state, changed_at="t1"), list[str](), dict[str, Any]()
    for turn in range(12):
        decision = decisions.clean(node, memory, erases=True)
        if isinstance(decision, Remember):
            memory |= decision.memory
        elif isinstance(decision, Order):
            orders.append(decision.operation.value)
            reached = "available" if decision.operation is Operation.CLEAN else "manageable"
            node = replace(node, state=reached, changed_at=f"u{turn}")
        else:
            break
    assert isinstance(decision, Reached) and orders[-2:] == ["erase", "clean"] and orders.count("erase") == 1
    failed = replace(NODE, state="clean failed", changed_at="t2", last_error="disk is frozen")
    ended = decisions.clean(failed, {"erase_from": "t1"}, erases=True)
    assert isinstance(ended, Lost) and ended.failure == "cleaning_failed" and "frozen" in ended.text


@pytest.mark.parametrize(
    ("fails", "failure"),
    [("manage", "no_bmc"), ("inspect", "inspection_failed"), ("provide", "cleaning_failed"),
     ("active", "install_failed")],
)  # fmt: skip
def test_what_ironic_fails_at_is_the_class_with_its_words(fails: str, failure: str) -> None:
    _, ended = walked("enroll", fails=fails)
    assert isinstance(ended, Lost) and ended.failure == failure and ended.asks and "it broke" in ended.text


@pytest.mark.parametrize("state", ["inspect failed", "clean failed", "deploy failed", "enroll"])
def test_a_failure_from_before_is_not_taken_for_ours(state: str) -> None:
    assert isinstance(walked(state, last_error="of last week")[1], Reached)


def test_a_bmc_that_refuses_ironic_is_told_apart() -> None:
    node = replace(NODE, state="enroll", changed_at="t2", last_error="... returned code 401. Incorrect username")
    ended = INSPECT(node, {"before": "", "enrolled_at": "t1"})
    assert isinstance(ended, Lost) and ended.failure == "bmc_refuses"


def test_inspected_from_before_is_not_taken_for_inspected_nor_deployed_by_others_for_ours() -> None:
    node = replace(NODE, state="manageable", inspected_at="t7")
    assert isinstance(INSPECT(node, {"before": "t7"}), Remember)
    assert INSPECT(node, {"before": "t7", "inspect_from": "t0"}) == Order(Operation.INSPECT)
    assert isinstance(INSPECT(node, {"before": "t6"}), Reached)
    ended = decisions.deploy(replace(NODE, state="active"), {})
    assert isinstance(ended, Lost) and "did not order" in ended.text


def test_maintenance_in_the_middle_protected_and_retired_nodes_are_left_to_people() -> None:
    held = decisions.deploy(replace(NODE, maintenance=True, maintenance_reason="fan 3"), {"ordered": True})
    assert held == Wait("somebody set it to maintenance in Ironic meanwhile: fan 3")
    assert isinstance(INSPECT(replace(NODE, state="active", protected=True), {"before": ""}), Wait)
    assert isinstance(INSPECT(replace(NODE, retired=True), {"before": ""}), Lost)


def test_where_nothing_is_inspected_an_available_node_is_enough() -> None:
    memory = {"before": "", "maintenance": False}
    assert isinstance(decisions.inspect(NODE, memory, reads=False), Reached)
    assert isinstance(INSPECT(replace(NODE, inspects=False), memory), Reached)
    assert INSPECT(NODE, memory) == Order(Operation.MANAGE)


@pytest.mark.parametrize(
    ("bmc", "same"),
    [("10.2.0.1", True), ("10.2.0.1:8443", True), ("10.2.0.9", False), ("bmc-1.example", None), ("", None),
     ("[fd00::1]:443", False), ("x]:[", None)],
)  # fmt: skip
def test_the_bmc_that_ironic_switches_is_compared_with_the_inventorys(bmc: str, same: bool | None) -> None:
    assert same_bmc(replace(NODE, bmc=bmc), "10.2.0.1") is same


def test_drives_are_counted_only_where_they_are_named_by_device() -> None:
    expected = Expected(nvme=2, nvme_serials=frozenset({"D1"}))
    by_agent = Hardware(disks=(Disk("/dev/nvme0n1", "d1", 1), Disk("/dev/sda", "x", 1)), read=True)
    assert mismatches(expected, seen(by_agent)) == ["1 NVMe drives instead of 2"]
    by_bmc = Hardware(disks=(Disk("Solid State Disk 0:1:0", "D2", 1),), read=True)
    assert mismatches(expected, seen(by_bmc)) == ["NVMe D1 missing"]


# ---- outside of runs ----


@given(st.sampled_from(list(Kind)), st.sampled_from([*State]), states, st.booleans(), st.booleans(), st.booleans())
def test_a_write_has_a_reason_or_is_sent_and_a_protected_node_is_not_undeployed(
    kind: Kind, state: str, at: str, maintenance: bool, protected: bool, ours: bool
) -> None:
    node = replace(NODE, state=at, maintenance=maintenance, protected=protected)
    verdict, why = due(kind, state, node, ours=ours)
    assert (verdict is Verdict.SEND) == (not why)
    if verdict is Verdict.SEND and kind is Kind.RELEASE:
        assert at in FROM["deleted"] and not protected


def test_a_maintenance_that_somebody_else_set_is_theirs_to_lift() -> None:
    node = replace(NODE, maintenance=True)
    assert due(Kind.MARK_FIXED, "ready", node, ours=False)[0] is Verdict.HELD_BACK
    assert due(Kind.MARK_FIXED, "ready", node, ours=True)[0] is Verdict.SEND
    assert due(Kind.MARK_BROKEN, "repair", node, ours=True)[0] is Verdict.NEEDLESS
