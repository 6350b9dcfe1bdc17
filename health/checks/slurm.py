"""Checks of the scheduler: does its daemon run, does it give work to this machine, does it know what is in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.counts import counted
from health.checks.context import Context
from health.checks.model import CheckDeclaration, Outcome, check, fail, info, ok, unknown, warn
from health.checks.parsers.slurm import SlurmNode

OUR_MARK = "rackside:"
_DOWN = frozenset({"down", "fail", "failing", "error", "unknown", "not_responding", "inval", "power_fail"})
_DRAINED = frozenset({"drain", "drained", "draining", "drng"})
_SET_ASIDE = frozenset(
    {"maint", "reserved", "reboot", "reboot_issued", "reboot_requested", "power_down", "powered_down", "powering_down",
     "powering_up", "future", "blocked"}
)  # fmt: skip
_IN_SERVICE = frozenset({"idle", "allocated", "mixed", "completing", "planned", "perfctrs", "cloud", "dynamic_norm"})


@check(
    "slurm.daemon",
    family="Slurm",
    title="Slurm's daemon runs",
    needs="slurmd",
    classes=("slurm.down",),
    source="systemctl is-active slurmd",
    optional=True,
)
def daemon(state: str, x: Context, me: CheckDeclaration) -> Outcome:
    """Without slurmd the machine is out of the cluster."""
    said = f"slurmd is {state}"
    if state == "active":
        return ok(said)
    if state in ("activating", "reloading"):
        return warn(said, "slurm.down")
    return unknown(said) if state == "unknown" else fail(said, "slurm.down")


@check(
    "slurm.node",
    family="Slurm",
    title="Slurm gives work to the machine and knows what is in it",
    needs="slurm",
    classes=("slurm.down",),
    source="scontrol show node; sinfo",
    optional=True,
)
def node(nodes: Sequence[SlurmNode], x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """Down fails, drained warns with the reason. Of a list of nodes only the machine's own counts when it is there."""
    name = x.machine_name.partition(".")[0]
    own = [each for each in nodes if name and each.name == name]
    for each in own or nodes:
        yield from _state(each)
        yield from _facts(each, x)
    yield ok(_fine(own or nodes))


def _fine(nodes: Sequence[SlurmNode]) -> str:
    if not nodes:
        return "no node is out of service"
    if len(nodes) == 1:
        return f"{nodes[0].name} is {'+'.join(nodes[0].states or ())}"
    return f"{counted(len(nodes), 'node is', 'nodes are')} in service"


def _state(node: SlurmNode) -> Iterator[Outcome]:
    if node.states is None:
        yield unknown(f"{node.name}: its state is not reported")
        return
    states = set(node.states)
    said = f"{node.name} is {'+'.join(node.states)}{f': {node.reason}' if node.reason else ''}"
    if states & _DOWN:
        yield fail(said, "slurm.down", excerpt=said)
    elif states & _DRAINED:
        yield info(said) if node.reason.startswith(OUR_MARK) else warn(said, "slurm.down", excerpt=said)
    elif states & _SET_ASIDE:
        yield info(said)
    elif not states & _IN_SERVICE:
        yield unknown(said)


def _facts(node: SlurmNode, x: Context) -> Iterator[Outcome]:
    """What Slurm was told of the machine, against the model."""
    gpus = x.spec.gpu.count if x.spec.gpu else 0
    for what, found, wanted in (("GPUs", node.gpus, gpus), ("processors", node.cpus, x.spec.expected.get("cpus"))):
        if found is not None and wanted and found < int(wanted):
            said = f"{node.name}: Slurm knows {found} {what}, the model has {wanted}"
            yield warn(said, excerpt=said, action="Correct the node's line in slurm.conf, or see what is missing.")
