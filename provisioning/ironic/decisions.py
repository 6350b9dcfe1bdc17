"""What to do with a node as Ironic has it, at each step of a run and because of a machine's state here. Pure; see
`provisioning.deployers.decisions`.

Whether a failure is that of our order or of one before says the time of the node's last change: it is remembered before
the order, and has passed on after it.
"""

from __future__ import annotations

from enum import StrEnum
from ipaddress import ip_address
from urllib.parse import urlsplit

from drivers.ironic.shapes import Node
from drivers.ironic.states import CLEAN_FAILED, INSPECT_FAILED, Means
from provisioning.deployers.decisions import (
    Decision,
    Due,
    Kind,
    Lost,
    Memory,
    Order,
    Reached,
    Remember,
    Verdict,
    Wait,
    still_wanted,
)
from provisioning.steps import FailureClass


class Operation(StrEnum):
    MANAGE = "manage"
    INSPECT = "inspect"
    ERASE = "erase"
    CLEAN = "clean"
    DEPLOY = "deploy"
    UNDEPLOY = "undeploy"
    UNSET_MAINTENANCE = "unset maintenance"


_O = Operation


def _stands_still(node: Node, memory: Memory) -> Decision | None:
    """What no order of ours changes, or what must be changed before any other."""
    if node.retired:
        return Lost(FailureClass.RECORD_LOST, "it is retired in Ironic")
    if node.means is Means.WORKING:
        return Wait(f"Ironic: {node.said}", works=True)
    if node.means is Means.UNKNOWN:
        return Wait(f"Ironic is in a state that is not known here: {node.said}")
    if node.means is Means.HELD:
        return Wait(f"somebody holds it in Ironic: {node.said}")
    if node.maintenance and not memory.get("maintenance"):
        return Wait(f"somebody set it to maintenance in Ironic meanwhile: {node.maintenance_reason or 'no reason'}")
    return None


def _unreachable(node: Node) -> Lost:
    """Ironic went to its BMC and came back to `enroll`."""
    refused = "401" in node.last_error or "password" in node.last_error.lower()
    failure = FailureClass.BMC_REFUSES if refused else FailureClass.NO_BMC
    return Lost(failure, f"Ironic does not reach its BMC: {node.last_error or 'it does not say why'}", asks=True)


def inspect(node: Node, memory: Memory, *, reads: bool) -> Decision:
    """The next thing on the way to a node that was inspected since this step began. `reads`: the site wants that; where
    it does not, and where the node cannot be inspected, one that stands where it can be deployed is enough."""
    if "before" not in memory:
        return Remember({"before": node.inspected_at, "maintenance": node.maintenance})
    if (still := _stands_still(node, memory)) is not None:
        return still
    if node.maintenance:
        return Order(_O.UNSET_MAINTENANCE)
    reads = reads and node.inspects
    match node.means:
        case Means.RUNS | Means.SPENT:
            return Wait("it is protected in Ironic: lift that there") if node.protected else Order(_O.UNDEPLOY)
        case Means.ENROLLED:
            if "enrolled_at" not in memory:
                return Remember({"enrolled_at": node.changed_at})
            return Order(_O.MANAGE) if memory["enrolled_at"] == node.changed_at else _unreachable(node)
        case Means.UNDONE:
            ours = memory.get("inspect_from", node.changed_at) != node.changed_at
            if node.state == INSPECT_FAILED and ours:
                return Lost(FailureClass.INSPECTION_FAILED, f"Ironic: {node.said}", asks=True)
            return Order(_O.MANAGE)
        case Means.FREE if reads and node.inspected_at == memory["before"]:
            return Order(_O.MANAGE)
    if not reads:
        return Reached(f"Ironic has it as {node.said}; it is not inspected")
    if node.inspected_at != memory["before"]:
        return Reached(f"inspected as {node.name} ({node.uuid})")
    if memory.get("inspect_from") != node.changed_at:
        return Remember({"inspect_from": node.changed_at})
    return Order(_O.INSPECT)


def clean(node: Node, memory: Memory, *, erases: bool = False) -> Decision:
    """The next thing on the way to a node that is available, which Ironic cleans it for. `erases`: the site has its
    disks erased by order, once in each run."""
    began = memory.get("clean_from") or memory.get("erase_from", node.changed_at)
    if node.state == CLEAN_FAILED and began != node.changed_at:
        return Lost(FailureClass.CLEANING_FAILED, f"Ironic: {node.said}", asks=True)
    if (still := _stands_still(node, memory)) is not None:
        return still
    erased = not erases or memory.get("erase_from", node.changed_at) != node.changed_at
    match node.means:
        case Means.FREE if erased:
            return Reached("it is available")
        case Means.FREE:
            return Order(_O.MANAGE)
        case Means.MANAGEABLE if not erased and "erase_from" not in memory:
            return Remember({"erase_from": node.changed_at})
        case Means.MANAGEABLE if not erased:
            return Order(_O.ERASE)
        case Means.MANAGEABLE if memory.get("clean_from") != node.changed_at:
            return Remember({"clean_from": node.changed_at})
        case Means.MANAGEABLE:
            return Order(_O.CLEAN)
    return _elsewhere(node)


def deploy(node: Node, memory: Memory) -> Decision:
    """The next thing on the way to a node that this run deployed."""
    ordered = bool(memory.get("ordered"))
    if (still := _stands_still(node, memory)) is not None:
        return still
    match node.means:
        case Means.FREE:
            return Order(_O.DEPLOY) if ordered else Remember({"ordered": True})
        case Means.RUNS if ordered:
            return Reached("Ironic has deployed it")
        case Means.SPENT if ordered:
            return Lost(FailureClass.INSTALL_FAILED, f"Ironic: {node.said}", asks=True)
    return _elsewhere(node)


def _elsewhere(node: Node) -> Lost:
    return Lost(FailureClass.RECORD_LOST, f"Ironic has it as {node.said}, and this run did not order that")


def same_bmc(node: Node, address: str) -> bool | None:
    """Whether the BMC that Ironic switches is that of the inventory. None: not known, a name is not compared with an
    address."""
    try:
        return ip_address(urlsplit(f"//{node.bmc}").hostname or "") == ip_address(address)
    except ValueError:
        return None


# ---- outside of runs ----


def due(kind: Kind, state: str, node: Node, *, ours: bool) -> Due:
    """Whether it is still right to write this, and the reason where it is not. `ours`: what is set was set by us.

    Maintenance stops nothing that runs; Ironic only leaves the node alone. What somebody else set is theirs to lift.
    """
    if not still_wanted(kind, state):
        return Verdict.NEEDLESS, f"the machine is {state} now"
    if kind is Kind.MARK_BROKEN:
        return (Verdict.NEEDLESS, "it is in maintenance already") if node.maintenance else (Verdict.SEND, "")
    if kind is Kind.MARK_FIXED:
        if not node.maintenance:
            return Verdict.NEEDLESS, "it is not in maintenance"
        return (Verdict.SEND, "") if ours else (Verdict.HELD_BACK, "somebody else set its maintenance")
    if node.means is Means.WORKING:
        return Verdict.LATER, "Ironic is at it"
    if node.protected:
        return Verdict.HELD_BACK, "it is protected in Ironic"
    if node.means in (Means.RUNS, Means.SPENT):
        return Verdict.SEND, ""
    return Verdict.NEEDLESS, "nothing is deployed on it in Ironic"
