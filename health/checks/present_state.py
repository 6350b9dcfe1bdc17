"""Checks of the system's present state: remote file systems, free blocks of memory, software RAID."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from health.checks.context import Context
from health.checks.model import MACHINE, CheckDeclaration, Outcome, check, fail, info, ok, unknown, warn
from health.checks.parsers.remote_mounts import RemoteMount
from health.checks.parsers.state_files import StateFiles

# Columns of /proc/buddyinfo from which on the kernel has pages of 64 KiB (arm64), not of 4.
_COLUMNS_OF_64K = 14


@check(
    "disk.remote",
    family="disk",
    title="Remote file systems answer",
    needs="remote_mounts",
    each=False,
    classes=("disk.hang", "disk.mount"),
    source="practice: a job that opens a file there waits for ever, and nothing else says why",
)
def remote(mounts: Sequence[RemoteMount], x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    """NFS, Lustre, FUSE, CephFS, BeeGFS, GPFS, WEKA and SMB: each mount's server is asked once and has 4 s."""
    for mount in mounts:
        said = f"{mount.path} ({mount.kind})"
        if mount.state == "answers":
            yield mount.path, ok(f"{said} answers")
        elif mount.state == "hangs":
            yield mount.path, fail(f"{said} does not answer within 4 s", "disk.hang")
        else:
            yield mount.path, fail(f"{said} answers with an error, as a stale handle", "disk.mount",
                                   action="Unmount it (umount -l) and mount it again; check its server.")  # fmt: skip
    yield MACHINE, ok(f"{len(mounts)} remote file systems were asked" if mounts else "no remote file system is mounted")


@check(
    "memory.fragmentation",
    family="memory",
    title="Free memory is not in crumbs",
    needs="state_files",
    source="Linux kernel documentation, /proc/buddyinfo; the unusable share of free memory for huge pages of 2 MiB",
    fields=("zones",),
    limits={"fragmentation_warn_percent": 95, "fragmentation_free_gib": 64},
)
def fragmentation(found: StateFiles, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """Of the free memory of a NUMA node so much is in blocks too small for a huge page. Where little is free at all
    this says nothing: the kernel then frees memory, and joins blocks, when somebody asks."""
    zones = {zone: counts for zone, counts in (found.zones or {}).items() if zone[1] == "Normal"}
    if not found.zones:
        yield unknown("the free blocks of the memory are not reported")
        return
    for (node, _), counts in zones.items():
        kib, huge = (64, 5) if len(counts) >= _COLUMNS_OF_64K else (4, 9)
        free = [count * kib * 2**order for order, count in enumerate(counts)]
        free_gib, share = sum(free) / 2**20, 100 * (1 - sum(free[huge:]) / max(1, sum(free)))
        if free_gib >= x.limit(me, "fragmentation_free_gib") and share >= x.limit(me, "fragmentation_warn_percent"):
            said = f"NUMA node {node}: {share:.0f} % of {free_gib:.0f} GiB free memory is in blocks under 2 MiB"
            yield warn(said, value=share, excerpt=f"Node {node}: {' '.join(map(str, counts))}",
                       action="When it is idle join the blocks (echo 1 > /proc/sys/vm/compact_memory).")  # fmt: skip
    yield ok(f"free memory of {len(zones)} NUMA nodes is in large blocks, or little is free")


@check(
    "disk.md",
    family="disk",
    title="Software RAID is whole",
    needs="state_files",
    classes=("disk.pool",),
    source="Linux kernel documentation, md; /proc/mdstat",
    fields=("arrays",),
)
def arrays(found: StateFiles, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """Every member of an md array works. One that is being rebuilt warns, a check that runs is nothing."""
    if found.arrays is None:
        yield unknown("the software RAID is not reported")
        return
    for array in found.arrays:
        lost = f", failed: {', '.join(array.failed)}" if array.failed else ""
        said = f"{array.name}: {array.working} of {array.wanted} members work{lost}"
        if array.state != "active":
            yield fail(f"{array.name} is {array.state}", "disk.pool",
                       action="Read the kernel log for why it did not start; mdadm --examine its members.")  # fmt: skip
        elif array.failed or (array.wanted and array.working is not None and array.working < array.wanted):
            if array.work.startswith("recovery"):
                yield warn(f"{said}, {array.work}", action="Wait until it is rebuilt; then check it again.")
            else:
                yield fail(said, "disk.pool", action=_replace_member(array.failed))
        elif array.work and not array.work.startswith("check"):
            yield info(f"{array.name}: {array.work}")
    yield ok(f"{len(found.arrays)} md arrays are whole" if found.arrays else "no software RAID")


def _replace_member(failed: Sequence[str]) -> str:
    named = ", ".join(failed) if failed else "the member that is missing"
    return f"Check the drive of {named} in the kernel log; add it again (mdadm --re-add) or replace it."
