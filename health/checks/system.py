"""Checks of the machine's software and firmware: memory, kernel and release, services, BIOS, mirrors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from health.checks.context import Context
from health.checks.model import CheckDeclaration, Outcome, check, fail, ok, unknown, warn
from health.checks.parsers.hardware import Dmi
from health.checks.parsers.system import MemoryUse, Release

_NOT_TOLD = ("Not Specified", "To Be Filled By O.E.M.", "Default string", "None", "Unknown")


@check(
    "memory.size",
    family="memory",
    title="All memory is there",
    needs="memory",
    classes=("memory.missing",),
    source="device model; the kernel keeps a few percent for itself",
    fields=("total_kib",),
    limits={"memory_missing_percent": 5},
)
def size(memory: MemoryUse, x: Context, me: CheckDeclaration) -> Outcome:
    """As much as `expected.memory_gib` says, less what kernel and firmware keep."""
    wanted = x.spec.expected.get("memory_gib")
    if memory.total_kib is None:
        return unknown("the size of the memory is not reported")
    gib = memory.total_kib / 1024**2
    if wanted and gib < float(wanted) * (1 - x.limit(me, "memory_missing_percent") / 100):
        return fail(f"{gib:.0f} GiB of {wanted} GiB are there", "memory.missing", value=gib)
    return ok(f"{gib:.0f} GiB of memory", value=gib, observed={"memory_gib": round(gib)})


@check(
    "system.swap",
    family="system",
    title="No swap is used",
    needs="memory",
    source="practice: a job that swaps is slow on one machine and holds up all others",
    fields=("swap_kib",),
)
def swap(memory: MemoryUse, x: Context, me: CheckDeclaration) -> Outcome:
    """Off, unless `expected.swap` of the model says otherwise."""
    if memory.swap_kib is None:
        return unknown("the size of the swap is not reported")
    if memory.swap_kib and not x.spec.expected.get("swap"):
        said = f"{memory.swap_kib / 1024**2:.1f} GiB of swap are on"
        return warn(said, value=memory.swap_kib, action="Turn it off (swapoff -a) and take it out of /etc/fstab.")
    return ok("no swap is on" if not memory.swap_kib else "swap is on, as the model says")


@check(
    "memory.dimms",
    family="memory",
    title="Every memory module is seen, and they are alike",
    needs="dmi",
    classes=("memory.missing",),
    source="SMBIOS, type 17",
    fields=("dimms",),
)
def dimms(dmi: Dmi, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """As many as the model has slots for them (or `expected.dimms`); one of another size or speed slows them all."""
    if not dmi.dimms:
        yield unknown("the memory modules are not reported")
        return
    wanted = int(x.spec.expected.get("dimms") or len(x.spec.slots_of("dimm")))
    there = [dimm for dimm in dmi.dimms if dimm.size_mib]
    empty = [dimm.locator for dimm in dmi.dimms if dimm.size_mib == 0]
    lost = [dimm.locator for dimm in dmi.dimms if dimm.size_mib is None]
    if lost:
        yield unknown(f"the size of {', '.join(lost)} is not reported")
    if wanted and len(there) < wanted:
        where = f"; empty: {', '.join(empty)}" if empty else ""
        said = f"{len(there)} of {wanted} memory modules are seen{where}"
        yield fail(said, "memory.missing", excerpt=said, value=len(there))
    for what, kinds in (
        ("sizes", sorted({f"{dimm.size_mib // 1024} GiB" for dimm in there if dimm.size_mib})),
        ("speeds", sorted({dimm.speed for dimm in there if dimm.speed and dimm.speed != "Unknown"})),
    ):
        if len(kinds) > 1:
            said = f"memory modules of {len(kinds)} {what}: {', '.join(kinds)}"
            yield warn(said, excerpt=said, action="Compare the modules with the machine's order; make them alike.")
    yield ok(f"{len(there)} memory modules", value=len(there))


@check(
    "system.firmware",
    family="system",
    title="BIOS version and service tag of the machine",
    needs="dmi",
    classes=("system.version", "system.identity"),
    source="SMBIOS, types 0 and 1; inventory",
    fields=("bios_version", "serial"),
)
def firmware(dmi: Dmi, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """The BIOS the model wants, and the service tag that the inventory has for this machine."""
    yield from _differs("BIOS", dmi.bios_version, x.spec.expected.get("bios_version"))
    wanted = x.serial
    serial = None if dmi.serial in _NOT_TOLD else dmi.serial
    if wanted and serial is None:
        yield unknown("the service tag is not reported")
    elif wanted and serial != wanted:
        yield fail(f"service tag {serial}, the inventory has {wanted}", "system.identity", observed={"serial": serial})
    yield ok(
        f"BIOS {dmi.bios_version}, service tag {serial or 'not reported'}",
        observed={"bios": dmi.bios_version, "serial": serial},
    )


@check(
    "system.kernel",
    family="system",
    title="The running kernel is the model's",
    needs="release",
    classes=("system.version",),
    source="device model; uname -r",
    fields=("kernel",),
)
def kernel(found: Release, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """As `expected.kernel_version` says."""
    yield from _differs("kernel", found.kernel, x.spec.expected.get("kernel_version"))
    yield ok(f"kernel {found.kernel}", observed={"kernel": found.kernel})


@check(
    "system.release",
    family="system",
    title="The operating system's release is the model's",
    needs="release",
    classes=("system.version",),
    source="device model; os-release",
    fields=("version",),
)
def release(found: Release, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """As `expected.os_version` says, such as 22.04.3."""
    yield from _differs("release", found.version, x.spec.expected.get("os_version"))
    yield ok(f"{found.system or found.version}", observed={"os": found.version})


def _differs(what: str, found: str | None, wanted: Any) -> Iterator[Outcome]:
    if found is None:
        yield unknown(f"the {what} is not reported")
    elif wanted and found != str(wanted):
        said = f"{what} {found}, the model has {wanted}"
        yield warn(said, "system.version", excerpt=said, observed={what.lower(): found})


@check(
    "system.units",
    family="system",
    title="No service has failed",
    needs="failed_units",
    source="systemctl --failed",
)
def units(failed: Sequence[str], x: Context, me: CheckDeclaration) -> Outcome:
    """What systemd started and lost. Services that must run are named in `expected.services`."""
    if not failed:
        return ok("no unit has failed")
    names = ", ".join(failed[:10])
    action = "Read its log (journalctl -u UNIT), restart it, or clear it (systemctl reset-failed UNIT)."
    return warn(f"{len(failed)} failed: {names}", value=len(failed), action=action, observed={"units": list(failed)})


_OWN_CLASS = {
    "docker": "docker.down", "nvidia-fabricmanager": "fabricmanager.down", "slurmd": "slurm.down",
    "kubelet": "kubernetes.down", "nvidia-imex": "imex.down",
}  # fmt: skip


@check(
    "system.services",
    family="system",
    title="The services the model names run",
    needs="units",
    classes=("service.failed", *sorted(set(_OWN_CLASS.values()))),
    source="systemctl is-active",
    optional=True,
)
def services(states: Mapping[str, str], x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """Every unit asked for is active; one that is starting warns. One that has a check of its own (docker,
    the fabric manager, slurmd, the kubelet, IMEX) is one fault with that."""
    for name in x.spec.expected.get("services") or ():
        if str(name).removesuffix(".service") not in states:
            yield unknown(f"{name} was not asked for")
    for unit, state in states.items():
        said, fault_class = f"{unit} is {state}", _OWN_CLASS.get(unit, "service.failed")
        if state in ("activating", "reloading", "deactivating"):
            yield warn(said, fault_class, excerpt=said)
        elif state == "unknown":
            yield unknown(said)
        elif state != "active":
            yield fail(said, fault_class, excerpt=said)
    yield ok(f"active: {', '.join(states)}")


@check(
    "system.mirrors",
    family="system",
    title="Mirrors and registries answer",
    needs="mirrors",
    source="an HTTP request to each of `expected.mirrors`",
    optional=True,
)
def mirrors(found: Mapping[str, int], x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """Any answer but a server's error will do: a registry asks strangers for a password (401). It warns, because the
    machine is well and its jobs go on: no machine is taken out because a mirror is away."""
    for url in x.spec.expected.get("mirrors") or ():
        if str(url) not in found:
            yield unknown(f"{url} was not asked")
    for url, status in found.items():
        said = f"{url} answered {status}" if status else f"{url} does not answer"
        if not 200 <= status < 500 or status in (404, 410):
            yield warn(said, "mirror.unreachable", excerpt=said)
    yield ok(f"{len(found)} answer")
