"""Checks of what makes a machine part of a cluster: kubelet and container runtime, IMEX, the packages of its image."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from core.counts import counted
from health.checks.context import Context
from health.checks.model import CheckDeclaration, Outcome, check, fail, ok, unknown, warn
from health.checks.parsers.node_services import Imex, Kubelet, Packages, Runtime

_RUNTIME = ("RuntimeReady", "NetworkReady")


@check(
    "kubernetes.runtime",
    family="Kubernetes",
    title="The container runtime is ready",
    needs="cri",
    classes=("kubernetes.runtime",),
    source="Kubernetes CRI, runtime conditions; crictl info",
    optional=True,
)
def runtime(found: Runtime, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """RuntimeReady and NetworkReady hold. Without the first no container starts, without the second no pod."""
    if found.error:
        yield fail(f"the container runtime does not answer: {found.error}", "kubernetes.runtime", excerpt=found.error)
        return
    for name in _RUNTIME:
        if name not in found.conditions:
            yield unknown(f"{name} is not reported")
            continue
        holds, why = found.conditions[name]
        if not holds:
            yield fail(f"{name} does not hold{f': {why}' if why else ''}", "kubernetes.runtime", excerpt=why)
    yield ok("runtime and network are ready")


@check(
    "kubernetes.kubelet",
    family="Kubernetes",
    title="The kubelet runs and is well",
    needs="kubelet",
    classes=("kubernetes.down",),
    source="Kubernetes documentation, kubelet health endpoint (127.0.0.1:10248/healthz)",
    optional=True,
)
def kubelet(found: Kubelet, x: Context, me: CheckDeclaration) -> Outcome:
    """Its unit is active and its health page says ok."""
    if found.unit != "active":
        return fail(f"the kubelet is {found.unit}", "kubernetes.down", excerpt=found.unit)
    if found.status == 0:
        return fail("the kubelet runs, but its health page does not answer", "kubernetes.down")
    if found.status != 200:
        return fail(
            f"the kubelet's health page says {found.status}: {found.page}", "kubernetes.down", excerpt=found.page
        )
    return ok(f"the kubelet is active, its health page says {found.page or 'ok'}")


@check(
    "imex.domain",
    family="NVLink",
    title="The IMEX domain of the NVLink rack is ready",
    needs="imex",
    classes=("imex.down",),
    source="NVIDIA IMEX Service for NVLink networks, command service (nvidia-imex-ctl -N)",
    optional=True,
)
def imex(found: Imex, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """Every node of the domain is READY and connected to every other, all with one version. Without it a job cannot
    reach the memory of GPUs in other trays."""
    wanted = (x.spec.expected.get("imex") or {}).get("nodes")
    for node in found.nodes:
        who = f"node {node.number}{f' ({node.host})' if node.host else ''}"
        if node.state != "READY":
            yield fail(f"{who} is {node.state}", "imex.down", excerpt=f"{who}: {node.state}")
        elif node.trouble:
            said = f"{who}: {', '.join(node.trouble[:4])}"
            yield fail(said, "imex.down", excerpt="\n".join(node.trouble))
    versions = Counter(node.version for node in found.nodes if node.version)
    if len(versions) > 1:
        told = ", ".join(f"{version} on {count}" for version, count in versions.most_common())
        yield warn(
            f"IMEX versions differ: {told}", "imex.down", action="Bring all nodes to one version of nvidia-imex."
        )
    if wanted and found.domain and len(found.nodes) < int(wanted):
        yield fail(f"{len(found.nodes)} of {wanted} nodes are in the domain", "imex.down")
    if found.domain not in ("", "UP") and all(node.state == "READY" for node in found.nodes):
        yield fail(f"the domain is {found.domain}", "imex.down")
    yield ok(
        f"{counted(len(found.nodes), 'node is', 'nodes are')} ready" if found.domain else "this node is ready",
        value=len(found.nodes),
    )


@check(
    "system.packages",
    family="system",
    title="Libraries and packages have the model's versions",
    needs="packages",
    classes=("system.version",),
    source="device model `packages`, `ofed_version`; dpkg-query, rpm, ofed_info",
    optional=True,
)
def packages(found: Packages, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """Each package of `expected.packages` (the driver's libraries, NCCL, the container toolkit) is installed with its
    version, or one that begins with it (`2.18.5` is also `2.18.5-1+cuda12.2`)."""
    for name, wanted in (x.spec.expected.get("packages") or {}).items():
        version = found.versions.get(name)
        if version is None and name in found.absent:
            yield fail(
                f"{name} is not installed, the model has {wanted}", "system.version", action=f"Install {name} {wanted}."
            )
        elif version is None:
            yield unknown(f"the version of {name} is not reported")
        elif not _is(version, str(wanted)):
            yield warn(f"{name} {version}, the model has {wanted}", "system.version", observed={name: version})
    ofed = x.spec.expected.get("ofed_version")
    if ofed and found.ofed is None:
        yield unknown("the version of OFED is not reported")
    elif ofed and found.ofed is not None and not _is(found.ofed, str(ofed)):
        yield warn(f"OFED {found.ofed}, the model has {ofed}", "system.version", observed={"ofed": found.ofed})
    yield ok(f"{counted(len(found.versions), 'package')}{f', OFED {found.ofed}' if found.ofed else ''}")


def _is(version: str, wanted: str) -> bool:
    return version == wanted or bool(re.match(rf"{re.escape(wanted)}(?![A-Za-z0-9])", version))
