"""Checks of mounted file systems, ZFS pools and block devices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.counts import counted
from health.checks.context import Context
from health.checks.model import MACHINE, CheckDeclaration, Outcome, check, fail, info, ok, unknown, warn
from health.checks.parsers.file_systems import BlockDevice, MountedAt, Pool, PoolRow

_ON_DRIVES = frozenset({"ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "zfs", "vfat", "jfs"})
# ext4 since Linux 6.15 stays `rw` and says so beside it when an error stopped it.
_STOPPED = frozenset({"emergency_ro", "shutdown"})
_BRING_BACK = "Bring its drives back (seating, backplane, power), then run zpool clear; replace only what stays away."
_COMPLETE = "Compare the pool's drives with the model; attach the one that was left out (zpool attach or add)."
_DATA_LOST = "Run zpool status -v for the files that are damaged; restore them, then zpool clear and scrub the pool."
_NO_ERRORS = "No known data errors"


@check(
    "disk.mounts",
    family="disk",
    title="File systems are mounted, and for writing",
    part="mount",
    needs="mount_table",
    each=False,
    classes=("disk.readonly", "disk.mount"),
    source="/proc/mounts; a kernel that meets errors makes a file system read-only",
)
def mounts(table: Sequence[MountedAt], x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    """What lies on drives is writable, and every path of `expected.mounts` is there; `read_only` of it may be so."""
    wanted = _paths(x, "mounts")
    allowed = _paths(x, "read_only_mounts")
    by_path = {mount.path: mount for mount in table}
    for path in dict.fromkeys([*wanted, *by_path]):
        mount = by_path.get(path)
        if mount is None:
            yield (
                path,
                fail(
                    f"{path} is not mounted",
                    "disk.mount",
                    excerpt=f"{counted(len(by_path), 'other is', 'others are')} mounted",
                ),
            )
            continue
        if path not in wanted and not _on_drive(mount):
            continue
        said = f"{path} ({mount.source}, {mount.kind})"
        stopped = sorted(_STOPPED & mount.options)
        if stopped:
            yield (
                path,
                fail(f"{said} takes no writes after an error: {', '.join(stopped)}", "disk.readonly", excerpt=said),
            )
        elif "ro" in mount.options and path not in allowed:
            yield path, fail(f"{said} is read-only", "disk.readonly", excerpt=said)
        else:
            yield path, ok(f"{said} is mounted")


def _paths(x: Context, key: str) -> tuple[str, ...]:
    return tuple(str(path) for path in x.spec.expected.get(key) or ())


def _on_drive(mount: MountedAt) -> bool:
    return mount.kind in _ON_DRIVES and not mount.source.startswith("/dev/loop") and not mount.path.startswith("/snap/")


def _no_zfs(trouble: str, x: Context) -> Outcome | None:
    """Where the model has pools, a kernel without ZFS has none of them."""
    signs = ("ZFS modules are not loaded", "ZFS modules cannot be auto-loaded", "no such pool", "internal error")
    if x.spec.expected.get("zpool") and any(sign in trouble for sign in signs):
        return fail(f"no pool is there: {trouble}", "disk.pool_missing")
    return None


@check(
    "disk.zpool",
    family="disk",
    title="ZFS pools are whole and without errors",
    needs="zpool",
    classes=("disk.pool", "disk.pool_missing", "disk.error"),
    source="OpenZFS documentation, zpool status",
    optional=True,
    on_trouble=_no_zfs,
)
def zpool(pools: Sequence[Pool], x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """Every pool of `expected.zpool` with its number of drives, all online, no data errors, no error counted."""
    wanted: Mapping[str, Any] = x.spec.expected.get("zpool") or {}
    found = {pool.name: pool for pool in pools}
    for name in wanted:
        if name not in found:
            yield fail(f"pool {name} is not there", "disk.pool_missing")
    if not pools and not wanted:
        yield info("this machine has no pool")
    for pool in pools:
        yield from _pool(pool, wanted.get(pool.name))
    told = ", ".join(f"{pool.name} {pool.state} with {counted(len(pool.drives), 'drive')}" for pool in pools)
    yield ok(told)


def _pool(pool: Pool, wanted: Any) -> Iterator[Outcome]:
    bad = [row for row in pool.drives if row.state not in ("ONLINE", "AVAIL", "INUSE")]
    for row in bad:
        yield _pool_fail(pool, f"{row.name} is {row.state}{f' ({row.note})' if row.note else ''}")
    if pool.state not in ("ONLINE", None):
        waits = pool.state in ("SUSPENDED", "UNAVAIL", "FAULTED")
        yield _pool_fail(pool, f"the pool is {pool.state}", _BRING_BACK if waits else "")
    if pool.errors is None or pool.state is None or not pool.rows:
        yield unknown(f"{pool.name}: its state is cut off")
    elif "unavailable" in pool.errors:
        yield unknown(f"{pool.name}: {pool.errors}")
    elif pool.errors != _NO_ERRORS:
        yield fail(f"{pool.name}: {pool.errors}", "disk.error", excerpt=pool.errors, action=_DATA_LOST)
    for row in pool.rows:
        if _counted(row):
            said = f"{pool.name}: {row.name} has counted errors (read, write, checksum): {', '.join(row.counters)}"
            yield warn(said, "disk.pool", excerpt=said)
    drives = (wanted or {}).get("drives") if isinstance(wanted, Mapping) else None
    if drives and len(pool.drives) < int(drives):
        yield _pool_fail(pool, f"{len(pool.drives)} of {drives} drives are in it", _COMPLETE)


def _pool_fail(pool: Pool, said: str, action: str = "") -> Outcome:
    return fail(f"{pool.name}: {said}", "disk.pool", excerpt=f"{pool.name}: {said}", action=action)


def _counted(row: PoolRow) -> bool:
    return any(counter != "0" for counter in row.counters)


@check(
    "disk.block",
    family="disk",
    title="The kernel has every NVMe drive as a block device",
    part="nvme",
    needs="block_devices",
    each=False,
    classes=("nvme.gone", "nvme.failing"),
    source="device model; lsblk",
)
def block(devices: Sequence[BlockDevice], x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    """A drive without a namespace, of size 0 or write-protected cannot be used. Read-only partitions are told."""
    drives = {device.name.partition("n1")[0]: device for device in devices if device.name.startswith("nvme")}
    shown = "\n".join(["Listed:", *(device.name for device in devices if device.kind == "disk")])
    for slot in x.spec.slots_of("nvme"):
        name = f"nvme{slot.name.split()[-1]}"
        device = drives.get(name)
        if device is None:
            yield slot.name, fail(f"/dev/{name}n1 is not listed", "nvme.gone", excerpt=shown)
        elif device.size_bytes == 0:
            yield slot.name, fail(f"/dev/{device.name} has no size", "nvme.failing")
        elif device.read_only:
            yield slot.name, fail(f"/dev/{device.name} is write-protected", "nvme.failing")
        elif device.size_bytes is None or device.read_only is None:
            yield slot.name, unknown(f"/dev/{device.name}: size or write protection is not reported")
        else:
            yield slot.name, ok(f"/dev/{device.name}: {device.size_bytes / 1e9:.0f} GB")
    others = [device.name for device in devices if device.kind == "disk" and not device.name.startswith("nvme")]
    if others:
        yield MACHINE, info(f"other drives: {', '.join(others)}")
